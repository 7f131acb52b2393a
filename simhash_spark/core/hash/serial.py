"""Hashes that read a feature character by character, for all features at once.

The loop runs over positions: at each one, the features that reach so far take
their next byte, character or block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.hash.murmur import byte_windows, load_bytes
from simhash_spark.core.utf8 import character_starts, code_points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Bytes, Hashes, Integers, Words

FNV_BASIS = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
MULTIPLIER = np.uint64(1000003)
HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
BLOCK_BYTES = 12
MIX = (4, 6, 8, 16, 19, 4)
FINISH = (14, 11, 25, 16, 4, 14, 24)
"""Rotations of lookup3."""


def fnv(data: Bytes, starts: Integers, lengths: Integers, *, xor_first: bool) -> Words:
    """Compute FNV-1a of 64 bits, or FNV-1, which multiplies before it mixes in the byte.

    >>> data = np.frombuffer(b"foo", dtype=np.uint8)
    >>> one = np.array([0], dtype=np.int64), np.array([3], dtype=np.int64)
    >>> [hex(fnv(data, *one, xor_first=xor_first)[0]) for xor_first in (False, True)]
    ['0xd8cbc7186ba13533', '0xdcb27518fed9d577']
    """
    hashes = np.full(len(starts), FNV_BASIS, dtype=np.uint64)
    for which, position in _positions(lengths):
        values = data[starts[which] + position]
        state = hashes[which]
        if xor_first:
            state ^= values
            state *= FNV_PRIME
        else:
            state *= FNV_PRIME
            state ^= values
        hashes[which] = state
    return hashes


def polynomial(data: Bytes, starts: Integers, lengths: Integers, *, pad: int) -> Hashes:
    """Compute the string hash of the tutorials, mod 2^128, over code points.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.
    starts : ndarray of shape (n_features,), dtype int64
        First byte of each feature.
    lengths : ndarray of shape (n_features,), dtype int64
        Bytes of each feature.
    pad : int
        Shorter features are made this long by repeating their first character.

    Returns
    -------
    ndarray of shape (n_features, 2), dtype uint64
        Low word first. Of an empty feature: 0.

    Examples
    --------
    >>> data = np.frombuffer(b"ab", dtype=np.uint8)
    >>> one = np.array([0], dtype=np.int64), np.array([2], dtype=np.int64)
    >>> polynomial(data, *one, pad=1).tolist()
    [[12416074593111939, 0]]
    """
    edges = character_starts(data)
    codes = np.append(code_points(data), np.uint32(0)).astype(np.uint64)
    first = np.searchsorted(edges, starts)
    n_characters = np.searchsorted(edges, starts + lengths) - first
    padded = np.where(n_characters > 0, np.maximum(n_characters, pad), 0)
    low = np.where(n_characters > 0, codes[first] << np.uint64(7), np.uint64(0))
    high = np.zeros(len(low), dtype=np.uint64)
    for which, position in _positions(padded):
        shift = np.where(position < n_characters[which], position, 0)
        state = low[which]
        high[which] = high[which] * MULTIPLIER + _carry(state)
        low[which] = state * MULTIPLIER ^ codes[first[which] + shift]
    return np.column_stack([low ^ padded.astype(np.uint64), high])


def lookup3(data: Bytes, starts: Integers, lengths: Integers) -> Words:
    """Compute ``hashlittle2`` by Bob Jenkins, public domain: first result high, second low.

    >>> data = np.frombuffer(b"Four score and seven years ago", dtype=np.uint8)
    >>> one = np.array([0], dtype=np.int64), np.array([30], dtype=np.int64)
    >>> hex(lookup3(data, *one)[0])  # as in the comments of lookup3.c
    '0x17770551ce7226e6'
    """
    windows = byte_windows(data)
    initial = (lengths + 0xDEADBEEF).astype(np.uint32)
    state = np.stack([initial, initial, initial])
    rest, starts = lengths.copy(), starts.copy()
    while (which := np.flatnonzero(rest > BLOCK_BYTES)).size:
        whole = np.full(len(which), BLOCK_BYTES, dtype=np.int64)
        state[:, which] = _mix(state[:, which] + _thirds(windows, starts[which], whole))
        rest[which] -= BLOCK_BYTES
        starts[which] += BLOCK_BYTES
    which = np.flatnonzero(rest)
    state[:, which] = _finish(state[:, which] + _thirds(windows, starts[which], rest[which]))
    return state[2].astype(np.uint64) << HALF | state[1]


def _positions(lengths: Integers) -> Iterator[tuple[Integers, int]]:
    """Yield each position, and which features reach beyond it."""
    which = np.flatnonzero(lengths)
    position = 0
    while len(which):
        yield which, position
        position += 1
        which = which[lengths[which] > position]


def _carry(words: Words) -> Words:
    """Give what multiplying carries into the next word."""
    return ((words >> HALF) * MULTIPLIER + ((words & LOW_HALF) * MULTIPLIER >> HALF)) >> HALF


def _thirds(windows: Words, starts: Integers, lengths: Integers) -> Words:
    """Load up to twelve bytes as three words of 32 bits; those beyond the length are zero."""
    if not len(starts):
        return np.empty((3, 0), dtype=np.uint32)
    low = load_bytes(windows, starts, lengths)
    high = load_bytes(windows, starts + 8, lengths - 8)
    return np.stack([low & LOW_HALF, low >> HALF, high]).astype(np.uint32)


def _mix(state: Words) -> Words:
    x, y, z = state
    for turn in MIX:
        x = (x - z) ^ _turned(z, turn)
        z = z + y
        x, y, z = y, z, x
    return np.stack([x, y, z])


def _finish(state: Words) -> Words:
    z, y, x = state
    for turn in FINISH:
        x = (x ^ y) - _turned(y, turn)
        x, y, z = z, x, y
    return np.stack([x, z, y])


def _turned(words: Words, left: int) -> Words:
    return words << np.uint32(left) | words >> np.uint32(32 - left)
