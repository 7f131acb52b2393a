"""How much work a search will be: it is followed level by level, in expectation.

Buckets of the first level are measured on a sample: those of keys that stand out
in it by themselves, the others as if by chance, with as many pairs as the sample
has. Below, groups are cut as ``search`` would cut them, and sizes follow from how
often pairs of the sample agree on each key. Nothing here decides what is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.dense.crowds import is_crowded
from simhash_spark.core.join.bands import cut_bits, differs
from simhash_spark.core.join.comparing import LARGE_GROUP
from simhash_spark.core.join.cuts import (
    ROW_NANOSECONDS,
    SMALL_GROUP,
    agreement_of,
    cheapest_cut,
    deal_bits,
    information_of,
    pair_nanoseconds,
    pays,
)
from simhash_spark.core.join.groups import RUN
from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.join.search import DENSE_ROWS
from simhash_spark.core.join.tables import Table, choose_bands, least_distance
from simhash_spark.core.plan.bucket_sizes import SEEN, Buckets, Sizes, spread_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.plan.plans import Needs
    from simhash_spark.core.typing import Floats, Words

SORTED_NANOSECONDS = 35.0
"""A row in a table, with what is gathered for it, in tasks of Spark on a busy machine (measured 23
to 53; outside of Spark 14 to 20)."""

GROUPED_NANOSECONDS = 15.0
"""A row of a group that is compared in full, beside its pairs (outside of Spark 8 to 12)."""

SMALL_NANOSECONDS = {64: 7.0, 128: 24.0}
"""A pair of a small group, by bits of a fingerprint (outside of Spark 4.2 to 5.6 and 15 to 17)."""

LARGE_NANOSECONDS = {64: 2.0, 128: 3.0}
"""A pair of a large group (outside of Spark 1.0 to 2.4 and 1.6 to 3.7)."""

PIVOT_PAIRS = 64
"""Pairs compared for each row of a dense group that is connected by pivots."""

MOST_FOLLOWED = 4
"""Tables of a cut that are followed; the others are taken to be like them."""


class Work(NamedTuple):
    """What is done, and how long one core takes.

    Parameters
    ----------
    sorted_rows, compared_pairs, nanoseconds : float
        All expected.
    """

    sorted_rows: float = 0.0
    compared_pairs: float = 0.0
    nanoseconds: float = 0.0

    def plus(self, other: Work, times: float = 1.0) -> Work:
        """Add other work, so many times.

        >>> Work(1.0).plus(Work(2.0, 3.0), 2.0)
        Work(sorted_rows=5.0, compared_pairs=6.0, nanoseconds=0.0)
        """
        return Work(*(own + times * its for own, its in zip(self, other, strict=True)))


def expect_work(path: tuple[Table, ...], buckets: Buckets, needs: Needs, extra: int | None) -> Work:
    """Follow the search of some buckets.

    Parameters
    ----------
    path : tuple of Table
        Tables that made the buckets.
    buckets : Buckets
        What is in them.
    needs : Needs
        The search.
    extra : int or None
        Bands more than what may differ, at the second level; None: the cheapest.

    Returns
    -------
    Work
        Without the sorting that made the buckets.
    """
    groups = spread_sizes(buckets.n_rows, buckets.size)
    if not groups.n_rows:
        return Work()
    fixed = extra if len(path) == 1 else None
    tables = _cut(path, groups, buckets.differences, needs, fixed)
    cut = np.full(len(groups.sizes), bool(tables))
    if tables and fixed is None:
        cut = pays(groups.sizes.astype(np.int64), len(tables))
    work = _compare(groups.choose(~cut), buckets.differences, needs)
    large = groups.choose(cut)
    live = [t for t in tables if least_distance((*path, t)) <= needs.max_distance]
    if not large.n_rows or not live:
        return work
    n_sorted = large.n_rows * len(live)
    work = work.plus(Work(n_sorted, 0.0, n_sorted * SORTED_NANOSECONDS))
    size = float((large.sizes * (large.sizes - 1) * large.counts).sum()) / large.n_rows
    whole = Buckets(large.n_rows, size, buckets.differences)
    followed = _some(live)
    for table in followed:
        below = expect_work((*path, table), _below(table, whole, needs), needs, extra)
        work = work.plus(below, len(live) / len(followed))
    return work


def _some(tables: Sequence[Table]) -> list[Table]:
    n_followed = min(len(tables), MOST_FOLLOWED)
    return [tables[(2 * at + 1) * len(tables) // (2 * n_followed)] for at in range(n_followed)]


def _information(differences: Words, bits: int) -> Floats:
    if not len(differences):
        return np.ones(bits)
    return information_of(agreement_of(differences))


def _below(table: Table, groups: Buckets, needs: Needs) -> Buckets:
    """Estimate how many of the others agree on a table, and keep pairs that do."""
    differences = groups.differences
    places = [at for at in range(needs.bits) if table.key.mask >> at & 1]
    share = 2.0 ** -float(_information(differences, needs.bits)[places].sum())
    agreeing = differences[~differs(differences, table.key)]
    if len(agreeing) >= SEEN:  # bits go together in real fingerprints
        share = max(share, len(agreeing) / len(differences))
    kept = agreeing if len(agreeing) >= SEEN**2 else differences
    return Buckets(groups.n_rows, groups.size * share, kept)


def _cut(
    path: tuple[Table, ...], groups: Sizes, differences: Words, needs: Needs, extra: int | None
) -> tuple[Table, ...]:
    """Choose tables as ``cuts.choose_cut`` does for groups that are there."""
    sizes, counts = groups
    n_rows, n_pairs = groups.n_rows, float((sizes**2 * counts).sum()) / 2
    in_large = groups.choose(sizes > SMALL_GROUP).n_rows
    if extra is None and in_large < SMALL_GROUP * max(n_rows / RUN, 0.5):
        return ()
    information = _information(differences, needs.bits)
    in_full = float((counts * pair_nanoseconds(sizes)).sum())
    best = cheapest_cut(
        path, n_rows, n_pairs, information, max_distance=needs.max_distance, extra_bands=extra
    )
    if best is None or (extra is None and best.nanoseconds >= in_full):
        return ()
    positions = deal_bits(best.region, 2.0**-information, best.n_bands)
    tables = choose_bands(cut_bits(positions, best.n_bands), best.region.budget)
    if extra is None and len(differences):
        rate = sum(1 - float(differs(differences, table.key).mean()) for table in tables)
        if len(tables) * n_rows * ROW_NANOSECONDS + rate * in_full >= in_full:
            return ()
    return tables


def _compare(groups: Sizes, differences: Words, needs: Needs) -> Work:
    """Compare groups in full, or connect them by pivots where they are dense."""
    sizes, counts = groups
    pairs = sizes * (sizes - 1) / 2
    if needs.bucket_pairs is not None and len(differences):
        near = float((popcounts(differences) <= needs.max_distance).mean())
        dense = (sizes >= DENSE_ROWS) & is_crowded(near * sizes, sizes.astype(np.int64))
        pairs = np.where(dense, np.minimum(pairs, PIVOT_PAIRS * sizes), pairs)
    is_large = sizes >= LARGE_GROUP
    each = np.where(is_large, LARGE_NANOSECONDS[needs.bits], SMALL_NANOSECONDS[needs.bits])
    nanoseconds = counts * (pairs * each + sizes * GROUPED_NANOSECONDS)
    return Work(0.0, float((counts * pairs).sum()), float(nanoseconds.sum()))
