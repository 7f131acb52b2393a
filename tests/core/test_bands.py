from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.join.bands import WORD_BITS, band_of, cut_bits, differs, read_band

MASK = 2**64 - 1


def positions_of(band) -> list[int]:
    return [word * WORD_BITS + start + i for word, start, width in band.runs for i in range(width)]


@given(st.permutations(range(128)), st.integers(1, 128))
def test_bands_hold_every_bit_once_in_even_widths(positions, n_bands):
    bands = cut_bits(positions, n_bands)

    assert [p for band in bands for p in positions_of(band)] == positions
    assert len(bands) == n_bands
    assert max(band.width for band in bands) - min(band.width for band in bands) <= 1


@given(st.sets(st.integers(0, 127)))
def test_the_mask_of_a_band_has_its_bits(positions):
    assert band_of(sorted(positions)).mask == sum(1 << position for position in positions)


@given(st.integers(0, 2**128 - 1), st.sets(st.integers(0, 127), min_size=1))
def test_two_fingerprints_differ_on_a_band_where_one_of_its_bits_does(difference, positions):
    words = np.array([[difference & MASK, difference >> 64]], dtype=np.uint64)

    expected = any(difference >> position & 1 for position in positions)
    assert differs(words, band_of(sorted(positions))).tolist() == [expected]


@given(st.permutations(range(128)), st.integers(1, 64), st.integers(0, 2**128 - 1))
def test_a_band_is_read_run_by_run_the_first_lowest(positions, width, value):
    band = band_of(positions).head(width)
    words = np.array([[value & MASK, value >> 64]], dtype=np.uint64)

    expected = sum((value >> position & 1) << at for at, position in enumerate(positions[:width]))
    assert positions_of(band) == positions[:width]
    assert read_band(words, band).tolist() == [expected]


@pytest.mark.parametrize("value", [2**64 - 1, 2**63])
def test_a_band_of_a_whole_word_keeps_bit_63(value):
    words = np.array([[value]], dtype=np.uint64)

    assert read_band(words, band_of(range(64))).tolist() == [value]


def test_an_empty_band_puts_everything_together():
    words = np.array([[3], [9]], dtype=np.uint64)

    assert read_band(words, band_of([])).tolist() == [0, 0]
