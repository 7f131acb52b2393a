"""The exact search while tasks are killed and copied, as a program: prints a line of JSON.

Speculation never starts a copy on a host that runs the task already, and all workers of
``local-cluster`` are on one host. So this is a cluster of its own, on two loopback addresses.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pyspark import TaskContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.plan.exact import Needs, plan_search
from simhash_spark.stages._found import EFFORT
from simhash_spark.stages.blocks import _packer, explode_blocks
from simhash_spark.stages.edges import _finder, find_edges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NONE = np.empty((0, 1), dtype=np.uint64)
HOSTS = ["127.0.0.1", "127.0.0.2"]
SLEEP_SECONDS = 25
PLAIN = {
    "spark.driver.host": HOSTS[0],
    "spark.driver.bindAddress": HOSTS[0],
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.cores.max": "2",
    "spark.executor.cores": "1",
    "spark.executor.memory": "600m",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.minTaskRuntime": "1s",
}


@contextmanager
def cluster(folder: Path):
    """Start a master and a worker per host; end them, and with them their executors."""
    with socket.socket() as free:
        free.bind((HOSTS[0], 0))
        port = str(free.getsockname()[1])
    url = f"spark://{HOSTS[0]}:{port}"
    options = ["--webui-port", "0"]
    at_worker = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"), url]
    started = []
    try:
        started.append(start(folder, "master.Master", HOSTS[0], ["--port", port, *options]))
        started += [start(folder, "worker.Worker", host, [*options, *at_worker]) for host in HOSTS]
        yield url
    finally:
        for process in started[::-1]:
            process.terminate()
        for process in started:
            process.wait(20)


def start(folder: Path, name: str, host: str, arguments: list[str]) -> subprocess.Popen:
    spark_class = Path(_find_spark_home()) / "bin" / "spark-class"
    command = [spark_class, f"org.apache.spark.deploy.{name}", "--host", host, *arguments]
    variables = {
        "SPARK_LOCAL_IP": host,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false",
    }
    with (folder / f"{name}-{host}.log").open("wb") as log:
        return subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log)


def faulty(inner, folder: Path, stage: str, *, killed: int, slow: int | None, n_batches: int):
    """Let the first attempt at one partition die half-way, and that at another hang."""

    def run(batches):
        context = TaskContext.get()
        partition, attempt = context.partitionId(), context.attemptNumber()

        def mark(what: str) -> None:
            (folder / f"{stage}-{partition}-{attempt}-{what}").touch()

        mark("started")
        for at, batch in enumerate(inner(batches), 1):
            yield batch
            if attempt or at != n_batches:
                continue
            if partition == killed:
                mark("killed")
                os.kill(os.getpid(), signal.SIGKILL)
            if partition == slow:
                mark("slow")
                time.sleep(SLEEP_SECONDS)
        mark("ended")

    return run


def planted() -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Uniform fingerprints, with neighbours of half of them at distance 1 or 2."""
    rng = np.random.default_rng(3)
    base = rng.integers(-(2**63), 2**63, 40_000, dtype=np.int64)
    near = base[:20_000] ^ (1 << rng.integers(0, 31, 20_000)) ^ (1 << rng.integers(30, 62, 20_000))
    couples = [(int(a) % 2**64, int(b) % 2**64) for a, b in zip(base, near, strict=False)]
    pairs = [(min(p), max(p), (p[0] ^ p[1]).bit_count()) for p in couples if p[0] != p[1]]
    return np.unique(np.concatenate([base, near])), sorted(pairs)


def summed(found: DataFrame) -> tuple[list[tuple[int, int, int]], int]:
    """Take the pairs, and the number of fingerprints that the tasks say they read."""
    rows = found.collect()
    pairs = [(r[0] % 2**64, r[1] % 2**64, r[2]) for r in rows if r[c.DISTANCE] is not None]
    efforts = [row[c.EFFORT] for row in rows if row[c.EFFORT] is not None]
    return sorted(pairs), sum(effort[EFFORT.index("n_rows")] for effort in efforts)


def main(folder: Path) -> None:
    os.environ.pop("SPARK_TESTING", None)  # a master and workers look for Spark's sources then
    os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # quick starts
    values, expected = planted()
    plan = plan_search(Needs(64, 3, len(values)), NONE, first_extra=1, n_partitions=4)
    markers = folder / "markers"
    markers.mkdir()
    pack = faulty(_packer(plan), markers, "pack", killed=1, slow=None, n_batches=1)
    find = faulty(_finder(plan), markers, "find", killed=2, slow=0, n_batches=3)
    with cluster(folder) as url:
        builder = SparkSession.builder.master(url)
        for key, value in PLAIN.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        nodes = spark.createDataFrame([(int(v),) for v in values], "fingerprint long")
        plain = summed(nodes.transform(explode_blocks, plan).transform(find_edges, plan))
        blocks = nodes.mapInArrow(pack, schemas.BLOCKS)
        blocks = blocks.repartition(plan.n_partitions, c.PARTITION).sortWithinPartitions(c.ROUTE)
        found = summed(blocks.mapInArrow(find, schemas.found(plan.bits)))
        spark.stop()
    result = {
        "n_planted": len(expected),
        "n_pairs": [len(plain[0]), len(found[0])],
        "is_planted": [plain[0] == expected, found[0] == expected],
        "n_to_read": plan.n_top * len(values),
        "n_read": [plain[1], found[1]],
        "markers": sorted(path.name for path in markers.iterdir()),
    }
    sys.stdout.write("\n" + json.dumps(result) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
