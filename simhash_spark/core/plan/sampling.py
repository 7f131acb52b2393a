"""An order of fingerprints that has nothing to do with their bits, and is always the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.windows.permutations import mix

if TYPE_CHECKING:
    from simhash_spark.core.typing import Words


def in_hash_order(fingerprints: Words) -> Words:
    """Put fingerprints in the order of their hashes: neighbours are a random pair.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
        Distinct fingerprints.

    Returns
    -------
    ndarray of the same shape, dtype uint64
        The order depends on the set alone.

    Examples
    --------
    >>> some = np.arange(10, dtype=np.uint64).reshape(-1, 1)
    >>> bool((in_hash_order(some) == in_hash_order(some[::-1])).all())
    True
    """
    hashes = mix(fingerprints[:, 0])
    for word in fingerprints.T[1:]:
        hashes = mix(hashes ^ word)
    return fingerprints[np.lexsort((*fingerprints.T, hashes))]
