"""Planning a search by sorted windows: tables, tasks, passes, and the pairs planted to check it.

As long as a task can hold all fingerprints, every task gets all of them and a
share of the tables. With more, passes send them to groups by a few bits, and a
task searches a group with all tables. The plan follows from the number of
fingerprints and a sample alone, so the result depends on no partitioning.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.plan.density import SMALLEST_SAMPLE, measure_density
from simhash_spark.core.plan.plans import Prediction
from simhash_spark.core.plan.predicting import (
    JOB_SECONDS,
    MANY_PARTITIONS,
    PARTITION_SECONDS,
    SHUFFLE_NANOSECONDS,
    WORKER_BYTES,
)
from simhash_spark.core.plan.recall import recall_of
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.core.plan.window_sizes import RESERVE, SORT_COST, choose_window
from simhash_spark.core.windows.coarse import LARGEST_WIDTH, group_keys, recall_of_passes
from simhash_spark.core.windows.permutations import TURNS
from simhash_spark.core.windows.planted import PlantedPairs, plant
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.plan.exact import Needs
    from simhash_spark.core.plan.window_sizes import SearchSize
    from simhash_spark.core.typing import Words

WHOLE = 1 << 24
"""Most fingerprints that a task holds: 128 or 256 MB, and three times as much on the way."""

GROUP = 1 << 22
"""Fingerprints in a group, on average."""

SPREAD_FROM = 100_000
"""From so many on at least two tasks share the tables."""

STEP_NANOSECONDS = {64: 0.6, 128: 1.1}
"""Comparing a fingerprint with one in its window (measured, 1e6)."""

GROUP_RECALLS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
MOST_PASSES = 1000
WINDOW_COPIES = 5
"""Memory of a task, in times the fingerprints it holds (measured 3 to 4)."""

N_PLANTED = 1000
N_SEEDS = 8


def plan_windows(
    needs: Needs, sample: Words, recall: float, *, width: int | None = None
) -> WindowPlan:
    """Plan a search by sorted windows.

    Parameters
    ----------
    needs : Needs
        What is to be searched; the maximal distance from 1.
    sample : ndarray of shape (n_sampled, n_words), dtype uint64
        Some of the fingerprints, chosen evenly; fewer than 1000 tell no density, and
        those of the rest are taken as uniform. Empty: nothing is planted.
    recall : float
        Share of the pairs at the maximal distance to be found, above 0 and below 1.
    width : int, optional
        Bits that make groups; by default as many as keep tasks small.

    Returns
    -------
    WindowPlan
        That which costs least.

    Raises
    ------
    ConfigError
        If the recall is out of reach, or no bits make groups that a task can hold.

    Examples
    --------
    >>> from simhash_spark.core.plan.exact import Needs
    >>> nothing = np.empty((0, 1), dtype=np.uint64)
    >>> plan = plan_windows(Needs(64, 12, 1_000_000), nothing, 0.95)
    >>> plan.window, plan.n_tables, plan.n_shares, plan.width
    (8, 156, 2, 0)
    """
    aim = _Aim(needs, sample, recall)
    if width is None:
        groups = needs.n_nodes / GROUP
        width = 0 if needs.n_nodes <= WHOLE else math.ceil(math.log2(groups))
    return _plan_groups(aim, width) if width else _plan_whole(aim)


class _Aim:
    """What is asked for, with what the sample tells."""

    def __init__(self, needs: Needs, sample: Words, recall: float) -> None:
        self.n, self.bits, self.distance = needs.n_nodes, needs.bits, needs.max_distance
        self.sample = sample
        self.recall = recall
        self.density = measure_density(sample) if len(sample) >= SMALLEST_SAMPLE else None
        self.planted = PlantedPairs(sample, sample)
        if len(sample):  # the first of it are as good as drawn at random
            self.planted = plant(sample[:N_PLANTED], distance=self.distance, count=N_PLANTED)

    def size(self, recall: float, width: int) -> SearchSize:
        """Choose window and tables for a group: the bits of its key tell nothing apart there."""
        n, bits = self.n / 2**width, self.bits - width
        return choose_window(
            n, bits=bits, max_distance=self.distance, recall=recall, density=self.density
        )

    def predicted(self, size: SearchSize, width: int) -> float:
        """Expect so much recall at the largest distance."""
        n, bits = self.n / 2**width, self.bits - width
        window, tables = size
        return recall_of(
            self.distance, bits=bits, n=n, tables=tables, window=window, density=self.density
        )

    def seconds(self, size: SearchSize) -> float:
        """Expect one pass to take so long on one core."""
        steps = self.n * size.tables * (SORT_COST[self.bits] + size.window)
        return steps * STEP_NANOSECONDS[self.bits] / 1e9

    def plan(
        self, name: str, size: SearchSize, predicted: float, *, passes: int, width: int, shares: int
    ) -> WindowPlan:
        """Put a plan together."""
        n_sent = self.n * passes * shares
        n_sorted = float(self.n * passes * size.tables)
        held = self.n * self.bits / 8 / 2**width
        sending = n_sent * SHUFFLE_NANOSECONDS * self.bits / 64e9 + JOB_SECONDS
        seconds = passes * self.seconds(size) + sending
        n_partitions = min(passes << width, MANY_PARTITIONS) if width else shares
        return WindowPlan(
            *(name, self.bits, self.distance, self.n, self.recall, predicted, *size),
            *(passes, width, 0, shares, n_partitions),
            Prediction(
                shuffled_bytes=n_sent * self.bits / 8,
                sorted_rows=n_sorted,
                compared_pairs=n_sorted * size.window,
                search_seconds=passes * self.seconds(size),
                core_seconds=seconds,
                task_bytes=held,
                worker_bytes=WORKER_BYTES + WINDOW_COPIES * held,
            ),
            self.planted,
        )


def _plan_whole(aim: _Aim) -> WindowPlan:
    """Give every task all fingerprints, and as many tables as it is done with in seconds."""
    size = aim.size(aim.recall, 0)
    n_orders = -(-size.tables * WORD_BITS // (TURNS * aim.bits))
    wanted = max(math.ceil(aim.seconds(size) / PARTITION_SECONDS), 2 if aim.n >= SPREAD_FROM else 1)
    name = f"{size.tables} tables with windows of {size.window}"
    predicted = aim.predicted(size, 0)
    return aim.plan(name, size, predicted, passes=1, width=0, shares=min(wanted, n_orders))


def _plan_groups(aim: _Aim, width: int) -> WindowPlan:
    """Send fingerprints to groups again and again: more passes, or more tables in each."""
    plans = [plan for recall in GROUP_RECALLS for plan in _plan_passes(aim, recall, width)]
    if not plans:
        message = (
            f"recall={aim.recall} at distance {aim.distance} of {aim.bits} bits needs more than "
            f"{MOST_PASSES} passes over {aim.n} fingerprints, or a million tables in each: lower "
            "one of them, or use 128 bits."
        )
        raise ConfigError(message)
    plan = min(plans, key=lambda one: one.prediction.core_seconds)
    for seed in range(N_SEEDS):
        if _largest_group(aim, plan, seed) <= WHOLE:
            return replace(plan, seed=seed)
    if width < LARGEST_WIDTH:
        return _plan_groups(aim, width + 1)
    message = (
        f"No {width} bits share {aim.n} fingerprints out into groups of at most {WHOLE}: too many "
        "are alike; use 128 bits, or a profile that gives common features less weight."
    )
    raise ConfigError(message)


def _plan_passes(aim: _Aim, recall: float, width: int) -> Iterator[WindowPlan]:
    """Reach the recall by passes that each have a lower one; nothing if those are too many."""
    try:
        size = aim.size(recall, width)
    except ConfigError:  # passes of a lower recall may do
        return
    within = aim.predicted(size, width)
    form = {"distance": aim.distance, "bits": aim.bits, "width": width}
    once = recall_of_passes(within, passes=1, **form)
    allowed = (1 - aim.recall) * RESERVE
    passes = math.ceil(math.log(allowed) / math.log1p(-once)) if once > 0 else MOST_PASSES + 1
    if passes <= MOST_PASSES:
        name = (
            f"{passes} passes over groups by {width} bits, in each {size.tables} tables with "
            f"windows of {size.window}"
        )
        predicted = recall_of_passes(within, passes=passes, **form)
        yield aim.plan(name, size, predicted, passes=passes, width=width, shares=1)


def _largest_group(aim: _Aim, plan: WindowPlan, seed: int) -> float:
    """Estimate the size of the largest group of all passes; 0 with too small a sample to tell."""
    if len(aim.sample) < SMALLEST_SAMPLE:
        return 0.0
    largest = 0
    for number in range(plan.passes):
        keys = group_keys(aim.sample, number=number, width=plan.width, seed=seed)
        largest = max(largest, int(np.bincount(keys.astype(np.int64)).max()))
    return largest * aim.n / len(aim.sample)
