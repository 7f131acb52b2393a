"""What every test may use: a Spark session, and the folder of the tests on the path."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]

# The same examples in every run, no folder of examples, and no failure because a machine is busy.
hypothesis.settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("repeatable")

# importlib mode puts no folder on the path: this one makes `from tests import oracles` work.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


def pytest_configure(config: pytest.Config) -> None:
    # PySpark 3.5 compares versions with distutils, and its pyspark.testing loads pandas on Spark,
    # which warns about a variable that it then sets itself.
    config.addinivalue_line("filterwarnings", "ignore:distutils Version:DeprecationWarning")
    config.addinivalue_line("filterwarnings", "ignore:'PYARROW_IGNORE_TIMEZONE':UserWarning")
    # Its collect leaves the socket it read from to the garbage collector.
    config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")
    config.addinivalue_line(
        "filterwarnings",
        "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning",
    )


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    # The workers must run the interpreter of the tests, not the first python on PATH, and
    # import the package from here where it is not installed.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(ROOT) not in path:
        path = [str(ROOT), *filter(None, path)]
    daemon = "pyspark.daemon"
    if "COVERAGE_PROCESS_CONFIG" in os.environ:
        daemon = "coverage_daemon"  # the workers are measured too
        path.append(str(ROOT / "tests"))
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")  # two tasks at once, as the order of rows may vary
        .appName("simhash_spark tests")
        .config("spark.driver.bindAddress", "127.0.0.1")  # no listening on a network
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")  # no port to fight over
        .config("spark.ui.showConsoleProgress", "false")  # no bars between the dots of pytest
        .config("spark.sql.shuffle.partitions", "2")  # 200 tiny tasks take seconds
        .config("spark.sql.session.timeZone", "UTC")  # literal timestamps mean the same everywhere
        .config("spark.python.daemon.module", daemon)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
