"""The whole flow against brute force, and the same answer however the input is cut up."""

from __future__ import annotations

import functools
import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

from simhash_spark import DedupConfig, Profile, deduplicate, fingerprints, near_duplicates
from simhash_spark.errors import MissingColumnError, SchemaError
from simhash_spark.profiles.steps import Words
from tests import oracles

TABLES = ("fingerprints", "pairs", "clusters", "duplicates", "unfingerprinted", "survivors")
DATA = Path(__file__).parent / "data"
SIGNED = 2**63

# Few and long-range features, so that an edited text lies at every distance from its original.
WORDS = Profile("test-words", Words((1,)), min_features=3)
VOCABULARY = [f"word{number}" for number in range(40)] + ["世界", "卫生", "ωmega", "🙂", "मानक"]


def unsigned(row: tuple) -> tuple:
    return tuple(v % 2**64 if isinstance(v, int) and not isinstance(v, bool) else v for v in row)


def rows_of(dedup, name: str) -> list[tuple]:
    """Rows of a table in the form of the oracle: unsigned words, no columns it does not know."""
    frame = getattr(dedup, name).drop("similarity", "n_features", "n_characters")
    return sorted((unsigned(tuple(row)) for row in frame.collect()), key=repr)


def in_memory(spark):
    """Compute each reused frame once."""
    return lambda _name, frame: spark.createDataFrame(frame.collect(), frame.schema)


@st.composite
def corpora(draw) -> dict[str, str | None]:
    """Mixtures of originals, exact copies, edits, noise, nulls and short texts."""
    size = st.integers(5, 30)
    words = st.sampled_from(VOCABULARY)
    originals = draw(
        st.lists(size.flatmap(lambda n: st.lists(words, min_size=n, max_size=n)), max_size=4)
    )
    texts: list[str | None] = [" ".join(text) for text in originals]
    for original in originals:
        for kind in draw(st.lists(st.sampled_from(["copy", "case", "edit", "append"]), max_size=5)):
            edited = list(original)
            if kind == "edit":
                edited[draw(st.integers(0, len(edited) - 1))] = draw(words)
            elif kind == "append":
                edited += draw(st.lists(words, min_size=1, max_size=2))
            texts.append("  ".join(edited).upper() if kind == "case" else " ".join(edited))
    texts += draw(st.lists(st.sampled_from([None, "", " \t", "a", "ab", "a b"]), max_size=4))
    texts += draw(st.lists(st.text(max_size=30).filter(lambda t: "\x00" not in t), max_size=3))
    order = draw(st.permutations(range(len(texts))))
    return {f"d{place:02}": texts[i] for place, i in enumerate(order)}


def all_settings() -> list[tuple[int, int]]:
    return [(64, k) for k in range(9)] + [(128, k) for k in range(17)]


# Each example runs Spark: no deadline, and no shrinking, which would run it hundreds of times.
@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@given(corpus=corpora(), data=st.data())
def test_twenty_random_corpora_equal_brute_force(spark, corpus, data):
    bits, max_distance = data.draw(st.sampled_from(all_settings()))
    config = DedupConfig(profile=WORDS, bits=bits, max_distance=max_distance)
    documents = spark.createDataFrame(list(corpus.items()), "id string, text string")

    dedup = deduplicate(documents, config, in_memory(spark))

    expected = oracles.deduplicate(corpus, config)
    for name in TABLES:
        assert rows_of(dedup, name) == sorted(map(unsigned, expected[name]), key=repr), name


@functools.cache
def edited_texts() -> dict[str, str | None]:
    """Three hundred texts with edits at every distance, exact copies, nulls and short ones."""
    draw = random.Random(11)
    corpus: dict[str, str | None] = {}
    for family in range(30):
        original = draw.choices(VOCABULARY, k=draw.randint(8, 40))
        for _ in range(8):
            edited = [w if draw.random() > 0.04 else draw.choice(VOCABULARY) for w in original]
            corpus[f"{family}-{len(corpus)}"] = " ".join(edited)
    corpus |= {f"x{n}": text for n, text in enumerate([None, "", "a", "a b", "\n"] * 3)}
    return corpus


@pytest.mark.parametrize(("bits", "max_distance"), [(64, 0), (64, 3), (64, 8), (128, 5), (128, 16)])
def test_edits_at_every_distance_equal_brute_force(spark, bits, max_distance):
    config = DedupConfig(profile=WORDS, bits=bits, max_distance=max_distance)
    documents = spark.createDataFrame(list(edited_texts().items()), "id string, text string")

    dedup = deduplicate(documents, config, in_memory(spark))

    expected = oracles.deduplicate(edited_texts(), config)
    assert max_distance == 0 or len(expected["pairs"]) > 5
    for name in TABLES:
        assert rows_of(dedup, name) == sorted(map(unsigned, expected[name]), key=repr), name


