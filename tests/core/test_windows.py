from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.windows import neighbours as module
from simhash_spark.core.windows import orders, permutations
from simhash_spark.core.windows.distinct_pairs import DistinctPairs
from simhash_spark.core.windows.neighbours import Windows, find_near
from simhash_spark.core.windows.orders import rank, sort_nodes
from simhash_spark.core.windows.permutations import bit_order, table_of
from simhash_spark.core.windows.planted import PlantedPairs, is_present, plant
from simhash_spark.errors import ConfigError

MASK = 2**64 - 1


def as_words(numbers: list[int], bits: int) -> np.ndarray:
    rows = [[number >> (64 * word) & MASK for word in range(bits // 64)] for number in numbers]
    return np.array(rows, dtype=np.uint64).reshape(-1, bits // 64)


def as_numbers(words: np.ndarray) -> list[int]:
    return [sum(word << 64 * i for i, word in enumerate(row)) for row in words.tolist()]


def search(numbers: list[int], bits: int, windows: Windows, tables=range(8)) -> list[tuple]:
    """Give (left, right, distance) of all pairs reported, by value."""
    found = []
    for pairs, _ in find_near(as_words(numbers, bits), windows, tables=tables):
        ends = as_numbers(pairs.left), as_numbers(pairs.right)
        found += zip(*ends, pairs.distances.tolist(), strict=True)
    return found


def search_planted(numbers, pairs, bits: int, windows: Windows, tables=range(8)) -> list[int]:
    planted = PlantedPairs(*(as_words(list(ends), bits) for ends in zip(*pairs, strict=True)))
    found = find_near(as_words(numbers, bits), windows, tables=tables, planted=planted)
    return [number for part in found for number in part.planted.tolist()]


def brute_force(numbers: list[int], max_distance: int) -> list[tuple[int, int, int]]:
    couples = itertools.combinations(sorted(numbers), 2)
    near = ((a, b, (a ^ b).bit_count()) for a, b in couples)
    return [pair for pair in near if pair[2] <= max_distance]


def key(number: int, bits: int, table: int, seed: int, n: int) -> int:
    """Give what one table sorts by, in plain Python; of 128 bits the lowest give way to places."""
    permutation, word, turns = table_of(table, n_words=bits // 64)
    order = bit_order(permutation, bits=bits, seed=seed).tolist()
    permuted = sum((number >> bit & 1) << place for bit, place in enumerate(order))
    text = f"{permuted >> 64 * word & MASK:064b}"
    turned = int(text[16 * turns :] + text[: 16 * turns], 2)
    return turned if bits == 64 else turned >> n.bit_length()


def sorted_by_table(numbers: list[int], bits: int, table: int, seed: int, n: int) -> list[int]:
    return sorted(numbers, key=lambda number: (key(number, bits, table, seed, n), number))


def within_windows(numbers: list[int], bits: int, windows: Windows, tables) -> set[tuple]:
    found = set()
    for table in tables:
        ranked = sorted_by_table(numbers, bits, table, windows.seed, len(numbers))
        for place, one in enumerate(ranked):
            for other in ranked[place + 1 : place + 1 + windows.window]:
                if (one ^ other).bit_count() <= windows.max_distance:
                    found.add((min(one, other), max(one, other), (one ^ other).bit_count()))
    return found


def fingerprints(bits: int, max_size: int = 40):
    """Mixtures of uniform fingerprints, near neighbours, and fingerprints that share most bits."""
    flips = st.sets(st.integers(0, bits - 1), max_size=18).map(lambda s: sum(1 << b for b in s))
    base = st.sampled_from([0, 1, 2**bits - 1, 1 << (bits - 1), 0x5555 << (bits // 2)])
    near = st.tuples(base, flips).map(lambda pair: pair[0] ^ pair[1])
    return st.lists(st.integers(0, 2**bits - 1) | near, unique=True, max_size=max_size)


BITS = pytest.mark.parametrize("bits", [64, 128])


@BITS
@given(data=st.data(), max_distance=st.integers(0, 40), table=st.integers(0, 200))
def test_a_window_over_all_finds_every_pair_once(bits, data, max_distance, table):
    numbers = data.draw(fingerprints(bits))
    windows = Windows(max_distance, window=40)

    found = search(numbers, bits, windows, tables=[table, table + 1, table + 9])

    assert sorted(found) == brute_force(numbers, max_distance)


@BITS
@given(data=st.data(), window=st.integers(1, 5), seed=st.integers(0, 9))
def test_what_stands_within_a_window_is_found_and_nothing_else(bits, data, window, seed):
    numbers = data.draw(fingerprints(bits))
    windows = Windows(12, window, seed)

    found = search(numbers, bits, windows, tables=range(3, 14))

    assert len(found) == len(set(found))
    assert set(found) == within_windows(numbers, bits, windows, range(3, 14))


@BITS
def test_the_distance_is_inclusive(bits):
    numbers = [0, (1 << 12) - 1, ((1 << 13) - 1) << (bits - 13)]

    assert search(numbers, bits, Windows(12, window=3)) == [(0, (1 << 12) - 1, 12)]


@BITS
def test_the_words_of_a_long_fingerprint_all_count(bits):
    numbers = [0, 1 << (bits - 1) | 1]

    assert search(numbers, bits, Windows(1, window=1)) == []
    assert search(numbers, bits, Windows(2, window=1)) == [(0, numbers[1], 2)]


def crowded(bits: int, n: int = 3000) -> list[int]:
    """Draw fingerprints with many near pairs and, for 128 bits, many equal keys."""
    rng = np.random.default_rng(3)
    low = rng.integers(0, 1 << 14, size=n).tolist()
    high = rng.integers(0, 4, size=n).tolist()
    return sorted({(a << (bits - 2)) ^ b for a, b in zip(high, low, strict=True)})


@BITS
def test_the_order_of_the_input_changes_nothing(bits):
    numbers = crowded(bits)
    shuffled = np.random.default_rng(4).permutation(len(numbers))
    windows = Windows(4, window=3)

    found = search(numbers, bits, windows)

    assert len(found) > 1000
    assert set(search([numbers[i] for i in shuffled], bits, windows)) == set(found)


@BITS
def test_tables_can_be_shared_out_between_tasks(bits):
    numbers, windows = crowded(bits, 300), Windows(4, window=2)

    shares = [search(numbers, bits, windows, tables=part) for part in (range(5), [5, 6], [7])]

    assert set().union(*shares) == set(search(numbers, bits, windows, tables=range(8)))


@BITS
def test_the_size_of_chunks_changes_nothing(bits, monkeypatch):
    numbers, windows = crowded(bits, 300), Windows(4, window=7)
    expected = search(numbers, bits, windows)
    for place in (module, orders, permutations):
        monkeypatch.setattr(place, "CHUNK", 5)
    monkeypatch.setattr(module, "HITS_AT_ONCE", 10)

    assert sorted(search(numbers, bits, windows)) == sorted(expected)


@BITS
def test_the_seed_changes_what_is_found(bits):
    numbers = crowded(bits)

    found = [set(search(numbers, bits, Windows(4, 1, seed), tables=[0])) for seed in (0, 1)]

    assert found[0] != found[1]


@BITS
@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_compare_gives_no_pairs(bits, n):
    assert search([5] * n, bits, Windows(3, window=8)) == []


@pytest.mark.parametrize(("max_distance", "window"), [(-1, 1), (129, 1), (3, 0), (3, 1025)])
def test_numbers_out_of_range_are_config_errors(max_distance, window):
    with pytest.raises(ConfigError, match="must be a whole number"):
        Windows(max_distance, window)


@BITS
@given(data=st.data(), window=st.integers(1, 6))
def test_a_planted_pair_is_found_as_if_it_alone_had_been_added(bits, data, window):
    numbers = data.draw(fingerprints(bits, max_size=30).filter(len))
    flips = data.draw(st.lists(st.integers(1, 2**bits - 1), min_size=1, max_size=8, unique=True))
    pairs = [
        (numbers[i % len(numbers)], numbers[i % len(numbers)] ^ f) for i, f in enumerate(flips)
    ]
    tables = range(2, 6)
    expected = []
    for number, (original, planted) in enumerate(pairs):
        for table in tables:
            ranked = sorted_by_table([*numbers, planted], bits, table, 0, len(numbers))
            if abs(ranked.index(original) - ranked.index(planted)) <= window:
                expected += [number] if planted not in numbers else []
                break

    found = search_planted(numbers, pairs, bits, Windows(3, window), tables)

    assert sorted(found) == expected


@BITS
def test_planted_pairs_change_no_real_pair(bits):
    numbers, windows = crowded(bits, 300), Windows(4, window=2)
    planted = plant(as_words(numbers, bits), distance=4, count=500)

    alone = find_near(as_words(numbers, bits), windows, tables=range(8))
    beside = find_near(as_words(numbers, bits), windows, tables=range(8), planted=planted)

    pairs, probes = zip(*beside, strict=True)
    reported = [[part.tolist() for part in p] for p in pairs if len(p.left)]
    assert reported == [[part.tolist() for part in p] for p, _ in alone]
    assert len(np.concatenate(probes)) == len(np.unique(np.concatenate(probes))) > 0


@BITS
def test_a_planted_pair_is_left_out_where_it_is_real_or_its_original_is_missing(bits):
    numbers = [0, 7, 1 << (bits - 1)]

    found = search_planted(numbers, [(0, 7), (5, 4), (0, 6)], bits, Windows(3, window=9))

    assert found == [2]
    nodes = sort_nodes(as_words(numbers, bits))
    assert is_present(nodes, as_words([7, 6, 1 << (bits - 1)], bits)).tolist() == [
        True,
        False,
        True,
    ]


@BITS
@given(data=st.data(), distance=st.integers(1, 30), seed=st.integers(-3, 3))
def test_planted_pairs_have_their_distance_and_are_new(bits, data, distance, seed):
    numbers = data.draw(fingerprints(bits, max_size=9).filter(len))
    shuffled = data.draw(st.permutations(numbers))

    pairs = plant(as_words(numbers, bits), distance=distance, count=20, seed=seed)

    originals, planted = as_numbers(pairs.originals), as_numbers(pairs.planted)
    apart = {(a ^ b).bit_count() for a, b in zip(originals, planted, strict=True)}
    assert apart <= {distance}
    assert set(originals) <= set(numbers)
    assert len(set(planted) - set(numbers)) == len(planted)
    again = plant(as_words(shuffled, bits), distance=distance, count=20, seed=seed)
    assert as_numbers(again.planted) == planted


@BITS
def test_planted_pairs_flip_all_bits_alike(bits):
    pairs = plant(as_words([0], bits), distance=bits // 4, count=2000)

    ones = [sum(number >> bit & 1 for number in as_numbers(pairs.planted)) for bit in range(bits)]
    assert len(pairs.planted) == 2000
    assert 400 < min(ones) < 500 < max(ones) < 600


def test_what_cannot_be_planted_anew_is_left_out():
    cube = as_words([0, *(1 << bit for bit in range(64))], 64)

    assert len(plant(cube, distance=1, count=1).planted) == 0
    assert 0 < len(plant(cube, distance=1, count=65).planted) < 65


@pytest.mark.parametrize(("n", "distance"), [(0, 3), (1, 0), (1, 65)])
def test_planting_without_ground_or_bits_is_a_config_error(n, distance):
    with pytest.raises(ConfigError, match="give a sample, and a smaller max_distance"):
        plant(as_words([1] * n, 64), distance=distance, count=1)


@BITS
@given(data=st.data())
def test_a_rank_counts_the_smaller_ones(bits, data):
    numbers, wanted = data.draw(fingerprints(bits)), data.draw(fingerprints(bits))

    ranks = rank(sort_nodes(as_words(numbers, bits)), as_words(wanted, bits)).tolist()

    assert ranks == [sum(number < one for number in numbers) for one in wanted]


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), unique=True)))
def test_distinct_pairs_are_those_of_a_set(calls):
    """Few slots, so that many pairs want the same one."""
    met, known = DistinctPairs(n_slots=2), set()
    for call in calls:
        left, right = (np.array([pair[i] for pair in call], dtype=np.uint64) for i in (0, 1))
        new = met.add(left, right)
        assert new.tolist() == [pair not in known for pair in call]
        known |= set(call)
    assert len(met) == len(known)


def test_distinct_pairs_take_at_most_64_bytes_each():
    numbers = np.arange(1, 200_001, dtype=np.uint64)
    met = DistinctPairs()
    for _ in range(20):
        met.add(numbers, numbers + np.uint64(1))

    assert len(met) == 200_000
    assert met.n_bytes <= 64 * 200_000
