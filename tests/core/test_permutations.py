from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.windows import permutations as module
from simhash_spark.core.windows.permutations import (
    Table,
    bit_order,
    inverse,
    permute,
    table_of,
    turn,
)

MASK = 2**64 - 1


def as_columns(numbers: list[int], bits: int) -> np.ndarray:
    rows = [[number >> (64 * word) & MASK for number in numbers] for word in range(bits // 64)]
    return np.array(rows, dtype=np.uint64).reshape(bits // 64, len(numbers))


def as_numbers(columns: np.ndarray) -> list[int]:
    return [sum(word << 64 * i for i, word in enumerate(row)) for row in columns.T.tolist()]


def moved(number: int, order: list[int]) -> int:
    """Move bit after bit."""
    return sum((number >> bit & 1) << place for bit, place in enumerate(order))


def splitmix(number: int) -> int:
    number = number + 0x9E3779B97F4A7C15 & MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


@pytest.mark.parametrize("bits", [64, 128])
@given(number=st.integers(0, 10**6), seed=st.integers(-(2**70), 2**70))
def test_an_order_ranks_all_bits_by_their_splitmix_numbers(bits, number, seed):
    drawn = splitmix(splitmix(splitmix(seed % 2**64) + number & MASK))
    keys = [splitmix(drawn + bit & MASK) for bit in range(bits)]
    ranked = sorted(range(bits), key=lambda bit: keys[bit])

    assert bit_order(number, bits=bits, seed=seed).tolist() == ranked
    assert sorted(ranked) == list(range(bits))


@pytest.mark.parametrize("bits", [64, 128])
def test_orders_of_other_numbers_and_seeds_are_others(bits):
    orders = [bit_order(n, bits=bits, seed=seed) for n in range(20) for seed in range(20)]

    assert len({tuple(order.tolist()) for order in orders}) == 400


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("wide_from", [0, 100], ids=["by 16 bits", "by bytes"])
@given(data=st.data())
def test_every_bit_goes_to_its_place(bits, wide_from, data):
    numbers = data.draw(st.lists(st.integers(0, 2**bits - 1), max_size=9))
    order = data.draw(st.permutations(range(bits)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WIDE_FROM", wide_from)
        patch.setattr(module, "CHUNK", 4)  # several chunks, the last one not full
        permuted = permute(as_columns(numbers, bits), np.array(order))

    assert as_numbers(permuted) == [moved(number, order) for number in numbers]


@pytest.mark.parametrize("bits", [64, 128])
def test_the_inverse_undoes_a_permutation(bits):
    numbers = [1, 2**bits - 2, 0x1234_5678_9ABC_DEF0 << (bits - 64)]
    order = bit_order(7, bits=bits)

    assert as_numbers(permute(permute(as_columns(numbers, bits), order), inverse(order))) == numbers


@given(st.integers(0, MASK), st.integers(-3, 3))
def test_a_turn_rotates_by_16_bits_to_the_left(number, turns):
    text = f"{number:064b}"
    rotated = text[16 * turns % 64 :] + text[: 16 * turns % 64]

    assert turn(np.array([number] * 2, dtype=np.uint64), turns).tolist() == [int(rotated, 2)] * 2


def test_turns_reach_beyond_one_chunk(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 2)

    assert turn(np.arange(5, dtype=np.uint64), 1).tolist() == [n << 16 for n in range(5)]


def test_tables_number_the_turns_of_the_words_of_the_permutations():
    assert [table_of(n, n_words=1) for n in (0, 3, 4)] == [(0, 0, 0), (0, 0, 3), (1, 0, 0)]
    assert [table_of(n, n_words=2) for n in (3, 4, 8)] == [(0, 0, 3), (0, 1, 0), (1, 0, 0)]
    assert len({table_of(n, n_words=2) for n in range(80)}) == 80
    assert isinstance(table_of(0, n_words=1), Table)


@pytest.mark.parametrize("bits", [64, 128])
def test_all_tables_of_a_permutation_have_other_bits_on_top(bits):
    single = permute(as_columns([1 << bit for bit in range(bits)], bits), bit_order(3, bits=bits))
    tops = []
    for number in range(bits // 16):
        table = table_of(number, n_words=bits // 64)
        keys = turn(single[table.word], table.turn)
        tops += np.flatnonzero(keys >> np.uint64(48)).tolist()

    assert sorted(tops) == list(range(bits))
