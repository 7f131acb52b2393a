"""Which bits go to which band: measured on a sample, so that no band is made of poor bits only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS, cut_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.typing import Words

MOST_SAMPLED = 1 << 13
"""Fingerprints looked at: their 3e7 pairs tell keys of 20 bits apart from uniform ones."""


def count_agreeing(keys: Words) -> float:
    """Count the pairs that have equal keys.

    >>> count_agreeing(np.array([7, 3, 7, 7], dtype=np.uint64))
    3.0
    """
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(ordered))).astype(np.float64)
    return float((sizes * (sizes - 1) / 2).sum())


def even_out(sample: Words, n_bands: int) -> tuple[int, ...]:
    """Share bits out so that every band tells fingerprints apart about equally well.

    Parameters
    ----------
    sample : ndarray of shape (n_sampled, n_words), dtype uint64
        Fingerprints.
    n_bands : int
        How many bands there will be.

    Returns
    -------
    tuple of int
        Place that each bit goes to; bands are then cut from neighbouring places.

    Notes
    -----
    Greedy: the most balanced bit first, each to the band where it removes most of
    the pairs that agree so far; bits that go together thus end up apart.
    """
    sample = np.asfortranarray(sample[:MOST_SAMPLED])
    bits = sample.shape[1] * WORD_BITS
    columns = [
        (sample[:, at // WORD_BITS] >> np.uint64(at % WORD_BITS)) & np.uint64(1)
        for at in range(bits)
    ]
    balance = [abs(2 * int(column.sum()) - len(sample)) for column in columns]
    room = [band.width for band in cut_bits(range(bits), n_bands)]
    members: list[list[int]] = [[] for _ in room]
    keys = [np.zeros(len(sample), dtype=np.uint64) for _ in room]
    agreeing = [len(sample) * (len(sample) - 1) / 2.0] * n_bands
    for bit in sorted(range(bits), key=lambda at: (balance[at], at)):
        tried = {}
        for band in range(n_bands):
            if len(members[band]) < room[band]:
                longer = keys[band] << np.uint64(1) | columns[bit]
                tried[band] = (count_agreeing(longer), longer)
        chosen = max(tried, key=lambda band: (agreeing[band] - tried[band][0], -band))
        agreeing[chosen], keys[chosen] = tried[chosen]
        members[chosen].append(bit)
    return _places(members)


def _places(members: Sequence[Sequence[int]]) -> tuple[int, ...]:
    order = [bit for band in members for bit in band]
    return tuple(np.argsort(order).tolist())
