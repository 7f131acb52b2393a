"""Occurrences of features to weights, as whole numbers.

Whole numbers add up to the same sum in any order, so a fingerprint does not
depend on the pieces it is computed in, and a tie is a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.vote.distinct import distinct_hashes, in_order
from simhash_spark.core.vote.frequencies import idf_of
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Capped, Count, Log, Once

if TYPE_CHECKING:
    from collections.abc import Callable

    from simhash_spark.core.typing import Floats, Hashes, Integers, Words
    from simhash_spark.profiles.learned import Statistics
    from simhash_spark.profiles.steps import Weighing

LOG_UNIT = 1024
"""What 1 is in weights with a logarithm. As whole numbers they are the same on every platform."""

FIXED_BITS = 40
"""Bits of a given weight that count, from the largest of its document on."""

SUM_BITS = 61
"""Bits of the sum of the weights of a document; fewer of each count where there are millions."""


@dataclass(frozen=True)
class Weighed:
    """Weighed features, document by document.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Their hashes.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    weights : ndarray of shape (n_features,), dtype int64, or None
        Their weights; None: each weighs 1.
    """

    hashes: Hashes
    n_features: Integers
    weights: Integers | None = None


def weigh_features(
    hashes: Hashes,
    docs: Integers,
    n_docs: int,
    rule: Weighing | Idf,
    statistics: Statistics | None = None,
) -> Weighed:
    """Weigh features by how often they occur in their document.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Hashes of every occurrence, in any order; at least one.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each, from 0.
    n_docs : int
        Number of documents.
    rule : Once, Count, Log, Capped or Idf
        How.
    statistics : Statistics, optional
        What ``Idf`` has learned.

    Returns
    -------
    Weighed
        Distinct features; with ``Count``, every occurrence.

    Examples
    --------
    >>> hashes = np.array([[7], [9], [7]], dtype=np.uint64)
    >>> weigh_features(hashes, np.zeros(3, dtype=np.int64), 1, Log()).weights.tolist()
    [1024, 1734]
    """
    if isinstance(rule, Count):
        hashes, docs = in_order(hashes, docs)
        bounds = np.searchsorted(docs, np.arange(n_docs + 1, dtype=np.int64))
        return Weighed(hashes, np.diff(bounds))
    hashes, n_features, counts = distinct_hashes(
        hashes, docs, n_docs, is_counted=needs_counts(rule)
    )
    if isinstance(rule, Idf):
        return Weighed(hashes, n_features, idf_weights(hashes[:, 0], counts, rule, statistics))
    return Weighed(hashes, n_features, None if counts is None else weights_of(counts, rule))


def needs_counts(rule: Weighing | Idf) -> bool:
    """Tell whether a weight depends on how often the feature occurs in the document."""
    return rule.tf != "set" if isinstance(rule, Idf) else not isinstance(rule, Once)


def idf_weights(
    features: Words, counts: Integers | None, rule: Idf, statistics: Statistics | None
) -> Integers:
    """Give the weights of distinct features by how few documents have them.

    Parameters
    ----------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of their hashes.
    counts : ndarray of shape (n,), dtype int64, or None
        How often each occurs in the document; not read where ``tf = "set"``.
    rule : Idf
        How.
    statistics : Statistics
        In how many documents they occur.

    Returns
    -------
    ndarray of shape (n,), dtype int64
        TF times IDF in units of 1/1024, at most 2^20.

    Raises
    ------
    ConfigError
        If there are no statistics.

    Examples
    --------
    >>> from simhash_spark.profiles.learned import Statistics
    >>> features, counts = np.array([7, 9], dtype=np.uint64), np.array([1, 3], dtype=np.int64)
    >>> idf_weights(features, counts, Idf(), Statistics("p", 64, "", 9)).tolist()
    [2672, 5608]
    """
    if statistics is None:
        message = "weigh = idf needs statistics: learn them with learn_statistics."
        raise ConfigError(message)
    weights = LOG_UNIT * idf_of(features, statistics)
    if counts is not None and rule.tf == "log":
        weights *= 1 + np.log(counts)
    return np.rint(weights).astype(np.int64)


def weights_of(counts: Integers, rule: Weighing) -> Integers | None:
    """Give the weights of distinct features that occur so often; None where all weigh 1.

    >>> weights_of(np.array([1, 2, 9], dtype=np.int64), Capped(5)).tolist()
    [1, 2, 5]
    """
    if isinstance(rule, Once):
        return None
    if isinstance(rule, Capped):
        return np.minimum(counts, rule.cap)
    if isinstance(rule, Log):
        return np.rint(LOG_UNIT * (1 + np.log(counts))).astype(np.int64)
    return counts


def check_weights(weights: Floats, name_of: Callable[[int], str] = str) -> None:
    """Refuse weights that are negative, NaN or infinite, and name the feature.

    >>> check_weights(np.array([1.0, np.nan]), ["fox", "dog"].__getitem__)
    Traceback (most recent call last):
    simhash_spark.errors.ConfigError: The weight of feature 'dog' is nan: it must be finite and ...
    """
    is_wrong = ~(np.isfinite(weights) & (weights >= 0))
    if is_wrong.any():
        place = int(is_wrong.argmax())
        message = (
            f"The weight of feature '{name_of(place)}' is {weights[place]}: it must be finite and "
            "not negative."
        )
        raise ConfigError(message)


def as_whole(weights: Floats, docs: Integers, n_docs: int) -> Integers:
    """Scale given weights to whole numbers, document by document, by a power of two.

    Parameters
    ----------
    weights : ndarray of shape (n_features,), dtype float64
        Weights.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each feature, from 0.
    n_docs : int
        Number of documents.

    Returns
    -------
    ndarray of shape (n_features,), dtype int64
        Weights whose ratios are kept to 40 bits below the largest one of the
        document, fewer where it has more than 2^21 features, so that they add
        up to less than 2^63; those of whole numbers exactly.

    Raises
    ------
    ConfigError
        If a weight is negative, NaN or infinite.

    Examples
    --------
    >>> whole = as_whole(np.array([1.0, 3.0, 2.0]), np.zeros(3, dtype=np.int64), 1)
    >>> (whole // whole[0]).tolist()
    [1, 3, 2]
    """
    check_weights(weights)
    largest = np.zeros(n_docs, dtype=np.float64)
    np.maximum.at(largest, docs, weights)
    exponents = exponents_of(largest, np.bincount(docs, minlength=n_docs))
    return scale(weights, exponents[docs])


def exponents_of(largest: Floats, n_features: Integers) -> Integers:
    """Give the power of two that weights are scaled by, from the largest of each document.

    >>> exponents_of(np.array([1.0, 0.25]), np.array([2, 1 << 24])).tolist()
    [39, 37]
    """
    room = SUM_BITS - np.frexp(n_features)[1]
    return (np.minimum(FIXED_BITS, room) - np.frexp(largest)[1]).astype(np.int64)


def scale(weights: Floats, exponents: Integers) -> Integers:
    """Multiply by powers of two, and round.

    >>> scale(np.array([0.5, 0.75]), np.array([1, 1])).tolist()
    [1, 2]
    """
    return np.rint(np.ldexp(weights, exponents)).astype(np.int64)
