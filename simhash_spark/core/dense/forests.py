"""The minimum spanning forest of pairs that come in pieces and are too many to hold.

The order of the pairs is (distance, left, right). No two pairs are equal in it, so
the forest is unique: it depends on the set of pairs alone, not on the order in
which they come or on how they are cut into pieces. It has the same components as
all pairs, at every distance up to the largest.

Why a pair may be dropped for good as soon as it comes: if its ends are already
connected by pairs before it in the order, it is the last of a cycle, and the last
of a cycle is in no minimum spanning forest (cycle property, or red rule). So
dropping it changes nothing, MSF(MSF(A) + B) = MSF(A + B), and no more is held than
the forest of the past and one batch of pairs.

Source: Tarjan, "Data Structures and Network Algorithms" (1983), chapter 6; the
order is that of Kruskal, "On the shortest spanning subtree of a graph" (1956).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.clusters import spanning_forest
from simhash_spark.core.join.pairs import Pairs

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Places, Words

NODE_BITS = 28
_NODE = np.uint64((1 << NODE_BITS) - 1)
_LEFT = np.uint64(NODE_BITS)
_DISTANCE = np.uint64(2 * NODE_BITS)

PAIRS_AT_ONCE = 1 << 16
"""Words looked at together: half a megabyte, which stays in the cache of a core."""


def pack_pairs(pairs: Pairs) -> Words:
    """Put each pair into one word, so that the words are in the order of the pairs.

    Parameters
    ----------
    pairs : Pairs
        Nodes below 2^28, distances below 256.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype uint64
        Distance, left, right, from the highest bit to the lowest.

    Examples
    --------
    >>> packed = pack_pairs(Pairs(np.array([2, 5]), np.array([4, 6]), np.array([3, 1])))
    >>> [hex(word) for word in packed.tolist()]
    ['0x300000020000004', '0x100000050000006']
    >>> unpack_pairs(packed).left
    array([2, 5])
    """
    packed = pairs.distances.astype(np.uint64) << _DISTANCE
    packed |= pairs.left.astype(np.uint64) << _LEFT
    packed |= pairs.right.astype(np.uint64)
    return packed


def unpack_pairs(packed: Words) -> Pairs:
    """Take packed pairs apart.

    Parameters
    ----------
    packed : ndarray of shape (n_pairs,), dtype uint64
        As ``pack_pairs`` gives them.

    Returns
    -------
    Pairs
        The same pairs, in the same order.
    """
    return Pairs(left_of(packed), _right_of(packed), (packed >> _DISTANCE).view(np.int64))


def left_of(packed: Words) -> Integers:
    """Read the left node of packed pairs.

    Parameters
    ----------
    packed : ndarray of shape (n_pairs,), dtype uint64
        As ``pack_pairs`` gives them.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype int64
        The left nodes.
    """
    return (packed >> _LEFT & _NODE).view(np.int64)


def _right_of(packed: Words) -> Integers:
    return (packed & _NODE).view(np.int64)


class PackedBatch:
    """Packed pairs put together from parts; ``size`` says how many there are."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[Words] = []

    def append(self, packed: Words) -> None:
        """Add some."""
        self.size += len(packed)
        self._parts.append(packed)

    def take(self) -> Words:
        """Give all of them, and forget them."""
        taken = np.concatenate([np.empty(0, dtype=np.uint64), *self._parts])
        self.size, self._parts = 0, []
        return taken


class _Mark(NamedTuple):
    """The components of the forest's edges up to and including the edge ``last``."""

    last: np.uint64
    components: Places


class MinimumForest:
    """The minimum spanning forest of the pairs added so far.

    Parameters
    ----------
    n_nodes : int
        Nodes are numbered from 0; at most 2^28.

    Notes
    -----
    Holds 8 bytes for each edge of the forest and up to max(2^16, 2 * n_nodes) open
    pairs, 4 bytes per node for each of a few marks (one per distance that the forest
    has, and five), and about ten times that while it merges. A pair costs about
    10 ns once the nodes are connected, for it is looked up in the components of the
    edges before it, those of its own distance included; until then about 100 ns.

    Examples
    --------
    >>> forest = MinimumForest(n_nodes=3)
    >>> forest.add(pack_pairs(Pairs(np.array([0, 0]), np.array([1, 2]), np.array([3, 1]))))
    >>> forest.add(pack_pairs(Pairs(np.array([1]), np.array([2]), np.array([2]))))
    >>> unpack_pairs(forest.edges())
    Pairs(left=array([0, 1]), right=array([2, 2]), distances=array([1, 2]))
    """

    def __init__(self, n_nodes: int) -> None:
        self._n_nodes = n_nodes
        self._edges = np.empty(0, dtype=np.uint64)
        self._marks: list[_Mark] = []
        self._open = PackedBatch()

    @property
    def n_held(self) -> int:
        """Edges of the forest, and pairs that may get into it."""
        return len(self._edges) + self._open.size

    def add(self, packed: Words) -> None:
        """Take pairs in, best some ten thousand at a time.

        Parameters
        ----------
        packed : ndarray of shape (n_pairs,), dtype uint64
            As ``pack_pairs`` gives them; each pair once in all calls.
        """
        for mark in reversed(self._marks):
            if not len(packed):
                break
            is_later = packed > mark.last
            later, packed = packed[is_later], packed[~is_later]
            # What is not connected here is not connected by fewer edges either.
            is_new = mark.components[left_of(later)] != mark.components[_right_of(later)]
            self._open.append(later[is_new])
        self._open.append(packed)
        if self._open.size > max(PAIRS_AT_ONCE, 2 * self._n_nodes):
            self._merge()

    def edges(self) -> Words:
        """Give the forest of all pairs added.

        Returns
        -------
        ndarray of shape (n_edges,), dtype uint64
            Packed pairs, ascending.
        """
        if self._open.size:
            self._merge()
        return self._edges

    def _merge(self) -> None:
        packed = np.sort(np.concatenate([self._edges, self._open.take()]))
        ends = left_of(packed), _right_of(packed)
        self._edges = packed[spanning_forest(*ends, n_nodes=self._n_nodes).edges]
        self._marks = _marks(self._edges, self._n_nodes)


def _marks(edges: Words, n_nodes: int) -> list[_Mark]:
    """Mark the last edge of each distance, and some where little is left to connect."""
    distances = edges >> _DISTANCE
    turns = np.flatnonzero(distances[1:] != distances[:-1]) + 1
    late = len(edges) - (len(edges) >> np.arange(1, 6))
    components = np.arange(n_nodes, dtype=np.int64)
    marks = []
    for start, end in pairwise(np.unique(np.concatenate([[0], turns, late, [len(edges)]]))):
        part = edges[start:end]
        ends = components[left_of(part)], components[_right_of(part)]
        components = _joined(*ends, n_nodes=n_nodes)[components]
        marks.append(_Mark(part[-1], components.astype(np.int32)))
    return marks


def _joined(left: Integers, right: Integers, *, n_nodes: int) -> Integers:
    """Give each node the smallest of its component; few edges cost little, whatever the nodes."""
    is_end = np.zeros(n_nodes, dtype=np.bool_)
    is_end[left] = is_end[right] = True
    ends = np.flatnonzero(is_end)
    joined = np.arange(n_nodes, dtype=np.int64)
    numbers = np.empty(n_nodes, dtype=np.int64)
    numbers[ends] = joined[: len(ends)]
    forest = spanning_forest(numbers[left], numbers[right], n_nodes=len(ends))
    joined[ends] = ends[forest.components]
    return joined
