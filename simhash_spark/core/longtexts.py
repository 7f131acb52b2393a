"""The votes of one very long document, in bounded memory.

The text is read in windows that overlap by the longest n-gram, so that each
n-gram lies whole in the window it starts in. Distinct hashes, with their number
of occurrences where that matters, are gathered over all windows; where they are
too many, only those of one range of hash values are, and the text is read again
for the next range.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from simhash_spark.core.hash.features import hash_features
from simhash_spark.core.tokenize.ngrams import Spans, find_features, ngrams
from simhash_spark.core.utf8 import SPACE, bounds_of_one
from simhash_spark.core.vote.ranges import distinct_ranges
from simhash_spark.core.vote.votes import Votes, count_votes, total_weights
from simhash_spark.core.vote.weights import (
    exponents_of,
    idf_weights,
    needs_counts,
    scale,
    weights_of,
)
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Characters, Count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simhash_spark.core.typing import Bytes, Floats, Hashes, Integers
    from simhash_spark.profiles import FingerprintSettings, Profile
    from simhash_spark.profiles.steps import Tokenizer


WINDOW_BYTES = 1 << 17
PIECE_FEATURES = 1 << 14


def count_long(data: Bytes, settings: FingerprintSettings) -> Votes:
    """Count the votes of one text.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean text, not empty; for words, as in ``find_features``.
    settings : FingerprintSettings
        How the clean text becomes a fingerprint.

    Returns
    -------
    Votes
        Of one document.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> settings = FingerprintSettings(Profile("p"))
    >>> count_long(np.frombuffer(b"aaaaaab", dtype=np.uint8), settings).n_features.tolist()
    [2]
    """
    return _count(partial(_hashes, data, settings.profile, settings.n_words), settings)


def count_given(
    data: Bytes, spans: Spans, settings: FingerprintSettings, weights: Floats | None
) -> Votes:
    """Count the votes of one document whose features are given.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the features, one after the other.
    spans : Spans
        At least one feature.
    settings : FingerprintSettings
        Its hash counts, and where there are no weights, its ``weigh``.
    weights : ndarray of shape (n_features,), dtype float64, or None
        Their weights, all above 0.

    Returns
    -------
    Votes
        Of one document; with weights, ``n_features`` is the distinct ones.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> starts, ones = np.arange(4, dtype=np.int64), np.ones(4, dtype=np.int64)
    >>> spans, data = Spans(starts, ones, 0 * ones), np.frombuffer(b"abab", dtype=np.uint8)
    >>> counted = count_given(data, spans, FingerprintSettings(Profile("p")), None)
    >>> counted.totals.tolist(), counted.n_features.tolist()
    ([2], [2])
    """
    hashed = partial(_hash_pieces, data, spans, settings)
    if weights is None:
        return _count(hashed, settings)
    rows = distinct_ranges(hashed, settings.n_words, is_counted=False)
    n_features = np.array([sum(map(len, rows))], dtype=np.int64)
    exponents = exponents_of(weights.max(keepdims=True), np.array([len(weights)]))
    votes, totals = _no_votes(settings)
    done = 0
    for hashes in hashed():
        whole = scale(weights[done : done + len(hashes)], exponents)
        votes += count_votes(hashes, np.array([len(hashes)], dtype=np.int64), whole)
        totals += whole.sum()
        done += len(hashes)
    return Votes(votes, totals, n_features)


def distinct_long(data: Bytes, settings: FingerprintSettings) -> Iterator[Hashes]:
    """Yield the distinct hashes of one text, range by range of their word 0.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        As in :func:`count_long`.
    settings : FingerprintSettings
        How the clean text becomes a fingerprint.

    Yields
    ------
    ndarray of shape (n_distinct, n_words), dtype uint64
        Hashes.
    """
    hashed = partial(_hashes, data, settings.profile, settings.n_words)
    return distinct_ranges(hashed, settings.n_words, is_counted=False)


def _no_votes(settings: FingerprintSettings) -> tuple[Integers, Integers]:
    return np.zeros((1, settings.bits), dtype=np.int64), np.zeros(1, dtype=np.int64)


def _count(hashed: Callable[[], Iterator[Hashes]], settings: FingerprintSettings) -> Votes:
    """Count the votes of hashes that can be read again and again, piece by piece."""
    votes, totals = _no_votes(settings)
    weigh, n_words = settings.profile.weigh, settings.n_words
    if isinstance(weigh, Count):  # no occurrence needs to know of another
        for hashes in hashed():
            found = np.array([len(hashes)], dtype=np.int64)
            votes += count_votes(hashes, found)
            totals += found
        return Votes(votes, totals, totals)
    n_features = np.zeros(1, dtype=np.int64)
    for rows in distinct_ranges(hashed, n_words, is_counted=needs_counts(weigh)):
        found = np.array([len(rows)], dtype=np.int64)
        weights = _weights(rows, settings)
        votes += count_votes(rows[:, :n_words], found, weights)
        totals += total_weights(found, weights)
        n_features += found
    return Votes(votes, totals, n_features)


def _weights(rows: Hashes, settings: FingerprintSettings) -> Integers | None:
    counts, weigh = rows[:, -1].astype(np.int64), settings.profile.weigh
    if isinstance(weigh, Idf):
        return idf_weights(rows[:, 0], counts, weigh, settings.statistics)
    return weights_of(counts, weigh)


def _hash_pieces(data: Bytes, spans: Spans, settings: FingerprintSettings) -> Iterator[Hashes]:
    rule, n_words = settings.profile.hash, settings.n_words
    for begin in range(0, len(spans.starts), PIECE_FEATURES):
        starts = spans.starts[begin : begin + PIECE_FEATURES]
        lengths = spans.lengths[begin : begin + PIECE_FEATURES]
        piece = data[starts[0] : starts[-1] + lengths[-1]]
        yield hash_features(piece, starts - starts[0], lengths, rule, n_words=n_words)


def _hashes(data: Bytes, profile: Profile, n_words: int) -> Iterator[Hashes]:
    """Hashes of the features, window by window."""
    tokenize = cast("Tokenizer", profile.tokenize)  # the others never come here
    is_found = False
    for begin, end, reach in _windows(data, tokenize):
        window = data[begin:reach]
        spans = ngrams(window, bounds_of_one(window), tokenize)
        is_own = spans.starts < end - begin
        if is_own.any():
            is_found = True
            starts, lengths = spans.starts[is_own], spans.lengths[is_own]
            yield hash_features(window, starts, lengths, profile.hash, n_words=n_words)
    if not is_found:
        spans = find_features(data, bounds_of_one(data), tokenize)
        yield hash_features(data, spans.starts, spans.lengths, profile.hash, n_words=n_words)


def _windows(data: Bytes, tokenize: Tokenizer) -> Iterator[tuple[int, int, int]]:
    """Yield where each window starts and ends, and how far the n-grams that start in it reach."""
    longest = max(tokenize.sizes)
    if isinstance(tokenize, Characters):
        longest = max(longest, tokenize.unspaced_size)
    begin = 0
    while begin < len(data):
        end = _next_start(data, begin + WINDOW_BYTES, tokenize)
        reach = end
        for _ in range(longest):
            reach = _next_start(data, reach + 1, tokenize)
        yield begin, end, reach
        begin = end


def _next_start(data: Bytes, at: int, tokenize: Tokenizer) -> int:
    """First character, or word, that starts at the byte or after it."""
    if isinstance(tokenize, Characters):
        is_start = (data[at : at + 4] & 0xC0) != 0x80
        return at + int(is_start.argmax()) if is_start.any() else len(data)
    while at < len(data):
        is_gap = data[at - 1 : at - 1 + WINDOW_BYTES] == SPACE
        if is_gap.any():
            return min(at + int(is_gap.argmax()), len(data))
        at += WINDOW_BYTES
    return len(data)
