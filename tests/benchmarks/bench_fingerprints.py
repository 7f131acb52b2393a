"""Documents and megabytes per second of fingerprint_texts against a rival, in one run.

Run: python tests/benchmarks/bench_fingerprints.py [FILE.parquet ...]   (column "text")
The rival is PyPI ``simhash`` where it is installed, else the oracle in plain Python.
Times are CPU seconds of one process: the ratios stand on a busy machine, the rates may not.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings
from tests import oracles

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "data"
RIVAL_BYTES = 300_000
"""Text given to the rival, which is slow."""


def rival() -> tuple[str, Callable[[str], object]]:
    try:
        from simhash import Simhash
    except ImportError:
        return "oracle", lambda text: oracles.fingerprint(text, PROFILES["auto"])
    return "PyPI simhash", lambda text: Simhash(text).value


def seconds_of(run: Callable[[], object]) -> float:
    """CPU seconds, the better of two."""
    measured = []
    for _ in range(2):
        start = time.process_time()
        run()
        measured.append(time.process_time() - start)
    return max(min(measured), 1e-9)


def ours(texts: list[str], profile: str) -> float:
    raw = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    settings = FingerprintSettings(PROFILES[profile])
    return seconds_of(lambda: fingerprint_texts(data, offsets, settings))


def report(path: Path) -> None:
    texts = [text or "" for text in pq.read_table(path, columns=["text"])["text"].to_pylist()]
    n_bytes = size_of(texts)
    ends = np.cumsum([len(text.encode()) for text in texts])
    few = texts[: int(np.searchsorted(ends, RIVAL_BYTES)) + 1]
    name, fingerprint_one = rival()
    theirs = size_of(few) / seconds_of(lambda: [fingerprint_one(text) for text in few]) / 1e6
    print(f"{path.stem}: {len(texts)} documents, {n_bytes / 1e6:.1f} MB; {name}: {theirs:.2f} MB/s")
    for profile in PROFILES:
        chosen = few if profile == "zh-words" else texts
        seconds = ours(chosen, profile)
        rate = size_of(chosen) / seconds / 1e6
        print(
            f"  {profile:9} {len(chosen) / seconds:9.0f} documents/s {rate:7.2f} MB/s "
            f"{rate / theirs:6.1f} times {name}"
        )


def size_of(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


if __name__ == "__main__":
    for argument in sys.argv[1:] or sorted(DATA.glob("*.parquet")):
        report(Path(argument))
