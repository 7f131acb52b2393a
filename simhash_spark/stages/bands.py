"""Nodes to band rows: one row per fingerprint becomes one row per band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.bands import read_band
from simhash_spark.core.words import as_signed
from simhash_spark.stages._words import read_words, write_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.bands import BandLayout


def explode_bands(nodes: DataFrame, layout: BandLayout) -> DataFrame:
    """Give every fingerprint one row per band.

    Parameters
    ----------
    nodes : DataFrame
        Column ``fingerprint`` (and ``fingerprint_high`` for 128 bits), not null.
    layout : BandLayout
        Which bits each band holds.

    Returns
    -------
    DataFrame
        Columns ``band`` (int, from 0), ``band_key`` (long), ``fingerprint``
        (and ``fingerprint_high``); one row per fingerprint and band.
    """
    words = c.fingerprint_words(layout.bits)
    return nodes.select(*words).mapInArrow(_exploder(layout), schemas.bands(layout.bits))


def _exploder(
    layout: BandLayout,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    words = c.fingerprint_words(layout.bits)
    names = schemas.bands(layout.bits).names
    bands = layout.bands

    def explode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            fingerprints = read_words(batch, words)
            for number, band in enumerate(bands):
                numbers = pa.array(np.full(len(fingerprints), number, dtype=np.int32))
                keys = pa.array(as_signed(read_band(fingerprints, band)))
                columns = [numbers, keys, *write_words(fingerprints)]
                yield pa.RecordBatch.from_arrays(columns, names=names)

    return explode
