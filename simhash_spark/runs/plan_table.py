"""A plan for people, as a table; and for summary.json, beside what a run then took."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from simhash_spark.core.plan.window_plans import WindowPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simhash_spark.core.plan.plans import Alternative, Prediction
    from simhash_spark.core.plan.window_plans import SearchPlan

_LABEL_WIDTH = 16

_COLUMNS = ("", "shuffle", "rows sorted", "pairs compared", "core time", "task memory", "")


def plan_table(plan: SearchPlan, *, n_cores: float | None = None) -> str:
    """Render a plan, what it takes, and what else was considered.

    Parameters
    ----------
    plan : Plan or WindowPlan
        The plan.
    n_cores : float, optional
        Cores that work on it.

    Returns
    -------
    str
        Lines for a terminal.
    """
    taken = plan.prediction
    sending = taken.core_seconds - taken.search_seconds
    bands = f"of {' + '.join(map(str, plan.band_bits))} bits" if plan.band_bits else "none"
    n_busy = min(n_cores or 1, plan.n_partitions)
    time = "--cores tells" if n_cores is None else _duration(taken.core_seconds / n_busy)
    tasks = "" if n_busy == n_cores else f" for {_counted(plan.n_partitions, 'task')}"
    busy = f" on {_counted(n_busy, 'core')}{tasks}, all of them busy to the end"
    busy = "" if n_cores is None else busy
    lines = [
        ("fingerprints", f"{plan.n_nodes:,} distinct ones of {plan.bits} bits"),
        ("max distance", f"{plan.max_distance}, {_found(plan)}"),
        ("plan", plan.name),
        ("bands", bands),
        ("copies", f"{plan.n_top} of each fingerprint; {_hot(plan)}"),
        ("partitions", f"{plan.n_partitions:,}"),
        ("shuffle", _size(taken.shuffled_bytes)),
        ("rows sorted", f"{taken.sorted_rows:.2g}"),
        ("pairs compared", f"{taken.compared_pairs:.2g}"),
        (
            "core time",
            f"{_duration(taken.core_seconds)}: search {_duration(taken.search_seconds)}, "
            f"packing and sending {_duration(sending)}",
        ),
        ("time", time + busy),
        (
            "memory",
            f"{_size(taken.worker_bytes)} of Python for each task that runs at once, "
            f"{_size(taken.task_bytes)} of it fingerprints",
        ),
    ]
    head = [f"{label:<{_LABEL_WIDTH}}{value}" for label, value in lines]
    return "\n".join([*head, "", *_considered(plan.alternatives)])


def plan_told(plan: SearchPlan, effort: Mapping[str, int]) -> dict[str, Any]:
    """Give a plan as JSON, predicted beside actual under the same names.

    Parameters
    ----------
    plan : Plan or WindowPlan
        The plan that was followed.
    effort : mapping of str to int
        What the search told: see ``stages.edges.EFFORT``.

    Returns
    -------
    dict
        ``actual`` lacks what tasks cannot see: ``core_seconds``, with Spark's
        own part, and ``worker_bytes``.
    """
    return {
        "bits": plan.bits,
        "max_distance": plan.max_distance,
        "name": plan.name,
        "distinct_fingerprints": plan.n_nodes,
        "band_bits": list(plan.band_bits),
        **_windows(plan),
        "routes": len(plan.routes),
        "partitions": plan.n_partitions,
        "predicted": _rounded(plan.prediction),
        "actual": _actual(effort, plan.bits // 8),
        "alternatives": [
            {"name": one.name, "reason": one.reason, "predicted": _rounded(one.prediction)}
            for one in plan.alternatives
        ],
    }


def _found(plan: SearchPlan) -> str:
    if isinstance(plan, WindowPlan):
        predicted = f"{plan.predicted_recall:.1%} of the pairs at it expected"
        return f"{predicted}, {plan.recall:g} asked, more of the nearer ones"
    limit = ", of crowds as many as hold clusters together" if plan.bucket_pairs else ""
    return f"exact, none missed{limit}"


def _windows(plan: SearchPlan) -> dict[str, Any]:
    """Tell what the two kinds of search do not share."""
    if not isinstance(plan, WindowPlan):
        return {"kind": "exact", "bucket_pairs": plan.bucket_pairs, "tables": plan.n_top}
    told = {name: getattr(plan, name) for name in ("window", "passes", "width")}
    return {"kind": "windows", "tables": plan.n_tables, "shares": plan.n_shares, **told}


def _rounded(prediction: Prediction) -> dict[str, float]:
    told = dataclasses.asdict(prediction)
    return {name: round(n, 3) if "seconds" in name else round(n) for name, n in told.items()}


def _actual(effort: Mapping[str, int], width: int) -> dict[str, float]:
    if not effort:
        return {}
    return {
        "shuffled_bytes": effort["n_rows"] * width,
        "sorted_rows": effort["n_sorted"],
        "compared_pairs": effort["n_compared"],
        "search_seconds": effort["cpu_ms"] / 1000,
        "task_bytes": effort["task_bytes"],
        "listed_pairs": effort["n_pairs"],
        "unlisted_pairs": effort["n_unlisted"],
        "not_compared_pairs": effort["n_not_compared"],
    }


def _hot(plan: SearchPlan) -> str:
    n_hot = sum(len(route.hot_keys) for route in plan.routes)
    if not n_hot:
        return "no key is too hot for a task"
    return f"{n_hot:,} hot keys take {len(plan.routes) - plan.n_top:,} routes of their own"


def _considered(alternatives: Sequence[Alternative]) -> list[str]:
    """Render the table of alternatives, numbers to the right."""
    rows = [("considered", *_COLUMNS[1:])]
    for one in alternatives:
        told = one.prediction
        rows.append(
            (
                one.name,
                _size(told.shuffled_bytes),
                f"{told.sorted_rows:.2g}",
                f"{told.compared_pairs:.2g}",
                _duration(told.core_seconds),
                _size(told.worker_bytes),
                one.reason,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return [
        "  ".join(
            cell.ljust(width) if at in (0, last) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _counted(number: float, name: str) -> str:
    """Write a number of things.

    >>> _counted(1, "task"), _counted(2000, "core")
    ('1 task', '2,000 cores')
    """
    return f"{number:,.0f} {name}{'s' * (number != 1)}"


def _size(n_bytes: float) -> str:
    """Write bytes in the unit that suits them.

    >>> _size(32e9), _size(1_500_000), _size(24)
    ('32.0 GB', '1.5 MB', '0.0 kB')
    """
    units = ((1e8, 1e9, "GB"), (1e5, 1e6, "MB"), (0, 1e3, "kB"))
    unit, name = next((unit, name) for least, unit, name in units if n_bytes >= least)
    return f"{n_bytes / unit:,.1f} {name}"


def _duration(seconds: float) -> str:
    """Write a time in the unit that suits it.

    >>> _duration(1.25), _duration(300), _duration(90_000)
    ('1.2 s', '5.0 min', '25.0 h')
    """
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
