"""Texts to fingerprints: clean, cut into features, hash, and let each bit be voted on.

Every feature of a document votes on every bit with its weight; a bit is 1 where
more than half of the weight says so. The result is a function of the one
document: the chunks and pieces that it is computed in leave no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.clean.chunks import clean_texts
from simhash_spark.core.hash.features import hash_features
from simhash_spark.core.longtexts import count_long
from simhash_spark.core.tokenize.ngrams import find_features
from simhash_spark.core.tokenize.scoring import score_words
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.core.vote.votes import count_votes, majority, total_weights
from simhash_spark.core.vote.weights import Weighed, as_whole, weigh_features
from simhash_spark.core.worker import once_per_worker
from simhash_spark.profiles.scored import Keywords, Scored, Tagged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Booleans, Bytes, Floats, Integers, Words
    from simhash_spark.profiles import FingerprintSettings

CHUNK_CHARACTERS = 3 << 15
"""Text worked on at once: enough to forget the cost of a call, few enough for the cache."""

CHUNK_DOCS = 1 << 14
LONG_BYTES = 1 << 20
"""Longer texts are read in pieces, to bound memory."""


@dataclass(frozen=True)
class FingerprintBatch:
    """The fingerprints of a batch of documents.

    Parameters
    ----------
    words : ndarray of shape (n_docs, n_words), dtype uint64
        Word 0 holds bits 0 to 63, word 1 bits 64 to 127; meaningless where
        ``has_fingerprint`` is False.
    has_fingerprint : ndarray of shape (n_docs,), dtype bool
        Whether the document has as many features as the profile asks for.
    n_features : ndarray of shape (n_docs,), dtype int64
        Features that voted: distinct ones, or every occurrence where those
        are counted; 0 only where the clean text is empty.
    """

    words: Words
    has_fingerprint: Booleans
    n_features: Integers


def fingerprint_texts(
    data: Bytes, offsets: Integers, settings: FingerprintSettings
) -> FingerprintBatch:
    """Fingerprint every text.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts, one after the other; invalid bytes count as U+FFFD.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, and the end of the last one.
    settings : FingerprintSettings
        What defines a fingerprint.

    Returns
    -------
    FingerprintBatch
        One row per text, in order.

    Notes
    -----
    Two features are the same where the first 64 bits of their hashes are, at
    either length, so word 0 is the fingerprint of 64 bits.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> data = np.frombuffer(b"abcde", dtype=np.uint8)
    >>> settings = FingerprintSettings(Profile("example", min_features=1))
    >>> fingerprint_texts(data, np.array([0, 5], dtype=np.int64), settings).words
    array([[2321271983248423864]], dtype=uint64)
    """
    n_docs = len(offsets) - 1
    words = np.zeros((n_docs, settings.bits // 64), dtype=np.uint64)
    n_features = np.zeros(n_docs, dtype=np.int64)
    once_per_worker("freed_memory", _keep_freed_memory)
    for begin, end in _chunks(data, offsets):
        piece = slice(begin, end)
        bounds = offsets[begin : end + 1]
        words[piece], n_features[piece] = _fingerprint_chunk(data, bounds, settings)
    return FingerprintBatch(words, n_features >= settings.profile.min_features, n_features)


def fingerprint_features(
    spans: tuple[Bytes, Integers],
    n_features: Integers,
    settings: FingerprintSettings,
    weights: Floats | None = None,
) -> FingerprintBatch:
    """Fingerprint documents whose features are given: only hash and tie of the profile count.

    Parameters
    ----------
    spans : tuple of ndarray
        UTF-8 of the features, one after the other, and where each starts in
        it, and the end: dtypes uint8 and int64, as in an Arrow string column.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    settings : FingerprintSettings
        What defines a fingerprint.
    weights : ndarray of shape (n_features,), dtype float64, optional
        Their weights; none: each weighs 1. Those of repeated features add up.

    Returns
    -------
    FingerprintBatch
        One row per document, in order; no fingerprint where all weights are 0.

    Raises
    ------
    ConfigError
        If a weight is negative, NaN or infinite.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> from simhash_spark.profiles.steps import Fnv1
    >>> settings = FingerprintSettings(Profile("example", hash=Fnv1(), tie=1, min_features=1))
    >>> spans = np.frombuffer(b"foobar", dtype=np.uint8), np.array([0, 3, 6], dtype=np.int64)
    >>> fingerprint_features(spans, np.array([2], dtype=np.int64), settings).words
    array([[15626337424163814835]], dtype=uint64)
    """
    data, offsets = spans
    profile, n_docs = settings.profile, len(n_features)
    lengths = np.diff(offsets)
    hashes = hash_features(data, offsets[:-1], lengths, profile.hash, n_words=settings.bits // 64)
    whole = None
    if weights is not None:
        docs = np.repeat(np.arange(n_docs, dtype=np.int64), n_features)
        whole = as_whole(weights, docs, n_docs)
    words, n_voted = _vote(Weighed(hashes, n_features, whole), profile.tie)
    return FingerprintBatch(words, n_voted >= profile.min_features, n_voted)


def _chunks(data: Bytes, offsets: Integers) -> Iterator[tuple[int, int]]:
    """Cut the documents into chunks of about ``CHUNK_CHARACTERS``."""
    begin, n_docs = 0, len(offsets) - 1
    while begin < n_docs:
        start = int(offsets[begin])
        head = data[start : min(start + CHUNK_CHARACTERS, int(offsets[-1]))]
        n_characters = int(np.count_nonzero((head & 0xC0) != 0x80))
        n_bytes = CHUNK_CHARACTERS * len(head) // max(n_characters, len(head) // 4, 1)
        fitting = int(np.searchsorted(offsets, start + n_bytes, side="right")) - 1
        end = min(max(fitting, begin + 1), begin + CHUNK_DOCS, n_docs)
        yield begin, end
        begin = end


def _keep_freed_memory() -> int:
    """Let glibc keep up to 62 MB that we free, for the next chunk.

    It gives memory back from twice the largest block on that was mapped and freed, and takes page
    faults to get it again: up to 40 % of our time. Freeing a block of 31 MB, never written to and
    thus never held, moves that limit.
    """
    return len(np.empty(31 << 20, dtype=np.uint8))


def _fingerprint_chunk(
    data: Bytes, offsets: Integers, settings: FingerprintSettings
) -> tuple[Words, Integers]:
    profile, n_docs, n_words = settings.profile, len(offsets) - 1, settings.bits // 64
    data, offsets = clean_texts(data, offsets, profile.clean)
    if isinstance(profile.tokenize, Keywords | Tagged | Scored):
        spans, n_features, weights = score_words(data, offsets, profile.tokenize)
        batch = fingerprint_features(spans, n_features, settings, weights)
        return batch.words, batch.n_features
    data, offsets = prepare_texts(data, offsets, profile.tokenize)
    if len(data) > LONG_BYTES and n_docs == 1:
        votes, totals, n_features = count_long(data, profile, n_words)
        return majority(votes, totals, profile.tie), n_features
    found = find_features(data, offsets, profile.tokenize)
    if not len(found.starts):
        return np.zeros((n_docs, n_words), dtype=np.uint64), np.zeros(n_docs, dtype=np.int64)
    hashes = hash_features(data, found.starts, found.lengths, profile.hash, n_words=n_words)
    return _vote(weigh_features(hashes, found.docs, n_docs, profile.weigh), profile.tie)


def _vote(weighed: Weighed, tie: int) -> tuple[Words, Integers]:
    votes = count_votes(weighed.hashes, weighed.n_features, weighed.weights)
    totals = total_weights(weighed.n_features, weighed.weights)
    words = majority(votes, totals, tie)
    words[totals == 0] = 0
    return words, np.where(totals > 0, weighed.n_features, 0)
