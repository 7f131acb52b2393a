"""Finding the pairs of a bucket that lie within a Hamming distance, each pair once.

A bucket holds fingerprints that agree on the key of one table. Small groups are
compared in full. Larger ones are cut again by tables of the bits on which their
members still differ, as long as that costs less, to any depth; see ``tables``
for why no pair is missed or found twice.

A cut that separates nothing (a dense neighbourhood) is not taken: those members
are compared in full, since most of their pairs belong to the result anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.comparing import compare_groups
from simhash_spark.core.cuts import SMALL_GROUP, choose_cut, pays
from simhash_spark.core.groups import Groups, choose, look_up, runs, sample_differences, take
from simhash_spark.core.tables import is_first_match, least_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.tables import Table
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
    """

    n_sorted: int = 0
    n_compared: int = 0


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
    effort : Effort
        Is told what was done.
    """

    max_distance: int
    extra_bands: int | None = None
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
            path, once, in some order and in several pieces.

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
        yield from self._search(fingerprints, self._look_up(fingerprints, whole, path[-1]))

    def _search(self, fingerprints: Words, groups: Groups) -> Iterator[Pairs]:
        """Cut large groups as long as that pays, and compare the others in full."""
        for part in runs(groups):
            members = take(fingerprints, part.rows)
            tables = self._tables(members, part)
            cut = self._is_cut(part, tables)
            whole = choose(part, cut)
            if len(whole.rows) < len(part.rows):
                yield from self._compare(fingerprints, choose(part, ~cut))
                members = take(fingerprints, whole.rows)
            for table in tables if len(whole.rows) else ():
                if least_distance((*whole.path, table)) <= self.max_distance:
                    yield from self._search(fingerprints, self._look_up(members, whole, table))

    def _look_up(self, members: Words, groups: Groups, table: Table) -> Groups:
        self.effort.n_sorted += len(groups.rows)
        return look_up(members, groups, table)

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
