"""Find near-duplicate documents: spark-submit jobs/dedup.py --input PATH --output DIR."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IS_INSTALLED = importlib.util.find_spec("simhash_spark") is not None
if not IS_INSTALLED:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from simhash_spark.core.plan.exact import check_plan  # noqa: E402
from simhash_spark.pipeline import deduplicate  # noqa: E402
from simhash_spark.runs.arguments import Arguments, parse_arguments  # noqa: E402
from simhash_spark.runs.closing import close_run  # noqa: E402
from simhash_spark.runs.counts import checking  # noqa: E402
from simhash_spark.runs.failures import explain  # noqa: E402
from simhash_spark.runs.folder import OutputFolder  # noqa: E402
from simhash_spark.runs.interrupts import exit_code_of  # noqa: E402
from simhash_spark.runs.malformed import input_failures_located  # noqa: E402
from simhash_spark.runs.plan_table import plan_table  # noqa: E402
from simhash_spark.runs.planned import plan_input  # noqa: E402
from simhash_spark.runs.session import open_session  # noqa: E402
from simhash_spark.runs.sources import read_documents, resolve_format  # noqa: E402
from simhash_spark.runs.statistics import completed_config  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Run the job; return 1 for a failed run, 2 for a wrong call, 130 if interrupted."""
    is_verbose = "--verbose" in (sys.argv[1:] if argv is None else argv)
    try:
        _run(parse_arguments(argv))
    except KeyboardInterrupt as error:
        print("dedup.py: Interrupted; nothing was published.", file=sys.stderr)
        return exit_code_of(error)
    except Exception as error:
        if is_verbose:
            traceback.print_exc()
        failure = explain(error)
        print(f"dedup.py: {failure.message}", file=sys.stderr)
        return failure.exit_code
    return 0


def _run(arguments: Arguments) -> None:
    with ExitStack() as last, open_session("simhash_spark", is_installed=IS_INSTALLED) as spark:
        if arguments.dry_run:
            plan = plan_input(spark, arguments)
            print(plan_table(plan))
            check_plan(plan)
            return
        source = resolve_format(spark, arguments.source)
        output = OutputFolder(
            spark, arguments.output, inputs=source.locations, overwrite=arguments.overwrite
        )
        last.callback(output.sweep)
        with output, input_failures_located(spark, source):
            _deduplicate(spark, replace(arguments, source=source), output)


def _deduplicate(spark: SparkSession, arguments: Arguments, output: OutputFolder) -> None:
    started = datetime.now(UTC)
    documents = read_documents(spark, arguments.source)
    with completed_config(spark, documents, arguments, output.progress) as config:
        found = deduplicate(documents, config, checking(output.store, config))
        close_run(spark, output, found, source=arguments.source, config=config, started=started)


if __name__ == "__main__":
    sys.exit(main())
