"""How good fingerprints are: pairs found by distance, load of the bands, balance of the bits.

All pairs are compared, so nothing here depends on how pairs are searched for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.hamming import distances

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Integers, Words
    from tests.benchmarks.corpora import Corpus

BAND_BITS = 16


@dataclass(frozen=True)
class Distances:
    """How many pairs lie at each distance: arrays of shape (bits + 1,), dtype int64.

    Parameters
    ----------
    true, inside, across : ndarray
        Pairs that should be found; all pairs inside of clusters, those
        included; pairs of two clusters.
    """

    true: Integers
    inside: Integers
    across: Integers


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1 for each maximal distance: arrays of shape (bits + 1,)."""

    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray

    @property
    def best(self) -> int:
        """The maximal distance of the best F1; of several the smallest."""
        return int(np.argmax(self.f1))


def count_distances(words: Words, has_fingerprint: Booleans, corpus: Corpus) -> Distances:
    """Compare all documents with one another; those without fingerprint have no pair.

    Parameters
    ----------
    words : ndarray of shape (n_docs, n_words), dtype uint64
        Fingerprints.
    has_fingerprint : ndarray of shape (n_docs,), dtype bool
        Whether the document has one.
    corpus : Corpus
        The documents.
    """
    pairs = corpus.true_pairs[has_fingerprint[corpus.true_pairs].all(axis=1)]
    true = _histogram(words, pairs)
    inside = _histogram(words, pairs_inside(corpus.clusters, np.flatnonzero(has_fingerprint)))
    words, everything = words[has_fingerprint], np.zeros_like(true)
    for row in range(len(words) - 1):  # as many calls as documents, each on an array
        found = distances(words[row + 1 :], words[row : row + 1])
        everything += np.bincount(found, minlength=len(true))
    return Distances(true, inside, everything - inside)


def pairs_inside(clusters: Integers, docs: Integers) -> Integers:
    """All pairs of these documents that are of one cluster."""
    docs = docs[np.argsort(clusters[docs], kind="stable")]
    groups = np.split(docs, np.flatnonzero(np.diff(clusters[docs])) + 1)
    pairs = [
        np.stack([group[side] for side in np.triu_indices(len(group), 1)], axis=1)
        for group in groups
        if len(group) > 1
    ]
    return np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.int64)


def score(counted: Distances, corpus: Corpus) -> Scores:
    """Judge each maximal distance; on a sample, estimate the figures of the whole corpus.

    A true pair whose documents have no fingerprint counts as missed. Precision
    is 1 where nothing is found.
    """
    true = np.cumsum(counted.true) / corpus.rate
    found = np.cumsum(counted.inside) / corpus.rate + np.cumsum(counted.across) / corpus.pair_rate
    n_true = len(corpus.true_pairs) / corpus.rate
    precision = np.divide(true, found, out=np.ones_like(true), where=found > 0)
    return Scores(precision, true / max(n_true, 1), 2 * true / np.maximum(found + n_true, 1))


def skew(counted: Distances, words: Words, has_fingerprint: Booleans, corpus: Corpus) -> float:
    """Say how much oftener than by chance documents of two clusters share a band of 16 bits.

    By chance is: once in 65,536 per band, as with uniform bits. A search by
    bands has to compare so many times more pairs in vain. NaN without any pair.
    """
    bands = _bands(words)
    pairs = pairs_inside(corpus.clusters, np.flatnonzero(has_fingerprint))
    inside = int((bands[pairs[:, 0]] == bands[pairs[:, 1]]).sum())
    buckets = _buckets(words[has_fingerprint])
    across = (buckets * (buckets - 1) // 2).sum() - inside
    expected = counted.across.sum() * bands.shape[1] / (1 << BAND_BITS)
    return float(across / expected) if expected else math.nan


def largest_bucket(words: Words) -> tuple[int, float]:
    """Size of the largest bucket of a band of 16 bits, and of uniform bits on average.

    Both over all bands of the distinct fingerprints. On average the largest
    of so many buckets holds the sum over m of P(some bucket holds m or more),
    with the sizes of uniform buckets taken as independent and Poisson.
    """
    distinct = np.unique(words, axis=0)
    buckets, n_bands = _buckets(distinct), 4 * words.shape[1]
    mean = len(distinct) / (1 << BAND_BITS)
    term = below = math.exp(-mean)
    expected, size = 0.0, 1
    while (some := 1 - below ** (n_bands << BAND_BITS)) > 1e-9:
        expected += some
        term *= mean / size
        below = min(below + term, 1.0)
        size += 1
    return int(buckets.max(initial=0)), expected


def mean_distance(counted: Distances) -> float:
    """Mean distance of documents of two clusters, as a share of the bits; NaN without any."""
    bits = len(counted.across) - 1
    n_pairs = counted.across.sum()
    return float(counted.across @ np.arange(bits + 1) / n_pairs / bits) if n_pairs else math.nan


def shares_of_ones(words: Words) -> np.ndarray:
    """Give for each bit, the lowest first, the share of the fingerprints where it is 1."""
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").mean(axis=0)


def _histogram(words: Words, pairs: Integers) -> Integers:
    found = distances(words[pairs[:, 0]], words[pairs[:, 1]])
    return np.bincount(found, minlength=64 * words.shape[1] + 1)


def _bands(words: Words) -> Integers:
    """Bands of 16 bits: shape (n_docs, n_bands)."""
    return np.ascontiguousarray(words.astype("<u8")).view("<u2").reshape(len(words), -1)


def _buckets(words: Words) -> Integers:
    """Sizes of the buckets of all bands, empty ones left out."""
    sizes = [np.unique(band, return_counts=True)[1] for band in _bands(words).T]
    return np.concatenate(sizes).astype(np.int64)
