"""Choosing a plan: which bits, how many tables and partitions, and what it will cost.

Costs are counted, not guessed: rows sorted and pairs compared, from the number of
fingerprints and from how often those of a sample agree on the bits of each band.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, comb
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.bands import Band, cut_bits, differs, read_band
from simhash_spark.core.bit_orders import agreeing_share, even_out
from simhash_spark.core.cuts import (
    PAIR_NANOSECONDS,
    ROW_NANOSECONDS,
    agreement_of,
    cheapest_cut,
    deal_bits,
    information_of,
)
from simhash_spark.core.permutations import permute
from simhash_spark.core.plans import Alternative, Plan, Prediction, Route
from simhash_spark.core.tables import Table, choose_bands, find_regions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simhash_spark.core.typing import Words

SHUFFLE_NANOSECONDS = 70.0
"""Packing a fingerprint for one table, and moving it through Spark (measured 50 to 90)."""

ONE_BUCKET = 1 << 20
ONE_BUCKET_SECONDS = 0.5
"""Up to so many fingerprints and seconds one task does it all: spreading them costs more."""

PARTITION_ROWS = 1 << 21
"""Fingerprints in a partition, all its tables together."""

PARTITION_SECONDS = 8.0
MANY_PARTITIONS = 4096
TASK_ROWS = 1 << 23
"""Fingerprints of one table that a task may hold: about 0.5 GB with what the search adds."""

MOVE_NANOSECONDS = 6.0
"""Moving the bits of a fingerprint (measured 5 at 64 bits)."""

MOST_ROUTES = 200
HOPELESS = 0.9
"""A hot key is left whole if its tables together keep more of its pairs than this."""

DEEPEST = 4
ONE_BUCKET_NAME = "all in one bucket"


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
        Fingerprints of one table that a task may hold.
    """

    bits: int
    max_distance: int
    n_nodes: int
    bucket_pairs: int | None = None
    task_rows: int = TASK_ROWS


def plan_search(
    needs: Needs,
    sample: Words,
    *,
    n_partitions: int | None = None,
    first_extra: int | None = None,
    second_extra: int | None = None,
) -> Plan:
    """Choose the plan that costs least.

    Parameters
    ----------
    needs : Needs
        What is to be searched.
    sample : ndarray of shape (n_sampled, n_words), dtype uint64
        Some of the fingerprints, chosen evenly; empty: they are taken as uniform.
    n_partitions : int, optional
        Partitions; by default as many as keep tasks small.
    first_extra, second_extra : int, optional
        Bands more than what may differ, at the first level and at the second; by
        default what costs least.

    Returns
    -------
    Plan
        Its tables depend on the number of fingerprints and the sample alone.
    """
    plans = list(_candidates(needs, sample, first_extra, second_extra))
    first = plans[0]
    is_quick = first.prediction.core_seconds <= ONE_BUCKET_SECONDS
    others = plans if first.name != ONE_BUCKET_NAME else plans[1:]
    best = first if is_quick else min(others, key=lambda plan: plan.prediction.core_seconds)
    told = tuple(
        Alternative(plan.name, plan.prediction, "taken" if plan is best else _reason(plan, best))
        for plan in plans
    )
    return replace(best, n_partitions=n_partitions or _n_partitions(best), alternatives=told)


def _candidates(
    needs: Needs, sample: Words, first_extra: int | None, second_extra: int | None
) -> Iterator[Plan]:
    if first_extra is None and needs.n_nodes <= ONE_BUCKET:
        yield _plan(ONE_BUCKET_NAME, needs, sample, None, None, second_extra)
    for extra in (1, 2) if first_extra is None else (first_extra,):
        n_bands = needs.max_distance + extra
        if comb(n_bands, extra) > MOST_ROUTES or n_bands > needs.bits:
            continue
        tables = "each is a key" if extra == 1 else f"{extra} of them make a key"
        name = f"{n_bands} bands, {tables}, bits "
        yield _plan(name + "in place", needs, sample, extra, None, second_extra)
        if len(sample):
            order = even_out(sample, n_bands)
            yield _plan(name + "evened out", needs, sample, extra, order, second_extra)


def _plan(
    name: str,
    needs: Needs,
    sample: Words,
    extra: int | None,
    order: tuple[int, ...] | None,
    second_extra: int | None,
) -> Plan:
    sample = np.asfortranarray(moved(sample, order))
    bands: tuple[Band, ...] = ()
    tables: tuple[Table, ...] = (Table(Band(())),)
    if extra is not None:
        bands = cut_bits(range(needs.bits), needs.max_distance + extra)
        tables = choose_bands(bands, needs.max_distance)
    routes = [Route((table,)) for table in tables]
    for number in range(len(tables)):
        _split_hot_keys(routes, number, needs, sample, needs.n_nodes / max(len(sample), 1))
    return Plan(
        name,
        needs.bits,
        needs.max_distance,
        needs.n_nodes,
        order,
        tuple(band.width for band in bands),
        tuple(routes),
        len(tables),
        1,
        second_extra,
        needs.bucket_pairs,
        _predict(needs, sample, routes, n_top=len(tables), is_moved=order is not None),
    )


