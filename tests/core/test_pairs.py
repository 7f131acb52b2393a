from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core import pairs as module
from simhash_spark.core.bands import BandLayout, read_band
from simhash_spark.core.pairs import find_pairs, is_less

MASK = 2**64 - 1


def as_words(numbers: list[int], bits: int) -> np.ndarray:
    rows = [[number >> (64 * word) & MASK for word in range(bits // 64)] for number in numbers]
    return np.array(rows, dtype=np.uint64).reshape(-1, bits // 64)


def all_pairs(numbers: list[int], bits: int, max_distance: int) -> list[tuple[int, int, int]]:
    """Run every band over every bucket, as the stage does."""
    layout = BandLayout(bits, max_distance)
    words = as_words(numbers, bits)
    found = []
    for band, definition in enumerate(layout.bands):
        keys = read_band(words, definition)
        order = np.argsort(keys, kind="stable")
        buckets = np.unique(keys[order], return_inverse=True)[1]
        for left, right, distances in find_pairs(words[order], buckets, layout=layout, band=band):
            ends = zip(order[left], order[right], distances, strict=True)
            found += [(numbers[i], numbers[j], int(distance)) for i, j, distance in ends]
    return found


def brute_force(numbers: list[int], max_distance: int) -> list[tuple[int, int, int]]:
    couples = itertools.combinations(sorted(numbers), 2)
    near = ((a, b, (a ^ b).bit_count()) for a, b in couples)
    return [pair for pair in near if pair[2] <= max_distance]


def fingerprints(bits: int):
    """Mixtures of uniform fingerprints, near neighbours, and fingerprints that share most bits."""
    flips = st.sets(st.integers(0, bits - 1), max_size=18).map(lambda s: sum(1 << b for b in s))
    base = st.sampled_from([0, 1, 2**bits - 1, 1 << (bits - 1), 0x5555 << (bits // 2)])
    near = st.tuples(base, flips).map(lambda pair: pair[0] ^ pair[1])
    return st.lists(st.integers(0, 2**bits - 1) | near, unique=True, max_size=40)


@pytest.mark.parametrize(
    ("bits", "max_distance"), [(64, k) for k in range(9)] + [(128, k) for k in range(17)]
)
@given(data=st.data(), threshold=st.integers(1, 12))
def test_pairs_equal_brute_force_each_once(bits, max_distance, data, threshold):
    numbers = data.draw(fingerprints(bits))
    with pytest.MonkeyPatch.context() as patch:
        # A low threshold makes small buckets go through the cuts that large ones take.
        patch.setattr(module, "FULL_COMPARISON", threshold)
        found = all_pairs(numbers, bits, max_distance)

    assert sorted(found) == brute_force(numbers, max_distance)


def test_the_distance_is_inclusive():
    found = all_pairs([0, 0b111, 0b1111], 64, 3)

    assert sorted(found) == [(0, 0b111, 3), (0b111, 0b1111, 1)]


def test_a_dense_neighbourhood_of_large_buckets_is_complete():
    numbers = [0xABCD_0000_0000_0000 | value for value in range(1 << 10)]

    found = all_pairs(numbers, 64, 2)

    assert len(found) == len(set(found)) == 1024 * (10 + 45) // 2


def test_a_large_bucket_of_far_fingerprints_is_cut_not_compared_in_full(monkeypatch):
    compared = []
    count = module.popcounts
    monkeypatch.setattr(module, "popcounts", lambda x: compared.append(len(x)) or count(x))
    rng = np.random.default_rng(5)
    words = rng.integers(0, 2**64, size=(20_000, 1), dtype=np.uint64) & ~np.uint64(0xFFFF)

    list(find_pairs(words, np.zeros(20_000, dtype=np.int64), layout=BandLayout(64, 3), band=0))

    assert sum(compared) < 20_000 * 20_000 / 2 / 50


def test_constant_bits_do_not_stop_the_cutting(monkeypatch):
    """Fingerprints that share 40 bits: bands of constant bits alone would separate nothing."""
    compared = []
    count = module.popcounts
    monkeypatch.setattr(module, "popcounts", lambda x: compared.append(len(x)) or count(x))
    rng = np.random.default_rng(6)
    words = np.unique(rng.integers(0, 2**24, size=(20_000, 1), dtype=np.uint64), axis=0)

    list(find_pairs(words, np.zeros(len(words), dtype=np.int64), layout=BandLayout(64, 3), band=3))

    assert sum(compared) < 20_000 * 20_000 / 2 / 4


@pytest.mark.parametrize("n_docs", [0, 1])
def test_nothing_to_compare_gives_no_pairs(n_docs: int):
    words = np.zeros((n_docs, 1), dtype=np.uint64)
    buckets = np.zeros(n_docs, dtype=np.int64)

    assert list(find_pairs(words, buckets, layout=BandLayout(64, 3), band=0)) == []


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1))
def test_less_is_unsigned_over_all_words(left, right):
    assert is_less(as_words([left], 128), as_words([right], 128)).tolist() == [left < right]
