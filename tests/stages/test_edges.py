from __future__ import annotations

import pytest
from pyspark.testing import assertDataFrameEqual

from simhash_spark.core.bands import BandLayout
from simhash_spark.stages import edges as module
from simhash_spark.stages.bands import explode_bands
from simhash_spark.stages.edges import find_edges

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def edges_of(spark, fingerprints, layout):
    schema = "fingerprint long" if layout.bits == 64 else "fingerprint long, fingerprint_high long"
    nodes = spark.createDataFrame(fingerprints, schema)
    return nodes.transform(explode_bands, layout).transform(find_edges, layout)


def test_pairs_at_the_maximal_distance_are_found_and_no_further_ones(spark):
    actual = edges_of(spark, [(0,), (0b111,), (0b1111,)], BandLayout(64, 3))

    expected = [(0, 0b111, 3), (0b111, 0b1111, 1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


@pytest.mark.parametrize("max_distance", [1, 8])
def test_bit_63_is_a_bit_like_others_and_makes_the_larger_number(spark, max_distance):
    actual = edges_of(spark, [(LOWEST,), (0,), (-1,), (HIGHEST,)], BandLayout(64, max_distance))

    expected = [(0, LOWEST, 1), (HIGHEST, -1, 1)]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_a_pair_that_shares_every_band_but_one_comes_out_once(spark):
    actual = edges_of(spark, [(5,), (4,)], BandLayout(64, 8))

    assert [tuple(row) for row in actual.collect()] == [(4, 5, 1)]


def test_128_bits_are_compared_over_both_words(spark):
    fingerprints = [(-1, LOWEST), (-1, 0), (0, 0), (-2, LOWEST)]

    actual = edges_of(spark, fingerprints, BandLayout(128, 2))

    expected = [
        (-2, LOWEST, -1, LOWEST, 1),
        (-1, 0, -1, LOWEST, 1),
        (-1, 0, -2, LOWEST, 2),
    ]
    assertDataFrameEqual(actual, spark.createDataFrame(expected, actual.schema))


def test_buckets_that_span_many_batches_are_compared_whole():
    """A bucket cut at the end of an Arrow batch would lose its pairs across the cut."""
    import numpy as np
    import pyarrow as pa

    layout = BandLayout(64, 3)
    values = np.arange(256, dtype=np.int64) | 0b1010 << 48
    table = pa.table(
        {
            "band": np.repeat(np.array([0, 1], dtype=np.int32), 256),
            "band_key": np.concatenate([values & 0xFFFF, values >> 16 & 0xFFFF]),
            "fingerprint": np.concatenate([values, values]),
        }
    )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS_AT_ONCE", 7)
        patch.setattr(module, "PAIRS_PER_BATCH", 11)
        found = pa.Table.from_batches(module._finder(layout)(iter(table.to_batches(5))))

    pairs = set(zip(*(found.column(i).to_pylist() for i in (0, 1)), strict=True))
    near = sum(bin(a ^ b).count("1") <= 3 for a in range(256) for b in range(a))
    assert len(pairs) == found.num_rows == near
