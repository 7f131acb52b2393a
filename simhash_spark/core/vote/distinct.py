"""Feature hashes to distinct ones, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Hashes, Integers, Places, Words

MIX = np.array([0, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD], dtype=np.uint64)
"""Odd numbers without pattern, one for each round through the table."""

SLOTS_PER_FEATURE = 4
"""At least, and at most twice as many: the size of each part is a power of two."""


def distinct_hashes(
    hashes: Hashes, docs: Integers, n_docs: int, *, is_counted: bool = False
) -> tuple[Hashes, Integers, Integers | None]:
    """Keep one of the features of a document whose word 0 is the same.

    Parameters
    ----------
    hashes : ndarray of shape (n_features, n_words), dtype uint64
        Feature hashes in any order; at least one.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each feature, from 0.
    n_docs : int
        Number of documents.
    is_counted : bool
        Whether ``counts`` are asked for.

    Returns
    -------
    hashes : ndarray of shape (n_distinct, n_words), dtype uint64
        Distinct hashes, document by document.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    counts : ndarray of shape (n_distinct,), dtype int64, or None
        How often each of them occurs.

    Notes
    -----
    Each feature writes its place into a slot that follows from its hash, among
    those of its document, so that the table is read and written where the cache
    has it; the place found there stands for all features that equal it. Those
    that share a slot with another go through the table once more, and the few
    left after that are sorted.

    Examples
    --------
    >>> hashes = np.array([[7], [9], [7], [7]], dtype=np.uint64)
    >>> distinct_hashes(hashes, np.array([0, 0, 0, 1], dtype=np.int64), 2)[1].tolist()
    [2, 1]
    """
    hashes, docs = in_order(hashes, docs)
    bounds = np.searchsorted(docs, np.arange(n_docs + 1, dtype=np.int64))
    same = _same_hash(np.ascontiguousarray(hashes[:, 0]), bounds, n_rounds=2)
    kept = np.flatnonzero(same == np.arange(len(same), dtype=np.int32))
    n_features = np.diff(np.searchsorted(kept, bounds))
    counts = np.bincount(same, minlength=len(same))[kept] if is_counted else None
    return hashes.T.take(kept, axis=1).T, n_features, counts


def in_order(hashes: Hashes, docs: Integers) -> tuple[Hashes, Integers]:
    """Put features document by document.

    >>> hashes, docs = np.array([[7], [9]], dtype=np.uint64), np.array([1, 0], dtype=np.int64)
    >>> in_order(hashes, docs)[0].tolist()
    [[9], [7]]
    """
    if (docs[1:] >= docs[:-1]).all():
        return hashes, docs
    order = np.argsort(docs, kind="stable")
    return hashes[order], docs[order]


def _same_hash(first: Words, bounds: Integers, n_rounds: int) -> Places:
    """Give the place of one equal hash of the same document, the same one for all."""
    if not n_rounds:
        return _same_by_sorting(first, bounds)
    at, n_slots = _slots(first * MIX[n_rounds], bounds)
    places = np.arange(len(first), dtype=np.int32)
    table = np.empty(n_slots, dtype=np.int32)
    table[at] = places
    same = table.take(at)
    lost = np.flatnonzero(same != places)
    others = lost[first.take(lost) != first.take(same.take(lost))]
    if len(others):
        inner = np.searchsorted(others, bounds)
        same[others] = others[_same_hash(first[others], inner, n_rounds - 1)]
    return same


def _slots(mixed: Words, bounds: Integers) -> tuple[Integers, int]:
    """Spread the features of each document over its own part of a table; give its size, too."""
    sizes = np.diff(bounds)
    bits = np.frexp(SLOTS_PER_FEATURE * sizes)[1].astype(np.uint64)
    n_slots = np.uint64(1) << bits
    mixed >>= np.repeat(np.uint64(64) - bits, sizes)
    mixed += np.repeat(np.cumsum(n_slots) - n_slots, sizes)
    return mixed.view(np.int64), int(n_slots.sum())


def _same_by_sorting(first: Words, bounds: Integers) -> Places:
    docs = np.repeat(np.arange(len(bounds) - 1, dtype=np.int64), np.diff(bounds))
    order = np.lexsort((first, docs))
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (first[order[1:]] != first[order[:-1]]) | (docs[order[1:]] != docs[order[:-1]])
    same = np.empty(len(order), dtype=np.int32)
    same[order] = order[is_new][np.cumsum(is_new) - 1]
    return same
