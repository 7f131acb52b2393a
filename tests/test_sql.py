from __future__ import annotations

import sys

import pytest

from simhash_spark import PROFILES, DedupConfig, register_functions
from simhash_spark.errors import ConfigError
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


def test_simhash_refuses_another_jieba_on_a_worker(registered, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("simhash_spark.sql.requirements", lambda _: {"jieba": "0.1"})
    register_functions(registered, DedupConfig(profile="zh-words"))

    with pytest.raises(Exception, match=r"Worker .* has jieba: 0\.42\.1; the driver has 0\.1"):
        registered.sql("SELECT simhash('世界卫生组织')").collect()


def test_a_profile_whose_package_is_missing_is_not_registered(
    registered, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "jieba", None)

    with pytest.raises(ConfigError, match="needs jieba"):
        register_functions(registered, DedupConfig(profile="zh-words"))


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


def test_simhash_is_not_registered_for_a_features_column(spark):
    with pytest.raises(ConfigError, match="reads texts, not the features column 'parts'"):
        register_functions(spark, DedupConfig(features_column="parts"))
