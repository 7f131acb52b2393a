"""What a profile learns: learned, kept, read back and used, and what is refused on the way."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from simhash_spark import (
    DedupConfig,
    Profile,
    Statistics,
    deduplicate,
    fingerprint,
    fingerprints,
    learn_statistics,
    load_statistics,
    register_functions,
    save_statistics,
)
from simhash_spark.errors import ConfigError, InputError, MissingColumnError, SchemaError
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Characters, Words
from tests import oracles

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

PROFILE = Profile("both", Words((1, 2)), weigh=Idf(top=20), threshold="median", min_features=4)
CONFIG = DedupConfig(profile=PROFILE, bits=128)
ONE = replace(PROFILE, name="one", threshold="half")
VOCABULARY = ["the", "a", "fox", "dog", "sea", "lamp", "数据", "库", "é"]
TEXTS = [" ".join(random.Random(seed).choices(VOCABULARY, k=7)) for seed in range(50)]


def documents_of(spark: SparkSession, texts: list[str | None]) -> DataFrame:
    return spark.createDataFrame(list(enumerate(texts)), "id long, text string")


@pytest.fixture(scope="module")
def learned(spark: SparkSession) -> Statistics:
    return learn_statistics(documents_of(spark, TEXTS), CONFIG)


@pytest.fixture
def kept(learned: Statistics, spark: SparkSession, tmp_path: Path) -> Path:
    save_statistics(learned, spark, str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_what_is_learned_does_not_depend_on_partitions_and_order(
    spark: SparkSession, learned: Statistics
):
    texts = [*TEXTS]
    random.Random(1).shuffle(texts)

    again = learn_statistics(documents_of(spark, texts).repartition(7), CONFIG)

    assert again == learned
    assert again.digest == learned.digest
    assert (learned.n_documents, learned.n_features, learned.n_sampled) == (50, 20, 50)


def test_fingerprints_are_those_of_the_oracle(spark: SparkSession, learned: Statistics):
    new = [*TEXTS, "a fox of its own", "", "the"]

    rows = fingerprints(documents_of(spark, new), replace(CONFIG, statistics=learned)).collect()

    expected = oracles.Learned(TEXTS, PROFILE, 128)
    words = [oracles.fingerprint(text, PROFILE, 128, expected) for text in new]
    signed = [w and tuple(one - (one >> 63 << 64) for one in w) for w in words]
    found = {row.id: (row.fingerprint, row.fingerprint_high) for row in rows}
    assert [found[n] for n in range(len(new))] == [one or (None, None) for one in signed]
    assert signed[-1] is signed[-2] is None


def test_what_is_kept_is_read_back_as_it_was(spark: SparkSession, learned: Statistics, kept: Path):
    read = load_statistics(spark, str(kept))

    assert read == learned
    assert read.digest == learned.digest
    assert read.source == str(kept)


def test_what_is_kept_can_be_looked_into(spark: SparkSession, learned: Statistics, kept: Path):
    zipped = F.expr("inline(arrays_zip(features, documents))")

    rows = spark.read.parquet(str(kept)).select(zipped).collect()

    expected = oracles.Learned(TEXTS, PROFILE, 128).frequencies
    assert {row.features % 2**64: row.documents for row in rows} == expected


def test_what_is_kept_is_never_overwritten(spark: SparkSession, learned: Statistics, kept: Path):
    with pytest.raises(Exception, match="already exists"):
        save_statistics(learned, spark, str(kept))


def test_a_folder_that_is_not_there_is_refused(spark: SparkSession, tmp_path: Path):
    with pytest.raises(InputError, match=r"No statistics can be read from .*/none: .*not exist"):
        load_statistics(spark, str(tmp_path / "none"))


def test_a_half_written_folder_is_refused(spark: SparkSession, kept: Path):
    for file in kept.glob("*.parquet"):
        file.unlink()

    with pytest.raises(InputError, match="kept holds no complete statistics: it was left half"):
        load_statistics(spark, str(kept))


def test_a_damaged_file_is_refused_in_one_line(spark: SparkSession, kept: Path):
    (file,) = kept.glob("*.parquet")
    file.write_bytes(b"no parquet, and long enough to be looked into")
    for checksum in kept.glob(".*.crc"):
        checksum.unlink()

    with pytest.raises(
        InputError, match=r"No statistics can be read .* is not a Parquet"
    ) as caught:
        load_statistics(spark, str(kept))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    ["n_documents + 1 AS n_documents", "reverse(features) AS features",
     "transform(thresholds, x -> x + 1) AS thresholds", "'x' AS definition",
     "slice(features, 1, 3) AS features", "CAST(NULL AS STRING) AS digest"],
)  # fmt: skip
def test_statistics_that_were_changed_are_refused(spark: SparkSession, kept: Path, change: str):
    name = change.rpartition(" ")[2]
    stored = spark.read.parquet(str(kept))
    other = str(kept.parent / "other")
    stored.selectExpr(
        *[change if column == name else column for column in stored.columns]
    ).write.parquet(other)

    with pytest.raises(InputError, match="other holds no complete statistics"):
        load_statistics(spark, other)


def test_two_sets_of_statistics_in_one_folder_are_refused(spark: SparkSession, kept: Path):
    (file,) = kept.glob("*.parquet")
    shutil.copy(file, kept / "part-again.parquet")

    with pytest.raises(InputError, match="holds no complete statistics"):
        load_statistics(spark, str(kept))


def test_files_of_another_program_are_refused(spark: SparkSession, tmp_path: Path):
    pq.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "texts.parquet")

    with pytest.raises(InputError, match="or made by another program"):
        load_statistics(spark, str(tmp_path))


@pytest.mark.parametrize("profile", [ONE, replace(PROFILE, weigh=Idf("set"))])
@pytest.mark.parametrize("texts", [[], [None, ""]], ids=["no row", "no text"])
def test_a_corpus_without_features_is_refused(spark: SparkSession, profile: Profile, texts: list):
    with pytest.raises(InputError, match="there is nothing to learn statistics from"):
        learn_statistics(documents_of(spark, texts), DedupConfig(profile=profile))


def test_medians_of_texts_without_fingerprints_are_refused(spark: SparkSession):
    with pytest.raises(InputError, match="No document has enough features"):
        learn_statistics(documents_of(spark, ["the fox"]), CONFIG)


def test_one_document_is_a_corpus(spark: SparkSession):
    statistics = learn_statistics(documents_of(spark, ["a b c d"]), CONFIG)

    assert (statistics.n_documents, statistics.n_features, statistics.n_sampled) == (1, 0, 1)
    learned = oracles.Learned(["a b c d"], PROFILE, 128)
    for text in ("a b c d", "e f g h"):
        words = oracles.fingerprint(text, PROFILE, 128, learned)
        expected = sum(word << 64 * place for place, word in enumerate(words))
        assert fingerprint(text, PROFILE, 128, statistics=statistics) == expected


def test_a_profile_that_learns_nothing_is_refused(spark: SparkSession):
    with pytest.raises(ConfigError, match="'auto' learns nothing from a corpus"):
        learn_statistics(documents_of(spark, TEXTS), DedupConfig())


def test_a_wrong_column_is_refused_as_elsewhere(spark: SparkSession):
    documents = documents_of(spark, TEXTS)
    with pytest.raises(MissingColumnError, match="no column 'body'"):
        learn_statistics(documents, replace(CONFIG, text_column="body"))
    with pytest.raises(SchemaError, match="type bigint, not string"):
        learn_statistics(documents, replace(CONFIG, text_column="id"))


def test_without_statistics_nothing_is_computed(spark: SparkSession):
    documents = documents_of(spark, TEXTS)
    for use in (
        lambda: deduplicate(documents, CONFIG),
        lambda: fingerprints(documents, CONFIG),
        lambda: register_functions(spark, CONFIG),
        lambda: fingerprint("the fox", PROFILE),
    ):
        with pytest.raises(ConfigError, match="learns from a corpus and got no statistics"):
            use()


def test_sql_and_a_prompt_give_the_fingerprint_of_the_table(spark: SparkSession):
    documents = documents_of(spark, TEXTS)
    config = DedupConfig(profile=ONE)
    config = replace(config, statistics=learn_statistics(documents, config))

    register_functions(spark, config)
    documents.createOrReplaceTempView("texts")
    by_sql = spark.sql("SELECT simhash(text) AS f FROM texts WHERE id = 3").first().f

    in_table = fingerprints(documents, config).where("id = 3").first().fingerprint
    at_prompt = fingerprint(TEXTS[3], ONE, statistics=config.statistics)
    assert by_sql == in_table == at_prompt - (at_prompt >> 63 << 64)


def test_relearning_forgets_what_was_learned(spark: SparkSession, learned: Statistics):
    again = learn_statistics(documents_of(spark, TEXTS[:9]), replace(CONFIG, statistics=learned))

    assert again.n_documents == 9


def test_near_duplicates_are_found_with_what_was_learned(spark: SparkSession):
    profile = Profile("c", Characters((3,)), weigh=Idf("set"), threshold="median")
    base = "The quick brown fox jumps over the lazy dog, and nobody in the village knew why. " * 2
    documents = documents_of(spark, [*TEXTS, base, base + "!"])
    config = DedupConfig(profile=profile, max_distance=5)
    config = replace(config, statistics=learn_statistics(documents, config))

    found = deduplicate(documents, config)

    assert {(row.id_l, row.id_r) for row in found.pairs.collect()} == {(50, 51)}
