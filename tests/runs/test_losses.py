"""Input that Spark's readers drop without a word: each case was found by running the job on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simhash_spark.errors import InputError
from simhash_spark.runs.sources import Source, read_documents, resolve_format

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession, path: Path, **settings: object) -> DataFrame:
    source = Source((str(path),), **settings)  # type: ignore[arg-type]
    return read_documents(spark, resolve_format(spark, source))


@pytest.mark.parametrize(
    ("content", "record"),
    [
        ('{"id":1,"text":"abc"}{"id":2,"text":"abd"}\n', '{"id":1,"text":"abc"}{'),
        ('{"id":1,"text":"a"}\n{"id":3,"text":"q"} garbage\n', '{"id":3,"text":"q"} g'),
        ('{"id":1,"text":"a"},{"id":2,"text":"b"}\n', '{"id":1,"text":"a"},'),
    ],
)
def test_json_after_the_first_value_of_a_line_stops_the_run(
    spark: SparkSession, tmp_path: Path, content: str, record: str
):
    """What `cat a.jsonl b.jsonl` makes where a has no final newline; Spark reads one of two."""
    (tmp_path / "x.jsonl").write_text(content, "utf-8")

    with pytest.raises(InputError, match=r"x\.jsonl holds more than one JSON value") as caught:
        read(spark, tmp_path / "x.jsonl")

    assert record in str(caught.value)


def test_json_with_braces_in_its_values_is_one_value(spark: SparkSession, tmp_path: Path):
    lines = [
        '{"id":1,"text":"if (a) {b} else {c}","n":{"x":[{"y":1},{"y":2}]}}  ',
        "",
        ' {"id":2} ',
    ]
    (tmp_path / "x.jsonl").write_text("\ufeff" + "\r\n".join(lines), "utf-8")

    assert read(spark, tmp_path / "x.jsonl").count() == 2


def test_json_over_several_lines_is_looked_at_as_a_whole(spark: SparkSession, tmp_path: Path):
    options = {"multiLine": "true"}
    (tmp_path / "x.json").write_text('[{"id":1},\n{"id":2}]\n', "utf-8")
    (tmp_path / "y.json").write_text('{"id":1}\n{"id":2}\n', "utf-8")

    assert read(spark, tmp_path / "x.json", options=options).count() == 2
    with pytest.raises(InputError, match=r"y\.json holds more than one JSON value"):
        read(spark, tmp_path / "y.json", options=options)


def test_a_quote_that_is_not_closed_stops_the_run(spark: SparkSession, tmp_path: Path):
    """Spark reads the rest of the file as one field, in FAILFAST mode too."""
    (tmp_path / "x.csv").write_text('id,text\n1,"ok"\n2,"open\n3,foo\n4,bar\n', "utf-8")

    with pytest.raises(InputError, match=r"x\.csv has an odd number of quotes \(3\)"):
        read(spark, tmp_path / "x.csv")


def test_a_quote_that_is_meant_can_be_said_to_be(spark: SparkSession, tmp_path: Path):
    (tmp_path / "x.csv").write_text('id,text\n1,5" pipe\n2,b\n', "utf-8")

    documents = read(spark, tmp_path / "x.csv", options={"escape": '"'})

    assert sorted(row.text for row in documents.collect()) == ['5" pipe', "b"]


def test_whole_files_of_no_bytes_are_empty_documents(spark: SparkSession, tmp_path: Path):
    (tmp_path / "a b+c%.txt").write_text("", "utf-8")
    (tmp_path / "b.txt").write_text("text", "utf-8")

    rows = read(spark, tmp_path, whole_files=True).collect()

    assert sorted((row.path.rpartition("/")[2], row.text) for row in rows) == [
        ("a b+c%.txt", ""),
        ("b.txt", "text"),
    ]


@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_columns_that_only_some_files_have_are_kept(spark: SparkSession, tmp_path: Path, form: str):
    """Spark takes the columns of one file; the texts of the others were gone."""
    for name, column in (("a", "text"), ("b", "body")):
        frame = spark.createDataFrame([(name, "x")], f"id string, {column} string")
        frame.coalesce(1).write.format(form).save(f"{tmp_path}/{name}")
    source = Source((f"{tmp_path}/a", f"{tmp_path}/b"), form)

    documents = read_documents(spark, resolve_format(spark, source))

    assert sorted(documents.columns) == ["body", "id", "text"]


def test_metadata_files_of_parquet_do_not_hide_the_format(spark: SparkSession, tmp_path: Path):
    spark.range(1).coalesce(1).write.parquet(f"{tmp_path}/in")
    (part,) = (tmp_path / "in").glob("*.parquet")
    (tmp_path / "in" / "_common_metadata").write_bytes(part.read_bytes())

    source = resolve_format(spark, Source((f"{tmp_path}/in",)))

    assert source.format == "parquet"
