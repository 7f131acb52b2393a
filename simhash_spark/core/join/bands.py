"""Bands: sets of bits of a fingerprint, and what two fingerprints do on them.

Two fingerprints that differ in at most k bits, cut into more than k bands, agree
on some of the bands: the differing bits cannot touch them all (pigeonhole
principle). Equality on bands is therefore a filter without misses, whichever
way the bits are dealt out; ``tables`` makes use of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simhash_spark.core.typing import Booleans, Words

WORD_BITS = 64


@dataclass(frozen=True)
class Band:
    """A set of bits of a fingerprint, as runs of neighbouring bits.

    Parameters
    ----------
    runs : tuple of (int, int, int)
        Word, first bit in that word, and number of bits of each run.

    Attributes
    ----------
    mask : int
        The bits as a number: bit i is set where bit i of the fingerprint belongs
        to the band.
    masks : tuple of (int, uint64)
        The same, word by word, without the words that have none of the bits.

    Examples
    --------
    >>> bin(Band(((0, 1, 2), (0, 4, 1))).mask)
    '0b10110'
    """

    runs: tuple[tuple[int, int, int], ...]
    mask: int = field(init=False, repr=False, compare=False)
    masks: tuple[tuple[int, np.uint64], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ones = (((1 << width) - 1) << (word * WORD_BITS + bit) for word, bit, width in self.runs)
        mask = sum(ones)
        words = ((at, mask >> (at * WORD_BITS) & (2**WORD_BITS - 1)) for at in (0, 1))
        masks = tuple((at, np.uint64(word)) for at, word in words if word)
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "masks", masks)

    @property
    def width(self) -> int:
        """Number of bits."""
        return sum(width for _, _, width in self.runs)

    def head(self, width: int) -> Band:
        """Take the first so many bits.

        >>> Band(((0, 1, 2), (0, 4, 9))).head(3)
        Band(runs=((0, 1, 2), (0, 4, 1)))
        """
        runs = []
        for word, bit, size in self.runs:
            if width > 0:
                runs.append((word, bit, min(size, width)))
            width -= size
        return Band(tuple(runs))


def band_of(positions: Iterable[int]) -> Band:
    """Make a band of bit positions, from 0.

    >>> band_of([62, 63, 64, 3])
    Band(runs=((0, 62, 2), (1, 0, 1), (0, 3, 1)))
    """
    runs: list[tuple[int, int, int]] = []
    for position in positions:
        word, bit = divmod(position, WORD_BITS)
        if runs and runs[-1][0] == word and runs[-1][1] + runs[-1][2] == bit:
            runs[-1] = (word, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((word, bit, 1))
    return Band(tuple(runs))


def cut_bits(positions: Sequence[int], n_bands: int) -> tuple[Band, ...]:
    """Cut bit positions into bands of equal width, or nearly so.

    Parameters
    ----------
    positions : sequence of int
        Bit positions, from 0; neighbours in the sequence go to the same band.
    n_bands : int
        How many bands; at most as many as positions.

    Returns
    -------
    tuple of Band
        Their widths differ by one bit at most, the wider ones first.

    Examples
    --------
    >>> cut_bits([0, 1, 2, 63, 64], n_bands=2)
    (Band(runs=((0, 0, 3),)), Band(runs=((0, 63, 1), (1, 0, 1))))
    """
    width, wider = divmod(len(positions), n_bands)
    ends = np.cumsum([width + 1] * wider + [width] * (n_bands - wider)).tolist()
    return tuple(band_of(positions[a:b]) for a, b in zip([0, *ends], ends, strict=False))


def read_band(fingerprints: Words, band: Band) -> Words:
    """Read one band of every fingerprint.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_docs, n_words), dtype uint64
        One fingerprint per row.
    band : Band
        Which bits to read; at most 64.

    Returns
    -------
    ndarray of shape (n_docs,), dtype uint64
        The bits of the band, the first run lowest; equal exactly where all of
        them are.

    Examples
    --------
    >>> read_band(np.array([[0xAB]], dtype=np.uint64), Band(((0, 0, 4),)))
    array([11], dtype=uint64)
    """
    keys = np.zeros(0, dtype=np.uint64)
    filled = 0
    for word, start, width in band.runs:
        part = fingerprints[:, word] >> np.uint64(start)
        if start + width < WORD_BITS:
            part &= np.uint64((1 << width) - 1)
        if not filled:
            keys = part
        else:
            part <<= np.uint64(filled)
            keys |= part
        filled += width
    return keys if filled else np.zeros(len(fingerprints), dtype=np.uint64)


def differs(differences: Words, band: Band) -> Booleans:
    """Tell whether two fingerprints differ on a band.

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_words), dtype uint64
        Exclusive or of the two fingerprints of each pair.
    band : Band
        Which bits to look at.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype bool
        True where at least one of the bits differs.

    Examples
    --------
    >>> differs(np.array([[4], [8]], dtype=np.uint64), Band(((0, 2, 1),)))
    array([ True, False])
    """
    found = np.zeros(len(differences), dtype=np.bool_)
    for word, mask in band.masks:
        found |= (differences[:, word] & mask) != 0
    return found
