"""A sample of fingerprints that depends on nothing but the set of them.

Those with the smallest hashes are taken. Samples of parts, put together and
sampled again, give the sample of the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.permutations import mix

if TYPE_CHECKING:
    from simhash_spark.core.typing import Words


class Sampling:
    """Keeps the fingerprints with the smallest hashes of all that are added.

    Parameters
    ----------
    n_words : {1, 2}
        Words of a fingerprint.
    size : int
        How many to keep; all, if there are fewer.

    Examples
    --------
    >>> sampling = Sampling(n_words=1, size=2)
    >>> sampling.add(np.arange(5, dtype=np.uint64).reshape(-1, 1))
    >>> sampling.chosen().tolist()
    [[3], [4]]
    """

    def __init__(self, n_words: int, size: int) -> None:
        self._size = size
        self._kept = np.empty((0, n_words), dtype=np.uint64)
        self._hashes = np.empty(0, dtype=np.uint64)
        self._bound = np.uint64(2**64 - 1)

    def add(self, fingerprints: Words) -> None:
        """Look at some more distinct fingerprints: (n_nodes, n_words) uint64."""
        hashes = mix(fingerprints[:, 0])
        for word in fingerprints.T[1:]:
            hashes = mix(hashes ^ word)
        small = hashes <= self._bound
        self._kept = np.concatenate([self._kept, fingerprints[small]])
        self._hashes = np.concatenate([self._hashes, hashes[small]])
        if len(self._hashes) >= 2 * self._size:
            self._shrink()

    def _shrink(self) -> None:
        chosen = np.lexsort((*self._kept.T, self._hashes))[: self._size]
        self._kept, self._hashes = self._kept[chosen], self._hashes[chosen]
        if len(chosen) == self._size:
            self._bound = self._hashes[-1]

    def chosen(self) -> Words:
        """Give the sample, ascending by hash."""
        self._shrink()
        return self._kept
