"""Documents per second of the fingerprint kernel against PyPI simhash and gaoya, in one run.

Run: python tests/benchmarks/bench_kernels.py [REPEATS]    (pip install simhash gaoya)
Character 5-grams, one thread: English documents of 2 KB, Chinese ones of 1 KB, in memory. gaoya
(Rust) is queried on an empty index: it cuts, hashes and votes, and has nothing to look up; it
knows counts only, and is compared with for both. Alternating; CPU seconds, the best of the repeats.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.steps import USUAL, Characters, Count, Md5, Once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parents[1] / "data"
N_DOCS = 1000
N_SLOW = 60
"""Documents given to PyPI simhash, which is slow."""

BARS = {
    "English, set": (25, 1.2),
    "English, count": (45, 2),
    "Chinese, set": (25, 1.2),
    "Chinese, count": (45, 2),
}
BAR_128 = 1.6
FIVES = Profile("fives", Characters((5,), 5), USUAL, min_features=1)


def documents(text: str, n_bytes: int) -> list[str]:
    raw = text.encode()
    cuts = range(0, min(len(raw), N_DOCS * n_bytes), n_bytes)
    return [raw[at : at + n_bytes].decode(errors="ignore") for at in cuts]


def english() -> str:
    with gzip.open(DATA / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        return " ".join(json.loads(line)["text"] for line in lines)


def chinese() -> str:
    return "".join(pq.read_table(DATA / "poems.parquet", columns=["text"])["text"].to_pylist())


def buffer_of(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def grams(text: str) -> Iterator[str]:
    text = " ".join(text.lower().split())
    return (text[at : at + 5] for at in range(len(text) - 4))


def ours(texts: list[str], profile: Profile, bits: int = 64) -> Callable[[], np.ndarray]:
    buffers = buffer_of(texts)
    settings = FingerprintSettings(profile, bits)
    return lambda: fingerprint_texts(*buffers, settings).words


def check_equal(texts: list[str]) -> None:
    """Speed counts at equal results: with PyPI's hash we give PyPI's fingerprints."""
    from simhash import Simhash

    for weigh, container in ((Once(), set), (Count(), list)):
        words = ours(
            texts, replace(FIVES, clean=("lower", "spaces"), weigh=weigh, hash=Md5("last"))
        )
        theirs = [Simhash(container(grams(text))).value for text in texts]
        if words()[:, 0].tolist() != theirs:
            message = f"our fingerprints with {weigh} are not those of PyPI simhash"
            raise SystemExit(message)


def seconds_of(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def report(language: str, texts: list[str], repeats: int) -> None:
    from gaoya.simhash import SimHashStringIndex
    from simhash import Simhash

    check_equal(texts[:N_SLOW])
    few = texts[:N_SLOW]
    rust = SimHashStringIndex(64, 6, 5, "char", True, (5, 5))  # noqa: FBT003 - their signature
    runs: dict[str, Callable[[], object]] = {
        "set": ours(texts, replace(FIVES, weigh=Once())),
        "count": ours(texts, replace(FIVES, weigh=Count())),
        "set, 128 bits": ours(texts, replace(FIVES, weigh=Once()), 128),
        "count, 128 bits": ours(texts, replace(FIVES, weigh=Count()), 128),
        "PyPI set": lambda: [Simhash(set(grams(text))) for text in few],
        "PyPI count": lambda: [Simhash(list(grams(text))) for text in few],
        "gaoya": lambda: [rust.query(text) for text in texts],
    }
    seconds = seconds_of(runs, repeats)
    seconds["PyPI set"] *= len(texts) / len(few)
    seconds["PyPI count"] *= len(texts) / len(few)
    n_grams = sum(len(list(grams(text))) for text in texts)
    print(f"{language}: {len(texts)} documents, {n_grams / len(texts):.0f} grams each")
    for name, taken in seconds.items():
        rate = f"{len(texts) / taken:9.0f} documents/s {taken / n_grams * 1e9:7.1f} ns per gram"
        print(f"  {name:16} {rate}")
    for weigh in ("set", "count"):
        pypi, gaoya = BARS[f"{language}, {weigh}"]
        print(
            f"  {weigh}: {seconds[f'PyPI {weigh}'] / seconds[weigh]:.1f} times PyPI simhash "
            f"(bar {pypi}), {seconds['gaoya'] / seconds[weigh]:.2f} times gaoya (bar {gaoya}), "
            f"128 bits cost {seconds[f'{weigh}, 128 bits'] / seconds[weigh]:.2f} (bar {BAR_128})"
        )


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    report("English", documents(english(), 2000), times)
    report("Chinese", documents(chinese(), 1000), times)
