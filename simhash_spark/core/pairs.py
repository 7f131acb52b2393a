"""Finding the pairs of a bucket that lie within a Hamming distance, each pair once.

A bucket holds fingerprints that agree on one band. A small bucket is compared
in full. A large one is cut again: its members are grouped by ``max_distance + 1``
bands of the bits on which they may still differ, so by the pigeonhole principle
no pair is missed, to any depth. The bits are dealt out so that each new band
gets its share of those that differ most, for a band of constant bits would
separate nothing.

A pair may agree on several bands. It is reported in the first one only, at each
depth, decided from the XOR of the two alone: a pair has one path through the
cuts, so the output needs no ``distinct``.

A cut that separates nothing (a dense neighbourhood) is not taken: those members
are compared in full, since most of their pairs belong to the result anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.bands import WORD_BITS, read_band, split_bits
from simhash_spark.core.hamming import popcounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simhash_spark.core.bands import Band, BandLayout
    from simhash_spark.core.typing import Booleans, Integers, Words

FULL_COMPARISON = 200
"""Buckets up to this size are compared in full; cutting pays above (measured: 100 to 400)."""


class Pairs(NamedTuple):
    """Some pairs of fingerprints.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs,), dtype int64
        Positions in the fingerprints given; the left fingerprint is the
        smaller one, read as an unsigned number.
    distances : ndarray of shape (n_pairs,), dtype int64
        Hamming distance, from 1.
    """

    left: Integers
    right: Integers
    distances: Integers


class _Cut(NamedTuple):
    """One level of cutting: the bands, and the one that the members agree on."""

    bands: tuple[Band, ...]
    agreed: int


class _Work(NamedTuple):
    """Groups still to be compared: ``groups`` is sorted and says which rows go together."""

    rows: Integers
    groups: Integers
    path: tuple[_Cut, ...]


def find_pairs(
    fingerprints: Words, buckets: Integers, *, layout: BandLayout, band: int
) -> Iterator[Pairs]:
    """Find all pairs within the maximal distance inside each bucket.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_docs, n_words), dtype uint64
        Distinct fingerprints.
    buckets : ndarray of shape (n_docs,), dtype int64
        Sorted; rows with equal values agree on the band.
    layout : BandLayout
        The bands and the maximal distance.
    band : int
        The band that the buckets are about.

    Yields
    ------
    Pairs
        Each pair with 1 <= distance <= ``layout.max_distance`` whose first
        common band is ``band``, once, in some order and in several pieces.

    Notes
    -----
    Time grows with the rows, the pairs inside groups of at most
    ``FULL_COMPARISON`` members, and the pairs in dense neighbourhoods. Memory
    grows with the rows, not with the pairs.
    """
    rows = np.arange(len(fingerprints), dtype=np.int64)
    work = [_Work(rows, buckets, (_Cut(layout.bands, band),))]
    while work:
        rows, groups, path = work.pop()
        sizes = _group_sizes(groups)
        large = sizes > FULL_COMPARISON
        if large.any():
            cuts, taken = _cut(fingerprints, _Work(rows[large], groups[large], path), layout)
            work += cuts
            large[large] = taken
        small = ~large & (sizes > 1)
        yield from _compare(fingerprints, _Work(rows[small], groups[small], path), layout)


def _cut(fingerprints: Words, work: _Work, layout: BandLayout) -> tuple[list[_Work], Booleans]:
    """Group again by bands of the free bits; say for which rows that paid."""
    free = _free_bits(layout.bits, work.path)
    if len(free) <= layout.max_distance:
        return [], np.zeros(len(work.rows), dtype=np.bool_)
    members = fingerprints[work.rows]
    bands = split_bits(_dealt(free, members, layout.max_distance + 1), layout.max_distance)
    groups = np.cumsum(_starts(work.groups)) - 1
    cuts, cost = [], np.zeros(groups[-1] + 1, dtype=np.float64)
    for agreed, band in enumerate(bands):
        keys = read_band(members, band)
        order = np.lexsort((keys, groups))
        subgroups = np.cumsum(_starts(groups[order]) | _starts(keys[order])) - 1
        sizes = _group_sizes(subgroups)
        cost += np.bincount(groups[order], weights=sizes, minlength=len(cost))
        keep = sizes > 1
        path = (*work.path, _Cut(bands, agreed))
        cuts.append((order[keep], subgroups[keep], path))
    paid = (cost <= np.bincount(groups, weights=_group_sizes(groups)) / 2)[groups]
    return [
        _Work(work.rows[order[paid[order]]], subgroups[paid[order]], path)
        for order, subgroups, path in cuts
    ], paid


def _free_bits(bits: int, path: Sequence[_Cut]) -> list[int]:
    """Bits that no agreed band holds."""
    runs = [run for cut in path for run in cut.bands[cut.agreed].runs]
    fixed = {word * WORD_BITS + start + i for word, start, width in runs for i in range(width)}
    return [position for position in range(bits) if position not in fixed]


def _dealt(free: list[int], members: Words, n_bands: int) -> list[int]:
    """Order bits so that slices of the order get equal shares of the varying bits."""
    ones = [
        np.count_nonzero(members[:, position // WORD_BITS] >> np.uint64(position % WORD_BITS) & 1)
        for position in free
    ]
    balance = np.abs(np.array(ones) * 2 - len(members))
    ranked = [free[i] for i in np.argsort(balance, kind="stable")]
    return [position for first in range(n_bands) for position in sorted(ranked[first::n_bands])]


def _compare(fingerprints: Words, work: _Work, layout: BandLayout) -> Iterator[Pairs]:
    """Compare every member of a group with every later one."""
    members = fingerprints[work.rows]
    ends = _group_ends(work.groups)
    here = np.arange(len(members), dtype=np.int64)
    step = 1
    while len(here := here[here + step < ends[here]]):
        difference = members[here] ^ members[here + step]
        distances = popcounts(difference)
        near = np.flatnonzero((distances <= layout.max_distance) & (distances > 0))
        near = near[_is_first_match(difference[near], work.path)]
        if len(near):
            left, right = here[near], here[near] + step
            yield _in_order(fingerprints, work.rows[left], work.rows[right], distances[near])
        step += 1


def _is_first_match(difference: Words, path: Sequence[_Cut]) -> Booleans:
    """Tell whether the pair disagrees on every band before the agreed one, at each cut."""
    first = np.ones(len(difference), dtype=np.bool_)
    for cut in path:
        for band in cut.bands[: cut.agreed]:
            first &= read_band(difference, band) != 0
    return first


def _in_order(fingerprints: Words, left: Integers, right: Integers, distances: Integers) -> Pairs:
    swap = is_less(fingerprints[right], fingerprints[left])
    return Pairs(np.where(swap, right, left), np.where(swap, left, right), distances)


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


def _starts(values: Integers | Words) -> Booleans:
    """Mark the rows whose value differs from the row before."""
    starts = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts


def _group_ends(groups: Integers) -> Integers:
    """Give each row the position after the last row of its group."""
    starts = np.flatnonzero(_starts(groups))
    ends = np.append(starts, len(groups))[1:]
    return np.repeat(ends, ends - starts)


def _group_sizes(groups: Integers) -> Integers:
    """Give each row the number of rows in its group."""
    starts = np.flatnonzero(_starts(groups))
    sizes = np.diff(np.append(starts, len(groups)))
    return np.repeat(sizes, sizes)
