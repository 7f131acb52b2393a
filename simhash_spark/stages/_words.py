"""Fingerprints between Arrow columns and arrays: one int64 column per 64-bit word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark.core.words import as_signed, as_unsigned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simhash_spark.core.typing import Words


def read_words(batch: pa.RecordBatch | pa.Table, names: Sequence[str]) -> Words:
    """Read (n_rows, n_words) uint64 from columns of type long without nulls."""
    parts = [as_unsigned(batch.column(name).to_numpy()) for name in names]
    return np.stack(parts, axis=1)


def write_words(words: Words) -> list[pa.Array]:
    """Write (n_rows, n_words) uint64 as columns of type long."""
    return [pa.array(as_signed(np.ascontiguousarray(part))) for part in words.T]


def as_table(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Put batches of one schema together, each column in one piece."""
    return pa.Table.from_batches(batches).combine_chunks()
