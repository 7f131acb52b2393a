"""Python programs in processes of their own: one process has one kind of Spark session."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

ROOT = Path(__file__).parents[1]
ARTICLES = ROOT / "tests" / "data" / "articles.jsonl.gz"

needs_connect = pytest.mark.skipif(
    pyspark.__version__ < "4" or importlib.util.find_spec("grpc") is None,
    reason="no Spark Connect here: it needs PySpark 4 with the extra `connect` "
    "(PySpark 3.5 from the package index has no Connect server)",
)


def run_python(*arguments: object, cwd: Path, python_path: Path, **variables: str) -> str:
    """Run a Python program; return what it printed, or fail with what it complained about."""
    environment = os.environ | {
        "PYTHONPATH": str(python_path),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_TESTING": "1",  # a Connect server takes any free port instead of always 15002
    }
    environment.pop("PYSPARK_SUBMIT_ARGS", None)
    finished = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-6000:]
    return finished.stdout
