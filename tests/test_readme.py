"""The README is run: its Python, its result, its links and its options."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.runs.settings import SETTINGS
from simhash_spark.stages.fingerprints import simhash_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", README, flags=re.DOTALL)


def printed_by(block: str, variables: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(block, "README.md", "exec"), variables)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip()


def test_the_python_of_the_readme_prints_what_it_says(spark: SparkSession):
    variables: dict[str, object] = {"spark": spark}

    actual = [printed_by(block, variables) for block, _ in BLOCKS]

    assert len(BLOCKS) == 7
    for printed, (_, expected) in zip(actual, BLOCKS, strict=True):
        assert printed == expected.rstrip()


def test_the_fingerprint_by_hand_is_the_library_s():
    (block,) = [block for block, _ in BLOCKS if "mmh3" in block]
    variables: dict[str, object] = {}

    by_hand = int(printed_by(block, variables))

    ours = simhash_of(pa.array([variables["text"]], pa.string()), DedupConfig().settings)
    assert ours[0].as_py() & 0xFFFF_FFFF_FFFF_FFFF == by_hand


def test_the_first_command_prints_the_table_of_the_readme(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (arguments,) = re.findall(r"^\./submit\.sh jobs/dedup\.py (.*tests/data.*?) +#", README, re.M)
    arguments = arguments.replace("tests/data", f"{ROOT}/tests/data")
    arguments = arguments.replace("--output out", f"--output {tmp_path}/out")
    (table,) = re.findall(r"```text\n(documents .*?)```", README, flags=re.DOTALL)
    spec = importlib.util.spec_from_file_location("dedup", ROOT / "jobs" / "dedup.py")
    job = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(job)

    code = job.main(arguments.split())

    assert code == 0
    assert table in capsys.readouterr().out


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str):
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []


def test_options_that_are_named_exist():
    commands = re.findall(r"jobs/dedup\.py (.*)", README)
    options = set(re.findall(r"(--[a-z-]+)", " ".join(commands)))
    assert options <= {setting.option for setting in SETTINGS} | {"--help", "--config"}
