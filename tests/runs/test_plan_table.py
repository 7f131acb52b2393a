from __future__ import annotations

from dataclasses import replace

import numpy as np

from simhash_spark.core.plan.exact import Needs, plan_search
from simhash_spark.core.plan.plans import Alternative, Plan, Prediction, Route
from simhash_spark.runs.plan_table import plan_table

TAKES = Prediction(
    shuffled_bytes=32e9,
    sorted_rows=2.5e10,
    compared_pairs=9.4e9,
    search_seconds=3600.0,
    core_seconds=7000.0,
    task_bytes=4.2e6,
    worker_bytes=2.5e8,
)
LOSES = replace(TAKES, core_seconds=36_000.0, shuffled_bytes=80e9)


def plan() -> Plan:
    found = plan_search(Needs(64, 3, 10**9), np.empty((0, 1), dtype=np.uint64), first_extra=1)
    told = (Alternative("cheap", TAKES, "taken"), Alternative("dear", LOSES, "5 times as dear"))
    return replace(found, name="cheap", n_partitions=1908, prediction=TAKES, alternatives=told)


def words(table: str) -> list[str]:
    return [" ".join(line.split()) for line in table.splitlines()]


def test_a_plan_is_told_with_its_alternatives():
    assert words(plan_table(plan(), n_cores=200)) == [
        "fingerprints 1,000,000,000 distinct ones of 64 bits",
        "max distance 3, exact, none missed",
        "plan cheap",
        "bands of 16 + 16 + 16 + 16 bits",
        "copies 4 of each fingerprint; no key is too hot for a task",
        "partitions 1,908",
        "shuffle 32.0 GB",
        "rows sorted 2.5e+10",
        "pairs compared 9.4e+09",
        "core time 116.7 min: search 60.0 min, packing and sending 56.7 min",
        "time 35.0 s on 200 cores, all of them busy to the end",
        "memory 0.2 GB of Python for each task that runs at once, 4.2 MB of it fingerprints",
        "",
        "considered shuffle rows sorted pairs compared core time task memory",
        "cheap 32.0 GB 2.5e+10 9.4e+09 116.7 min 0.2 GB taken",
        "dear 80.0 GB 2.5e+10 9.4e+09 10.0 h 0.2 GB 5 times as dear",
    ]


def test_without_cores_no_time_is_made_up():
    lines = words(plan_table(plan()))

    assert "time --cores tells" in lines
    assert not any("busy" in line for line in lines)


def test_hot_keys_are_told():
    routes = plan().routes
    hot = Route(routes[0].path, (5, 9), ((4, 5), (6, 7)))
    split = replace(plan(), routes=(hot, *routes[1:], *routes))

    copies = words(plan_table(split))[4]

    assert copies == "copies 4 of each fingerprint; 2 hot keys take 4 routes of their own"


def test_columns_of_the_alternatives_stand_below_each_other():
    *_, head, cheap, dear = plan_table(plan()).splitlines()

    for name, cell in (("rows sorted", "2.5e+10"), ("core time", "116.7 min")):
        assert head.index(name) + len(name) == cheap.index(cell) + len(cell)
    assert cheap.index("taken") == dear.index("5 times")
