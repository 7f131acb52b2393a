"""Connecting a dense group of fingerprints without comparing all its pairs.

A million fingerprints in one neighbourhood have 5e11 pairs, more than can be
compared. Their components are found all the same, exactly:

1. *Balls.* The smallest fingerprint that lies in no ball yet becomes a pivot; it
   is compared with all others, and those within the maximal distance k are
   connected to it. What was in no ball becomes its ball, of radius at most k.
   Where it meets balls of before, the two are one component. When every
   fingerprint is in a ball, the pivots have seen everyone.
2. *Gaps.* What remains are pairs of two fingerprints that are both no pivots, in
   two components. For x in a ball of radius r around p, and y within k of x, the
   triangle inequality gives d(y, p) <= r + k. Each ball is compared in full with
   the fingerprints that this leaves, of other components and of balls whose turn
   has not come, until they are of the same component.

So every pair has been compared, or is ruled out by the triangle inequality, or
lies in one component anyway. A truly dense group has few pivots, for they are
more than k from each other, and one component after the first step.

Source: balls around pivots far from each other are the canopies of McCallum,
Nigam and Ungar, "Efficient clustering of high-dimensional data sets" (KDD 2000),
with one threshold, and made exact by the second step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.join.pairs import Pairs

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Integers, Words

PAIRS_AT_ONCE = 1 << 17
"""Pairs of two balls compared together."""


class Connection(NamedTuple):
    """What holds a group together.

    Parameters
    ----------
    edges : Pairs
        A spanning forest of the pairs within the maximal distance.
    n_near : int
        Pairs seen within the maximal distance, edges included.
    n_not_compared : int
        Pairs never looked at. Of the pairs within the maximal distance, at least
        ``n_near`` - ``len(edges.left)`` are left out, at most that many more.
    """

    edges: Pairs
    n_near: int
    n_not_compared: int


def connect_dense(fingerprints: Words, *, max_distance: int) -> Connection:
    """Find a spanning forest of all pairs within the maximal distance.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_rows, n_words), dtype uint64
        Distinct fingerprints, in any order.
    max_distance : int
        Largest Hamming distance of a pair, inclusive.

    Returns
    -------
    Connection
        The forest depends on the set of fingerprints alone, and has exactly the
        components of all pairs within ``max_distance``. It is a spanning forest,
        not the minimum one.

    Notes
    -----
    Time: 3 ns for each pivot and row, then for each pair of two balls compared.
    That is little where pivots are few; where most fingerprints are more than
    ``max_distance`` from all others, it is no better than comparing all pairs.
    Memory grows with the rows.

    Examples
    --------
    >>> chain = np.array([[0b0000], [0b0001], [0b0011], [0b110000]], dtype=np.uint64)
    >>> connection = connect_dense(chain, max_distance=1)
    >>> connection.edges
    Pairs(left=array([0, 1]), right=array([1, 2]), distances=array([1, 1], dtype=uint8))
    >>> connection.n_near, connection.n_not_compared
    (2, 0)
    """
    order = np.lexsort(tuple(fingerprints.T))
    search = _Search(fingerprints[order], max_distance)
    search.cover()
    search.close_gaps()
    n_rows = len(order)
    ends = np.concatenate([np.empty((2, 0), dtype=np.int64), *search.edges], axis=1)
    left, right = order[ends.min(axis=0)], order[ends.max(axis=0)]
    return Connection(
        Pairs(left, right, popcounts(fingerprints[left] ^ fingerprints[right])),
        search.n_near,
        n_rows * (n_rows - 1) // 2 - search.n_compared,
    )


class _Search:
    """Rows are in ascending order of fingerprint; balls are numbered as they are made."""

    def __init__(self, fingerprints: Words, max_distance: int) -> None:
        n_rows = len(fingerprints)
        self.fingerprints, self.max_distance = fingerprints, max_distance
        self.edges: list[Integers] = []
        self.n_near = self.n_compared = 0
        self.ball_of_row = np.full(n_rows, -1, dtype=np.int64)
        # Of each ball; there may be one for each row.
        self.pivots = np.empty(n_rows, dtype=np.int64)
        self.radii = np.empty(n_rows, dtype=np.int64)
        self.components = np.arange(n_rows, dtype=np.int64)

    def cover(self) -> None:
        """Make balls until every row is in one."""
        ball, free = 0, np.arange(len(self.fingerprints), dtype=np.int64)
        while len(free):
            self._make_ball(ball, free[0])
            ball += 1
            free = free[self.ball_of_row[free] < 0]
        self.pivots, self.radii = self.pivots[:ball], self.radii[:ball]
        self.components = self.components[:ball]

    def _make_ball(self, ball: int, pivot: int) -> None:
        distances = popcounts(self.fingerprints ^ self.fingerprints[pivot])
        near = np.flatnonzero(distances <= self.max_distance)
        self.n_near += len(near) - 1
        self.n_compared += len(distances) - 1 - ball  # earlier pivots have compared this one
        is_free = self.ball_of_row[near] < 0
        members, met = near[is_free], near[~is_free]
        self.ball_of_row[members] = ball
        self.pivots[ball], self.radii[ball] = pivot, distances[members].max()
        members = members[members != pivot]
        self.edges.append(np.stack([np.full_like(members, pivot), members]))
        self._join(ball, np.full_like(met, pivot), met)

    def close_gaps(self) -> None:
        """Compare balls of two components, those of small components first."""
        n_balls = len(self.pivots)
        n_rows = np.bincount(self.components[self.ball_of_row], minlength=n_balls)
        rows = np.argsort(self.ball_of_row, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(self.ball_of_row, minlength=n_balls)))
        rows_of = _Grouped(rows, starts)
        is_open = np.ones(n_balls, dtype=np.bool_)
        for ball in np.lexsort((self.components, n_rows[self.components])).tolist():
            is_open[ball] = False
            is_apart = is_open & (self.components != self.components[ball])
            members = rows_of(np.array([ball]))
            members = members[members != self.pivots[ball]]
            if len(members) and is_apart.any():
                self._compare(ball, members, self._within_reach(ball, is_apart, rows_of))

    def _within_reach(self, ball: int, is_apart: Booleans, rows_of: _Grouped) -> Integers:
        """Give the rows, no pivots, that may be near a member of the ball."""
        reach = self.radii[ball] + self.max_distance
        pivot = self.fingerprints[self.pivots[ball]]
        balls = np.flatnonzero(is_apart)
        distances = popcounts(self.fingerprints[self.pivots[balls]] ^ pivot)
        rows = rows_of(balls[distances <= reach + self.radii[balls]])
        rows = rows[self.pivots[self.ball_of_row[rows]] != rows]
        return rows[popcounts(self.fingerprints[rows] ^ pivot) <= reach]

    def _compare(self, ball: int, members: Integers, others: Integers) -> None:
        """Compare members with others, leaving out others as they get connected."""
        start = 0
        while start < len(members) and len(others):
            some = members[start : start + max(1, PAIRS_AT_ONCE // len(others))]
            start += len(some)
            difference = self.fingerprints[some][:, np.newaxis] ^ self.fingerprints[others]
            distances = popcounts(difference.reshape(-1, difference.shape[2]))
            near = np.flatnonzero(distances <= self.max_distance)
            self.n_compared += len(distances)
            self.n_near += len(near)
            if len(near):
                self._join(ball, some[near // len(others)], others[near % len(others)])
                is_apart = self.components[self.ball_of_row[others]] != self.components[ball]
                others = others[is_apart]

    def _join(self, ball: int, ours: Integers, theirs: Integers) -> None:
        """Connect a ball with the components of near rows, by one edge each."""
        joined, firsts = np.unique(self.components[self.ball_of_row[theirs]], return_index=True)
        self.edges.append(np.stack([ours[firsts], theirs[firsts]]))
        is_joined = np.zeros(len(self.components), dtype=np.bool_)
        is_joined[joined] = is_joined[self.components[ball]] = True
        self.components[is_joined[self.components]] = np.flatnonzero(is_joined)[0]


class _Grouped(NamedTuple):
    """Rows ordered by ball, and where the rows of each ball start."""

    rows: Integers
    starts: Integers

    def __call__(self, balls: Integers) -> Integers:
        """Give the rows of some balls."""
        starts = self.starts[balls]
        sizes = self.starts[balls + 1] - starts
        return self.rows[
            np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        ]
