"""The exact join beside a self-join in Spark SQL and beside a draft of packed blocks, k = 3 of 64.

    python tests/benchmarks/bench_join.py [--n 1e7]  [--rounds 2] [--variants ours draft sql]

Uniform fingerprints, and one in a hundred with a neighbour planted at distance 1 to 3. All variants
read the same Parquet in the same session, alternate, and are first checked to find the same pairs
(their number, and a sum of hashes of pairs). The first run of each is shown and does not count.

``sql`` gives every fingerprint ten keys, 2 of 5 blocks each, joins on the key, keeps what
``bit_count`` says is near and makes it distinct. ``draft`` ships blocks of fingerprints as binary
and sorts them in NumPy (2 or later): a yardstick without any bound on memory, any answer to skew,
or more than this one distance.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.config import DedupConfig
from tests.benchmarks.fingerprint_sets import write_uniform
from tests.benchmarks.joins import checksum, conditions, hamming_edges, measure, session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from tests.benchmarks.joins import Cost

BARS = {"sql": 12.0, "draft": 1.5}
FINGERPRINTS_PER_PARTITION = 600_000
BLOCK_WIDTHS = (13, 13, 13, 13, 12)
DRAFT_ROWS = 4_000_000


def join_ours(nodes: DataFrame, _partitions: int) -> DataFrame:
    return hamming_edges(nodes, DedupConfig(max_distance=3))


def join_sql(nodes: DataFrame, _partitions: int) -> DataFrame:
    """Self-join on ten keys; the fingerprint is its own id, so no row is wider than it must be."""
    from pyspark.sql import functions as F

    starts = [0, *itertools.accumulate(BLOCK_WIDTHS)]
    block = [
        f"(shiftrightunsigned(fingerprint, {start}) & {(1 << width) - 1}L)"
        for start, width in zip(starts, BLOCK_WIDTHS, strict=False)
    ]
    tables = itertools.combinations(block, 2)
    keys = [f"{table * 10**8}L + {a} * 8192L + {b}" for table, (a, b) in enumerate(tables)]
    rows = nodes.select("fingerprint", F.explode(F.array(*map(F.expr, keys))).alias("key"))
    near = "a.key = b.key and a.fingerprint < b.fingerprint"
    near += " and bit_count(a.fingerprint ^ b.fingerprint) <= 3"
    joined = rows.alias("a").join(rows.alias("b"), F.expr(near), how="inner")
    sides = joined.selectExpr("a.fingerprint fingerprint_l", "b.fingerprint fingerprint_r")
    return sides.distinct()


def join_draft(nodes: DataFrame, partitions: int) -> DataFrame:
    """Ship one row per block, its fingerprints as binary; sort and compare neighbours in NumPy."""
    blocks = nodes.mapInArrow(_packer(partitions), "band int, bucket int, fingerprints binary")
    found = blocks.repartition(partitions, "bucket")
    return found.mapInArrow(_draft_pairs, "fingerprint_l long, fingerprint_r long")


def _packer(partitions: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pending, n_rows = [], 0
        for batch in batches:
            pending.append(batch.column(0).to_numpy(zero_copy_only=False).view(np.uint64))
            n_rows += batch.num_rows
            if n_rows >= DRAFT_ROWS:
                yield from _blocks(np.concatenate(pending), partitions)
                pending, n_rows = [], 0
        if pending:
            yield from _blocks(np.concatenate(pending), partitions)

    return pack


def _rotated(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Rotate to the right."""
    if not n_bits:
        return words
    return (words >> np.uint64(n_bits)) | (words << np.uint64(64 - n_bits))


def _blocks(words: np.ndarray, partitions: int) -> Iterator[pa.RecordBatch]:
    for band in range(4):
        turned = _rotated(words, 16 * band)
        keys = (turned & np.uint64(65535)).astype(np.uint32)
        buckets = (keys * np.uint32(partitions) >> np.uint32(16)).astype(np.uint16)
        order = np.argsort(buckets, kind="stable")
        turned = turned[order]
        ends = np.searchsorted(buckets[order], np.arange(partitions + 1))
        packed = [turned[a:b].tobytes() for a, b in itertools.pairwise(ends)]
        columns = [
            pa.array(np.full(partitions, band, dtype=np.int32)),
            pa.array(np.arange(partitions, dtype=np.int32)),
            pa.array(packed, type=pa.binary()),
        ]
        yield pa.RecordBatch.from_arrays(columns, names=["band", "bucket", "fingerprints"])


