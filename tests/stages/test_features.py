"""Fingerprints of features that a column gives, or that a function finds on the workers."""

from __future__ import annotations

import decimal
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from simhash_spark import Callback, DedupConfig, fingerprints, register_functions
from simhash_spark.errors import ConfigError, InputError, MissingColumnError, SchemaError
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.runs.failures import explain
from simhash_spark.stages._features import read_features
from simhash_spark.stages.documents import find_keep_columns, identify_documents
from simhash_spark.stages.fingerprints import compute_fingerprints, fingerprint_features
from simhash_spark.stages.survivors import list_unfingerprinted
from tests import oracles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SET = Profile("set", min_features=2)
BY_FEATURES = DedupConfig(features_column="f", profile=SET)
PAIRS = [("dog", 2.0), ("cat", 0.5), ("dog", 1.0), ("世界", 4.0)]
WEIGHED = "array<struct<feature:string,weight:double>>"


def long_of(given: list, profile: Profile = SET) -> int | None:
    words = oracles.fingerprint_given(given, profile)
    return words and (words[0] + 2**63) % 2**64 - 2**63


def fingerprints_of(spark: SparkSession, kind: str, *values: Any) -> DataFrame:
    documents = spark.createDataFrame(list(enumerate(values)), f"id int, f {kind}")
    return fingerprints(documents, BY_FEATURES)


def test_weighed_features_give_one_row_per_document(spark: SparkSession):
    values = [PAIRS, None, [], [("dog", 1.0)], [("dog", 0.0), ("cat", 0.0)]]
    documents = spark.createDataFrame(
        [(i, "abc", value) for i, value in enumerate(values)], f"id int, text string, f {WEIGHED}"
    )

    actual = fingerprints(documents, BY_FEATURES)

    expected = [
        (0, long_of(PAIRS), 3, 3),
        (1, None, None, 3),
        (2, None, 0, 3),
        (3, None, 1, 3),
        (4, None, 0, 3),
    ]
    schema = "id int, fingerprint long, n_features long, n_characters long"
    assertDataFrameEqual(actual, spark.createDataFrame(expected, schema))
    reasons = {row.id: row.reason for row in list_unfingerprinted(actual, BY_FEATURES).collect()}
    assert reasons == {1: "null_features", 2: "empty", 3: "too_short", 4: "empty"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("array<struct<feature:string,weight:float>>", PAIRS),
        ("array<struct<feature:string,weight:bigint>>", [(f, int(w * 2)) for f, w in PAIRS]),
        ("array<struct<feature:string,weight:tinyint>>", [(f, int(w * 2)) for f, w in PAIRS]),
        (
            "array<struct<feature:string,weight:decimal(20,3)>>",
            [(f, decimal.Decimal(str(w))) for f, w in PAIRS],
        ),
        ("array<struct<Weight:double,at:int,FEATURE:string>>", [(w, 7, f) for f, w in PAIRS]),
        ("map<string,double>", {"dog": 3.0, "cat": 0.5, "世界": 4.0}),
        ("map<string,int>", {"dog": 6, "cat": 1, "世界": 8}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_weights_of_any_numeric_type_are_read_by_name(spark: SparkSession, kind: str, value: Any):
    (row,) = fingerprints_of(spark, kind, value).collect()

    assert (row.fingerprint, row.n_features) == (long_of(PAIRS), 3)


def test_features_without_weights_are_weighed_by_the_profile(spark: SparkSession):
    words = ["dog", "cat", "dog", "dog", "a", "b"]

    (row,) = fingerprints_of(spark, "array<string>", words).collect()

    assert (row.fingerprint, row.n_features) == (long_of(["dog", "cat", "a", "b"]), 4)


def test_the_features_of_a_text_give_its_fingerprint_at_128_bits(spark: SparkSession):
    text, auto = "The quick brown fox jumps over the lazy dog", PROFILES["auto"]
    features = oracles.features_of(text, auto)
    documents = spark.createDataFrame([(1, text, features)], "id int, text string, f array<string>")

    given = fingerprints(documents, DedupConfig(features_column="f", bits=128))

    assertDataFrameEqual(given, fingerprints(documents, DedupConfig(bits=128)))


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (WEIGHED, [("a", 1.0), ("b", -2.0)], "the weight -2.0 for the feature 'b': weights must"),
        (WEIGHED, [("a", float("nan"))], "the weight nan for the feature 'a'"),
        (WEIGHED, [("a", float("inf"))], "the weight inf for the feature 'a'"),
        (WEIGHED, [("a", None)], "the weight null for the feature 'a'"),
        (WEIGHED, [(None, 1.0)], "a null feature: leave it out"),
        (WEIGHED, [("a", 1.0), None], "a null feature"),
        (
            "array<struct<feature:string,weight:int>>",
            [("a\n", None)],
            "the weight null for the feature 'a\\n'",
        ),
        ("array<string>", ["a", None], "a null feature"),
        ("map<string,double>", {"a": None}, "the weight null for the feature 'a'"),
    ],
)
def test_a_wrong_value_stops_the_run_and_names_the_document(
    spark: SparkSession, kind: str, value: Any, message: str
):
    good = {"a": 1.0} if kind.startswith("map") else []
    computed = fingerprints_of(spark, kind, good, None, value).coalesce(1)

    with pytest.raises(Exception, match="InputError") as caught:
        computed.collect()

    failure = explain(caught.value)
    assert failure.message.startswith(f"Document 2 has {message}")
    assert failure.exit_code == 2


