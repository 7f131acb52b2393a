from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.dense import forests
from simhash_spark.core.dense.reducer import PairReducer
from simhash_spark.core.join.pairs import Pairs
from simhash_spark.errors import ConfigError
from tests.oracles import minimum_spanning_forest

Pair = tuple[int, int, int]  # left row, right row, distance


def expected_of(pairs: list[Pair], buckets: list[int], limit: int) -> list[Pair]:
    kept = []
    for bucket in set(buckets):
        of_bucket = [pair for pair in pairs if buckets[pair[0]] == bucket]
        kept += of_bucket if len(of_bucket) <= limit else minimum_spanning_forest(of_bucket)
    return sorted(kept)


def as_pieces(pairs: list[Pair], cuts: list[int]) -> list[Pairs]:
    ends = [0, *sorted(min(cut, len(pairs)) for cut in cuts), len(pairs)]
    parts = [pairs[a:b] for a, b in itertools.pairwise(ends)]
    return [Pairs(*np.array(part, dtype=np.int64).reshape(-1, 3).T) for part in parts]


def reduced(pieces: list[Pairs], buckets: list[int], limit: int) -> tuple[list[Pair], int]:
    reducer = PairReducer(np.array(buckets, dtype=np.int64), limit=limit)
    found = list(reducer.reduce(pieces))
    rows = [zip(*(ends.tolist() for ends in pairs), strict=True) for pairs in found]
    return sorted(itertools.chain(*rows)), reducer.n_unlisted


@st.composite
def searches(draw):
    """Pairs of a few buckets, shuffled; a limit that some of them just meet; where to cut."""
    sizes = draw(st.lists(st.integers(1, 6), max_size=3))
    buckets = [number for number, size in enumerate(sizes) for _ in range(size)]
    couples = [
        (a, b)
        for a, b in itertools.combinations(range(len(buckets)), 2)
        if buckets[a] == buckets[b]
    ]
    chosen = draw(st.permutations(couples))[: draw(st.integers(0, len(couples)))]
    pairs = [(a, b, draw(st.integers(1, 3))) for a, b in chosen]
    per_bucket = [sum(buckets[a] == bucket for a, _ in chosen) for bucket in set(buckets)]
    limit = draw(st.sampled_from([0, *per_bucket])) - draw(st.integers(0, 1))
    return pairs, buckets, max(limit, 0), draw(st.lists(st.integers(0, 40), max_size=4))


@pytest.mark.parametrize("at_once", [1, 3, 1 << 16])
@given(search=searches())
def test_what_is_kept_equals_kruskal_whatever_the_order_and_the_cuts(at_once, search):
    pairs, buckets, limit, cuts = search
    with pytest.MonkeyPatch.context() as patch:
        # Small batches bring the marks and the merging into play where there are few pairs.
        patch.setattr(forests, "PAIRS_AT_ONCE", at_once)
        kept, n_unlisted = reduced(as_pieces(pairs, cuts), buckets, limit)

    assert kept == expected_of(pairs, buckets, limit)
    assert n_unlisted == len(pairs) - len(kept)


def cube(n_bits: int, max_distance: int) -> list[Pair]:
    """All values of some bits, and their pairs within the distance."""
    couples = itertools.combinations(range(1 << n_bits), 2)
    near = ((a, b, (a ^ b).bit_count()) for a, b in couples)
    return [pair for pair in near if pair[2] <= max_distance]


@pytest.mark.parametrize("distance", [None, 2])
def test_many_pairs_in_small_batches_equal_kruskal(distance, monkeypatch):
    """With one distance for all, ties alone decide, by left and right."""
    monkeypatch.setattr(forests, "PAIRS_AT_ONCE", 64)
    pairs = [pair for pair in cube(8, 3) if distance in (None, pair[2])]
    random.Random(1).shuffle(pairs)

    kept, n_unlisted = reduced(as_pieces(pairs, list(range(0, 12_000, 100))), [0] * 256, 100)

    assert kept == sorted(minimum_spanning_forest(pairs))
    assert n_unlisted == len(pairs) - len(kept)


@pytest.mark.parametrize(("limit", "n_kept", "n_unlisted"), [(10, 10, 0), (9, 4, 6)])
def test_the_limit_is_inclusive(limit: int, n_kept: int, n_unlisted: int):
    pairs = [(a, b, 2) for a, b in itertools.combinations(range(5), 2)]

    kept, unlisted = reduced(as_pieces(pairs, [3]), [7] * 6, limit)

    assert (len(kept), unlisted) == (n_kept, n_unlisted)


def test_the_nearest_pairs_are_kept_and_of_equals_the_smallest():
    square = [(0, 1, 3), (0, 2, 2), (0, 3, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2)]

    kept, _ = reduced(as_pieces(square, []), [0] * 4, 5)

    assert kept == [(0, 2, 2), (0, 3, 2), (1, 3, 1)]


def test_pairs_of_small_buckets_are_passed_on_at_once():
    reducer = PairReducer(np.array([0, 0, 0, 0, 1, 1]), limit=3)
    mixed = Pairs(*np.array([[0, 4], [1, 5], [1, 2]]))

    passed = reducer.add(mixed)

    assert [ends.tolist() for ends in passed] == [[4], [5], [2]]
    assert reducer.add(passed) is passed


def test_without_a_large_bucket_the_very_arrays_are_passed_on():
    reducer = PairReducer(np.repeat(np.arange(1000), 3), limit=3)
    pairs = Pairs(*np.array([[0, 3], [1, 4], [1, 2]]))

    assert reducer.add(pairs) is pairs
    assert list(reducer.finish()) == []


def test_a_bucket_over_the_limit_does_not_touch_the_others():
    buckets = [0] * 5 + [1] * 5 + [2] * 5
    pairs = [(5 * b + i, 5 * b + j, 1) for b in range(3) for i, j in [(0, 1), (1, 2), (0, 2)]]
    pairs += [(5, 8, 1), (5, 9, 1)]

    kept, n_unlisted = reduced(as_pieces(pairs, [4]), buckets, 4)

    assert [pair for pair in kept if buckets[pair[0]] == 1] == [
        (5, 6, 1),
        (5, 7, 1),
        (5, 8, 1),
        (5, 9, 1),
    ]
    assert (len(kept), n_unlisted) == (10, 1)


@pytest.mark.parametrize("order", [lambda pair: pair, lambda pair: pair[2], lambda pair: -pair[2]])
def test_what_is_held_does_not_grow_with_the_pairs(order, monkeypatch):
    """Nearest first, all come after the last mark; a return there once left out the merging."""
    monkeypatch.setattr(forests, "PAIRS_AT_ONCE", 64)
    buckets = np.append(np.zeros(256, dtype=np.int64), np.ones(20, dtype=np.int64))
    reducer = PairReducer(buckets, limit=100)  # the second bucket stays within it
    held = []
    for pairs in as_pieces(sorted(cube(8, 4), key=order), list(range(0, 40_000, 50))):
        reducer.add(pairs)
        held.append(reducer.n_held)

    assert len(cube(8, 4)) > 20_000
    # the limit, what has arrived, what is open (twice the rows and a batch), the forest
    assert max(held) <= 100 + (64 + 50) + (2 * 276 + 64) + 255


def test_no_rows_give_no_pairs():
    assert reduced([], [], 0) == ([], 0)


def test_more_rows_than_a_key_can_hold_are_an_error(monkeypatch):
    monkeypatch.setattr(forests, "NODE_BITS", 2)

    with pytest.raises(ConfigError, match=r"5 fingerprints of one piece .* use more partitions"):
        PairReducer(np.zeros(5, dtype=np.int64), limit=3)
