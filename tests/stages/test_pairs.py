from __future__ import annotations

from pyspark.testing import assertDataFrameEqual

from simhash_spark.stages.pairs import name_pairs, pair_copies

PAIRS = "id_l string, id_r string, distance int, similarity double"


def test_edges_get_the_names_of_documents_in_order_of_id(spark):
    nodes = spark.createDataFrame([(1, "z"), (3, "a"), (9, "m")], "fingerprint long, id string")
    edges = spark.createDataFrame(
        [(1, 3, 1), (1, 9, 1)], "fingerprint_l long, fingerprint_r long, distance int"
    )

    actual = name_pairs(edges, nodes, 64)

    expected = [("a", "z", 1, None), ("m", "z", 1, None)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, PAIRS))


def test_copies_are_paired_with_the_smallest_id(spark):
    nodes = spark.createDataFrame(
        [(1, "a", 3), (2, "x", 1)], "fingerprint long, id string, n_documents long"
    )
    rows = [("b", 1), ("a", 1), ("c", 1), ("x", 2), ("n", None)]
    fingerprints = spark.createDataFrame(rows, "id string, fingerprint long")

    actual = pair_copies(fingerprints, nodes, 64)

    expected = [("a", "b", 0, None), ("a", "c", 0, None)]
    assert actual.dtypes == spark.createDataFrame([], PAIRS).dtypes
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))
