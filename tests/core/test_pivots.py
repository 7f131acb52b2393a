from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.dense import pivots as module
from simhash_spark.core.dense.crowds import pivots_pay, sample_near_counts
from simhash_spark.core.dense.pivots import Connection, connect_dense
from tests.oracles import minimum_spanning_forest


def as_words(numbers: list[int], bits: int) -> np.ndarray:
    words = [
        [number >> (64 * word) & (2**64 - 1) for word in range(bits // 64)] for number in numbers
    ]
    return np.array(words, dtype=np.uint64).reshape(-1, bits // 64)


def connected(numbers: list[int], bits: int, max_distance: int) -> Connection:
    return connect_dense(as_words(numbers, bits), max_distance=max_distance)


def edges_of(connection: Connection, numbers: list[int]) -> list[tuple[int, int, int]]:
    left, right, distances = (ends.tolist() for ends in connection.edges)
    return [(numbers[a], numbers[b], d) for a, b, d in zip(left, right, distances, strict=True)]


def near_pairs(numbers: list[int], max_distance: int) -> list[tuple[int, int, int]]:
    couples = itertools.combinations(sorted(numbers), 2)
    pairs = ((a, b, (a ^ b).bit_count()) for a, b in couples)
    return [pair for pair in pairs if pair[2] <= max_distance]


def components_of(edges: list[tuple[int, int, int]], numbers: list[int]) -> set[frozenset[int]]:
    group_of = {number: frozenset([number]) for number in numbers}
    for left, right, _ in minimum_spanning_forest(edges):
        merged = group_of[left] | group_of[right]
        group_of |= dict.fromkeys(merged, merged)
    return set(group_of.values())


@st.composite
def groups(draw):
    """Fingerprints around a few places, from one crowd to scattered ones."""
    bits = draw(st.sampled_from([64, 128]))
    width = draw(st.integers(3, 12))
    value = st.integers(0, 2**width - 1)
    offset = draw(st.sampled_from([0, 60, bits - width]))
    numbers = draw(st.lists(value, unique=True, max_size=60))
    return [n << offset & (2**bits - 1) for n in numbers if n << offset < 2**bits], bits


@pytest.mark.parametrize("at_once", [1, 5, 1 << 17])
@given(group=groups(), max_distance=st.integers(0, 5))
def test_the_edges_are_a_spanning_forest_of_all_near_pairs(at_once, group, max_distance):
    numbers, bits = group
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAIRS_AT_ONCE", at_once)
        edges = edges_of(connected(numbers, bits, max_distance), numbers)

    expected = near_pairs(numbers, max_distance)
    assert set(edges) <= set(expected)
    assert components_of(edges, numbers) == components_of(expected, numbers)
    assert len(edges) == len(minimum_spanning_forest(expected))


@given(group=groups(), max_distance=st.integers(0, 5))
def test_the_counts_bound_what_is_left_out(group, max_distance):
    numbers, bits = group

    connection = connected(numbers, bits, max_distance)

    n_near = len(near_pairs(numbers, max_distance))
    assert connection.n_near <= n_near <= connection.n_near + connection.n_not_compared
    assert connection.n_not_compared >= 0


@given(group=groups(), random=st.randoms(), max_distance=st.integers(1, 5))
def test_the_forest_depends_on_the_set_alone(group, random, max_distance):
    numbers, bits = group
    shuffled = random.sample(numbers, len(numbers))

    actual, other = (connected(some, bits, max_distance) for some in (numbers, shuffled))

    assert sorted(edges_of(actual, numbers)) == sorted(edges_of(other, shuffled))
    assert actual[1:] == other[1:]


FIRST = (0, 0b000_0000_0111)
SECOND = (0b011_0001_1111, 0b111_0000_0111)
"""Two balls of radius 3 whose pivots are 7 apart; their second members are 3 apart."""


def test_balls_that_meet_between_their_pivots_alone_are_connected():
    numbers = [*FIRST, *SECOND]

    connection = connected(numbers, 64, 3)

    expected = [(*FIRST, 3), (FIRST[1], SECOND[1], 3), (*SECOND, 3)]
    assert sorted(edges_of(connection, numbers)) == expected
    assert connection[1:] == (3, 0)


def test_a_small_ball_is_compared_with_what_of_a_large_one_is_in_its_reach():
    far = [0b111 << place for place in range(20, 38, 3)]
    numbers = [*FIRST, *SECOND, *far]

    connection = connected(numbers, 64, 3)

    n_compared = 9 + 8 + 1  # the two pivots with all, and the pair between
    assert connection.n_not_compared == 10 * 9 // 2 - n_compared


def test_members_out_of_reach_are_not_compared():
    pivot = 0b1_1111_1111 << 10  # 9 from the other pivot, which is in reach of radius 3 and 3
    numbers = [0, 0b111, pivot, pivot | 0b111 << 20]

    connection = connected(numbers, 64, 3)

    assert connection.n_not_compared == 1


@pytest.mark.parametrize("at_once", [1, 40, 1 << 17])
def test_sparse_sets_with_many_gaps_are_connected_exactly(at_once, monkeypatch):
    """At so few neighbours each, components hang on single pairs between balls."""
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    rng = np.random.default_rng(5)
    for _ in range(40):
        numbers = np.unique(rng.integers(0, 2**15, size=150)).tolist()

        edges = edges_of(connected(numbers, 64, 3), numbers)

        expected = near_pairs(numbers, 3)
        assert components_of(edges, numbers) == components_of(expected, numbers)
        assert len(edges) == len(minimum_spanning_forest(expected))


def test_the_left_fingerprint_is_the_smaller_one_unsigned():
    numbers = [1 << 127, 1 << 127 | 1, 1, 0]

    edges = edges_of(connected(numbers, 128, 1), numbers)

    assert sorted(edges) == [(0, 1, 1), (0, 1 << 127, 1), (1, 1 << 127 | 1, 1)]


def test_a_crowd_within_the_distance_of_one_is_compared_with_it_alone(monkeypatch):
    compared = []
    count = module.popcounts
    monkeypatch.setattr(module, "popcounts", lambda x: compared.append(len(x)) or count(x))
    numbers = list(range(1 << 12))

    connection = connected(numbers, 64, 12)

    assert sum(compared) < 3 * len(numbers)
    assert connection.n_not_compared == 4096 * 4095 // 2 - 4095


def test_crowds_far_from_each_other_are_compared_with_their_pivots_alone(monkeypatch):
    """Sixty crowds of 64, each within 6 of its smallest, and more than 18 bits from the others."""
    rng = np.random.default_rng(4)
    places = rng.integers(0, 2**63, size=(60, 2)).tolist()
    numbers = [a << 64 | b << 6 & (2**64 - 1) | value for a, b in places for value in range(64)]
    compared = []
    count = module.popcounts
    monkeypatch.setattr(module, "popcounts", lambda x: compared.append(len(x)) or count(x))

    connection = connected(numbers, 128, 6)

    # pivots with all, pivots with pivots, the edges
    assert sum(compared) == 60 * 3840 + 60 * 59 // 2 + 60 * 63

    assert len(connection.edges.left) == 60 * 63
    n_compared = 60 * 3839 - 60 * 59 // 2  # pairs of two pivots once
    assert connection.n_not_compared == 3840 * 3839 // 2 - n_compared


@pytest.mark.parametrize("numbers", [[], [5]])
def test_nothing_to_connect_gives_no_edges(numbers: list[int]):
    connection = connected(numbers, 64, 3)

    assert (len(connection.edges.left), *connection[1:]) == (0, 0, 0)


@given(group=groups(), max_distance=st.integers(0, 5))
def test_the_near_ones_of_each_of_few_are_counted(group, max_distance):
    numbers, bits = group

    counts = sample_near_counts(as_words(sorted(numbers), bits), max_distance)

    assert counts.sum() == 2 * len(near_pairs(numbers, max_distance))


def test_of_many_members_some_over_the_whole_range_are_looked_at():
    """Half of the rows are a crowd, the others are far from all: no place for pivots."""
    rng = np.random.default_rng(6)
    scattered = np.sort(rng.integers(2**63, 2**64, size=1024, dtype=np.uint64)).tolist()

    counts = sample_near_counts(as_words([*range(1024), *scattered], 64), 10)

    assert counts.tolist() == [1023] * 32 + [0] * 32
    assert pivots_pay(counts[:32], 1024)
    assert not pivots_pay(counts, 10**6)