@pytest.mark.parametrize(
    ("n_partitions", "adaptive"),
    [(1, "true"), (2, "false"), (7, "true"), (7, "false"), (64, "true")],
)
def test_the_output_does_not_depend_on_partitions_order_or_adaptive_plans(
    spark, n_partitions, adaptive
):
    rows = list(edited_texts().items())
    random.Random(n_partitions).shuffle(rows)
    documents = spark.createDataFrame(rows, "id string, text string").repartition(n_partitions)
    config = DedupConfig(profile=WORDS, max_distance=6)
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        dedup = deduplicate(documents, config, in_memory(spark))
        actual = {name: rows_of(dedup, name) for name in TABLES}
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", before)

    expected = oracles.deduplicate(edited_texts(), config)
    for name in TABLES:
        assert actual[name] == sorted(map(unsigned, expected[name]), key=repr), name


def test_a_store_is_given_each_reused_frame_once_in_flow_order(spark):
    documents = spark.createDataFrame(
        [("a", "x y z w"), ("b", "x y z w")], "id string, text string"
    )
    seen = []

    def store(name, frame):
        seen.append(name)
        return spark.createDataFrame(frame.collect(), frame.schema)

    dedup = deduplicate(documents, DedupConfig(profile=WORDS), store)

    assert seen == ["fingerprints", "nodes", "edges", "components", "members"]
    assert rows_of(dedup, "survivors") == [("a", "x y z w")]


def test_rows_without_an_id_are_identified_by_content_and_none_is_lost(spark):
    rows = [
        ("x y z w", 1),
        ("x y z w", 1),
        ("x y z w", 2),
        (None, 3),
        (None, 3),
        ("lone text is here", 4),
    ]
    documents = spark.createDataFrame(rows, "text string, n int")

    dedup = deduplicate(documents, DedupConfig(id_column=None, profile=WORDS, keep="n desc"))

    kept = [("x y z w", 2), (None, 3), (None, 3), ("lone text is here", 4)]
    assert rows_of(dedup, "survivors") == sorted(kept, key=repr)
    assert dedup.duplicates.count() == 2
    ids = [row.id for row in dedup.fingerprints.collect()]
    assert len(set(ids)) == len(rows)


def test_ids_of_any_order_decide_ties_by_their_own_type(spark):
    documents = spark.createDataFrame([(10, "x y z w"), (9, "x y z w")], "id long, text string")

    dedup = deduplicate(documents, DedupConfig(profile=WORDS))

    assert rows_of(dedup, "duplicates") == [(10, 9, 9, 0)]


def test_columns_named_like_ours_pass_through_untouched(spark):
    names = "fingerprint, cluster_id, id_l, reason, band, component, is_survivor, keep_0, row_id"
    fields = ", ".join(f"{name} string" for name in names.split(", "))
    values = [f"v{number}" for number in range(9)]
    documents = spark.createDataFrame(
        [("a", "x y z w", *values), ("b", "x y z w", *values)], f"url string, id string, {fields}"
    )
    config = DedupConfig(id_column="url", text_column="id", profile=WORDS, keep="component, row_id")

    dedup = deduplicate(documents, config)

    assert dedup.survivors.schema == documents.schema
    assert [tuple(row) for row in dedup.survivors.collect()] == [("a", "x y z w", *values)]


@pytest.mark.parametrize("store", [None, lambda _name, frame: frame])
def test_repeated_and_null_ids_stop_the_run_before_anything_is_lost(spark, store):
    repeated = spark.createDataFrame([("a", "x y z"), ("a", "p q r")], "id string, text string")
    null = spark.createDataFrame([(None, "x y z"), ("a", "p q r")], "id string, text string")

    with pytest.raises(SchemaError, match=r"1 id.* more than once, for example 'a'"):
        deduplicate(repeated, DedupConfig(profile=WORDS), store)
    with pytest.raises(SchemaError, match="null in 1 row"):
        deduplicate(null, DedupConfig(profile=WORDS), store)


def test_fingerprints_with_bit_63_and_of_all_ones_survive_parquet_sql_and_ansi(spark, tmp_path):
    """Spark has no unsigned long: bit 63 is the sign, and ANSI mode forbids overflow."""
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        rows = [("a", -(2**63)), ("b", -1), ("c", 0), ("d", 2**63 - 1)]
        spark.createDataFrame(rows, "id string, fingerprint long").write.parquet(f"{tmp_path}/f")
        stored = spark.read.parquet(f"{tmp_path}/f")
        from simhash_spark.hamming import hamming_pairs
        from simhash_spark.stages.clusters import connect_components

        edges = hamming_pairs(stored, DedupConfig(max_distance=1))
        components = edges.transform(connect_components, 64)
        shown = stored.select("id", F.hex("fingerprint"), F.bit_count("fingerprint"))

        found = {unsigned(tuple(row)) for row in edges.collect()}
        assert found == {(0, 2**63, 1), (2**63 - 1, 2**64 - 1, 1)}
        assert {unsigned(tuple(row)) for row in components.collect()} == {
            (0, 0),
            (2**63, 0),
            (2**63 - 1, 2**63 - 1),
            (2**64 - 1, 2**63 - 1),
        }
        assert sorted(map(tuple, shown.collect())) == [
            ("a", "8000000000000000", 1),
            ("b", "FFFFFFFFFFFFFFFF", 64),
            ("c", "0", 0),
            ("d", "7FFFFFFFFFFFFFFF", 63),
        ]
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)


