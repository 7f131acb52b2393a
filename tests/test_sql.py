from __future__ import annotations

import pytest

from simhash_spark import PROFILES, DedupConfig, register_functions
from tests import oracles


@pytest.fixture
def registered(spark):
    register_functions(spark)
    return spark


def test_simhash_gives_the_fingerprint_as_a_long_and_null_without_one(registered):
    texts = ["one two three four five", "世界卫生组织成立于一九四八年", "", None, "ab"]
    documents = registered.createDataFrame([(t,) for t in texts], "text string")

    rows = documents.selectExpr("text", "simhash(text) AS fingerprint").collect()

    expected = {t: oracles.fingerprint(t or "", PROFILES["auto"]) for t in texts}
    assert {row.text: row.fingerprint for row in rows} == {
        text: words and (words[0] + 2**63) % 2**64 - 2**63 for text, words in expected.items()
    }


def test_simhash_follows_the_profile_given(registered):
    pytest.importorskip("snowballstemmer")
    register_functions(registered, DedupConfig(profile="en-words", bits=128))
    text = "the quick brown fox jumps over the lazy dog today"

    (row,) = registered.sql(f"SELECT simhash('{text}') AS fingerprint").collect()

    (expected,) = oracles.fingerprint(text, PROFILES["en-words"])
    assert row.fingerprint % 2**64 == expected


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_hamming_distance_counts_differing_bits_sign_included(registered, ansi):
    before = registered.conf.get("spark.sql.ansi.enabled")
    registered.conf.set("spark.sql.ansi.enabled", ansi)
    query = """
        SELECT hamming_distance(a, b) AS distance
        FROM VALUES (1, 0L, -1L), (2, -1L, -1L), (3, CAST(-9223372036854775808 AS BIGINT), 1L),
                    (4, NULL, 1L) AS t(n, a, b) ORDER BY n
    """
    try:
        distances = [row.distance for row in registered.sql(query).collect()]
    finally:
        registered.conf.set("spark.sql.ansi.enabled", before)

    assert distances == [64, 0, 2, None]
