from __future__ import annotations

import pytest
from pyspark.testing import assertDataFrameEqual

from simhash_spark.config import DedupConfig
from simhash_spark.errors import MissingColumnError
from simhash_spark.keep import KeepKey
from simhash_spark.stages.documents import read_keep_columns
from simhash_spark.stages.survivors import (
    find_members,
    list_clusters,
    list_duplicates,
    list_unfingerprinted,
    rank_members,
    select_survivors,
)

FINGERPRINTS = "id string, fingerprint long, n_features long, n_characters long"
LONGEST_FIRST = [KeepKey("n_characters", is_descending=True)]
MEMBERS = "id string, fingerprint long, n_characters long, cluster_id string, cluster_size long"


def survivor_of(members, keys) -> str:
    ranked = rank_members(members, keys, 64)
    (survivor,) = [row.id for row in ranked.collect() if row.is_survivor]
    return survivor


def test_members_are_the_documents_of_clusters_of_two_or_more(spark):
    rows = [("a", 1, 9, 10), ("b", 3, 9, 11), ("c", 3, 9, 12), ("d", 8, 9, 13), ("e", None, 0, 0)]
    fingerprints = spark.createDataFrame(rows, FINGERPRINTS)
    components = spark.createDataFrame([(1, 1), (3, 1)], "fingerprint long, component long")

    actual = find_members(fingerprints, components, 64)

    expected = [("a", 1, 10, "a", 3), ("b", 3, 11, "a", 3), ("c", 3, 12, "a", 3)]
    assert actual.dtypes == spark.createDataFrame([], MEMBERS).dtypes
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_equal_fingerprints_are_a_cluster_without_any_edge(spark):
    rows = [("a", 1, 9, 10), ("b", 1, 9, 11), ("c", 2, 9, 12)]
    fingerprints = spark.createDataFrame(rows, FINGERPRINTS)
    components = spark.createDataFrame([], "fingerprint long, component long")

    actual = find_members(fingerprints, components, 64)

    expected = [("a", 1, 10, "a", 2), ("b", 1, 11, "a", 2)]
    assert actual.dtypes == spark.createDataFrame([], MEMBERS).dtypes
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


@pytest.mark.parametrize(
    ("keep", "survivor"),
    [
        ("length desc", "c"),
        ("length", "a"),
        ("quality desc", "b"),
        ("quality", "c"),
        ("rank desc, length desc", "d"),
        ("rank", "b"),
        ("id desc", "d"),
        ("id", "a"),
    ],
)
def test_the_first_by_keep_survives_nulls_and_nan_last_ties_by_id(spark, keep, survivor):
    rows = [
        ("a", 10, float("nan"), 1),
        ("b", 11, 2.0, 0),
        ("c", 12, 1.0, 1),
        ("d", 12, None, 1),
    ]
    documents = spark.createDataFrame(rows, "id string, n int, quality double, rank int")
    members = documents.selectExpr(
        "id", "0L fingerprint", "bigint(n) n_characters", "'a' cluster_id", "4L cluster_size"
    )
    members, keys = read_keep_columns(documents, members, DedupConfig(keep=keep))

    # "rank desc, length desc" leaves c and d, of equal length: the smallest id.
    assert survivor_of(members, keys) == ("c" if keep.startswith("rank desc") else survivor)


def test_length_and_id_mean_the_documents_own_even_if_columns_are_called_so(spark):
    rows = [("a", "x", 1, 9), ("b", "x", 2, 1)]
    documents = spark.createDataFrame(rows, "url string, id string, n int, length int")
    members = documents.selectExpr(
        "url id", "0L fingerprint", "bigint(n) n_characters", "'a' cluster_id", "2L cluster_size"
    )
    config = DedupConfig(id_column="url", keep="length desc")

    assert survivor_of(*read_keep_columns(documents, members, config)) == "b"


def test_an_unknown_keep_column_is_named_with_those_that_exist(spark):
    documents = spark.createDataFrame([("a", "t")], "id string, text string")

    with pytest.raises(MissingColumnError, match="no column 'quality'; it has: id, text"):
        read_keep_columns(documents, documents, DedupConfig(keep="quality desc"))


def test_each_member_learns_its_survivor_and_the_distance_to_it(spark):
    rows = [("a", 0, 5, "a", 3), ("b", 7, 9, "a", 3), ("c", -(2**63), 5, "a", 3)]
    members = spark.createDataFrame(rows, MEMBERS)
    ranked = rank_members(members, LONGEST_FIRST, 64)

    clusters, duplicates = list_clusters(ranked), list_duplicates(ranked)

    expected = [("a", "a", 3, False), ("b", "a", 3, True), ("c", "a", 3, False)]
    assertDataFrameEqual(clusters, spark.createDataFrame(expected, clusters.schema))
    expected = [("a", "b", "a", 3, None), ("c", "b", "a", 4, None)]
    assertDataFrameEqual(duplicates, spark.createDataFrame(expected, duplicates.schema))


def test_distances_of_128_bits_add_both_words(spark):
    schema = MEMBERS.replace("fingerprint long", "fingerprint long, fingerprint_high long")
    members = spark.createDataFrame([("a", 0, 0, 2, "a", 2), ("b", -1, -1, 1, "a", 2)], schema)

    ranked = rank_members(members, LONGEST_FIRST, 128)

    assert {row.id: row.distance for row in ranked.collect()} == {"a": 0, "b": 128}


def test_every_document_without_fingerprint_has_its_reason(spark):
    rows = [("a", None, 0, None), ("b", None, 0, 2), ("c", None, 3, 7), ("d", 1, 9, 9)]

    actual = list_unfingerprinted(spark.createDataFrame(rows, FINGERPRINTS), DedupConfig())

    expected = [("a", "null_text"), ("b", "empty"), ("c", "too_short")]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_survivors_are_the_input_rows_less_the_removed_untouched(spark):
    rows = [("a", None, {"k": 1}), ("b", "t", None), ("c", "t", {"k": 2})]
    documents = spark.createDataFrame(rows, "id string, text string, `id_l.x y` map<string,int>")
    duplicates = spark.createDataFrame([("b",)], "id string")

    actual = select_survivors(documents, duplicates, documents, DedupConfig())

    expected = spark.createDataFrame([rows[0], rows[2]], documents.schema)
    assert actual.schema == documents.schema
    assert sorted(map(str, actual.collect())) == sorted(map(str, expected.collect()))


def test_of_equal_rows_without_id_one_is_left_where_one_survives(spark):
    rows = [("t", 1), ("t", 1), ("t", 1), ("u", 2), (None, 3), (None, 3)]
    documents = spark.createDataFrame(rows, "text string, SIMHASH_spark_key int")
    config = DedupConfig(id_column=None)
    from simhash_spark.stages.documents import identify_documents, number_copies

    ids = identify_documents(documents, config).transform(number_copies)
    removed = ids.where("text = 't' and id like '%-%'").select("id")

    actual = select_survivors(documents, removed, ids, config)

    expected = [("t", 1), ("u", 2), (None, 3), (None, 3)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, documents.schema))
