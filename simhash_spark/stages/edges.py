"""Band rows to edges: the rows of a bucket are brought together and compared.

Spark sorts by bucket (and spills to disk where it must); each task reads its
buckets in order and holds a few hundred thousand rows at a time, or one bucket
if that is larger. Each pair comes out once, of one bucket, so nothing has to be
made distinct afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.pairs import Pairs, find_pairs
from simhash_spark.stages._words import as_table, read_words, write_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.bands import BandLayout
    from simhash_spark.core.typing import Integers, Words

ROWS_AT_ONCE = 300_000
PAIRS_PER_BATCH = 50_000


def find_edges(band_rows: DataFrame, layout: BandLayout) -> DataFrame:
    """Find all pairs of fingerprints within the maximal distance.

    Parameters
    ----------
    band_rows : DataFrame
        Columns ``band``, ``band_key``, ``fingerprint`` (and
        ``fingerprint_high``), one row per distinct fingerprint and band.
    layout : BandLayout
        The bands and the maximal distance.

    Returns
    -------
    DataFrame
        Columns ``fingerprint_l``, ``fingerprint_r`` (each with its ``_high_``
        word for 128 bits) and ``distance`` (int, from 1 to the maximum); each
        pair once, the left fingerprint smaller as an unsigned number.
    """
    buckets = band_rows.repartition(c.BAND, c.BAND_KEY).sortWithinPartitions(c.BAND, c.BAND_KEY)
    return buckets.mapInArrow(_finder(layout), schemas.edges(layout.bits))


def _finder(
    layout: BandLayout,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    words = c.fingerprint_words(layout.bits)
    names = schemas.edges(layout.bits).names

    def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for piece in _whole_buckets(batches):
            fingerprints = read_words(piece, words)
            for pairs in _batched(_pairs(piece, fingerprints, layout)):
                left, right = fingerprints[pairs.left], fingerprints[pairs.right]
                distances = pa.array(pairs.distances.astype(np.int32))
                columns = [*write_words(left), *write_words(right), distances]
                yield pa.RecordBatch.from_arrays(columns, names=names)

    return find


def _pairs(piece: pa.Table, fingerprints: Words, layout: BandLayout) -> Iterator[Pairs]:
    """Compare band by band."""
    bands = piece.column(c.BAND).to_numpy()
    buckets = np.cumsum(_bucket_starts(piece))
    for band in np.unique(bands).tolist():
        first, last = np.searchsorted(bands, [band, band + 1])
        found = find_pairs(fingerprints[first:last], buckets[first:last], layout=layout, band=band)
        for left, right, distances in found:
            yield Pairs(left + first, right + first, distances)


def _whole_buckets(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut sorted batches into pieces that end where a bucket ends."""
    pending: list[pa.RecordBatch] = []
    n_rows, limit = 0, ROWS_AT_ONCE
    for batch in batches:
        pending.append(batch)
        n_rows += batch.num_rows
        if n_rows < limit:
            continue
        piece = as_table(pending)
        last_start = int(np.flatnonzero(_bucket_starts(piece))[-1])
        if last_start:
            yield piece.slice(0, last_start)
        pending = piece.slice(last_start).to_batches()
        n_rows = piece.num_rows - last_start
        limit = max(ROWS_AT_ONCE, 2 * n_rows)
    if pending:
        yield as_table(pending)


def _bucket_starts(piece: pa.Table) -> Integers:
    """Mark the first row of each bucket."""
    starts = np.ones(piece.num_rows, dtype=np.bool_)
    bands, keys = (piece.column(name).to_numpy() for name in (c.BAND, c.BAND_KEY))
    starts[1:] = (bands[1:] != bands[:-1]) | (keys[1:] != keys[:-1])
    return starts


def _batched(found: Iterator[Pairs]) -> Iterator[Pairs]:
    """Put small pieces together: an Arrow batch costs as much as thousands of rows."""
    pending: list[Pairs] = []
    n_pairs = 0
    for pairs in found:
        pending.append(pairs)
        n_pairs += len(pairs.left)
        if n_pairs >= PAIRS_PER_BATCH:
            yield Pairs(*map(np.concatenate, zip(*pending, strict=True)))
            pending, n_pairs = [], 0
    if pending:
        yield Pairs(*map(np.concatenate, zip(*pending, strict=True)))
