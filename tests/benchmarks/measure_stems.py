"""Whether stems find more near-duplicates than words as they are: best F1 by exhaustive comparison.

Run: python tests/benchmarks/measure_stems.py FOLDER ...   (docs.parquet or docs.jsonl with id and
text, gold_jaccard.jsonl with id1, id2, jaccard)
Word 3-grams, set weights, 64 bits; the best F1 over the distances up to 16. One hash is one draw of
luck: six independent ones are taken, and the mean of the six differences is given with its standard
error. The gold is Jaccard on words without stems, which rather favours those.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.steps import Blake2b, Hash, Md5, Mmh3, Words

FARTHEST = 16
HASHES: tuple[Hash, ...] = (Mmh3(), Md5(), Blake2b())
"""Each gives two fingerprints of 64 bits in its 128."""


def read_distinct(folder: Path) -> dict[str, str]:
    """Texts by id, the first of those that differ in white space alone."""
    if (folder / "docs.parquet").exists():
        rows = pq.read_table(folder / "docs.parquet", columns=["id", "text"]).to_pylist()
    else:
        rows = [json.loads(line) for line in (folder / "docs.jsonl").open(encoding="utf-8")]
    first: dict[str, tuple[str, str]] = {}
    for row in rows:
        text = row["text"] or ""
        first.setdefault("".join(text.split()), (str(row["id"]), text))
    first.pop("", None)
    return dict(first.values())


def read_gold(folder: Path, ids: list[str]) -> dict[tuple[int, int], float]:
    place = {id_: at for at, id_ in enumerate(ids)}
    gold = {}
    for line in (folder / "gold_jaccard.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        pair = sorted(place[str(row[name])] for name in ("id1", "id2") if str(row[name]) in place)
        if len(pair) == 2:
            gold[pair[0], pair[1]] = row["jaccard"]
    return gold


def near_pairs(words: np.ndarray, docs: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Distances up to ``FARTHEST``, and the pairs of documents they lie between."""
    distances, pairs = [], []
    for begin in range(0, len(words), 512):
        found = np.bitwise_count(words[begin : begin + 512, np.newaxis] ^ words)
        left, right = np.nonzero(found <= FARTHEST)
        is_new = left + begin < right
        left, right = left[is_new], right[is_new]
        distances.append(found[left, right])
        pairs += list(zip(docs[left + begin].tolist(), docs[right].tolist(), strict=True))
    return np.concatenate(distances), pairs


def best_f1(
    words: np.ndarray, docs: np.ndarray, gold: dict, thresholds: list[float]
) -> list[float]:
    distances, pairs = near_pairs(words, docs)
    jaccards = np.array([gold.get(pair, 0) for pair in pairs])
    best = []
    for threshold in thresholds:
        n_true = sum(value >= threshold for value in gold.values())
        hits = [(jaccards[distances <= k] >= threshold) for k in range(FARTHEST + 1)]
        best.append(max(2 * hit.sum() / (len(hit) + n_true) for hit in hits))
    return best


def measure(folder: Path, thresholds: list[float]) -> None:
    texts = read_distinct(folder)
    gold = read_gold(folder, list(texts))
    raw = [text.encode(errors="replace") for text in texts.values()]
    buffers = np.frombuffer(b"".join(raw), dtype=np.uint8), np.cumsum([0, *map(len, raw)])
    found: dict[str, list[list[float]]] = {"": [], "english": []}
    for stem, draws in found.items():
        for rule in HASHES:
            settings = FingerprintSettings(Profile("p", Words((3,), stem=stem), hash=rule), 128)
            batch = fingerprint_texts(*buffers, settings)
            docs = np.flatnonzero(batch.has_fingerprint)
            draws += [best_f1(batch.words[docs, w], docs, gold, thresholds) for w in (0, 1)]
    print(f"{folder.name}: {len(texts)} documents, best F1, mean of 6 hashes")
    plain, stems = (np.array(draws) for draws in found.values())
    for at, threshold in enumerate(thresholds):
        change = stems[:, at] - plain[:, at]
        print(
            f"  Jaccard >= {threshold}: words {plain[:, at].mean():.3f}, stems "
            f"{stems[:, at].mean():.3f}, difference {change.mean():+.3f} "
            f"+- {change.std(ddof=1) / len(change) ** 0.5:.3f}"
        )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        measure(Path(argument), [0.7, 0.8, 0.9])
