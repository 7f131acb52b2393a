"""Finding the pairs of a bucket that lie within a Hamming distance, each pair once.

A bucket holds fingerprints that agree on the key of one table. Small groups are
compared in full. Larger ones are cut again by tables of the bits on which their
members still differ, as long as that costs less, to any depth; see ``tables``
for why no pair is missed or found twice.

A cut that separates nothing (a dense neighbourhood) is not taken: those members
are compared in full, since most of their pairs belong to the result anyway. With a
limit, a bucket of more pairs lists only what holds its components together, and a
dense group too large to be compared in full is connected without that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.dense.crowds import (
    count_near_partners,
    is_crowded,
    pivots_pay,
    sample_near_counts,
)
from simhash_spark.core.dense.pivots import connect_dense
from simhash_spark.core.dense.reducer import PairReducer
from simhash_spark.core.join.comparing import compare_groups
from simhash_spark.core.join.cuts import SMALL_GROUP, choose_cut, pays
from simhash_spark.core.join.groups import (
    Frame,
    Groups,
    ascending,
    choose,
    frame_of,
    look_up,
    one_by_one,
    runs,
    sample_differences,
    take,
)
from simhash_spark.core.join.pairs import Effort, Pairs
from simhash_spark.core.join.tables import is_first_match, least_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.join.tables import Table
    from simhash_spark.core.typing import Booleans, Integers, Words

DENSE_ROWS = 1 << 10
"""Groups of so many rows may be connected without comparing all pairs, where not all are listed."""


@dataclass(frozen=True)
class PairSearch:
    """How to look for pairs.

    Parameters
    ----------
    max_distance : int
        Largest Hamming distance, in bits and inclusive, that must not be missed.
    extra_bands : int, optional
        Bands more than what may differ, at the second level; by default what
        costs least.
    limit : int, optional
        Pairs of a bucket that are listed in full; of one with more a spanning
        forest is. By default all are listed.
    effort : Effort
        Is told what was done.
    """

    max_distance: int
    extra_bands: int | None = None
    limit: int | None = None
    effort: Effort = field(default_factory=Effort)

    def find(self, fingerprints: Words, path: tuple[Table, ...]) -> Iterator[Pairs]:
        """Find all pairs within the maximal distance that belong to a path of tables.

        Parameters
        ----------
        fingerprints : ndarray of shape (n_docs, n_words), dtype uint64
            Distinct fingerprints; those of one bucket are all among them.
        path : tuple of Table
            The last table is still to be looked up in; the fingerprints agree on
            the keys of those before.

        Yields
        ------
        Pairs
            Each pair with 1 <= distance <= ``max_distance`` that belongs to the
            path, once, in some order and in several pieces. Of a bucket with more
            than ``limit`` pairs: some of them, with the same components together
            with the pairs of all other paths. Which ones depends on the bucket's
            set of fingerprints alone.

        Notes
        -----
        Time grows with the rows, the pairs inside small groups, and the pairs in
        dense neighbourhoods. Memory grows with the rows, not with the pairs.
        """
        if len(fingerprints) < 2:
            return
        fingerprints = np.asfortranarray(fingerprints)
        rows = np.arange(len(fingerprints), dtype=np.int64)
        whole = Groups(rows, np.array([len(rows)], dtype=np.int64), path[:-1])
        buckets = self._look_up(fingerprints, whole, path[-1], frame_of(whole))
        n_most = int(np.max(buckets.sizes * (buckets.sizes - 1) // 2, initial=0))
        if self.limit is None or n_most <= self.limit:
            yield from self._search(fingerprints, buckets)
            return
        if buckets.sizes.max() < DENSE_ROWS:
            early, is_all = _up_to(self.limit, self._search(fingerprints, buckets))
            if is_all:
                yield from early
                return
        order = ascending(fingerprints)  # what is left out must not depend on the order of rows
        buckets = look_up(take(fingerprints, order), whole, path[-1], frame_of(whole))
        rows = order[buckets.rows]
        members = take(fingerprints, rows)
        buckets = buckets._replace(rows=np.arange(len(rows), dtype=np.int64))
        crowded = self._is_crowded(members, buckets.sizes)
        n_crowded = int(np.count_nonzero(crowded))
        for at, part in enumerate(one_by_one(buckets, crowded)):
            for left, right, distances in self._limited(members, part, is_alone=at < n_crowded):
                yield Pairs(rows[left], rows[right], distances)

    def _is_crowded(self, members: Words, sizes: Integers) -> Booleans:
        """Tell in which large buckets a row has so many near ones that connecting costs less."""
        near = count_near_partners(members, sizes, self.max_distance)
        return (sizes >= DENSE_ROWS) & is_crowded(near, sizes)

    def _limited(self, members: Words, buckets: Groups, *, is_alone: bool) -> Iterator[Pairs]:
        """Search buckets of which some may have too many pairs."""
        assert self.limit is not None  # noqa: S101 - else there is nothing to leave out
        members = take(members, buckets.rows)
        rows = np.arange(len(members), dtype=np.int64)
        numbers = np.repeat(np.arange(len(buckets.sizes), dtype=np.int64), buckets.sizes)
        reducer = PairReducer(numbers, limit=self.limit)
        found = self._search(members, buckets._replace(rows=rows), may_connect=is_alone)
        for pairs in reducer.reduce(found):
            yield Pairs(buckets.rows[pairs.left], buckets.rows[pairs.right], pairs.distances)
        self.effort.n_unlisted += reducer.n_unlisted

    def _search(
        self, fingerprints: Words, groups: Groups, *, may_connect: bool = False
    ) -> Iterator[Pairs]:
        """Cut large groups as long as that pays, and compare the others in full."""
        for part in runs(groups):
            members = take(fingerprints, part.rows)
            if may_connect and len(part.sizes) == 1 and self._is_dense(members):
                yield self._connect(members, part)
                continue
            tables = self._tables(members, part)
            cut = self._is_cut(part, tables)
            whole = choose(part, cut)
            if len(whole.rows) < len(part.rows):
                yield from self._compare(fingerprints, choose(part, ~cut))
                members = take(fingerprints, whole.rows)
            if not len(whole.rows):
                continue
            frame = frame_of(whole)
            for table in tables:
                if least_distance((*whole.path, table)) <= self.max_distance:
                    below = self._look_up(members, whole, table, frame)
                    yield from self._search(fingerprints, below, may_connect=may_connect)

    def _look_up(self, members: Words, groups: Groups, table: Table, frame: Frame) -> Groups:
        self.effort.n_sorted += len(groups.rows)
        return look_up(members, groups, table, frame)

    def _tables(self, members: Words, groups: Groups) -> tuple[Table, ...]:
        if not self._is_fixed(groups) and groups.sizes.max() <= SMALL_GROUP:
            return ()
        differences = sample_differences(members, groups.sizes)
        return choose_cut(
            groups.path,
            groups.sizes,
            differences,
            max_distance=self.max_distance,
            extra_bands=self.extra_bands if self._is_fixed(groups) else None,
        )

    def _is_fixed(self, groups: Groups) -> bool:
        return self.extra_bands is not None and len(groups.path) == 1

    def _is_cut(self, groups: Groups, tables: tuple[Table, ...]) -> Booleans:
        if self._is_fixed(groups) or not tables:
            return np.full(len(groups.sizes), bool(tables), dtype=np.bool_)
        return pays(groups.sizes, len(tables))

    def _compare(self, fingerprints: Words, groups: Groups) -> Iterator[Pairs]:
        self.effort.n_compared += int((groups.sizes * (groups.sizes - 1) // 2).sum())
        members = take(fingerprints, groups.rows)
        for near in compare_groups(members, groups.sizes, self.max_distance):
            first = is_first_match(near.differences, groups.path)
            left, right = groups.rows[near.left[first]], groups.rows[near.right[first]]
            yield Pairs(left, right, near.distances[first])

    def _is_dense(self, members: Words) -> bool:
        if len(members) < DENSE_ROWS:
            return False
        return pivots_pay(sample_near_counts(members, self.max_distance), len(members))

    def _connect(self, members: Words, groups: Groups) -> Pairs:
        """Connect a dense group without comparing all its pairs.

        Pairs of other paths are left to them: there their ends are connected too,
        and paths are ordered, so in the end all are.
        """
        edges, n_near, n_not_compared = connect_dense(members, max_distance=self.max_distance)
        first = is_first_match(members[edges.left] ^ members[edges.right], groups.path)
        self.effort.n_compared += len(members) * (len(members) - 1) // 2 - n_not_compared
        self.effort.n_not_compared += n_not_compared + n_near - len(edges.left)
        left, right = np.sort([edges.left[first], edges.right[first]], axis=0)
        return Pairs(groups.rows[left], groups.rows[right], edges.distances[first].astype(np.uint8))


def _up_to(limit: int, found: Iterator[Pairs]) -> tuple[list[Pairs], bool]:
    """Take pairs until there are more than so many; say whether these are all."""
    taken: list[Pairs] = []
    n_taken = 0
    for pairs in found:
        taken.append(pairs)
        n_taken += len(pairs.left)
        if n_taken > limit:
            return taken, False
    return taken, True