@pytest.mark.parametrize(
    "kind",
    [
        "array<int>",
        "array<array<string>>",
        "array<struct<feature:string>>",
        "array<struct<weight:double>>",
        "array<struct<word:string,weight:double>>",
        "array<struct<feature:string,weight:string>>",
        "array<struct<feature:string,weight:boolean>>",
        "array<struct<feature:int,weight:double>>",
        "array<void>",
        "map<string,string>",
        "map<int,double>",
        "struct<feature:string,weight:double>",
        "double",
    ],
)
def test_another_type_is_refused_with_those_expected(spark: SparkSession, kind: str):
    expected = "expected array<string>, array<struct<feature:string,weight:double>> .* or map<str"
    with pytest.raises(SchemaError, match=rf"'f' is of type {kind}; {expected}"):
        fingerprints_of(spark, kind, None)
    documents = spark.createDataFrame([], f"id int, text string, features {kind}")
    with pytest.raises(SchemaError, match=r"Features must be of type array<string>, .*, got"):
        fingerprint_features(documents, FingerprintSettings(SET))


def test_a_string_is_refused_with_what_csv_lacks(spark: SparkSession):
    with pytest.raises(SchemaError, match=r"'f' is of type string; .* CSV and text files hold no"):
        fingerprints_of(spark, "string", "a")


def test_a_missing_column_is_named_with_those_that_exist(spark: SparkSession):
    documents = spark.createDataFrame([(1, ["a"])], "id int, tokens array<string>")

    with pytest.raises(
        MissingColumnError, match=r"'f'; it has: id, tokens\. Set --features-column"
    ):
        fingerprints(documents, BY_FEATURES)
    with pytest.raises(MissingColumnError, match="no column 'features'"):
        fingerprint_features(documents.withColumn("text", F.lit("t")), FingerprintSettings(SET))


def test_given_weights_must_be_in_the_column(spark: SparkSession):
    documents = spark.createDataFrame([(1, ["a"])], "id int, f array<string>")

    with pytest.raises(ConfigError, match=r"'mmh3-weighted' has weigh = given, and the features"):
        fingerprints(documents, DedupConfig(features_column="f", profile="mmh3-weighted"))


