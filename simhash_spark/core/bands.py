"""Cutting the bits of a fingerprint into bands.

Two fingerprints that differ in at most ``max_distance`` bits, cut into
``max_distance + 1`` bands, agree on at least one whole band: the differing bits
cannot touch them all (pigeonhole principle). Equality on a band is therefore a
filter without misses, whichever way the bits are dealt out to the bands.

Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling" (WWW
2007, section 3) call the length f and the distance k; here they are ``bits``
and ``max_distance``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.typing import Words

WORD_BITS = 64


@dataclass(frozen=True)
class Band:
    """A set of bits of a fingerprint, as runs of neighbouring bits.

    Parameters
    ----------
    runs : tuple of (int, int, int)
        Word, first bit in that word, and number of bits of each run; at most
        64 bits in all.
    """

    runs: tuple[tuple[int, int, int], ...]

    @property
    def width(self) -> int:
        """Number of bits."""
        return sum(width for _, _, width in self.runs)


@dataclass(frozen=True)
class BandLayout:
    """How the bits of a fingerprint are shared out between bands.

    Parameters
    ----------
    bits : {64, 128}
        Length of the fingerprint.
    max_distance : int
        Largest Hamming distance, in bits and inclusive, that must not be missed.
    """

    bits: int
    max_distance: int

    @property
    def bands(self) -> tuple[Band, ...]:
        """The bands; together they hold every bit once.

        >>> [band.width for band in BandLayout(bits=64, max_distance=4).bands]
        [13, 13, 13, 13, 12]
        """
        return split_bits(range(self.bits), self.max_distance)


def split_bits(positions: Sequence[int], max_distance: int) -> tuple[Band, ...]:
    """Deal bit positions out to as few bands as miss nothing.

    Parameters
    ----------
    positions : sequence of int
        Bit positions, from 0; neighbours in the sequence go to the same band.
    max_distance : int
        Largest Hamming distance that must not be missed.

    Returns
    -------
    tuple of Band
        ``max_distance + 1`` bands, or more where a band would not fit into one
        64-bit key; widths differ by one bit at most.

    Examples
    --------
    >>> split_bits([0, 1, 2, 63, 64, 65], max_distance=1)
    (Band(runs=((0, 0, 3),)), Band(runs=((0, 63, 1), (1, 0, 2))))
    """
    n_bands = max(max_distance + 1, -(-len(positions) // WORD_BITS))
    width, wider = divmod(len(positions), n_bands)
    ends = np.cumsum([width + 1] * wider + [width] * (n_bands - wider))
    starts = [0, *ends[:-1]]
    return tuple(_band(positions[a:b]) for a, b in zip(starts, ends, strict=True))


def _band(positions: Sequence[int]) -> Band:
    runs: list[tuple[int, int, int]] = []
    for position in positions:
        word, bit = divmod(position, WORD_BITS)
        if runs and runs[-1][0] == word and runs[-1][1] + runs[-1][2] == bit:
            runs[-1] = (word, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((word, bit, 1))
    return Band(tuple(runs))


def read_band(fingerprints: Words, band: Band) -> Words:
    """Read one band of every fingerprint.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_docs, n_words), dtype uint64
        One fingerprint per row.
    band : Band
        Which bits to read.

    Returns
    -------
    ndarray of shape (n_docs,), dtype uint64
        The bits of the band, right-aligned; equal exactly where all of them are.

    Examples
    --------
    >>> read_band(np.array([[0xAB]], dtype=np.uint64), Band(((0, 0, 4),)))
    array([11], dtype=uint64)
    """
    keys = np.zeros(len(fingerprints), dtype=np.uint64)
    filled = 0
    for word, start, width in band.runs:
        part = fingerprints[:, word] >> np.uint64(start)
        if width < WORD_BITS:
            part &= np.uint64((1 << width) - 1)
        keys |= part << np.uint64(filled)
        filled += width
    return keys
