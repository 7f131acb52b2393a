"""Chunks of documents to votes: the steps of a profile up to the count, in flow order."""

from __future__ import annotations

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
from simhash_spark.core.vote.votes import Votes, count_votes, total_weights
from simhash_spark.core.vote.weights import Weighed, as_whole, check_weights, weigh_features
from simhash_spark.core.worker import keep_freed_memory, once_per_worker
from simhash_spark.errors import CallbackError
from simhash_spark.profiles.callback import Callback
from simhash_spark.profiles.scored import Keywords, Scored, Tagged
from simhash_spark.profiles.steps import Given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Bytes, Floats, Integers
    from simhash_spark.profiles import FingerprintSettings

CHUNK_CHARACTERS = 3 << 15
"""Text worked on at once: enough to forget the cost of a call, few enough for the cache."""

CHUNK_FEATURES = 1 << 14
"""The same for features that are given."""

CHUNK_DOCS = 1 << 14
LONG_BYTES = 1 << 20
"""Longer texts are read in pieces, to bound memory."""

LONG_FEATURES = 1 << 18
"""Longer lists of given features are, too."""


def count_texts(
    data: Bytes, offsets: Integers, settings: FingerprintSettings
) -> Iterator[tuple[slice, Votes]]:
    """Count the votes of every text, chunk by chunk.

    Parameters
    ----------
    data, offsets : ndarray
        Texts, as in ``fingerprint_texts``.
    settings : FingerprintSettings
        How a text becomes weighed features.

    Yields
    ------
    slice
        Which documents.
    Votes
        Theirs.

    Raises
    ------
    CallbackError
        If a function of the user fails.
    """
    once_per_worker("freed_memory", keep_freed_memory)
    for begin, end in chunks(data, offsets):
        try:
            yield slice(begin, end), _count_chunk(data, offsets[begin : end + 1], settings)
        except CallbackError as error:
            raise error.moved(begin) from error.__cause__


def count_features(
    spans: tuple[Bytes, Integers],
    n_features: Integers,
    settings: FingerprintSettings,
    weights: Floats | None,
) -> Iterator[tuple[slice, Votes]]:
    """Count the votes of given features, chunk by chunk; see ``fingerprint_features``."""
    data, offsets = spans
    if weights is not None:
        check_weights(weights, lambda at: bytes(data[offsets[at] : offsets[at + 1]]).decode())
    ends = np.append(0, np.cumsum(n_features, dtype=np.int64))
    for begin, end in _runs(ends):
        own = slice(ends[begin], ends[end])
        bounds = offsets[ends[begin] : ends[end] + 1]
        given = data[bounds[0] : bounds[-1]], bounds - bounds[0]
        own_weights = None if weights is None else weights[own]
        yield (
            slice(begin, end),
            _count_given(given, n_features[begin:end], settings, own_weights),
        )


def chunks(data: Bytes, offsets: Integers) -> Iterator[tuple[int, int]]:
    """Cut texts into chunks of about ``CHUNK_CHARACTERS``: yield first, and last plus 1."""
    begin, n_docs = 0, len(offsets) - 1
    while begin < n_docs:
        start = int(offsets[begin])
        head = data[start : min(start + CHUNK_CHARACTERS, int(offsets[-1]))]
        n_characters = int(np.count_nonzero((head & 0xC0) != 0x80))
        n_bytes = CHUNK_CHARACTERS * len(head) // max(n_characters, len(head) // 4, 1)
        end = _end_of_run(offsets, begin, n_bytes)
        yield begin, end
        begin = end


def _runs(ends: Integers) -> Iterator[tuple[int, int]]:
    """Cut lists of features into chunks of about ``CHUNK_FEATURES``."""
    begin = 0
    while begin < len(ends) - 1:
        end = _end_of_run(ends, begin, CHUNK_FEATURES)
        yield begin, end
        begin = end


def _end_of_run(offsets: Integers, begin: int, size: int) -> int:
    """Find the end of as many documents as fit, at least one, at most ``CHUNK_DOCS``."""
    fitting = int(np.searchsorted(offsets, offsets[begin] + size, side="right")) - 1
    return min(max(fitting, begin + 1), begin + CHUNK_DOCS, len(offsets) - 1)


def _count_chunk(data: Bytes, offsets: Integers, settings: FingerprintSettings) -> Votes:
    profile, n_docs = settings.profile, len(offsets) - 1
    data, offsets = clean_texts(data, offsets, profile.clean)
    if isinstance(profile.tokenize, Callback):
        is_weighed = isinstance(profile.weigh, Given)
        spans, n_given, own = call_function(data, offsets, profile.tokenize, is_weighed=is_weighed)
        return _joined(count_features(spans, n_given, settings, own), n_docs, settings)
    if isinstance(profile.tokenize, Keywords | Tagged | Scored):
        spans, n_given, weights = score_words(data, offsets, profile.tokenize)
        return _joined(count_features(spans, n_given, settings, weights), n_docs, settings)
    data, offsets = prepare_texts(data, offsets, profile.tokenize)
    if len(data) > LONG_BYTES and n_docs == 1:
        return count_long(data, settings)
    return _count_spans(data, find_features(data, offsets, profile.tokenize), n_docs, settings)


def _joined(
    parts: Iterator[tuple[slice, Votes]], n_docs: int, settings: FingerprintSettings
) -> Votes:
    whole = _none(n_docs, settings)
    for piece, counted in parts:
        whole.votes[piece] = counted.votes
        whole.totals[piece] = counted.totals
        whole.n_features[piece] = counted.n_features
    return whole


def _count_given(
    spans: tuple[Bytes, Integers],
    n_features: Integers,
    settings: FingerprintSettings,
    weights: Floats | None,
) -> Votes:
    n_docs, data = len(n_features), spans[0]
    docs = np.repeat(np.arange(n_docs, dtype=np.int64), n_features)
    found = Spans(spans[1][:-1], np.diff(spans[1]), docs)
    if weights is not None and not weights.all():
        has_weight = weights > 0
        found = Spans(found.starts[has_weight], found.lengths[has_weight], docs[has_weight])
        weights = weights[has_weight]
    if len(found.starts) > LONG_FEATURES and n_docs == 1:
        return count_given(data, found, settings, weights)
    return _count_spans(data, found, n_docs, settings, weights)


def _count_spans(
    data: Bytes,
    found: Spans,
    n_docs: int,
    settings: FingerprintSettings,
    weights: Floats | None = None,
) -> Votes:
    if not len(found.starts):
        return _none(n_docs, settings)
    profile, n_words = settings.profile, settings.n_words
    hashes = hash_features(data, found.starts, found.lengths, profile.hash, n_words=n_words)
    if weights is None:
        weighed = weigh_features(hashes, found.docs, n_docs, profile.weigh, settings.statistics)
        return _count(weighed, weighed.n_features)
    n_voting = np.bincount(found.docs, minlength=n_docs).astype(np.int64)
    weighed = Weighed(hashes, n_voting, as_whole(weights, found.docs, n_docs))
    return _count(weighed, distinct_hashes(hashes, found.docs, n_docs)[1])


def _count(weighed: Weighed, n_features: Integers) -> Votes:
    votes = count_votes(weighed.hashes, weighed.n_features, weighed.weights)
    totals = total_weights(weighed.n_features, weighed.weights)
    return Votes(votes, totals, n_features)


def _none(n_docs: int, settings: FingerprintSettings) -> Votes:
    votes = np.zeros((n_docs, settings.bits), dtype=np.int64)
    return Votes(votes, np.zeros(n_docs, dtype=np.int64), np.zeros(n_docs, dtype=np.int64))
