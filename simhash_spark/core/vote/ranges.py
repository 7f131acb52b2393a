"""Distinct hashes of one very long text, in bounded memory.

Where they are too many to be held at once, those of one range of hash values
are gathered, and the text is read again for the next range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simhash_spark.core.typing import Hashes

    Hashed = Callable[[], Iterator[Hashes]]

MOST_HASHES = 1 << 22
"""Words of distinct hashes held at once: 32 MB, and a few times that while merging."""

TOP = 1 << 64


def distinct_ranges(hashed: Hashed, n_words: int, *, is_counted: bool) -> Iterator[Hashes]:
    """Yield the distinct hashes, range by range.

    Parameters
    ----------
    hashed : callable
        Gives the hashes anew each time it is called, piece by piece: ndarrays
        of shape (n, n_words), dtype uint64.
    n_words : {1, 2}
        Words of a hash; two are the same where their word 0 is.
    is_counted : bool
        Whether a last column says how often each occurs.

    Yields
    ------
    ndarray of shape (n_distinct, n_words) or (n_distinct, n_words + 1), dtype uint64
        By ascending word 0.

    Examples
    --------
    >>> pieces = [np.array([[9], [7]], dtype=np.uint64), np.array([[7]], dtype=np.uint64)]
    >>> [rows.tolist() for rows in distinct_ranges(lambda: iter(pieces), 1, is_counted=True)]
    [[[7, 2], [9, 1]]]
    """
    low = 0
    while low < TOP:
        rows, low = _distinct_in_range(hashed, n_words, low, is_counted=is_counted)
        yield rows


def _distinct_in_range(
    hashed: Hashed, n_words: int, low: int, *, is_counted: bool
) -> tuple[Hashes, int]:
    """Distinct hashes from ``low`` to a bound that keeps them few enough, and the bound."""
    high = TOP
    most = MOST_HASHES // (n_words + is_counted)
    seen = np.empty((0, n_words + is_counted), dtype=np.uint64)
    waiting: list[Hashes] = []
    n_waiting = 0
    for hashes in hashed():
        if is_counted:
            hashes = np.column_stack([hashes, np.ones(len(hashes), dtype=np.uint64)])
        fresh = _distinct([_between(hashes, low, high)], is_counted=is_counted)
        waiting.append(fresh)
        n_waiting += len(fresh)
        if n_waiting > max(len(seen), most // 4):
            seen = _distinct([seen, *waiting], is_counted=is_counted)
            waiting, n_waiting = [], 0
            while len(seen) > most:
                high = (low + high) // 2
                seen = _between(seen, low, high)
    seen = _distinct([seen, *waiting], is_counted=is_counted)
    return _between(seen, low, high), high


def _between(hashes: Hashes, low: int, high: int) -> Hashes:
    if low == 0 and high == TOP:
        return hashes
    first = hashes[:, 0]
    return hashes[(first >= np.uint64(low)) & (first <= np.uint64(high - 1))]


def _distinct(parts: list[Hashes], *, is_counted: bool) -> Hashes:
    """Sort and keep one of those with the same word 0; add up their counts, the last column."""
    # np.unique of NumPy 2.3 and later fills a hash table instead: ten times slower here.
    hashes = np.concatenate(parts)
    if hashes.shape[1] > 1:
        hashes = hashes[np.argsort(hashes[:, 0])]
    else:
        hashes.sort(axis=0)
    is_new = np.ones(len(hashes), dtype=np.bool_)
    np.not_equal(hashes[1:, 0], hashes[:-1, 0], out=is_new[1:])
    kept = hashes[is_new]
    if is_counted and len(kept):
        kept[:, -1] = np.add.reduceat(hashes[:, -1], np.flatnonzero(is_new))
    return kept
