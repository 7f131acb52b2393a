"""What plans predict beside what the searches then do: the table of conf/how-big.md.

    python tests/benchmarks/check_predictions.py [SIZE ...] [--bits 64] [--max-distance 3]

Uniform fingerprints, one in a hundred with a neighbour planted within the distance.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.config import DedupConfig
from simhash_spark.hamming import plan_pairs, search
from simhash_spark.runs.plan_table import plan_told
from simhash_spark.stages.edges import sum_efforts
from tests.benchmarks.fingerprint_sets import write_uniform
from tests.benchmarks.joins import session

NAMES = ("sorted_rows", "compared_pairs", "search_seconds", "shuffled_bytes", "task_bytes")


def main(sizes: list[int], bits: int, max_distance: int) -> None:
    print("| fingerprints | bits:distance | " + " | ".join(NAMES) + " |")
    print("| --- " * (2 + len(NAMES)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        spark = session(Path(folder), memory="5g")
        config = DedupConfig(bits=bits, max_distance=max_distance)
        for size in sizes:
            path = Path(folder) / f"nodes-{size}"
            write_uniform(path, size, bits=bits, max_distance=max_distance)
            nodes = spark.read.parquet(str(path))
            plan = plan_pairs(nodes, config)
            row = search(nodes, plan).transform(sum_efforts).first()
            told = plan_told(plan, {} if row is None else row.asDict())
            pairs = (f"{told['predicted'][n]:.3g} / {told['actual'][n]:.3g}" for n in NAMES)
            print(f"| {size:.0e} | {bits}:{max_distance} | " + " | ".join(pairs) + " |", flush=True)
        spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=float, default=[1e5, 1e6])
    parser.add_argument("--bits", type=int, default=64)
    parser.add_argument("--max-distance", type=int, default=3)
    given = parser.parse_args()
    main([int(size) for size in given.sizes], given.bits, given.max_distance)