def test_jieba_is_not_asked_for_where_nothing_is_cut(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("simhash_spark.stages.fingerprints.requirements", lambda _: 1 / 0)
    documents = spark.createDataFrame([(1, PAIRS)], f"id int, f {WEIGHED}")
    profile = Profile(
        "other",
        PROFILES["mmh3-weighted"].tokenize,
        weigh=PROFILES["mmh3-weighted"].weigh,
        min_features=2,
    )

    (row,) = fingerprints(documents, DedupConfig(features_column="f", profile=profile)).collect()

    assert row.fingerprint == long_of(PAIRS)


def test_the_text_may_be_missing_if_nobody_named_it(spark: SparkSession):
    documents = spark.createDataFrame([(1, ["a"])], "id int, F array<string>")

    actual = identify_documents(documents, BY_FEATURES)

    expected = spark.createDataFrame(
        [(1, None, ["a"])], "id int, text string, features array<string>"
    )
    assertDataFrameEqual(actual, expected)
    with pytest.raises(MissingColumnError, match="no column 'body'"):
        identify_documents(documents, DedupConfig(features_column="f", text_column="body"))


def test_a_column_text_may_hold_the_features(spark: SparkSession):
    documents = spark.createDataFrame([(1, ["a"])], "id int, text array<string>")

    (row,) = identify_documents(documents, DedupConfig(features_column="text")).collect()

    assert (row.text, row.features) == (None, ["a"])


def test_a_length_that_was_asked_for_needs_a_text(spark: SparkSession):
    documents = spark.createDataFrame([(1, ["a"], 7)], "id int, f array<string>, n int")

    def keep(rule: str) -> DedupConfig:
        return DedupConfig(features_column="f", keep=rule)

    for accepted in (DedupConfig.keep, "id desc", "n"):
        identify_documents(documents, keep(accepted))
    with pytest.raises(MissingColumnError, match="keep = 'n, Length desc' asks for the length of"):
        identify_documents(documents, keep("n, Length desc"))
    assert find_keep_columns(documents, keep("n")) == {"n": "n"}


def test_partitions_and_batches_leave_no_trace(spark: SparkSession):
    values = [[(f"w{n * k % 11}", float(k)) for k in range(n % 13)] for n in range(60)]
    documents = spark.createDataFrame(list(enumerate(values)), f"id int, f {WEIGHED}")

    one = fingerprints(documents.coalesce(1), BY_FEATURES)

    assertDataFrameEqual(fingerprints(documents.repartition(7), BY_FEATURES), one)
    expected = {n: long_of(value) for n, value in enumerate(values)}
    assert {row.id: row.fingerprint for row in one.collect()} == expected


def test_a_document_of_a_million_features_among_short_ones_is_read_whole(spark: SparkSession):
    n_features = F.when(F.col("id") == 2, 1_000_000).otherwise(10)
    feature = F.expr("transform(sequence(1, n), k -> named_struct('feature', concat('w', k), "
                     "'weight', if(k <= 10, 1e7, 1e-7)))")  # fmt: skip
    documents = spark.range(5).select("id", n_features.alias("n")).select("id", feature.alias("f"))

    rows = fingerprints(documents.coalesce(1), BY_FEATURES).orderBy("id").collect()

    assert [row.n_features for row in rows] == [10, 10, 1_000_000, 10, 10]
    assert len({row.fingerprint for row in rows}) == 1  # of the ten that weigh most


LISTS = [["before"], ["dog", "世界"], None, [], ["cat"], ["after"]]


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.large_string())],
    ids=str,
)
def test_arrow_lists_of_every_layout_are_read_from_their_offset(kind: pa.DataType):
    lists = pa.array(LISTS, pa.list_(pa.string())).cast(kind).slice(1, 4)

    given = read_features(lists, None, pa.array([0, 1, 2, 3]))

    data, offsets = given.spans
    assert data[offsets[0] : offsets[-1]].tobytes().decode() == "dog世界cat"
    assert np.diff(offsets).tolist() == [3, 6, 3]
    assert given.n_features.tolist() == [2, 0, 0, 1]
    assert given.weights is None


