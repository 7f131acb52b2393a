"""The measurement of profiles, by figures computed by hand; and what it says about our own data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES
from tests.benchmarks import evaluate_profiles
from tests.benchmarks.corpora import Corpus, find_corpora, read_corpus, sample_corpus
from tests.benchmarks.quality import (
    count_distances,
    largest_bucket,
    mean_distance,
    score,
    shares_of_ones,
    skew,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simhash_spark.core.typing import Words

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"

# Distances: 0 to 1 and 1 to 2: 1 bit, 0 to 2: 2 bits, document 3 to all others: 62 to 64.
FOUR = [0, 0b1, 0b11, (1 << 64) - 1]
NEAR = [0, 0, 0, 3]
TRUE = [(0, 1), (0, 2)]


def words_of(values: Iterable[int]) -> Words:
    return np.array(list(values), dtype=np.uint64).reshape(-1, 1)


def corpus_of(clusters: list[int], true: list[tuple[int, int]], **rates: float) -> Corpus:
    texts = [f"text {number}" for number in range(len(clusters))]
    pairs = np.array(true, dtype=np.int64).reshape(-1, 2)
    return Corpus("example", texts, np.array(clusters, dtype=np.int64), pairs, **rates)


def all_of(words: Words) -> np.ndarray:
    return np.ones(len(words), dtype=bool)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def row(left: str, right: str, **more: float) -> dict[str, Any]:
    return {"id1": left, "id2": right, **more}


def write_corpus(folder: Path) -> None:
    texts = {"a": "one text", "b": " one\ttext", "c": "two", "d": "three", "e": "four"}
    texts |= {"f": " ", "g": "five", "h": "six"}
    write_rows(folder / "docs.jsonl", [{"id": i, "text": text} for i, text in texts.items()])
    gold = [row("b", "c", jaccard=0.8), row("d", "c", jaccard=0.79), row("a", "b", jaccard=1.0)]
    write_rows(folder / "gold_jaccard.jsonl", gold)
    pairs = [
        row("h", "g", label=1, jaccard5w=0.9),
        row("a", "c", label=1, jaccard5w=0.5),
        row("d", "e", label=0, jaccard5w=0.1),
        row("a", "nowhere", label=1, jaccard5w=1.0),
        row("a", "f", label=1, jaccard5w=1.0),
    ]
    write_rows(folder / "pairs.jsonl", pairs)


def test_documents_equal_but_for_white_space_are_one_and_pairs_of_both_lists_count(tmp_path: Path):
    write_corpus(tmp_path / "made")

    corpus = read_corpus("made", *find_corpora(tmp_path)["made"])

    assert corpus.texts == ["one text", "two", "three", "four", "five", "six"]
    assert corpus.true_pairs.tolist() == [[0, 1], [4, 5]]
    assert corpus.clusters.tolist() == [0, 0, 0, 3, 4, 4]  # 0.79 connects, label 0 does not


def test_a_folder_without_corpora_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no corpus"):
        find_corpora(tmp_path)


def test_the_corpora_of_the_tests_are_found():
    assert list(find_corpora(DATA)) == ["articles", "manuals", "poems"]


def test_pairs_are_counted_at_their_distance():
    counted = count_distances(words_of(FOUR), all_of(FOUR), corpus_of(NEAR, TRUE))

    at = [{d: int(n) for d, n in enumerate(counts) if n} for counts in vars(counted).values()]
    assert at == [{1: 1, 2: 1}, {1: 2, 2: 1}, {62: 1, 63: 1, 64: 1}]
    assert mean_distance(counted) == 63 / 64


def test_scores_are_those_computed_by_hand():
    corpus = corpus_of(NEAR, TRUE)

    scores = score(count_distances(words_of(FOUR), all_of(FOUR), corpus), corpus)

    # Found within 0, 1, 2, 62: 0, 2, 3, 4; true among them: 0, 1, 2, 2; 2 true in all.
    places = [0, 1, 2, 62]
    assert scores.precision[places] == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4])
    assert scores.recall[places] == pytest.approx([0, 1 / 2, 1, 1])
    assert scores.f1[places] == pytest.approx([0, 1 / 2, 4 / 5, 2 / 3])
    assert scores.best == 2


def test_a_true_pair_without_fingerprint_is_missed():
    corpus = corpus_of(NEAR, TRUE)
    has_fingerprint = np.array([True, True, False, True])

    scores = score(count_distances(words_of(FOUR), has_fingerprint, corpus), corpus)

    assert scores.recall[64] == 1 / 2
    assert scores.precision[2] == 1


def test_a_sample_counts_pairs_for_as_many_as_it_stands_for():
    corpus = corpus_of(NEAR, TRUE, rate=1 / 2, pair_rate=1 / 4)

    scores = score(count_distances(words_of(FOUR), all_of(FOUR), corpus), corpus)

    # 2 true and 3 pairs inside count double, 3 pairs of two clusters four times.
    assert scores.precision[64] == pytest.approx(4 / (6 + 12))
    assert scores.f1[64] == pytest.approx(2 * 4 / (18 + 4))
    assert scores.f1[2] == pytest.approx(4 / 5)


def test_skew_is_the_share_of_bands_agreed_on_by_unrelated_documents_relative_to_chance():
    words = words_of([5, 5 + (1 << 16), 5 + (1 << 32)])
    # Of 4 bands, 0 and 1 share 3, 0 and 2 share 3, 1 and 2 share 2.
    apart, near = corpus_of([0, 1, 2], []), corpus_of([0, 0, 2], [])

    actual = [
        skew(count_distances(words, all_of(words), corpus), words, all_of(words), corpus)
        for corpus in (apart, near)
    ]

    assert actual == pytest.approx([8 / 12 * 65536, 5 / 8 * 65536])


def test_the_largest_bucket_counts_distinct_fingerprints():
    size, expected = largest_bucket(words_of([5, 5, 6, 7]))

    assert size == 3
    assert expected == pytest.approx(1, abs=1e-3)  # three in 65,536 buckets lie apart


def test_the_largest_bucket_expected_is_that_of_uniform_fingerprints():
    rng = np.random.default_rng(3)
    drawn = [rng.integers(0, 1 << 64, (20_000, 1), np.uint64) for _ in range(30)]

    sizes = [largest_bucket(words)[0] for words in drawn]

    assert largest_bucket(drawn[0])[1] == pytest.approx(np.mean(sizes), rel=0.05)


def test_ones_are_counted_bit_by_bit():
    words = np.array([[0b01, 1 << 63], [0b11, 0]], dtype=np.uint64)

    shares = shares_of_ones(words)

    assert {bit: share for bit, share in enumerate(shares) if share} == {0: 1, 1: 0.5, 127: 0.5}


@pytest.mark.parametrize("bounds", [(50, 1 << 30), (200, 350)])
def test_a_sample_holds_whole_clusters_and_says_which_share(bounds: tuple[int, int]):
    couples = [(first, first + 1) for first in range(0, 200, 2)]
    corpus = corpus_of([doc // 2 * 2 for doc in range(200)], couples)

    sample = sample_corpus(corpus, most_docs=bounds[0], most_characters=bounds[1])

    n_couples = len(sample.texts) // 2
    assert 20 <= n_couples <= 25  # "text 99" has 7 characters, "text 100" 8
    assert np.bincount(sample.clusters)[np.unique(sample.clusters)].tolist() == [2] * n_couples
    assert len(sample.true_pairs) == n_couples
    assert {
        tuple(int(sample.texts[doc].split()[1]) for doc in pair) for pair in sample.true_pairs
    } <= set(couples)
    assert sample.rate == n_couples / 100
    assert sample.pair_rate == pytest.approx(n_couples * (n_couples - 1) / (100 * 99))


def test_a_corpus_within_the_bounds_is_not_sampled():
    corpus = corpus_of([0, 0, 2], [])
    assert sample_corpus(corpus, most_docs=3, most_characters=18) is corpus


def test_auto_finds_the_planted_articles_and_nothing_else():
    corpus = read_corpus("articles", *find_corpora(DATA)["articles"])

    row = evaluate_profiles.evaluate(corpus, PROFILES["auto"])

    assert len(corpus.true_pairs) == 20
    assert (row.scores.f1[3], row.scores.best) == (1, 3)


@pytest.mark.parametrize("name", ["articles", "manuals", "poems"])
def test_unrelated_documents_differ_in_half_of_the_bits_of_auto_and_no_bit_is_constant(name: str):
    corpus = read_corpus(name, *find_corpora(DATA)[name])

    row = evaluate_profiles.evaluate(corpus, PROFILES["auto"])

    assert 0.45 <= row.mean_distance <= 0.55
    assert ((row.ones > 0) & (row.ones < 1)).all()


def test_the_command_prints_a_row_for_each_profile_that_fits_the_corpus(
    capsys: pytest.CaptureFixture[str],
):
    file = str(ROOT / "conf" / "profiles" / "auto.toml")

    evaluate_profiles.main(["--corpora", "articles", "--profiles", file, "zh-words"])

    printed = capsys.readouterr().out
    assert "| articles | auto | 2,500 | 20 | 0 | 1.000 | 3 | 1.00 | 1.00 | 1.00 |" in printed
    assert "| auto | 1.00 @3 ×" in printed
    assert "zh-words" not in printed
