"""What a plan will take: bytes sent and held, rows sorted, pairs compared, time of a core."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS, read_band
from simhash_spark.core.plan.bucket_sizes import measure_buckets
from simhash_spark.core.plan.expecting import SORTED_NANOSECONDS, Work, expect_work
from simhash_spark.core.plan.plans import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.plan.plans import Needs, Route
    from simhash_spark.core.typing import Words

SHUFFLE_NANOSECONDS = 145.0
"""Packing a fingerprint for one table, moving it through Spark (measured 142 to 148, whether of 64
or of 128 bits)."""

JOB_SECONDS = 2.0
"""What Spark takes for the search of however few (measured 1.8 to 2.1)."""

MOVE_NANOSECONDS = 6.0
"""Moving the bits of a fingerprint (measured 5 at 64 bits)."""

PARTITION_ROWS = 1 << 21
"""Fingerprints in a partition, all its tables together."""

PARTITION_SECONDS = 8.0
MANY_PARTITIONS = 4096

WORKER_BYTES = 120e6
"""Memory of Python with NumPy and Arrow (measured 75 to 100 MB outside of Spark)."""

ROWS_PACKED = 1 << 21
"""Fingerprints that a task packs together."""

BYTES_PER_ROW = {64: 64, 128: 90}
"""Memory for each fingerprint that is held, itself included (measured 57 to 59, and 41 to 88)."""

MOST_ROUTES_FOLLOWED = 8


class Choice(NamedTuple):
    """What a user may choose, None: the planner does.

    Parameters
    ----------
    n_partitions : int or None
        Partitions.
    second_extra : int or None
        Bands more than what may differ, at the second level.
    """

    n_partitions: int | None = None
    second_extra: int | None = None


class Piece(NamedTuple):
    """Fingerprints of one route: all, and those of its largest bucket."""

    n_rows: float
    largest: float


class Expectation(NamedTuple):
    """What routes take together, and what lies on each that was followed."""

    copies: float
    work: Work
    pieces: tuple[Piece, ...]


def predict(
    needs: Needs,
    sample: Words,
    routes: Sequence[Route],
    *,
    n_top: int,
    is_moved: bool,
    choice: Choice,
) -> tuple[Prediction, int]:
    """Predict what a plan takes.

    Parameters
    ----------
    needs : Needs
        What is to be searched.
    sample : ndarray of shape (n_sampled, n_words), dtype uint64
        Some of the fingerprints, their bits moved as the plan says; empty:
        fingerprints are taken as uniform.
    routes : sequence of Route
        All routes of the plan.
    n_top : int
        Those of the first level.
    is_moved : bool
        Whether bits are moved.
    choice : Choice
        What is not left to the planner.

    Returns
    -------
    prediction : Prediction
        Of at most eight routes of the first level, evenly spaced, for all.
    n_partitions : int
        The partitions.
    """
    n_followed = min(n_top, MOST_ROUTES_FOLLOWED)
    copies, work = 0.0, Work()
    pieces: list[Piece] = []
    for at in range(n_followed):
        number = (2 * at + 1) * n_top // (2 * n_followed)
        found = _follow(routes, number, needs, sample, float(needs.n_nodes), choice.second_extra)
        copies += found.copies * n_top / n_followed
        work = work.plus(found.work, n_top / n_followed)
        pieces += found.pieces
    width = needs.bits // 8
    moving = needs.n_nodes * is_moved * MOVE_NANOSECONDS * needs.bits / 64
    search_seconds = work.nanoseconds / 1e9
    sending_seconds = (copies * SHUFFLE_NANOSECONDS + moving) / 1e9
    core_seconds = search_seconds + sending_seconds + JOB_SECONDS
    n_partitions = choice.n_partitions or 1
    if choice.n_partitions is None and routes[0].path[-1].key.runs:
        n_partitions = choose_partitions(copies, core_seconds)
    held = max(min(piece.n_rows, piece.n_rows / n_partitions + piece.largest) for piece in pieces)
    packed = min(needs.n_nodes, ROWS_PACKED)
    prediction = Prediction(
        shuffled_bytes=copies * width,
        sorted_rows=work.sorted_rows,
        compared_pairs=work.compared_pairs,
        search_seconds=search_seconds,
        core_seconds=core_seconds,
        task_bytes=held * width,
        worker_bytes=WORKER_BYTES + max(held, packed) * BYTES_PER_ROW[needs.bits],
    )
    return prediction, n_partitions


def choose_partitions(copies: float, core_seconds: float) -> int:
    """Choose partitions that one core is done with in seconds, but not too many.

    >>> choose_partitions(2.0**22, 1.0), choose_partitions(2.0**22, 80.0)
    (2, 10)
    """
    by_size = min(copies / PARTITION_ROWS, max(MANY_PARTITIONS, copies / (4 * PARTITION_ROWS)))
    by_time = min(core_seconds / PARTITION_SECONDS, MANY_PARTITIONS)
    return max(1, ceil(max(by_size, by_time)))


def _follow(
    routes: Sequence[Route],
    number: int,
    needs: Needs,
    members: Words,
    n_rows: float,
    extra: int | None,
) -> Expectation:
    """Follow one route, and those of its hot keys."""
    route = routes[number]
    copies, work = 0.0, Work()
    pieces: list[Piece] = []
    weight = n_rows / max(len(members), 1)
    if route.hot_keys:
        keys = read_band(members, route.path[-1].key.head(WORD_BITS))
        for key, below in zip(route.hot_keys, route.hot_routes, strict=True):
            own = np.asfortranarray(members[keys == np.uint64(key)])
            for child in below:
                found = _follow(routes, child, needs, own, weight * len(own), extra)
                copies, work = copies + found.copies, work.plus(found.work)
                pieces += found.pieces
        members = np.asfortranarray(members[~np.isin(keys, np.array(route.hot_keys, np.uint64))])
        n_rows = weight * len(members)
    work = work.plus(Work(n_rows, 0.0, n_rows * SORTED_NANOSECONDS))
    largest = 0.0
    for buckets in measure_buckets(members, n_rows, route.path[-1].key) if n_rows else ():
        work = work.plus(expect_work(route.path, buckets, needs, extra))
        largest = max(largest, buckets.size + 4 * buckets.size**0.5)
    return Expectation(copies + n_rows, work, (*pieces, Piece(n_rows, min(largest, n_rows))))