def test_arrow_structs_are_read_from_their_offset():
    rows = [[{"weight": 1, "feature": "x"}], [{"weight": 2, "feature": "y"}], None]
    kind = pa.list_(pa.struct([("weight", pa.int64()), ("feature", pa.string())]))

    given = read_features(pa.array(rows, kind).slice(1), ("feature", "weight"), pa.array([1, 2]))

    data, offsets = given.spans
    assert data[offsets[0] : offsets[-1]].tobytes() == b"y"
    assert (given.weights.tolist(), given.n_features.tolist()) == ([2.0], [1, 0])


def test_what_lies_under_a_null_list_is_not_read():
    validity = pa.py_buffer(b"\x02")
    offsets = pa.py_buffer(np.array([0, 2, 3], dtype=np.int32))
    values = pa.array(["hidden", None, "seen"])
    lists = pa.Array.from_buffers(pa.list_(pa.string()), 2, [validity, offsets], children=[values])

    given = read_features(lists, None, pa.array([0, 1]))

    data, bounds = given.spans
    assert data[bounds[0] : bounds[-1]].tobytes() == b"seen"
    assert given.n_features.tolist() == [0, 1]


def test_invalid_utf8_counts_as_the_replacement_character():
    raw = pa.array([b"fine", b"caf\xe9"])
    texts = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    lists = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), texts)

    given = read_features(lists, None, pa.array([0]))

    assert given.spans[0].tobytes().decode() == "finecaf\ufffd"


def test_the_first_wrong_feature_is_named_past_empty_documents():
    kind = pa.list_(pa.struct([("feature", pa.string()), ("weight", pa.float64())]))
    rows = [[], [("a", 1.0)], None, [], [("b", -1.0)], [("c", -2.0)]]
    lists = pa.array(
        [r and [dict(zip(("feature", "weight"), p, strict=True)) for p in r] for r in rows], kind
    )

    with pytest.raises(InputError, match=r"^Document 'e' has the weight -1\.0 for the feature 'b'"):
        read_features(lists, ("feature", "weight"), pa.array(list("abcdef")))


SPLIT = Profile("split", Callback(str.split, name="split"), min_features=2)


def test_a_function_of_the_user_runs_on_the_workers(spark: SparkSession):
    stop = {"the"}

    def words(text: str) -> list[str]:
        return [word for word in text.split() if word not in stop]

    texts = ["the dog The cat", None, "", "the", "dog"]
    documents = spark.createDataFrame(list(enumerate(texts)), "id int, text string")
    profile = Profile("mine", Callback(words, name="words-1"), min_features=2)

    actual = compute_fingerprints(documents, FingerprintSettings(profile))

    expected = [
        (0, long_of(["dog", "cat"]), 2, 15),
        (1, None, 0, None),
        (2, None, 0, 0),
        (3, None, 0, 3),
        (4, None, 1, 3),
    ]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_a_failing_function_names_the_document(spark: SparkSession):
    documents = spark.createDataFrame(
        [("x", "a b"), ("y", ""), ("z", "a")], "id string, text string"
    )
    profile = Profile("second", Callback(lambda text: [text.split()[1]], name="second-1"))

    with pytest.raises(Exception, match="CallbackError") as caught:
        fingerprints(documents, DedupConfig(profile=profile)).collect()

    expected = (
        "The function 'second-1' failed on document 'z': IndexError: list index out of range."
    )
    assert explain(caught.value).message == expected


def test_a_function_that_cannot_travel_is_refused_at_once(spark: SparkSession):
    lock = threading.Lock()

    def words(text: str) -> list[str]:
        with lock:
            return text.split()

    documents = spark.createDataFrame([(1, "a b")], "id int, text string")

    with pytest.raises(ConfigError, match=r"'mine-1' cannot travel to the workers \(cannot pickle"):
        fingerprints(documents, DedupConfig(profile=Profile("p", Callback(words, name="mine-1"))))


def test_sql_calls_a_function_of_the_user(spark: SparkSession):
    register_functions(spark, DedupConfig(profile=SPLIT))

    rows = spark.sql("SELECT simhash('dog cat') AS two, simhash('dog') AS one").collect()

    assert [tuple(row) for row in rows] == [(long_of(["dog", "cat"]), None)]
