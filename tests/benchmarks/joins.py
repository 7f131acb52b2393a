"""What the benchmarks of the search share: the session, the search, and what a run of it costs.

The figures come from outside of the code that is measured: processor time and memory
(proportional set size) of this process and all below it from /proc, disk from the folder that Spark
writes to, bytes shuffled from the REST interface of Spark's own monitoring.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simhash_spark import columns as c
from simhash_spark.hamming import hamming_pairs
from tests.benchmarks.measure_job import KIB_PER_GIB, pss_kib, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.config import DedupConfig

Result = TypeVar("Result")

ROOT = Path(__file__).parents[2]
INTERVAL_S = 0.5
BYTES_PER_GIB = 1 << 30
SETTLING_S = 60
CLEANING_S = 0.5


@dataclass(frozen=True)
class Cost:
    """What a run took; peaks are over all processes, this one included.

    Parameters
    ----------
    seconds, core_seconds : float
        Wall time, and processor time of the JVM and its Python workers.
    peak_gib, disk_gib : float
        Peak memory, and peak of what Spark had on disk more than before.
    shuffled_bytes, spilled_bytes : int
        As Spark counts them.
    """

    seconds: float
    core_seconds: float
    peak_gib: float
    disk_gib: float
    shuffled_bytes: int
    spilled_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.seconds:7.1f} s {self.core_seconds:8.1f} core-s "
            f"{self.peak_gib:6.2f} GiB memory {self.disk_gib:6.2f} GiB disk"
        )


def hamming_edges(nodes: DataFrame, config: DedupConfig) -> DataFrame:
    """The search that is measured; this function alone knows what it is called."""
    return hamming_pairs(nodes, config)


def session(
    folder: Path,
    *,
    memory: str = "4g",
    partitions: int = 16,
    arrow_rows: int | None = None,
    cores: int = 2,
) -> SparkSession:
    """Start Spark as ``submit.sh`` does, but for what is given; its files go below ``folder``."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    from pyspark.sql import SparkSession

    settings = dict(_shipped_settings())
    settings |= {
        "spark.driver.memory": memory,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(local_dir(folder)),
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.ui.enabled": "true",  # holds the REST interface
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
    }
    if arrow_rows is not None:
        settings["spark.sql.execution.arrow.maxRecordsPerBatch"] = str(arrow_rows)
    builder = SparkSession.builder.master(f"local[{cores}]").appName("simhash_spark benchmarks")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def conditions(spark: SparkSession) -> str:
    """One line on what the figures depend on."""
    versions = f"Spark {spark.version}, Python {platform.python_version()}, NumPy {np.__version__}"
    context = spark.sparkContext
    heap = spark.conf.get("spark.driver.memory")
    rows = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    load = os.getloadavg()[0]
    return (
        f"{versions}; {context.master} of {os.cpu_count()} cores, load {load:.1f}; JVM {heap}, "
        f"{rows} rows in an Arrow batch"
    )


def local_dir(folder: Path) -> Path:
    """Where Spark keeps its shuffle files."""
    return folder / "spark-local"


def _shipped_settings() -> list[tuple[str, str]]:
    lines = (ROOT / "conf" / "spark.conf").read_text("utf-8").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line.startswith("spark.")]
    return [(name, value) for name, value in pairs]


def measure(spark: SparkSession, folder: Path, run: Callable[[], Result]) -> tuple[Result, Cost]:
    """Call ``run`` and say what it cost; what earlier runs left is thrown away before."""
    spark.sparkContext._jvm.System.gc()  # frames nobody refers to, and then their shuffle files
    time.sleep(CLEANING_S)
    before = _stages(spark)
    cpu, started = cpu_below(), time.perf_counter()
    with Peaks(local_dir(folder)) as peaks:
        result = run()
        seconds = time.perf_counter() - started
    core_seconds = cpu_below() - cpu
    stages = {key: one for key, one in _settled(spark).items() if key not in before}
    shuffled, spilled = (
        sum(one[name] for one in stages.values())
        for name in ("shuffleWriteBytes", "diskBytesSpilled")
    )
    memory, disk = peaks.memory_kib / KIB_PER_GIB, peaks.disk_bytes / BYTES_PER_GIB
    return result, Cost(seconds, core_seconds, memory, disk, shuffled, spilled)


class Peaks:
    """Watches, in a thread, the memory of the processes and the size of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory_kib = self.disk_bytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peaks:
        self._size_before = size_of(self.folder)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(INTERVAL_S):
            self._look()

    def _look(self) -> None:
        self.memory_kib = max(self.memory_kib, sum(map(pss_kib, tree_of(os.getpid()))))
        self.disk_bytes = max(self.disk_bytes, size_of(self.folder) - self._size_before)


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder; those that vanish meanwhile count as none."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total


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


def _stages(spark: SparkSession) -> dict[tuple[int, int], dict]:
    """All attempts of stages that Spark knows of, by number."""
    context = spark.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(address, timeout=SETTLING_S) as answer:
        return {(one["stageId"], one["attemptId"]): one for one in json.load(answer)}


def _settled(spark: SparkSession) -> dict[tuple[int, int], dict]:
    """As ``_stages``, when none is active any more: the counters come a moment after the result."""
    deadline = time.monotonic() + SETTLING_S
    while time.monotonic() < deadline:
        stages = _stages(spark)
        if all(one["status"] != "ACTIVE" for one in stages.values()):
            return stages
        time.sleep(INTERVAL_S)
    message = f"Spark reports active stages {SETTLING_S} s after the last result."
    raise TimeoutError(message)


def checksum(edges: DataFrame, bits: int) -> tuple[int, int]:
    """Number of pairs, and a sum over them that depends neither on their order nor on sides."""
    from pyspark.sql import functions as F

    left, right = (F.xxhash64(*c.fingerprint_words(bits, side)) for side in ("_l", "_r"))
    pair = F.xxhash64(left.bitwiseXOR(right))
    row = edges.agg(F.count(F.lit(1)), F.sum(F.pmod(pair, F.lit(1 << 32)))).first()
    return row[0], row[1] or 0
