"""MurmurHash3 x64 128 of byte spans, bit-identical to ``mmh3``, in NumPy.

A span is hashed where it stands in the buffer: a word that starts at any byte
is one load, so neither a Python object nor a copy is made per feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Hashes, Integers, Words

BLOCK_BYTES = 16
PADDING = 24
SPANS_AT_ONCE = 1 << 15
"""Spans hashed together: enough to forget the cost of a call, few enough for the cache."""

C1 = np.uint64(0x87C37B91114253D5)
C2 = np.uint64(0x4CF5AD432745937F)
MIX1 = np.uint64(0xFF51AFD7ED558CCD)
MIX2 = np.uint64(0xC4CEB9FE1A85EC53)


def hash_spans(data: Bytes, starts: Integers, lengths: Integers, *, n_words: int) -> Hashes:
    """Hash spans of a buffer with seed 0.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Buffer.
    starts : ndarray of shape (n_features,), dtype int64
        First byte of each span.
    lengths : ndarray of shape (n_features,), dtype int64
        Bytes of each span.
    n_words : {1, 2}
        Words of 64 bits to return.

    Returns
    -------
    ndarray of shape (n_features, n_words), dtype uint64
        What ``mmh3.hash64(span, signed=False)[:n_words]`` gives.

    Notes
    -----
    MurmurHash3_x64_128 by Austin Appleby, public domain.

    Examples
    --------
    >>> data = np.frombuffer(b"foobar", dtype=np.uint8)
    >>> spans = np.array([0, 3], dtype=np.int64), np.array([3, 3], dtype=np.int64)
    >>> hash_spans(data, *spans, n_words=1).ravel().tolist()
    [16316970633193145697, 10535706080149431812]
    """
    windows = byte_windows(data)
    hashes = np.empty((n_words, len(starts)), dtype=np.uint64)
    long = np.flatnonzero(lengths >= BLOCK_BYTES)
    if len(long) < len(starts):
        _hash_into(hashes, windows, starts, lengths)  # not yet right for long ones among short
    if len(long):
        rest = np.empty((n_words, len(long)), dtype=np.uint64)
        _hash_into(rest, windows, starts[long], lengths[long])
        hashes[:, long] = rest
    return hashes.T


def byte_windows(data: Bytes) -> Words:
    """Give the little-endian word that starts at each byte; zeros follow the data."""
    padded = np.zeros(len(data) + PADDING, dtype=np.uint8)
    padded[: len(data)] = data
    shape = (len(data) + PADDING - 7,)
    return np.ndarray(shape, dtype="<u8", buffer=padded.data, strides=(1,)).astype(np.uint64)


def _hash_into(out: Words, windows: Words, starts: Integers, lengths: Integers) -> None:
    scratch = np.empty(min(len(starts), SPANS_AT_ONCE), dtype=np.uint64)
    for begin in range(0, len(starts), SPANS_AT_ONCE):
        block = slice(begin, begin + SPANS_AT_ONCE)
        _murmur(windows, (starts[block], lengths[block]), out[:, block], scratch)


def _murmur(windows: Words, spans: tuple[Integers, Integers], out: Words, scratch: Words) -> None:
    """Hash spans that are all shorter than one block, or none, into ``out``, a row a word."""
    starts, lengths = spans
    scratch = scratch[: len(starts)]
    shortest, longest = int(lengths.min()), int(lengths.max())
    sizes = np.int64(longest) if shortest == longest else lengths
    if shortest >= BLOCK_BYTES:
        h1, h2 = _mix_long(windows, starts, lengths, scratch)
    else:
        h1, h2 = _mix_rest(windows, starts, sizes & (BLOCK_BYTES - 1), scratch)
    h1 ^= sizes.view(np.uint64)
    h2 ^= sizes.view(np.uint64)
    h1 += h2
    h2 += h1
    _avalanche(h1, scratch)
    _avalanche(h2, scratch)
    np.add(h1, h2, out=out[0])
    if len(out) > 1:
        np.add(out[0], h2, out=out[1])


def _mix_long(
    windows: Words, starts: Integers, lengths: Integers, scratch: Words
) -> tuple[Words, Words]:
    """Give the state of spans of one block or more, before their length is mixed in."""
    h1 = np.zeros(len(starts), dtype=np.uint64)
    h2 = np.zeros(len(starts), dtype=np.uint64)
    _mix_blocks(windows, starts, lengths, (h1, h2))
    starts = starts + (lengths & -BLOCK_BYTES)
    k1, k2 = _mix_rest(windows, starts, lengths & (BLOCK_BYTES - 1), scratch[: len(starts)])
    h1 ^= k1
    h2 ^= k2
    return h1, h2


def _mix_rest(
    windows: Words, starts: Integers, lengths: Integers | np.int64, scratch: Words
) -> tuple[Words, Words]:
    """Give what the last block, of up to 15 bytes, adds to the state."""
    k1 = _scramble1(load_bytes(windows, starts, lengths), scratch)
    if lengths.max() <= 8:
        return k1, np.zeros_like(k1)
    return k1, _scramble2(load_bytes(windows[8:], starts, lengths - 8), scratch)


def _mix_blocks(
    windows: Words, starts: Integers, lengths: Integers, state: tuple[Words, Words]
) -> None:
    """Mix the whole blocks of each span into the two words of state."""
    h1, h2 = state
    n_blocks = lengths // BLOCK_BYTES
    which = np.flatnonzero(n_blocks)
    done = 0
    while len(which):
        at = starts[which] + done * BLOCK_BYTES
        a, b = h1[which], h2[which]
        scratch = np.empty_like(a)
        a ^= _scramble1(windows[at], scratch)
        _rotate(a, 27, scratch)
        a += b
        a *= np.uint64(5)
        a += np.uint64(0x52DCE729)
        b ^= _scramble2(windows[at + 8], scratch)
        _rotate(b, 31, scratch)
        b += a
        b *= np.uint64(5)
        b += np.uint64(0x38495AB5)
        h1[which], h2[which] = a, b
        done += 1
        which = which[n_blocks[which] > done]


def load_bytes(windows: Words, starts: Integers, lengths: Integers | np.int64) -> Words:
    """Load up to eight bytes; those beyond the length, which may be negative, are zero."""
    words = windows.take(starts)
    spare = 8 - lengths
    if spare.min() < 0:
        spare = np.maximum(spare, 0)
    bits = (spare << 3).view(np.uint64)
    words <<= bits  # NumPy makes a shift by 64 bits or more 0
    words >>= bits
    return words


def _scramble1(words: Words, scratch: Words) -> Words:
    words *= C1
    _rotate(words, 31, scratch)
    words *= C2
    return words


def _scramble2(words: Words, scratch: Words) -> Words:
    words *= C2
    _rotate(words, 33, scratch)
    words *= C1
    return words


def _rotate(words: Words, left: int, scratch: Words) -> None:
    np.left_shift(words, np.uint64(left), out=scratch)
    words >>= np.uint64(64 - left)
    words |= scratch


def _avalanche(words: Words, scratch: Words) -> None:
    """Finish a word in place: fmix64."""
    for factor in (MIX1, MIX2, None):
        np.right_shift(words, np.uint64(33), out=scratch)
        words ^= scratch
        if factor is not None:
            words *= factor
