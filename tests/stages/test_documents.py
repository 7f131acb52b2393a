from __future__ import annotations

import datetime as dt
import decimal

import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from simhash_spark.config import DedupConfig
from simhash_spark.errors import MissingColumnError, SchemaError
from simhash_spark.stages._columns import content_hash, original_id
from simhash_spark.stages.documents import check_ids, identify_documents, number_copies

BY_CONTENT = DedupConfig(id_column=None)


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("string", "5f0c"),
        ("byte", 1),
        ("short", 1),
        ("int", -7),
        ("bigint", 2**63 - 1),
        ("decimal(38,0)", decimal.Decimal(10**37)),
        ("date", dt.date(2026, 11, 30)),
        ("timestamp", dt.datetime(2026, 11, 30, 1, 2, 3, 4)),
        ("timestamp_ntz", dt.datetime(2026, 11, 30, 1, 2, 3, 4)),
        ("binary", bytearray(b"\x00\xff")),
    ],
)
def test_an_id_of_any_exact_type_passes_through(spark, type_name, value):
    documents = spark.createDataFrame([(value, "t")], f"id {type_name}, text string")

    assertDataFrameEqual(identify_documents(documents, DedupConfig()), documents)


@pytest.mark.parametrize(
    ("type_name", "shown"),
    [
        ("struct<a:int>", "struct<a:int>"),
        ("array<int>", "array<int>"),
        ("map<string,int>", "map<string,int>"),
        ("double", "double"),
        ("boolean", "boolean"),
        ("void", "void"),
    ],
)
def test_an_id_without_exact_equality_is_refused(spark, type_name, shown):
    documents = spark.createDataFrame([(None, "t")], f"id {type_name}, text string")

    with pytest.raises(SchemaError, match=f"'id' is of type {shown}, which cannot identify"):
        identify_documents(documents, DedupConfig())


@pytest.mark.parametrize("type_name", ["int", "binary", "array<string>", "void"])
def test_a_text_that_is_not_a_string_is_refused(spark, type_name):
    documents = spark.createDataFrame([("a", None)], f"id string, text {type_name}")

    with pytest.raises(SchemaError, match=r"'text' is of type .*, not string\. Cast it"):
        identify_documents(documents, DedupConfig())


@pytest.mark.parametrize("missing", ["id_column", "text_column"])
def test_a_missing_column_is_named_with_those_that_exist(spark, missing):
    documents = spark.createDataFrame([("a", "t")], "id string, text string")
    config = DedupConfig(**{missing: "body"})

    with pytest.raises(MissingColumnError, match="no column 'body'; it has: id, text"):
        identify_documents(documents, config)


def test_a_column_is_found_in_another_case_and_with_any_characters(spark):
    documents = spark.createDataFrame([("a", "t")], "`U.R L` string, `正 文``` string")
    config = DedupConfig(id_column="u.r l", text_column="正 文`")

    actual = identify_documents(documents, config)

    assertDataFrameEqual(actual, spark.createDataFrame([("a", "t")], "id string, text string"))


def test_equal_rows_have_equal_content_and_others_do_not(spark):
    rows = [
        ("a", None, "2026-01-01 00:00:00.000001"),
        ("a", None, "2026-01-01 00:00:00.000001"),
        ("a", None, "2026-01-01 00:00:00.000002"),
        (None, "a", "2026-01-01 00:00:00.000001"),
        ('a","b":"x', None, "2026-01-01 00:00:00.000001"),
    ]
    documents = spark.createDataFrame(rows, "text string, b string, at string")
    documents = documents.withColumn("at", F.col("at").cast("timestamp"))

    ids = [row.id for row in identify_documents(documents, BY_CONTENT).collect()]

    assert len(set(ids)) == 4
    assert ids[0] == ids[1]
    assert all(len(name) == 64 for name in ids)


def test_the_content_hash_is_the_sha256_of_the_json_of_the_row(spark):
    import hashlib

    documents = spark.createDataFrame([("世", None)], "text string, n int")

    (row,) = documents.select(content_hash(documents.columns).alias("id")).collect()

    assert row.id == hashlib.sha256('{"text":"世","n":null}'.encode()).hexdigest()


def test_copies_are_numbered_and_the_number_can_be_taken_off(spark):
    rows = [("aa", 1), ("aa", 1), ("bb", 2), ("aa", 1)]
    numbered = number_copies(spark.createDataFrame(rows, "id string, fingerprint long"))

    expected = [("aa", 1), ("aa-2", 1), ("aa-3", 1), ("bb", 2)]
    assertDataFrameEqual(numbered, spark.createDataFrame(expected, numbered.schema))
    originals = {row.id for row in numbered.select(original_id().alias("id")).collect()}
    assert originals == {"aa", "bb"}


def test_unique_ids_pass(spark):
    check_ids(spark.createDataFrame([("a",), ("b",)], "id string"))
    check_ids(spark.createDataFrame([], "id string"))


def test_null_ids_are_counted(spark):
    documents = spark.createDataFrame([("a",), (None,), (None,)], "id string")

    with pytest.raises(SchemaError, match=r"null in 2 row\(s\)"):
        check_ids(documents)


def test_repeated_ids_are_counted_with_an_example(spark):
    documents = spark.createDataFrame([("b",), ("a",), ("b",), ("a",), ("c",)], "id string")

    with pytest.raises(SchemaError, match=r"2 id\(s\) occur more than once, for example 'a'"):
        check_ids(documents)


def test_content_with_a_map_of_binary_keys_is_refused(spark):
    """Its JSON is Java's name of the array, another one at each reading."""
    documents = spark.createDataFrame([("t", {})], "text string, m map<binary,int>")

    with pytest.raises(SchemaError, match="'m' is a map with binary keys"):
        identify_documents(documents, BY_CONTENT)
