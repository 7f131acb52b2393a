"""Which bits a group is cut by next: the choice that costs least by estimate.

The estimate is made of what a row of a table costs, what a comparison costs, and
how often two members of a group agree on a bit, measured on some of them. A
wrong estimate costs time, never a pair.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import cut_bits, differs
from simhash_spark.core.join.comparing import LARGE_GROUP
from simhash_spark.core.join.tables import Table, choose_bands, find_regions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.join.tables import Region
    from simhash_spark.core.typing import Booleans, Floats, Integers, Words

ROW_NANOSECONDS = 7.0
"""A row in a table: read its key, sort, compare with the next (measured 6 to 8)."""

PAIR_NANOSECONDS = 4.0
"""A comparison in a small group (measured 3 to 5)."""

BLOCK_PAIR_NANOSECONDS = 1.0
"""A comparison in a large group (measured .7 to 1.2)."""

SMALL_GROUP = 12
"""Groups up to this size are compared in full without a thought."""

MOST_TABLES = 210
UNEVEN = 0.65
"""Bits on which more pairs agree than this are dealt out evenly; below, neighbours stay together,
for a key of few runs is read faster."""


class Estimate(NamedTuple):
    """What a cut is expected to cost.

    Parameters
    ----------
    nanoseconds : float
        Time, for sorting and for comparing what agrees.
    n_bands, n_tables : int
        Bands of the region, and choices of them.
    agreeing : float
        Pairs that agree on a key, summed over the tables.
    region : Region
        The bits that are cut.
    """

    nanoseconds: float
    n_bands: int
    n_tables: int
    agreeing: float
    region: Region


def pair_nanoseconds(sizes: Floats | Integers) -> Floats:
    """Estimate what comparing every two members costs, for groups of these sizes."""
    n_pairs = np.asarray(sizes, dtype=np.float64) ** 2 / 2
    least = LARGE_GROUP**2 / 2 * PAIR_NANOSECONDS
    blocks = np.maximum(n_pairs * BLOCK_PAIR_NANOSECONDS, least)
    return np.where(np.asarray(sizes) < LARGE_GROUP, n_pairs * PAIR_NANOSECONDS, blocks)


def pays(sizes: Integers, n_tables: int) -> Booleans:
    """Tell for which sizes of a group comparing in full costs more than so many tables."""
    return pair_nanoseconds(sizes) > n_tables * ROW_NANOSECONDS * sizes


def choose_cut(
    path: Sequence[Table],
    sizes: Integers,
    differences: Words,
    *,
    max_distance: int,
    extra_bands: int | None = None,
) -> tuple[Table, ...]:
    """Choose the tables that cut groups at the least cost.

    Parameters
    ----------
    path : sequence of Table
        The tables that made the groups.
    sizes : ndarray of shape (n_groups,), dtype int64
        How many members each group has.
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Exclusive or of some pairs of members.
    max_distance : int
        Largest Hamming distance that must not be missed.
    extra_bands : int, optional
        Number of bands more than what may differ; by default the cheapest.

    Returns
    -------
    tuple of Table
        Empty where comparing in full costs no more, or nothing is left to cut.
    """
    agreement = agreement_of(differences)
    n_rows, n_pairs = float(sizes.sum()), float((sizes.astype(np.float64) ** 2).sum()) / 2
    in_full = float(pair_nanoseconds(sizes).sum())
    best = cheapest_cut(
        path,
        n_rows,
        n_pairs,
        information_of(agreement),
        max_distance=max_distance,
        extra_bands=extra_bands,
    )
    if best is None or (extra_bands is None and best.nanoseconds >= in_full):
        return ()
    positions = deal_bits(best.region, agreement, best.n_bands)
    tables = choose_bands(cut_bits(positions, best.n_bands), best.region.budget)
    if extra_bands is None:
        # Bits go together in real fingerprints: count the pairs that agree on whole keys.
        rate = sum(1 - float(differs(differences, table.key).mean()) for table in tables)
        if len(tables) * n_rows * ROW_NANOSECONDS + rate * in_full >= in_full:
            return ()
    return tables


def cheapest_cut(
    path: Sequence[Table],
    n_rows: float,
    n_pairs: float,
    information: Floats,
    *,
    max_distance: int,
    extra_bands: int | None = None,
) -> Estimate | None:
    """Find the cut of least estimated cost, as if bits were independent.

    Parameters
    ----------
    path : sequence of Table
        The tables that made the groups.
    n_rows, n_pairs : float
        Rows of the groups, and pairs inside of them.
    information : ndarray of shape (bits,), dtype float64
        Bits of information in each bit.
    max_distance : int
        Largest Hamming distance that must not be missed.
    extra_bands : int, optional
        Number of bands more than what may differ; by default the cheapest.

    Returns
    -------
    Estimate or None
        None where nothing is left to cut.
    """
    estimates = []
    for region in find_regions(path, bits=len(information), max_distance=max_distance):
        share = float(information[list(region.positions)].sum())
        for extra in range(1, 6) if extra_bands is None else [extra_bands]:
            n_bands = region.budget + extra
            n_tables = comb(n_bands, extra)
            if n_bands > len(region.positions) or n_tables > MOST_TABLES:
                break
            agreeing = n_pairs * n_tables * 2.0 ** -(share * extra / n_bands)
            cost = n_tables * n_rows * ROW_NANOSECONDS + agreeing * PAIR_NANOSECONDS
            estimates.append(Estimate(cost, n_bands, n_tables, agreeing, region))
    return min(estimates, default=None)


def deal_bits(region: Region, agreement: Floats, n_bands: int) -> list[int]:
    """Order bits so that slices of the order separate about equally well.

    Parameters
    ----------
    region : Region
        The bits.
    agreement : ndarray of shape (bits,), dtype float64
        Share of the pairs that agree on each bit.
    n_bands : int
        How many slices there will be.

    Returns
    -------
    list of int
        The bits: as they are, if all of them separate well enough, else each
        slice with its share of the best, the second best, ...
    """
    positions = list(region.positions)
    own = agreement[positions]
    if own.max() <= UNEVEN:
        return positions
    ranked = [positions[at] for at in np.argsort(own, kind="stable")]
    return [position for first in range(n_bands) for position in sorted(ranked[first::n_bands])]


def information_of(agreement: Floats) -> Floats:
    """Give the information in each bit: how many times it halves the pairs."""
    return -np.log2(np.clip(agreement, 1e-3, 1 - 1e-6))


def agreement_of(differences: Words) -> Floats:
    """Measure how often pairs agree on each bit.

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Exclusive or of some pairs.

    Returns
    -------
    ndarray of shape (64 * n_words,), dtype float64
        Shares, from 0 to 1; 1 where there is no pair.
    """
    octets = np.ascontiguousarray(differences).astype("<u8", copy=False).view(np.uint8)
    ones = np.unpackbits(octets, axis=1, bitorder="little").sum(axis=0)
    return 1 - ones / max(len(differences), 1)
