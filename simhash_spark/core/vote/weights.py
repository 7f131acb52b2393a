"""Occurrences of features to weights, as whole numbers.

Whole numbers add up to the same sum in any order, so a fingerprint does not
depend on the pieces it is computed in, and a tie is a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.vote.distinct import distinct_hashes, in_order
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.steps import Capped, Count, Log, Once

if TYPE_CHECKING:
    from simhash_spark.core.typing import Floats, Hashes, Integers
    from simhash_spark.profiles.steps import Weighing

LOG_UNIT = 1024
"""What 1 is in the weights of ``Log``. As whole numbers they are the same on every platform."""

FIXED_BITS = 40
"""Bits of a given weight that count, from the largest of its document on."""


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


def weigh_features(hashes: Hashes, docs: Integers, n_docs: int, rule: Weighing) -> Weighed:
    """Weigh features by how often they occur in their document.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Hashes of every occurrence, in any order; at least one.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each, from 0.
    n_docs : int
        Number of documents.
    rule : Once, Count, Log or Capped
        How.

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
    is_counted = not isinstance(rule, Once)
    hashes, n_features, counts = distinct_hashes(hashes, docs, n_docs, is_counted=is_counted)
    return Weighed(hashes, n_features, None if counts is None else weights_of(counts, rule))


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
        document; those of whole numbers exactly.

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
    is_wrong = ~(np.isfinite(weights) & (weights >= 0))
    if is_wrong.any():
        message = (
            f"Weights must be finite and not negative, got {weights[is_wrong.argmax()]} "
            f"for feature {int(is_wrong.argmax())}."
        )
        raise ConfigError(message)
    largest = np.zeros(n_docs, dtype=np.float64)
    np.maximum.at(largest, docs, weights)
    exponents = FIXED_BITS - np.frexp(largest)[1]
    return np.rint(np.ldexp(weights, exponents[docs])).astype(np.int64)
