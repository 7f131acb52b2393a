"""The benchmarks of the search: what they search, what they compare with, and that they run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
import pytest

from simhash_spark import schemas
from tests.benchmarks import bench_growth, bench_join, brute_force, fingerprint_sets, joins

HERE = Path(__file__).parent


def bits_of(words: np.ndarray) -> list[int]:
    return [sum(map(int.bit_count, row)) for row in words.tolist()]


def words_of(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint64)[:, np.newaxis]


@pytest.mark.parametrize(("bits", "max_distance"), [(64, 3), (64, 16), (128, 8)])
def test_planted_pairs_have_each_distance_equally_often(bits: int, max_distance: int):
    masks = fingerprint_sets.flips(3 * max_distance, bits=bits, max_distance=max_distance, seed=0)

    assert bits_of(masks) == 3 * list(range(1, max_distance + 1))


def test_planted_neighbours_touch_every_bit():
    masks = fingerprint_sets.flips(5000, bits=128, max_distance=3, seed=0)

    assert np.bitwise_or.reduce(masks, axis=0).tolist() == [2**64 - 1, 2**64 - 1]


def test_a_uniform_set_holds_distinct_fingerprints_and_those_planted(tmp_path: Path):
    planted = fingerprint_sets.write_uniform(tmp_path / "nodes", 5000, bits=64, max_distance=3)
    column = pq.read_table(tmp_path / "nodes")["fingerprint"].to_pylist()

    assert planted == 50
    assert len(column) == len(set(column)) == 5050


@pytest.mark.parametrize("spread", [False, True])
def test_shared_bits_are_the_same_in_all(spread: bool):  # noqa: FBT001
    words = fingerprint_sets.sharing(3000, bits=128, spread=spread)

    free = np.bitwise_or.reduce(words ^ words[0], axis=0)

    assert bits_of(free[np.newaxis]) == [16]
    assert len(set(map(tuple, words.tolist()))) == len(words) > 2900


def test_fingerprints_of_raw_code_crowd_together():
    assert fingerprint_sets.skew_of(fingerprint_sets.code(None, 1000)) > 500


def test_uniform_fingerprints_have_no_skew():
    assert 0.9 < fingerprint_sets.skew_of(fingerprint_sets.uniform(20_000, 64)) < 1.1


def test_brute_force_fills_components_and_counts_pairs():
    words = words_of(0b0, 0xFF00, 0b111, 0b1, 0xFF01)  # 0-3, 3-2, 0-2 at distance 3; 1-4

    labels, n_pairs = brute_force.components(words, 3)

    assert (labels.tolist(), n_pairs) == ([0, 1, 0, 0, 1], 4)


def test_brute_force_counts_bits_of_both_words():
    words = np.array([[0, 0], [1, 1], [1, 2**63]], dtype=np.uint64)

    assert brute_force.components(words, 1)[0].tolist() == [0, 1, 2]
    assert brute_force.components(words, 2)[0].tolist() == [0, 0, 0]


def test_popcounts_need_no_instruction(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(brute_force, "INSTRUCTION", None)

    assert brute_force.popcounts(words_of(2**64 - 1, 6, 0)[:, 0]).tolist() == [64, 2, 0]


def test_labels_follow_long_chains():
    left, right = np.array([4, 3, 2, 1]), np.array([3, 2, 1, 5])

    assert brute_force.labels_of(7, left, right).tolist() == [0, 1, 1, 1, 1, 1, 6]


NODES = words_of(0, 1, 3, 2**63, 0xFF00)
PAIRS = {"left": words_of(0, 1, 0, 0), "right": words_of(1, 3, 3, 2**63)}
FOUND = [1, 1, 2, 1]


def faults_of(left: np.ndarray, right: np.ndarray, distances: list[int]) -> list[str]:
    ends = np.array(distances, dtype=np.int64)
    return brute_force.compare(NODES, left, right, ends, max_distance=2)[0]


def test_a_right_list_of_pairs_has_no_faults():
    # 2**63 lies within 2 of 0 and of 1: a spanning set may leave that pair out
    assert brute_force.compare(NODES, **PAIRS, distances=np.array(FOUND), max_distance=2) == ([], 1)


@pytest.mark.parametrize(
    ("left", "right", "distances", "fault"),
    [
        ([0, 1, 0, 5], [1, 3, 3, 2**63], FOUND, "unknown fingerprints"),
        ([0, 1, 0, 0], [1, 3, 3, 2**63], [1, 1, 1, 1], "wrong distances"),
        ([0, 1, 0, 0, 3], [1, 3, 3, 2**63, 2**63], [*FOUND, 3], "pairs too far apart"),
        ([0, 1, 0, 2**63], [1, 3, 3, 0], FOUND, "left not smaller than right"),
        ([0, 1, 0, 0, 0], [1, 3, 3, 2**63, 1], [*FOUND, 1], "pairs listed twice"),
        ([0, 1, 0], [1, 3, 3], FOUND[:3], "wrong components"),
    ],
)
def test_a_wrong_list_of_pairs_is_told(left: list, right: list, distances: list, fault: str):
    assert fault in faults_of(words_of(*left), words_of(*right), distances)


def test_different_pairs_stop_the_report():
    with pytest.raises(SystemExit, match="different pairs"):
        bench_join.report({"ours": (3, 7), "sql": (3, 8)}, {})


def test_a_larger_set_gets_as_many_more_partitions():
    cases = [bench_growth.Case(10**8, bits, 3).partitions for bits in (64, 128)]

    assert cases == [125, 250]


def test_the_sum_over_pairs_knows_neither_order_nor_sides(spark):
    pairs = [(1, 2, 1), (4, 7, 2), (-1, 5, 3)]
    turned = [(right, left, distance) for left, right, distance in reversed(pairs)]
    crossed = [(1, 7, 1), (4, 2, 2), (-1, 5, 3)]
    schema = schemas.edges(64)

    sums = [
        joins.checksum(spark.createDataFrame(rows, schema), 64) for rows in (pairs, turned, crossed)
    ]

    assert sums[0] == sums[1] != sums[2]
    assert sums[0][0] == sums[2][0] == 3


@pytest.mark.parametrize("variant", list(bench_join.VARIANTS))
def test_every_variant_finds_what_was_planted(spark, tmp_path: Path, variant: str):
    if variant == "draft" and not hasattr(np, "bitwise_count"):
        pytest.skip("the draft needs NumPy 2")
    planted = fingerprint_sets.write_uniform(tmp_path / "nodes", 3000, bits=64, max_distance=3)
    nodes = spark.read.parquet(str(tmp_path / "nodes"))

    pairs = bench_join.VARIANTS[variant](nodes, 2)

    found = {frozenset(row) for row in pairs.select("fingerprint_l", "fingerprint_r").collect()}
    column = pq.read_table(tmp_path / "nodes")["fingerprint"].to_pylist()
    assert found == {frozenset(pair) for pair in zip(column[3000:], column, strict=False)}
    assert pairs.count() == planted


def test_bytes_of_earlier_runs_and_of_active_stages_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def stage(n_bytes: int, status: str = "COMPLETE") -> dict:
        return {"status": status, "shuffleWriteBytes": n_bytes, "diskBytesSpilled": 2 * n_bytes}

    earlier = {(0, 0): stage(1000)}
    active = {**earlier, (1, 0): stage(3, "ACTIVE")}
    settled = {**earlier, (1, 0): stage(5), (2, 0): stage(6)}
    answers = iter([earlier, active, settled])
    monkeypatch.setattr(joins, "_stages", lambda _spark: next(answers))

    result, cost = joins.measure(mock.MagicMock(), tmp_path, lambda: "result")

    assert (result, cost.shuffled_bytes, cost.spilled_bytes) == ("result", 11, 22)


def test_memory_and_disk_are_those_of_the_run(tmp_path: Path):
    (tmp_path / "earlier").write_bytes(bytes(5000))

    with joins.Peaks(tmp_path) as peaks:
        (tmp_path / "spilled").write_bytes(bytes(3000))

    assert peaks.disk_bytes == 3000
    assert peaks.memory_kib > 10_000  # this process alone


def test_growth_is_measured_from_start_to_end():
    command = [sys.executable, str(HERE / "bench_growth.py"), "--memory", "1g"]
    command += ["--from", "2e4", "--to", "2e4", "--also", "128:3"]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    shuffled = next(line for line in ran.stdout.splitlines() if line.startswith("at 2e+04"))
    assert 8 < float(shuffled.split()[2]) < 1000  # a fingerprint has 8 bytes
    assert "128:3 at 2e+04" in ran.stdout


def test_crowded_sets_are_searched_and_checked_from_start_to_end(tmp_path: Path):
    command = [sys.executable, str(HERE / "bench_skew.py"), "--memory", "1g", "--rounds", "1"]
    command += ["--draws", "500", "--files", "200", "--oracle", "300", "--native", str(tmp_path)]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("components are right") == 4
    assert "poems: left out" in ran.stdout
    assert "simhash-pybind: not compared" in ran.stdout
