from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.stages.fingerprints import simhash_of
from tests.subprocesses import ARTICLES, ROOT, needs_connect, run_python

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_connect


def planted() -> set[frozenset[str]]:
    lines = (ROOT / "tests" / "data" / "articles_pairs.jsonl").read_text("utf-8").splitlines()
    return {frozenset((pair["id1"], pair["id2"])) for pair in map(json.loads, lines)}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:  # Any: parsed JSON
    program = ROOT / "tests" / "connect_session.py"
    folder = tmp_path_factory.mktemp("connect")
    answer = run_python(program, ARTICLES, cwd=folder, python_path=ROOT)
    return json.loads(answer.splitlines()[-1])


def test_near_duplicates_are_the_planted_pairs(answers: dict[str, Any]):
    assert answers["is_connect"]
    assert {frozenset(pair) for pair in answers["pairs"]} == planted()
    assert len(answers["pairs"]) == 20


def test_word_0_of_128_bits_is_what_sql_says(answers: dict[str, Any]):
    assert answers["columns"] == [
        "id",
        "fingerprint",
        "fingerprint_high",
        "n_features",
        "n_characters",
    ]
    assert answers["by_sql"] == answers["fingerprints"]


def test_fingerprints_are_those_of_a_process_without_spark(answers: dict[str, Any]):
    with gzip.open(ARTICLES, "rt", encoding="utf-8") as file:
        documents = sorted(map(json.loads, file), key=lambda document: document["id"])[:5]
    texts = pa.array([document["text"] for document in documents])
    assert answers["fingerprints"] == simhash_of(texts, DedupConfig().settings).to_pylist()


def test_what_is_learned_is_kept_and_used(answers: dict[str, Any]):
    assert answers["n_documents"] == 2500
    assert len(set(answers["statistics"])) == 1
    assert [value % 2**64 for value in answers["by_learned"]] == answers["at_prompt"]


def test_the_distance_of_two_fingerprints_is_a_sql_function(answers: dict[str, Any]):
    assert answers["distances"] == [2, None]


def test_the_job_runs_over_connect(tmp_path: Path):
    output = tmp_path / "out"

    run_python(
        ROOT / "jobs" / "dedup.py",
        *("--input", ARTICLES, "--output", output),
        cwd=tmp_path,
        python_path=ROOT,
        SPARK_REMOTE="local[2]",
    )

    duplicates = pq.read_table(output / "duplicates").to_pylist()
    assert {frozenset((row["id"], row["survivor_id"])) for row in duplicates} == planted()
    assert len(duplicates) == 20
    assert pq.read_table(output / "survivors").num_rows == 2480
    assert json.loads((output / "summary.json").read_text("utf-8"))["counts"]["duplicates"] == 20
