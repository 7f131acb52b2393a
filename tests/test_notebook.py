from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest
from pyspark import cloudpickle

import simhash_spark
from simhash_spark.errors import ConfigError, OutputError
from tests.notebook_cells import NOTEBOOK, run_cells
from tests.subprocesses import ARTICLES, ROOT, needs_connect, run_python

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

STORY = "Twelve ships left the harbor at dawn, and by nightfall only eleven of them had returned. "
OTHER = "Nobody had told the gardener that the roses were to be moved before the end of spring. "
ROWS = [
    {"id": 1, "text": STORY * 3},
    {"id": 2, "text": STORY.upper() * 3},
    {"id": 3, "text": OTHER},
    {"id": 4, "text": None},
    {"id": 5, "text": "short"},
]


@pytest.fixture(autouse=True)
def _pickling_stays_as_it_was() -> Iterator[None]:
    yield
    if simhash_spark.__name__ in cloudpickle.list_registry_pickle_by_value():
        cloudpickle.unregister_pickle_by_value(simhash_spark)


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return str(path)


@pytest.fixture
def database(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    spark.sql(f"CREATE DATABASE notebook LOCATION '{tmp_path}/database'")
    yield "notebook"
    spark.sql("DROP DATABASE notebook CASCADE")


def contents(folder: Path) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): path.stat().st_mtime_ns for path in files}


def test_survivors_and_duplicates_are_written(spark: SparkSession, source: str, tmp_path: Path):
    output = tmp_path / "out"

    variables = run_cells(spark, input=source, output=str(output))

    survivors = spark.read.parquet(str(output / "survivors")).collect()
    duplicates = spark.read.parquet(str(output / "duplicates")).collect()
    assert {row.id: row.text for row in survivors} == {
        row["id"]: row["text"] for row in ROWS if row["id"] != 2
    }
    assert [(row.id, row.survivor_id, row.distance) for row in duplicates] == [(2, 1, 0)]
    assert variables["counts"] == {
        "documents": 5,
        "without fingerprint": 2,
        "near-duplicate pairs": 1,
        "clusters": 1,
        "duplicates": 1,
        "survivors": 4,
    }


def test_a_removed_document_is_shown_beside_the_one_kept(
    spark: SparkSession, source: str, tmp_path: Path
):
    variables = run_cells(spark, input=source, output=str(tmp_path / "out"))

    (shown,) = variables["displayed"]
    assert shown.asDict() == {
        "distance": 0,
        "id": 2,
        "removed_text": STORY.upper() * 3,
        "survivor_id": 1,
        "kept_text": STORY * 3,
    }


def test_an_output_that_exists_is_replaced_only_on_request(
    spark: SparkSession, source: str, tmp_path: Path
):
    output = tmp_path / "out"
    run_cells(spark, input=source, output=str(output))
    before = contents(output)

    with pytest.raises(OutputError, match="fingerprints exists: choose another output"):
        run_cells(spark, input=source, output=str(output))
    assert contents(output) == before

    variables = run_cells(spark, input=source, output=str(output), if_exists="replace")
    assert variables["counts"]["survivors"] == 4
    assert not set(contents(output)) & {name for name in before if "part-" in name}


@pytest.mark.parametrize("output", ["", "/", "/out/.."], ids=["same", "slash", "above"])
def test_an_output_that_holds_the_input_is_refused(
    spark: SparkSession, source: str, tmp_path: Path, output: str
):
    before = contents(tmp_path)

    with pytest.raises(OutputError, match="holds the input"):
        run_cells(spark, input=source, output=f"{tmp_path}{output}", if_exists="replace")
    assert contents(tmp_path) == before


def test_rows_can_be_identified_by_content(spark: SparkSession, source: str, tmp_path: Path):
    with open(source, "a", encoding="utf-8") as file:
        file.write(json.dumps(ROWS[2]) + "\n")

    variables = run_cells(spark, input=source, output=str(tmp_path / "out"), id_column="")

    assert variables["counts"]["documents"] == 6
    assert variables["counts"]["survivors"] == 4
    shown = [(row.removed_text.lower(), row.kept_text.lower()) for row in variables["displayed"]]
    assert sorted(shown) == [((text := OTHER.lower()), text), ((text := STORY.lower() * 3), text)]


def test_input_and_output_can_be_tables(spark: SparkSession, source: str, database: str):
    spark.read.json(source).write.saveAsTable(f"{database}.documents")

    run_cells(spark, input=f"{database}.documents", output=f"{database}.clean")

    assert spark.read.table(f"{database}.clean_survivors").count() == 4
    assert spark.read.table(f"{database}.clean_duplicates").count() == 1
    with pytest.raises(OutputError, match=r"notebook.clean_fingerprints exists"):
        run_cells(spark, input=f"{database}.documents", output=f"{database}.clean")
    with pytest.raises(OutputError, match="holds the input"):
        run_cells(spark, input=f"{database}.clean_survivors", output=f"{database}.clean")


def test_empty_widgets_are_an_error(spark: SparkSession, source: str):
    with pytest.raises(ConfigError, match="Fill in the widgets"):
        run_cells(spark, input=source)


def test_nothing_that_serverless_compute_refuses_is_used():
    tree = ast.walk(ast.parse(NOTEBOOK.read_text("utf-8")))
    names = {node.attr for node in tree if isinstance(node, ast.Attribute)}
    refused = {"persist", "cache", "sparkContext", "conf", "rdd", "_jvm", "checkpoint"}
    assert not names & (refused | {"localCheckpoint", "createGlobalTempView"})


@pytest.mark.parametrize("kind", ["classic", pytest.param("connect", marks=needs_connect)])
def test_executors_need_not_have_the_library(kind: str, tmp_path: Path):
    blocker = tmp_path / "blocker"
    blocker.mkdir()
    (blocker / "simhash_spark.py").write_text("raise ImportError('a worker imports the library')")

    printed = run_python(
        ROOT / "tests" / "notebook_cells.py",
        *(kind, ARTICLES, tmp_path / "out"),
        cwd=tmp_path,
        python_path=blocker,
    )

    result = json.loads(printed.splitlines()[-1])
    assert result["counts"] == {
        "documents": 2500,
        "without fingerprint": 0,
        "near-duplicate pairs": 20,
        "clusters": 20,
        "duplicates": 20,
        "survivors": 2480,
    }
    pairs = ROOT / "tests" / "data" / "articles_pairs.jsonl"
    planted = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
    found = {frozenset((row["id"], row["survivor_id"])) for row in result["displayed"]}
    assert found == {frozenset((pair["id1"], pair["id2"])) for pair in planted}
