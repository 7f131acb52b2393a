"""Weighed hashes to fingerprints: each feature of a document votes on every bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Hashes, Integers, Words

LANE_FULL = 255
"""Votes of weight 1 that a lane of eight bits can count."""


@dataclass(frozen=True)
class Votes:
    """What the features of a batch of documents say about each bit.

    Parameters
    ----------
    votes : ndarray of shape (n_docs, bits), dtype int64
        Weight of the features with each bit set.
    totals : ndarray of shape (n_docs,), dtype int64
        Weight of all features.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them the document has.
    """

    votes: Integers
    totals: Integers
    n_features: Integers


def count_votes(hashes: Hashes, n_features: Integers, weights: Integers | None = None) -> Integers:
    """Add up the weights of the features of each document that have each bit set.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Hashes, document by document.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    weights : ndarray of shape (n_features,), dtype int64, optional
        Their weights, which add up to less than 2^63; none: each weighs 1.

    Returns
    -------
    ndarray of shape (n_docs, n_words * 64), dtype int64
        Votes; column i is bit i.

    Notes
    -----
    Several bits are counted at once, each in a lane of the word: without
    weights in eight of eight bits, over segments of at most 255 features;
    with weights in lanes wide enough for the sum.

    Examples
    --------
    >>> hashes = np.array([[1], [3], [2]], dtype=np.uint64)
    >>> count_votes(hashes, np.array([2, 1], dtype=np.int64))[:, :3].tolist()
    [[2, 1, 0], [0, 1, 0]]
    """
    votes = np.zeros((len(n_features), hashes.shape[1] * 64), dtype=np.int64)
    filled = np.flatnonzero(n_features)
    if not len(filled):
        return votes
    counts = n_features[filled]
    starts = np.cumsum(counts) - counts
    for word in range(hashes.shape[1]):
        column = np.ascontiguousarray(hashes[:, word])
        if weights is None:
            sums = _count_segments(column, starts, counts)
        else:
            sums = _add_lanes(column, starts, _lane_bits(weights, starts), weights)
        votes[filled, word * 64 : word * 64 + 64] = sums
    return votes


def total_weights(n_features: Integers, weights: Integers | None = None) -> Integers:
    """Add up the weights of all features of each document.

    >>> total_weights(np.array([2, 0, 1], dtype=np.int64), np.array([5, 1, 9], dtype=np.int64))
    array([6, 0, 9])
    """
    if weights is None:
        return n_features
    ends = np.cumsum(n_features)
    sums = np.append(0, np.cumsum(weights))
    return sums[ends] - sums[ends - n_features]


def majority(votes: Integers, totals: Integers, tie: int = 0) -> Words:
    """Set each bit that has more than half of the weight.

    Parameters
    ----------
    votes : ndarray of shape (n_docs, n_words * 64), dtype int64
        Features with each bit set.
    totals : ndarray of shape (n_docs,), dtype int64
        Weight of all features.
    tie : {0, 1}
        The bit that has half of it.

    Returns
    -------
    ndarray of shape (n_docs, n_words), dtype uint64
        Fingerprints.

    Examples
    --------
    >>> votes = np.zeros((1, 64), dtype=np.int64)
    >>> votes[0, :3] = [2, 1, 2]
    >>> majority(votes, np.array([2], dtype=np.int64)).tolist()
    [[5]]
    """
    lead = votes - (totals[:, np.newaxis] - votes)
    is_set = lead >= 0 if tie else lead > 0
    return as_words(is_set)


def as_words(is_set: Booleans) -> Words:
    """Pack bits into words, bit 0 lowest.

    >>> as_words(np.array([[True, False, True] + [False] * 61])).tolist()
    [[5]]
    """
    packed = np.packbits(is_set, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


def _count_segments(hashes: Words, starts: Integers, counts: Integers) -> Integers:
    """Count per document and bit, over segments that a lane of eight bits can count."""
    n_segments = -(-counts // LANE_FULL)
    if len(starts) == n_segments.sum():
        return _add_lanes(hashes, starts, 8)
    first_segments = np.cumsum(n_segments) - n_segments
    within = np.arange(int(n_segments.sum()), dtype=np.int64) - np.repeat(
        first_segments, n_segments
    )
    sums = _add_lanes(hashes, np.repeat(starts, n_segments) + within * LANE_FULL, 8)
    # np.add.reduceat along the first axis takes four times as long
    up_to = np.cumsum(sums, axis=0)[first_segments + n_segments - 1]
    up_to[1:] -= up_to[:-1].copy()
    return up_to


def _lane_bits(weights: Integers, starts: Integers) -> int:
    """Bits of a lane that holds the sum of the weights from each start to the next."""
    largest = int(np.add.reduceat(weights, starts).max())
    return next(bits for bits in (16, 32, 64) if largest >> bits == 0)


def _add_lanes(
    hashes: Words, starts: Integers, lane_bits: int, weights: Integers | None = None
) -> Integers:
    """Add up per bit, from each start to the next; no sum may exceed its lane."""
    lanes = np.uint64(sum(1 << place for place in range(0, 64, lane_bits)))
    totals = np.empty((lane_bits, len(starts)), dtype="<u8")
    votes = np.empty_like(hashes)  # written again for each bit: fresh memory costs page faults
    for bit in range(lane_bits):
        np.right_shift(hashes, np.uint64(bit), out=votes)
        votes &= lanes
        if weights is not None:
            votes *= weights.view(np.uint64)
        np.add.reduceat(votes, starts, out=totals[bit])
    sums = totals.view(f"<u{lane_bits // 8}").reshape(lane_bits, len(starts), -1)
    return sums.transpose(1, 2, 0).reshape(-1, 64).astype(np.int64)
