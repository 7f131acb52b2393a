"""Orders of the bits of a fingerprint: random permutations, and cheap turns of each.

Fingerprints sorted as numbers lie beside those that agree with them in the
highest bits. To bring every pair of near fingerprints together sooner or later,
they are sorted again and again, each time with other bits on top. A *table* of
number t is one such order: a random permutation of all bits, a word of the
result, and a turn of that word by a multiple of 16 bits.

The four turns of a word have disjoint bits on top, so they miss a pair for
different reasons: that is a little better than independent permutations, and
costs a tenth of them.

Permutations come from splitmix64 alone, so that they are the same everywhere
and for ever; ``numpy.random`` promises neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Words

TURNS = 4
TURN_BITS = WORD_BITS // TURNS
CHUNK = 1 << 15
"""Rows handled together: their temporaries stay in the cache."""

WIDE_FROM = 1 << 19
"""From so many rows on, look-up by 16 bits repays building tables of 65 536 entries."""


class Table(NamedTuple):
    """One order of the bits: the number of a permutation, a word of its result, and a turn."""

    permutation: int
    word: int
    turn: int


def table_of(number: int, *, n_words: int) -> Table:
    """Say which order of the bits a table number stands for.

    Parameters
    ----------
    number : int
        Number of the table, from 0.
    n_words : {1, 2}
        Words of a fingerprint.

    Returns
    -------
    Table
        All turns of all words of a permutation follow each other.

    Examples
    --------
    >>> table_of(13, n_words=2)
    Table(permutation=1, word=1, turn=1)
    """
    permutation, rest = divmod(number, n_words * TURNS)
    return Table(permutation, *divmod(rest, TURNS))


def bit_order(number: int, *, bits: int, seed: int = 0) -> Integers:
    """Draw a permutation of the bits.

    Parameters
    ----------
    number : int
        Number of the permutation, from 0.
    bits : {64, 128}
        Length of a fingerprint.
    seed : int
        Seed of the whole family.

    Returns
    -------
    ndarray of shape (bits,), dtype int64
        Place that each bit goes to.

    Examples
    --------
    >>> bit_order(0, bits=64)[:4].tolist(), bit_order(1, bits=64)[:4].tolist()
    ([61, 26, 52, 18], [50, 58, 13, 2])
    """
    drawn = np.array([seed % (1 << WORD_BITS)], dtype=np.uint64)
    for part in (np.array([number], dtype=np.uint64), np.arange(bits, dtype=np.uint64)):
        drawn = mix(mix(drawn) + part)
    return np.argsort(drawn, kind="stable").astype(np.int64)


def mix(words: Words) -> Words:
    """Scramble words: the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).

    >>> hex(mix(np.array([0], dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def inverse(order: Integers) -> Integers:
    """Give the permutation that undoes another.

    >>> inverse(np.array([1, 2, 0])).tolist()
    [2, 0, 1]
    """
    return np.argsort(order).astype(np.int64)


def permute(columns: Words, order: Integers) -> Words:
    """Move the bits of fingerprints.

    Parameters
    ----------
    columns : ndarray of shape (n_words, n_nodes), dtype uint64
        Fingerprints, one per column.
    order : ndarray of shape (64 * n_words,), dtype int64
        Place that each bit goes to.

    Returns
    -------
    ndarray of shape (n_words, n_nodes), dtype uint64
        The same fingerprints; Hamming distances are unchanged.

    Notes
    -----
    One look-up per byte, or per 16 bits, for each word of the result: about
    5 ns per fingerprint of 64 bits, 20 ns of 128.

    Examples
    --------
    >>> order = np.roll(np.arange(64), -1)
    >>> permute(np.array([[0b1, 0b110]], dtype=np.uint64), order).tolist()
    [[2, 12]]
    """
    width = 16 if columns.shape[1] >= WIDE_FROM else 8
    tables = _lookup_tables(order, width)
    permuted = np.zeros(columns.shape, dtype=np.uint64)
    for start in range(0, columns.shape[1], CHUNK):
        part = slice(start, start + CHUNK)
        _permute_chunk(columns[:, part], tables, permuted[:, part])
    return permuted


def _lookup_tables(order: Integers, width: int) -> Words:
    """Tell where each value of each group of bits goes: (n_groups, n_words, 2 ** width)."""
    word, bit = np.divmod(order, WORD_BITS)
    moved = np.zeros((len(order), len(order) // WORD_BITS), dtype=np.uint64)
    moved[np.arange(len(order)), word] = np.uint64(1) << bit.astype(np.uint64)
    tables: Words = np.zeros((len(order) // width, moved.shape[1], 1), dtype=np.uint64)
    for place in range(width):
        ones = moved[place::width, :, np.newaxis]
        tables = np.concatenate([tables, tables | ones], axis=2)
    return tables


def _permute_chunk(columns: Words, tables: Words, permuted: Words) -> None:
    """Move the bits of a chunk into ``permuted``, which is zero."""
    width = tables.shape[2].bit_length() - 1
    mask = np.uint64(tables.shape[2] - 1)
    values = np.empty(columns.shape[1], dtype=np.uint64)
    places = np.empty(columns.shape[1], dtype=np.uint64)
    for group, table in enumerate(tables):
        word, start = divmod(group * width, WORD_BITS)
        np.right_shift(columns[word], np.uint64(start), out=places)
        np.bitwise_and(places, mask, out=places)
        for moved, target in zip(table, permuted, strict=True):
            # mode="clip" writes to `out` directly; "raise" would go through a buffer.
            np.take(moved, places.view(np.int64), out=values, mode="clip")
            np.bitwise_or(target, values, out=target)


def turn(words: Words, turns: int) -> Words:
    """Turn words to the left by a multiple of 16 bits.

    Parameters
    ----------
    words : ndarray of shape (n_nodes,), dtype uint64
        Words.
    turns : int
        How often, from 0 to 3; backwards where negative.

    Returns
    -------
    ndarray of shape (n_nodes,), dtype uint64
        A new array.

    Examples
    --------
    >>> [hex(word) for word in turn(np.array([0x1234_5678_9ABC_DEF0], dtype=np.uint64), 1)]
    ['0x56789abcdef01234']
    """
    left = np.uint64(turns % TURNS * TURN_BITS)
    if not left:
        return words.copy()
    turned = np.empty_like(words)
    for start in range(0, len(words), CHUNK):
        part = words[start : start + CHUNK]
        target = turned[start : start + CHUNK]
        np.left_shift(part, left, out=target)
        np.bitwise_or(target, part >> (np.uint64(WORD_BITS) - left), out=target)
    return turned
