"""How crowded the surroundings of fingerprints are: shares that agree on the first bits.

Of uniform fingerprints a share of 2^-l agrees with a given one on l bits. Real
ones have biased and correlated bits: there a share is measured, around some
points of a sample, in the orders of some tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.windows.orders import keys_of, sort_nodes
from simhash_spark.core.windows.permutations import bit_order, permute, table_of
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from simhash_spark.core.typing import Floats, Integers, Words

ENOUGH = 8
"""Neighbours in the sample from which on their share is taken as measured."""

ENOUGH_IN_ALL = 500
SMALLEST_SAMPLE = 1000


def measure_density(
    sample: Words, *, n_tables: int = 32, n_points: int = 256, seed: int = 0
) -> Floats:
    """Measure which share of the fingerprints agrees with a point on the first l bits.

    Parameters
    ----------
    sample : ndarray of shape (n_sample, n_words), dtype uint64
        Distinct fingerprints, drawn at random; at least 1000.
    n_tables, n_points : int
        Tables and points to look at.
    seed : int
        Seed of the orders of the bits.

    Returns
    -------
    ndarray of shape (n_tables, n_points, 65), dtype float64
        For l from 0 to 64 the share of the others, 1 at l = 0. Where the
        sample has too few, it shrinks with each bit as it does on average.

    Raises
    ------
    ConfigError
        If the sample is too small.

    Notes
    -----
    The same for the same set of fingerprints, in any order.

    Examples
    --------
    >>> from simhash_spark.core.windows.permutations import mix
    >>> uniform = mix(np.arange(4000, dtype=np.uint64))[:, np.newaxis]
    >>> measure_density(uniform)[:, :, :4].mean(axis=(0, 1)).round(2).tolist()
    [1.0, 0.5, 0.25, 0.12]
    """
    if len(sample) < SMALLEST_SAMPLE:
        message = (
            f"A density needs at least {SMALLEST_SAMPLE} fingerprints, got {len(sample)}: "
            "compare so few exactly, or draw a larger sample."
        )
        raise ConfigError(message)
    n_words = sample.shape[1]
    columns = sort_nodes(sample).columns
    chosen = np.linspace(0, len(sample) - 1, n_points).astype(np.int64)
    counts = []
    for number in range(n_tables):
        # One table of each permutation, so that they differ as much as can be.
        table = table_of(number * 4 * n_words, n_words=n_words)
        permuted = permute(columns, bit_order(table.permutation, bits=64 * n_words, seed=seed))
        keys = keys_of(permuted, table, low=0, places=None)
        counts.append(_others(np.sort(keys), keys[chosen]))
    return _shares(np.array(counts), len(sample) - 1)


def _others(keys: Words, points: Words) -> Integers:
    """Count the other keys that agree with each point on the first l bits."""
    free = [(1 << (WORD_BITS - length)) - 1 for length in range(WORD_BITS + 1)]
    masks = np.array(free, dtype=np.uint64)
    first = np.searchsorted(keys, points[:, np.newaxis] & ~masks, side="left")
    last = np.searchsorted(keys, points[:, np.newaxis] | masks, side="right")
    return (last - first - 1).astype(np.int64)


def _shares(counts: Integers, n_others: int) -> Floats:
    """Turn counts into shares, those of too few neighbours by the average decrease per bit."""
    total = counts.sum(axis=(0, 1), dtype=np.float64)
    shares = counts / n_others
    decrease = 0.5
    for length in range(1, WORD_BITS + 1):
        if total[length] >= ENOUGH_IN_ALL:
            decrease = total[length] / total[length - 1]
        guess = shares[..., length - 1] * decrease
        shares[..., length] = np.where(counts[..., length] >= ENOUGH, shares[..., length], guess)
    return shares
