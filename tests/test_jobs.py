"""jobs/dedup.py as a user calls it: what it says, how it ends, what it leaves behind."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

from simhash_spark.core.plan import choice as plan_choice
from simhash_spark.core.plan import windows as window_planning
from simhash_spark.core.plan.window_sizes import SearchSize
from tests.subprocesses import needs_connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Row, SparkSession

ROOT = Path(__file__).parents[1]
JOB = ROOT / "jobs" / "dedup.py"

FOX = "The quick brown fox jumps over the lazy dog, and nobody in the village ever knew why. "
SEA = "Far out at sea the lamp of the lighthouse turned, slower each night, until it stood still. "
DOCUMENTS: list[dict[str, Any]] = [
    {"id": "1", "text": FOX * 3, "n": 1},
    {"id": "2", "text": FOX * 3 + "Why", "n": 2},
    {"id": "3", "text": SEA * 3, "n": 3},
    {"id": "4", "text": SEA * 3, "n": 4},
    {"id": "5", "text": "A text of its own, unlike any other in this small world.", "n": 5},
    {"id": "6", "text": None, "n": 6},
    {"id": "7", "text": " ", "n": 7},
    {"id": "8", "text": "Hi", "n": 8},
]  # fmt: skip
REMOVED = {"1": "2", "4": "3"}  # the longer of 1 and 2, the smaller id of 3 and 4


@pytest.fixture(scope="module")
def main() -> Callable[[list[str]], int]:
    spec = importlib.util.spec_from_file_location("dedup_job", JOB)
    assert spec is not None
    assert spec.loader is not None
    job = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(job)
    run: Callable[[list[str]], int] = job.main
    return run


@pytest.fixture
def call(
    spark: SparkSession,
    main: Callable[[list[str]], int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """Call the job with an input and the output ``tmp_path/out``; return code, stdout, stderr."""

    def run(*argv: str | Path, output: str | Path = tmp_path / "out") -> tuple[int, str, str]:
        code = main([*map(str, argv), "--output", str(output)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def refused(call: Callable[..., tuple[int, str, str]], tmp_path: Path) -> Callable[..., str]:
    """Call the job, which must refuse: exit code 2, one line, nothing written or changed."""

    def run(*argv: str | Path, output: str | Path = tmp_path / "out", code: int = 2) -> str:
        before = snapshot(tmp_path)
        actual, _, err = call(*argv, output=output)
        lines = [line for line in err.splitlines() if line.startswith("dedup.py: ")]
        assert actual == code
        assert len(lines) == 1
        assert err.splitlines()[-1] == lines[0]
        assert snapshot(tmp_path) == before
        return lines[0].removeprefix("dedup.py: ")

    return run


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def put_jsonl(path: Path, documents: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(d)}\n" for d in documents), "utf-8")
    return path


def rows(spark: SparkSession, folder: Path, name: str) -> list[Row]:
    return spark.read.parquet(f"{folder}/{name}").collect()


def kept(spark: SparkSession, folder: Path, column: str = "id") -> list[Any]:
    return sorted(row[column] for row in rows(spark, folder, "survivors"))


def test_near_duplicates_are_removed_and_explained(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    documents = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)

    code, out, err = call("--input", documents, "--max-distance", "8")

    output = tmp_path / "out"
    assert (code, err) == (0, "")
    survivors = {row["id"]: row.asDict() for row in rows(spark, output, "survivors")}
    assert survivors == {d["id"]: d for d in DOCUMENTS if d["id"] not in REMOVED}
    duplicates = rows(spark, output, "duplicates")
    assert {row["id"]: row["survivor_id"] for row in duplicates} == REMOVED
    assert {row["id"]: row["cluster_size"] for row in rows(spark, output, "clusters")} == {
        "1": 2, "2": 2, "3": 2, "4": 2
    }  # fmt: skip
    pairs = sorted(rows(spark, output, "pairs"))
    assert [(row["id_l"], row["id_r"]) for row in pairs] == [("1", "2"), ("3", "4")]
    assert {row["id"]: row["reason"] for row in rows(spark, output, "unfingerprinted")} == {
        "6": "null_text", "7": "empty", "8": "too_short"
    }  # fmt: skip
    assert len(rows(spark, output, "fingerprints")) == 8
    check_summary(json.loads((output / "summary.json").read_text("utf-8")), documents)
    check_report(out.splitlines(), documents, output)


def check_summary(summary: dict[str, Any], documents: Path) -> None:
    assert summary["schema_version"] == 1
    assert summary["input"]["paths"] == [str(documents)]
    assert summary["input"]["format"] == "json"
    assert summary["config"]["id_column"] == "id"
    assert summary["config"]["profile"]["name"] == "auto"
    plan = summary["plan"]
    assert (plan["bits"], plan["max_distance"], plan["name"]) == (64, 8, "all in one bucket")
    assert plan["distinct_fingerprints"] == 4
    assert plan["actual"]["shuffled_bytes"] == plan["predicted"]["shuffled_bytes"] == 4 * 8
    assert plan["actual"]["listed_pairs"] == 1
    assert plan["actual"]["task_bytes"] == plan["predicted"]["task_bytes"]
    assert summary["rows"]["survivors"] == 6
    assert set(summary["seconds_per_stage"]) == set(summary["rows"])
    assert summary["counts"]["unfingerprinted"] == {"empty": 1, "null_text": 1, "too_short": 1}
    assert summary["counts"]["fingerprinted"] == 5
    assert all(invariant["holds"] for invariant in summary["invariants"])
    assert summary["versions"]["spark"] == pyspark.__version__
    assert summary["finished"] >= summary["started"]


def check_report(lines: list[str], documents: Path, output: Path) -> None:
    assert lines[0] == (
        f"plan: input {documents} (json) | id id | text text | profile auto | bits 64 | "
        "max distance 8 | keep length desc, id asc"
    )
    table = [" ".join(line.split()) for line in lines[lines.index("") + 1 :]]
    assert table == [
        "documents 8",
        "fingerprinted 5",
        "without: empty 1",
        "without: null_text 1",
        "without: too_short 1",
        "duplicates removed 2 (25.0%)",
        "clusters 2",
        "largest cluster 2",
        "near-duplicate pairs 2",
        f"output file:{output}",
    ]


def test_what_a_profile_learns_is_kept_and_used_again(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    documents = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    profile = tmp_path / "own.toml"
    profile.write_text('weigh = "idf"\nthreshold = "median"\n', "utf-8")
    flags = ["--input", documents, "--profile", profile, "--statistics", tmp_path / "kept",
             "--max-distance", "8"]  # fmt: skip

    outputs = [tmp_path / "first", tmp_path / "second"]
    said = [call(*flags, output=output) for output in outputs]

    assert [(code, err) for code, _, err in said] == [(0, "")] * 2
    lines = [out.splitlines()[1] for _, out, _ in said]
    assert "of 6 documents, thresholds of 4 texts, learned in" in lines[0]
    assert lines[1].endswith(f"thresholds of 4 texts, read from file:{tmp_path}/kept")
    found = [sorted(rows(spark, output, "fingerprints")) for output in outputs]
    assert found[0] == found[1]
    summaries = [json.loads((output / "summary.json").read_text("utf-8")) for output in outputs]
    assert summaries[0]["config"] == summaries[1]["config"]
    assert summaries[0]["config"]["statistics"]["path"] == f"file:{tmp_path}/kept"
    assert summaries[0]["config"]["statistics"]["n_sampled"] == 4
    assert "4" not in kept(spark, outputs[0])  # a copy of 3


def test_columns_named_like_ours_or_oddly_pass_through(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    names = ["id_l", "fingerprint", "cluster_id", "reason", "id", "text", "n_features", "rank",
             "a.b", "c d", "e`f", "中文", "survivor_id", "component", "key", "length"]  # fmt: skip
    documents = [dict.fromkeys(names, d["id"]) | {"正文": d["text"], "k.e y": d["id"]}
                 for d in DOCUMENTS]  # fmt: skip
    path = put_jsonl(tmp_path / "in.jsonl", documents)

    code, _, _ = call("--input", path, "--id-column", "k.e y", "--text-column", "正文")

    assert code == 0
    survivors = {row["k.e y"]: row.asDict() for row in rows(spark, tmp_path / "out", "survivors")}
    assert survivors == {d["k.e y"]: d for d in documents if d["k.e y"] in survivors}
    assert len(survivors) == 6


def test_rows_without_id_are_identified_by_content(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    path = tmp_path / "in.txt"
    path.write_text(f"{FOX}\r\n{SEA}\n{FOX}\r\n{SEA}\u2028tail of the line\n\n", "utf-8")

    code, out, _ = call("--input", path, "--max-distance", "0")

    assert code == 0
    assert "| id content of the row |" in out
    assert kept(spark, tmp_path / "out", "text") == ["", SEA, f"{SEA}\u2028tail of the line",
                                                     f"{FOX}\r"]  # fmt: skip


def test_whole_files_are_documents(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    for name, text in (("a.txt", SEA), ("b.md", SEA), ("deep/c.txt", FOX)):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, "utf-8")

    code, out, _ = call("--input", tmp_path / "in", "--whole-files")

    assert code == 0
    assert "| id path |" in out
    assert kept(spark, tmp_path / "out", "path") == [
        f"file:{tmp_path}/in/a.txt", f"file:{tmp_path}/in/deep/c.txt"
    ]  # fmt: skip


def test_malformed_records_are_kept_and_counted_on_request(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    path = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    path.write_text(path.read_text("utf-8") + '{"id": "9", "te\n', "utf-8")

    code, out, _ = call("--input", path, "--option", "mode=PERMISSIVE", "--by-content")

    assert code == 0
    assert "malformed records kept 1" in " ".join(out.split())
    corrupt = [row["_corrupt_record"] for row in rows(spark, tmp_path / "out", "survivors")]
    assert [record for record in corrupt if record] == ['{"id": "9", "te']


def test_overwrite_replaces_an_output_and_keeps_it_when_the_run_fails(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    first = put_jsonl(tmp_path / "first.jsonl", DOCUMENTS[:3])
    second = put_jsonl(tmp_path / "second.jsonl", DOCUMENTS[2:5])
    (tmp_path / "bad.jsonl").write_text("{", "utf-8")

    codes = [call("--input", first)[0]]
    codes += [call("--input", tmp_path / "bad.jsonl", "--overwrite")[0]]
    after_failure = kept(spark, tmp_path / "out")
    codes += [call("--input", second, "--overwrite")[0]]

    assert codes == [0, 2, 0]
    assert set(after_failure) <= {"1", "2", "3"}
    assert kept(spark, tmp_path / "out") == ["3", "5"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "bad.jsonl", "first.jsonl", "out", "second.jsonl"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--max-distance", "abc"], "--max-distance: must be a whole number, got 'abc'. See --h"),
        (["--max-distance", "-1"], "max_distance must be a whole number from 0 to 16 at 64 bits, "),
        (["--max-distance", "17"], "got 17. --bits 128 allows up to 32."),
        (["--profile", "nosuch"], ", FILE.toml; got 'nosuch'."),
        (["--id-column", "key"], "no column 'key'; it has: id, n, text. Set --id-column to one"),
        (["--text-column", "body"], "no column 'body'; it has: id, n, text. Set --text-column to"),
        (["--text-column", "n"], "The text column 'n' is of type bigint, not string. Cast it"),
        (["--keep", "nosuch desc"], "no column 'nosuch'; it has: id, n, text."),
    ],
)  # fmt: skip
def test_wrong_setting_is_refused(
    refused: Callable[..., str], tmp_path: Path, flags: list[str], message: str
):
    path = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)

    assert message in refused("--input", path, *flags)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([{"id": None, "text": FOX}, {"id": "1", "text": SEA}], "The id column is null in 1 row(s"),
        ([{"id": "1", "text": FOX}, {"id": "1", "text": SEA}], "1 id(s) occur more than once, for "
         "example '1'"),
        ([{"id": {"a": 1}, "text": FOX}], "The id column 'id' is of type struct<a:bigint>, which "
         "cannot identify a document"),
        ([{"id": 1.5, "text": FOX}], "The id column 'id' is of type double, which cannot identify"),
        ([{"id": "1", "text": None}, {"id": "2", "text": None}], "The text column 'text' is null "
         "in all 2 row(s): check --text-column."),
        ([], "in.jsonl holds no rows: nothing to compare."),
    ],
)  # fmt: skip
def test_unusable_documents_are_refused(
    refused: Callable[..., str], tmp_path: Path, documents: list[dict[str, Any]], message: str
):
    path = put_jsonl(tmp_path / "in.jsonl", documents)

    assert message in refused("--input", path)


def test_zero_rows_of_a_known_schema_are_refused(
    spark: SparkSession, refused: Callable[..., str], tmp_path: Path
):
    spark.sql("SELECT 'a' AS id, 'b' AS text WHERE 1 = 0").write.parquet(f"{tmp_path}/in")

    assert refused("--input", tmp_path / "in") == "The input holds no rows: nothing to compare."


def test_unreadable_input_is_refused(refused: Callable[..., str], tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.parquet").write_text("no Parquet at all, but long enough to be tried")
    whole = gzip.compress(json.dumps(DOCUMENTS[0]).encode() * 500)
    (tmp_path / "short.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    expected = {
        "none.jsonl": f"The input file:{tmp_path}/none.jsonl does not exist: check --input.",
        "empty": f"There is no file in {tmp_path}/empty: nothing to read.",
        "bad.parquet": "is not a readable Parquet or ORC file",
        "short.jsonl.gz": "repair or remove it.",
    }

    for name, message in expected.items():
        said = refused("--input", tmp_path / name)
        assert message in said
        assert f"{tmp_path}/{name}" in said


def test_output_in_the_way_is_refused(refused: Callable[..., str], tmp_path: Path):
    path = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("")

    said = [
        refused("--input", path, output=tmp_path / "mine"),
        refused("--input", path, "--overwrite", output=tmp_path / "mine"),
        refused("--input", tmp_path, "--format", "json", output=tmp_path / "out"),
        refused("--input", path, output="/proc/out"),
        refused("--input", path, output=path / "out"),
    ]

    assert "exists and is not empty" in said[0]
    assert "no output of an earlier run, it holds file" in said[1]
    assert "lies inside the input" in said[2]
    assert "/proc/out cannot be written" in said[3]
    assert f"{path}/out " in said[4]


def test_unknown_configuration_key_is_refused(refused: Callable[..., str], tmp_path: Path):
    (tmp_path / "own.toml").write_text("[pairs]\ndistance = 3\n")
    path = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)

    said = refused("--input", path, "--config", tmp_path / "own.toml")

    assert "Unknown key 'distance' in [pairs]" in said
    assert said.endswith("known keys: max_distance, bucket_pairs, recall.")


def test_a_broken_invariant_fails_the_run(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    monkeypatch.setattr(
        "simhash_spark.pipeline.select_survivors", lambda documents, *_: documents.limit(2)
    )

    said = refused("--input", path, code=1)

    assert "was not published: survivors + duplicates = input rows (survivors: 2," in said


def test_verbose_shows_the_traceback(call: Callable[..., tuple[int, str, str]], tmp_path: Path):
    code, _, err = call("--input", tmp_path / "none.jsonl", "--verbose")

    assert code == 2
    assert "Traceback (most recent call last)" in err


def environment(**settings: str) -> dict[str, str]:
    hidden = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME")
    return {k: v for k, v in os.environ.items() if k not in hidden} | settings


def test_the_job_runs_as_a_script_from_anywhere(spark: SparkSession, tmp_path: Path):
    put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    arguments = ["--input", "in.jsonl", "--output", "out", "--max-distance", "8"]

    done = subprocess.run(
        [sys.executable, str(JOB), *arguments],
        cwd=tmp_path,
        env=environment(SPARK_LOCAL_IP="127.0.0.1"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("plan: ")
    assert done.stdout.rstrip().endswith(f"file:{tmp_path}/out")
    assert kept(spark, tmp_path / "out") == ["2", "3", "5", "6", "7", "8"]


GIVEN: list[dict[str, Any]] = [
    {"id": 1, "f": [{"feature": word, "weight": 2} for word in "abcdef"]},
    {"id": 2, "f": [{"weight": 1.5, "feature": word} for word in "fedcba"]},
    {"id": 3, "f": [{"feature": word, "weight": 1} for word in "uvwxyz"]},
    {"id": 4, "f": None},
    {"id": 5, "f": []},
    {"id": 6, "f": [{"feature": "a", "weight": 1}]},
]
"""1 and 2 have the same features in the same ratio; the weights of 3 are whole numbers."""


def check_given(spark: SparkSession, output: Path) -> None:
    assert kept(spark, output) == [1, 3, 4, 5, 6]
    assert [(r.id, r.survivor_id) for r in rows(spark, output, "duplicates")] == [(2, 1)]
    reasons = {row.id: row.reason for row in rows(spark, output, "unfingerprinted")}
    assert reasons == {4: "null_features", 5: "empty", 6: "too_short"}


def test_features_of_a_column_are_compared_in_place_of_those_of_the_text(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    documents = put_jsonl(tmp_path / "in.jsonl", GIVEN)
    spark.read.json(str(documents)).write.parquet(f"{tmp_path}/parquet")

    code, out, err = call("--input", tmp_path / "parquet", "--features-column", "F")

    assert (code, err) == (0, "")
    assert " | id id | features F | profile auto | " in out.splitlines()[0]
    check_given(spark, tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert summary["config"]["features_column"] == "F"
    assert summary["counts"]["unfingerprinted"] == {"empty": 1, "null_features": 1, "too_short": 1}


def test_submit_takes_a_features_column_of_json(spark: SparkSession, tmp_path: Path):
    put_jsonl(tmp_path / "in.jsonl", GIVEN)
    arguments = ["--input", "in.jsonl", "--output", "out", "--features-column", "f"]

    done = subprocess.run(
        [ROOT / "submit.sh", "--master", "local[2]", "jobs/dedup.py", *arguments],
        cwd=tmp_path,
        env=environment(SIMHASH_SPARK_PYTHON=sys.executable),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    check_given(spark, tmp_path / "out")


@pytest.mark.parametrize(
    ("features", "flags", "message"),
    [
        ([{"feature": "a", "weight": -1}], [], "Document 1 has the weight -1 for the feature 'a'"),
        (["a", None], [], "Document 1 has a null feature"),
        ([{"feature": "a"}], [], "'f' is of type array<struct<feature:string>>; expected array<st"),
        ({"a": 1}, [], "'f' is of type struct<a:bigint>; expected"),
        (None, [], "'f' is of type string; expected"),
        (["a"], ["--text-column", "body"], "no column 'body'; it has: f, id."),
        (["a"], ["--keep", "length"], "keep = 'length' asks for the length of the text"),
        (["a"], ["--features-column", "g"], "no column 'g'; it has: f, id. Set --features-column"),
        (["a"], ["--profile", "tfidf-keywords"], "weigh = given, and the features have no weights"),
    ],
)
def test_unusable_features_are_refused(
    refused: Callable[..., str], tmp_path: Path, features: Any, flags: list[str], message: str
):
    path = put_jsonl(tmp_path / "in.jsonl", [{"id": 1, "f": features}])

    assert message in refused("--input", path, "--features-column", "f", *flags)


def test_features_that_are_all_null_are_refused(
    spark: SparkSession, refused: Callable[..., str], tmp_path: Path
):
    spark.sql("SELECT 1 AS id, CAST(NULL AS array<string>) AS f").write.parquet(f"{tmp_path}/in")

    message = refused("--input", tmp_path / "in", "--features-column", "f")

    assert message == "The features column 'f' is null in all 1 row(s): check --features-column."


@needs_connect
def test_the_job_runs_over_spark_connect(spark: SparkSession, tmp_path: Path):
    put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    arguments = ["--input", "in.jsonl", "--output", "out", "--max-distance", "8"]

    done = subprocess.run(
        [sys.executable, str(JOB), *arguments],
        cwd=tmp_path,
        env=environment(SPARK_LOCAL_IP="127.0.0.1", SPARK_REMOTE="local[2]", SPARK_TESTING="1"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert kept(spark, tmp_path / "out") == ["2", "3", "5", "6", "7", "8"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out"]


def test_the_job_runs_under_spark_submit_and_passes_its_exit_code_on(tmp_path: Path):
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    put_jsonl(tmp_path / "in.jsonl", [{"id": "1", "text": None}])

    done = subprocess.run(
        [str(submit), "--master", "local[2]", str(JOB), "--input", "in.jsonl", "--output", "out"],
        cwd=tmp_path,
        env=environment(PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 2, done.stderr
    assert "The text column 'text' is null in all 1 row(s)" in done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, code: int):
    put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    job = subprocess.Popen(
        [sys.executable, str(JOB), "--input", "in.jsonl", "--output", "out"],
        cwd=tmp_path,
        env=environment(SPARK_LOCAL_IP="127.0.0.1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 200
    while not list(tmp_path.glob("out.__incomplete-*/output-*/*")):
        assert time.monotonic() < deadline
        assert job.poll() is None
        time.sleep(0.05)

    job.send_signal(number)
    _, err = job.communicate(timeout=100)

    assert job.returncode == code
    assert "dedup.py: Interrupted; nothing was published." in err.splitlines()
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_recall_may_be_asked_for_and_few_documents_are_searched_exactly_all_the_same(
    spark: SparkSession, call: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    articles = ROOT / "tests" / "data" / "articles.jsonl.gz"

    code, out, err = call("--input", articles, "--recall", "0.95", "--max-distance", "12")

    assert (code, err) == (0, "")
    assert " | recall 0.95 | " in out
    assert "recall at distance 12    1, as the exact search costs less" in out
    plan = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["plan"]
    assert plan["kind"] == "exact"
    assert plan["recall"] == {"asked": 0.95, "predicted": 1.0, "measured": None}


def test_a_search_by_windows_says_its_recall_and_warns_where_it_is_missed(
    spark: SparkSession,
    call: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """The plan is made to believe that a tenth of the tables do."""
    articles = ROOT / "tests" / "data" / "articles.jsonl.gz"
    choose = window_planning.choose_window
    monkeypatch.setattr(plan_choice, "FEW", 100)
    monkeypatch.setattr(plan_choice, "WORTH", 0)
    monkeypatch.setattr(
        window_planning,
        "choose_window",
        lambda *n, **form: SearchSize(1, choose(*n, **form)[1] // 10),
    )

    code, out, err = call("--input", articles, "--recall", "0.95", "--max-distance", "12")

    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    plan, recall = summary["plan"], summary["plan"]["recall"]
    said = f"{recall['measured']:.3f}, measured on {recall['n_planted']:,} planted pairs"
    assert code == 0
    assert (plan["kind"], plan["window"], plan["passes"]) == ("windows", 1, 1)
    assert recall["asked"] == 0.95
    assert recall["measured"] == recall["n_found"] / recall["n_planted"] < 0.9
    assert f"recall at distance 12    {said}" in out
    assert err == (
        f"dedup.py: The recall at distance 12 is {said}, and 0.95 was asked: raise --recall, or "
        "use --bits 128.\n"
    )
    assert "recall" not in summary["counts"]


def test_a_dry_run_says_what_the_search_would_take_and_writes_nothing(
    spark: SparkSession,
    main: Callable[[list[str]], int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    documents = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    before = snapshot(tmp_path)

    codes = [
        main(["--input", str(documents), "--dry-run"]),
        main(["--input", str(documents), "--dry-run", "--output", str(tmp_path / "out")]),
    ]

    out, err = capsys.readouterr()
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert (codes, err) == ([0, 0], "")
    assert lines[:3] == [
        "fingerprints 4 distinct ones of 64 bits",  # 3 and 4 have the same text
        "max distance 3, exact, none missed, of crowds as many as hold clusters together",
        "plan all in one bucket",
    ]
    assert snapshot(tmp_path) == before


def test_a_search_that_cannot_work_is_refused_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str], tmp_path: Path
):
    documents = put_jsonl(tmp_path / "in.jsonl", DOCUMENTS)
    monkeypatch.setattr("simhash_spark.core.plan.exact.MOST_CORE_HOURS", 0.0)

    message = refused("--input", documents)

    assert message.startswith("The search would take 0 core-hours; at most 0 are accepted")


def load_plan() -> Callable[[list[str]], int]:
    spec = importlib.util.spec_from_file_location("plan_job", ROOT / "jobs" / "plan.py")
    assert spec is not None
    assert spec.loader is not None
    job = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(job)
    run: Callable[[list[str]], int] = job.main
    return run


def test_a_plan_of_a_sample_speaks_of_all_documents(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Each text comes four times: copies are in the sample together, and count once."""
    words = [f"{FOX[n % 40 :]} {n * n} {SEA[n % 30 :]} {n}" for n in range(500)]
    texts = [{"id": f"{n}-{copy}", "text": text} for n, text in enumerate(words) for copy in "abcd"]
    documents = put_jsonl(tmp_path / "in.jsonl", texts)

    code = load_plan()(["--input", str(documents), "--sample", "1000", "--cores", "4"])

    out = " ".join(capsys.readouterr().out.split())
    n_distinct = int(out.split()[1].replace(",", ""))
    assert code == 0
    assert 400 < n_distinct < 600
    assert "on 1 core for 1 task, all of them busy" in out


def test_a_plan_that_cannot_work_is_shown_and_refused(capsys: pytest.CaptureFixture[str]):
    code = load_plan()(["--documents", "1e10", "--max-distance", "16", "--cores", "10"])

    out, err = capsys.readouterr()
    assert code == 2
    assert "considered" in out
    assert err.startswith("plan.py: The search would take ")
    assert err.count("\n") == 1
    assert "at most 240 are accepted on 10 cores. Use, where not done yet, a smaller" in err


def test_a_wrong_call_of_a_plan_is_one_line(capsys: pytest.CaptureFixture[str]):
    code = load_plan()(["--documents", "none"])

    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("plan.py: Argument --documents: must be a whole number")
