from __future__ import annotations

import sys

from simhash_spark.core import worker


def test_a_value_outlives_the_module_that_built_it(monkeypatch):
    monkeypatch.setattr(worker, "STATE", "_simhash_spark_worker_of_a_test")
    built = worker.once_per_worker("table", lambda: [1])
    copy = dict(vars(worker))

    again = copy["once_per_worker"]("table", lambda: [2])

    assert again is built
    del sys.modules["_simhash_spark_worker_of_a_test"]
