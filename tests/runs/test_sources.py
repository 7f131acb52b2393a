from __future__ import annotations

import bz2
import gzip
import json
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from simhash_spark.errors import ConfigError, InputError
from simhash_spark.runs.failures import explain
from simhash_spark.runs.malformed import input_failures_located
from simhash_spark.runs.sources import CORRUPT_RECORD, Source, read_documents, resolve_format

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

RECORDS = [{"id": "a", "text": "one"}, {"id": "b", "text": "two\nlines"}]
JSONL = "".join(f"{json.dumps(record)}\n" for record in RECORDS)


def read(spark: SparkSession, *paths: Path | str, **settings: object) -> DataFrame:
    source = Source(tuple(str(path) for path in paths), **settings)  # type: ignore[arg-type]
    return read_documents(spark, resolve_format(spark, source))


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def texts(documents: DataFrame) -> list[str | None]:
    return sorted((row["text"] for row in documents.collect()), key=str)


def read_to_the_end(spark: SparkSession, source: Source) -> None:
    with input_failures_located(spark, source):
        read_documents(spark, source).write.format("noop").mode("append").save()


def failure(spark: SparkSession, source: Source) -> str:
    """Read everything, which must fail; return the line that the user sees."""
    with pytest.raises(Exception, match=r".") as caught:  # Spark has many classes
        read_to_the_end(spark, resolve_format(spark, source))
    found = explain(caught.value)
    assert found.exit_code == 2
    assert "\n" not in found.message
    return found.message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", JSONL),
        ("x.ndjson", JSONL),
        ("x.json", JSONL),
        ("X.JSONL", JSONL),
        ("x.jsonl.gz", gzip.compress(JSONL.encode())),
        ("x.json.bz2", bz2.compress(JSONL.encode())),
        ("x.csv", 'id,text\r\na,one\r\nb,"two\nlines"\r\n'),
        ("x.csv.gz", gzip.compress(b'id,text\na,one\nb,"two\nlines"\n')),
        ("x.tsv", 'id\ttext\na\tone\nb\t"two\nlines"\n'),
    ],
)
def test_format_follows_from_the_suffix(
    spark: SparkSession, tmp_path: Path, name: str, content: str | bytes
):
    documents = read(spark, put(tmp_path / name, content))

    assert [row.asDict() for row in documents.orderBy("id").collect()] == RECORDS


@pytest.mark.parametrize("name", ["parquet", "orc"])
def test_columnar_formats_keep_their_types(spark: SparkSession, tmp_path: Path, name: str):
    frame = spark.sql("SELECT 1 AS id, 'one' AS text, array(2.5D) AS more")
    frame.write.format(name).save(f"{tmp_path}/in")

    documents = read(spark, tmp_path / "in")

    assert documents.dtypes == frame.dtypes
    assert documents.collect() == frame.collect()


def test_csv_fields_are_strings_with_quotes_commas_and_newlines(
    spark: SparkSession, tmp_path: Path
):
    content = 'id,text,n\n007,"he said ""no"", twice",1.50\n008,"a\r\nb\\",\n009,"中文，\u2028",x\n'

    documents = read(spark, put(tmp_path / "x.csv", content))

    rows = [tuple(row) for row in documents.orderBy("id").collect()]
    assert rows == [
        ("007", 'he said "no", twice', "1.50"),
        ("008", "a\r\nb\\", None),
        ("009", "中文，\u2028", "x"),
    ]


def test_csv_byte_order_mark_is_no_part_of_the_first_name(spark: SparkSession, tmp_path: Path):
    documents = read(spark, put(tmp_path / "x.csv", "\ufeffid,text\na,one\n"))

    assert documents.columns == ["id", "text"]


def test_text_is_split_at_newlines_only(spark: SparkSession, tmp_path: Path):
    documents = read(spark, put(tmp_path / "x.txt", "a\rb\nc\u2028d\n\ne\x0cf\x85g"))

    assert documents.columns == ["text"]
    assert texts(documents) == ["", "a\rb", "c\u2028d", "e\x0cf\x85g"]


