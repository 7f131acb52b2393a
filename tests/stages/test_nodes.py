from __future__ import annotations

from pyspark.testing import assertDataFrameEqual

from simhash_spark.stages.nodes import collapse_fingerprints


def test_equal_fingerprints_are_one_node_under_the_smallest_id(spark):
    rows = [("b", 5), ("a", 5), ("c", -1), ("d", None)]
    fingerprints = spark.createDataFrame(rows, "id string, fingerprint long")

    actual = fingerprints.transform(collapse_fingerprints, 64)

    assertDataFrameEqual(actual, spark.createDataFrame([(5, "a", 2), (-1, "c", 1)], actual.schema))


def test_128_bits_are_equal_only_in_both_words(spark):
    rows = [("b", 5, 1), ("a", 5, 2), ("c", 5, 2)]
    fingerprints = spark.createDataFrame(rows, "id string, fingerprint long, fingerprint_high long")

    actual = fingerprints.transform(collapse_fingerprints, 128)

    assertDataFrameEqual(
        actual, spark.createDataFrame([(5, 1, "b", 1), (5, 2, "a", 2)], actual.schema)
    )
