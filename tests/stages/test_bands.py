from __future__ import annotations

from pyspark.testing import assertDataFrameEqual

from simhash_spark.core.bands import BandLayout
from simhash_spark.stages.bands import explode_bands


def test_one_row_per_band(spark):
    nodes = spark.createDataFrame([(1, "a"), (-1, "b")], "fingerprint long, id string")

    actual = nodes.transform(explode_bands, BandLayout(64, 1))

    expected = [(0, 1, 1), (1, 0, 1), (0, 2**32 - 1, -1), (1, 2**32 - 1, -1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_128_bits_carry_both_words(spark):
    nodes = spark.createDataFrame([(7, -(2**63))], "fingerprint long, fingerprint_high long")

    actual = nodes.transform(explode_bands, BandLayout(128, 1))

    expected = [(0, 7, 7, -(2**63)), (1, -(2**63), 7, -(2**63))]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_no_nodes_give_no_rows(spark):
    nodes = spark.createDataFrame([], "fingerprint long")

    assert nodes.transform(explode_bands, BandLayout(64, 3)).collect() == []
