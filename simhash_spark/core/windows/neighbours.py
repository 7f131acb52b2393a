"""Pairs within a large Hamming distance, with a stated recall: sorted windows.

The fingerprints are sorted with their bits in a random order, and each is
compared with the few that follow it, its *window*. That is done with many
orders of the bits (*tables*). A near pair stands close together in some of
them, unless it has bad luck: ``plan.recall`` says how often.

Whatever the fingerprints are like, the cost is tables * (sort + window * n):
there is no bucket that could grow large, and the reach adapts to the density by
itself. What is reported is exact: every pair lies within the maximal distance.

What is found depends on the set of fingerprints, the seed and the table numbers
alone. The tables may therefore be shared out between tasks in any way, provided
that each task holds all fingerprints; the union of the results is the same.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.checks import check_range
from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.windows import orders
from simhash_spark.core.windows.distinct_pairs import DistinctPairs
from simhash_spark.core.windows.orders import count_bits
from simhash_spark.core.windows.permutations import CHUNK, TURNS, bit_order, permute, table_of
from simhash_spark.core.windows.planted import Probes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simhash_spark.core.typing import Integers, Words
    from simhash_spark.core.windows.orders import Nodes, Order
    from simhash_spark.core.windows.planted import PlantedPairs

LARGEST_WINDOW = 1024
HITS_AT_ONCE = 1 << 16
_TOO_FAR = 255


@dataclass(frozen=True)
class Windows:
    """What a search by sorted windows looks for, and how far it looks.

    Parameters
    ----------
    max_distance : int
        Largest Hamming distance of a pair, inclusive.
    window : int
        How many of the fingerprints that follow it each one is compared with.
    seed : int
        Seed of the orders of the bits.

    Raises
    ------
    ConfigError
        If a number is out of range.
    """

    max_distance: int
    window: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_range("max_distance", self.max_distance, 0, 128)
        check_range("window", self.window, 1, LARGEST_WINDOW)


class NearPairs(NamedTuple):
    """Some pairs of fingerprints.

    Parameters
    ----------
    left, right : ndarray of shape (n_pairs, n_words), dtype uint64
        The fingerprints; the left one is smaller, read as an unsigned number.
    distances : ndarray of shape (n_pairs,), dtype int64
        Hamming distance, from 1.
    """

    left: Words
    right: Words
    distances: Integers


class Found(NamedTuple):
    """Some of what a search has found.

    Parameters
    ----------
    pairs : NearPairs
        Pairs not reported before.
    planted : ndarray of shape (n_found,), dtype int64
        Numbers of planted pairs not reported before.
    """

    pairs: NearPairs
    planted: Integers


def find_near(
    fingerprints: Words,
    windows: Windows,
    *,
    tables: Iterable[int],
    planted: PlantedPairs | None = None,
) -> Iterator[Found]:
    """Find most of the pairs within the maximal distance.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
        Distinct fingerprints, in any order; fastest in ascending order.
    windows : Windows
        Maximal distance, window and seed.
    tables : iterable of int
        Numbers of the tables to be searched, ascending. Numbers that follow each
        other share the cost of a permutation: best in multiples of 4 * n_words.
    planted : PlantedPairs, optional
        Pairs whose finding is reported beside; they change no result, because
        each planted fingerprint is looked up as if it alone had been added.

    Yields
    ------
    Found
        In several pieces. Each pair with 1 <= distance <= ``max_distance`` that
        stands within the window in one of the tables, once in the whole call.

    Notes
    -----
    Time: about tables * n_nodes * (7 + 0.5 * window) ns for 64 bits, (16 + window)
    ns for 128, and 50 to 100 ns for each time that a pair is met. Memory: three times the
    fingerprints beside the input, and 64 bytes per distinct pair.

    Examples
    --------
    >>> fingerprints = np.array([[0], [7], [2**63], [2**64 - 1]], dtype=np.uint64)
    >>> for found in find_near(fingerprints, Windows(3, window=3), tables=[0]):
    ...     print(*(part.tolist() for part in found.pairs))
    [[0], [0]] [[9223372036854775808], [7]] [1, 3]
    """
    nodes = orders.sort_nodes(fingerprints)
    probes = Probes(nodes, planted)
    met = DistinctPairs()
    n_words = fingerprints.shape[1]
    for permutation, group in itertools.groupby(tables, lambda table: table // (TURNS * n_words)):
        bits = bit_order(permutation, bits=64 * n_words, seed=windows.seed)
        permuted = permute(nodes.columns, bits)
        probes.permute(bits)
        for table in group:
            order = orders.sort_by(permuted, table_of(table, n_words=n_words), bits)
            if len(numbers := probes.find(order, windows.window)):
                yield Found(_no_pairs(n_words), numbers)
            for pairs in _pairs_of(order, nodes, windows, met):
                yield Found(pairs, np.empty(0, dtype=np.int64))
            del order  # before the next one is made


def _pairs_of(
    order: Order, nodes: Nodes, windows: Windows, met: DistinctPairs
) -> Iterator[NearPairs]:
    """Report the near pairs of one table that were not met before."""
    for first, second in _gather(_neighbours(order.compared, windows)):
        one, other = order.names(first), order.names(second)
        left, right = np.minimum(one, other), np.maximum(one, other)
        new = np.flatnonzero(left != right)
        new = new[met.add(left[new], right[new])]
        pairs = nodes.fingerprints(left[new]), nodes.fingerprints(right[new])
        distances = popcounts(pairs[0] ^ pairs[1]).astype(np.int64)
        near = np.flatnonzero((distances > 0) & (distances <= windows.max_distance))
        if len(near):
            yield NearPairs(pairs[0][near], pairs[1][near], distances[near])


def _neighbours(compared: Words, windows: Windows) -> Iterator[tuple[Integers, Integers]]:
    """Compare each column with those in its window; give the places of those within reach."""
    n_nodes = compared.shape[1]
    n_steps = min(windows.window, n_nodes - 1)
    counts = np.empty((max(n_steps, 0), CHUNK), dtype=np.uint8)
    difference = np.empty(CHUNK, dtype=np.uint64)
    for start in range(0, n_nodes if n_steps > 0 else 0, CHUNK):
        counts.fill(_TOO_FAR)
        least = np.full(CHUNK, _TOO_FAR, dtype=np.uint8)
        for step, row in enumerate(counts, start=1):
            count = row[: max(min(CHUNK, n_nodes - step - start), 0)]
            here, there = (compared[:, at : at + len(count)] for at in (start, start + step))
            count_bits(here, there, difference[: len(count)], out=count)
            np.minimum(least[: len(count)], count, out=least[: len(count)])
        # Few columns have a near neighbour: find these first, then look through their counts.
        columns = np.flatnonzero(least <= windows.max_distance)
        steps, hits = np.nonzero(counts[:, columns] <= windows.max_distance)
        if len(hits):
            places = columns[hits] + start
            yield places, places + steps + 1


def _gather(
    pieces: Iterator[tuple[Integers, Integers]],
) -> Iterator[tuple[Integers, Integers]]:
    """Join small pieces: a call of NumPy per piece costs more than its hits."""
    waiting: list[tuple[Integers, Integers]] = []
    n_hits = 0
    for piece in pieces:
        waiting.append(piece)
        n_hits += len(piece[0])
        if n_hits >= HITS_AT_ONCE:
            yield _joined(waiting)
            waiting, n_hits = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    first, second = zip(*pieces, strict=True)
    return np.concatenate(first), np.concatenate(second)


def _no_pairs(n_words: int) -> NearPairs:
    none = np.empty((0, n_words), dtype=np.uint64)
    return NearPairs(none, none, np.empty(0, dtype=np.int64))
