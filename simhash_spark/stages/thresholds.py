"""Documents to thresholds: for each bit, the median of its share of the weight.

The sample is the texts whose hashes are the smallest: it depends on the set of
texts, not on their order, their number or the partitions they lie in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.learning import shares_of_texts
from simhash_spark.core.packages import check_requirements, requirements
from simhash_spark.core.vote.thresholds import median_shares
from simhash_spark.stages._arrow import text_buffers
from simhash_spark.stages._functions import check_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.profiles import FingerprintSettings

    BatchFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SAMPLE = 100_000
"""Texts in the sample, at most. One task holds 4 bytes for each of their bits: 51 MB at 128. The
median of so many lies within 0.3 % of the texts of that of all, 19 times of 20."""


def sample_texts(documents: DataFrame, most: int = SAMPLE) -> DataFrame:
    """Choose distinct texts by their hashes.

    Parameters
    ----------
    documents : DataFrame
        Column ``text`` (string, may be null).
    most : int
        How many to choose: those with the smallest hashes.

    Returns
    -------
    DataFrame
        Column ``text``: distinct, not null, in no order; all there are, if they
        are fewer. Two passes over the text, of which the first only hashes it.
    """
    texts = documents.where(F.col(c.TEXT).isNotNull()).select(c.TEXT)
    text_hash = F.xxhash64(c.TEXT).alias("text_hash")
    smallest = texts.select(text_hash).distinct().orderBy("text_hash").limit(most)
    bound = smallest.agg(F.max("text_hash").alias("bound"))
    chosen = texts.select(c.TEXT, text_hash).join(
        F.broadcast(bound), on=F.col("text_hash") <= F.col("bound"), how="inner"
    )
    return chosen.select(c.TEXT).distinct()


def learn_thresholds(texts: DataFrame, settings: FingerprintSettings) -> DataFrame:
    """Learn the thresholds of all bits.

    Parameters
    ----------
    texts : DataFrame
        Column ``text``, from :func:`sample_texts`.
    settings : FingerprintSettings
        How a text becomes weighed features; frequencies, where the weights
        need them, are learned already.

    Returns
    -------
    DataFrame
        One row, or none where there is no text: ``n_sampled`` (long, texts
        that have a fingerprint) and ``thresholds`` (array of int, in 2^-20; empty
        where there was no such text).
    """
    check_function(settings)
    packages = requirements(settings.profile)
    shares = texts.select(c.TEXT).mapInArrow(_batches_sharer(settings, packages), schemas.SHARES)
    return shares.repartition(1).mapInArrow(_medians_finder(settings.bits), schemas.THRESHOLDS)


def _batches_sharer(settings: FingerprintSettings, packages: dict[str, str]) -> BatchFunction:
    def share_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_requirements(packages)
        for batch in batches:
            shares = shares_of_texts(*text_buffers(batch.column(0)), settings)
            packed = pa.array([shares.astype("<i4").tobytes()], pa.binary())
            yield pa.RecordBatch.from_arrays([packed], names=[c.SHARES])

    return share_batches


def _medians_finder(bits: int) -> BatchFunction:
    def find_medians(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packed = [one.as_py() for batch in batches for one in batch.column(0)]
        shares = np.frombuffer(b"".join(packed), dtype="<i4").reshape(-1, bits)
        medians = median_shares(shares) if len(shares) else ()
        columns = [
            pa.array([len(shares)], pa.int64()),
            pa.array([list(medians)], pa.list_(pa.int32())),
        ]
        yield pa.RecordBatch.from_arrays(columns, names=[c.N_SAMPLED, c.THRESHOLDS])

    return find_medians
