from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from simhash_spark.errors import InvariantError, OutputError
from simhash_spark.runs.filesystem import HadoopFileSystem, PosixFileSystem
from simhash_spark.runs.folder import OutputFolder
from simhash_spark.runs.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SUMMARY = json.dumps({"versions": {"simhash_spark": "0"}})


def output_folder(
    spark: SparkSession, path: Path | str, *inputs: Path | str, overwrite: bool = False
) -> OutputFolder:
    progress = Progress(io.StringIO())
    names = [str(name) for name in inputs]
    return OutputFolder(spark, str(path), inputs=names, overwrite=overwrite, progress=progress)


def publish(spark: SparkSession, path: Path, *, rows: int = 3, overwrite: bool = False) -> None:
    with output_folder(spark, path, overwrite=overwrite) as output:
        output.store("survivors", spark.range(rows))
        output.store("edges", spark.range(1))
        output.publish(SUMMARY)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def n_rows(spark: SparkSession, path: Path) -> int:
    return spark.read.parquet(f"{path}/survivors").count()


def test_output_appears_complete_and_alone(spark: SparkSession, tmp_path: Path):
    publish(spark, tmp_path / "new" / "out")

    assert names(tmp_path / "new") == ["out"]
    assert names(tmp_path / "new/out") == ["summary.json", "survivors"]  # no work, no .crc
    assert (tmp_path / "new/out/summary.json").read_text("utf-8") == SUMMARY
    assert n_rows(spark, tmp_path / "new/out") == 3


def test_stages_are_counted_and_reported(spark: SparkSession, tmp_path: Path):
    with output_folder(spark, tmp_path / "out") as output:
        stored = output.store("survivors", spark.range(1234))

        assert stored.count() == 1234
        assert output.n_rows == {"survivors": 1234}
        assert isinstance(output.progress.out, io.StringIO)
        assert output.progress.out.getvalue().startswith("survivors               1,234 rows ")


def test_odd_column_names_and_types_come_back_as_they_were(spark: SparkSession, tmp_path: Path):
    odd = ["a.b", "c d", "e`f", "中文", "x,y;z{}()=", "id_l", "ID"]
    frame = spark.range(1).select(*[F.col("id").cast("int").alias(name) for name in odd])

    with output_folder(spark, tmp_path / "out") as output:
        assert output.store("survivors", frame).columns == odd


def test_a_column_that_comes_back_with_another_type_is_an_error(
    spark: SparkSession, tmp_path: Path
):
    with output_folder(spark, tmp_path / "out") as output:
        output._spark = SimpleNamespace(read=spark.read.schema("id int"))  # type: ignore[assignment]

        with pytest.raises(
            InvariantError, match=r"pairs was written as .*bigint.* and read as .*int"
        ):
            output.store("pairs", spark.range(3))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_failure_leaves_nothing(spark: SparkSession, tmp_path: Path, error: type[BaseException]):
    def run() -> None:
        with output_folder(spark, tmp_path / "new" / "out") as output:
            output.store("survivors", spark.range(3))
            raise error

    with pytest.raises(error):
        run()

    assert names(tmp_path) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_what_tasks_write_after_the_end_is_swept_away(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
):
    monkeypatch.setattr("simhash_spark.runs.folder._LAST_WRITES_S", 0.0)
    output = output_folder(spark, tmp_path / "new" / "out")

    def run() -> None:
        with output:
            raise error

    with pytest.raises(error):
        run()
    (tmp_path / "new" / f"out.__incomplete-{output.run_id}" / "late").mkdir(parents=True)
    output.sweep()

    assert names(tmp_path) == []


def test_existing_output_is_refused(spark: SparkSession, tmp_path: Path):
    publish(spark, tmp_path / "out")

    with pytest.raises(OutputError, match=r"out exists and is not empty: .* --overwrite"):
        output_folder(spark, tmp_path / "out")
    assert n_rows(spark, tmp_path / "out") == 3


def test_existing_file_is_refused(spark: SparkSession, tmp_path: Path):
    (tmp_path / "out").write_text("mine")

    with pytest.raises(OutputError, match="exists and is not empty"):
        output_folder(spark, tmp_path / "out")


def test_empty_folder_is_taken(spark: SparkSession, tmp_path: Path):
    (tmp_path / "out").mkdir()

    publish(spark, tmp_path / "out")

    assert names(tmp_path) == ["out"]
    assert n_rows(spark, tmp_path / "out") == 3


def test_overwrite_replaces_an_earlier_output(spark: SparkSession, tmp_path: Path):
    publish(spark, tmp_path / "out", rows=3)

    publish(spark, tmp_path / "out", rows=5, overwrite=True)

    assert names(tmp_path) == ["out"]
    assert n_rows(spark, tmp_path / "out") == 5


