"""Hamming distance: how many bits differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Integers, Words


def distances(left: Words, right: Words) -> Integers:
    """Count the bits in which two fingerprints differ.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs, n_words), dtype uint64
        Row i of one is compared with row i of the other.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype int64
        From 0 to 64 * n_words.

    Examples
    --------
    >>> distances(np.array([[0b1011]], dtype=np.uint64), np.array([[0b0010]], dtype=np.uint64))
    array([2])
    """
    return popcounts(left ^ right).astype(np.int64)


def popcounts(words: Words) -> Bytes:
    """Count the one bits of each row.

    Parameters
    ----------
    words : ndarray of shape (n_rows, n_words), dtype uint64
        Any bits; at most three words a row.

    Returns
    -------
    ndarray of shape (n_rows,), dtype uint8
        From 0 to 64 * n_words.

    Examples
    --------
    >>> popcounts(np.array([[2**64 - 1, 1]], dtype=np.uint64))
    array([65], dtype=uint8)
    """
    counts: Bytes = _bit_count(words[:, 0])
    for word in range(1, words.shape[1]):
        counts += _bit_count(words[:, word])
    return counts


def popcounts_without_instruction(words: Words) -> Bytes:
    """Count the one bits of each word by adding neighbouring fields.

    Parameters
    ----------
    words : ndarray of any shape, dtype uint64
        Any bits.

    Returns
    -------
    ndarray of the same shape, dtype uint8
        From 0 to 64.

    Notes
    -----
    For NumPy before 2.0, which has no ``bitwise_count``; five times slower.
    Source: Warren, "Hacker's Delight", figure 5-2.

    Examples
    --------
    >>> popcounts_without_instruction(np.array([2**64 - 1, 6], dtype=np.uint64))
    array([64,  2], dtype=uint8)
    """
    pairs = words - ((words >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    nibbles = (pairs & low) + ((pairs >> np.uint64(2)) & low)
    octets = (nibbles + (nibbles >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((octets * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)


_bit_count = getattr(np, "bitwise_count", popcounts_without_instruction)
