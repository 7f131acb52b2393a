"""Dense buckets: of too many pairs a spanning forest is kept, and the rest counted.

Where thousands of fingerprints lie close together, the pairs of a bucket grow
with the square of its rows, and clustering needs only what connects them. A
bucket of at most ``limit`` pairs gives them all; one with more gives its minimum
spanning forest (``forests``), which depends on its set of pairs alone and has the
same components, and the number of pairs left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.dense import forests
from simhash_spark.core.dense.forests import (
    MinimumForest,
    PackedBatch,
    left_of,
    pack_pairs,
    unpack_pairs,
)
from simhash_spark.core.join.pairs import Pairs
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simhash_spark.core.typing import Booleans, Integers, Words


class PairReducer:
    """All pairs of the buckets of one piece, except of those that have too many.

    Parameters
    ----------
    buckets : ndarray of shape (n_rows,), dtype int64
        Sorted; rows with equal values are of one bucket. Inside a bucket the
        rows must be in ascending order of fingerprint, or what is kept depends
        on the order of the rows (the components never do).
    limit : int
        Pairs of a bucket that are still listed in full, inclusive; from 0.

    Attributes
    ----------
    n_unlisted : int
        Pairs left out; exact when ``reduce`` or ``finish`` has ended, 0 before.

    Raises
    ------
    ConfigError
        If more than 2^28 rows lie in buckets that could exceed the limit.

    Notes
    -----
    A bucket of m rows with m * (m - 1) / 2 <= limit cannot exceed the limit: its
    pairs are passed on at once, and a piece of such buckets costs nothing. Of the
    others, 8 bytes for each of the first ``limit`` pairs are held, and the forest.

    Examples
    --------
    >>> reducer = PairReducer(np.array([0, 0, 0, 1, 1]), limit=2)
    >>> triangle = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([3, 1, 1]))
    >>> couple = Pairs(np.array([3]), np.array([4]), np.array([2]))
    >>> reduced = reducer.reduce([triangle, couple])
    >>> [(pairs.left.tolist(), pairs.right.tolist()) for pairs in reduced]
    [([3], [4]), ([0, 1], [2, 2])]
    >>> reducer.n_unlisted
    1
    """

    def __init__(self, buckets: Integers, *, limit: int) -> None:
        self.n_unlisted = 0
        self._limit = limit
        self._rows, self._bucket_of_node = _rows_of_large_buckets(buckets, limit)
        if len(self._rows) > 1 << forests.NODE_BITS:
            message = (
                f"{len(self._rows)} fingerprints of one piece are in large buckets, at most "
                f"{1 << forests.NODE_BITS} can be: use more partitions."
            )
            raise ConfigError(message)
        self._node_of_row = np.full(len(buckets) if len(self._rows) else 0, -1, dtype=np.int64)
        self._node_of_row[self._rows] = np.arange(len(self._rows), dtype=np.int64)
        self._n_pairs = np.zeros(self._bucket_of_node.max(initial=-1) + 1, dtype=np.int64)
        self._n_taken = 0
        self._arrived = PackedBatch()
        self._below: list[Words] = []  # pairs of buckets that had not exceeded the limit
        self._forest = MinimumForest(len(self._rows))

    @property
    def n_held(self) -> int:
        """Pairs in memory now."""
        return self._arrived.size + sum(map(len, self._below)) + self._forest.n_held

    def reduce(self, found: Iterable[Pairs]) -> Iterator[Pairs]:
        """Pass on what is found, except for what is left out.

        Parameters
        ----------
        found : iterable of Pairs
            All pairs of the piece, in any order; as in ``add``.

        Yields
        ------
        Pairs
            Every pair of the buckets within the limit, and the minimum spanning
            forest of the others; ``n_unlisted`` is set after the last.
        """
        for pairs in found:
            if len((passed := self.add(pairs)).left):
                yield passed
        yield from self.finish()

    def add(self, pairs: Pairs) -> Pairs:
        """Take pairs in; give back those that can be passed on at once.

        Parameters
        ----------
        pairs : Pairs
            Rows of the piece, both of one bucket, the left one smaller; each
            pair once in all calls.

        Returns
        -------
        Pairs
            Those of buckets that are too small to exceed the limit.
        """
        if not len(self._rows):
            return pairs
        nodes = Pairs(
            self._node_of_row[pairs.left], self._node_of_row[pairs.right], pairs.distances
        )
        is_small = nodes.left < 0
        if not is_small.any():
            self._arrived.append(pack_pairs(nodes))
        elif not is_small.all():
            self._arrived.append(pack_pairs(_only(nodes, ~is_small)))
        if self._arrived.size >= forests.PAIRS_AT_ONCE:
            self._sort_out()
        return pairs if is_small.all() else _only(pairs, is_small)

    def finish(self) -> Iterator[Pairs]:
        """Give the pairs held back, and set ``n_unlisted``.

        Yields
        ------
        Pairs
            Those of the buckets within the limit that were not passed on, then
            the forest of the others.
        """
        self._sort_out()
        n_listed = 0
        for packed in self._below:
            has_exceeded = self._has_exceeded(packed)
            self._forest.add(packed[has_exceeded])
            if len(listed := packed[~has_exceeded]):
                n_listed += len(listed)
                yield self._pairs(listed)
        edges = self._forest.edges()
        self.n_unlisted = self._n_taken - n_listed - len(edges)
        if len(edges):
            yield self._pairs(edges)

    def _sort_out(self) -> None:
        """Count what has arrived; put it to the forest where its bucket exceeds the limit."""
        arrived = self._arrived.take()
        self._n_taken += len(arrived)
        for start in range(0, len(arrived), forests.PAIRS_AT_ONCE):
            packed = arrived[start : start + forests.PAIRS_AT_ONCE]
            if (self._n_pairs > self._limit).all():
                self._forest.add(packed)
                continue
            buckets = self._bucket_of_node[left_of(packed)]
            self._n_pairs += np.bincount(buckets, minlength=len(self._n_pairs))
            has_exceeded = self._has_exceeded(packed)
            self._forest.add(packed[has_exceeded])
            self._below.append(packed[~has_exceeded])

    def _has_exceeded(self, packed: Words) -> Booleans:
        return (self._n_pairs > self._limit)[self._bucket_of_node[left_of(packed)]]

    def _pairs(self, packed: Words) -> Pairs:
        left, right, distances = unpack_pairs(packed)
        return Pairs(self._rows[left], self._rows[right], distances)


def _rows_of_large_buckets(buckets: Integers, limit: int) -> tuple[Integers, Integers]:
    """Give the rows whose bucket could exceed the limit, and number those buckets."""
    starts = np.flatnonzero(np.append(True, buckets[1:] != buckets[:-1])[: len(buckets)])
    sizes = np.diff(np.append(starts, len(buckets)))
    is_large = sizes * (sizes - 1) // 2 > limit
    rows = np.flatnonzero(np.repeat(is_large, sizes))
    return rows, np.repeat(np.arange(np.count_nonzero(is_large)), sizes[is_large])


def _only(pairs: Pairs, chosen: Booleans) -> Pairs:
    return Pairs(pairs.left[chosen], pairs.right[chosen], pairs.distances[chosen])
