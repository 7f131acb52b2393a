"""Documents to document frequencies: in how many of them each feature occurs, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.learning import document_counts
from simhash_spark.core.packages import check_requirements, requirements
from simhash_spark.core.words import as_signed, as_unsigned
from simhash_spark.stages._arrow import text_buffers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.profiles import FingerprintSettings

    BatchFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def count_frequencies(
    documents: DataFrame, settings: FingerprintSettings, *, top: int
) -> DataFrame:
    """Count the documents that have each feature.

    Parameters
    ----------
    documents : DataFrame
        Column ``text`` (string, may be null); others are not read.
    settings : FingerprintSettings
        How a text becomes features; nothing learned is needed.
    top : int
        How many features to keep: the most frequent ones, the smaller hash
        first where they are equally frequent.

    Returns
    -------
    DataFrame
        In no order: ``feature`` (long: the first 64 bits of its hash, in two's
        complement) and ``n_documents`` (long, 2 or more: a feature of one
        document is told from one of none by nothing else). One more row, where
        ``feature`` is null, has the number of documents with any feature;
        there is no row where no document has one.

    Notes
    -----
    Each task adds up the counts of a million features before it sends them on,
    so that what is shuffled grows with the distinct features, not with the text.
    """
    packages = requirements(settings.profile)
    counts = documents.select(c.TEXT).mapInArrow(
        _batches_counter(settings, packages), schemas.FREQUENCIES
    )
    n_documents = F.sum(c.N_DOCUMENTS).alias(c.N_DOCUMENTS)
    known = counts.groupBy(c.FEATURE).agg(n_documents)
    return (
        known.where((F.col(c.N_DOCUMENTS) > 1) | F.col(c.FEATURE).isNull())
        .orderBy(F.desc(c.N_DOCUMENTS), F.asc_nulls_first(c.FEATURE))
        .limit(top + 1)  # the null comes first: no feature is in more documents than there are
        .select(c.FEATURE, c.N_DOCUMENTS)
    )


def pack_frequencies(frequencies: DataFrame) -> DataFrame:
    """Put all frequencies into one row, as the arrays that fingerprints are computed with.

    Parameters
    ----------
    frequencies : DataFrame
        From :func:`count_frequencies`.

    Returns
    -------
    DataFrame
        One row, or none where there are no frequencies: ``n_documents`` (long),
        ``features`` and ``documents`` (binary: uint64, ascending, and int64).
    """
    return frequencies.coalesce(1).mapInArrow(_pack, schemas.PACKED_FREQUENCIES)


def _batches_counter(settings: FingerprintSettings, packages: dict[str, str]) -> BatchFunction:
    schema = pa.schema([(c.FEATURE, pa.int64()), (c.N_DOCUMENTS, pa.int64())])

    def count_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_requirements(packages)
        texts = (text_buffers(batch.column(0)) for batch in batches)
        for features, counts, n_documents in document_counts(texts, settings):
            longs = pa.concat_arrays([pa.nulls(1, pa.int64()), pa.array(as_signed(features))])
            sums = pa.array(np.append(np.int64(n_documents), counts))
            yield pa.RecordBatch.from_arrays([longs, sums], schema=schema)

    return count_batches


def _pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    features, counts = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    n_documents = 0
    for batch in batches:
        longs, sums = batch.columns[0], np.asarray(batch.columns[1])
        is_total = np.asarray(longs.is_null())
        n_documents += int(sums[is_total].sum())
        features.append(np.asarray(longs.fill_null(0))[~is_total])
        counts.append(sums[~is_total])
    words = as_unsigned(np.concatenate(features))
    order = np.argsort(words)
    columns = [
        pa.array([n_documents], pa.int64()),
        pa.array([words[order].astype("<u8").tobytes()], pa.binary()),
        pa.array([np.concatenate(counts)[order].astype("<i8").tobytes()], pa.binary()),
    ]
    yield pa.RecordBatch.from_arrays(columns, names=[c.N_DOCUMENTS, c.FEATURES, c.DOCUMENTS])
