from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.vote.thresholds import exceeding, median_shares, shares_of
from simhash_spark.core.vote.votes import majority

LARGEST = 2**63 - 1
TOTALS = st.integers(1, 9) | st.integers(1, LARGEST) | st.sampled_from([2**20, 2**43, LARGEST])
CASES = TOTALS.flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n) | st.just(n)))
SHARES = st.integers(0, 2**20) | st.sampled_from([0, 1, 2**19, 2**20 - 1, 2**20])


@given(st.lists(CASES, min_size=1, max_size=9))
def test_shares_are_exact_for_any_weights(cases: list[tuple[int, int]]):
    totals = np.array([total for total, _ in cases], dtype=np.int64)
    votes = np.array([[vote] * 64 for _, vote in cases], dtype=np.int64)

    shares = shares_of(votes, totals)

    assert shares[:, 0].tolist() == [vote * 2**20 // total for total, vote in cases]
    assert (shares == shares[:, :1]).all()


@given(CASES, st.lists(SHARES, min_size=64, max_size=64), st.sampled_from([0, 1]))
def test_a_bit_is_set_where_its_share_is_above_the_threshold(
    case: tuple[int, int], thresholds: list[int], tie: int
):
    total, vote = case
    thresholds[5] = vote * 2**20 // total  # as near as can be, often equal
    thresholds[6] = min(thresholds[5] + 1, 2**20)  # above the share by less than a vote
    votes = np.full((1, 64), vote, dtype=np.int64)

    words = exceeding(votes, np.array([total], dtype=np.int64), tuple(thresholds), tie)

    leads = [Fraction(vote, total) - Fraction(threshold, 2**20) for threshold in thresholds]
    expected = [lead > 0 or (lead == 0 and tie == 1) for lead in leads]
    assert words.tolist() == [[sum(bit << place for place, bit in enumerate(expected))]]


@given(st.lists(CASES, min_size=64, max_size=64), st.sampled_from([0, 1]))
def test_half_as_threshold_is_the_majority(cases: list[tuple[int, int]], tie: int):
    total = max(total for total, _ in cases)
    votes = np.array([[vote for _, vote in cases]], dtype=np.int64)
    totals = np.array([total], dtype=np.int64)

    by_half = exceeding(votes, totals, (2**19,) * 64, tie)

    assert by_half.tolist() == majority(votes, totals, tie).tolist()


@given(st.lists(st.integers(0, 2**20), min_size=1, max_size=30), st.randoms())
def test_the_lower_median_is_taken_whatever_the_order(values: list[int], rng):
    expected = sorted(values)[(len(values) - 1) // 2]
    rng.shuffle(values)

    assert median_shares(np.array([values], dtype=np.int32).T) == (expected,)


def test_thresholds_of_128_bits_stand_in_two_words():
    votes = np.array([[3] * 128], dtype=np.int64)

    words = exceeding(votes, np.array([4]), (2**20,) * 64 + (0,) + (2**20,) * 63)

    assert words.tolist() == [[0, 1]]
