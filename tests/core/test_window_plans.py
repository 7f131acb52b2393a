from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simhash_spark.core.join.blocks import pack_blocks
from simhash_spark.core.plan import windows as module
from simhash_spark.core.plan.choice import plan_with_recall
from simhash_spark.core.plan.exact import Needs
from simhash_spark.core.plan.plans import Plan
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.core.plan.windows import plan_windows
from simhash_spark.core.windows.coarse import group_keys
from simhash_spark.core.windows.permutations import mix
from simhash_spark.core.windows.search import WindowSearch, count_planted
from simhash_spark.errors import ConfigError

NOTHING = np.empty((0, 1), dtype=np.uint64)


def uniform(n: int, bits: int = 64) -> np.ndarray:
    return mix(np.arange(n * bits // 64, dtype=np.uint64)).reshape(n, -1)


def keys_in(fingerprints: np.ndarray, number: int, plan: WindowPlan) -> np.ndarray:
    return group_keys(fingerprints, number=number, width=plan.width, seed=plan.seed)


def planned(n: int, *, bits: int = 64, width: int | None = None, recall: float = 0.95):
    sample = uniform(2000, bits)
    return plan_windows(Needs(bits, bits * 3 // 16, n), sample, recall, width=width)


@pytest.mark.parametrize(("n_nodes", "kind"), [(50_000, Plan), (200_000, WindowPlan)])
def test_few_fingerprints_are_searched_exactly(n_nodes: int, kind: type):
    plan = plan_with_recall(Needs(64, 12, n_nodes), uniform(2000), 0.95)

    assert isinstance(plan, kind)


def test_the_exact_search_is_taken_where_it_costs_less():
    plan = plan_with_recall(Needs(64, 1, 10_000_000), uniform(2000), 0.999)

    assert isinstance(plan, Plan)
    assert "not exact" in plan.alternatives[-1].reason


def test_without_a_recall_the_search_is_exact():
    assert isinstance(plan_with_recall(Needs(64, 12, 10_000_000), NOTHING, None), Plan)


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("n_shares_wanted", ["few", "many"])
def test_the_shares_have_each_table_once_and_whole_permutations(bits: int, n_shares_wanted: str):
    plan = planned(200_000 if n_shares_wanted == "few" else 10_000_000, bits=bits)

    shares = [plan.tables_of(share) for share in range(plan.n_shares)]

    assert 2 <= plan.n_shares <= plan.n_tables
    assert [table for share in shares for table in share] == list(range(plan.n_tables))
    assert all(share.start % (4 * bits // 64) == 0 for share in shares)
    assert all(shares)


@pytest.mark.parametrize(("n_nodes", "width"), [(1 << 24, 0), ((1 << 24) + 1, 3), (10**9, 8)])
def test_a_task_holds_all_fingerprints_or_a_group_of_four_million(n_nodes: int, width: int):
    assert planned(n_nodes).width == width


@pytest.mark.parametrize("n_nodes", [200_000, 10**7, 10**8, 10**9])
@pytest.mark.parametrize("bits", [64, 128])
def test_the_recall_predicted_is_the_one_asked_for_and_not_much_more(n_nodes: int, bits: int):
    assert 0.95 <= planned(n_nodes, bits=bits).predicted_recall <= 0.965


def test_tasks_take_about_eight_seconds():
    plan = planned(10_000_000)

    assert 4 <= plan.prediction.search_seconds / plan.n_shares <= 9


def test_a_plan_depends_on_the_set_of_sampled_fingerprints():
    sample = uniform(1000)

    one = plan_windows(Needs(64, 12, 10**8), sample, 0.95)
    other = plan_windows(Needs(64, 12, 10**8), sample[::-1], 0.95)

    assert one == other
    assert sorted(one.planted.planted.tolist()) == sorted(other.planted.planted.tolist())


def test_planted_pairs_lie_at_the_maximal_distance():
    originals, planted = planned(200_000).planted

    assert len(planted) == 1000
    assert {bin(word).count("1") for word in (originals ^ planted)[:, 0].tolist()} == {12}


def test_bits_on_which_too_many_agree_make_no_groups(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WHOLE", 10_000)
    sample = uniform(2000)
    sample[:100] &= np.uint64(0b10111011)  # one in twenty differs from the others in 6 bits only

    with pytest.raises(ConfigError, match="No 16 bits share 1000000 fingerprints out into"):
        plan_windows(Needs(64, 3, 10**6), sample, 0.5, width=15)


def test_groups_that_are_too_large_are_cut_by_more_bits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WHOLE", 1 << 15)
    monkeypatch.setattr(module, "GROUP", 1 << 16)
    sample = uniform(2000)

    plan = plan_windows(Needs(64, 12, 100_000), sample, 0.9)

    largest = max(
        np.bincount(keys_in(sample, p, plan).astype(int)).max() for p in range(plan.passes)
    )
    assert plan.width > 1
    assert largest / 2000 * 100_000 <= 1 << 15


def test_a_recall_out_of_reach_is_refused():
    with pytest.raises(ConfigError, match=r"recall=0.95 at distance 40 of 64 bits needs more than"):
        plan_windows(Needs(64, 40, 10**9), NOTHING, 0.95)


@pytest.mark.parametrize("n_partitions", [1, 3, 100])
def test_every_share_gets_all_fingerprints(n_partitions: int):
    plan = replace(planned(10_000_000), n_partitions=n_partitions)
    fingerprints = uniform(5000)

    blocks = list(pack_blocks(fingerprints, plan))

    assert [one.route for one in blocks] == list(range(plan.n_shares))
    for one in blocks:
        assert one.fingerprints.tolist() == fingerprints.tolist()
        assert set(one.partitions.tolist()) == {one.route % n_partitions}
        assert one.bounds.tolist() == [0, 2048, 4096, 5000]


def test_each_group_of_each_pass_meets_in_a_partition_of_its_own():
    plan = planned(200_000, width=2)
    fingerprints = uniform(5000)
    used = []

    for one in pack_blocks(fingerprints, plan):
        rows = np.repeat(one.partitions, np.diff(one.bounds))
        keys = keys_in(one.fingerprints, one.route, plan)
        assert sorted(one.fingerprints.tolist()) == sorted(fingerprints.tolist())
        assert len(set(zip(rows.tolist(), keys.tolist(), strict=True))) == 4
        used += set(rows.tolist())

    assert sorted(used) == list(range(4 * plan.passes))


@pytest.mark.parametrize("width", [0, 2])
def test_a_planted_fingerprint_that_is_real_is_told_and_left_out(width: int):
    plan = planned(200_000, width=width)
    real = plan.planted.planted[[5, 700]]
    fingerprints = np.concatenate([uniform(2000), real])
    search = WindowSearch(plan)

    for route in range(plan.passes if width else plan.n_shares):
        list(search.find(route, fingerprints))

    told = search.planted()
    assert [number for number in told if number < 0] == [-701, -6]
    assert count_planted(np.array(told), 1000)[0] == 998


def test_what_one_task_found_and_another_left_out_is_not_counted_as_found():
    assert count_planted(np.array([4, 4, 0, 2, -1 - 2, -1 - 4]), 6) == (4, 1)
