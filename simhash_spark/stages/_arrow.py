"""Text between Arrow columns and arrays: the UTF-8 buffer and its offsets, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Integers


def text_buffers(texts: pa.Array) -> tuple[Bytes, Integers]:
    """Read a column of texts; null counts as empty.

    Parameters
    ----------
    texts : pyarrow.Array of a string type
        Texts; may be a slice of a longer array.

    Returns
    -------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts, one after the other, as it stands.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, and the end of the last one.
    """
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        texts = texts.cast(pa.large_string())  # string_view has other buffers
    if texts.null_count:
        texts = texts.fill_null("")
    _, bounds, data = texts.buffers()
    width = np.dtype(np.int64 if pa.types.is_large_string(texts.type) else np.int32)
    if not len(texts):
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    offsets = np.frombuffer(
        bounds, dtype=width, count=len(texts) + 1, offset=texts.offset * width.itemsize
    )
    is_empty = data is None or data.size == 0
    filled = np.empty(0, dtype=np.uint8) if is_empty else np.frombuffer(data, dtype=np.uint8)
    return filled, offsets.astype(np.int64)
