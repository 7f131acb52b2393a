from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simhash_spark import DedupConfig
from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.plan.exact import Needs
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.core.plan.windows import plan_windows
from simhash_spark.core.windows.permutations import mix
from simhash_spark.core.windows.planted import PlantedPairs
from simhash_spark.hamming import hamming_pairs, plan_pairs, search
from simhash_spark.stages.edges import select_edges, sum_efforts
from simhash_spark.stages.windows import measure_recall

N = 4000
SCHEMA = {64: "fingerprint long", 128: "fingerprint long, fingerprint_high long"}


def fingerprints_of(bits: int, n: int = N) -> np.ndarray:
    """Uniform ones, and for every tenth one or two that differ from it in some bits."""
    words = bits // 64
    base = mix(np.arange(n * words, dtype=np.uint64)).reshape(n, words)
    some = base[::10]
    flips = mix(np.arange(some.size, dtype=np.uint64) + np.uint64(9**9)).reshape(some.shape)
    few = flips & np.roll(flips, 1, axis=0) & np.roll(flips, 2, axis=0)
    return np.unique(np.concatenate([base, some ^ few, some[::3] ^ np.uint64(1)]), axis=0)


def nodes_of(spark, fingerprints: np.ndarray, n_partitions: int = 2):
    rows = [tuple(row) for row in fingerprints.view(np.int64).tolist()]
    frame = spark.createDataFrame(rows, SCHEMA[64 * fingerprints.shape[1]])
    return frame.repartition(n_partitions)


def brute_force(fingerprints: np.ndarray, max_distance: int) -> set[tuple]:
    left, right = np.triu_indices(len(fingerprints), 1)
    distances = popcounts(fingerprints[left] ^ fingerprints[right])
    near = np.flatnonzero((distances > 0) & (distances <= max_distance))
    pairs = set()
    for one, other, distance in zip(left[near], right[near], distances[near], strict=True):
        ends = [tuple(fingerprints[at].tolist()) for at in (one, other)]
        pairs.add((*sorted(ends, key=lambda end: end[::-1]), int(distance)))
    return pairs


def pairs_of(found, bits: int) -> list[tuple]:
    words = bits // 64
    rows = [tuple(row) for row in select_edges(found).collect()]
    unsigned = [([word % 2**64 for word in row[:-1]], row[-1]) for row in rows]
    return [(tuple(ends[:words]), tuple(ends[words:]), distance) for ends, distance in unsigned]


def plan_of(fingerprints: np.ndarray, width: int, *, recall: float = 0.95) -> WindowPlan:
    bits = 64 * fingerprints.shape[1]
    needs = Needs(bits, bits * 3 // 16, len(fingerprints))
    plan = plan_windows(needs, fingerprints, recall, width=width)
    return plan if width else replace(plan, n_shares=3, n_partitions=3)


@pytest.mark.parametrize("width", [0, 2])
@pytest.mark.parametrize("bits", [64, 128])
def test_most_pairs_are_found_once_each_and_no_others(spark, bits: int, width: int):
    fingerprints = fingerprints_of(bits)
    plan = plan_of(fingerprints, width)

    found = search(nodes_of(spark, fingerprints), plan)

    pairs, expected = pairs_of(found, bits), brute_force(fingerprints, plan.max_distance)
    assert len(pairs) == len(set(pairs))
    assert set(pairs) <= expected
    near = {pair for pair in expected if pair[2] <= 2}
    assert near
    assert near <= set(pairs)
    assert len(pairs) >= 0.95 * len(expected)


@pytest.mark.parametrize("width", [0, 2])
def test_the_recall_measured_is_the_one_asked_for(spark, width: int):
    fingerprints = fingerprints_of(64)
    plan = plan_of(fingerprints, width, recall=0.8)

    n_planted, n_found = measure_recall(search(nodes_of(spark, fingerprints), plan), plan)

    assert n_planted == 1000
    assert 0.76 <= n_found / n_planted <= 0.9  # 3 standard errors below; the plan has a reserve


@pytest.mark.parametrize("width", [0, 2])
def test_any_partitioning_gives_the_same_pairs_and_the_same_recall(spark, width: int):
    fingerprints = fingerprints_of(64, 2000)
    plan = plan_of(fingerprints, width, recall=0.7)
    seen = []

    for n_partitions in (1, 3, 16):
        found = search(nodes_of(spark, fingerprints, n_partitions), plan)
        seen.append((sorted(pairs_of(found, 64)), measure_recall(found, plan)))

    alone = search(nodes_of(spark, fingerprints), replace(plan, n_partitions=1))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0] == (sorted(pairs_of(alone, 64)), measure_recall(alone, plan))


def test_every_task_tells_what_it_did(spark):
    fingerprints = fingerprints_of(64, 2000)
    plan = plan_of(fingerprints, 0)

    told = sum_efforts(search(nodes_of(spark, fingerprints), plan)).first().asDict()

    n = len(fingerprints)
    assert told["n_rows"] == 3 * n
    assert told["n_sorted"] == plan.n_tables * n
    assert told["n_compared"] == plan.n_tables * plan.window * n
    assert told["task_bytes"] == 8 * n


def test_tasks_that_did_the_same_are_all_told(spark):
    """Rows are made distinct, those of tasks too: each must have something of its own."""
    plan = replace(plan_of(fingerprints_of(64, 1000), 0), planted=PlantedPairs(NONE, NONE))

    found = search(nodes_of(spark, fingerprints_of(64, 1)[:1]), plan)

    assert found.where("effort IS NOT NULL").count() == 3


NONE = np.empty((0, 1), dtype=np.uint64)


@pytest.mark.parametrize("width", [0, 2])
def test_a_planted_fingerprint_that_is_real_is_left_out(spark, width: int):
    fingerprints = fingerprints_of(64, 2000)
    plan = plan_of(fingerprints, width)
    real = np.concatenate([fingerprints, plan.planted.planted[:7]])

    n_planted, _ = measure_recall(search(nodes_of(spark, real), plan), plan)

    assert n_planted == len(plan.planted.planted) - 7


def test_planted_fingerprints_are_in_no_pair(spark):
    fingerprints = fingerprints_of(64, 2000)
    plan = plan_of(fingerprints, 0)

    pairs = pairs_of(search(nodes_of(spark, fingerprints), plan), 64)

    ends = {word for pair in pairs for end in pair[:2] for word in end}
    assert ends <= set(fingerprints[:, 0].tolist())


def test_windows_are_taken_where_a_recall_is_asked_for_and_all_pairs_cost_more(spark):
    config = DedupConfig(max_distance=12, recall=0.9)
    many = spark.range(60_000).selectExpr("xxhash64(id) AS fingerprint").distinct()

    plan = plan_pairs(many, config)

    assert isinstance(plan, WindowPlan)
    assert plan.recall == 0.9
    near = many.selectExpr("fingerprint").limit(50).selectExpr("fingerprint ^ 1 AS fingerprint")
    assert hamming_pairs(many.union(near), config).where("distance = 1").count() == 50
