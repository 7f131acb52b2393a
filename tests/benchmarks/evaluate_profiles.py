"""Profile by corpus: best F1, recall at distance 3, load of the bands, balance of the bits.

Run: python tests/benchmarks/evaluate_profiles.py [FOLDER] [--profiles P ...] [--corpora C ...]
A profile is a name or a file. FOLDER is tests/data unless given; corpora.py says what it may hold.
In one process, without Spark: all documents of a corpus are compared with one another. Prints the
tables in Markdown, and how to read them. Profiles with jieba take minutes, pos-weighted half an
hour on traditional Chinese (0.5 ms a character): give it fewer --characters.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import FingerprintBatch, fingerprint_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile, profile_of
from tests.benchmarks.corpora import Corpus, find_corpora, read_corpus, sample_corpus
from tests.benchmarks.quality import (
    Scores,
    count_distances,
    largest_bucket,
    mean_distance,
    score,
    shares_of_ones,
    skew,
)

DATA = Path(__file__).parents[1] / "data"
USUAL_DISTANCE = 3
UNRELATED = (0.45, 0.55)
LEGEND = """
- *documents*: distinct ones; of texts that differ in white space alone, the first. *n %*: sampled
  by whole clusters of labelled pairs, up to {documents:,} documents and, with jieba, {characters:,}
  characters; figures are then estimates of the whole corpus: a pair of two clusters counts for as
  many as the sample stands for, so from some percent down a few pairs decide.
- *true pairs*: a Jaccard similarity of 0.8 or more in any list of the corpus. *null*: documents
  with too few features; their pairs count as missed.
- *best F1*, *at k*: of all maximal distances of {bits} bits, with its precision and recall.
- *skew*: how much oftener than by chance two unrelated documents share a band of 16 bits.
- *largest bucket* of such a band, in distinct fingerprints, and how many times the largest bucket
  of as many uniform fingerprints that is.
- *mean distance* of unrelated documents (of two clusters) as a share of the bits, "!" outside
  {low}-{high}. *ones*: the smallest and the largest share of documents where a bit is 1.
  *constant*: bits that are the same in all documents.
"""
HEADER = (
    "corpus", "profile", "documents", "true pairs", "null", "best F1", "at k", "precision",
    "recall", "recall at 3", "skew", "largest bucket", "mean distance", "ones", "constant",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What was measured for a profile on a corpus."""

    corpus: Corpus
    profile: Profile
    n_without: int
    scores: Scores
    skew: float
    largest: tuple[int, float]
    mean_distance: float
    ones: np.ndarray

    def cells(self) -> list[str]:
        k, scores, (largest, expected) = self.scores.best, self.scores, self.largest
        n_docs, n_true = len(self.corpus.texts), len(self.corpus.true_pairs)
        low, high = UNRELATED
        outside = "" if low <= self.mean_distance <= high else " !"
        return [
            self.corpus.name,
            self.profile.name,
            f"{n_docs:,}" + (f" ({self.corpus.rate:.0%})" if self.corpus.rate < 1 else ""),
            f"{n_true:,}",
            f"{self.n_without:,}",
            f"{scores.f1[k]:.3f}",
            str(k),
            f"{scores.precision[k]:.2f}",
            f"{scores.recall[k]:.2f}",
            f"{scores.recall[USUAL_DISTANCE]:.2f}",
            f"×{self.skew:.1f}",
            f"{largest} (×{largest / max(expected, 1):.1f})",
            f"{self.mean_distance:.3f}{outside}",
            f"{self.ones.min():.2f}–{self.ones.max():.2f}",
            str(int(np.isin(self.ones, (0, 1)).sum())),
        ]

    def short(self) -> str:
        k = self.scores.best
        return f"{self.scores.f1[k]:.2f} @{k} ×{self.skew:.1f}"


def fingerprint_all(texts: list[str], settings: FingerprintSettings) -> FingerprintBatch:
    raw = [text.encode("utf-8", errors="replace") for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return fingerprint_texts(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets, settings)


def evaluate(corpus: Corpus, profile: Profile, bits: int = 64) -> Row:
    batch = fingerprint_all(corpus.texts, FingerprintSettings(profile, bits))
    counted = count_distances(batch.words, batch.has_fingerprint, corpus)
    words = batch.words[batch.has_fingerprint]
    return Row(
        corpus,
        profile,
        len(corpus.texts) - len(words),
        score(counted, corpus),
        skew(counted, batch.words, batch.has_fingerprint, corpus),
        largest_bucket(words),
        mean_distance(counted),
        shares_of_ones(words),
    )


def profile_at(name: str) -> Profile:
    """Read the profile of a file; else take the built-in one of that name."""
    path = Path(name)
    if path.suffix != ".toml":
        return profile_of(name)
    return Profile.from_mapping(path.stem, tomllib.loads(path.read_text("utf-8")))


def markdown(header: tuple[str, ...] | list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def matrix(rows: list[Row]) -> str:
    """Profile by corpus: best F1, at which distance, and the skew."""
    corpora = list(dict.fromkeys(row.corpus.name for row in rows))
    by_place = {(row.profile.name, row.corpus.name): row.short() for row in rows}
    profiles = list(dict.fromkeys(row.profile.name for row in rows))
    table = [[name, *(by_place.get((name, one), "") for one in corpora)] for name in profiles]
    return markdown(["profile", *corpora], table)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), metavar="NAME")
    parser.add_argument("--corpora", nargs="+", metavar="NAME")
    parser.add_argument("--bits", type=int, default=64, choices=(64, 128))
    parser.add_argument("--documents", type=int, default=60_000)
    parser.add_argument("--characters", type=int, default=6_000_000)
    given = parser.parse_args(arguments)
    profiles = [profile_at(name) for name in given.profiles]
    found = find_corpora(given.folder)
    rows = []
    print(markdown(HEADER, []))
    for name in given.corpora or found:
        whole = read_corpus(name, *found[name])
        for profile in profiles:
            if "jieba" in profile.packages and not whole.is_chinese:
                continue
            characters = given.characters if "jieba" in profile.packages else sys.maxsize
            corpus = sample_corpus(whole, most_docs=given.documents, most_characters=characters)
            row = evaluate(corpus, profile, given.bits)
            rows.append(row)
            print(f"| {' | '.join(row.cells())} |", flush=True)
    print(f"\n{matrix(rows)}")
    low, high = UNRELATED
    print(LEGEND.format(**vars(given), low=low, high=high))


if __name__ == "__main__":
    main(sys.argv[1:])
