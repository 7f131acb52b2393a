"""Texts to fingerprints: clean, cut into features, hash, and let each bit be voted on.

Every feature of a document votes on every bit with its weight; a bit is 1 where
more than half of the weight says so, or more than a learned share. The result is
a function of the one document: the chunks and pieces that it is computed in leave
no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.counting import count_features, count_texts
from simhash_spark.core.vote.thresholds import exceeding
from simhash_spark.core.vote.votes import majority
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.steps import Given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Booleans, Bytes, Floats, Integers, Words
    from simhash_spark.core.vote.votes import Votes
    from simhash_spark.profiles import FingerprintSettings


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
    ConfigError
        If the profile learns from a corpus and has not.
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
    settings.check_learned()
    return _decide(count_texts(data, offsets, settings), len(offsets) - 1, settings)


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
    if weights is None and isinstance(settings.profile.weigh, Given):
        message = "weigh = given needs features with weights: give some, or weigh by another step."
        raise ConfigError(message)
    return _decide(count_features(spans, n_features, settings, weights), len(n_features), settings)


def _decide(
    counted: Iterator[tuple[slice, Votes]], n_docs: int, settings: FingerprintSettings
) -> FingerprintBatch:
    """Turn the votes, chunk by chunk, into bits; features without any weight are none."""
    words = np.zeros((n_docs, settings.n_words), dtype=np.uint64)
    n_features = np.zeros(n_docs, dtype=np.int64)
    for piece, votes in counted:
        words[piece] = _bits(votes, settings)
        words[piece][votes.totals == 0] = 0
        n_features[piece] = np.where(votes.totals > 0, votes.n_features, 0)
    return FingerprintBatch(words, n_features >= settings.profile.min_features, n_features)


def _bits(votes: Votes, settings: FingerprintSettings) -> Words:
    profile, statistics = settings.profile, settings.statistics
    if profile.threshold == "median" and statistics is not None:
        return exceeding(votes.votes, votes.totals, statistics.thresholds, profile.tie)
    return majority(votes.votes, votes.totals, profile.tie)
