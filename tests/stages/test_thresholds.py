from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.steps import Characters, Jieba, Log
from simhash_spark.stages.thresholds import learn_thresholds, sample_texts
from tests import oracles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PROFILE = Profile("median", Characters((2,)), weigh=Log(), threshold="median", min_features=3)
TEXTS = ["".join(random.Random(seed).choices("abcde", k=9)) for seed in range(40)]


def documents_of(spark: SparkSession, texts: list[str | None]) -> DataFrame:
    return spark.createDataFrame([(text,) for text in texts], "text string")


def test_the_sample_depends_on_the_set_of_texts_alone(spark: SparkSession):
    copies = [*TEXTS[:5] * 9, None, *reversed(TEXTS)]

    once = sample_texts(documents_of(spark, TEXTS).coalesce(1), most=12).collect()
    again = sample_texts(documents_of(spark, copies).repartition(5), most=12).collect()

    assert len(once) == 12
    assert sorted(once) == sorted(again)


def test_a_larger_sample_holds_the_smaller_one(spark: SparkSession):
    few, many, all_there_are = (
        {row.text for row in sample_texts(documents_of(spark, TEXTS), most=n).collect()}
        for n in (5, 20, 1000)
    )

    assert few < many < all_there_are == set(TEXTS)


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("n_partitions", [1, 4])
def test_thresholds_are_the_medians_of_the_oracle(
    spark: SparkSession, bits: int, n_partitions: int
):
    texts = documents_of(spark, [*TEXTS, "ab", ""]).repartition(n_partitions)

    (row,) = learn_thresholds(texts, FingerprintSettings(PROFILE, bits)).collect()

    assert row.n_sampled == 40
    assert row.thresholds == oracles.Learned(TEXTS, PROFILE, bits).thresholds


def test_where_no_text_has_a_fingerprint_there_are_no_thresholds(spark: SparkSession):
    for texts in ([], ["ab", ""]):
        learned = learn_thresholds(documents_of(spark, texts), FingerprintSettings(PROFILE))

        rows = [tuple(row) for row in learned.collect()]
        assert rows in ([], [(0, [])])  # Spark may see that nothing can come


def test_words_of_jieba_are_those_of_the_driver(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("simhash_spark.stages.thresholds.requirements", lambda _: {"jieba": "0.1"})
    settings = FingerprintSettings(Profile("zh", Jieba(), threshold="median"))

    with pytest.raises(Exception, match=r"Worker .* has jieba: 0\.42\.1; the driver has 0\.1"):
        learn_thresholds(documents_of(spark, ["数据"]), settings).collect()
