"""What IDF and median thresholds change: accuracy at every distance, and how even the buckets are.

Run: python tests/benchmarks/measure_learned.py FOLDER ...
Each folder holds docs.jsonl or docs.parquet (columns id and text) and gold_jaccard.jsonl (lines
of id1, id2, jaccard). Every distinct text is compared with every other one, at 64 bits.

Columns: best F1 over all distances k for pairs of Jaccard 0.8 or more, and that k; recall and
precision at k = 3; pairs that share one of four bands of 16 bits, per pair that would do so if
fingerprints were spread evenly; largest bucket; mean distance of all pairs, as a share of the
bits; least share of the rarer value of a bit.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.json
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.learning import document_counts, shares_of_texts
from simhash_spark.core.vote.frequencies import count_equal
from simhash_spark.core.vote.thresholds import median_shares
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Count, Log

AUTO = PROFILES["auto"]
VARIANTS = {
    "set": AUTO,
    "set, median": replace(AUTO, threshold="median"),
    "log": replace(AUTO, weigh=Log()),
    "idf, tf set": replace(AUTO, weigh=Idf("set")),
    "idf, tf log": replace(AUTO, weigh=Idf("log")),
    "idf, tf log, top 10,000": replace(AUTO, weigh=Idf("log", 10_000)),
    "idf, tf set, median": replace(AUTO, weigh=Idf("set"), threshold="median"),
    "count": replace(AUTO, weigh=Count()),
    "count, median": replace(AUTO, weigh=Count(), threshold="median"),
    "idf of words": replace(PROFILES["en-words"], weigh=Idf("log")),
}


def learn(data: np.ndarray, offsets: np.ndarray, profile: Profile) -> FingerprintSettings:
    """Learn as learn_statistics does, without Spark."""
    plain = FingerprintSettings(profile)
    if not profile.needs_statistics:
        return plain
    statistics = Statistics(profile.name, 64, plain.definition)
    if isinstance(profile.weigh, Idf):
        parts = list(document_counts([(data, offsets)], plain))
        features, counts = count_equal(*(np.concatenate([p[i] for p in parts]) for i in (0, 1)))
        order = np.lexsort((features.view(np.int64), -counts))[: profile.weigh.top]
        kept = np.sort(order[counts[order] > 1])
        statistics = replace(
            statistics,
            n_documents=sum(part[2] for part in parts),
            features=features[kept].tobytes(),
            documents=counts[kept].tobytes(),
        )
    if profile.threshold == "median":
        shares = shares_of_texts(data, offsets, replace(plain, statistics=statistics))
        statistics = replace(statistics, n_sampled=len(shares), thresholds=median_shares(shares))
    return replace(plain, statistics=statistics)


def read(folder: Path) -> tuple[list[str], list[str]]:
    """Ids and texts, one of each text."""
    path = folder / "docs.parquet"
    if path.exists():
        table = pyarrow.parquet.read_table(path, columns=["id", "text"])
    else:
        table = pyarrow.json.read_json(folder / "docs.jsonl").select(["id", "text"])
    first: dict[str, str] = {}
    for one, text in zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True):
        first.setdefault("".join((text or "").split()), f"{one}\t{text}")
    ids, texts = zip(*(line.split("\t", 1) for line in first.values()), strict=True)
    return list(ids), list(texts)


def distances(words: np.ndarray) -> np.ndarray:
    """Number of pairs at each distance."""
    found = np.zeros(65, dtype=np.int64)
    for at in range(len(words) - 1):
        found += np.bincount(np.bitwise_count(words[at + 1 :] ^ words[at]), minlength=65)
    return found


def buckets(words: np.ndarray) -> tuple[float, int]:
    """Pairs that share a band against evenly spread ones, and the largest bucket."""
    bands = [(words >> np.uint64(16 * band)) & np.uint64(0xFFFF) for band in range(4)]
    sizes = np.concatenate([np.unique(band, return_counts=True)[1] for band in bands])
    even = 4 * len(words) * (len(words) - 1) / 2 / 65536
    return float((sizes * (sizes - 1) / 2).sum() / even), int(sizes.max())


def report(folder: Path) -> None:
    ids, texts = read(folder)
    places = {one: place for place, one in enumerate(ids)}
    lines = map(json.loads, (folder / "gold_jaccard.jsonl").read_text("utf-8").splitlines())
    gold = {frozenset((str(p["id1"]), str(p["id2"]))) for p in lines if p["jaccard"] >= 0.8}
    pairs = np.array([sorted(places[i] for i in p) for p in gold if all(i in places for i in p)])
    raw = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    print(f"\n{folder.name}: {len(texts)} distinct texts, {len(pairs)} pairs of Jaccard >= 0.8")
    for name, profile in VARIANTS.items():
        batch = fingerprint_texts(data, offsets, learn(data, offsets, profile))
        words, has = batch.words[:, 0], batch.has_fingerprint
        is_usable = has[pairs].all(axis=1)
        near = np.bincount(np.bitwise_count(np.bitwise_xor(*words[pairs[is_usable]].T)), None, 65)
        at_distance = distances(words[has])
        true, all_found = np.cumsum(near), np.cumsum(at_distance)
        mean = at_distance @ np.arange(65) / at_distance.sum() / 64
        f1 = 2 * true / (len(pairs) + all_found)
        spread, largest = buckets(words[has])
        ones = np.unpackbits(words[has].view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
        print(
            f"  {name:24} F1 {f1.max():.3f} @{f1.argmax():<2}"
            f"  k=3: recall {true[3] / len(pairs):.2f}"
            f" precision {true[3] / max(all_found[3], 1):.2f}  band pairs x{spread:<6.1f}"
            f" largest bucket {largest:<5} mean distance {mean:.3f}"
            f" rarest bit {np.minimum(ones, 1 - ones).min():.3f}"
        )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        report(Path(argument))
