from __future__ import annotations

import pytest
from pyspark.testing import assertDataFrameEqual

from simhash_spark.stages import clusters as module
from simhash_spark.stages.clusters import connect_components


def test_a_chain_is_one_component_under_its_smallest_fingerprint(spark):
    ends = [(1, 2), (2, 3), (-1, 3), (10, 11)]
    edges = spark.createDataFrame(ends, "fingerprint_l long, fingerprint_r long")

    actual = edges.repartition(3).transform(connect_components, 64)

    # -1 is the word of 64 ones, so the largest.
    expected = [(1, 1), (2, 1), (3, 1), (-1, 1), (10, 10), (11, 10)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_128_bits_are_ordered_by_the_high_word_first(spark):
    schema = (
        "fingerprint_l long, fingerprint_high_l long, fingerprint_r long, fingerprint_high_r long"
    )
    edges = spark.createDataFrame([(9, 1, 3, 2)], schema)

    actual = edges.transform(connect_components, 128)

    expected = [(9, 1, 9, 1), (3, 2, 9, 1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_no_edges_give_no_components(spark):
    edges = spark.createDataFrame([], "fingerprint_l long, fingerprint_r long")

    assert edges.transform(connect_components, 64).collect() == []


@pytest.mark.parametrize("at_once", [2, 5, 1_000])
def test_reducing_as_edges_stream_in_keeps_the_components(at_once):
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(3)
    left, right = rng.integers(0, 60, size=(2, 50))
    names = ["fingerprint_l", "fingerprint_r"]
    batches = pa.table([left, right], names=names).to_batches(3)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "EDGES_AT_ONCE", at_once)
        reduced = list(module._reducer(64)(iter(batches)))
        streamed = next(iter(module._connector(64)(iter(reduced))))
    whole = next(iter(module._connector(64)(iter(batches))))

    assert sum(batch.num_rows for batch in reduced) <= 50
    # A self-loop has no second end: such a node need not be kept by the forest.
    kept = set(zip(*streamed.to_pydict().values(), strict=True))
    assert kept <= set(zip(*whole.to_pydict().values(), strict=True))
    touched = {node for a, b in zip(left, right, strict=True) if a != b for node in (a, b)}
    assert {node for node, _ in kept} == touched
