"""What the profile of a run has learned: read from a folder, or learned from the input into it."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from simhash_spark.errors import ConfigError, OutputError
from simhash_spark.runs.failures import root_cause, trace_of
from simhash_spark.runs.filesystem import file_system_of
from simhash_spark.runs.paths import overlap
from simhash_spark.stages.documents import find_keep_columns
from simhash_spark.statistics import learn_statistics, load_statistics, save_statistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.config import DedupConfig
    from simhash_spark.profiles import Statistics
    from simhash_spark.runs.arguments import Arguments
    from simhash_spark.runs.progress import Progress


@contextmanager
def completed_config(
    spark: SparkSession, documents: DataFrame, arguments: Arguments, progress: Progress
) -> Iterator[DedupConfig]:
    """Complete the settings of a run: what identifies a document, what the profile has learned.

    If the run fails, what it has learned is removed: its input may be wrong.

    Parameters
    ----------
    spark : SparkSession
        Learns, reads and writes.
    documents : DataFrame
        The input.
    arguments : Arguments
        What was asked for; the folder of the statistics must lie apart from
        input and output.
    progress : Progress
        Is told the plan, then what was learned from where.

    Yields
    ------
    DedupConfig
        With the statistics of the folder, which holds them from now on; with
        none where no folder is named.

    Raises
    ------
    ConfigError
        If the folder lies in the input or output, or its statistics are those
        of another profile or length.
    InputError
        If the folder exists and holds no complete statistics, or there is
        nothing to learn from.
    OutputError
        If the folder cannot be written.
    """
    config = arguments.config_for(documents.columns)
    progress.plan(arguments.source, config)
    if not arguments.statistics:
        yield config
        return
    started = time.perf_counter()
    path = _checked_path(spark, arguments)
    files = file_system_of(spark)
    if files.exists(path):
        completed = replace(config, statistics=load_statistics(spark, path))
        progress.line(f"statistics: {_told(completed)}, read from {path}")
        yield completed
        return
    find_keep_columns(documents, config)  # a wrong name is an error now, not after a pass
    learned = replace(learn_statistics(documents, config), source=path)
    _save(learned, spark, path)
    completed = replace(config, statistics=learned)
    seconds = time.perf_counter() - started
    progress.line(f"statistics: {_told(completed)}, learned in {seconds:.1f} s, kept in {path}")
    try:
        yield completed
    except BaseException:
        files.delete(path)
        raise


def _save(learned: Statistics, spark: SparkSession, path: str) -> None:
    try:
        save_statistics(learned, spark, path)
    except Exception as error:  # Spark, Java and Connect raise theirs
        reason = root_cause(trace_of(error))
        message = (
            f"The folder of --statistics, {path}, cannot be written: {reason}. Choose another."
        )
        raise OutputError(message) from error


def _told(config: DedupConfig) -> str:
    """Say what was learned from how much, and what was left out."""
    statistics = config.statistics
    if statistics is None:
        return "none"
    parts = []
    if statistics.n_documents:
        counted = f"{statistics.n_features:,} features in 2 or more"
        parts.append(f"{counted} of {statistics.n_documents:,} documents")
    if config.settings.is_cut:
        parts.append("rarer ones, above top, taken as those of one document")
    if statistics.n_sampled:
        parts.append(f"thresholds of {statistics.n_sampled:,} texts")
    return ", ".join(parts)


def _checked_path(spark: SparkSession, arguments: Arguments) -> str:
    """Qualify the folder; refuse one that a run would read as input, or replace with its output."""
    if re.search(r"[*?\[\]{}\\]", arguments.statistics):
        message = (
            f"The folder of --statistics, {arguments.statistics}, holds one of * ? [ ] {{ }} \\, "
            "which Spark reads as a glob."
        )
        raise ConfigError(message)
    files = file_system_of(spark)
    path = files.qualify(arguments.statistics)
    for name, place in (
        *(("input", location) for location in arguments.source.locations),
        ("output", arguments.output),
    ):
        if relation := overlap(files.qualify(place), path):
            message = (
                f"The folder of --statistics, {path}, {relation} the {name} {place}: choose a "
                "folder apart from it."
            )
            raise ConfigError(message)
    return path
