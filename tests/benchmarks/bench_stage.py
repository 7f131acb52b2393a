"""Megabytes per second of the Spark stage, text in and fingerprints written, beside the kernel's.

    python tests/benchmarks/bench_stage.py [FILE.parquet ...]  [--megabytes 300] [--rounds 3]

Each file (columns "id" and "text"; a few of tests/data by default) is repeated, the number of the
copy added to the id, until it holds as many megabytes of text: a run is then long enough for what
Spark does once. The kernel is ``fingerprint_texts`` on the same text in memory, in this process,
on one core. The stage is a job of Spark in ``local[1]`` that reads Parquet and writes Parquet. They
alternate; each has the best of its rounds, after one that does not count. "Per core" is text over
the processor time of the JVM and its Python workers together; wall time, during which these two
overlap, is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings
from simhash_spark.stages._arrow import text_buffers
from simhash_spark.stages.fingerprints import compute_fingerprints
from tests.benchmarks.measure_job import tree_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
BAR = 0.7
KERNEL_ROWS = 2000
"""As ``maxRecordsPerBatch`` of conf/spark.conf."""

ROWS_PER_FILE = 20_000


def session() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("bench_stage")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for line in (ROOT / "conf" / "spark.conf").read_text("utf-8").splitlines():
        if line.startswith("spark.sql.execution.arrow."):
            builder = builder.config(*line.split(maxsplit=1))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def repeat(table: pa.Table, folder: Path, n_bytes: int) -> int:
    """Write copies of a table until they hold so many bytes of text; return how many they hold."""
    size = pc.sum(pc.binary_length(table["text"])).as_py()
    n_copies = -(-n_bytes // size)
    for copy in range(n_copies):
        ids = pc.binary_join_element_wise(pc.cast(table["id"], pa.string()), str(copy), "-")
        part = pa.table({"id": ids, "text": table["text"]})
        for start in range(0, len(part), ROWS_PER_FILE):
            path = folder / f"{copy:04}-{start:08}.parquet"
            pq.write_table(part.slice(start, ROWS_PER_FILE), path, compression="zstd")
    return size * n_copies


def run_kernel(table: pa.Table, settings: FingerprintSettings) -> float:
    """CPU seconds of one copy."""
    batches = table.select(["text"]).combine_chunks().to_batches(max_chunksize=KERNEL_ROWS)
    started = time.process_time()
    for batch in batches:
        fingerprint_texts(*text_buffers(batch.column(0)), settings)
    return time.process_time() - started


def run_stage(
    spark: SparkSession, folder: Path, settings: FingerprintSettings
) -> tuple[float, float]:
    """CPU seconds of Spark's processes, and wall time."""
    wall, cpu = time.perf_counter(), cpu_below()
    documents = spark.read.parquet(str(folder / "in"))
    fingerprints = compute_fingerprints(documents, settings)
    fingerprints.write.mode("overwrite").parquet(str(folder / "out"))
    return cpu_below() - cpu, time.perf_counter() - wall


def cpu_below() -> float:
    """CPU seconds of all descendants of this process, those that have ended included."""
    ticks = 0
    for pid in tree_of(os.getpid())[1:]:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        ticks += sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def report(spark: SparkSession, path: Path, megabytes: int, rounds: int) -> None:
    table = pq.read_table(path, columns=["id", "text"])
    settings = FingerprintSettings(PROFILES["auto"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        n_bytes = repeat(table, folder / "in", megabytes * 1_000_000)
        one_copy = pc.sum(pc.binary_length(table["text"])).as_py()
        kernels, stages = [], []
        for _ in range(rounds + 1):
            kernels.append(run_kernel(table, settings))
            stages.append(run_stage(spark, folder, settings))
    kernel = one_copy / min(kernels[1:]) / 1e6
    stage, wall = (n_bytes / min(column) / 1e6 for column in zip(*stages[1:], strict=True))
    print(
        f"{path.parent.name}/{path.stem}: {n_bytes / 1e6:.0f} MB, {n_bytes // one_copy} copies of "
        f"{len(table)} documents\n"
        f"  kernel {kernel:6.1f} MB/s\n"
        f"  stage  {stage:6.1f} MB/s per core, {stage / kernel:.0%} of the kernel (bar {BAR:.0%}); "
        f"{wall:.1f} MB/s of wall time, {wall / kernel:.0%}",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    running = session()
    for file in chosen.files or [DATA / "manuals.parquet", DATA / "poems.parquet"]:
        report(running, file, chosen.megabytes, chosen.rounds)
    running.stop()
