"""Comparing every two members of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.groups import take
from simhash_spark.core.join.hamming import popcounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Bytes, Integers, Words

LARGE_GROUP = 128
"""From this size on a group is compared in blocks of a matrix, which costs less per pair."""

BLOCK = 1 << 15
"""Comparisons at once: their words fit the cache."""

RUN = 1 << 17
"""Rows of small groups at once."""


class Near(NamedTuple):
    """Members that lie near each other.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs,), dtype int64
        Positions among the members, left < right.
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Their exclusive or.
    distances : ndarray of shape (n_pairs,), dtype uint8
        Its ones: from 1 to the maximal distance.
    """

    left: Integers
    right: Integers
    differences: Words
    distances: Bytes


def compare_groups(members: Words, sizes: Integers, max_distance: int) -> Iterator[Near]:
    """Compare every two members of each group.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_words), dtype uint64
        Fingerprints, group by group.
    sizes : ndarray of shape (n_groups,), dtype int64
        Members of each group.
    max_distance : int
        Largest distance, in bits and inclusive.

    Yields
    ------
    Near
        The near ones among some of the pairs; together, all of them once. Equal
        fingerprints are no pair.
    """
    ends = np.cumsum(sizes)
    large = sizes >= LARGE_GROUP
    for begin, end in zip((ends - sizes)[large].tolist(), ends[large].tolist(), strict=True):
        for found in _compare_in_blocks(members[begin:end], max_distance):
            yield found._replace(left=found.left + begin, right=found.right + begin)
    if large.any():
        rows = np.flatnonzero(np.repeat(~large, sizes))
        members, sizes = members[rows], sizes[~large]
        ends = np.cumsum(sizes)
    for first, last in _runs(ends):
        begin, end = int(ends[first] - sizes[first]), int(ends[last - 1])
        for found in _compare_in_steps(members[begin:end], sizes[first:last], max_distance):
            left, right = found.left + begin, found.right + begin
            if large.any():
                left, right = rows[left], rows[right]
            yield found._replace(left=left, right=right)


def _runs(ends: Integers) -> Iterator[tuple[int, int]]:
    """Cut small groups into runs of about ``RUN`` rows: yield first, and last plus 1."""
    first = 0
    while first < len(ends):
        done = ends[first - 1] if first else 0
        last = int(np.searchsorted(ends, done + RUN, side="right"))
        yield first, (last := max(last, first + 1))
        first = last


def _compare_in_steps(members: Words, sizes: Integers, max_distance: int) -> Iterator[Near]:
    """Compare each member with the next, the one after, ... of its group."""
    ends = np.repeat(np.cumsum(sizes), sizes)
    here = np.arange(len(members), dtype=np.int64)
    step = 1
    while len(here := here[here + step < ends[here]]):
        differences = take(members, here)
        differences ^= take(members, here + step)
        distances = popcounts(differences)
        near = _near(distances, max_distance)
        if len(near):
            left = here[near]
            yield Near(left, left + step, differences[near], distances[near])
        step += 1


def _compare_in_blocks(members: Words, max_distance: int) -> Iterator[Near]:
    """Compare some members with all that come after the first of them."""
    n_members, n_words = members.shape
    height = max(1, BLOCK // n_members)
    for begin in range(0, n_members - 1, height):
        rows, others = members[begin : begin + height], members[begin + 1 :]
        for start in range(0, len(others), BLOCK):
            part = others[start : start + BLOCK]
            distances = popcounts(np.bitwise_xor.outer(rows[:, 0], part[:, 0]).reshape(-1, 1))
            for word in range(1, n_words):
                ones = np.bitwise_xor.outer(rows[:, word], part[:, word])
                distances += popcounts(ones.reshape(-1, 1))
            near = _near(distances, max_distance)
            left, right = near // len(part) + begin, near % len(part) + begin + 1 + start
            ahead = left < right
            left, right, near = left[ahead], right[ahead], near[ahead]
            if len(near):
                yield Near(left, right, members[left] ^ members[right], distances[near])


def _near(distances: Bytes, max_distance: int) -> Integers:
    """Find distances from 1 to the maximum: 0 less 1 is the largest number of the type."""
    return np.flatnonzero(distances - np.uint8(1) < np.uint8(max_distance))
