"""What a profile learns from a corpus: learned by Spark, stored as one row of Parquet, read back.

The row ends in a digest of all that is in it: a folder that was left half
written, or changed, is refused, on file systems with and without ``_SUCCESS``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.errors import InputError
from simhash_spark.profiles import Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.stages.documents import identify_documents
from simhash_spark.stages.frequencies import count_frequencies, pack_frequencies
from simhash_spark.stages.statistics import pack_statistics, statistics_row
from simhash_spark.stages.thresholds import learn_thresholds, sample_texts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from simhash_spark.config import DedupConfig
    from simhash_spark.profiles import FingerprintSettings


def learn_statistics(documents: DataFrame, config: DedupConfig) -> Statistics:
    """Learn from a corpus what the profile needs; runs one or two Spark jobs.

    Parameters
    ----------
    documents : DataFrame
        One row per document, any columns.
    config : DedupConfig
        Names the text column, the profile and the number of bits.

    Returns
    -------
    Statistics
        Of at most 16 bytes for each feature that ``idf`` keeps: for
        ``dataclasses.replace(config, statistics=...)``, or ``save_statistics``.

    Raises
    ------
    ConfigError
        If the profile learns nothing.
    InputError
        If there is no document to learn from.
    MissingColumnError, SchemaError
        As from ``deduplicate``.

    Notes
    -----
    Document frequencies take one pass over the text; the thresholds two, of
    which one only hashes it and the other fingerprints a sample.
    """
    settings = replace(config.settings, statistics=None)
    learned = Statistics(settings.profile.name, settings.bits, settings.definition)
    replace(settings, statistics=learned)  # a profile that learns nothing is refused
    texts = identify_documents(documents, config).select(c.TEXT)
    if isinstance(settings.profile.weigh, Idf):
        learned = _learn_frequencies(texts, settings, learned)
    if settings.profile.threshold == "median":
        learned = _learn_thresholds(texts, settings, learned)
    return learned


def save_statistics(statistics: Statistics, spark: SparkSession, path: str) -> None:
    """Write statistics to a new folder, of any file system that Spark knows.

    Parameters
    ----------
    statistics : Statistics
        From :func:`learn_statistics`.
    spark : SparkSession
        Writes.
    path : str
        A folder that does not exist; Spark refuses one that does.
    """
    statistics_row(spark, statistics).write.parquet(path)


def load_statistics(spark: SparkSession, path: str) -> Statistics:
    """Read statistics that were saved.

    Parameters
    ----------
    spark : SparkSession
        Reads.
    path : str
        The folder.

    Returns
    -------
    Statistics
        As they were learned.

    Raises
    ------
    InputError
        If the folder cannot be read, or its content is not complete.
    """
    try:
        stored = spark.read.schema(schemas.STATISTICS).parquet(path)
        rows = stored.transform(pack_statistics).take(2)
    except Exception as error:  # Spark, Java and Connect raise theirs
        message = (
            f"No statistics can be read from {path}: {_reason(error)}. Check the path, or remove "
            "the folder and learn them anew."
        )
        raise InputError(message) from error
    found = [_statistics_of(row, path) for row in rows]
    if len(rows) != 1 or found[0].digest != rows[0]["digest"]:
        message = (
            f"{path} holds no complete statistics: it was left half written, changed, or made by "
            "another program. Remove it and learn them anew, or name another folder."
        )
        raise InputError(message)
    return found[0]


def _learn_frequencies(
    texts: DataFrame, settings: FingerprintSettings, learned: Statistics
) -> Statistics:
    top = settings.profile.weigh.top  # type: ignore[union-attr]  # Idf
    frequencies = texts.transform(count_frequencies, settings, top=top)
    row = frequencies.transform(pack_frequencies).first()
    if row is None or not row[c.N_DOCUMENTS]:
        raise _nothing_to_learn()
    return replace(
        learned,
        n_documents=row[c.N_DOCUMENTS],
        features=bytes(row[c.FEATURES]),
        documents=bytes(row[c.DOCUMENTS]),
    )


def _learn_thresholds(
    texts: DataFrame, settings: FingerprintSettings, learned: Statistics
) -> Statistics:
    weighing = replace(settings, statistics=learned)
    row = sample_texts(texts).transform(learn_thresholds, weighing).first()
    if row is None or not row[c.N_SAMPLED]:
        raise _nothing_to_learn()
    return replace(learned, n_sampled=row[c.N_SAMPLED], thresholds=tuple(row[c.THRESHOLDS]))


def _nothing_to_learn() -> InputError:
    return InputError(
        "No document has enough features: there is nothing to learn statistics from. Check the "
        "text column and the profile."
    )


def _reason(error: Exception) -> str:
    """Say in one line why Spark failed: what lies deepest in a Java trace, else its first line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    reason = (causes or lines)[-1 if causes else 0]
    return re.sub(r" ?SQLSTATE: \w+", "", reason).rstrip(". ")[:300]


def _statistics_of(row: Row, path: str) -> Statistics:
    return Statistics(
        profile=row["profile"],
        bits=row["bits"],
        definition=row["definition"],
        n_documents=row[c.N_DOCUMENTS],
        features=bytes(row[c.FEATURES]),
        documents=bytes(row[c.DOCUMENTS]),
        n_sampled=row[c.N_SAMPLED],
        thresholds=tuple(row[c.THRESHOLDS]),
        source=path,
    )
