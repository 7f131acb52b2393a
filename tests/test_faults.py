"""Tasks that Spark runs twice: after a death, and as a copy of one that takes long."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.subprocesses import ROOT, run_python


def has_cluster() -> bool:
    """Tell whether a cluster of two hosts can be started: Spark and two loopback addresses."""
    spec = importlib.util.find_spec("pyspark")
    home = Path(spec.origin).parent if spec and spec.origin else Path()
    return sys.platform == "linux" and (home / "bin" / "spark-class").exists()


pytestmark = pytest.mark.skipif(
    not has_cluster(),
    reason="no cluster of two hosts here: it needs Linux, where all of 127.0.0.0/8 is this "
    "machine, and a PySpark that brings Spark along",
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("faults")
    program = ROOT / "tests" / "faults_session.py"
    answer = run_python(program, folder, cwd=folder, python_path=ROOT)
    return json.loads(answer.splitlines()[-1])


def test_a_killed_packing_task_was_started_again(answers: dict[str, Any]):
    markers = set(answers["markers"])

    assert {"pack-1-0-killed", "pack-1-1-ended"} <= markers
    assert "pack-1-0-ended" not in markers


def test_a_killed_searching_task_was_started_again(answers: dict[str, Any]):
    markers = set(answers["markers"])

    assert {"find-2-0-killed", "find-2-1-ended"} <= markers
    assert "find-2-0-ended" not in markers


def test_a_copy_of_a_slow_task_was_faster(answers: dict[str, Any]):
    markers = set(answers["markers"])

    assert {"find-0-0-slow", "find-0-1-ended"} <= markers
    assert "find-0-0-ended" not in markers


def test_tasks_run_twice_give_the_same_pairs_each_once(answers: dict[str, Any]):
    """The tasks that died or hung had yielded pairs before: none may come out twice, or miss."""
    assert answers["n_planted"] > 19_000
    assert answers["n_pairs"] == [answers["n_planted"]] * 2
    assert answers["is_planted"] == [True, True]


def test_tasks_run_twice_are_counted_once(answers: dict[str, Any]):
    assert answers["n_read"] == [answers["n_to_read"]] * 2
