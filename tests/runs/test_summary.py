from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import simhash_spark
from simhash_spark.config import DedupConfig
from simhash_spark.core.plan.exact import Needs, plan_search
from simhash_spark.profiles import PROFILES, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.runs.counts import Counts
from simhash_spark.runs.progress import Stage
from simhash_spark.runs.sources import Source
from simhash_spark.runs.summary import Record, summarize

if TYPE_CHECKING:
    from simhash_spark.core.plan.plans import Plan

EFFORT = {
    "n_rows": 40, "n_sorted": 52, "n_compared": 9, "n_pairs": 2, "n_unlisted": 3,
    "n_not_compared": 4, "cpu_ms": 1500, "task_bytes": 160,
}  # fmt: skip


def plan_of(config: DedupConfig) -> Plan:
    """Plan for a million fingerprints of which nothing is known."""
    needs = Needs(config.bits, config.max_distance, 10**6, config.bucket_pairs)
    return plan_search(needs, np.empty((0, config.bits // 64), dtype=np.uint64), first_extra=1)


def summary_of(source: Source, config: DedupConfig) -> dict[str, Any]:
    counts = Counts(10, {"empty": 1}, duplicates=2, clusters=1, largest_cluster=3, pairs=2)
    stages = [Stage("fingerprints", 10, 1.23456)]
    started = datetime(2026, 1, 2, tzinfo=UTC)
    record = Record("run", started, source, config, plan_of(config), EFFORT, stages, counts, [])
    text = summarize(record, SimpleNamespace(version="9.9"))  # type: ignore[arg-type]
    summary: dict[str, Any] = json.loads(text)
    return summary


def test_letters_of_any_script_stay_readable():
    config, counts = DedupConfig(), Counts(1, {}, 0, 0, 0, 0)
    started, source = datetime(2026, 1, 2, tzinfo=UTC), Source(("数据.csv",))
    record = Record("run", started, source, config, plan_of(config), {}, [], counts, [])

    assert "数据.csv" in summarize(record, SimpleNamespace(version="9"))  # type: ignore[arg-type]


def test_secrets_among_the_options_are_hidden():
    options = {"fs.s3a.secret.key": "s3cret", "PASSWORD": "s3cret", "sep": ";"}

    summary = summary_of(Source(("x",), "csv", options), DedupConfig())

    assert summary["input"]["options"] == {
        "fs.s3a.secret.key": "(hidden)",
        "PASSWORD": "(hidden)",
        "sep": ";",
    }


def test_what_was_learned_is_told_in_numbers():
    profile = replace(PROFILES["auto"], weigh=Idf())
    definition = DedupConfig(profile=profile).settings.definition
    statistics = Statistics("auto", 64, definition, 9, bytes(80), bytes(80), source="kept")

    config = DedupConfig(profile=profile, statistics=statistics)
    summary = summary_of(Source(("x",), "csv"), config)

    assert summary["config"]["statistics"] == {
        "path": "kept", "digest": statistics.digest, "n_documents": 9, "n_features": 10,
        "is_cut": False, "n_sampled": 0,
    }  # fmt: skip
    assert summary["config"]["profile"]["weigh"] == {
        "step": "idf", "tf": "log", "top": 1_000_000,
    }  # fmt: skip
    assert summary["fingerprint_settings"] == config.settings.digest
    assert summary_of(Source(("x",), "csv"), DedupConfig())["config"]["statistics"] is None


def test_what_defines_the_fingerprints_is_told():
    config = DedupConfig(profile="zh-words", bits=128, max_distance=4)

    summary = summary_of(Source(("x",), "csv"), config)

    assert summary["fingerprint_settings"] == config.settings.digest
    assert summary["plan"]["band_bits"] == [26, 26, 26, 25, 25]
    assert summary["versions"]["jieba"] == "0.42.1"
    assert summary["versions"]["jieba/dict.txt"].startswith("sha256 ")
    assert summary["versions"]["simhash_spark"] == simhash_spark.__version__
    assert summary["versions"]["numpy"] == np.__version__
    assert summary["versions"]["spark"] == "9.9"
    assert summary["seconds_per_stage"] == {"fingerprints": 1.235}
    assert summary["counts"]["fingerprinted"] == 9


def test_what_was_predicted_stands_beside_what_the_search_took():
    plan = summary_of(Source(("x",), "csv"), DedupConfig())["plan"]

    assert plan["actual"] == {
        "shuffled_bytes": 320, "sorted_rows": 52, "compared_pairs": 9, "search_seconds": 1.5,
        "task_bytes": 160, "listed_pairs": 2, "unlisted_pairs": 3, "not_compared_pairs": 4,
    }  # fmt: skip
    measured = ["shuffled_bytes", "sorted_rows", "compared_pairs", "search_seconds", "task_bytes"]
    assert set(plan["predicted"]) == {*measured, "core_seconds", "worker_bytes"}
    assert plan["predicted"]["shuffled_bytes"] == 4 * 8 * 10**6
    assert [one["reason"] for one in plan["alternatives"]] == ["taken"]
    assert plan["bucket_pairs"] == 10_000


def test_versions_are_those_of_the_packages_that_the_profile_needs():
    pytest.importorskip("snowballstemmer")
    plain = set(summary_of(Source(("x",)), DedupConfig())["versions"])

    versions = summary_of(Source(("x",)), DedupConfig(profile="en-words"))["versions"]

    assert set(versions) - plain == {"snowballstemmer"}
    assert versions["snowballstemmer"] == metadata.version("snowballstemmer")
