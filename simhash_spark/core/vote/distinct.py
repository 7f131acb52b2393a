"""Feature hashes to distinct ones, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Hashes, Integers, Places, Words

MIX_DOC = np.uint64(0x9E3779B97F4A7C15)
MIX_SLOT = np.array([1, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD], dtype=np.uint64)
"""Odd numbers without pattern, one for each round through the table."""

SLOTS_PER_FEATURE = 2


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
    Each feature writes its place into a table, at a slot that follows from
    hash and document; the one found there stands for all that equal it. Those
    that share a slot with another go through the table once more, and the few
    left after that are sorted.

    Examples
    --------
    >>> hashes = np.array([[7], [9], [7], [7]], dtype=np.uint64)
    >>> distinct_hashes(hashes, np.array([0, 0, 0, 1], dtype=np.int64), 2)[1].tolist()
    [2, 1]
    """
    if (docs[1:] < docs[:-1]).any():
        order = np.argsort(docs, kind="stable")
        hashes, docs = hashes[order], docs[order]
    keys = docs.astype(np.uint64)
    keys *= MIX_DOC
    keys ^= hashes[:, 0]
    same = _same_key(keys, n_rounds=2)
    if (docs[same] != docs).any():  # two documents gave one key: about once in 2^64 pairs
        same = _same_by_sorting(hashes[:, 0], docs)
    kept = np.flatnonzero(same == np.arange(len(same), dtype=np.int32))
    ends = np.searchsorted(docs, np.arange(n_docs + 1, dtype=np.int64))
    n_features = np.diff(np.searchsorted(kept, ends))
    counts = np.bincount(same, minlength=len(same))[kept] if is_counted else None
    return hashes[kept], n_features, counts


def _same_key(keys: Words, n_rounds: int) -> Places:
    """Give the place of one equal key, the same one for all."""
    if not n_rounds:
        return _same_by_sorting(keys, np.zeros(len(keys), dtype=np.int64))
    places = np.arange(len(keys), dtype=np.int32)
    bits = (SLOTS_PER_FEATURE * len(keys)).bit_length()
    slots = (keys * MIX_SLOT[n_rounds]) >> np.uint64(64 - bits)
    table = np.empty(1 << bits, dtype=np.int32)
    at = slots.view(np.int64)
    table[at] = places
    same = table[at]
    others = np.flatnonzero(keys[same] != keys)
    if len(others):
        same[others] = others[_same_key(keys[others], n_rounds - 1)]
    return same


def _same_by_sorting(first: Words, docs: Integers) -> Places:
    order = np.lexsort((first, docs))
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (first[order[1:]] != first[order[:-1]]) | (docs[order[1:]] != docs[order[:-1]])
    same = np.empty(len(order), dtype=np.int32)
    same[order] = order[is_new][np.cumsum(is_new) - 1]
    return same
