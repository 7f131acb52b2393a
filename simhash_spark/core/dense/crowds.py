"""Telling crowded buckets apart: where each fingerprint has many near ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.groups import take
from simhash_spark.core.join.hamming import popcounts

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Floats, Integers, Words

_PRIMES = (7919, 13)
SAMPLED_MEMBERS = 64
PAIR_COST = 15
"""What finding a pair costs, in comparisons with a pivot (measured 10 to 30)."""


def count_near_partners(members: Words, sizes: Integers, max_distance: int) -> Integers:
    """Compare every member of a group with one other, chosen by place.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_words), dtype uint64
        Fingerprints, group by group, ascending in each.
    sizes : ndarray of shape (n_groups,), dtype int64
        Members of each group, 2 or more.
    max_distance : int
        Largest distance that is near.

    Returns
    -------
    ndarray of shape (n_groups,), dtype int64
        How many of the comparisons were near: about as many as the near ones that
        a member has.
    """
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    own = np.repeat(sizes, sizes)
    places = np.arange(len(members), dtype=np.int64) - begins
    partners = begins + (places * _PRIMES[0] + _PRIMES[1]) % own
    distances = popcounts(members ^ take(members, partners))
    near = (distances > 0) & (distances <= max_distance)
    groups = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    return np.bincount(groups[near], minlength=len(sizes))


def is_crowded(n_near: Integers | Floats, sizes: Integers) -> Booleans:
    """Tell where a group is connected sooner around pivots than by finding all its pairs.

    A pivot takes a ball of ``n_near`` members, and is compared with all, at half a
    nanosecond each; a pair found costs about fifteen.

    Parameters
    ----------
    n_near : ndarray of shape (n_groups,), dtype int64 or float64
        Near ones that a member has.
    sizes : ndarray of shape (n_groups,), dtype int64
        Members of each group.

    Returns
    -------
    ndarray of shape (n_groups,), dtype bool
        Never true below eight near ones.
    """
    return (n_near >= 8) & (n_near * n_near > sizes / 30)


def sample_near_counts(members: Words, max_distance: int) -> Integers:
    """Count the near ones of some members.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_words), dtype uint64
        A group, ascending.
    max_distance : int
        Largest distance that is near.

    Returns
    -------
    ndarray of shape (at most ``SAMPLED_MEMBERS``,), dtype int64
        For some members, evenly spaced, the others within the distance.

    Examples
    --------
    >>> sample_near_counts(np.array([[0b000], [0b001], [0b110]], dtype=np.uint64), 2).tolist()
    [2, 1, 1]
    """
    n_sampled = min(len(members), SAMPLED_MEMBERS)
    counts = []
    for place in range(n_sampled):
        distances = popcounts(members ^ members[place * len(members) // n_sampled])
        counts.append(np.count_nonzero(distances <= max_distance) - 1)
    return np.array(counts, dtype=np.int64)


def pivots_pay(n_near: Integers, size: int) -> bool:
    """Tell whether a group is connected sooner around pivots than by finding all its pairs.

    Every member is compared with each pivot, and there is one for each ball: a
    member alone is its own. So a crowd among many strangers is left to be cut
    apart first.

    Parameters
    ----------
    n_near : ndarray of shape (n_sampled,), dtype int64
        Near ones of some members.
    size : int
        Members of the group.

    Returns
    -------
    bool
        By estimate; either way gives the same components.

    Examples
    --------
    >>> pivots_pay(np.array([500, 500]), 50_000), pivots_pay(np.array([0, 1000]), 50_000)
    (True, False)
    """
    pivots_per_member = float(np.mean(1 / (1 + n_near)))
    return size * pivots_per_member < PAIR_COST * float(np.mean(n_near))
