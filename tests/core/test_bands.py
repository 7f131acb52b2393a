from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.bands import WORD_BITS, BandLayout, read_band, split_bits


def positions_of(band) -> list[int]:
    return [word * WORD_BITS + start + i for word, start, width in band.runs for i in range(width)]


@pytest.mark.parametrize(("bits", "limit"), [(64, 8), (128, 16)])
def test_bands_hold_every_bit_once(bits: int, limit: int):
    for max_distance in range(limit + 1):
        bands = BandLayout(bits, max_distance).bands
        held = sorted(position for band in bands for position in positions_of(band))
        assert held == list(range(bits))


@given(st.lists(st.integers(0, 127), unique=True, min_size=1), st.integers(0, 16))
def test_any_order_of_any_bits_is_dealt_out_once_in_even_widths(positions, max_distance):
    bands = split_bits(positions, max_distance)

    assert [p for band in bands for p in positions_of(band)] == positions
    assert len(bands) > max_distance
    assert max(band.width for band in bands) <= WORD_BITS
    assert max(band.width for band in bands) - min(band.width for band in bands) <= 1


@given(
    st.integers(0, 2**128 - 1),
    st.sets(st.integers(0, 127), max_size=16),
    st.permutations(range(128)),
)
def test_pairs_within_max_distance_share_a_band(fingerprint, flipped, positions):
    other = fingerprint ^ sum(1 << bit for bit in flipped)
    words = np.array([[f & (2**64 - 1), f >> 64] for f in (fingerprint, other)], dtype=np.uint64)

    keys = [read_band(words, band).tolist() for band in split_bits(positions, len(flipped))]

    assert any(left == right for left, right in keys)


def test_a_band_across_two_words_is_read_lowest_bit_first():
    (band,) = split_bits([62, 63, 64, 65], 0)
    words = np.array([[1 << 63, 0b10]], dtype=np.uint64)

    assert read_band(words, band).tolist() == [0b1010]


def test_a_band_of_a_whole_word_keeps_bit_63():
    (band,) = split_bits(range(64), 0)
    words = np.array([[2**64 - 1], [2**63]], dtype=np.uint64)

    assert read_band(words, band).tolist() == [2**64 - 1, 2**63]
