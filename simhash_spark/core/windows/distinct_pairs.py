"""A set of pairs that says which of those added are new: a hash table in NumPy.

A near pair is met in many tables. Each has to be reported once, and the memory
must grow with the distinct pairs, not with the meetings. The hash table is
exact: it holds the pairs themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.windows.permutations import mix

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Integers, Words

SMALLEST = 1 << 12
SPREAD = np.uint64(0x9E3779B97F4A7C15)


class DistinctPairs:
    """A growing set of pairs of numbers; at most half of its slots are taken.

    Parameters
    ----------
    n_slots : int
        Slots to begin with, a power of 2.

    Notes
    -----
    32 to 64 bytes per pair. A slot whose two numbers are equal is free: a pair
    has two different ones.

    Examples
    --------
    >>> met = DistinctPairs()
    >>> ones, twos = np.array([1, 1], dtype=np.uint64), np.array([2, 3], dtype=np.uint64)
    >>> met.add(ones, twos).tolist(), met.add(ones[:1], twos[:1]).tolist(), len(met)
    ([True, True], [False], 2)
    """

    def __init__(self, n_slots: int = SMALLEST) -> None:
        self._n_pairs = 0
        self._clear(n_slots)

    def __len__(self) -> int:
        return self._n_pairs

    @property
    def n_bytes(self) -> int:
        """Bytes taken."""
        return self._left.nbytes + self._right.nbytes

    def add(self, left: Words, right: Words) -> Booleans:
        """Add pairs, none of them twice in one call.

        Parameters
        ----------
        left, right : ndarray of shape (n_pairs,), dtype uint64
            Two different numbers per pair; (a, b) is not (b, a).

        Returns
        -------
        ndarray of shape (n_pairs,), dtype bool
            Whether the pair was not there before.
        """
        new = ~self._holds(left, right)
        self._make_room(int(np.count_nonzero(new)))
        self._insert(left[new], right[new])
        return new

    def _make_room(self, n_more: int) -> None:
        n_slots = len(self._left)
        while n_slots < 2 * (self._n_pairs + n_more):
            n_slots *= 2
        self._n_pairs += n_more
        if n_slots > len(self._left):
            taken = np.flatnonzero(self._left != self._right)
            left, right = self._left[taken], self._right[taken]
            self._clear(n_slots)
            self._insert(left, right)

    def _clear(self, n_slots: int) -> None:
        self._left = np.zeros(n_slots, dtype=np.uint64)
        self._right = np.zeros(n_slots, dtype=np.uint64)

    def _holds(self, left: Words, right: Words) -> Booleans:
        """Probe slot after slot, all pairs in step, until each is met or a slot is free."""
        held = np.zeros(len(left), dtype=np.bool_)
        waiting = np.arange(len(left), dtype=np.int64)
        slots = self._slots(left, right)
        while len(waiting):
            there = self._is_at(slots, left[waiting], right[waiting])
            held[waiting[there]] = True
            on = ~there & (self._left[slots] != self._right[slots])
            waiting, slots = waiting[on], self._next(slots[on])
        return held

    def _insert(self, left: Words, right: Words) -> None:
        """Place pairs that are not there, each in the first slot that is free."""
        slots = self._slots(left, right)
        while len(slots):
            free = self._left[slots] == self._right[slots]
            # Several may want one slot; the last written has it, in both arrays alike.
            self._left[slots[free]] = left[free]
            self._right[slots[free]] = right[free]
            on = ~self._is_at(slots, left, right)
            left, right, slots = left[on], right[on], self._next(slots[on])

    def _is_at(self, slots: Integers, left: Words, right: Words) -> Booleans:
        return (self._left[slots] == left) & (self._right[slots] == right)

    def _next(self, slots: Integers) -> Integers:
        return (slots + 1) & (len(self._left) - 1)

    def _slots(self, left: Words, right: Words) -> Integers:
        hashes = mix(left * SPREAD + right)
        return (hashes & np.uint64(len(self._left) - 1)).view(np.int64)
