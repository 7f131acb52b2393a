"""The end of a run: what is not written yet, the checks, the summary, the closing table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simhash_spark.runs.counts import count_output, read_effort
from simhash_spark.runs.folder import PUBLISHED
from simhash_spark.runs.invariants import check_invariants
from simhash_spark.runs.recall import read_recall
from simhash_spark.runs.summary import Record, summarize

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import SparkSession

    from simhash_spark.config import DedupConfig
    from simhash_spark.pipeline import Dedup
    from simhash_spark.runs.folder import OutputFolder
    from simhash_spark.runs.sources import Source


def close_run(
    spark: SparkSession,
    output: OutputFolder,
    found: Dedup,
    *,
    source: Source,
    config: DedupConfig,
    started: datetime,
) -> None:
    """Write the remaining frames, check all of them, publish and report.

    Parameters
    ----------
    spark : SparkSession
        Knows its version.
    output : OutputFolder
        Holds the frames that are written, and gets the others.
    found : Dedup
        What the run found.
    source, config, started : Source, DedupConfig, datetime
        What was read, how it was compared, since when.

    Raises
    ------
    InvariantError
        If the output contradicts itself.
    OutputError
        If it cannot be written.
    """
    for name in [one for one in PUBLISHED if one not in output.written]:
        output.store(name, getattr(found, name))
    checked = check_invariants(output.written, config.max_distance)
    effort = read_effort(found.effort)
    recall = read_recall(found, config.recall)
    counts = count_output(output.written, output.n_rows, effort, recall)
    about = (output.run_id, started, source, config, found.plan, effort)
    record = Record(*about, output.progress.stages, counts, checked)
    output.publish(summarize(record, spark))
    output.progress.closing(counts, output.path)
