from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from simhash_spark.core.join.bands import Band
from simhash_spark.core.join.blocks import pack_blocks
from simhash_spark.core.join.pairs import Effort
from simhash_spark.core.join.search import PairSearch
from simhash_spark.core.plan.bucket_sizes import Buckets, measure_buckets, spread_sizes
from simhash_spark.core.plan.exact import Needs, check_plan, plan_search
from simhash_spark.core.plan.expecting import expect_work
from simhash_spark.core.plan.predicting import JOB_SECONDS, SHUFFLE_NANOSECONDS
from simhash_spark.errors import PlanError

if TYPE_CHECKING:
    from simhash_spark.core.plan.plans import Plan


def uniform(n: int, bits: int) -> np.ndarray:
    return np.random.default_rng(bits).integers(1 << 64, size=(n, bits // 64), dtype=np.uint64)


def nothing(bits: int) -> np.ndarray:
    return np.empty((0, bits // 64), dtype=np.uint64)


def effort_of(fingerprints: np.ndarray, plan: Plan) -> Effort:
    """What the search does, all partitions in one."""
    effort = Effort()
    search = PairSearch(plan.max_distance, limit=plan.bucket_pairs, effort=effort)
    for blocks in pack_blocks(fingerprints, replace(plan, n_partitions=1)):
        for _ in search.find(blocks.fingerprints, plan.routes[blocks.route].path):
            pass
    return effort


def test_a_prediction_by_hand_where_keys_are_long():
    """Four tables of 32 bits: rows are sorted once in each, chance pairs are n^2 / 2 / 2^32."""
    plan = plan_search(Needs(128, 3, 10**6), nothing(128), first_extra=1)

    told = plan.prediction
    assert plan.band_bits == (32, 32, 32, 32)
    assert told.shuffled_bytes == 4 * 16 * 10**6
    assert told.sorted_rows == 4 * 10**6
    assert told.compared_pairs == pytest.approx(4 * 10**12 / 2**33, rel=1e-3)
    sending = 4 * 10**6 * SHUFFLE_NANOSECONDS / 1e9
    assert told.core_seconds == pytest.approx(told.search_seconds + sending + JOB_SECONDS)


def test_a_prediction_by_hand_of_what_a_task_holds():
    """Two tables of 32 bits in 10 partitions: a tenth of a route, and one bucket that is small."""
    plan = plan_search(Needs(64, 1, 10**7), nothing(64), first_extra=1, n_partitions=10)

    assert plan.prediction.task_bytes == pytest.approx(8 * 10**6, rel=1e-3)
    assert plan.prediction.worker_bytes == pytest.approx(120e6 + 64 * 2**21)  # packing takes more


def test_more_is_held_where_partitions_are_few():
    plan = plan_search(Needs(128, 3, 10**7), nothing(128), first_extra=1, n_partitions=1)

    assert plan.prediction.task_bytes == 16 * 10**7
    assert plan.prediction.worker_bytes == 120e6 + 90 * 10**7


@pytest.mark.parametrize(
    ("bits", "max_distance", "n"),
    [(64, 3, 50_000), (64, 3, 10**6), (64, 6, 100_000), (128, 3, 100_000), (128, 8, 200_000)],
)
@pytest.mark.parametrize("is_sampled", [True, False])
def test_uniform_fingerprints_cost_what_is_predicted(
    bits: int, max_distance: int, n: int, *, is_sampled: bool
):
    fingerprints = uniform(n, bits)
    sample = fingerprints[: 1 << 14] if is_sampled else nothing(bits)

    plan = plan_search(Needs(bits, max_distance, n), sample, first_extra=1)

    effort = effort_of(fingerprints, plan)
    assert 1 / 1.5 < plan.prediction.sorted_rows / effort.n_sorted < 1.5
    if effort.n_compared > 1000:
        assert 1 / 1.5 < plan.prediction.compared_pairs / effort.n_compared < 1.5


def test_a_bucket_that_stands_out_is_predicted_by_what_it_holds():
    """A fifth of all share 16 bits, which makes one bucket of 20 000 among buckets of 1."""
    fingerprints = uniform(100_000, 64)
    fingerprints[::5] &= np.uint64(2**48 - 1)
    sample = fingerprints[:10_000]

    even, hot = measure_buckets(sample, 100_000.0, Band(((0, 48, 16),)))

    assert (even.n_rows, hot.n_rows) == (80_000, 20_000)
    assert even.size == pytest.approx(80_000 / 2**16, rel=0.5)
    assert hot.size == 19_999


def test_a_few_equal_keys_by_chance_are_no_skew():
    sample = uniform(10_000, 64)
    sample[1] = sample[0] ^ np.uint64(1 << 63)

    (buckets,) = measure_buckets(sample, 1e6, Band(((0, 0, 40),)))

    assert buckets.size == pytest.approx(1e6 / 2**40, rel=0.01)


def test_sizes_by_chance_have_all_rows_but_those_alone():
    """With one other on average, e^-1 of the rows are alone; pairs are half the rows."""
    groups = spread_sizes(1000.0, 1.0)

    assert groups.n_rows == pytest.approx(1000 * (1 - np.exp(-1)))
    assert (groups.sizes * (groups.sizes - 1) / 2 * groups.counts).sum() == pytest.approx(500)


def test_dense_groups_are_not_predicted_as_all_their_pairs_if_pairs_are_limited():
    """All differ in a bit or two: pivots connect 100 000 without 5 000 000 000 comparisons."""
    near = np.uint64(1) << np.random.default_rng(1).integers(64, size=(4096, 1), dtype=np.uint64)
    table = plan_search(Needs(64, 3, 10), nothing(64), first_extra=1).routes[0].path
    buckets = Buckets(100_000.0, 99_999.0, near)

    whole = expect_work(table, buckets, Needs(64, 3, 100_000), None)
    limited = expect_work(table, buckets, Needs(64, 3, 100_000, bucket_pairs=100), None)

    assert limited.compared_pairs < whole.compared_pairs / 100


def test_a_hot_key_is_sent_on_as_many_routes_as_the_prediction_counts():
    """Half of all share 48 bits, so that some key is too hot, however bits are shared out."""
    fingerprints = uniform(60_000, 64)
    fingerprints[::2] &= np.uint64(2**16 - 1)
    needs = Needs(64, 3, 60_000, task_rows=1000)

    plan = plan_search(needs, fingerprints[:16_384], first_extra=1)

    sent = sum(len(blocks.fingerprints) for blocks in pack_blocks(fingerprints, plan))
    assert len(plan.routes) > plan.n_top
    assert sent > 4 * 60_000
    assert plan.prediction.shuffled_bytes == pytest.approx(8 * sent, rel=0.05)


def test_few_fingerprints_stay_in_one_bucket():
    plans = [plan_search(Needs(64, 3, n), nothing(64)) for n in (20_000, 2_000_000)]

    assert [plan.name == "all in one bucket" for plan in plans] == [True, False]
    assert [plan.n_top for plan in plans] == [1, 4]
    assert plans[0].n_partitions == 1


def test_one_bucket_that_takes_long_is_spread():
    """It is considered, and told, but not taken although it is first."""
    plan = plan_search(Needs(64, 8, 500_000), nothing(64))

    assert plan.name != "all in one bucket"
    assert plan.alternatives[0].name == "all in one bucket"
    assert plan.alternatives[0].reason == "too much for one task"


def test_bits_are_moved_where_a_band_tells_nothing_apart():
    """The lowest 16 bits are the same in all: in place they would be a band of one bucket."""
    fingerprints = uniform(20_000, 64) & np.uint64(2**64 - 2**16)

    poor = plan_search(Needs(64, 3, 10**6), fingerprints)
    good = plan_search(Needs(64, 3, 10**6), uniform(20_000, 64))

    assert poor.order is not None
    assert good.order is None


def test_the_cheapest_is_taken_and_the_others_say_why_not():
    plan = plan_search(Needs(64, 3, 10**9), nothing(64))

    names = [one.name for one in plan.alternatives]
    assert names == [
        "4 bands, each is a key, bits in place",
        "5 bands, 2 of them make a key, bits in place",
    ]
    assert plan.alternatives[0].reason == "taken"
    assert "times the core-seconds, 6 more copies of each sent" in plan.alternatives[1].reason
    costs = [one.prediction.core_seconds for one in plan.alternatives]
    assert plan.prediction.core_seconds == min(costs) < max(costs)


def planned(**prediction: float) -> Plan:
    plan = plan_search(Needs(64, 3, 10**6), nothing(64))
    return replace(plan, prediction=replace(plan.prediction, **prediction))


def test_a_plan_that_works_is_not_refused():
    check_plan(planned())
    check_plan(planned(core_seconds=9_999 * 3600.0))
    check_plan(planned(core_seconds=23 * 3600.0), n_cores=1)
    check_plan(planned(task_bytes=8.0 * 4 * 2**23))


@pytest.mark.parametrize(
    ("plan", "n_cores", "message"),
    [
        (planned(core_seconds=10_001 * 3600.0), None, "10,001 core-h.*at most 10,000 .*cores"),
        (planned(core_seconds=50 * 3600.0), 2, "50 core-hours; at most 48 .* on 2 cores.*--recall"),
        (planned(task_bytes=8.0 * 2**26), None, "hold 67,108,864 .* at most 33,554,432 .*128"),
        (replace(planned(), n_partitions=100_001), None, "100,001 partitions and 4 routes. .*128"),
        (replace(planned(), routes=planned().routes * 2501), None, "10,004 routes.*--max-distance"),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_work_is_refused_with_advice(
    plan: Plan, n_cores: float | None, message: str
):
    with pytest.raises(PlanError, match=message):
        check_plan(plan, n_cores=n_cores)


def test_dense_fingerprints_that_no_bits_separate_are_too_much_for_a_task():
    """A billion that differ in 30 bits by a little: whichever the table, all share its key."""
    bit = np.arange(64, dtype=np.uint64)[:, np.newaxis]
    fingerprints = np.uint64(1) << bit

    plan = plan_search(Needs(64, 3, 10**9), fingerprints, first_extra=1)

    with pytest.raises(PlanError, match="One task would have to hold"):
        check_plan(plan, n_cores=1e6)
