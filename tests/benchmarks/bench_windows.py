"""Pairs at large distances by sorted windows: ours beside the first draft, in the same run.

Run: python tests/benchmarks/bench_windows.py [--n 1e6] [--bits 64] [--recall 0.95] [--repeats 3]
         [--skip-draft] [--skip-distribution]

Uniform fingerprints and pairs planted at 12 of 64 or 24 of 128 bits, one process, one thread. The
draft sorts by a random permutation of the bits (look-up by bytes) and compares whole arrays with a
window of 16, over 140 tables; it is known for 64 bits. Ours takes the window and the tables that
reach the recall. Both look for planted pairs that lie among the others. CPU seconds, alternating,
the best of the repeats with the spread; recall at the radius and over the distances of pairs with a
Jaccard similarity from .8 to 1; memory above that of the fingerprints.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.plan.recall import recall_of
from simhash_spark.core.plan.window_sizes import choose_window
from simhash_spark.core.windows.neighbours import Windows, find_near
from simhash_spark.core.windows.planted import PlantedPairs, plant

if TYPE_CHECKING:
    from collections.abc import Callable

N_PLANTED = 10_000
DRAFT_WINDOW, DRAFT_TABLES = 16, 140
BAR = 2
"""How many times faster than the draft ours must be at a million."""


def draft(fingerprints: np.ndarray, max_distance: int, n_tables: int) -> np.ndarray:
    """Give the pairs that the first draft finds, each as often as it does: rows of two."""
    rng = np.random.default_rng(2)
    found = []
    octets = fingerprints.view(np.uint8).reshape(-1, 8)
    for _ in range(n_tables):
        order = rng.permutation(64)
        ordered = np.sort(looked_up(octets, byte_tables(order)))
        hits = [np.empty((0, 2), dtype=np.uint64)]
        for step in range(1, DRAFT_WINDOW + 1):
            difference = np.bitwise_count(ordered[step:] ^ ordered[:-step])
            at = np.flatnonzero(difference <= max_distance)
            hits.append(np.stack([ordered[at], ordered[at + step]], axis=1))
        pairs = np.ascontiguousarray(np.concatenate(hits)).reshape(-1).view(np.uint8)
        undone = looked_up(pairs.reshape(-1, 8), byte_tables(np.argsort(order)))
        found.append(undone.reshape(-1, 2))
    return np.concatenate(found)


def byte_tables(order: np.ndarray) -> np.ndarray:
    """Build the tables in plain Python, as the draft does."""
    tables = np.zeros((8, 256), dtype=np.uint64)
    for place in range(8):
        for value in range(256):
            moved = 0
            for bit in range(8):
                if value >> bit & 1:
                    moved |= 1 << int(order[8 * place + bit])
            tables[place, value] = moved
    return tables


def looked_up(octets: np.ndarray, tables: np.ndarray) -> np.ndarray:
    words = tables[0][octets[:, 0]]
    for place in range(1, 8):
        words |= tables[place][octets[:, place]]
    return words


def ours(fingerprints: np.ndarray, windows: Windows, n_tables: int) -> np.ndarray:
    """Give the distinct pairs that the library finds, as rows of two fingerprints."""
    found = [part.pairs for part in find_near(fingerprints, windows, tables=range(n_tables))]
    return np.concatenate([np.concatenate([p.left, p.right], axis=1) for p in found])


def share_found(pairs: np.ndarray, planted: PlantedPairs) -> float:
    """Say which share of the planted pairs is among the pairs."""
    ends = planted.originals, planted.planted
    both = [np.concatenate(pair, axis=1).tolist() for pair in (ends, ends[::-1])]
    words = planted.planted.shape[1]
    has_planted = np.isin(pairs[:, 0], planted.planted[:, 0])
    has_planted |= np.isin(pairs[:, words], planted.planted[:, 0])
    found = set(map(tuple, pairs[has_planted].tolist()))
    found_each = [tuple(a) in found or tuple(b) in found for a, b in zip(*both, strict=True)]
    return sum(found_each) / len(found_each)


def seconds_of(
    runs: dict[str, Callable[[], np.ndarray]], repeats: int
) -> dict[str, tuple[list[float], list[float], np.ndarray]]:
    taken: dict = {name: ([], [], None) for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            result = run()
            taken[name][0].append(time.process_time() - cpu)
            taken[name][1].append(time.perf_counter() - wall)
            taken[name] = (*taken[name][:2], result)
    return taken


def distances_of_similar(bits: int) -> np.ndarray:
    """Give P(distance) of pairs with Jaccard J, uniform in .8..1: binomial, by the angle."""
    chances = np.zeros(bits + 1)
    similar = np.linspace(0.8, 1, 401)[:-1]
    for jaccard in similar.tolist():
        p = math.acos(2 * jaccard / (1 + jaccard)) / math.pi
        chances += [math.comb(bits, d) * p**d * (1 - p) ** (bits - d) for d in range(bits + 1)]
    return chances / len(similar)


def measured_recalls(fingerprints: np.ndarray, windows: Windows, tables: int) -> dict[int, float]:
    """Plant pairs at every distance from 1 to the radius, in one search."""
    radius = windows.max_distance
    parts = [plant(fingerprints[:1000], distance=d, count=1000) for d in range(1, radius + 1)]
    ends = PlantedPairs(*(np.concatenate(end) for end in zip(*parts, strict=True)))
    at = np.repeat(np.arange(1, radius + 1), [len(part.planted) for part in parts])
    search = find_near(fingerprints, windows, tables=range(tables), planted=ends)
    found = np.concatenate([part.planted for part in search])
    return {d: float(np.isin(np.flatnonzero(at == d), found).mean()) for d in range(1, radius + 1)}


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: argparse.Namespace) -> None:
    n, bits = int(arguments.n), arguments.bits
    radius = arguments.max_distance or bits * 3 // 16
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2**64, size=(n, bits // 64), dtype=np.uint64)
    planted = plant(base[: min(n, 100_000)], distance=radius, count=N_PLANTED)
    fingerprints = np.concatenate([base, planted.planted])
    del base
    size = choose_window(len(fingerprints), bits=bits, max_distance=radius, recall=arguments.recall)
    windows = Windows(radius, size.window)
    print(
        f"{len(fingerprints):,} fingerprints of {bits} bits, max_distance {radius}, recall target "
        f"{arguments.recall}: window {size.window}, {size.tables} tables; NumPy {np.__version__}, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    before = peak_mib()
    runs = {"ours": lambda: ours(fingerprints, windows, size.tables)}
    taken = seconds_of(runs, 1)
    print(
        f"  memory above the fingerprints: {peak_mib() - before:.0f} MiB, "
        f"{(peak_mib() - before) * 2**20 / fingerprints.nbytes:.1f} times their own; "
        f"{len(taken['ours'][2]):,} pairs"
    )
    if bits == 64 and not arguments.skip_draft:
        runs["draft"] = lambda: draft(fingerprints[:, 0], radius, DRAFT_TABLES)
    if len(runs) > 1 or arguments.repeats > 1:
        taken = seconds_of(runs, arguments.repeats)
    report(taken, planted)
    if not arguments.skip_distribution:
        report_recall(fingerprints, windows, size.tables)


def report(taken: dict, planted: PlantedPairs) -> None:
    for name, (cpu, wall, pairs) in taken.items():
        recall = share_found(pairs, planted)
        print(
            f"  {name:6} {min(cpu):8.2f} CPU s ({min(cpu):.2f} to {max(cpu):.2f}), "
            f"{min(wall):8.2f} s; recall at the radius {recall:.4f}"
        )
    if "draft" in taken:
        started = time.process_time()
        for _ in range(2 * DRAFT_TABLES):
            byte_tables(np.arange(64))
        print(
            f"  of that the draft takes {time.process_time() - started:.2f} s to build its tables"
        )
        ratio = min(taken["draft"][0]) / min(taken["ours"][0])
        print(f"  ours is {ratio:.1f} times faster than the draft (bar {BAR} at a million)")


def report_recall(fingerprints: np.ndarray, windows: Windows, tables: int) -> None:
    bits = 64 * fingerprints.shape[1]
    measured = measured_recalls(fingerprints, windows, tables)
    chances = distances_of_similar(bits)
    size = {"bits": bits, "n": len(fingerprints), "tables": tables, "window": windows.window}
    within = chances[1 : windows.max_distance + 1]
    for name, recalls in (
        ("measured", list(measured.values())),
        ("model", [recall_of(d, **size) for d in measured]),
    ):
        print(
            f"  {name:8} recall at the radius {recalls[-1]:.4f}, of similar pairs within it "
            f"{within @ recalls / within.sum():.4f}, of all similar pairs "
            f"{chances[0] + within @ recalls:.4f}"
        )
    print(f"  similar pairs beyond the radius: {1 - chances[: windows.max_distance + 1].sum():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=float, default=1e6)
    parser.add_argument("--bits", type=int, choices=(64, 128), default=64)
    parser.add_argument("--max-distance", type=int)
    parser.add_argument("--recall", type=float, default=0.95)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--skip-draft", action="store_true")
    parser.add_argument("--skip-distribution", action="store_true")
    main(parser.parse_args())
