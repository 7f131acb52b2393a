"""UTF-8 buffers, code points and the places of characters, without an object per character."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Bytes, CodePoints, Integers

SPACE = 0x20
NO_BYTE = 0xFF
"""Stands nowhere in valid UTF-8."""

FEW = 24
"""One byte in so many: rarer ones are dropped faster by ``bytes.replace`` than by a mask."""

PIECE_BYTES = 1 << 18
"""Longer texts are worked on in pieces of about this size, to bound memory."""


def code_points(data: Bytes) -> CodePoints:
    """Decode valid UTF-8.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.

    Returns
    -------
    ndarray of shape (n_characters,), dtype uint32
        Code points.

    Examples
    --------
    >>> code_points(np.frombuffer("aé世".encode(), dtype=np.uint8)).tolist()
    [97, 233, 19990]
    """
    return codes_of(data.tobytes().decode("utf-8"))


def encode(codes: CodePoints) -> Bytes:
    """Encode code points as UTF-8.

    Parameters
    ----------
    codes : ndarray of shape (n_characters,), dtype uint32
        Code points without surrogates.

    Returns
    -------
    ndarray of shape (n_bytes,), dtype uint8
        UTF-8.

    Examples
    --------
    >>> encode(np.array([97, 0x4E16], dtype=np.uint32)).tobytes().decode()
    'a世'
    """
    return np.frombuffer(string_of(codes).encode("utf-8"), dtype=np.uint8)


def character_starts(data: Bytes) -> Integers:
    """Find the byte at which each character starts, and the end of the data.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.

    Returns
    -------
    ndarray of shape (n_characters + 1,), dtype int64
        Positions in ``data``.

    Examples
    --------
    >>> character_starts(np.frombuffer("aéb".encode(), dtype=np.uint8)).tolist()
    [0, 1, 3, 4]
    """
    if is_ascii(data):
        return np.arange(len(data) + 1, dtype=np.int64)
    return np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))


def sum_by_text(values: Bytes, offsets: Integers) -> Integers:
    """Add up the values of each text.

    Parameters
    ----------
    values : ndarray of shape (n_values,), dtype uint8
        Values, text by text.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts, from 0, and the end of the last one.

    Returns
    -------
    ndarray of shape (n_docs,), dtype int64
        Sums, each less than 2^31.

    Examples
    --------
    >>> values = np.array([1, 0, 3], dtype=np.uint8)
    >>> sum_by_text(values, np.array([0, 0, 2, 3], dtype=np.int64)).tolist()
    [0, 1, 3]
    """
    sums = np.zeros(len(offsets) - 1, dtype=np.int64)
    filled = np.flatnonzero(offsets[:-1] < offsets[1:])
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[filled], dtype=np.int32)
    return sums


def drop_bytes(data: Bytes, offsets: Integers, dropped: Integers) -> tuple[Bytes, Integers]:
    """Drop some bytes of valid UTF-8.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts, from 0.
    dropped : ndarray of shape (n_dropped,), dtype int64
        Positions in ``data``, in order.

    Returns
    -------
    data, offsets : ndarray
        The same for the shorter texts.

    Examples
    --------
    >>> data = np.frombuffer(b"a b", dtype=np.uint8)
    >>> drop_bytes(data, np.array([0, 3]), np.array([1]))[0].tobytes()
    b'ab'
    """
    if not len(dropped):
        return data, offsets
    marked = data.copy()
    marked[dropped] = NO_BYTE
    offsets = offsets - np.searchsorted(dropped, offsets)
    if len(dropped) * FEW < len(data):
        return np.frombuffer(marked.tobytes().replace(bytes([NO_BYTE]), b""), np.uint8), offsets
    return marked[marked != NO_BYTE], offsets


def is_ascii(data: Bytes) -> bool:
    """Tell whether no byte is above 127.

    >>> is_ascii(np.frombuffer(b"abc", dtype=np.uint8))
    True
    """
    return len(data) == 0 or int(data.max()) < 0x80


def pieces(data: Bytes, cuts: bytes) -> Iterator[Bytes]:
    """Cut a long text into pieces of about ``PIECE_BYTES``, each but the first at a byte of cuts.

    >>> [piece.tobytes() for piece in pieces(np.frombuffer(b"a b", dtype=np.uint8), b" ")]
    [b'a b']
    """
    is_cut = np.zeros(256, dtype=np.bool_)
    is_cut[list(cuts)] = True
    start = 0
    while start < len(data):
        end = min(start + PIECE_BYTES, len(data))
        while end < len(data) and not (hits := is_cut[data[end : end + PIECE_BYTES]]).any():
            end = min(end + PIECE_BYTES, len(data))
        end += int(hits.argmax()) if end < len(data) else 0
        yield data[start:end]
        start = end


def bounds_of_one(data: Bytes) -> Integers:
    """Give the offsets of a buffer that holds one text.

    >>> bounds_of_one(np.frombuffer(b"abc", dtype=np.uint8)).tolist()
    [0, 3]
    """
    return np.array([0, len(data)], dtype=np.int64)


def codes_of(text: str) -> CodePoints:
    r"""Give the code points of a string, surrogates as they are.

    >>> codes_of("a\ud800").tolist()
    [97, 55296]
    """
    # A NumPy string is UCS-4 and, unlike a codec, holds surrogates as they are.
    return np.array([text], dtype=f"U{max(len(text), 1)}").view(np.uint32)[: len(text)]


def string_of(codes: CodePoints) -> str:
    r"""Give the string of code points, surrogates as they are.

    >>> string_of(np.array([97, 0], dtype=np.uint32))
    'a\x00'
    """
    # NumPy drops U+0000 at the end of a string: end it on something else.
    ended = np.append(codes, np.uint32(SPACE))
    return str(ended.view(f"U{len(ended)}")[0])[:-1]
