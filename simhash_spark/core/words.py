"""Unsigned words to Spark's signed longs and back: the only place where sign is discussed.

Spark has no unsigned type: a 64-bit word is stored as the long with the same
bits (two's complement), so bit 63 becomes the sign and nothing is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Words


def as_signed(words: Words) -> Integers:
    """View unsigned words as the longs that Spark stores.

    Parameters
    ----------
    words : ndarray of any shape, dtype uint64
        Words.

    Returns
    -------
    ndarray of the same shape, dtype int64
        The same memory.

    Examples
    --------
    >>> as_signed(np.array([1, 2**64 - 1], dtype=np.uint64)).tolist()
    [1, -1]
    """
    return words.view(np.int64)


def as_unsigned(longs: Integers) -> Words:
    """View Spark's longs as unsigned words.

    Parameters
    ----------
    longs : ndarray of any shape, dtype int64
        Longs.

    Returns
    -------
    ndarray of the same shape, dtype uint64
        The same memory.

    Examples
    --------
    >>> as_unsigned(np.array([1, -(2**63)], dtype=np.int64)).tolist()
    [1, 9223372036854775808]
    """
    return longs.view(np.uint64)
