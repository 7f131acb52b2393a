"""The Spark session of a job: the user's if there is one, with our code on its workers."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

import simhash_spark
from simhash_spark.runs.filesystem import is_connect
from simhash_spark.runs.interrupts import interrupts_reported

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def open_session(name: str, *, is_installed: bool) -> Iterator[SparkSession]:
    """Use the session of this thread, or start one and stop it at the end.

    Parameters
    ----------
    name : str
        Name of the application, if one is started.
    is_installed : bool
        Whether Python finds ``simhash_spark`` by itself. If not, or over Spark
        Connect, the workers get the code with each task.

    Yields
    ------
    SparkSession
        Classic, or Spark Connect where ``SPARK_REMOTE`` or the platform says so.
    """
    theirs = SparkSession.getActiveSession()
    if os.environ.get("SPARK_REMOTE", "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = theirs or _start(name)
    with interrupts_reported(), _shipped_by_value(when=is_connect(spark) or not is_installed):
        try:
            if theirs is None and not is_connect(spark):
                _use_this_python(spark)
            yield spark
        finally:
            if theirs is None:
                spark.stop()


@contextmanager
def _shipped_by_value(*, when: bool) -> Iterator[None]:
    """Send the package along with each task, where the workers cannot import it."""
    if when:
        cloudpickle.register_pickle_by_value(simhash_spark)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if when:
            cloudpickle.unregister_pickle_by_value(simhash_spark)  # type: ignore[no-untyped-call]


def _start(name: str) -> SparkSession:
    builder = SparkSession.builder.appName(name)
    is_submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # then this is for its settings to say
    if not is_submitted and not is_remote():
        builder = builder.config("spark.ui.showConsoleProgress", "false")  # we write lines instead
    return builder.getOrCreate()


def _use_this_python(spark: SparkSession) -> None:
    """Run local workers with the driver's Python; Spark would take ``python3`` from PATH."""
    context = spark.sparkContext
    is_chosen = "PYSPARK_PYTHON" in os.environ or context.getConf().contains("spark.pyspark.python")
    if str(context.master).startswith("local") and not is_chosen:
        context.pythonExec = sys.executable
