"""Groups for a search by sorted windows over more fingerprints than a task can hold.

A pass sends the fingerprints to groups by a few of their bits, and each group
is searched by itself. A near pair falls apart where it differs in one of these
bits; the next pass takes others. Both levels together reach the recall.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.checks import check_range
from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.windows.permutations import bit_order, mix, permute, table_of, turn

if TYPE_CHECKING:
    from simhash_spark.core.typing import Words

LARGEST_WIDTH = 16
_FAMILY = np.array([0xC0A25E], dtype=np.uint64)


def group_keys(fingerprints: Words, *, number: int, width: int, seed: int = 0) -> Words:
    """Say which group of a pass each fingerprint goes to.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
        Fingerprints.
    number : int
        Number of the pass, from 0. Passes 0 to 3, 4 to 7 and so on use disjoint bits
        (of 128 bits, eight at a time).
    width : int
        Bits of a key, from 1 to 16.
    seed : int
        Seed of the whole search; the orders of the bits are others than the search's own.

    Returns
    -------
    ndarray of shape (n_nodes,), dtype uint64
        From 0 to ``2 ** width - 1``.

    Raises
    ------
    ConfigError
        If the width is out of range.

    Examples
    --------
    >>> fingerprints = np.array([[0], [2**64 - 1]], dtype=np.uint64)
    >>> group_keys(fingerprints, number=0, width=3).tolist()
    [0, 7]
    """
    check_range("width", width, 1, LARGEST_WIDTH)
    n_words = fingerprints.shape[1]
    table = table_of(number, n_words=n_words)
    family = int(mix(_FAMILY ^ np.uint64(seed % (1 << WORD_BITS)))[0])
    order = bit_order(table.permutation, bits=WORD_BITS * n_words, seed=family)
    permuted = permute(np.ascontiguousarray(fingerprints.T), order)
    return turn(permuted[table.word], table.turn) >> np.uint64(WORD_BITS - width)


def recall_of_passes(recall: float, *, distance: int, bits: int, width: int, passes: int) -> float:
    """Predict the recall of several passes from that inside a group.

    Parameters
    ----------
    recall : float
        Recall of the search inside a group: ``recall_of(distance, bits=bits - width,
        n=n / 2**width, ...)``, as the bits of the key are the same for all of the group.
    distance, bits : int
        Bits in which two differ, and length of a fingerprint.
    width, passes : int
        Bits of a key, and number of passes.

    Returns
    -------
    float
        1 - (1 - p * recall) ** passes, where p = C(bits - width, distance) / C(bits, distance)
        is the chance that a pair stays together; slightly less than the truth, as
        the keys of passes that follow each other have disjoint bits.

    Examples
    --------
    >>> round(recall_of_passes(0.9, distance=12, bits=64, width=4, passes=8), 3)
    0.979
    """
    together = math.comb(bits - width, distance) / math.comb(bits, distance)
    return float(1 - (1 - together * recall) ** passes)
