from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Jieba, Words
from simhash_spark.stages.frequencies import count_frequencies, pack_frequencies
from tests import oracles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WORDS = Profile("words", Words(), weigh=Idf())
SETTINGS = FingerprintSettings(WORDS)
TEXTS = [" ".join(random.Random(seed).choices([*"abcdefghé", "数据"], k=6)) for seed in range(60)]


def documents_of(spark: SparkSession, texts: list[str | None]) -> DataFrame:
    return spark.createDataFrame([(text,) for text in texts], "text string")


def long_of(word: str) -> int:
    value = oracles.hash_of(word, WORDS.hash, 64)[0]
    return value - (value >> 63 << 64)


def rows_of(frequencies: DataFrame) -> dict[int | None, int]:
    rows = frequencies.collect()
    assert len({row.feature for row in rows}) == len(rows)
    return {row.feature: row.n_documents for row in rows}


@pytest.mark.parametrize("n_partitions", [1, 3, 8])
def test_frequencies_are_those_of_a_counter_for_any_partitions_and_order(
    spark: SparkSession, n_partitions: int
):
    texts = [*TEXTS, "", None, "only here"]
    random.Random(n_partitions).shuffle(texts)
    documents = documents_of(spark, texts).repartition(n_partitions)

    actual = rows_of(count_frequencies(documents, SETTINGS, top=1000))

    counts = Counter(word for text in texts if text for word in set(text.split()))
    expected = {long_of(word): n for word, n in counts.items() if n > 1}
    assert actual == {None: 61, **expected}
    assert len(expected) == 10


@pytest.mark.parametrize("n_partitions", [1, 3])
def test_of_equally_frequent_features_those_with_the_smaller_hash_are_kept(
    spark: SparkSession, n_partitions: int
):
    texts = ["p q r s t", "p q r s t", "p u", "q u"]
    longs = {word: long_of(word) for word in "pqrstu"}

    actual = rows_of(
        count_frequencies(documents_of(spark, texts).repartition(n_partitions), SETTINGS, top=4)
    )

    twice = sorted(longs[word] for word in "rstu")[:2]
    assert actual == {None: 4, longs["p"]: 3, longs["q"]: 3, twice[0]: 2, twice[1]: 2}


def test_features_of_all_documents_do_not_displace_their_number(spark: SparkSession):
    frequencies = count_frequencies(documents_of(spark, ["a b", "a b", ""]), SETTINGS, top=1)

    assert rows_of(frequencies) == {None: 2, min(long_of("a"), long_of("b")): 2}


def test_packed_frequencies_are_ascending_arrays(spark: SparkSession):
    frequencies = count_frequencies(documents_of(spark, TEXTS), SETTINGS, top=7)

    (row,) = pack_frequencies(frequencies).collect()

    known = rows_of(frequencies)
    n_documents = known.pop(None)
    features = np.frombuffer(row.features, dtype="<u8")
    assert (row.n_documents, n_documents) == (60, 60)
    assert features.tolist() == sorted(feature % 2**64 for feature in known)
    assert np.frombuffer(row.documents, dtype="<i8").tolist() == [
        known[int(feature) - (int(feature) >> 63 << 64)] for feature in features
    ]


@pytest.mark.parametrize("texts", [[], [None], ["", " "]], ids=["none", "null", "blank"])
def test_where_there_is_no_feature_nothing_is_counted(spark: SparkSession, texts: list):
    frequencies = count_frequencies(documents_of(spark, texts), SETTINGS, top=9)

    assert frequencies.collect() == []
    packed = [tuple(row) for row in pack_frequencies(frequencies).collect()]
    assert packed in ([], [(0, b"", b"")])  # Spark may see that nothing can come


def test_words_of_jieba_are_those_of_the_driver(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("simhash_spark.stages.frequencies.requirements", lambda _: {"jieba": "0.1"})
    settings = FingerprintSettings(Profile("zh", Jieba(), weigh=Idf()))

    with pytest.raises(Exception, match=r"Worker .* has jieba: 0\.42\.1; the driver has 0\.1"):
        count_frequencies(documents_of(spark, ["数据"]), settings, top=9).collect()
