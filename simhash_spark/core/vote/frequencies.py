"""In how many documents a feature occurs: counted over batches, and looked up for its IDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Floats, Integers, Words
    from simhash_spark.profiles.learned import Statistics


def count_equal(features: Words, counts: Integers | None = None) -> tuple[Words, Integers]:
    """Add up the counts of equal features.

    Parameters
    ----------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of the hash of a feature, in any order.
    counts : ndarray of shape (n,), dtype int64, optional
        Documents that have it; none: one each.

    Returns
    -------
    features : ndarray of shape (n_distinct,), dtype uint64
        Ascending.
    counts : ndarray of shape (n_distinct,), dtype int64
        Sum for each.

    Examples
    --------
    >>> features, counts = count_equal(np.array([7, 9, 7], dtype=np.uint64))
    >>> features.tolist(), counts.tolist()
    ([7, 9], [2, 1])
    """
    # np.unique of NumPy 2.3 and later may fill a hash table instead: slower here.
    if counts is None:
        features = np.sort(features)
    else:
        order = np.argsort(features)
        features, counts = features[order], counts[order]
    is_new = np.ones(len(features), dtype=np.bool_)
    np.not_equal(features[1:], features[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    if counts is None:
        return features[starts], np.diff(np.append(starts, len(features)))
    return features[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def known_features(statistics: Statistics) -> tuple[Words, Integers]:
    """Read the features that are known, ascending, and how many documents have each."""
    features = np.frombuffer(statistics.features, dtype="<u8")
    return features, np.frombuffer(statistics.documents, dtype="<i8")


def idf_of(features: Words, statistics: Statistics) -> Floats:
    """Give the inverse document frequency of features.

    Parameters
    ----------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of their hashes.
    statistics : Statistics
        Holds the frequencies; a feature that is not among them counts as one
        of a single document.

    Returns
    -------
    ndarray of shape (n,), dtype float64
        1 + ln((1 + n_documents) / (1 + documents with the feature)).

    Examples
    --------
    >>> from simhash_spark.profiles.learned import Statistics
    >>> arrays = np.array([7], dtype="<u8").tobytes(), np.array([3], dtype="<i8").tobytes()
    >>> statistics = Statistics("p", 64, "", 3, *arrays)
    >>> idf_of(np.array([9, 7], dtype=np.uint64), statistics).round(3).tolist()
    [1.693, 1.0]
    """
    known, documents = known_features(statistics)
    ratio = (1.0 + statistics.n_documents) / 2.0
    idf = np.full(len(features), 1.0 + np.log(ratio), dtype=np.float64)
    if not len(known):
        return idf
    places = np.minimum(np.searchsorted(known, features), len(known) - 1)
    found = np.flatnonzero(known[places] == features)
    idf[found] = 1.0 + np.log((1.0 + statistics.n_documents) / (1.0 + documents[places[found]]))
    return idf
