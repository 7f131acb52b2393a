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
from simhash_spark.core.longtexts import count_given, count_long
from simhash_spark.core.tokenize.callback import call_function
from simhash_spark.core.tokenize.ngrams import Spans, find_features
from simhash_spark.core.tokenize.scoring import score_words
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.core.vote.distinct import distinct_hashes
from simhash_spark.core.vote.votes import count_votes, majority, total_weights
from simhash_spark.core.vote.weights import Weighed, as_whole, check_weights, weigh_features
from simhash_spark.errors import CallbackError, ConfigError
from simhash_spark.profiles.callback import Callback
from simhash_spark.profiles.scored import Keywords, Scored, Tagged
from simhash_spark.profiles.steps import Given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Booleans, Bytes, Floats, Integers, Words
    from simhash_spark.profiles import FingerprintSettings

CHUNK_BYTES = 1 << 16
"""Text worked on at once; the arrays made of it should stay in the cache."""

CHUNK_FEATURES = 1 << 14
"""The same for features that are given."""

CHUNK_DOCS = 1 << 14
LONG_BYTES = 1 << 20
"""Longer texts are read in pieces, to bound memory."""

LONG_FEATURES = 1 << 18
"""Longer lists of given features are, too."""


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
        are counted; 0 where there is none (of weight above 0).
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

    Raises
    ------
    CallbackError
        If a function of the user fails.

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
    for begin, end in _chunks(offsets, CHUNK_BYTES):
        piece = slice(begin, end)
        bounds = offsets[begin : end + 1]
        try:
            words[piece], n_features[piece] = _fingerprint_chunk(data, bounds, settings)
        except CallbackError as error:
            raise error.moved(begin) from error.__cause__
    return FingerprintBatch(words, n_features >= settings.profile.min_features, n_features)


def fingerprint_features(
    spans: tuple[Bytes, Integers],
    n_features: Integers,
    settings: FingerprintSettings,
    weights: Floats | None = None,
) -> FingerprintBatch:
    """Fingerprint documents whose features are given: the profile cleans and cuts nothing.

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
        Their weights; those of repeated features add up, and features of weight
        0 are none. Without weights, the step ``weigh`` of the profile gives them.

    Returns
    -------
    FingerprintBatch
        One row per document, in order. With weights, distinct features are counted.

    Raises
    ------
    ConfigError
        If a weight is negative, NaN or infinite; if there are no weights and
        ``weigh`` is ``given``.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> from simhash_spark.profiles.steps import Fnv1
    >>> settings = FingerprintSettings(Profile("example", hash=Fnv1(), tie=1, min_features=1))
    >>> spans = np.frombuffer(b"foobar", dtype=np.uint8), np.array([0, 3, 6], dtype=np.int64)
    >>> fingerprint_features(spans, np.array([2], dtype=np.int64), settings).words
    array([[15626337424163814835]], dtype=uint64)
    """
    if weights is not None:
        check_weights(weights)
    elif isinstance(settings.profile.weigh, Given):
        message = "weigh = given needs features with weights: give some, or weigh by another step."
        raise ConfigError(message)
    (data, offsets), n_docs = spans, len(n_features)
    words = np.zeros((n_docs, settings.bits // 64), dtype=np.uint64)
    n_voted = np.zeros(n_docs, dtype=np.int64)
    ends = np.append(0, np.cumsum(n_features, dtype=np.int64))
    for begin, end in _chunks(ends, CHUNK_FEATURES):
        piece, own = slice(begin, end), slice(ends[begin], ends[end])
        bounds = offsets[ends[begin] : ends[end] + 1]
        given = data[bounds[0] : bounds[-1]], bounds - bounds[0]
        own_weights = None if weights is None else weights[own]
        words[piece], n_voted[piece] = _fingerprint_given(
            given, n_features[piece], settings, own_weights
        )
    return FingerprintBatch(words, n_voted >= settings.profile.min_features, n_voted)


def _chunks(offsets: Integers, size: int) -> Iterator[tuple[int, int]]:
    """Cut the documents into chunks of about that size."""
    begin, n_docs = 0, len(offsets) - 1
    while begin < n_docs:
        fitting = int(np.searchsorted(offsets, offsets[begin] + size, side="right")) - 1
        end = min(max(fitting, begin + 1), begin + CHUNK_DOCS, n_docs)
        yield begin, end
        begin = end


def _fingerprint_chunk(
    data: Bytes, offsets: Integers, settings: FingerprintSettings
) -> tuple[Words, Integers]:
    profile, n_docs, n_words = settings.profile, len(offsets) - 1, settings.bits // 64
    data, offsets = clean_texts(data, offsets, profile.clean)
    if isinstance(profile.tokenize, Callback):
        is_weighed = isinstance(profile.weigh, Given)
        spans, n_given, own = call_function(data, offsets, profile.tokenize, is_weighed=is_weighed)
        batch = fingerprint_features(spans, n_given, settings, own)
        return batch.words, batch.n_features
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


def _fingerprint_given(
    spans: tuple[Bytes, Integers],
    n_features: Integers,
    settings: FingerprintSettings,
    weights: Floats | None,
) -> tuple[Words, Integers]:
    profile, n_docs, n_words = settings.profile, len(n_features), settings.bits // 64
    data, docs = spans[0], np.repeat(np.arange(n_docs, dtype=np.int64), n_features)
    found = Spans(spans[1][:-1], np.diff(spans[1]), docs)
    if weights is not None and not weights.all():
        votes = weights > 0
        found = Spans(found.starts[votes], found.lengths[votes], found.docs[votes])
        weights = weights[votes]
    if not len(found.starts):
        return np.zeros((n_docs, n_words), dtype=np.uint64), np.zeros(n_docs, dtype=np.int64)
    if len(found.starts) > LONG_FEATURES and n_docs == 1:
        summed, totals, n_voted = count_given(data, found, profile, n_words, weights)
        return majority(summed, totals, profile.tie), n_voted
    hashes = hash_features(data, found.starts, found.lengths, profile.hash, n_words=n_words)
    if weights is None:
        return _vote(weigh_features(hashes, found.docs, n_docs, profile.weigh), profile.tie)
    n_voting = np.bincount(found.docs, minlength=n_docs).astype(np.int64)
    weighed = Weighed(hashes, n_voting, as_whole(weights, found.docs, n_docs))
    return _vote(weighed, profile.tie)[0], distinct_hashes(hashes, found.docs, n_docs)[1]


def _vote(weighed: Weighed, tie: int) -> tuple[Words, Integers]:
    votes = count_votes(weighed.hashes, weighed.n_features, weighed.weights)
    totals = total_weights(weighed.n_features, weighed.weights)
    words = majority(votes, totals, tie)
    words[totals == 0] = 0
    return words, np.where(totals > 0, weighed.n_features, 0)
