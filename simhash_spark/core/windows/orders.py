"""Fingerprints sorted by their own value, and by the bits that a table puts on top.

In a table a fingerprint of 64 bits is its own key: nothing else has to be
carried, as the permutation can be undone. The key of 128 bits is the highest
bits of one permuted word with the place of the fingerprint below them, so that
one fast sort of plain numbers does; the other word is then fetched by place.

A *name* is a number that stands for a fingerprint and is ordered like it: the
fingerprint itself for 64 bits, its place in ascending order for 128.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.hamming import popcounts_without_instruction
from simhash_spark.core.join.pairs import is_less
from simhash_spark.core.windows.permutations import CHUNK, inverse, permute, turn

if TYPE_CHECKING:
    import numpy.typing as npt

    from simhash_spark.core.typing import Bytes, Integers, Words
    from simhash_spark.core.windows.permutations import Table


class Nodes(NamedTuple):
    """Distinct fingerprints in ascending order.

    Parameters
    ----------
    columns : ndarray of shape (n_words, n_nodes), dtype uint64
        One fingerprint per column.
    """

    columns: Words

    def fingerprints(self, names: Words) -> Words:
        """Give the fingerprints of those names, of shape (n_names, n_words)."""
        if len(self.columns) == 1:
            return names[:, np.newaxis]
        return np.ascontiguousarray(self.columns[:, names.view(np.int64)].T)


def sort_nodes(fingerprints: Words) -> Nodes:
    """Sort fingerprints as unsigned numbers, the highest word first.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
        Distinct fingerprints.

    Returns
    -------
    Nodes
        The same in ascending order.

    Examples
    --------
    >>> sort_nodes(np.array([[0, 2], [5, 1]], dtype=np.uint64))
    Nodes(columns=array([[5, 0],
           [1, 2]], dtype=uint64))
    """
    columns = np.ascontiguousarray(fingerprints.T)
    if not is_less(fingerprints[1:], fingerprints[:-1]).any():
        return Nodes(columns)
    if len(columns) == 1:
        return Nodes(np.sort(columns, axis=1))
    order = np.argsort(columns[-1])
    if _has_repeats(columns[-1], order):
        order = np.lexsort(columns)
    return Nodes(np.take(columns, order, axis=1))


def _has_repeats(words: Words, order: npt.NDArray[np.intp]) -> bool:
    ordered = words[order]
    return bool((ordered[1:] == ordered[:-1]).any())


class Order(NamedTuple):
    """Fingerprints as one table sorts them.

    Parameters
    ----------
    table : Table
        The table.
    bits : ndarray of shape (64 * n_words,), dtype int64
        Its permutation.
    keys : ndarray of shape (n_nodes,), dtype uint64
        Sorted keys.
    compared : ndarray of shape (n_words, n_nodes), dtype uint64
        What tells how near neighbours are: all bits but those that gave way to a place.
    low : int
        Ones where a key holds a place; 0 for 64 bits.
    """

    table: Table
    bits: Integers
    keys: Words
    compared: Words
    low: int

    def names(self, places: Integers) -> Words:
        """Name the fingerprints at these places."""
        if self.low:
            return self.keys[places] & np.uint64(self.low)
        words = turn(self.keys[places], -self.table.turn)
        return permute(words[np.newaxis], inverse(self.bits))[0]


def sort_by(permuted: Words, table: Table, bits: Integers) -> Order:
    """Sort permuted fingerprints as a table says.

    Parameters
    ----------
    permuted : ndarray of shape (n_words, n_nodes), dtype uint64
        Fingerprints in ascending order, their bits then permuted.
    table : Table
        Which word to sort by, and how far to turn it.
    bits : ndarray of shape (64 * n_words,), dtype int64
        The permutation.

    Returns
    -------
    Order
        The order, the same for the same set of fingerprints.
    """
    low = low_bits(*permuted.shape)
    places = np.arange(permuted.shape[1], dtype=np.uint64) if low else None
    keys = keys_of(permuted, table, low=low, places=places)
    keys.sort()
    if not low:
        return Order(table, bits, keys, keys[np.newaxis], low)
    compared = np.empty(permuted.shape, dtype=np.uint64)
    _fetch(permuted[1 - table.word], keys, low, out=compared[0])
    np.bitwise_and(keys, ~np.uint64(low), out=compared[1])
    return Order(table, bits, keys, compared, low)


def low_bits(n_words: int, n_nodes: int) -> int:
    """Give the bits of a key that hold a place from 0 to ``n_nodes``, as ones.

    >>> low_bits(1, 100), low_bits(2, 100)
    (0, 127)
    """
    return (1 << n_nodes.bit_length()) - 1 if n_words > 1 else 0


def keys_of(permuted: Words, table: Table, *, low: int, places: Words | None) -> Words:
    """Make the keys of a table.

    Parameters
    ----------
    permuted : ndarray of shape (n_words, n_nodes), dtype uint64
        Permuted fingerprints.
    table : Table
        Which word to take, and how far to turn it.
    low : int
        From ``low_bits``.
    places : ndarray of shape (n_nodes,), dtype uint64, or None
        What the low bits hold.

    Returns
    -------
    ndarray of shape (n_nodes,), dtype uint64
        Keys.
    """
    keys = turn(permuted[table.word], table.turn)
    if places is not None and low:
        np.bitwise_and(keys, ~np.uint64(low), out=keys)
        np.bitwise_or(keys, places, out=keys)
    return keys


def _fetch(words: Words, keys: Words, low: int, *, out: Words) -> None:
    for start in range(0, len(keys), CHUNK):
        places = (keys[start : start + CHUNK] & np.uint64(low)).view(np.int64)
        # mode="clip" writes to `out` directly; "raise" would go through a buffer.
        np.take(words, places, out=out[start : start + CHUNK], mode="clip")


def rank(nodes: Nodes, wanted: Words) -> Integers:
    """Count the nodes that are smaller than each fingerprint.

    Parameters
    ----------
    nodes : Nodes
        Fingerprints in ascending order.
    wanted : ndarray of shape (n_wanted, n_words), dtype uint64
        Any fingerprints.

    Returns
    -------
    ndarray of shape (n_wanted,), dtype int64
        From 0 to the number of nodes.

    Examples
    --------
    >>> nodes = sort_nodes(np.array([[0, 2], [5, 1]], dtype=np.uint64))
    >>> rank(nodes, np.array([[5, 1], [1, 2], [6, 1]], dtype=np.uint64)).tolist()
    [0, 2, 1]
    """
    low = np.zeros(len(wanted), dtype=np.int64)
    high = np.full(len(wanted), nodes.columns.shape[1], dtype=np.int64)
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high) // 2, 0)
        is_below = open_ & is_less(nodes.columns[:, middle].T, wanted)
        low = np.where(is_below, middle + 1, low)
        high = np.where(open_ & ~is_below, middle, high)
    return low


def count_bits(left: Words, right: Words, difference: Words, *, out: Bytes) -> None:
    """Count the bits in which columns differ, without an array of our own.

    Parameters
    ----------
    left, right : ndarray of shape (n_words, n_pairs), dtype uint64
        Column i of one is compared with column i of the other.
    difference : ndarray of shape (n_pairs,), dtype uint64
        Is written over.
    out : ndarray of shape (n_pairs,), dtype uint8
        Distances.

    Examples
    --------
    >>> columns, out = np.array([[1, 2, 4, 7]], dtype=np.uint64), np.zeros(2, dtype=np.uint8)
    >>> count_bits(columns[:, :2], columns[:, 2:], np.zeros(2, dtype=np.uint64), out=out)
    >>> out
    array([2, 2], dtype=uint8)
    """
    np.bitwise_xor(left[0], right[0], out=difference)
    _write_counts(difference, out)
    for word in range(1, len(left)):
        np.bitwise_xor(left[word], right[word], out=difference)
        out += _bit_count(difference)


def _copy_counts(words: Words, out: Bytes) -> None:
    out[:] = popcounts_without_instruction(words)


# NumPy before 2.0 has no such function.
_bit_count = getattr(np, "bitwise_count", popcounts_without_instruction)
_write_counts = getattr(np, "bitwise_count", _copy_counts)
