"""In how many documents a feature occurs: counted over batches, and looked up for its IDF."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from simhash_spark.core.typing import Floats, Integers, Places, Words
    from simhash_spark.profiles.learned import Statistics

MOST_ALIKE = 64
"""Features with the same first bits that are gone through one by one."""


def count_equal(features: Words, counts: Integers | None = None) -> tuple[Words, Integers]:
    """Add up the counts of equal features.

    Parameters
    ----------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of the hash of a feature, in any order.
    counts : ndarray of shape (n,), dtype int64, optional
        Documents that have it; none: one each.

    Returns
    -------
    features : ndarray of shape (n_distinct,), dtype uint64
        Ascending.
    counts : ndarray of shape (n_distinct,), dtype int64
        Sum for each.

    Examples
    --------
    >>> features, counts = count_equal(np.array([7, 9, 7], dtype=np.uint64))
    >>> features.tolist(), counts.tolist()
    ([7, 9], [2, 1])
    """
    # np.unique of NumPy 2.3 and later may fill a hash table instead: slower here.
    if counts is None:
        features = np.sort(features)
    else:
        order = np.argsort(features)
        features, counts = features[order], counts[order]
    is_new = np.ones(len(features), dtype=np.bool_)
    np.not_equal(features[1:], features[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    if counts is None:
        return features[starts], np.diff(np.append(starts, len(features)))
    return features[starts], np.add.reduceat(counts, starts) if len(starts) else counts


@dataclass(frozen=True)
class IdfTable:
    """IDF by feature, found through the first bits of its hash.

    Parameters
    ----------
    features : ndarray of shape (n + 1,), dtype uint64
        Known features, ascending, and 2^64 - 1, so that every place is one.
    idf : ndarray of shape (n + 1,), dtype float64
        Their IDF, and that of an unknown one.
    starts : ndarray of shape (2 ** bits,), dtype int32
        Place of the first feature whose first bits are no smaller; empty where
        features are spread so unevenly that they are searched for instead.
    shift : int
        64 - bits.
    most : int
        Features with the same first bits, at most.
    unknown : float
        IDF of any other feature.
    """

    features: Words
    idf: Floats
    starts: Places
    shift: int
    most: int
    unknown: float


def idf_table(statistics: Statistics) -> IdfTable:
    """Build the table of all features whose frequency is known."""
    features = np.frombuffer(statistics.features, dtype="<u8").astype(np.uint64)
    documents = np.frombuffer(statistics.documents, dtype="<i8")
    unknown = 1.0 + math.log((1 + statistics.n_documents) / 2)
    bits = len(features).bit_length() + 1
    firsts = (features >> np.uint64(64 - bits)).astype(np.int64)
    sizes = np.bincount(firsts, minlength=1 << bits)
    starts = (np.cumsum(sizes) - sizes).astype(np.int32)
    most = int(sizes.max())
    idf = 1.0 + np.log((1.0 + statistics.n_documents) / (1.0 + documents))
    padded = np.append(features, np.uint64(2**64 - 1)), np.append(idf, unknown)
    return IdfTable(*padded, starts if most <= MOST_ALIKE else starts[:0], 64 - bits, most, unknown)


def idf_of(features: Words, statistics: Statistics) -> Floats:
    """Give the inverse document frequency of features.

    Parameters
    ----------
    features : ndarray of shape (n,), dtype uint64
        Word 0 of their hashes.
    statistics : Statistics
        Holds the frequencies; a feature that is not among them counts as one
        of a single document.

    Returns
    -------
    ndarray of shape (n,), dtype float64
        1 + ln((1 + n_documents) / (1 + documents with the feature)).

    Notes
    -----
    ``np.searchsorted`` in a million features costs 200 ns for each feature that
    is looked up, the table 50: it is built once in a worker.

    Examples
    --------
    >>> from simhash_spark.profiles.learned import Statistics
    >>> arrays = np.array([7], dtype="<u8").tobytes(), np.array([3], dtype="<i8").tobytes()
    >>> statistics = Statistics("p", 64, "", 3, *arrays)
    >>> idf_of(np.array([9, 7], dtype=np.uint64), statistics).round(3).tolist()
    [1.693, 1.0]
    """
    tables: dict[str, IdfTable] = once_per_worker("idf", dict)
    table = tables.get(statistics.digest)
    if table is None:
        table = idf_table(statistics)
        tables.clear()  # a worker is used again by other jobs: no more than one is kept
        tables[statistics.digest] = table
    idf = np.full(len(features), table.unknown, dtype=np.float64)
    places = _places(features, table)
    found = np.flatnonzero(table.features[places] == features)
    idf[found] = table.idf[places[found]]
    return idf


def _places(features: Words, table: IdfTable) -> Integers | Places:
    """Place of the first known feature that is no smaller."""
    if not len(table.starts):
        return np.searchsorted(table.features[:-1], features)
    places = table.starts[(features >> np.uint64(table.shift)).view(np.int64)]
    behind = np.flatnonzero(table.features[places] < features)
    for _ in range(table.most - 1):
        if not len(behind):
            break
        places[behind] += 1
        behind = behind[table.features[places[behind]] < features[behind]]
    return places
