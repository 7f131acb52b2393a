"""Runs the cells of jobs/notebook.py, with stand-ins for what Databricks provides.

As a program: ``notebook_cells.py classic|connect INPUT OUTPUT`` prints a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "jobs" / "notebook.py"


class Widgets:
    """``dbutils.widgets``: what was filled in, else the default."""

    def __init__(self, **filled: str) -> None:
        self._filled = filled
        self._values: dict[str, str] = {}

    def text(self, name: str, default: str, _label: str) -> None:
        self._values[name] = self._filled.get(name, default)

    def dropdown(self, name: str, default: str, choices: list[str], _label: str) -> None:
        self._values[name] = self._filled.get(name, default)
        assert self._values[name] in choices

    def get(self, name: str) -> str:
        return self._values[name]


def cells() -> list[str]:
    """Cut the notebook into its cells of Python."""
    header, *rest = NOTEBOOK.read_text("utf-8").split("# COMMAND ----------\n")
    assert header.startswith("# Databricks notebook source\n")
    return [cell for cell in rest if not cell.strip().startswith("# MAGIC")]


def run_cells(spark: Any, **filled: str) -> dict[str, Any]:  # Any: the values are the notebook's
    """Run the notebook; return its variables, and ``displayed``: the rows it displayed."""
    displayed: list[Any] = []
    variables: dict[str, Any] = {
        "__name__": "__main__",
        "spark": spark,
        "dbutils": SimpleNamespace(widgets=Widgets(**filled)),
        "display": lambda frame: displayed.extend(frame.collect()),
        "displayed": displayed,
    }
    for cell in cells():
        exec(compile(cell, NOTEBOOK.name, "exec", dont_inherit=True), variables)
    return variables


def main(kind: str, source: str, output: str) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 2)
    if kind == "connect":
        spark = builder.remote("local[2]").getOrCreate()
    else:
        spark = builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    os.chdir(NOTEBOOK.parent)  # as on Databricks; the workers start where the JVM did
    variables = run_cells(spark, input=source, output=output)
    shown = [row.asDict() for row in variables["displayed"]]
    result = {"counts": variables["counts"], "displayed": shown}
    sys.stdout.write("\n" + json.dumps(result) + "\n")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
