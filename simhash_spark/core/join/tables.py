"""Tables: which bits two near fingerprints agree on, so that no pair is missed or found twice.

Bits on which a pair differs at most ``budget`` times are cut into more than
``budget`` bands. The pair agrees on all but ``budget`` of them, so it has a
*first* choice of that many agreeing bands: that choice is its table. Looking for
equal keys in every table, and taking a pair only in its own, gives each pair
once, decided from the exclusive or of the two alone, so nothing has to be made
distinct afterwards. Inside a bucket the same is done again on other bits: the
tables chosen on the way down are the *path* of a pair.

What a path says makes later tables fewer. In its first table a pair differs on
every band before the last one of the table that is not of the table itself. Each
of those uses up a bit of the distance, so on the bits outside of them the pair
differs in fewer places than ``max_distance``, and fewer bands are enough there.

Sources: Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling"
(WWW 2007, section 3), for tables and nesting; Norouzi, Punjani and Fleet, "Fast
Search in Hamming Space with Multi-Index Hashing" (CVPR 2012), for the pigeonhole
principle on parts; the first match and the smaller budgets are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import Band, band_of, differs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simhash_spark.core.typing import Booleans, Words


@dataclass(frozen=True)
class Table:
    """One choice of bands.

    Parameters
    ----------
    key : Band
        The bits of the bands chosen: pairs of this table agree on them.
    differing : tuple of Band
        Pairs of this table differ on each of these; else an earlier table has them.
    """

    key: Band
    differing: tuple[Band, ...] = ()


class Region(NamedTuple):
    """Bits on which the pairs of a path differ in few places.

    Parameters
    ----------
    positions : tuple of int
        The bits, ascending.
    budget : int
        The most of them that differ.
    """

    positions: tuple[int, ...]
    budget: int


def choose_bands(bands: Sequence[Band], budget: int) -> tuple[Table, ...]:
    """List the tables over some bands.

    Parameters
    ----------
    bands : sequence of Band
        More than ``budget``, without a bit in common.
    budget : int
        Largest number of differing bits that must not be missed.

    Returns
    -------
    tuple of Table
        All choices of ``len(bands) - budget`` bands, in lexicographic order.

    Examples
    --------
    >>> left, right = Band(((0, 0, 4),)), Band(((0, 4, 4),))
    >>> for table in choose_bands([left, right], budget=1):
    ...     print(table.key.runs, [band.runs for band in table.differing])
    ((0, 0, 4),) []
    ((0, 4, 4),) [((0, 0, 4),)]
    """
    tables = []
    for chosen in combinations(range(len(bands)), len(bands) - budget):
        key = band_of(position for at in chosen for position in _positions(bands[at].mask))
        passed = [at for at in range(chosen[-1]) if at not in chosen]
        tables.append(Table(key, tuple(bands[at] for at in passed)))
    return tuple(tables)


def find_regions(path: Sequence[Table], *, bits: int, max_distance: int) -> Iterator[Region]:
    """List bits that can be cut next, the fewest first.

    Parameters
    ----------
    path : sequence of Table
        The tables chosen so far.
    bits : {64, 128}
        Length of a fingerprint.
    max_distance : int
        Largest Hamming distance of a pair.

    Yields
    ------
    Region
        Bits on which no table of the path agrees, and how many of them differ at
        most. The last one has all of them, with a budget of ``max_distance``.

    Examples
    --------
    >>> low, middle, high = (Band(((0, start, 21),)) for start in (0, 21, 42))
    >>> last = choose_bands([low, middle, high], budget=2)[2]
    >>> [region.budget for region in find_regions([last], bits=63, max_distance=2)]
    [0, 1, 2]
    """
    free = (1 << bits) - 1
    for table in path:
        free &= ~table.key.mask
    known = _known_differences(path)
    for skipped in range(min(len(known), max_distance), -1, -1):
        outside = sum(known[:skipped])
        yield Region(tuple(_positions(free & ~outside)), max_distance - skipped)


def least_distance(path: Sequence[Table]) -> int:
    """Count the differences that the pairs of a path have for sure.

    >>> low, high = Band(((0, 0, 32),)), Band(((0, 32, 32),))
    >>> [least_distance([table]) for table in choose_bands([low, high], budget=1)]
    [0, 1]
    """
    return len(_known_differences(path))


def is_first_match(differences: Words, path: Sequence[Table]) -> Booleans:
    """Tell whether each pair belongs to the tables of a path.

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Exclusive or of the two fingerprints of each pair.
    path : sequence of Table
        One table of each level.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype bool
        Whether the pair agrees on every key and differs on every band before.
    """
    first = np.ones(len(differences), dtype=np.bool_)
    for table in path:
        first &= ~differs(differences, table.key)
        for band in table.differing:
            first &= differs(differences, band)
    return first


def _known_differences(path: Sequence[Table]) -> list[int]:
    """Choose bands without a common bit on which the pairs of a path differ."""
    known: list[int] = []
    for table in reversed(path):
        for band in table.differing:
            if not any(band.mask & other for other in known):
                known.append(band.mask)
    return known


def _positions(mask: int) -> Iterator[int]:
    return (at for at in range(mask.bit_length()) if mask >> at & 1)
