"""The votes of one very long text, in bounded memory.

The text is read in windows that overlap by the longest n-gram, so that each
n-gram lies whole in the window it starts in. Distinct hashes, with their number
of occurrences where that matters, are gathered over all windows; where they are
too many, only those of one range of hash values are, and the text is read again
for the next range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from simhash_spark.core.hash.features import hash_features
from simhash_spark.core.tokenize.ngrams import find_features, ngrams
from simhash_spark.core.utf8 import SPACE, bounds_of_one
from simhash_spark.core.vote.votes import count_votes, total_weights
from simhash_spark.core.vote.weights import weights_of
from simhash_spark.profiles.steps import Characters, Count, Once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Bytes, Hashes, Integers
    from simhash_spark.profiles import Profile
    from simhash_spark.profiles.steps import Tokenizer

WINDOW_BYTES = 1 << 17
MOST_HASHES = 1 << 22
"""Words of distinct hashes held at once: 32 MB, and a few times that while merging."""

TOP = 1 << 64


def count_long(data: Bytes, profile: Profile, n_words: int) -> tuple[Integers, Integers, Integers]:
    """Count the votes of one text.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean text, not empty; for words, as in ``find_features``.
    profile : Profile
        How the clean text becomes a fingerprint.
    n_words : {1, 2}
        Words of a hash.

    Returns
    -------
    votes : ndarray of shape (1, n_words * 64), dtype int64
        Weight of the features with each bit set.
    totals : ndarray of shape (1,), dtype int64
        Weight of all features.
    n_features : ndarray of shape (1,), dtype int64
        Distinct features; with ``Count``, every occurrence.

    Examples
    --------
    >>> from simhash_spark.profiles import Profile
    >>> count_long(np.frombuffer(b"aaaaaab", dtype=np.uint8), Profile("p"), 1)[2].tolist()
    [2]
    """
    votes = np.zeros((1, n_words * 64), dtype=np.int64)
    totals = np.zeros(1, dtype=np.int64)
    n_features = np.zeros(1, dtype=np.int64)
    if isinstance(profile.weigh, Count):  # no occurrence needs to know of another
        for hashes in _hashes(data, profile, n_words):
            found = np.array([len(hashes)], dtype=np.int64)
            votes += count_votes(hashes, found)
            totals += found
        return votes, totals, totals
    low = 0
    while low < TOP:
        rows, high = _distinct_in_range(data, profile, n_words, low)
        found = np.array([len(rows)], dtype=np.int64)
        weights = weights_of(rows[:, -1].astype(np.int64), profile.weigh)
        votes += count_votes(rows[:, :n_words], found, weights)
        totals += total_weights(found, weights)
        n_features += found
        low = high
    return votes, totals, n_features


def _distinct_in_range(data: Bytes, profile: Profile, n_words: int, low: int) -> tuple[Hashes, int]:
    """Distinct hashes from ``low`` to a bound that keeps them few enough, and the bound."""
    high = TOP
    is_counted = not isinstance(profile.weigh, Once)
    most = MOST_HASHES // (n_words + is_counted)
    seen = np.empty((0, n_words + is_counted), dtype=np.uint64)
    waiting: list[Hashes] = []
    n_waiting = 0
    for hashes in _hashes(data, profile, n_words):
        if is_counted:
            hashes = np.column_stack([hashes, np.ones(len(hashes), dtype=np.uint64)])
        fresh = _distinct([_between(hashes, low, high)], is_counted=is_counted)
        waiting.append(fresh)
        n_waiting += len(fresh)
        if n_waiting > max(len(seen), most // 4):
            seen = _distinct([seen, *waiting], is_counted=is_counted)
            waiting, n_waiting = [], 0
            while len(seen) > most:
                high = (low + high) // 2
                seen = _between(seen, low, high)
    seen = _distinct([seen, *waiting], is_counted=is_counted)
    return _between(seen, low, high), high


def _between(hashes: Hashes, low: int, high: int) -> Hashes:
    if low == 0 and high == TOP:
        return hashes
    first = hashes[:, 0]
    return hashes[(first >= np.uint64(low)) & (first <= np.uint64(high - 1))]


def _distinct(parts: list[Hashes], *, is_counted: bool) -> Hashes:
    """Sort and keep one of those with the same word 0; add up their counts, the last column."""
    # np.unique of NumPy 2.3 and later fills a hash table instead: ten times slower here.
    hashes = np.concatenate(parts)
    if hashes.shape[1] > 1:
        hashes = hashes[np.argsort(hashes[:, 0])]
    else:
        hashes.sort(axis=0)
    is_new = np.ones(len(hashes), dtype=np.bool_)
    np.not_equal(hashes[1:, 0], hashes[:-1, 0], out=is_new[1:])
    kept = hashes[is_new]
    if is_counted and len(kept):
        kept[:, -1] = np.add.reduceat(hashes[:, -1], np.flatnonzero(is_new))
    return kept


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
