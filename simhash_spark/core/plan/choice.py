"""Choosing between the two ways to search: all pairs, or most of them by sorted windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simhash_spark.core.plan.exact import plan_search
from simhash_spark.core.plan.plans import Alternative
from simhash_spark.core.plan.windows import plan_windows

if TYPE_CHECKING:
    from simhash_spark.core.plan.plans import Needs, Plan
    from simhash_spark.core.plan.window_plans import WindowPlan
    from simhash_spark.core.typing import Words

FEW = 50_000
"""Up to so many fingerprints all pairs are found: it takes seconds."""

WORTH = 1.5
"""Times the core-seconds that finding all pairs is worth."""


def plan_with_recall(needs: Needs, sample: Words, recall: float | None) -> Plan | WindowPlan:
    """Choose the search by sorted windows, or the exact one where that costs less.

    Parameters
    ----------
    needs, sample, recall
        As in ``plan_windows``; a recall of None asks for the exact search.

    Returns
    -------
    Plan or WindowPlan
        A ``Plan`` finds all pairs, which is more than was asked.

    Raises
    ------
    ConfigError
        As ``plan_windows``.
    """
    exact = plan_search(needs, sample)
    if recall is None or needs.n_nodes <= FEW or not needs.max_distance:
        return exact
    windows = plan_windows(needs, sample, recall)
    costs = windows.prediction.core_seconds, exact.prediction.core_seconds
    if costs[1] <= WORTH * costs[0]:
        reason = f"{costs[0] / max(costs[1], 1e-9):.2f} times the core-seconds, but not exact"
        lost = Alternative(windows.name, windows.prediction, reason)
        return replace(exact, alternatives=(*exact.alternatives, lost))
    told = [
        Alternative(one.name, one.prediction, f"finds all, in {ratio:.1f} times the core-seconds")
        for one in exact.alternatives
        for ratio in [one.prediction.core_seconds / costs[0]]
    ]
    taken = Alternative(windows.name, windows.prediction, "taken")
    return replace(windows, alternatives=(taken, *told))
