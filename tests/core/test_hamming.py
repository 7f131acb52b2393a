from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.join.hamming import distances, popcounts, popcounts_without_instruction

WORDS = st.integers(0, 2**64 - 1)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1))
def test_popcounts_count_the_ones_of_all_words(rows):
    words = np.array(rows, dtype=np.uint64)

    assert popcounts(words).tolist() == [low.bit_count() + high.bit_count() for low, high in rows]


@given(st.lists(WORDS))
def test_counting_without_the_instruction_gives_the_same(values):
    words = np.array(values, dtype=np.uint64)

    assert popcounts_without_instruction(words).tolist() == [value.bit_count() for value in values]


def test_opposite_fingerprints_of_128_bits_differ_in_all():
    zeros = np.zeros((1, 2), dtype=np.uint64)

    assert distances(zeros, ~zeros).tolist() == [128]
