"""Pairs of fingerprints, which of the two is the smaller, and what it took to find them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Bytes, Integers, Words


class Pairs(NamedTuple):
    """Some pairs of fingerprints.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs,), dtype int64
        Positions in the fingerprints given.
    distances : ndarray of shape (n_pairs,), dtype uint8
        Hamming distance, from 1.
    """

    left: Integers
    right: Integers
    distances: Bytes


@dataclass
class Effort:
    """What a search has done so far.

    Parameters
    ----------
    n_sorted : int
        Rows sorted, each counted once per table.
    n_compared : int
        Pairs whose distance was computed.
    n_unlisted : int
        Pairs found, and left out of dense buckets.
    n_not_compared : int
        Pairs of dense groups whose distance was not computed, or which were left
        out there.
    """

    n_sorted: int = 0
    n_compared: int = 0
    n_unlisted: int = 0
    n_not_compared: int = 0


def is_less(left: Words, right: Words) -> Booleans:
    """Compare fingerprints as unsigned numbers, the highest word first.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs, n_words), dtype uint64
        Row i of one is compared with row i of the other.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype bool
        Whether the left one is smaller.

    Examples
    --------
    >>> is_less(np.array([[9, 1]], dtype=np.uint64), np.array([[3, 2]], dtype=np.uint64))
    array([ True])
    """
    less = np.zeros(len(left), dtype=np.bool_)
    for word in range(left.shape[1]):
        less = (left[:, word] < right[:, word]) | ((left[:, word] == right[:, word]) & less)
    return less
