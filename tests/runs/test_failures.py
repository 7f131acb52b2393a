from __future__ import annotations

import pytest

from simhash_spark.errors import ConfigError, InvariantError, OutputError
from simhash_spark.runs.failures import explain, trace_of

READING = "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file"


@pytest.mark.parametrize(
    ("text", "message", "exit_code"),
    [
        (
            "An error occurred while calling o5.save.\n: org.apache.spark.SparkException: Job "
            "aborted\n\tat A.b(C.scala)\nCaused by: java.io.IOException: No space left on device",
            "The disk is full",
            1,
        ),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited", "Java did not start: install", 1),
        (
            f"{READING} file:///d/out.__incomplete-x/work/edges/part-0.parquet. SQLSTATE: KD001",
            "An intermediate file of this run beside file:///d/out was lost",
            1,
        ),
        (
            "[PATH_NOT_FOUND] Path does not exist: file:/d/a b.v1*.json. SQLSTATE: 42K03",
            "The input file:/d/a b.v1*.json does not exist",
            2,
        ),
        (
            "E: x\nCaused by: java.io.FileNotFoundException: /data/x.json (Permission denied)",
            "A right is missing (/data/x.json (Permission denied)): check those on --input",
            2,
        ),
        (
            "org.apache.hadoop.security.AccessControlException: Permission denied: user=me, "
            'access=WRITE, inode="/data"\n\tat A.b',
            'A right is missing (Permission denied: user=me, access=WRITE, inode="/data")',
            2,
        ),
        (
            f"{READING} hdfs://nn:8020/d/x.parquet.  SQLSTATE: KD001\nCaused by: "
            "java.io.IOException: can not read class PageHeader: required {field}",
            "The input hdfs://nn:8020/d/x.parquet cannot be read (can not read class PageHeader: "
            "required {field})",
            2,
        ),
        (
            "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:/d/x.orc. "
            "File does not exist.",
            "The input file:/d/x.orc was removed during the run",
            2,
        ),
        (
            "An exception was thrown from the Python worker:\nModuleNotFoundError: No module named "
            "'jieba'",
            "The Python of the executors lacks 'jieba'",
            1,
        ),
        (
            "An exception was thrown from the Python worker:\nValueError: No space left on device\n"
            "simhash_spark.errors.CallbackError: The function 'f' failed: {0}.\n\tat A.b",
            "The function 'f' failed: {0}.",
            2,
        ),
        ("java.lang.OutOfMemoryError: Java heap space\n\tat A.b", "Java heap space (--verbose", 1),
        ("", "The run failed: RuntimeError (--verbose", 1),
    ],
)
def test_failure_of_spark_becomes_one_line(text: str, message: str, exit_code: int):
    failure = explain(RuntimeError(text))

    assert message in failure.message
    assert "\n" not in failure.message
    assert failure.exit_code == exit_code


@pytest.mark.parametrize(
    ("error", "exit_code"), [(ConfigError, 2), (OutputError, 2), (InvariantError, 1)]
)
def test_own_errors_speak_for_themselves(error: type[Exception], exit_code: int):
    failure = explain(error("What, and\nwhat to do."))

    assert (failure.message, failure.exit_code) == ("What, and what to do.", exit_code)


def test_the_java_trace_is_searched_too():
    error = RuntimeError("Job aborted")
    error._stackTrace = "Caused by: java.io.IOException: No space left"  # type: ignore[attr-defined]

    assert "No space left" in trace_of(error)
