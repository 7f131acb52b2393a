from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.vote.distinct import distinct_hashes
from simhash_spark.core.vote.votes import count_votes, majority, total_weights

WORD = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 3),  # equal in all bits that are packed
    st.sampled_from([2**63, 2**63 + 1, 2**63 + 2]),
)


@given(st.lists(st.tuples(st.integers(0, 4), WORD), min_size=1, max_size=60))
def test_each_hash_of_a_document_stays_once(pairs: list[tuple[int, int]]):
    docs = np.array([doc for doc, _ in pairs], dtype=np.int64)
    hashes = np.array([[word, word ^ 1] for _, word in pairs], dtype=np.uint64)

    kept, n_features, counts = distinct_hashes(hashes, docs, 5, is_counted=True)

    expected = [sorted({word for d, word in pairs if d == doc}) for doc in range(5)]
    ends = np.cumsum(n_features)
    actual = [sorted(part[:, 0].tolist()) for part in np.split(kept, ends[:-1])]
    assert actual == expected
    assert (kept[:, 1] == kept[:, 0] ^ np.uint64(1)).all()
    places = np.repeat(np.arange(5), n_features).tolist()
    kept_pairs = list(zip(places, kept[:, 0].tolist(), strict=True))
    assert counts.tolist() == [pairs.count(pair) for pair in kept_pairs]


@pytest.mark.parametrize("n_features", [1, 2, 254, 255, 256, 510, 511, 3000])
def test_votes_are_counted_over_segments(n_features: int):
    rng = np.random.default_rng(n_features)
    hashes = rng.integers(0, 2**64, size=(n_features + 3, 2), dtype=np.uint64)

    votes = count_votes(hashes, np.array([0, 1, n_features, 0, 2], dtype=np.int64))

    bits = [[word >> bit & 1 for word in row for bit in range(64)] for row in hashes.tolist()]
    parts = [[], bits[:1], bits[1:-2], [], bits[-2:]]
    expected = [[sum(column) for column in zip(*part, strict=True)] or [0] * 128 for part in parts]
    assert votes.tolist() == expected


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 2**40), WORD), max_size=9), min_size=1, max_size=5),
    st.sampled_from([1, 1 << 24, 1 << 36]),
)
def test_weights_add_up_in_lanes_of_any_width(docs: list[list[tuple[int, int]]], divisor: int):
    rows = [(weight // divisor, word) for doc in docs for weight, word in doc]
    hashes = np.array([word for _, word in rows], dtype=np.uint64).reshape(-1, 1)
    weights = np.array([weight for weight, _ in rows], dtype=np.int64)
    n_features = np.array([len(doc) for doc in docs], dtype=np.int64)

    votes = count_votes(hashes, n_features, weights)

    assert votes.tolist() == [
        [sum(weight // divisor for weight, word in doc if word >> bit & 1) for bit in range(64)]
        for doc in docs
    ]
    assert total_weights(n_features, weights).tolist() == [
        sum(weight // divisor for weight, _ in doc) for doc in docs
    ]


def test_a_lane_counts_255_votes_of_one_bit():
    hashes = np.full((255 + 255 + 1, 1), 2**64 - 1, dtype=np.uint64)

    assert count_votes(hashes, np.array([511], dtype=np.int64)).tolist() == [[511] * 64]


@pytest.mark.parametrize(("n_votes", "bit"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)])
def test_a_tie_gives_0(n_votes: int, bit: int):
    votes = np.zeros((1, 64), dtype=np.int64)
    votes[0, 63] = n_votes

    assert majority(votes, np.array([4], dtype=np.int64)).tolist() == [[bit << 63]]


@pytest.mark.parametrize(("n_votes", "bit"), [(1, 0), (2, 1), (3, 1)])
def test_a_tie_gives_1_where_it_is_asked_to(n_votes: int, bit: int):
    votes = np.zeros((1, 64), dtype=np.int64)
    votes[0, 63] = n_votes

    assert majority(votes, np.array([4], dtype=np.int64), 1).tolist() == [[bit << 63]]
