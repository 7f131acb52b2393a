"""Components by comparing everything with everything: slow, simple, and sharing no code with ours.

Flood fill: from each fingerprint that no component holds yet, reach what lies within the distance,
and from there on; every fingerprint is compared with all others once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Words

MIXER = np.uint64(0x9E3779B97F4A7C15)
INSTRUCTION = getattr(np, "bitwise_count", None)


def components(fingerprints: Words, max_distance: int) -> tuple[Integers, int]:
    """Give the component of each of some distinct fingerprints, and the number of pairs.

    Parameters
    ----------
    fingerprints : ndarray of shape (n, n_words), dtype uint64
        Distinct ones.
    max_distance : int
        Largest distance of a pair.

    Returns
    -------
    labels : ndarray of shape (n,), dtype int64
        The first row of the component of each row.
    n_pairs : int
        Pairs within the distance.
    """
    words = np.ascontiguousarray(fingerprints.T)
    labels = np.full(len(fingerprints), -1, dtype=np.int64)
    n_ends = 0
    for first in range(len(labels)):
        reached = [first] if labels[first] < 0 else []
        labels[reached] = first
        while reached:
            near = _near(words, reached.pop(), max_distance)
            n_ends += len(near) - 1
            new = near[labels[near] < 0]
            labels[new] = first
            reached += new.tolist()
    return labels, n_ends // 2


def _near(words: Words, row: int, max_distance: int) -> Integers:
    """Rows within the distance of one row, which is among them."""
    distances = popcounts(words[0] ^ words[0, row])
    for word in words[1:]:
        distances += popcounts(word ^ word[row])
    return np.flatnonzero(distances <= max_distance)


def popcounts(words: Words) -> Integers:
    """Bits of each word; without the instruction of NumPy 2, byte by byte."""
    if INSTRUCTION is not None:
        return INSTRUCTION(words)
    octets = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1)
    return octets.sum(axis=1, dtype=np.uint8)


def labels_of(n: int, left: Integers, right: Integers) -> Integers:
    """The first row of the component of each of ``n`` rows, by the ends of edges.

    Every label goes down to the smallest one across its edges, and then to the label of its
    label, until nothing changes.
    """
    labels = np.arange(n, dtype=np.int64)
    while True:
        before = labels.copy()
        smaller = np.minimum(labels[left], labels[right])
        for ends in (labels[left], labels[right], left, right):
            np.minimum.at(labels, ends, smaller)
        while not np.array_equal(further := labels[labels], labels):
            labels = further
        if np.array_equal(before, labels):
            return labels


def compare(
    words: Words, left: Words, right: Words, distances: Integers, *, max_distance: int
) -> tuple[list[str], int]:
    """Say what is wrong with a list of pairs, and how many pairs it lacks without harm.

    Pairs may be missing, but not so that the components of ``words`` change.
    """
    ends = _rows(words, left), _rows(words, right)
    pairs = np.minimum(*ends) * len(words) + np.maximum(*ends)
    true_distances = np.zeros(len(left), dtype=np.int64)
    less = np.zeros(len(left), dtype=np.bool_)
    for one, other in zip(left.T, right.T, strict=True):  # the highest word comes last
        true_distances += popcounts(one ^ other)
        less = np.where(one == other, less, one < other)
    labels, n_pairs = components(words, max_distance)
    faults = {
        "unknown fingerprints": any(
            (words[rows] != one).any() for rows, one in zip(ends, (left, right), strict=True)
        ),
        "wrong distances": (distances != true_distances).any(),
        "pairs too far apart": (true_distances > max_distance).any(),
        "left not smaller than right": not less.all(),
        "pairs listed twice": len(np.unique(pairs)) < len(pairs),
        "wrong components": (labels_of(len(words), *ends) != labels).any(),
    }
    return [name for name, is_so in faults.items() if is_so], n_pairs - len(pairs)


def _rows(words: Words, wanted: Words) -> Integers:
    """Where each of some fingerprints stands; anywhere, if it is unknown."""
    keys, asked = _key(words), _key(wanted)
    order = np.argsort(keys)
    places = np.searchsorted(keys[order], asked)
    return order[np.minimum(places, len(words) - 1)]


def _key(words: Words) -> Words:
    """One word for each fingerprint, another one for another."""
    return words[:, 0] if words.shape[1] == 1 else words[:, 0] * MIXER + words[:, 1]
