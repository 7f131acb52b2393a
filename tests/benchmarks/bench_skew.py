"""The exact join on fingerprints that crowd together, beside as many uniform ones; and a peer.

    python tests/benchmarks/bench_skew.py [--poems DOCS.parquet] [--code FOLDER] [--native FOLDER]

Sets, each searched within distance 3:
- poems: texts of DOCS.parquet (column "text") by counts of single characters; left out without it;
- code: raw source with its indentation, of FOLDER, or made up;
- 48 bits shared, the last 16 free, or 16 spread anywhere; also 112 of 128: 1e5 draws.

Printed: how many pairs share 16 bits compared with uniform ones (skew); seconds to write the edges
as Parquet; that over a uniform set of the same size ("ratio"), and less what it takes to write as
many rows that need no search ("less output"); pairs listed, and pairs connected without being
listed; peak memory. Components are compared with those by brute force, and every pair listed is
checked, on all fingerprints or on --oracle of them drawn at random (time grows with their square:
10 s for 100 000).

--native: a folder with simhash-pybind (pip install --target FOLDER simhash-pybind: as a module it
is called simhash, like another package): its find_all beside ours, on 2000, 4000 and 8000
fingerprints that share 48 bits, at distances 3 and 8.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark import columns as c
from simhash_spark.config import DedupConfig
from tests.benchmarks import brute_force
from tests.benchmarks.fingerprint_sets import (
    code,
    poems,
    sharing,
    skew_of,
    uniform,
    write_fingerprints,
)
from tests.benchmarks.joins import conditions, hamming_edges, measure, session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.core.typing import Words
    from tests.benchmarks.joins import Cost

MAX_DISTANCE = 3
RATIO_BAR = 3
ROWS_PER_BATCH = 50_000
NATIVE = """
import sys, time
sys.path.insert(0, sys.argv[1])
import simhash
fingerprints = [int(line) for line in sys.stdin]
started = time.perf_counter()
found = simhash.find_all(fingerprints, int(sys.argv[2]) + 1, int(sys.argv[2]))
print(time.perf_counter() - started, len(found))
"""


class Bench:
    """A session and the folder it works in."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder

    def search(self, words: Words, max_distance: int = MAX_DISTANCE) -> tuple[pa.Table, Cost]:
        """Write fingerprints, search them, write the edges; give these and what it cost."""
        write_fingerprints(self.folder / "nodes.parquet", words)
        nodes = self.spark.read.parquet(str(self.folder / "nodes.parquet"))
        config = DedupConfig(bits=64 * words.shape[1], max_distance=max_distance)
        cost = self.write(hamming_edges(nodes, config))
        return pq.read_table(self.folder / "edges"), cost

    def write(self, frame: DataFrame) -> Cost:
        path = str(self.folder / "edges")
        _, cost = measure(
            self.spark, self.folder, lambda: frame.write.mode("overwrite").parquet(path)
        )
        return cost

    def output(self, n_rows: int, bits: int) -> Cost:
        """Write so many rows of edges that Python makes up."""
        names = [*c.fingerprint_words(bits, "_l"), *c.fingerprint_words(bits, "_r"), c.DISTANCE]
        schema = ", ".join(f"{name} long" for name in names[:-1]) + f", {c.DISTANCE} int"

        def make(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for start in batch.column(0).to_pylist():
                    n = min(ROWS_PER_BATCH, n_rows - start)
                    words = np.random.default_rng(start).integers(1 << 62, size=(len(names), n))
                    columns = [pa.array(one) for one in words[:-1]]
                    distances = pa.array((words[-1] % 3).astype(np.int32))
                    yield pa.RecordBatch.from_arrays([*columns, distances], names=names)

        starts = self.spark.range(0, n_rows, ROWS_PER_BATCH)
        return self.write(starts.mapInArrow(make, schema))


def side(edges: pa.Table, bits: int, suffix: str) -> Words:
    names = c.fingerprint_words(bits, suffix)
    return np.stack([edges[name].to_numpy().view(np.uint64) for name in names], axis=1)


def check(words: Words, edges: pa.Table) -> int:
    """Compare with brute force; return how many pairs were connected without being listed."""
    sides = (side(edges, 64 * words.shape[1], suffix) for suffix in ("_l", "_r"))
    faults, missing = brute_force.compare(
        words, *sides, edges[c.DISTANCE].to_numpy(), max_distance=MAX_DISTANCE
    )
    if faults:
        message = f"Wrong result: {', '.join(faults)}."
        raise SystemExit(message)
    return missing


def compare(bench: Bench, name: str, words: Words, given: argparse.Namespace) -> None:
    """Search a set and a uniform one of its size, check the result and print a few lines."""
    n, bits = len(words), 64 * words.shape[1]
    runs: dict[str, list[Cost]] = {"set": [], "uniform": [], "rows": [], "nothing": []}
    for _ in range(given.rounds):
        runs["uniform"].append(bench.search(uniform(n, bits))[1])
        edges, cost = bench.search(words)
        n_listed = len(edges)
        runs["set"].append(cost)
        runs["nothing"].append(bench.output(1, bits))
        runs["rows"].append(bench.output(n_listed, bits))
    cost, plain, rows, none = (min(ran, key=lambda one: one.seconds) for ran in runs.values())
    checked = words[: given.oracle]
    if len(checked) < n:  # their order is random
        edges, _ = bench.search(checked)
    missing = check(checked, edges)
    print(f"{name}: {n:,} distinct fingerprints of {bits} bits, skew x{skew_of(words):,.0f}")
    print(f"  {cost}\n  {plain}, uniform\n  {rows}, writing the rows alone")
    for unit in ("seconds", "core_seconds"):
        ours, other, written = (getattr(one, unit) for one in (cost, plain, rows))
        less = ours - max(0.0, written - getattr(none, unit))
        print(
            f"  {unit}: ratio {ours / other:.2f}, less output {less / other:.2f} (bar {RATIO_BAR})"
        )
    print(
        f"  {n_listed:,} pairs listed; of {len(checked):,} checked, components are right, "
        f"{len(edges):,} pairs listed and {missing:,} not",
        flush=True,
    )


def compare_native(bench: Bench, given: argparse.Namespace) -> None:
    """Print the seconds of the native library beside ours, on the same fingerprints."""
    for max_distance, n in itertools.product(given.distances, given.sizes):
        words = sharing(10 * n, bits=64, spread=False)[:n]
        native = run_native(words, max_distance, given)
        if native is None:
            return
        edges, cost = bench.search(words, max_distance)
        print(
            f"{len(words):,} fingerprints sharing 48 bits, distance {max_distance}: simhash-pybind "
            f"{native}; ours {cost.seconds:.1f} s and {cost.core_seconds:.1f} core-s, "
            f"{len(edges):,} pairs",
            flush=True,
        )


def run_native(words: Words, max_distance: int, given: argparse.Namespace) -> str | None:
    """Search in another process; say what it took, or print why it cannot and give None."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", NATIVE, str(given.native), str(max_distance)],
            input="\n".join(map(str, words[:, 0].tolist())),
            capture_output=True,
            text=True,
            timeout=given.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"more than {given.timeout:.0f} s"
    if ended.returncode:
        print(f"simhash-pybind: not compared, {ended.stderr.strip().splitlines()[-1]}")
        return None
    seconds, found = ended.stdout.split()
    return f"{float(seconds):.2f} s, {int(found):,} pairs"


def sets_of(given: argparse.Namespace) -> Iterator[tuple[str, Words]]:
    yield "48 bits shared, the last free", sharing(given.draws, bits=64, spread=False)
    yield "48 bits shared", sharing(given.draws, bits=64)
    yield "112 bits shared", sharing(given.draws, bits=128)
    yield "raw code", code(given.code, given.files)
    if given.poems is None:
        print("poems: left out, no --poems")
    else:
        yield "single characters of poems", poems(given.poems)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poems", type=Path)
    parser.add_argument("--code", type=Path)
    parser.add_argument("--files", type=int, default=100_000, help="of code made up")
    parser.add_argument("--draws", type=int, default=100_000, help="of sets that share bits")
    parser.add_argument("--oracle", type=int, default=60_000, help="most fingerprints checked")
    parser.add_argument("--rounds", type=int, default=2, help="the quickest counts")
    parser.add_argument("--native", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000, 8000])
    parser.add_argument("--distances", type=int, nargs="+", default=[3, 8], help="beside it")
    parser.add_argument("--timeout", type=float, default=600, help="of the native library")
    parser.add_argument("--memory", default="4g", help="of the JVM")
    parser.add_argument("--partitions", type=int, default=8)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        spark = session(Path(name), memory=given.memory, partitions=given.partitions)
        bench = Bench(spark, Path(name))
        print(f"{conditions(spark)}, {given.partitions} partitions", flush=True)
        bench.search(uniform(10_000, 64))  # the first run of a session is slow
        bench.output(100_000, 64)
        for label, words in sets_of(given):
            compare(bench, label, words, given)
        if given.native is None:
            print("simhash-pybind: not compared, no --native")
        else:
            compare_native(bench, given)
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
