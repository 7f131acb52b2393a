"""Groups: fingerprints that agree on a key are brought together by one sort."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import read_band

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.join.tables import Table
    from simhash_spark.core.typing import Booleans, Integers, Words

SAMPLED_PAIRS = 2048
RUN = 1 << 17
"""Rows worked on at once: their words fit the cache, and a dense group is not averaged away."""


class Groups(NamedTuple):
    """Fingerprints that agree on all keys of a path, group by group.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,), dtype int64
        Positions in the fingerprints.
    sizes : ndarray of shape (n_groups,), dtype int64
        Members of each group, 2 or more.
    path : tuple of Table
        The tables that the members agree on.
    """

    rows: Integers
    sizes: Integers
    path: tuple[Table, ...]


def take(fingerprints: Words, rows: Integers) -> Words:
    """Gather rows, each word in one piece of memory."""
    taken = np.empty((len(rows), fingerprints.shape[1]), dtype=np.uint64, order="F")
    for word in range(fingerprints.shape[1]):
        np.take(fingerprints[:, word], rows, out=taken[:, word], mode="clip")
    return taken


def ascending(fingerprints: Words) -> Integers:
    """Give the order in which fingerprints ascend, as unsigned numbers.

    >>> ascending(np.array([[5, 1], [9, 0], [4, 1]], dtype=np.uint64)).tolist()
    [1, 2, 0]
    """
    highest = fingerprints[:, -1]
    order = np.argsort(highest)
    ordered = highest[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.lexsort(tuple(fingerprints.T))
    return order


class Frame(NamedTuple):
    """What the keys of all tables of the same groups have around them: group above, place below.

    Parameters
    ----------
    around : ndarray of shape (n_rows,), dtype uint64
        The number of the group in the highest bits, the place of the row in the
        lowest, and nothing between.
    place_bits, key_bits : int
        Width of the place, and of what is between.
    """

    around: Words
    place_bits: int
    key_bits: int


def frame_of(groups: Groups) -> Frame:
    """Make the frame of groups: at most 2^32 rows."""
    n_rows, n_groups = len(groups.rows), len(groups.sizes)
    place_bits, number_bits = n_rows.bit_length(), (n_groups - 1).bit_length()
    around = np.arange(n_rows, dtype=np.uint64)
    if number_bits:
        numbers = np.arange(n_groups, dtype=np.uint64) << np.uint64(64 - number_bits)
        around |= np.repeat(numbers, groups.sizes)
    return Frame(around, place_bits, 64 - place_bits - number_bits)


def look_up(members: Words, groups: Groups, table: Table, frame: Frame) -> Groups:
    """Put together the members of each group that agree on the key of a table.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_words), dtype uint64
        The fingerprints of ``groups.rows``.
    groups : Groups
        Who may agree with whom.
    table : Table
        What to agree on; of a long key as much as fits into a word.
    frame : Frame
        That of the groups.

    Returns
    -------
    Groups
        Those of two members and more. A group may have members that agree on a
        part of the key only, where it is long; none is missed.
    """
    packed = read_band(members, table.key.head(frame.key_bits))
    packed <<= np.uint64(frame.place_bits)
    packed |= frame.around
    packed.sort()
    places_mask = np.uint64((1 << frame.place_bits) - 1)
    same = np.flatnonzero((packed[1:] ^ packed[:-1]) <= places_mask)
    path = (*groups.path, table)
    if not len(same):
        return Groups(groups.rows[:0], groups.sizes[:0], path)
    # A group of m members is a run of m - 1 places in `same`, and the place after it.
    is_start = np.empty(len(same), dtype=np.bool_)
    is_start[0] = True
    np.greater(same[1:] - same[:-1], 1, out=is_start[1:])
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(same))
    sizes = ends - starts + 1
    chosen = np.insert(same, ends, same[ends - 1] + 1)
    places = (packed[chosen] & places_mask).astype(np.int64)
    return Groups(groups.rows[places], sizes, path)


def runs(groups: Groups) -> Iterator[Groups]:
    """Cut groups into runs of about ``RUN`` rows; a larger group stands alone."""
    ends = np.cumsum(groups.sizes)
    first = 0
    while first < len(ends):
        begin = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begin + RUN, side="right")), first + 1)
        rows = groups.rows[begin : int(ends[last - 1])]
        yield Groups(rows, groups.sizes[first:last], groups.path)
        first = last


def one_by_one(groups: Groups, alone: Booleans) -> Iterator[Groups]:
    """Give some groups one by one, and then all the others together."""
    ends = np.cumsum(groups.sizes)
    for at in np.flatnonzero(alone).tolist():
        rows = groups.rows[ends[at] - groups.sizes[at] : ends[at]]
        yield Groups(rows, groups.sizes[at : at + 1], groups.path)
    if not alone.all():
        yield choose(groups, ~alone)


def choose(groups: Groups, wanted: Booleans) -> Groups:
    """Keep some of the groups."""
    if wanted.all():
        return groups
    rows = groups.rows[np.repeat(wanted, groups.sizes)]
    return Groups(rows, groups.sizes[wanted], groups.path)


def sample_differences(members: Words, sizes: Integers) -> Words:
    """Take some pairs of members of the same group, and give their exclusive or.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_words), dtype uint64
        Fingerprints, group by group.
    sizes : ndarray of shape (n_groups,), dtype int64
        Members of each group, 2 or more.

    Returns
    -------
    ndarray of shape (n_pairs, n_words), dtype uint64
        About ``SAMPLED_PAIRS`` pairs, spread evenly over the rows.
    """
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    step = max(1, len(members) // SAMPLED_PAIRS)
    places = np.arange(0, len(members), step, dtype=np.int64)
    own = np.repeat(sizes, sizes)[places]
    # The partner lies a few places on, round the group: neighbours may be alike for a reason.
    moved = (places - begins[places] + 1 + places * 7 % (own - 1)) % own
    return members[places] ^ members[begins[places] + moved]