def _draft_pairs(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    blocks: dict[int, list[np.ndarray]] = {}
    for batch in batches:
        for band, block in zip(batch.column(0).to_pylist(), batch.column(2), strict=True):
            blocks.setdefault(band, []).append(np.frombuffer(block.as_buffer(), dtype=np.uint64))
    for band, parts in blocks.items():
        words = np.concatenate(parts)
        for left, right in itertools.chain(*(_table(words, band, part) for part in range(4))):
            sides = [_rotated(side, (64 - 16 * band) % 64).view(np.int64) for side in (left, right)]
            columns = [pa.array(side) for side in sides]
            yield pa.RecordBatch.from_arrays(columns, names=["fingerprint_l", "fingerprint_r"])


def _table(words: np.ndarray, band: int, part: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs whose first common band is this one, and the first common part of the rest, too."""
    keys = ((words & np.uint64(65535)) << np.uint64(12)) | _part(words, part)
    packed = np.sort((keys << np.uint64(36)) | np.arange(len(words), dtype=np.uint64))
    ordered = words[(packed & np.uint64((1 << 36) - 1)).astype(np.int64)]
    keys = packed >> np.uint64(36)
    for step in itertools.count(1):
        equal = np.flatnonzero(keys[step:] == keys[:-step])
        if not len(equal):
            return
        differing = ordered[equal] ^ ordered[equal + step]
        near = (np.bitwise_count(differing) <= 3) & (differing != 0)
        equal, differing = equal[near], differing[near]
        first = np.ones(len(equal), dtype=np.bool_)
        for earlier in range(part):
            first &= _part(differing, earlier) != 0
        upright = _rotated(differing, (64 - 16 * band) % 64)
        for earlier in range(band):
            first &= (upright >> np.uint64(16 * earlier)) & np.uint64(65535) != 0
        if first.any():
            yield ordered[equal[first]], ordered[equal[first] + step]


def _part(words: np.ndarray, part: int) -> np.ndarray:
    return (words >> np.uint64(16 + 12 * part)) & np.uint64(4095)


VARIANTS = {"ours": join_ours, "draft": join_draft, "sql": join_sql}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=float, default=1e6)
    parser.add_argument("--rounds", type=int, default=2, help="that count, after one that does not")
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--partitions", type=int, help="of a shuffle; one per 600 000 fingerprints")
    parser.add_argument("--memory", default="8g", help="of the JVM")
    parser.add_argument("--arrow-rows", type=int, default=1_000_000, help="in a batch, for all")
    given = parser.parse_args(arguments)
    n = int(given.n)
    partitions = given.partitions or max(2, n // FINGERPRINTS_PER_PARTITION)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        planted = write_uniform(folder / "nodes", n, bits=64, max_distance=3)
        spark = session(
            folder, memory=given.memory, partitions=partitions, arrow_rows=given.arrow_rows
        )
        print(f"{conditions(spark)}, {partitions} partitions")
        print(f"{n:,} uniform fingerprints, {planted:,} planted", flush=True)
        nodes = spark.read.parquet(str(folder / "nodes"))
        costs: dict[str, list[Cost]] = {variant: [] for variant in given.variants}
        found = {}
        for number in range(given.rounds + 1):
            for variant in given.variants:
                pairs = VARIANTS[variant](nodes, partitions)
                found[variant], cost = measure(spark, folder, lambda: checksum(pairs, 64))  # noqa: B023
                costs[variant].append(cost)
                label = f"round {number}" if number else "first"
                print(f"  {label}: {variant:6}{cost}", flush=True)
        spark.stop()
    report(found, costs)


def report(found: dict[str, tuple[int, int]], costs: dict[str, list[Cost]]) -> None:
    """Print the best of the rounds that count, and ratios: only if all found the same."""
    if len(set(found.values())) > 1:
        message = f"The variants found different pairs (number, sum of hashes): {found}."
        raise SystemExit(message)
    print(f"pairs found by each: {next(iter(found.values()))[0]:,}")
    seconds = {name: min(one.seconds for one in runs[1:]) for name, runs in costs.items()}
    cores = {name: min(one.core_seconds for one in runs[1:]) for name, runs in costs.items()}
    for name in costs:
        line = f"{name:6} {seconds[name]:8.1f} s {cores[name]:9.1f} core-s"
        if name in BARS and "ours" in costs:
            line += (
                f"   {seconds[name] / seconds['ours']:.2f} times as long as ours "
                f"({cores[name] / cores['ours']:.2f} in core-seconds; bar {BARS[name]})"
            )
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
