from __future__ import annotations

from simhash_spark.runs.counts import Counts

COUNTS = {"documents": 10, "unfingerprinted": {}, "duplicates": 2, "clusters": 1}
COUNTS |= {"largest_cluster": 3, "pairs": 2}


def test_pairs_that_are_left_out_are_told():
    lines = Counts(**COUNTS, unlisted=1234, not_compared=5).labelled()

    assert lines[-2:] == [("pairs not listed", "1,234"), ("pairs not compared", "5")]


def test_nothing_is_told_where_no_pair_is_left_out():
    assert Counts(**COUNTS).labelled()[-1] == ("near-duplicate pairs", "2")
