"""Nanoseconds per n-gram of each step of the fingerprint kernel, beside the speed of memory.

Run: python tests/benchmarks/bench_steps.py [REPEATS]
The texts and profile are those of bench_kernels.py (character 5-grams, set, 64 bits, one thread).
Times are CPU seconds, the best of the repeats for each step. Below them, what memory allows: the
text copied once, and one pass of NumPy over a word per n-gram (a shift in place, in the cache).
The total over that pass says how many passes the kernel is worth: it is bound by their number
and by the cost of a call, not by memory.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core import counting, fingerprints
from tests.benchmarks.bench_kernels import (
    FIVES,
    buffer_of,
    chinese,
    documents,
    english,
    grams,
    ours,
)

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = {
    "clean": (counting, "clean_texts"),
    "spans": (counting, "find_features"),
    "hash": (counting, "hash_features"),
    "distinct": (counting, "weigh_features"),
    "votes": (counting, "count_votes"),
    "majority": (fingerprints, "majority"),
}
taken: Counter[str] = Counter()


def timed(name: str, run: Callable[..., object]) -> Callable[..., object]:
    def run_timed(*args: object, **kwargs: object) -> object:
        started = time.process_time_ns()
        result = run(*args, **kwargs)
        taken[name] += time.process_time_ns() - started
        return result

    return run_timed


def best_of(run: Callable[[], object], repeats: int) -> dict[str, int]:
    """Least time of each step and of all of them, in ns."""
    best: dict[str, int] = {}
    for _ in range(repeats):
        taken.clear()
        timed("total", run)()
        best = {name: min(ns, best.get(name, ns)) for name, ns in taken.items()}
    return best


def report(language: str, texts: list[str], repeats: int) -> None:
    n_grams = sum(len(list(grams(text))) for text in texts)
    data, _ = buffer_of(texts)
    words = np.ones(counting.CHUNK_CHARACTERS, dtype=np.uint64)
    best = best_of(ours(texts, FIVES), repeats)
    copied = best_of(data.copy, repeats)["total"] / n_grams
    shifted = best_of(lambda: np.right_shift(words, np.uint64(1), out=words), repeats)["total"]
    print(f"{language}: {n_grams} n-grams in {len(data)} bytes; ns per n-gram")
    for name in [*STEPS, "total"]:
        print(f"  {name:10} {best[name] / n_grams:6.2f} {best[name] / best['total']:5.0%}")
    per_pass = shifted / len(words)
    print(f"  text copied {copied:.2f}, a pass over words {per_pass:.2f}: ", end="")
    print(f"the kernel takes {best['total'] / n_grams / per_pass:.0f} passes")


if __name__ == "__main__":
    for step, (module, function) in STEPS.items():
        setattr(module, function, timed(step, getattr(module, function)))
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    report("English", documents(english(), 2000), times)
    report("Chinese", documents(chinese(), 1000), times)
