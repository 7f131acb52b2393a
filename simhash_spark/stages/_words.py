"""Fingerprints between Arrow columns and arrays: one int64 column per 64-bit word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark.core.words import as_signed, as_unsigned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.typing import Words


def read_words(batch: pa.RecordBatch | pa.Table, names: Sequence[str]) -> Words:
    """Read (n_rows, n_words) uint64 from columns of type long without nulls."""
    parts = [as_unsigned(batch.column(name).to_numpy()) for name in names]
    return np.stack(parts, axis=1)


def write_words(words: Words) -> list[pa.Array]:
    """Write (n_rows, n_words) uint64 as columns of type long."""
    return [pa.array(as_signed(np.ascontiguousarray(part))) for part in words.T]


def read_binary(packed: pa.Array, n_words: int) -> Words:
    """Read (n_rows, n_words) uint64 from a column of binary values, one after the other."""
    if not len(packed):
        return np.empty((0, n_words), dtype=np.uint64)
    wide = pa.types.is_large_binary(packed.type)
    _, bounds, data = packed.buffers()
    offsets = np.frombuffer(bounds, dtype=np.int64 if wide else np.int32)
    first, last = offsets[packed.offset], offsets[packed.offset + len(packed)]
    if first == last:
        return np.empty((0, n_words), dtype=np.uint64)
    octets = np.frombuffer(data, dtype=np.uint8)[first:last]
    return octets.view("<u8").astype(np.uint64, copy=False).reshape(-1, n_words)
