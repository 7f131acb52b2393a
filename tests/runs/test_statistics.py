"""The folder of --statistics: learned into where it does not exist, read from where it does."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from simhash_spark.errors import ConfigError, InputError, MissingColumnError, OutputError
from simhash_spark.runs.arguments import parse_arguments
from simhash_spark.runs.progress import Progress
from simhash_spark.runs.sources import read_documents, resolve_format
from simhash_spark.runs.statistics import completed_config

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from simhash_spark.config import DedupConfig

PROFILE = 'tokenize = "words"\nweigh = "idf"\nmin_features = 1\n'
TEXTS = ["the fox", "the dog", "the fox and the dog"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with documents and two profiles."""
    (tmp_path / "in").mkdir()
    lines = [json.dumps({"id": n, "text": text}) for n, text in enumerate(TEXTS)]
    (tmp_path / "in" / "docs.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "rare.toml").write_text(PROFILE, "utf-8")
    (tmp_path / "even.toml").write_text(PROFILE + 'threshold = "median"\n', "utf-8")
    return tmp_path


def complete(
    spark: SparkSession, folder: Path, *flags: str, statistics: str = "kept", profile: str = "rare"
) -> tuple[DedupConfig, str]:
    """Completed configuration, and the last line that was said."""
    arguments = parse_arguments(
        ["--input", f"{folder}/in/docs.jsonl", "--output", f"{folder}/out",
         "--profile", f"{folder}/{profile}.toml", "--statistics", f"{folder}/{statistics}", *flags]
    )  # fmt: skip
    out = io.StringIO()
    documents = read_documents(spark, resolve_format(spark, arguments.source))
    with completed_config(spark, documents, arguments, Progress(out)) as config:
        return config, out.getvalue().splitlines()[-1]


def test_statistics_are_learned_once_and_read_from_then_on(spark: SparkSession, folder: Path):
    first, learned = complete(spark, folder)
    (folder / "in" / "docs.jsonl").write_text('{"id": 1, "text": "else"}', "utf-8")
    second, read = complete(spark, folder)

    told = "statistics: 3 features in 2 or more of 3 documents, "
    assert learned.startswith(f"{told}learned in ")
    assert learned.endswith(f" s, kept in file:{folder}/kept")
    assert read == f"{told}read from file:{folder}/kept"
    assert first.statistics == second.statistics
    assert first.settings.digest == second.settings.digest
    assert first.statistics.source == second.statistics.source == f"file:{folder}/kept"


def test_a_bound_on_the_features_is_told(spark: SparkSession, folder: Path):
    (folder / "few.toml").write_text(PROFILE.replace('"idf"', '{ step = "idf", top = 2 }'), "utf-8")

    _, learned = complete(spark, folder, profile="few")

    assert "2 features in 2 or more of 3 documents, rarer ones, above top, taken as" in learned


def test_thresholds_are_told(spark: SparkSession, folder: Path):
    _, learned = complete(spark, folder, profile="even")

    assert "of 3 documents, thresholds of 3 texts, learned in" in learned


def test_statistics_of_another_profile_are_refused_and_left_alone(
    spark: SparkSession, folder: Path
):
    complete(spark, folder)
    before = {path.name: path.read_bytes() for path in (folder / "kept").iterdir()}

    with pytest.raises(ConfigError, match=r"'rare' at 64 bits .*'even' at 64.*in another folder"):
        complete(spark, folder, profile="even")
    with pytest.raises(ConfigError, match=r"'rare' at 64 bits .*'rare' at 128"):
        complete(spark, folder, "--bits", "128")

    assert {path.name: path.read_bytes() for path in (folder / "kept").iterdir()} == before


def test_an_incomplete_folder_is_refused_and_left_alone(spark: SparkSession, folder: Path):
    (folder / "kept" / "_temporary" / "0").mkdir(parents=True)

    with pytest.raises(InputError, match="kept holds no complete statistics"):
        complete(spark, folder)

    assert [path.name for path in (folder / "kept").iterdir()] == ["_temporary"]


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ("out", "/out, is the output"),
        ("out/kept", "lies inside the output"),
        ("", "contains the input"),
        ("in/docs.jsonl/kept", "lies inside the input"),
        ("ke?t", "which Spark reads as a glob"),
    ],
)
def test_a_folder_in_the_way_is_refused(
    spark: SparkSession, folder: Path, statistics: str, message: str
):
    with pytest.raises(ConfigError, match=message):
        complete(spark, folder, statistics=statistics)


def test_a_folder_that_cannot_be_written_is_refused_in_one_line(spark: SparkSession, folder: Path):
    (folder / "file").write_text("in the way", "utf-8")

    with pytest.raises(OutputError, match=r"file/kept, cannot be written: .*Choose an") as caught:
        complete(spark, folder, statistics="file/kept")

    assert "\n" not in str(caught.value)


def test_a_wrong_column_is_refused_before_anything_is_learned(spark: SparkSession, folder: Path):
    with pytest.raises(MissingColumnError, match="no column 'quality'"):
        complete(spark, folder, "--keep", "quality desc")

    assert not (folder / "kept").exists()


def test_a_profile_that_learns_nothing_is_left_as_it_is(spark: SparkSession, folder: Path):
    arguments = parse_arguments(["--input", f"{folder}/in", "--output", f"{folder}/out"])
    documents = spark.createDataFrame([(1, "a")], "id long, text string")

    with completed_config(spark, documents, arguments, Progress(io.StringIO())) as config:
        assert config == arguments.config_for(["id", "text"])


def test_what_a_failed_run_has_learned_is_removed(spark: SparkSession, folder: Path):
    arguments = parse_arguments(
        ["--input", f"{folder}/in/docs.jsonl", "--output", f"{folder}/out",
         "--profile", f"{folder}/rare.toml", "--statistics", f"{folder}/kept"]
    )  # fmt: skip
    documents = read_documents(spark, resolve_format(spark, arguments.source))

    run = completed_config(spark, documents, arguments, Progress(io.StringIO()))
    run.__enter__()
    was_there = (folder / "kept").exists()
    run.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert was_there
    assert not (folder / "kept").exists()
