from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import simhash_spark
from simhash_spark.config import DedupConfig
from simhash_spark.profiles import PROFILES, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.runs.counts import Counts
from simhash_spark.runs.progress import Stage
from simhash_spark.runs.sources import Source
from simhash_spark.runs.summary import Record, summarize


def summary_of(source: Source, config: DedupConfig) -> dict[str, Any]:
    counts = Counts(10, {"empty": 1}, duplicates=2, clusters=1, largest_cluster=3, pairs=2)
    stages = [Stage("fingerprints", 10, 1.23456)]
    started = datetime(2026, 1, 2, tzinfo=UTC)
    record = Record("run", started, source, config, stages, counts, [])
    text = summarize(record, SimpleNamespace(version="9.9"))  # type: ignore[arg-type]
    summary: dict[str, Any] = json.loads(text)
    return summary


def test_letters_of_any_script_stay_readable():
    record = Record("run", datetime(2026, 1, 2, tzinfo=UTC), Source(("数据.csv",)), DedupConfig(),
                    [], Counts(1, {}, 0, 0, 0, 0), [])  # fmt: skip

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


def test_versions_are_those_of_the_packages_that_the_profile_needs():
    pytest.importorskip("snowballstemmer")
    plain = set(summary_of(Source(("x",)), DedupConfig())["versions"])

    versions = summary_of(Source(("x",)), DedupConfig(profile="en-words"))["versions"]

    assert set(versions) - plain == {"snowballstemmer"}
    assert versions["snowballstemmer"] == metadata.version("snowballstemmer")
