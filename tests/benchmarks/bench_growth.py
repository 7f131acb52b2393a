"""How the exact join grows with the fingerprints, up to 1e8; and what larger distances cost.

    python tests/benchmarks/bench_growth.py [--to 1e8]  [--bits 64] [--max-distance 3]
    python tests/benchmarks/bench_growth.py --to 1e7 --also 128:3 64:6 128:8

Uniform fingerprints from --from on, ten times as many each time, one in a hundred with a neighbour
planted within the distance: at least those must be found. Prints seconds, the factor of growth,
bytes shuffled per fingerprint, peak memory of all processes and disk. Each --also BITS:DISTANCE
runs at the largest size and is compared, in processor time, with distance 3 there.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.config import DedupConfig
from tests.benchmarks.fingerprint_sets import write_uniform
from tests.benchmarks.joins import checksum, conditions, hamming_edges, measure, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.benchmarks.joins import Cost

GROWTH_BAR = 11
SHUFFLE_BAR = 45
MEMORY_BAR_GIB = 12
USUAL_DISTANCE = 3
FINGERPRINTS_PER_PARTITION = 800_000


@dataclass(frozen=True)
class Case:
    """One search: so many fingerprints of so many bits, up to a distance."""

    n: int
    bits: int
    max_distance: int

    def __str__(self) -> str:
        return f"{self.n:>11,} fingerprints of {self.bits:3} bits, distance {self.max_distance:2}"

    @property
    def partitions(self) -> int:
        return max(2, self.n * self.bits // 64 // FINGERPRINTS_PER_PARTITION)


def run(spark: SparkSession, folder: Path, case: Case, rounds: int = 1) -> Cost:
    """Search a set made for the case; give the quickest of the rounds."""
    place = folder / "nodes"
    shutil.rmtree(place, ignore_errors=True)
    planted = write_uniform(place, case.n, bits=case.bits, max_distance=case.max_distance)
    spark.conf.set("spark.sql.shuffle.partitions", str(case.partitions))
    nodes = spark.read.parquet(str(place))
    config = DedupConfig(bits=case.bits, max_distance=case.max_distance)
    costs = []
    for _ in range(rounds):
        edges = hamming_edges(nodes, config)
        (found, _), cost = measure(spark, folder, lambda: checksum(edges, case.bits))  # noqa: B023
        if found < planted:
            message = f"{case}: {planted} pairs were planted, {found} found."
            raise SystemExit(message)
        costs.append(cost)
    best = min(costs, key=lambda cost: cost.seconds)
    per_fingerprint = best.shuffled_bytes / (case.n + planted)
    print(
        f"{case}{best} {per_fingerprint:6.1f} bytes shuffled each, {case.partitions} partitions, "
        f"{found:,} pairs",
        flush=True,
    )
    return best


def main(arguments: list[str]) -> None:
    given = parse(arguments)
    sizes = [int(given.start)]
    while sizes[-1] * 10 <= given.to:
        sizes.append(sizes[-1] * 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = session(folder, memory=given.memory, arrow_rows=given.arrow_rows)
        cases = [Case(n, given.bits, given.max_distance) for n in sizes]
        print(conditions(spark))
        print("first, does not count:")
        run(spark, folder, cases[0])
        print("counted; memory is that of the processes, and a JVM does not give back:")
        costs = {case: run(spark, folder, case, given.rounds) for case in cases}
        report(costs)
        also(spark, folder, costs, [(sizes[-1], *one) for one in given.also])
        spark.stop()


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="start", type=float, default=1e6)
    parser.add_argument("--to", type=float, default=1e7)
    parser.add_argument("--bits", type=int, default=64, choices=(64, 128))
    parser.add_argument("--max-distance", type=int, default=USUAL_DISTANCE)
    parser.add_argument("--also", nargs="+", type=_distance, default=[], metavar="BITS:DISTANCE")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--memory", default="4g", help="of the JVM")
    parser.add_argument("--arrow-rows", type=int, help="in a batch; that of conf/spark.conf")
    return parser.parse_args(arguments)


def _distance(text: str) -> tuple[int, int]:
    bits, _, max_distance = text.partition(":")
    return int(bits), int(max_distance)


def report(costs: dict[Case, Cost]) -> None:
    """Print each step's growth and what is held against a bar."""
    cases = list(costs)
    for smaller, larger in itertools.pairwise(cases):
        growth = costs[larger].seconds / costs[smaller].seconds
        core = costs[larger].core_seconds / costs[smaller].core_seconds
        print(
            f"{smaller.n:.0e} to {larger.n:.0e}: {growth:.2f} times the seconds, {core:.2f} times "
            f"the core-seconds (bar {GROWTH_BAR})"
        )
    largest = costs[cases[-1]]
    shuffled = largest.shuffled_bytes / cases[-1].n
    print(
        f"at {cases[-1].n:.0e}: {shuffled:.1f} bytes shuffled per fingerprint (bar {SHUFFLE_BAR} "
        f"for 64:3), {largest.spilled_bytes / 1e9:.2f} GB spilled, {largest.peak_gib:.2f} GiB in "
        f"all processes (bar {MEMORY_BAR_GIB})"
    )


def also(
    spark: SparkSession, folder: Path, costs: dict[Case, Cost], wanted: list[tuple[int, int, int]]
) -> None:
    """Run further distances and lengths, beside distance 3 of 64 bits and of the same length."""
    for n, bits, max_distance in wanted:
        case = Case(n, bits, max_distance)
        for one in (Case(n, 64, USUAL_DISTANCE), Case(n, bits, USUAL_DISTANCE), case):
            if one not in costs:
                costs[one] = run(spark, folder, one)
        for base in dict.fromkeys((64, bits)):
            usual = Case(n, base, USUAL_DISTANCE)
            if usual != case:
                print(
                    f"{bits}:{max_distance} at {n:.0e}: {costs[case].core_seconds:.1f} "
                    f"core-seconds, {costs[case].core_seconds / costs[usual].core_seconds:.2f} "
                    f"times {base}:{USUAL_DISTANCE}"
                )


if __name__ == "__main__":
    main(sys.argv[1:])
