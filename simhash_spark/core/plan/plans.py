"""What the search for pairs will do: tables, routes of hot keys, partitions, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simhash_spark.core.join.tables import Table


@dataclass(frozen=True)
class Needs:
    """What is to be searched.

    Parameters
    ----------
    bits : {64, 128}
        Length of a fingerprint.
    max_distance : int
        Largest Hamming distance, in bits and inclusive.
    n_nodes : int
        Distinct fingerprints.
    bucket_pairs : int or None
        Pairs of a bucket that are listed in full; None: all.
    task_rows : int
        Fingerprints of one table that a task may hold: about 0.5 GB of 64 bits
        with what the search adds.
    """

    bits: int
    max_distance: int
    n_nodes: int
    bucket_pairs: int | None = None
    task_rows: int = 1 << 23


@dataclass(frozen=True)
class Route:
    """One way that fingerprints take to be compared.

    Parameters
    ----------
    path : tuple of Table
        Fingerprints on this route are grouped by the key of the last table; they
        agree on the keys of those before.
    hot_keys : tuple of int
        Keys of the last table with more fingerprints than one task can hold:
        those take the routes of ``hot_routes`` instead.
    hot_routes : tuple of tuple of int
        For each hot key the numbers of its routes.
    """

    path: tuple[Table, ...]
    hot_keys: tuple[int, ...] = ()
    hot_routes: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Prediction:
    """What a search is expected to take, all tasks together but for the last two.

    Parameters
    ----------
    shuffled_bytes : float
        Fingerprints sent between tasks.
    sorted_rows : float
        Rows sorted, each once per table.
    compared_pairs : float
        Candidate pairs: their distance is computed.
    search_seconds : float
        Time of one core for sorting and comparing, of the kind the costs were
        measured on.
    core_seconds : float
        The same with packing, sending and reading.
    task_bytes : float
        Fingerprints that one task holds at once, at most.
    worker_bytes : float
        Peak memory of the Python process of one task.
    """

    shuffled_bytes: float
    sorted_rows: float
    compared_pairs: float
    search_seconds: float
    core_seconds: float
    task_bytes: float
    worker_bytes: float


@dataclass(frozen=True)
class Alternative:
    """A plan that was considered.

    Parameters
    ----------
    name : str
        What it does.
    prediction : Prediction
        What it takes.
    reason : str
        Why it was taken, or not.
    """

    name: str
    prediction: Prediction
    reason: str


@dataclass(frozen=True)
class Plan:
    """How all pairs within a distance are found.

    Parameters
    ----------
    name : str
        What it does.
    bits : {64, 128}
        Length of a fingerprint.
    max_distance : int
        Largest Hamming distance, in bits and inclusive.
    n_nodes : int
        Distinct fingerprints.
    order : tuple of int or None
        Place that each bit is moved to before bands are cut; None: as it is.
    band_bits : tuple of int
        Width of each band of the first level.
    routes : tuple of Route
        Those of the first level, then those of hot keys.
    n_top : int
        Routes of the first level: copies sent of each fingerprint.
    n_partitions : int
        Partitions that the routes are spread over.
    extra_bands : int or None
        Bands more than what may differ, at the second level; None: what costs
        least, decided in each task.
    bucket_pairs : int or None
        Pairs of a bucket that are listed in full; of one with more only a spanning
        forest is. None: all are listed.
    prediction : Prediction
        What it takes.
    alternatives : tuple of Alternative
        All that were considered, this one included.
    """

    name: str
    bits: int
    max_distance: int
    n_nodes: int
    order: tuple[int, ...] | None
    band_bits: tuple[int, ...]
    routes: tuple[Route, ...]
    n_top: int
    n_partitions: int
    extra_bands: int | None
    bucket_pairs: int | None
    prediction: Prediction
    alternatives: tuple[Alternative, ...] = ()
