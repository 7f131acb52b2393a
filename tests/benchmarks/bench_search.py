"""Pairs and components against simpler ways to the same result, each timed in the same run.

    python tests/benchmarks/bench_search.py [N_FINGERPRINTS]

Pairs: the tables of the library, in one process without Spark, against
XOR of every fingerprint with every later one in NumPy. Components: the library
against union-find over a list of edges in plain Python. Both results are compared.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.clusters import spanning_forest
from simhash_spark.core.join.bands import cut_bits
from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.join.search import PairSearch
from simhash_spark.core.join.tables import choose_bands

MAX_DISTANCE = 3
NEAR_SHARE = 100  # every so many fingerprints have a neighbour planted


def main(n_fingerprints: int) -> None:
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2**64, size=(n_fingerprints, 1), dtype=np.uint64)
    bits = rng.integers(0, 64, size=(n_fingerprints // NEAR_SHARE, 3), dtype=np.uint64)
    near = base[: len(bits)] ^ np.bitwise_or.reduce(np.uint64(1) << bits, axis=1)[:, None]
    fingerprints = np.unique(np.concatenate([base, near]), axis=0)

    ours, ours_s = timed(lambda: banded(fingerprints))
    naive, naive_s = timed(lambda: compared_in_full(fingerprints))
    assert ours == naive
    print(
        f"pairs within {MAX_DISTANCE} of 64 bits, {len(fingerprints):,} fingerprints: {len(ours):,}"
    )
    compare("in full", naive_s, ours_s)

    n_nodes = 10 * n_fingerprints
    ends = rng.integers(0, n_nodes, size=(2, n_nodes), dtype=np.int64)
    forest, ours_s = timed(lambda: spanning_forest(ends[0], ends[1], n_nodes=n_nodes))
    roots, naive_s = timed(lambda: union_find(ends.T.tolist(), n_nodes))
    assert len(set(forest.components.tolist())) == len(set(roots))
    print(f"components of {n_nodes:,} nodes and as many edges: {len(set(roots)):,}")
    compare("union-find", naive_s, ours_s)


def compare(name: str, naive_s: float, ours_s: float) -> None:
    print(f"  {name:10}  {naive_s:8.2f} s")
    print(f"  {'ours':10}  {ours_s:8.2f} s, {naive_s / ours_s:.1f} times faster")


def timed(run):
    started = time.perf_counter()
    return run(), time.perf_counter() - started


def banded(fingerprints) -> set[tuple[int, int]]:
    bands = cut_bits(range(64), MAX_DISTANCE + 1)
    found = set()
    for table in choose_bands(bands, MAX_DISTANCE):
        for pairs in PairSearch(MAX_DISTANCE).find(fingerprints, (table,)):
            ends = np.sort([fingerprints[pairs.left, 0], fingerprints[pairs.right, 0]], axis=0)
            found |= set(zip(*ends.tolist(), strict=True))
    return found


def compared_in_full(fingerprints) -> set[tuple[int, int]]:
    found = set()
    for place in range(len(fingerprints) - 1):
        distances = popcounts(fingerprints[place + 1 :] ^ fingerprints[place])
        for step in np.flatnonzero(distances <= MAX_DISTANCE).tolist():
            found.add((int(fingerprints[place, 0]), int(fingerprints[place + 1 + step, 0])))
    return found


def union_find(edges: list[list[int]], n_nodes: int) -> list[int]:
    parents = list(range(n_nodes))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = node = parents[parents[node]]
        return node

    for left, right in edges:
        parents[root(left)] = root(right)
    return [root(node) for node in range(n_nodes)]


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000)
