from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.join.bands import Band, band_of, cut_bits
from simhash_spark.core.join.tables import (
    choose_bands,
    find_regions,
    is_first_match,
    least_distance,
)

BITS = 64


def words(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.uint64).reshape(-1, 1)


@given(st.sets(st.integers(0, 63), max_size=6), st.integers(0, 3), st.permutations(range(64)))
def test_each_difference_belongs_to_exactly_one_table(flipped, spare, positions):
    budget = len(flipped) + spare % 2
    tables = choose_bands(cut_bits(positions, budget + 1 + spare // 2), budget)
    difference = words([sum(1 << bit for bit in flipped)])

    assert sum(bool(is_first_match(difference, [table])[0]) for table in tables) == 1


@given(
    st.sets(st.integers(0, 63), min_size=1, max_size=6),
    st.integers(1, 2),
    st.integers(0, 6),
    st.integers(1, 2),
)
def test_each_difference_has_exactly_one_path_through_any_region(flipped, extra, skip, second):
    """The bands that a table knows to differ use up the distance: fewer are enough below it."""
    max_distance = len(flipped)
    difference = words([sum(1 << bit for bit in flipped)])
    first = choose_bands(cut_bits(range(BITS), max_distance + extra), max_distance)
    (table,) = [table for table in first if is_first_match(difference, [table])[0]]
    regions = [
        region
        for region in find_regions([table], bits=BITS, max_distance=max_distance)
        if len(region.positions) >= region.budget + second
    ]
    region = regions[min(skip, len(regions) - 1)]
    below = choose_bands(cut_bits(region.positions, region.budget + second), region.budget)

    assert sum(bool(is_first_match(difference, [table, deep])[0]) for deep in below) == 1


def test_regions_leave_out_what_is_agreed_on_and_known_to_differ():
    bands = cut_bits(range(64), 4)
    third = choose_bands(bands, 3)[2]

    regions = list(find_regions([third], bits=64, max_distance=3))

    assert [(len(region.positions), region.budget) for region in regions] == [
        (16, 1),
        (32, 2),
        (48, 3),
    ]
    assert not {32, 47} & set(regions[-1].positions)


@pytest.mark.parametrize("n_bands", [4, 5, 6])
def test_tables_are_all_choices_in_order(n_bands):
    bands = [band_of([at]) for at in range(n_bands)]
    tables = choose_bands(bands, 3)

    chosen = [tuple(at for at in range(n_bands) if table.key.mask >> at & 1) for table in tables]
    assert chosen == list(combinations(range(n_bands), n_bands - 3))
    assert [least_distance([table]) for table in tables] == [
        max(choice) + 1 - len(choice) for choice in chosen
    ]


def test_a_key_across_words_must_agree_in_both():
    table = choose_bands([Band(((0, 60, 4), (1, 0, 4)))], 0)[0]
    differences = np.array([[0, 1], [1 << 60, 0], [1, 1 << 9]], dtype=np.uint64)

    assert is_first_match(differences, [table]).tolist() == [False, False, True]
