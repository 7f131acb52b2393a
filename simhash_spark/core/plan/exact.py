"""Choosing a plan: which bits, how many tables and partitions, and what it will cost.

Costs are counted, not guessed: rows sorted and pairs compared, from the number of
fingerprints and from how often those of a sample agree on the bits of each band.
A plan that cannot work is refused before anything is sent.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.bands import Band, cut_bits
from simhash_spark.core.join.tables import Table, choose_bands
from simhash_spark.core.plan.bit_orders import even_out
from simhash_spark.core.plan.hot_keys import split_hot_keys
from simhash_spark.core.plan.plans import Alternative, Needs, Plan, Route
from simhash_spark.core.plan.predicting import JOB_SECONDS, Choice, predict
from simhash_spark.core.windows.permutations import permute
from simhash_spark.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.plan.window_plans import SearchPlan
    from simhash_spark.core.typing import Words

__all__ = ["Needs", "check_plan", "moved", "plan_search"]

ONE_BUCKET = 1 << 20
ONE_BUCKET_SECONDS = 0.5
"""Up to so many fingerprints and seconds one task does it all: spreading them costs more."""

MOST_TOP_ROUTES = 200
MOVING_MUST_GAIN = 1.1
"""Bits stay in place unless moving them wins by this factor: an order fits its sample best."""

ONE_BUCKET_NAME = "all in one bucket"

MOST_HOURS = 24.0
"""Longest run on the cores that are there."""

MOST_CORE_HOURS = 10_000.0
"""The same where nothing is said about cores."""

MOST_TASK_ROWS = 4
"""Times what a task should hold that it can."""

MOST_PARTITIONS = 100_000
MOST_ROUTES = 10_000


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
    choice = Choice(n_partitions, second_extra)
    plans = list(_candidates(needs, sample, first_extra, choice))
    best = min(plans, key=_rank)
    told = tuple(
        Alternative(plan.name, plan.prediction, "taken" if plan is best else _reason(plan, best))
        for plan in plans
    )
    return replace(best, alternatives=told)


def check_plan(
    plan: SearchPlan, *, n_cores: float | None = None, task_rows: int | None = None
) -> None:
    """Refuse a plan that cannot work.

    Parameters
    ----------
    plan : Plan or WindowPlan
        With its prediction.
    n_cores : float, optional
        Cores that it may use.
    task_rows : int, optional
        Fingerprints that a task may hold; by default those of :class:`Needs`.

    Raises
    ------
    PlanError
        If it takes too long, a task would have to hold too much, or there are
        more partitions or routes than Spark gets through.
    """
    hours = plan.prediction.core_seconds / 3600
    most = MOST_CORE_HOURS if n_cores is None else MOST_HOURS * n_cores
    if hours > most:
        raise PlanError.of_time(hours, most, n_cores=n_cores)
    rows = plan.prediction.task_bytes / (plan.bits // 8)
    allowed = task_rows or Needs.task_rows
    if rows > MOST_TASK_ROWS * allowed:
        raise PlanError.of_memory(rows, MOST_TASK_ROWS * allowed)
    if plan.n_partitions > MOST_PARTITIONS or len(plan.routes) > MOST_ROUTES:
        raise PlanError.of_parts(plan.n_partitions, len(plan.routes))


def _candidates(
    needs: Needs, sample: Words, first_extra: int | None, choice: Choice
) -> Iterator[Plan]:
    given = (needs, sample, choice)
    if first_extra is None and needs.n_nodes <= ONE_BUCKET:
        yield _plan(ONE_BUCKET_NAME, *given, None, None)
    for extra in (1, 2) if first_extra is None else (first_extra,):
        n_bands = needs.max_distance + extra
        if comb(n_bands, extra) > MOST_TOP_ROUTES or n_bands > needs.bits:
            continue
        tables = "each is a key" if extra == 1 else f"{extra} of them make a key"
        name = f"{n_bands} bands, {tables}, bits "
        yield _plan(name + "in place", *given, extra, None)
        if len(sample):
            yield _plan(name + "evened out", *given, extra, even_out(sample, n_bands))


def _plan(
    name: str,
    needs: Needs,
    sample: Words,
    choice: Choice,
    extra: int | None,
    order: tuple[int, ...] | None,
) -> Plan:
    sample = np.asfortranarray(moved(sample, order))
    bands: tuple[Band, ...] = ()
    tables: tuple[Table, ...] = (Table(Band(())),)
    if extra is not None:
        bands = cut_bits(range(needs.bits), needs.max_distance + extra)
        tables = choose_bands(bands, needs.max_distance)
    routes = [Route((table,)) for table in tables]
    for number in range(len(tables)):
        split_hot_keys(routes, number, needs, sample, needs.n_nodes / max(len(sample), 1))
    prediction, n_partitions = predict(
        needs,
        sample,
        routes,
        n_top=len(tables),
        is_moved=order is not None,
        choice=choice,
    )
    return Plan(
        name,
        needs.bits,
        needs.max_distance,
        needs.n_nodes,
        order,
        tuple(band.width for band in bands),
        tuple(routes),
        len(tables),
        n_partitions,
        choice.second_extra,
        needs.bucket_pairs,
        prediction,
    )


def moved(fingerprints: Words, order: tuple[int, ...] | None) -> Words:
    """Move the bits of fingerprints to the places of a plan; None leaves them where they are."""
    if order is None or not len(fingerprints):
        return fingerprints
    columns = np.ascontiguousarray(fingerprints.T)
    return permute(columns, np.array(order, dtype=np.int64)).T


def _rank(plan: Plan) -> tuple[int, float]:
    """Put one bucket first, or last where it takes long; the others by what they cost."""
    seconds = plan.prediction.core_seconds - JOB_SECONDS
    if plan.name == ONE_BUCKET_NAME:
        return (0 if seconds <= ONE_BUCKET_SECONDS else 2), seconds
    return 1, seconds * (1.0 if plan.order is None else MOVING_MUST_GAIN)


def _reason(plan: Plan, best: Plan) -> str:
    if plan.name == ONE_BUCKET_NAME:
        return "too much for one task"
    if best.name == ONE_BUCKET_NAME:
        return "so few fingerprints are not worth spreading"
    ratio = plan.prediction.core_seconds / best.prediction.core_seconds
    more = plan.n_top - best.n_top
    copies = f", {more} more copies of each sent" if more > 0 else ""
    gain = ", not enough to move bits for" if plan.order is not None and ratio < 1 else ""
    return f"{ratio:.2f} times the core-seconds{copies}{gain}"
