"""Planted pairs: known near pairs that a search has to find, to check its recall.

A planted fingerprint is an existing one with some bits flipped. It is not mixed
with the others, where it would take places in their windows: in each table it
is looked up as if it alone had been added, and its pair counts as found where
the original stands within its window. So no real pair is lost or invented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.windows.orders import keys_of, low_bits, rank
from simhash_spark.core.windows.permutations import mix, permute
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Integers, Words
    from simhash_spark.core.windows.orders import Nodes, Order


class PlantedPairs(NamedTuple):
    """Pairs at a known distance.

    Parameters
    ----------
    originals, planted : ndarray of shape (n_pairs, n_words), dtype uint64
        Existing fingerprints, and the same with some bits flipped.
    """

    originals: Words
    planted: Words


def plant(sample: Words, *, distance: int, count: int, seed: int = 0) -> PlantedPairs:
    """Make pairs at a distance from existing fingerprints.

    Parameters
    ----------
    sample : ndarray of shape (n_sample, n_words), dtype uint64
        Distinct fingerprints; they take turns as originals.
    distance : int
        Bits to flip, from 1.
    count : int
        Pairs to make.
    seed : int
        Seed of what is flipped.

    Returns
    -------
    PlantedPairs
        At most ``count`` pairs, the planted ones distinct and none of them in the
        sample: what collides is left out. The same for the same sample, in any order.

    Raises
    ------
    ConfigError
        If there is nothing to start from, or not so many bits.

    Examples
    --------
    >>> pairs = plant(np.array([[0], [1]], dtype=np.uint64), distance=3, count=2)
    >>> [bin(word).count("1") for word in (pairs.originals ^ pairs.planted)[:, 0].tolist()]
    [3, 3]
    """
    bits = WORD_BITS * sample.shape[1]
    if not len(sample) or not 1 <= distance <= bits:
        message = (
            f"Planted pairs need a fingerprint and a distance from 1 to {bits}, got {len(sample)} "
            f"fingerprints and distance {distance}: give a sample, and a smaller max_distance."
        )
        raise ConfigError(message)
    sample = np.unique(sample, axis=0)
    originals = sample[np.arange(count) % len(sample)]
    planted = originals ^ _flips(bits, distance, count=count, seed=seed)
    kept = _first_of_each(np.concatenate([sample, planted]))[len(sample) :]
    return PlantedPairs(originals[kept], planted[kept])


def _flips(bits: int, distance: int, *, count: int, seed: int) -> Words:
    """Draw masks with so many ones: the bits with the smallest random numbers."""
    stream = mix(np.array([(seed + 1) % (1 << WORD_BITS)], dtype=np.uint64))
    numbers = np.arange(count * bits, dtype=np.uint64).reshape(count, bits)
    chosen = np.argsort(mix(mix(numbers) ^ stream), axis=1, kind="stable")[:, :distance]
    ones = np.zeros((count, bits), dtype=np.uint64)
    np.put_along_axis(ones, chosen, np.uint64(1), axis=1)
    shifted = ones << (np.arange(bits, dtype=np.uint64) % np.uint64(WORD_BITS))
    return np.bitwise_or.reduce(shifted.reshape(count, -1, WORD_BITS), axis=2)


def _first_of_each(fingerprints: Words) -> Booleans:
    """Mark the first row of each value."""
    first = np.zeros(len(fingerprints), dtype=np.bool_)
    first[np.unique(fingerprints, axis=0, return_index=True)[1]] = True
    return first


def is_present(nodes: Nodes, wanted: Words) -> Booleans:
    """Tell which fingerprints are among the nodes.

    Parameters
    ----------
    nodes : Nodes
        Fingerprints in ascending order, from ``sort_nodes``.
    wanted : ndarray of shape (n_wanted, n_words), dtype uint64
        Any fingerprints.

    Returns
    -------
    ndarray of shape (n_wanted,), dtype bool
        Planted ones that are present are real pairs: leave them out of the recall.
    """
    if not nodes.columns.shape[1]:
        return np.zeros(len(wanted), dtype=np.bool_)
    places = np.minimum(rank(nodes, wanted), nodes.columns.shape[1] - 1)
    return (wanted == nodes.columns[:, places].T).all(axis=1)


class Probes:
    """Planted pairs that a search has not found yet.

    Parameters
    ----------
    nodes : Nodes
        All fingerprints of the search.
    pairs : PlantedPairs or None
        Those whose original is missing, or whose planted one is real, are left out.
    """

    def __init__(self, nodes: Nodes, pairs: PlantedPairs | None) -> None:
        none = np.empty((0, len(nodes.columns)), dtype=np.uint64)
        pairs = pairs or PlantedPairs(none, none)
        is_usable = is_present(nodes, pairs.originals) & ~is_present(nodes, pairs.planted)
        self._low = low_bits(*nodes.columns.shape)
        self._waiting = np.flatnonzero(is_usable)
        ends = [pairs.originals[self._waiting], pairs.planted[self._waiting]]
        self._places = [rank(nodes, end).view(np.uint64) for end in ends]
        self._columns = [np.ascontiguousarray(end.T) for end in ends]
        self._permuted = self._columns

    def permute(self, bits: Integers) -> None:
        """Turn to another permutation of the bits."""
        self._permuted = [permute(end, bits) for end in self._columns]

    def find(self, order: Order, window: int) -> Integers:
        """Report the planted pairs that this table finds, and wait for them no longer.

        Parameters
        ----------
        order : Order
            The nodes in the order of the table, whose permutation is the present one.
        window : int
            Two within so many places are compared.

        Returns
        -------
        ndarray of shape (n_found,), dtype int64
            Numbers of the pairs, as they were given.
        """
        original, planted = (
            keys_of(end, order.table, low=self._low, places=places)
            for end, places in zip(self._permuted, self._places, strict=True)
        )
        after = np.searchsorted(order.keys, planted)
        place = np.searchsorted(order.keys, original)
        # The planted one stands before `after`, and moves what follows by one place.
        steps = np.where(place < after, after - place, place - after + 1)
        is_found = steps <= window
        found = self._waiting[is_found]
        self._waiting = self._waiting[~is_found]
        self._places = [places[~is_found] for places in self._places]
        self._columns = [end[:, ~is_found] for end in self._columns]
        self._permuted = [end[:, ~is_found] for end in self._permuted]
        return found