def test_overwrite_deletes_no_other_folder(spark: SparkSession, tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("years of work")

    with pytest.raises(OutputError, match=r"no output of an earlier run, it holds thesis.txt"):
        output_folder(spark, tmp_path / "home", overwrite=True)
    assert names(tmp_path / "home") == ["thesis.txt"]


def test_failed_overwrite_keeps_the_earlier_output(spark: SparkSession, tmp_path: Path):
    publish(spark, tmp_path / "out", rows=3)

    def run() -> None:
        with output_folder(spark, tmp_path / "out", overwrite=True) as output:
            output.store("survivors", spark.range(5))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        run()

    assert names(tmp_path) == ["out"]
    assert n_rows(spark, tmp_path / "out") == 3


def test_earlier_output_is_put_back_when_publishing_fails(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    publish(spark, tmp_path / "out", rows=3)

    rename = HadoopFileSystem.rename

    def fail_at_the_second(files: HadoopFileSystem, old: str, new: str) -> None:
        if "__incomplete" in old:
            message = "disk"
            raise OSError(message)
        rename(files, old, new)

    monkeypatch.setattr(HadoopFileSystem, "rename", fail_at_the_second)
    with pytest.raises(OSError, match="disk"):
        publish(spark, tmp_path / "out", rows=5, overwrite=True)

    assert names(tmp_path) == ["out"]
    assert n_rows(spark, tmp_path / "out") == 3


def test_of_two_runs_to_one_output_one_fails_whole(spark: SparkSession, tmp_path: Path):
    with (
        output_folder(spark, tmp_path / "out") as slow,
        output_folder(spark, tmp_path / "out") as fast,
    ):
        slow.store("survivors", spark.range(7))
        fast.store("survivors", spark.range(3))
        fast.publish(SUMMARY)
        with pytest.raises(OutputError, match="exists and is not empty"):
            slow.publish(SUMMARY)

    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["summary.json", "survivors"]
    assert n_rows(spark, tmp_path / "out") == 3


def test_a_rename_into_the_folder_of_another_run_is_undone(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with output_folder(spark, tmp_path / "out") as slow:
        slow.store("survivors", spark.range(7))
        publish(spark, tmp_path / "out", rows=3)
        # The moment between the check and the rename: the check saw nothing yet.
        monkeypatch.setattr(slow, "_check_earlier_output", lambda: None)
        monkeypatch.setattr(slow._files, "exists", lambda path: slow._name in path)
        with pytest.raises(OutputError, match="Another run has just written"):
            slow.publish(SUMMARY)

    assert names(tmp_path / "out") == ["summary.json", "survivors"]
    assert n_rows(spark, tmp_path / "out") == 3


@pytest.mark.parametrize(
    ("source", "output", "relation"),
    [
        ("in", "in", "is the input"),
        ("in", "in/out", "lies inside the input"),
        ("in/*.jsonl", "in", "contains the input"),
        ("in/x.jsonl", "in", "contains the input"),
        ("in/*", "in/out", "is the input"),
        ("i[mn]", "in/out", "lies inside the input"),
        ("out.*", "out", "is the input"),  # the folder of the unfinished run
        ("link", "in/out", "lies inside the input"),
        ("in", "link/out", "lies inside the input"),
        ("in/../in/", "in", "is the input"),
    ],
)
def test_output_that_touches_the_input_is_refused(
    spark: SparkSession, tmp_path: Path, source: str, output: str, relation: str
):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.jsonl").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "in")

    with pytest.raises(OutputError, match=relation):
        output_folder(spark, tmp_path / output, tmp_path / source, overwrite=True)
    assert names(tmp_path / "in") == ["x.jsonl"]


def test_output_beside_the_input_is_fine(spark: SparkSession, tmp_path: Path):
    output = output_folder(spark, tmp_path / "in-out", tmp_path / "in", tmp_path / "in-*.jsonl")

    assert output.path.endswith("/in-out")


def test_output_with_a_glob_character_is_refused(spark: SparkSession, tmp_path: Path):
    with pytest.raises(OutputError, match="which Spark reads as a glob"):
        output_folder(spark, tmp_path / "out[1]")


@pytest.mark.parametrize("place", ["/proc/out", "/proc/new/out", "{tmp}/file/out"])
def test_output_that_cannot_be_written_is_refused(spark: SparkSession, tmp_path: Path, place: str):
    (tmp_path / "file").write_text("")
    output = output_folder(spark, place.format(tmp=tmp_path))

    with pytest.raises(OutputError, match=r"cannot be written: .*Choose another folder"), output:
        pytest.fail("entered")


def test_posix_files_do_the_same_without_a_jvm(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module = "simhash_spark.runs.folder.file_system_of"
    monkeypatch.setattr(module, lambda _spark: PosixFileSystem())

    publish(spark, tmp_path / "new" / "out", rows=3)
    publish(spark, tmp_path / "new" / "out", rows=5, overwrite=True)

    assert names(tmp_path / "new") == ["out"]
    assert n_rows(spark, tmp_path / "new/out") == 5
    with pytest.raises(OutputError, match=r"cannot be written: .*Choose another folder"):
        output_folder(spark, "/proc/new/out").__enter__()


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/data/x/", "file:/data/x"), ("file:///data/x", "file:/data/x"),
     ("dbfs:/Volumes/a/b", "file:/Volumes/a/b"), ("/a/../b:c", "file:/b:c")],
)  # fmt: skip
def test_posix_paths_get_one_form(path: str, expected: str):
    assert PosixFileSystem().qualify(path) == expected


@pytest.mark.parametrize("path", ["s3a://bucket/x", "hdfs:/x", "dbfs:/other"])
def test_posix_refuses_other_file_systems(path: str):
    with pytest.raises(OutputError, match="Write to a folder that this machine sees"):
        PosixFileSystem().qualify(path)


def test_nested_columns_without_nulls_come_back(spark: SparkSession, tmp_path: Path):
    """Files forget that the elements of an array are never null; the type is the same."""
    frame = spark.sql("SELECT split('a b', ' ') AS words, struct(array(1)) AS s")

    with output_folder(spark, tmp_path / "out") as output:
        assert output.store("survivors", frame).collect() == frame.collect()


def test_output_inside_an_earlier_output_is_refused(spark: SparkSession, tmp_path: Path):
    publish(spark, tmp_path / "out")

    with pytest.raises(OutputError, match="lies in the output of an earlier run"):
        output_folder(spark, tmp_path / "out" / "more")
