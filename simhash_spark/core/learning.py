"""What is learned from a batch of texts: in how many a feature occurs, and the shares of the bits.

Both are functions of the set of texts alone: counts add up to the same sums,
and shares have the same medians, in whatever batches the texts come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from simhash_spark.core import counting
from simhash_spark.core.clean.chunks import clean_texts
from simhash_spark.core.counting import chunks, count_texts
from simhash_spark.core.hash.features import hash_features
from simhash_spark.core.longtexts import distinct_long
from simhash_spark.core.tokenize.ngrams import find_features
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.core.vote.distinct import distinct_hashes
from simhash_spark.core.vote.frequencies import count_equal
from simhash_spark.core.vote.thresholds import shares_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simhash_spark.core.typing import Bytes, Integers, Places, Words
    from simhash_spark.profiles import FingerprintSettings
    from simhash_spark.profiles.steps import Tokenizer

MOST_FEATURES = 1 << 20
"""Features gathered before they are counted: 8 MB, and a few times that while sorting."""


def document_counts(
    texts: Iterable[tuple[Bytes, Integers]], settings: FingerprintSettings
) -> Iterator[tuple[Words, Integers, int]]:
    """Count in how many texts each feature occurs.

    Parameters
    ----------
    texts : iterable of (data, offsets)
        Batches of texts, as in ``fingerprint_texts``.
    settings : FingerprintSettings
        How a text becomes features; nothing learned is needed.

    Yields
    ------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of the hash of each feature, ascending; may come again later.
    counts : ndarray of shape (n,), dtype int64
        Texts with it, out of those that are being counted.
    n_documents : int
        How many of those have any feature.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> from simhash_spark.profiles.steps import Words
    >>> data = np.frombuffer(b"the foxthe dog", dtype=np.uint8)
    >>> batch = data, np.array([0, 7, 14, 14], dtype=np.int64)
    >>> ((_, counts, n_documents),) = document_counts(
    ...     [batch], FingerprintSettings(Profile("p", Words()))
    ... )
    >>> sorted(counts.tolist()), n_documents
    ([1, 1, 2], 2)
    """
    waiting: list[Words] = []
    n_waiting, n_documents = 0, 0
    for features, n_filled in _distinct_features(texts, settings):
        waiting.append(features)
        n_waiting += len(features)
        n_documents += n_filled
        if n_waiting >= MOST_FEATURES:
            yield *count_equal(np.concatenate(waiting)), n_documents
            waiting, n_waiting, n_documents = [], 0, 0
    if n_waiting:
        yield *count_equal(np.concatenate(waiting)), n_documents


def shares_of_texts(data: Bytes, offsets: Integers, settings: FingerprintSettings) -> Places:
    """Give the share of each bit in the weight of each text.

    Parameters
    ----------
    data, offsets : ndarray
        Texts, as in ``fingerprint_texts``.
    settings : FingerprintSettings
        How a text becomes weighed features.

    Returns
    -------
    ndarray of shape (n_fingerprints, bits), dtype int32
        Shares, in 2^-20, of the texts that have a fingerprint.

    Examples
    --------
    >>> from simhash_spark.profiles import FingerprintSettings, Profile
    >>> from simhash_spark.profiles.steps import Words
    >>> data = np.frombuffer(b"the fox", dtype=np.uint8)
    >>> settings = FingerprintSettings(Profile("p", Words(), min_features=1))
    >>> np.unique(shares_of_texts(data, np.array([0, 7], dtype=np.int64), settings)).tolist()
    [0, 524288, 1048576]
    """
    shares = [np.empty((0, settings.bits), dtype=np.int32)]
    for _, counted in count_texts(data, offsets, settings):
        has = (counted.n_features >= settings.profile.min_features) & (counted.totals > 0)
        shares.append(shares_of(counted.votes[has], counted.totals[has]))
    return np.concatenate(shares)


def _distinct_features(
    texts: Iterable[tuple[Bytes, Integers]], settings: FingerprintSettings
) -> Iterator[tuple[Words, int]]:
    """Distinct features of each document of a chunk, and how many of the documents have any."""
    profile, n_words = settings.profile, settings.n_words
    tokenize = cast("Tokenizer", profile.tokenize)  # the others weigh words themselves
    for data, offsets in texts:
        for begin, end in chunks(data, offsets):
            clean = clean_texts(data, offsets[begin : end + 1], profile.clean)
            words, bounds = prepare_texts(*clean, tokenize)
            if len(words) > counting.LONG_BYTES and end - begin == 1:
                rows = (rows[:, 0] for rows in distinct_long(words, settings))
                yield from ((features, int(not at)) for at, features in enumerate(rows))
                continue
            found = find_features(words, bounds, tokenize)
            if not len(found.starts):
                continue
            hashes = hash_features(
                words, found.starts, found.lengths, profile.hash, n_words=n_words
            )
            distinct, n_features, _ = distinct_hashes(hashes, found.docs, end - begin)
            yield distinct[:, 0], int(np.count_nonzero(n_features))
