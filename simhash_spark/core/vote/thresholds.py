"""Bits that need more than a learned share of the weight, instead of more than half of it.

Where most documents of a corpus have a feature, its bits are the same in most
fingerprints: large buckets, and bits that say nothing. With the median of the
corpus as threshold, each bit is 1 in half of the fingerprints. Shares are whole
numbers of 2^-20, so that all comparisons are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.vote.votes import as_words

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Places, Words

SHARE_BITS = 20
_UNIT = 1 << SHARE_BITS


def shares_of(votes: Integers, totals: Integers) -> Places:
    """Give the share of the weight that has each bit set, rounded down to 2^-20.

    Parameters
    ----------
    votes : ndarray of shape (n_docs, bits), dtype int64
        Weight of the features with each bit set.
    totals : ndarray of shape (n_docs,), dtype int64
        Weight of all features: above 0, below 2^63.

    Returns
    -------
    ndarray of shape (n_docs, bits), dtype int32
        From 0 to 2^20.

    Notes
    -----
    Divided one binary digit at a time: ``votes * 2**20`` may not fit into 64 bits.

    Examples
    --------
    >>> votes = np.array([[0, 1, 3, 2**62]], dtype=np.int64)
    >>> shares_of(votes, np.array([2**62], dtype=np.int64)).tolist()
    [[0, 0, 0, 1048576]]
    >>> shares_of(votes[:, :3], np.array([4], dtype=np.int64)).tolist()
    [[0, 262144, 786432]]
    """
    divisors = totals.astype(np.uint64)[:, np.newaxis]
    rest = votes.astype(np.uint64)
    shares = np.zeros(votes.shape, dtype=np.int32)
    for _ in range(SHARE_BITS + 1):
        fits = rest >= divisors
        shares += shares
        shares += fits
        rest -= fits * divisors
        rest += rest
    return shares


def median_shares(shares: Places) -> tuple[int, ...]:
    """Give the lower median of each column.

    >>> median_shares(np.array([[5, 1], [3, 9], [4, 2], [9, 2]], dtype=np.int32))
    (4, 2)
    """
    middle = (len(shares) - 1) // 2
    return tuple(np.partition(shares, middle, axis=0)[middle].tolist())


def exceeding(
    votes: Integers, totals: Integers, thresholds: tuple[int, ...], tie: int = 0
) -> Words:
    """Set each bit that has more than its threshold of the weight.

    Parameters
    ----------
    votes : ndarray of shape (n_docs, n_words * 64), dtype int64
        Weight of the features with each bit set.
    totals : ndarray of shape (n_docs,), dtype int64
        Weight of all features.
    thresholds : tuple of int, n_words * 64 of them
        Shares, in 2^-20, from 0 to 2^20.
    tie : {0, 1}
        The bit that has just its threshold.

    Returns
    -------
    ndarray of shape (n_docs, n_words), dtype uint64
        Fingerprints.

    Notes
    -----
    ``votes > threshold * total / 2**20``, where the product may not fit into
    64 bits: the total is split into its multiple of 2^20 and the rest.

    Examples
    --------
    >>> votes = np.full((1, 64), 2, dtype=np.int64)
    >>> thresholds = (2**18, 2**19, 2**20 - 1) + (2**20,) * 61
    >>> exceeding(votes, np.array([4], dtype=np.int64), thresholds).tolist()
    [[1]]
    >>> exceeding(votes, np.array([4], dtype=np.int64), thresholds, tie=1).tolist()
    [[3]]
    """
    shares = np.array(thresholds, dtype=np.int64)
    whole, rest = np.divmod(totals[:, np.newaxis], _UNIT)
    part = shares * rest
    limits = shares * whole + (part >> SHARE_BITS)
    is_set = votes > limits
    if tie:
        is_set |= (votes == limits) & (part & (_UNIT - 1) == 0)
    return as_words(is_set)
