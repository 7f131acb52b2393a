"""The search with a recall target through Spark: seconds, memory, bytes, and the recall measured.

    python tests/benchmarks/bench_recall.py [--n 1e6] [--recall 0.95] [--cases 64:12 128:24]

Uniform fingerprints, one in a hundred with a neighbour planted within the distance; the recall is
that of the pairs at the radius which the search itself plants beside. Prints what the plan predicts
and what the run took; each case runs once for warming up at a tenth of the size.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.config import DedupConfig
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.hamming import plan_pairs, search
from simhash_spark.stages.edges import select_edges, sum_efforts
from simhash_spark.stages.windows import measure_recall
from tests.benchmarks.fingerprint_sets import write_uniform
from tests.benchmarks.joins import checksum, conditions, measure, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.benchmarks.joins import Cost


def run(spark: SparkSession, folder: Path, n: int, config: DedupConfig) -> Cost:
    """Search one set of fingerprints; print the plan, what it took and what was found."""
    nodes = folder / "nodes"
    shutil.rmtree(nodes, ignore_errors=True)
    write_uniform(nodes, n, bits=config.bits, max_distance=config.max_distance)
    stored = folder / "found"

    def searched() -> WindowPlan:
        frame = spark.read.parquet(str(nodes))
        plan = plan_pairs(frame, config)
        if not isinstance(plan, WindowPlan):
            message = f"{n} fingerprints are searched exactly: {plan.name}."
            raise SystemExit(message)
        search(frame, plan).write.mode("overwrite").parquet(str(stored))
        return plan

    plan, cost = measure(spark, folder, searched)
    found = spark.read.parquet(str(stored))
    n_planted, n_found = measure_recall(found, plan)
    n_pairs, _ = checksum(select_edges(found), config.bits)
    tasks = sum_efforts(found).first().cpu_ms / 1000
    print(
        f"{n:>11,} of {config.bits:3} bits, distance {config.max_distance}: {plan.name}, "
        f"{plan.n_partitions} tasks\n"
        f"  {cost}; {tasks:.1f} s of it in tasks, {plan.prediction.core_seconds:.1f} predicted; "
        f"{cost.shuffled_bytes / n:.1f} bytes shuffled each, {n_pairs:,} pairs\n"
        f"  recall at the radius {n_found / n_planted:.3f} on {n_planted:,} planted, "
        f"{plan.predicted_recall:.3f} predicted, {plan.recall} asked",
        flush=True,
    )
    return cost


def main(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        spark = session(Path(name), memory=given.memory)
        print(conditions(spark))
        for case in given.cases:
            bits, distance = map(int, case.split(":"))
            config = DedupConfig(bits=bits, max_distance=distance, recall=given.recall)
            sizes = [int(n) for n in given.n]
            costs = [run(spark, Path(name), n, config) for n in [sizes[0] // 10, *sizes]][1:]
            for at in range(1, len(sizes)):
                growth = costs[at].core_seconds / costs[at - 1].core_seconds
                print(f"  {sizes[at - 1]:.0e} to {sizes[at]:.0e}: {growth:.1f} times the core-s")
        spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", nargs="+", type=float, default=[1e6])
    parser.add_argument("--recall", type=float, default=0.95)
    parser.add_argument("--cases", nargs="+", default=["64:12", "128:24"], metavar="BITS:DISTANCE")
    parser.add_argument("--memory", default="2g", help="of the JVM")
    main(parser.parse_args())
