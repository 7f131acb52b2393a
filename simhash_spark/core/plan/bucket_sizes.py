"""How many fingerprints share a key: measured on a sample, and by chance below."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS, Band, read_band

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Booleans, Floats, Words

EVEN_SIZE = 200
"""Groups of so many by chance are of about one size."""

SEEN = 8
"""Pairs of a sample that make a share of their own."""


class Sizes(NamedTuple):
    """How many groups there are of each size.

    Parameters
    ----------
    sizes, counts : ndarray of shape (n_sizes,), dtype float64
        Members of a group, 2 or more; and groups expected.
    """

    sizes: Floats
    counts: Floats

    @property
    def n_rows(self) -> float:
        """Members of all groups."""
        return float((self.sizes * self.counts).sum())

    def choose(self, wanted: Booleans) -> Sizes:
        """Keep some of the sizes."""
        return Sizes(self.sizes[wanted], self.counts[wanted])


class Buckets(NamedTuple):
    """Buckets of about one size.

    Parameters
    ----------
    n_rows : float
        Fingerprints in them.
    size : float
        How many others a fingerprint meets.
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Exclusive or of some pairs of the sample.
    """

    n_rows: float
    size: float
    differences: Words


def measure_buckets(members: Words, n_rows: float, key: Band) -> Iterator[Buckets]:
    """Estimate how many fingerprints share each key.

    Parameters
    ----------
    members : ndarray of shape (n_sampled, n_words), dtype uint64
        A sample; empty: fingerprints are taken as uniform.
    n_rows : float
        Fingerprints that the sample stands for.
    key : Band
        What they share in a bucket.

    Yields
    ------
    Buckets
        The most even part first, then keys that stand out, by powers of two.
    """
    n_sampled, chance = len(members), 2.0 ** -min(key.width, WORD_BITS)
    if n_sampled < 2:
        yield Buckets(n_rows, (n_rows - 1) * chance, members[:0])
        return
    keys = read_band(members, key.head(WORD_BITS))
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    counts = np.diff(np.append(starts, n_sampled)).astype(np.float64)
    hot = counts > 4 * n_sampled * chance + SEEN
    kinds = np.where(hot, np.floor(np.log2(counts)), 0)
    for kind in np.unique(kinds):
        own = counts[kinds == kind]
        rows = order[np.repeat(kinds == kind, counts.astype(np.int64))]
        others = float((own * (own - 1)).sum()) / len(rows)
        by_chance = (len(rows) - 1) * chance
        noise = (3 * (len(rows) * by_chance) ** 0.5 + SEEN) / len(rows)
        if not kind and others - by_chance < noise:
            others = by_chance  # no more than a uniform sample may have
        taken = np.asfortranarray(members[rows])
        in_all = len(rows) * n_rows / n_sampled
        # Of n - 1 others the sample has its share: a bucket of everything has n - 1 again.
        others *= (in_all - 1) / max(len(rows) - 1, 1)
        yield Buckets(in_all, others, taken ^ np.roll(taken, 1, axis=0))


def spread_sizes(n_rows: float, size: float) -> Sizes:
    """List the sizes of groups that come by chance.

    Parameters
    ----------
    n_rows : float
        Members of all groups, those of size 1 included.
    size : float
        How many others a member meets, on average.

    Returns
    -------
    Sizes
        By Poisson's distribution; of one size, where they are large.

    Examples
    --------
    >>> sizes, counts = spread_sizes(1000.0, 0.5)
    >>> round(float((sizes * (sizes - 1) * counts).sum()))
    500
    """
    if size >= n_rows - 1 > 0:
        return Sizes(np.array([n_rows]), np.ones(1))
    if size > EVEN_SIZE:
        return Sizes(np.array([size + 1]), np.array([n_rows / (size + 1)]))
    if size <= 0:
        return Sizes(np.empty(0), np.empty(0))
    sizes = np.arange(int(size + 10 * size**0.5 + 12), dtype=np.float64)
    logarithms = np.cumsum(np.log(np.maximum(sizes, 1)))
    shares = np.exp(sizes * np.log(size) - size - logarithms)
    return Sizes(sizes[2:], (n_rows / size * shares)[2:])
