"""The folder tree is a promise; these tests hold the package to it."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "simhash_spark"

# Who may import what beside the standard library and its own layer's foundations, top down:
# jobs → runs → pipeline, sql → stages → core → the settings.
SETTINGS = "config columns errors keep version checks profiles"
BASE = {f"simhash_spark.{name}" for name in SETTINGS.split()}
CORE = BASE | {"numpy", "simhash_spark.core"}
SPARK = {"pyspark", "pyarrow"}
FLOW = CORE | SPARK | {"simhash_spark.schemas", "simhash_spark.stages"}
ENTRIES = {f"simhash_spark.{name}" for name in ("hamming", "pipeline", "sql", "statistics")}
RUNS = FLOW | ENTRIES | {"simhash_spark.runs"}
MAY_IMPORT = {
    "config.py": BASE,
    "columns.py": BASE,
    "errors.py": BASE,
    "keep.py": BASE,
    "version.py": BASE,
    "checks.py": BASE,
    "profiles": BASE,
    "schemas.py": BASE | {"pyspark"},
    "core": CORE | {"jieba"},
    "stages": FLOW,  # but see test_no_stage_imports_a_stage
    "hamming.py": FLOW,
    "pipeline.py": FLOW | {"simhash_spark.hamming"},
    "sql.py": FLOW,
    "statistics.py": FLOW,
    "scalar.py": CORE,
    "runs": RUNS,
    "__init__.py": FLOW | ENTRIES | {"simhash_spark.scalar"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))
JOBS = sorted((ROOT / "jobs").glob("*.py"))

# Serverless Spark refuses these, Spark Connect has none of them, or their result depends on how
# the rows happen to lie. `hash` differs from one Python process to the next.
NOT_BELOW_RUNS = {
    "rdd",
    "_jvm",
    "_jsc",
    "_jdf",
    "sparkContext",
    "SparkContext",
    "persist",
    "cache",
    "checkpoint",
    "localCheckpoint",
    "monotonically_increasing_id",
}
JVM_GATEWAY = PACKAGE / "runs" / "filesystem.py"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def imports_of(path: Path, *, top_level_only: bool = False) -> set[str]:
    """Return the full names of what a module imports, the standard library left out."""
    nodes = ast.parse(path.read_text("utf-8")).body if top_level_only else nodes_of(path)
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def lies_in(name: str, roots: set[str]) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_lies_below(path: Path):
    allowed = MAY_IMPORT[layer_of(path)]
    above = {name for name in imports_of(path) if not lies_in(name, allowed)}
    if layer_of(path) == "runs":
        above -= {"simhash_spark"}  # the package as a whole, to send it to the executors
    assert above == set()


STAGES = [path for path in MODULES if layer_of(path) == "stages"]


@pytest.mark.parametrize("path", STAGES, ids=name_of)
def test_no_stage_imports_a_stage(path: Path):
    inside = {name for name in imports_of(path) if lies_in(name, {"simhash_spark.stages"})}
    helpers = {name for name in inside if name.startswith("simhash_spark.stages._")}
    assert inside == helpers or path.name == "__init__.py"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_jieba_is_imported_on_first_use_only(path: Path):
    assert not lies_in("jieba", {n.split(".")[0] for n in imports_of(path, top_level_only=True)})


@pytest.mark.parametrize("path", MODULES + JOBS, ids=name_of)
def test_pandas_is_imported_nowhere(path: Path):
    assert not [name for name in imports_of(path) if lies_in(name, {"pandas"})]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_relative_imports_are_not_used(path: Path):
    assert not [n for n in nodes_of(path) if isinstance(n, ast.ImportFrom) and n.level]


BELOW_RUNS = [path for path in MODULES if layer_of(path) != "runs"]


@pytest.mark.parametrize("path", BELOW_RUNS, ids=name_of)
def test_the_library_runs_on_any_spark_and_any_partitioning(path: Path):
    used = {n.attr for n in nodes_of(path) if isinstance(n, ast.Attribute)}
    used |= {name.rpartition(".")[2] for name in imports_of(path)}
    assert used & NOT_BELOW_RUNS == set()


RUNNING = [path for path in MODULES if layer_of(path) == "runs"] + JOBS


@pytest.mark.parametrize("path", [p for p in RUNNING if p != JVM_GATEWAY], ids=name_of)
def test_only_the_file_system_module_reaches_into_the_jvm(path: Path):
    used = {n.attr for n in nodes_of(path) if isinstance(n, ast.Attribute)}
    assert used & {"_jvm", "_jsc", "_jdf", "rdd"} == set()


@pytest.mark.parametrize("path", MODULES + JOBS, ids=name_of)
def test_the_builtin_hash_is_not_used(path: Path):
    calls = [node.func for node in nodes_of(path) if isinstance(node, ast.Call)]
    assert not [func for func in calls if isinstance(func, ast.Name) and func.id == "hash"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_fits_on_a_few_screens(path: Path):
    assert lines_of(path) <= 250


@pytest.mark.parametrize("path", [p for p in JOBS if p.name != "notebook.py"], ids=name_of)
def test_a_job_fits_on_one_screen(path: Path):
    assert lines_of(path) <= 80


OBSERVER = """
import importlib, logging, os, sys, threading, warnings
import numpy
try:  # what a dependency does when imported is its own affair
    import pyarrow, pyspark.sql.functions, pyspark.sql.types, pyspark.util
except ImportError:
    pass

def look():
    names = (None, *logging.root.manager.loggerDict)
    return {
        "environment": dict(os.environ),
        "threads": threading.active_count(),
        "warning filters": list(warnings.filters),
        "log handlers": {n: h for n in names if (h := list(logging.getLogger(n).handlers))},
        "jieba": "jieba" in sys.modules,
    }

before = look()
for module in sys.argv[1:]:
    importlib.import_module(module)
after = look()
print([name for name in before if before[name] != after[name]])
if "pyspark" in sys.modules:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    assert SparkContext._active_spark_context is None and SparkSession.getActiveSession() is None
"""


def test_importing_the_package_changes_nothing():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
    ]

    seen = subprocess.run(
        [sys.executable, "-c", OBSERVER, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (seen.returncode, seen.stdout, seen.stderr) == (0, "[]\n", "")


def test_the_top_level_holds_what_the_readme_names():
    expected = {"pyproject.toml", "jobs", "simhash_spark", "tests", "conf", "submit.sh"}
    expected |= {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", ".ci", ".gitignore"}
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")

    assert {line.split("/")[0] for line in listed.stdout.splitlines()} <= expected
