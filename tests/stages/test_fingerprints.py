from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DecimalType, LongType, StringType, TimestampType
from pyspark.testing import assertDataFrameEqual

from simhash_spark.core.words import as_signed
from simhash_spark.errors import MissingColumnError, SchemaError
from simhash_spark.profiles import PROFILES, FingerprintSettings
from simhash_spark.stages.fingerprints import compute_fingerprints, simhash_of
from tests import oracles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

AUTO = FingerprintSettings(PROFILES["auto"])
AUTO_128 = FingerprintSettings(PROFILES["auto"], bits=128)
ZH_WORDS = FingerprintSettings(PROFILES["zh-words"])
FOX = "The quick brown fox jumps over the lazy dog"
BITS = "近似重复的文档只差几个比特"


def documents_of(spark: SparkSession, *texts: str | None) -> DataFrame:
    return spark.createDataFrame(list(enumerate(texts)), "id long, text string")


def long_of(text: str, settings: FingerprintSettings, word: int = 0) -> int:
    """Fingerprint by the oracle, as Spark's long."""
    words = oracles.fingerprint(text, settings.profile, settings.bits)
    assert words is not None
    return words[word] - 2**64 if words[word] >= 2**63 else words[word]


def test_every_document_gets_one_row(spark: SparkSession):
    documents = documents_of(spark, FOX, BITS, None, "", " \n", "abc")

    actual = compute_fingerprints(documents, AUTO)

    expected = [
        (0, long_of(FOX, AUTO), 39, 43),
        (1, long_of(BITS, AUTO), 11, 13),
        (2, None, 0, None),
        (3, None, 0, 0),
        (4, None, 0, 2),
        (5, None, 1, 3),
    ]
    schema = "id long, fingerprint long, n_features long, n_characters long"
    assertDataFrameEqual(actual, spark.createDataFrame(expected, schema))


def test_128_bits_stand_in_two_columns(spark: SparkSession):
    rows = compute_fingerprints(documents_of(spark, FOX), AUTO_128).collect()

    assert [tuple(row) for row in rows] == [
        (0, long_of(FOX, AUTO_128), long_of(FOX, AUTO_128, word=1), 39, 43)
    ]


def test_words_of_jieba_are_those_of_the_driver(spark: SparkSession):
    rows = compute_fingerprints(documents_of(spark, BITS), ZH_WORDS).collect()

    assert rows[0]["fingerprint"] == long_of(BITS, ZH_WORDS)


def test_another_jieba_on_a_worker_is_an_error(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "simhash_spark.stages.fingerprints.requirements", lambda _: {"jieba": "0.1"}
    )
    fingerprints = compute_fingerprints(documents_of(spark, BITS), ZH_WORDS)

    with pytest.raises(Exception, match=r"Worker .* has jieba: 0\.42\.1; the driver has 0\.1"):
        fingerprints.collect()


@pytest.mark.parametrize(
    ("id_type", "value"),
    [
        (BinaryType(), bytearray(b"\x00\xff")),
        (DecimalType(38, 3), decimal.Decimal("12345678901234567890.125")),
        (StringType(), "a,\nb"),
        (TimestampType(), datetime.datetime(2020, 2, 29, 12, 30, 0, 1)),
        (LongType(), -(2**63)),
    ],
    ids=["binary", "decimal", "string", "timestamp", "long"],
)
def test_ids_of_any_type_pass_through_untouched(spark: SparkSession, id_type, value):
    documents = spark.createDataFrame([(value, FOX)], ["id", "text"]).withColumn(
        "id", F.col("id").cast(id_type)
    )

    actual = compute_fingerprints(documents, AUTO)

    assert actual.schema["id"].dataType == id_type
    assert actual.first()["id"] == value


def test_characters_are_counted_as_by_spark(spark: SparkSession):
    raw = [
        (0, b"caf\xc3\xa9 \xf0\x9f\x98\x80"),
        (1, b"broken \xe4\xb8 here \xff"),
        (2, b"\x80\x80"),
    ]
    binary = spark.createDataFrame(raw, "id long, raw binary")
    documents = binary.select("id", F.col("raw").cast("string").alias("text"))

    actual = compute_fingerprints(documents, AUTO).select("id", "n_characters")

    expected = documents.select("id", F.length("text").cast("long").alias("n_characters"))
    assertDataFrameEqual(actual, expected)