def test_the_twenty_planted_articles_and_nothing_else_are_found(spark):
    documents = spark.read.json(f"{DATA}/articles.jsonl.gz", schema="id string, text string")
    planted = spark.read.json(f"{DATA}/articles_pairs.jsonl").select("id1", "id2")

    found = near_duplicates(documents, DedupConfig(max_distance=3)).select("id_l", "id_r")

    assert {tuple(sorted(row)) for row in found.collect()} == {
        tuple(sorted(row)) for row in planted.collect()
    }
    assert planted.count() == 20


def test_near_duplicates_pair_copies_with_the_first_and_others_once(spark):
    texts = {"b": "x y z w", "a": "x y z w", "c": "X Y Z W", "e": "p q r s", "n": None}
    documents = spark.createDataFrame(list(texts.items()), "id string, text string")

    found = near_duplicates(documents, DedupConfig(profile=WORDS)).collect()

    assert sorted(tuple(row) for row in found) == [("a", "b", 0, None), ("a", "c", 0, None)]


def test_the_first_word_of_128_bits_is_the_fingerprint_of_64(spark):
    documents = spark.createDataFrame(list(edited_texts().items()), "id string, text string")
    short = fingerprints(documents, DedupConfig(profile=WORDS))
    long = fingerprints(documents, DedupConfig(profile=WORDS, bits=128))

    assert sorted(map(tuple, short.collect()), key=repr) == sorted(
        map(tuple, long.drop("fingerprint_high").collect()), key=repr
    )


@pytest.mark.parametrize("call", [deduplicate, fingerprints, near_duplicates])
def test_every_door_names_a_missing_column(spark, call):
    documents = spark.createDataFrame([("a", "t")], "id string, body string")

    with pytest.raises(MissingColumnError, match="no column 'text'; it has: id, body"):
        call(documents)


def test_every_pair_of_words_stands_in_the_vocabulary_once():
    assert all(a != b for a, b in itertools.combinations(VOCABULARY, 2))


@pytest.mark.parametrize(
    ("keep", "error", "message"),
    [
        ("quality desc", MissingColumnError, "no column 'quality'; it has: id, text, m"),
        ("m", SchemaError, "'m' in --keep is of type map<string,int>, which has no order"),
    ],
)
def test_a_wrong_keep_column_stops_the_run_before_it_starts(spark, keep, error, message):
    """It used to be found after the search for pairs: on real data, after hours."""
    documents = spark.createDataFrame([("a", "t", {})], "id string, text string, m map<string,int>")
    stored = []

    with pytest.raises(error, match=message):
        deduplicate(documents, DedupConfig(keep=keep), lambda name, frame: stored.append(name))

    assert stored == []


@pytest.mark.parametrize("id_column", ["id", None])
def test_the_words_of_texts_as_a_column_give_what_the_texts_give(spark, id_column):
    texts = ["a b c d e f", "a b c d e f g", "A  b c d e f", "u v w x y z", None, "", "a b", "a b"]
    rows = [
        (n, text, None if text is None else text.lower().split()) for n, text in enumerate(texts)
    ]
    documents = spark.createDataFrame(rows, "n int, text string, words array<string>")
    documents = documents.withColumn("id", F.col("n")) if id_column else documents.drop("n")
    config = DedupConfig(id_column=id_column, profile=WORDS, max_distance=8)

    by_text = deduplicate(documents, config, in_memory(spark))
    given = deduplicate(documents, replace(config, features_column="words"), in_memory(spark))

    for name in ("pairs", "clusters", "duplicates", "survivors"):
        assert rows_of(given, name) == rows_of(by_text, name)
    assert given.duplicates.count() == 2
    assert given.pairs.count() == 2
    reasons = [row.reason for row in given.unfingerprinted.collect()]
    assert sorted(reasons) == ["empty", "null_features", "too_short", "too_short"]


def test_without_a_text_the_smallest_id_survives(spark):
    documents = spark.createDataFrame(
        [(3, ["a"]), (1, ["a"]), (2, ["a"])], "id int, f array<string>"
    )
    config = DedupConfig(features_column="f", profile=Profile("any", min_features=1))

    assert deduplicate(documents, config).survivors.collect() == [(1, ["a"])]
