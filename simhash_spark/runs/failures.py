"""Any failure as one line: what went wrong, with what, and what to do.

Spark says the same thing in three ways (3.5, 4.x, Connect) and buries it in a
Java stack trace. The text of the whole trace is therefore searched for the few
causes that a user can do something about; anything else is passed on in Spark's
own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from simhash_spark.errors import InvariantError, SimHashSparkError

WRONG_CALL = 2
FAILED_RUN = 1

MALFORMED = re.compile(r"MALFORMED_RECORD|MALFORMED_CSV|Malformed records are detected")
_FILE = r"(?:file )?((?:file|[a-z][a-z0-9+.-]*):/.*?)"


_PYTHON_TRACE = r"Traceback \(most recent|thrown from the Python worker"
_RAISED = r"^ *((?:\w+\.)*\w+(?:Error|Exception|Exit|Interrupt)\b.*)$"


@dataclass(frozen=True)
class Failure:
    """How a run ends that did not succeed."""

    message: str
    exit_code: int


@dataclass(frozen=True)
class _Cause:
    """A pattern in a trace, and what it means; ``{0}`` stands for its first group."""

    pattern: str
    message: str
    exit_code: int = WRONG_CALL


_CAUSES = (
    _Cause(  # an error of ours, raised on a worker
        r"simhash_spark\.errors\.\w+Error: (.+)",
        "{0}",
    ),
    _Cause(
        r"\[JAVA_GATEWAY_EXITED\]|JAVA_HOME is not set",
        "Java did not start: install Java 17 or 21 and set JAVA_HOME to its folder.",
        FAILED_RUN,
    ),
    _Cause(
        r"No space left on device|DiskQuotaExceeded|DSQuotaExceeded|\[Errno 28\]",
        "The disk is full: free some space, or move spark.local.dir and --output to a larger disk.",
        FAILED_RUN,
    ),
    _Cause(
        rf"(?:while reading|not exist: ) ?{_FILE}\.__incomplete-",
        "An intermediate file of this run beside {0} was lost or damaged: run again.",
        FAILED_RUN,
    ),
    _Cause(
        r"\[PATH_NOT_FOUND\] Path does not exist: (.+?)\.(?: SQLSTATE|\s|$)",
        "The input {0} does not exist: check --input.",
    ),
    _Cause(
        r"TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+)",
        "There is no table {0}: check --input.",
    ),
    _Cause(
        r"(?:CSV header does not conform|Number of column in CSV header)",
        "The header of a CSV file differs from that of the first one, or has an empty name: give "
        "all files one header with a name for each column, or read them by position with "
        "--option enforceSchema=true.",
    ),
    _Cause(
        MALFORMED.pattern,
        "A record of the input is malformed: correct it, or keep such records as documents "
        "without text with --option mode=PERMISSIVE.",
    ),
    _Cause(
        r"Permission denied|AccessControlException|AccessDenied",
        "A right is missing ({cause}): check those on --input and --output.",
    ),
    _Cause(
        rf"Could not read footer for {_FILE}\. |{_FILE} is not a Parquet file",
        "The input {0} is not a readable Parquet or ORC file: repair or remove it, or name the "
        "right --format.",
    ),
    _Cause(
        rf"FILE_NOT_EXIST.{{0,80}}while reading {_FILE}\.\s",
        "The input {0} was removed during the run: run again on files that stay.",
    ),
    _Cause(
        rf"Encountered error while reading {_FILE}\.(?: |$)",
        "The input {0} cannot be read ({cause}): repair or remove it.",
    ),
    _Cause(
        r"Unexpected end of input stream|not a gzip file|invalid (?:block|stored|distance|code)"
        r"|incorrect (?:header|data) check|bad block header",
        "A compressed file of the input is cut short or damaged ({cause}): test the files with "
        "gzip -t, then repair or remove it.",
    ),
    _Cause(
        r"\[DATA_SOURCE_NOT_FOUND\] Failed to find the data source: (\S+?)\.\s",
        "Spark has no source '{0}': check --format, or add its package with spark-submit "
        "--packages.",
    ),
    _Cause(
        r"Failed to find data source: avro",
        "Spark has no source 'avro' here: add org.apache.spark:spark-avro with spark-submit "
        "--packages.",
    ),
    _Cause(
        r"UNABLE_TO_INFER_SCHEMA",
        "The input holds no rows and no schema: check --input and --format.",
    ),
    _Cause(
        r"No FileSystem for scheme \"?(\w+)|Class (\S+FileSystem) not found",
        "Spark cannot reach paths of {0}: add the package of that file system with spark-submit "
        "--packages.",
    ),
    _Cause(
        r"COLUMN_ALREADY_EXISTS\] The column (\S+) already exists",
        "The input has column {0} twice, or in two cases: rename one, or tell them apart with "
        "spark-submit --conf spark.sql.caseSensitive=true.",
    ),
    _Cause(
        r"CANNOT_MERGE_SCHEMAS?\]|Failed (?:to )?merg(?:e|ing) schema|Failed to merge fields",
        "The files of the input have columns of one name and different types ({cause}): make them "
        "equal, or read all as the first one with --option mergeSchema=false.",
    ),
    _Cause(
        r"PARQUET_TYPE_ILLEGAL|Illegal Parquet type: (.+?)\.|UNSUPPORTED_TIME_TYPE|"
        r"UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
        "A column of the input has a type that Spark cannot read or write ({cause}): rewrite it, "
        "times in microseconds.",
    ),
    _Cause(
        r"INVALID_PARAMETER_VALUE\.CHARSET|UnsupportedCharsetException",
        "The encoding in --option is unknown to Spark: name one such as UTF-8 or ISO-8859-1.",
    ),
    _Cause(
        r"UnknownHostException: (\S+)",
        "There is no host {0}: check --input and --output.",
    ),
    _Cause(
        r"INVALID_JSON_RECORD_TYPE",
        "A JSON record of the input is no object: each line must be one {{...}}.",
    ),
    _Cause(
        r"PARSE_SYNTAX_ERROR|IDENTIFIER_TOO_MANY_NAME_PARTS",
        "The input is no name of a table: check --input and --format.",
    ),
    _Cause(
        r"Relative path in absolute URI: (\S+)|Incomplete HDFS URI, no host: (\S+)",
        "{0} is no complete path: check --input and --output.",
    ),
    _Cause(
        r"Python worker exited unexpectedly|Broken pipe|Connection reset by peer",
        "A Python worker was killed, often for lack of memory: give it more "
        "(spark.executor.memoryOverhead; local: fewer cores), or make smaller batches "
        "(spark.sql.execution.arrow.maxRecordsPerBatch).",
        FAILED_RUN,
    ),
    _Cause(
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        "The Python of the executors lacks '{0}': install it there, or ship it with submit.sh, "
        "--py-files or --archives.",
        FAILED_RUN,
    ),
)


def explain(error: BaseException) -> Failure:
    """Say in one line why a run ended, and with which exit code.

    Parameters
    ----------
    error : BaseException
        What the run raised: an error of ours, of Spark, or any other.

    Returns
    -------
    Failure
        Exit code 2 for a wrong call or input, 1 for a failed run.
    """
    if isinstance(error, SimHashSparkError):
        is_run = isinstance(error, InvariantError)
        return Failure(_one_line(str(error)), FAILED_RUN if is_run else WRONG_CALL)
    text = trace_of(error)
    for cause in _CAUSES:
        if match := re.search(cause.pattern, text):
            found = next((group for group in match.groups() if group), "").strip()
            message = cause.message.format(found, cause=root_cause(text))
            return Failure(_one_line(message), cause.exit_code)
    summary = root_cause(text) or type(error).__name__
    return Failure(f"The run failed: {summary} (--verbose shows the traceback).", FAILED_RUN)


def trace_of(error: BaseException) -> str:
    """Collect everything an exception says, with the Java stack trace of its causes."""
    parts = [str(error)]
    for name in ("_stackTrace", "_stacktrace", "stackTrace"):
        part = getattr(error, name, None)
        parts += [part] if isinstance(part, str) else []
    return "\n".join(parts)


def root_cause(text: str) -> str:
    r"""Find the innermost cause in the text of a trace, without the class that reports it.

    >>> root_cause("E: job failed\n\tat A.b\nCaused by: java.io.EOFException: cut short")
    'cut short'
    >>> root_cause("Traceback (most recent call last):\n  File x\nKeyError: 'a'")
    "KeyError: 'a'"
    """
    causes = re.findall(r"^Caused by: (.+)$", text, flags=re.MULTILINE)
    raised = re.findall(_RAISED, text, flags=re.MULTILINE)
    lines = causes[-1:] or [line for line in text.splitlines() if _says_something(line)]
    if lines and re.search(_PYTHON_TRACE, lines[0]):
        lines = raised[-1:] or lines
    if not lines:
        return ""
    line = re.sub(r"^[:\s]*(?:[\w$]+\.)+[\w$]+: ", "", lines[0])
    return _one_line(re.sub(r"\s*SQLSTATE: \w+", "", line))[:300]


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("An error occurred while calling")


def _one_line(text: str) -> str:
    return " ".join(text.split())
