"""Dense buckets: the reduction against collecting all pairs, pivots against comparing all pairs.

    python tests/benchmarks/bench_dense.py [CUBE_BITS] [REPEATS]

The cube: all values of CUBE_BITS bits (16 unless told), as fingerprints that share the other
bits; its pairs within 3 come in pieces of one XOR each. "ours" is PairReducer with two limits and
in other orders; "all" collects every pair and finds the components, with scipy where it is
installed. The components are compared. Then groups of other shapes, connected by connect_dense
and by comparing all pairs. CPU seconds (process_time), alternating, best and worst; memory as
NumPy allocates it, in a run of its own.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.clusters import spanning_forest
from simhash_spark.core.dense.forests import MinimumForest, pack_pairs
from simhash_spark.core.dense.pivots import connect_dense
from simhash_spark.core.dense.reducer import PairReducer
from simhash_spark.core.join.hamming import popcounts
from simhash_spark.core.join.pairs import Pairs

try:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
except ImportError:
    connected_components = None

MAX_DISTANCE = 3


def main(cube_bits: int, repeats: int) -> None:
    n_nodes = 1 << cube_bits
    n_pairs = sum(len(piece.left) for piece in cube_pieces(cube_bits))
    print(f"{n_nodes:,} fingerprints sharing {64 - cube_bits} bits: {n_pairs:,} pairs within 3")
    ways = {
        "the pieces alone": lambda: [None for _ in cube_pieces(cube_bits)],
        "ours, limit 1e4": lambda: reduced(cube_pieces(cube_bits), n_nodes, 10_000),
        "ours, limit 1e6": lambda: reduced(cube_pieces(cube_bits), n_nodes, 1_000_000),
        "ours, shuffled": lambda: reduced(cube_pieces(cube_bits, 1), n_nodes, 10_000),
        "ours, far first": lambda: reduced(cube_pieces(cube_bits, -1), n_nodes, 10_000),
        "all": lambda: collected(cube_pieces(cube_bits), n_nodes),
    }
    assert len({ways[name]() for name in ways if name != "the pieces alone"}) == 1
    seconds = timed(ways, repeats)
    for name, run in ways.items():
        best, worst = min(seconds[name]), max(seconds[name])
        rate = (best - min(seconds["the pieces alone"])) / n_pairs * 1e9
        print(
            f"  {name:18} {best:6.2f} to {worst:6.2f} s CPU, {rate:6.1f} ns per pair "
            f"beyond the pieces, {peak_mb(run):7.1f} MB"
        )
    for name, fingerprints, max_distance in shapes():
        compare(name, fingerprints, max_distance)


def cube_pieces(n_bits: int, order: int = 0):
    """Yield the pairs one XOR at a time: nearest first (0), farthest first (-1), or shuffled."""
    values = np.arange(1 << n_bits, dtype=np.int64)
    flips = [
        bits for size in range(1, MAX_DISTANCE + 1) for bits in combinations(range(n_bits), size)
    ]
    if order > 0:
        flips = [flips[i] for i in np.random.default_rng(order).permutation(len(flips))]
    for bits in flips[::-1] if order < 0 else flips:
        left = values[values >> bits[-1] & 1 == 0]
        mask = sum(1 << bit for bit in bits)
        yield Pairs(left, left ^ mask, np.full(len(left), len(bits), dtype=np.int64))


def reduced(pieces, n_nodes: int, limit: int) -> int:
    reducer = PairReducer(np.zeros(n_nodes, dtype=np.int64), limit=limit)
    listed = [pairs[:2] for pairs in reducer.reduce(pieces)]
    return n_components(*np.concatenate(listed, axis=1), n_nodes)


def collected(pieces, n_nodes: int) -> int:
    left, right = np.concatenate([pairs[:2] for pairs in pieces], axis=1)
    if connected_components is None:
        return n_components(left, right, n_nodes)
    ones = np.ones(len(left), dtype=np.bool_)
    return connected_components(coo_matrix((ones, (left, right)), shape=(n_nodes, n_nodes)))[0]


def n_components(left, right, n_nodes: int) -> int:
    components = spanning_forest(left, right, n_nodes=n_nodes).components
    return int(np.count_nonzero(components == np.arange(n_nodes)))


def shapes():
    rng = np.random.default_rng(1)
    yield "cube of 16 bits", np.arange(1 << 16, dtype=np.uint64), 3
    yield "even words of 16 bits", np.array([v for v in range(1 << 16) if not v.bit_count() & 1]), 3
    yield "ball of radius 12", flipped(rng, np.zeros(20_000, dtype=np.uint64), 12), 12
    yield "ball of radius 12", flipped(rng, np.zeros(20_000, dtype=np.uint64), 12), 24
    steps = flipped(rng, np.zeros(1_000, dtype=np.uint64), 3)
    places = np.bitwise_xor.accumulate(steps)
    yield "1,000 crowds in a chain", flipped(rng, np.repeat(places, 100), 2), 3
    yield "ball of radius 12", flipped(rng, np.zeros(1_000_000, dtype=np.uint64), 12), 24


def flipped(rng, words, n_bits: int):
    bits = rng.integers(0, 64, size=(len(words), n_bits), dtype=np.uint64)
    return words ^ np.bitwise_xor.reduce(np.uint64(1) << bits, axis=1)


def compare(name: str, fingerprints, max_distance: int) -> None:
    words = np.unique(fingerprints.astype(np.uint64))[:, np.newaxis]
    n_pairs = len(words) * (len(words) - 1) // 2
    print(f"{name}, {len(words):,} fingerprints, within {max_distance}: {n_pairs:.2e} pairs")
    started = time.process_time()
    connection = connect_dense(words, max_distance=max_distance)
    ours_s = time.process_time() - started
    ours = n_components(*connection.edges[:2], len(words))
    share = connection.n_not_compared / n_pairs
    print(f"  pivots     {ours_s:8.2f} s CPU, {ours:,} components, {share:.1%} not compared")
    if n_pairs > 10**10:
        print("  all pairs  too many to compare here")
        return
    started = time.process_time()
    naive, n_near = compared_in_full(words, max_distance)
    naive_s = time.process_time() - started
    print(f"  all pairs  {naive_s:8.2f} s CPU, {naive:,} components, {n_near:,} pairs near")
    assert ours == naive
    assert connection.n_near <= n_near <= connection.n_near + connection.n_not_compared


def compared_in_full(words, max_distance: int) -> tuple[int, int]:
    forest, n_near = MinimumForest(len(words)), 0
    for row in range(len(words) - 1):
        distances = popcounts(words[row + 1 :] ^ words[row])
        near = np.flatnonzero(distances <= max_distance)
        n_near += len(near)
        forest.add(pack_pairs(Pairs(np.full_like(near, row), near + row + 1, distances[near])))
    return len(words) - len(forest.edges()), n_near


def timed(ways, repeats: int) -> dict[str, list[float]]:
    seconds = {name: [] for name in ways}
    for _ in range(repeats):
        for name, run in ways.items():
            started = time.process_time()
            run()
            seconds[name].append(time.process_time() - started)
    return seconds


def peak_mb(run) -> float:
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    main(*map(int, (sys.argv[1:] + ["16", "3"][len(sys.argv) - 1 :])))
