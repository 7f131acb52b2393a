"""Pairs of fingerprints, and which of the two is the smaller."""

from __future__ import annotations

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
