"""Feature hashes to fingerprints: each distinct hash of a document votes on every bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Hashes, Integers, Words

LANES = np.uint64(0x0101010101010101)
LANE_FULL = 255
"""Votes that a lane of eight bits can count."""


def distinct_hashes(hashes: Hashes, docs: Integers, n_docs: int) -> tuple[Hashes, Integers]:
    """Keep one of the features of a document whose word 0 is the same.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Feature hashes in any order; at least one.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each feature, from 0.
    n_docs : int
        Number of documents.

    Returns
    -------
    hashes : ndarray of shape (n_distinct, n_words), dtype uint64
        Distinct hashes, document by document.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.

    Notes
    -----
    One sort of words packed from document, first bits of the hash and
    position. Neighbours equal in what was packed are compared in full; where
    they differ, all features are sorted by the full hash instead.

    Examples
    --------
    >>> hashes = np.array([[7], [9], [7], [7]], dtype=np.uint64)
    >>> distinct_hashes(hashes, np.array([0, 0, 0, 1], dtype=np.int64), 2)[1].tolist()
    [2, 1]
    """
    first = hashes[:, 0]
    order, is_same = _sorted_by_prefix(first, docs, n_docs)
    is_repeated = is_same & (first[order[1:]] == first[order[:-1]])
    if not np.array_equal(is_same, is_repeated):
        order = np.lexsort((first, docs))
        is_same = docs[order[1:]] == docs[order[:-1]]
        is_repeated = is_same & (first[order[1:]] == first[order[:-1]])
    kept = order[np.append(True, ~is_repeated)]
    return hashes[kept], np.bincount(docs[kept], minlength=n_docs).astype(np.int64)


def count_votes(hashes: Hashes, n_features: Integers) -> Integers:
    """Count the features of each document that have each bit set.

    Parameters
    ----------
    hashes : ndarray of shape (n_distinct, n_words), dtype uint64
        Distinct hashes, document by document.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.

    Returns
    -------
    ndarray of shape (n_docs, n_words * 64), dtype int64
        Votes; column i is bit i.

    Notes
    -----
    Eight bits are counted at once, each in a byte of the word, over segments
    of at most 255 features.

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
    n_segments = -(-counts // LANE_FULL)
    first_segments = np.cumsum(n_segments) - n_segments
    within = np.arange(int(n_segments.sum()), dtype=np.int64) - np.repeat(
        first_segments, n_segments
    )
    starts = np.repeat(np.cumsum(counts) - counts, n_segments) + within * LANE_FULL
    for word in range(hashes.shape[1]):
        sums = _count_lanes(np.ascontiguousarray(hashes[:, word]), starts)
        if len(starts) > len(filled):
            sums = np.add.reduceat(sums, first_segments, axis=0)
        votes[filled, word * 64 : word * 64 + 64] = sums
    return votes


def majority(votes: Integers, n_features: Integers) -> Words:
    """Set each bit that more than half of the features have set; a tie gives 0.

    Parameters
    ----------
    votes : ndarray of shape (n_docs, n_words * 64), dtype int64
        Features with each bit set.
    n_features : ndarray of shape (n_docs,), dtype int64
        Features in all.

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
    is_set = votes * 2 > n_features[:, np.newaxis]
    packed = np.packbits(is_set, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


def _sorted_by_prefix(first: Words, docs: Integers, n_docs: int) -> tuple[Integers, Booleans]:
    """Order by document and first bits of the hash, and where neighbours agree in both."""
    doc_bits = max((n_docs - 1).bit_length(), 1)
    place_bits = max((len(first) - 1).bit_length(), 1)
    hash_bits = 64 - doc_bits - place_bits
    keys = first >> np.uint64(64 - hash_bits)
    keys |= docs.astype(np.uint64) << np.uint64(hash_bits)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(len(first), dtype=np.uint64)
    keys.sort()
    order = (keys & np.uint64((1 << place_bits) - 1)).astype(np.int64)
    keys >>= np.uint64(place_bits)
    return order, keys[1:] == keys[:-1]


def _count_lanes(hashes: Words, starts: Integers) -> Integers:
    """Count per segment and bit; starts are those of segments of at most 255 hashes."""
    sums = np.empty((len(starts), 8, 8), dtype=np.uint8)
    for bit in range(8):
        lanes = (hashes >> np.uint64(bit)) & LANES
        totals = np.add.reduceat(lanes, starts).astype("<u8")
        sums[:, :, bit] = totals.view(np.uint8).reshape(-1, 8)
    return sums.reshape(-1, 64).astype(np.int64)