def test_whole_files_are_documents_named_by_their_path(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "a/x y+%41.txt", "one\rtwo\n")
    put(tmp_path / "a/deep/er/z.py", "three")

    documents = read(spark, tmp_path / "a", whole_files=True)

    rows = {row["path"]: row["text"] for row in documents.collect()}
    assert documents.columns == ["path", "text"]
    assert rows == {
        f"file:{tmp_path}/a/x y+%41.txt": "one\rtwo\n",
        f"file:{tmp_path}/a/deep/er/z.py": "three",
    }


def test_files_folders_and_globs_can_be_mixed(spark: SparkSession, tmp_path: Path):
    for name in ("a/1.txt", "b/2.txt", "c3.txt", "c4.txt", "d5.txt"):
        put(tmp_path / name, name)

    documents = read(spark, tmp_path / "a", tmp_path / "b/2.txt", tmp_path / "c*.txt")

    assert texts(documents) == ["a/1.txt", "b/2.txt", "c3.txt", "c4.txt"]


def test_partition_columns_are_kept(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/lang=zh/x.jsonl", JSONL)
    put(tmp_path / "in/lang=en/x.jsonl", JSONL)

    documents = read(spark, tmp_path / "in")

    assert documents.columns == ["id", "text", "lang"]
    assert {row["lang"] for row in documents.collect()} == {"zh", "en"}


def test_options_of_the_user_win(spark: SparkSession, tmp_path: Path):
    path = put(tmp_path / "x.csv", "a;one\n")

    documents = read(spark, path, options={"SEP": ";", "HEADER": "false"})

    assert [tuple(row) for row in documents.collect()] == [("a", "one")]


def test_a_table_is_read_by_name(spark: SparkSession):
    spark.sql("SELECT 'a' AS id, 'one' AS text").createOrReplaceTempView("docs")

    assert texts(read(spark, "docs", format="table")) == ["one"]


def test_missing_path_is_named(spark: SparkSession, tmp_path: Path):
    message = failure(spark, Source((f"{tmp_path}/none.jsonl",)))

    assert message == f"The input file:{tmp_path}/none.jsonl does not exist: check --input."


def test_missing_table_is_named(spark: SparkSession):
    message = failure(spark, Source(("nosuch",), format="table"))

    assert message == "There is no table `nosuch`: check --input."


def test_empty_folder_is_an_input_error(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/_SUCCESS", "")

    with pytest.raises(InputError, match=f"There is no file in {tmp_path}/in: nothing to read"):
        read(spark, tmp_path / "in")


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_empty_file_holds_no_rows(spark: SparkSession, tmp_path: Path, name: str):
    with pytest.raises(InputError, match=r"x\.(jsonl|csv) holds no rows"):
        read(spark, put(tmp_path / name, ""))


@pytest.mark.parametrize(
    ("names", "found"),
    [(["a.csv", "b.jsonl"], r"\.csv, \.jsonl"), (["a.pdf"], r"\.pdf"), (["README"], "none")],
)
def test_unclear_format_must_be_named(
    spark: SparkSession, tmp_path: Path, names: list[str], found: str
):
    for name in names:
        put(tmp_path / "in" / name, "x")

    with pytest.raises(
        InputError, match=rf"not clear from the file suffixes \({found}\).*--format"
    ):
        read(spark, tmp_path / "in")


def test_unknown_source_says_what_to_add(spark: SparkSession, tmp_path: Path):
    message = failure(spark, Source((str(tmp_path),), format="delta"))

    assert message.startswith("Spark has no source 'delta': check --format, or add its package")


def test_avro_without_its_package_says_what_to_add(spark: SparkSession, tmp_path: Path):
    message = failure(spark, Source((str(put(tmp_path / "x.avro", "x")),)))

    assert "Spark has no source 'avro' here: add org.apache.spark:spark-avro" in message


def test_unknown_file_system_says_what_to_add(spark: SparkSession):
    message = failure(spark, Source(("nosuch://bucket/x.jsonl",)))

    assert message.startswith("Spark cannot reach paths of nosuch: add the package")


def test_delta_table_is_not_read_as_a_plain_folder(spark: SparkSession, tmp_path: Path):
    spark.range(3).write.parquet(f"{tmp_path}/in")
    put(tmp_path / "in/_delta_log/0.json", "{}")

    with pytest.raises(InputError, match="is a delta table: read it with --format delta"):
        read(spark, tmp_path / "in")


def test_files_in_sub_folders_are_not_skipped_silently(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/a.txt", "a")
    put(tmp_path / "in/deep/b.txt", "b")

    with pytest.raises(InputError, match=r"skip 1 file\(s\) in sub-folders.*deep/b.txt"):
        read(spark, tmp_path / "in")
    assert texts(read(spark, tmp_path / "in", options={"recursiveFileLookup": "true"})) == [
        "a",
        "b",
    ]


BROKEN = '{"id": "a", "text": "one"}\n{"id": "b", "te\n{"id": "c", "text": "three"}\n'


def test_malformed_json_names_the_file_and_the_record(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/good.jsonl", JSONL)
    put(tmp_path / "in/bad.jsonl", BROKEN)

    message = failure(spark, Source((f"{tmp_path}/in",)))

    assert f'{tmp_path}/in/bad.jsonl holds a malformed record: \'{{"id": "b", "te\'.' in message
    assert "--option mode=PERMISSIVE" in message
    assert "--option multiLine=true" in message


def test_malformed_csv_names_the_file_and_the_record(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/good.csv", "id,text\na,one\n")
    put(tmp_path / "in/bad.csv", "id,text\nb\nc,three\n")

    message = failure(spark, Source((f"{tmp_path}/in",)))

    assert f"{tmp_path}/in/bad.csv holds a malformed record: 'b'." in message
    assert "multiLine" not in message


@pytest.mark.parametrize(
    ("name", "content"), [("x.jsonl", BROKEN), ("x.csv", "id,text\na,one\nb\nc,three\n")]
)
def test_permissive_reading_keeps_every_record(
    spark: SparkSession, tmp_path: Path, name: str, content: str
):
    documents = read(spark, put(tmp_path / name, content), options={"mode": "permissive"})

    rows = documents.select("text", F.col(CORRUPT_RECORD).isNotNull()).collect()
    assert len(rows) == 3
    assert [row[0] for row in rows if row[1]] == [None]


def test_csv_headers_that_differ_are_not_read_by_position(spark: SparkSession, tmp_path: Path):
    put(tmp_path / "in/1.csv", "id,text\na,one\n")
    put(tmp_path / "in/2.csv", "text,id\ntwo,b\n")

    message = failure(spark, Source((f"{tmp_path}/in",)))

    assert message.startswith("The header of a CSV file differs from that of the first one")


def test_corrupt_parquet_is_named(spark: SparkSession, tmp_path: Path):
    path = put(tmp_path / "x.parquet", "no Parquet at all, but long enough to be tried")

    message = failure(spark, Source((str(path),)))

    assert f"The input file:{path} is not a readable Parquet or ORC file" in message


def test_damaged_parquet_is_named(spark: SparkSession, tmp_path: Path):
    spark.range(20_000).select(
        "id", F.sha2(F.col("id").cast("string"), 256).alias("text")
    ).coalesce(1).write.parquet(f"{tmp_path}/in")
    path = next(tmp_path.glob("in/*.parquet"))
    path.with_name(f".{path.name}.crc").unlink()
    content = bytearray(path.read_bytes())
    content[2_000:60_000] = bytes(58_000)
    path.write_bytes(content)

    message = failure(spark, Source((f"{tmp_path}/in",)))

    assert path.name in message
    assert message.endswith("repair or remove it.")


@pytest.mark.parametrize("damage", ["cut short", "no gzip"])
def test_damaged_gzip_is_named(spark: SparkSession, tmp_path: Path, damage: str):
    whole = gzip.compress(JSONL.encode() * 1_000)
    content = whole[: len(whole) // 2] if damage == "cut short" else b"hello"
    path = put(tmp_path / "x.jsonl.gz", content)

    message = failure(spark, Source((str(path),)))

    assert str(path) in message
    assert message.endswith("repair or remove it.")


def test_a_mode_that_spark_does_not_know_is_refused():
    """Spark warns in its log and reads leniently."""
    with pytest.raises(ConfigError, match="mode must be FAILFAST or PERMISSIVE, got 'FAIL_FAST'"):
        Source(("x.csv",), options={"mode": "FAIL_FAST"})
