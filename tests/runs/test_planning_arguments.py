from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.errors import ConfigError
from simhash_spark.runs.planning_arguments import parse_request

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1e9", 10**9), ("1_000_000", 10**6), ("2.5e3", 2500), ("7", 7), ("1E+3", 1000)],
)
def test_documents_are_written_as_people_do(text: str, expected: int):
    assert parse_request(["--documents", text]).n_documents == expected


def test_numbers_alone_have_the_defaults_of_a_run():
    request = parse_request(["--documents", "5"])

    assert request.config == DedupConfig()
    assert (request.n_cores, request.arguments) == (None, None)


def test_numbers_alone_take_what_the_search_depends_on():
    flags = "--documents 1e6 --cores 40 --bits 128 --max-distance 20 --bucket-pairs 0"

    request = parse_request(flags.split())

    assert request.config == DedupConfig(bits=128, max_distance=20, bucket_pairs=0)
    assert request.n_cores == 40


def test_an_input_takes_the_options_of_a_run_but_needs_no_output():
    flags = "--input a b --format json --profile zh-words --max-distance 5 --cores 8 --sample 1e3"

    request = parse_request(flags.split())

    assert request.arguments is not None
    assert request.arguments.source.paths == ("a", "b")
    assert request.arguments.config == request.config
    assert (request.config.max_distance, request.config.settings.profile.name) == (5, "zh-words")
    assert (request.n_documents, request.n_cores, request.n_sampled) == (None, 8, 1000)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "--documents or --input is missing"),
        (["--max-distance", "3"], "--documents or --input is missing"),
        (["--documents", "many"], "--documents: must be a whole number from 1 .*'many'. See --h"),
        (["--documents", "0"], "from 1 to 1e12.*got '0'"),
        (["--documents", "1.5"], "got '1.5'"),
        (["--documents", "1e13"], "got '1e13'"),
        (["--documents", "5", "--cores", "0"], "--cores: must be a whole number from 1 .*'0'"),
        (["--documents", "5", "--max-distance", "x"], "must be a whole number, got 'x'"),
        (["--documents", "5", "--max-distance", "17"], "from 0 to 16 at 64 bits, got 17"),
        (["--documents", "5", "--input", "a"], "--input"),
        (["--input", "a", "--nosuch", "b"], "--nosuch"),
    ],
)
def test_a_wrong_call_is_one_line(flags: list[str], message: str):
    with pytest.raises(ConfigError, match=message) as caught:
        parse_request(flags)
    assert "\n" not in str(caught.value)


WITHOUT_SPARK = """
import runpy, sys
for name in ("pyspark", "pyarrow", "pandas"):
    sys.modules[name] = None  # importing it fails
job = runpy.run_path(sys.argv[1])
sys.exit(job["main"](["--documents", "1e9", "--cores", "200"]))
"""


def test_numbers_alone_need_no_spark():
    job = str(ROOT / "jobs" / "plan.py")

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SPARK, job],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "1,000,000,000 distinct ones of 64 bits" in done.stdout