def moved(fingerprints: Words, order: tuple[int, ...] | None) -> Words:
    """Move the bits of fingerprints to the places of a plan; None leaves them where they are."""
    if order is None or not len(fingerprints):
        return fingerprints
    columns = np.ascontiguousarray(fingerprints.T)
    return permute(columns, np.array(order, dtype=np.int64)).T


def _split_hot_keys(
    routes: list[Route], number: int, needs: Needs, members: Words, weight: float
) -> None:
    """Give keys that are too many for a task routes of their own, to any depth."""
    path = routes[number].path
    if weight * len(members) <= needs.task_rows or len(path) > DEEPEST:
        return
    keys = read_band(members, path[-1].key.head(64))
    values, counts = np.unique(keys, return_counts=True)
    hot_keys, hot_routes = [], []
    for key in values[counts * weight > needs.task_rows].tolist():
        own = np.asfortranarray(members[keys == np.uint64(key)])
        tables = _tables_below(path, own, weight, needs)
        if not tables:
            continue
        first = len(routes)
        routes += [Route((*path, table)) for table in tables]
        hot_keys.append(key)
        hot_routes.append(tuple(range(first, len(routes))))
        for child in hot_routes[-1]:
            _split_hot_keys(routes, child, needs, own, weight)
    routes[number] = Route(path, tuple(hot_keys), tuple(hot_routes))


def _tables_below(
    path: Sequence[Table], members: Words, weight: float, needs: Needs
) -> tuple[Table, ...]:
    """Cut a hot key by bands of all the bits that are still free, with a gain for sure."""
    region = list(find_regions(path, bits=needs.bits, max_distance=needs.max_distance))[-1]
    n_bands = region.budget + 1
    if len(region.positions) < n_bands:
        return ()
    differences = members ^ np.roll(members, 1, axis=0)
    positions = deal_bits(region, agreement_of(differences), n_bands)
    tables = choose_bands(cut_bits(positions, n_bands), region.budget)
    shares = sum(1 - float(differs(differences, table.key).mean()) for table in tables)
    return tables if shares < HOPELESS else ()


def _predict(
    needs: Needs, sample: Words, routes: Sequence[Route], *, n_top: int, is_moved: bool
) -> Prediction:
    n, width = float(needs.n_nodes), needs.bits // 8
    information = np.ones(needs.bits)
    if len(sample) > 1:
        information = information_of(agreement_of(sample ^ np.roll(sample, 1, axis=0)))
    n_sorted = n_compared = 0.0
    for route in routes[:n_top]:
        key = route.path[-1].key
        n_pairs = n * (n - 1) / 2 * (agreeing_share(sample, key) if key.runs else 1.0)
        n_rows = min(n, 2 * n_pairs)
        n_sorted += n
        cut = cheapest_cut(
            route.path, n_rows, n_pairs, information, max_distance=needs.max_distance
        )
        if cut is not None and cut.nanoseconds < n_pairs * PAIR_NANOSECONDS:
            n_sorted += cut.n_tables * n_rows
            n_pairs = cut.agreeing
        n_compared += n_pairs
    nanoseconds = (
        n * n_top * SHUFFLE_NANOSECONDS * width / 8
        + n * is_moved * MOVE_NANOSECONDS * width / 8
        + n_sorted * ROW_NANOSECONDS
        + n_compared * PAIR_NANOSECONDS
    )
    return Prediction(n * n_top * width, n_sorted, n_compared, nanoseconds / 1e9)


def _n_partitions(plan: Plan) -> int:
    """Choose partitions that one core is done with in seconds, but not too many."""
    rows = plan.n_nodes * plan.n_top
    by_size = min(rows / PARTITION_ROWS, max(MANY_PARTITIONS, rows / (4 * PARTITION_ROWS)))
    by_time = min(plan.prediction.core_seconds / PARTITION_SECONDS, MANY_PARTITIONS)
    return max(1, ceil(max(by_size, by_time))) if plan.band_bits else 1


def _reason(plan: Plan, best: Plan) -> str:
    if best.name == ONE_BUCKET_NAME:
        return "so few fingerprints are not worth spreading"
    ratio = plan.prediction.core_seconds / best.prediction.core_seconds
    more = plan.n_top - best.n_top
    copies = f", {more} more copies of each fingerprint sent" if more > 0 else ""
    return f"{ratio:.2f} times the core-seconds{copies}"