def test_invalid_utf8_counts_as_the_replacement_character(spark: SparkSession):
    binary = spark.createDataFrame([(0, b"a broken \xe4\xb8 text")], "id long, raw binary")
    documents = binary.select("id", F.col("raw").cast("string").alias("text"))

    actual = compute_fingerprints(documents, AUTO).first()

    assert actual["fingerprint"] == long_of("a broken \ufffd text", AUTO)


def test_partitions_and_batches_leave_no_trace(spark: SparkSession):
    texts = [f"{FOX} {number} {BITS}" for number in range(40)]
    documents = documents_of(spark, *texts)

    many = compute_fingerprints(documents.repartition(7), AUTO)

    assertDataFrameEqual(many, compute_fingerprints(documents.coalesce(1), AUTO))


def test_no_document_gives_no_row(spark: SparkSession):
    assert compute_fingerprints(documents_of(spark, FOX).where("id < 0"), AUTO).collect() == []


@pytest.mark.parametrize(("kept", "missing"), [("id", "text"), ("text", "id")])
def test_missing_column_is_named(spark: SparkSession, kept: str, missing: str):
    with pytest.raises(MissingColumnError, match=f"no column '{missing}'"):
        compute_fingerprints(documents_of(spark, FOX).select(kept), AUTO)


def test_text_that_is_no_string_is_refused(spark: SparkSession):
    with pytest.raises(SchemaError, match="must be of type string, got bigint"):
        compute_fingerprints(spark.range(1).withColumn("text", F.col("id")), AUTO)


ARROW_TEXTS = [FOX, None, BITS, "", "abc"]
ARROW_LONGS = [long_of(FOX, AUTO), None, long_of(BITS, AUTO), None, None]
STRING_TYPES = [pa.string(), pa.large_string()]
STRING_TYPES += [pa.string_view()] if hasattr(pa, "string_view") else []


@pytest.mark.parametrize("string_type", STRING_TYPES, ids=str)
def test_arrow_strings_of_every_layout_are_read(string_type: pa.DataType):
    texts = pa.array(ARROW_TEXTS, pa.string()).cast(string_type)

    assert simhash_of(texts, AUTO).to_pylist() == ARROW_LONGS


@pytest.mark.parametrize("string_type", [pa.string(), pa.large_string()], ids=str)
def test_a_slice_is_read_from_its_offset(string_type: pa.DataType):
    texts = pa.array(["before", FOX, BITS, "after"], string_type).slice(1, 2)

    assert simhash_of(texts, AUTO).to_pylist() == [long_of(FOX, AUTO), long_of(BITS, AUTO)]


@pytest.mark.parametrize("texts", [[], [None], [""]], ids=["none", "null", "empty"])
def test_a_column_without_text_is_read(texts: list[str | None]):
    assert simhash_of(pa.array(texts, pa.string()), AUTO).to_pylist() == [None] * len(texts)


def test_what_lies_under_a_null_is_not_read():
    hidden = pa.Array.from_buffers(
        pa.string(), 2, [pa.py_buffer(b"\x02"), *pa.array([FOX, FOX]).buffers()[1:]]
    )

    assert simhash_of(hidden, AUTO).to_pylist() == [None, long_of(FOX, AUTO)]


def test_bit_63_survives_sql(spark: SparkSession):
    texts = [str(3**power) for power in range(40, 48)]
    expected = {long_of(text, AUTO) for text in texts}
    assert min(expected) < 0 < max(expected)

    actual = compute_fingerprints(documents_of(spark, *texts), AUTO)

    assert {row["fingerprint"] for row in actual.selectExpr("fingerprint").collect()} == expected
    assert as_signed(np.array([2**63], dtype=np.uint64))[0] == -(2**63)


def test_a_document_of_50_mb_among_short_ones_is_read_whole(spark: SparkSession):
    """Repeated text has no further features, so its fingerprint is that of a few repetitions."""
    line = "The quick brown fox jumps over the lazy dog, once more. "
    times = F.when(F.col("id") == 2, 50_000_000 // len(line)).otherwise(3)
    text = F.expr(f"repeat('{line}', times)").alias("text")
    documents = spark.range(5).select("id", times.cast("int").alias("times")).select("id", text)

    rows = compute_fingerprints(
        documents.coalesce(1), FingerprintSettings(PROFILES["auto"])
    ).collect()

    assert len(rows) == 5
    assert max(row.n_characters for row in rows) > 49_999_000
    assert len({(row.fingerprint, row.n_features) for row in rows}) == 1
