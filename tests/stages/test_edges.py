from __future__ import annotations

import numpy as np
import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from simhash_spark import DedupConfig
from simhash_spark.core.join.blocks import partition_keys
from simhash_spark.core.plan.exact import Needs, plan_search
from simhash_spark.hamming import hamming_pairs, plan_pairs
from simhash_spark.stages.blocks import explode_blocks
from simhash_spark.stages.edges import find_edges, select_edges, sum_efforts

NONE = np.empty((0, 1), dtype=np.uint64)
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def edges_of(spark, fingerprints, bits, max_distance):
    schema = "fingerprint long" if bits == 64 else "fingerprint long, fingerprint_high long"
    nodes = spark.createDataFrame(fingerprints, schema)
    return hamming_pairs(nodes, DedupConfig(bits=bits, max_distance=max_distance))


def test_pairs_at_the_maximal_distance_are_found_and_no_further_ones(spark):
    actual = edges_of(spark, [(0,), (0b111,), (0b1111,)], 64, 3)

    expected = [(0, 0b111, 3), (0b111, 0b1111, 1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


@pytest.mark.parametrize("max_distance", [1, 8])
def test_bit_63_is_a_bit_like_others_and_makes_the_larger_number(spark, max_distance):
    actual = edges_of(spark, [(LOWEST,), (0,), (-1,), (HIGHEST,)], 64, max_distance)

    expected = [(0, LOWEST, 1), (HIGHEST, -1, 1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_a_pair_that_shares_every_band_but_one_comes_out_once(spark):
    actual = edges_of(spark, [(5,), (4,)], 64, 8)

    assert [tuple(row) for row in actual.collect()] == [(4, 5, 1)]


def test_128_bits_are_compared_over_both_words(spark):
    fingerprints = [(-1, LOWEST), (-1, 0), (0, 0), (-2, LOWEST)]

    actual = edges_of(spark, fingerprints, 128, 2)

    expected = [
        (-2, LOWEST, -1, LOWEST, 1),
        (-1, 0, -1, LOWEST, 1),
        (-1, 0, -2, LOWEST, 2),
    ]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def brute_force(values, base, near):
    """Pairs among planted ones and their bases; uniform fingerprints have no others within 3."""
    couples = {(int(a), int(b)) for a, b in zip(base, near, strict=True) if a != b}
    pairs = [(a % 2**64, b % 2**64) for a, b in couples]
    return sorted((min(p), max(p), (p[0] ^ p[1]).bit_count()) for p in pairs)


def unsigned(row) -> tuple[int, int, int]:
    return row[0] % 2**64, row[1] % 2**64, row[2]


def pd_free(values):
    return [(int(value),) for value in values]


@pytest.mark.parametrize("n_partitions", [1, 3, 64, 1000])
def test_any_number_of_partitions_gives_the_same_pairs(spark, n_partitions):
    """Blocks of 40 000 fingerprints, so that the plan cuts bands; near ones planted."""
    rng = np.random.default_rng(3)
    base = rng.integers(-(2**63), 2**63, 40_000, dtype=np.int64)
    near = base[:500] ^ (1 << rng.integers(0, 62, 500)) ^ (1 << rng.integers(0, 62, 500))
    values = np.unique(np.concatenate([base, near]))
    nodes = spark.createDataFrame(pd_free(values), "fingerprint long")
    plan = plan_search(Needs(64, 3, len(values)), NONE, first_extra=1, n_partitions=n_partitions)

    found = nodes.transform(explode_blocks, plan).transform(find_edges, plan)
    edges = select_edges(found).collect()
    assert plan.n_top == 4

    expected = brute_force(values, base[:500], near)
    assert sorted(unsigned(row) for row in edges) == expected
    told = sum_efforts(found).first().asDict()
    assert told["n_rows"] == 4 * len(values)
    assert told["n_pairs"] == len(expected)


def test_blocks_of_one_route_and_partition_meet_in_one_task(spark):
    """Spark's hash decides where blocks go: the numbers must be those it sends everywhere."""
    numbers = partition_keys(7)
    rows = spark.createDataFrame([(int(n),) for n in numbers], "partition int")

    placed = rows.repartition(7, "partition").select("partition", F.spark_partition_id())

    assert {row[0]: row[1] for row in placed.collect()} == {
        int(number): place for place, number in enumerate(numbers)
    }


def test_dense_buckets_are_reduced_and_counted(spark):
    nodes = spark.range(1 << 10).selectExpr("id AS fingerprint")
    plan = plan_pairs(nodes, DedupConfig(max_distance=2, bucket_pairs=100))

    found = nodes.transform(explode_blocks, plan).transform(find_edges, plan)

    told = sum_efforts(found).first().asDict()
    n_all = 1024 * (10 + 45) // 2
    assert select_edges(found).count() == told["n_pairs"] == 1023
    assert told["n_pairs"] + told["n_unlisted"] + told["n_not_compared"] >= n_all


@pytest.mark.parametrize("bucket_pairs", [0, 100])
def test_every_pair_of_a_small_dense_bucket_is_counted_once(spark, bucket_pairs):
    """Below the size from which groups are connected unseen, the count is exact."""
    nodes = spark.range(1 << 9).selectExpr("id AS fingerprint")
    plan = plan_pairs(nodes, DedupConfig(max_distance=2, bucket_pairs=bucket_pairs))

    found = nodes.transform(explode_blocks, plan).transform(find_edges, plan)

    told = sum_efforts(found).first().asDict()
    assert select_edges(found).count() == told["n_pairs"]
    assert told["n_not_compared"] == 0
    assert told["n_pairs"] + told["n_unlisted"] == 512 * (9 + 36) // 2
    assert (told["n_unlisted"] > 0) == (bucket_pairs > 0)
