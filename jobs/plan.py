"""Say what a search would take: jobs/plan.py --documents 1e9 --cores 200, or --input PATH."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simhash_spark.core.plan.window_plans import SearchPlan
    from simhash_spark.runs.planning_arguments import Request

IS_INSTALLED = importlib.util.find_spec("simhash_spark") is not None
if not IS_INSTALLED:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402

from simhash_spark.core.plan.choice import plan_with_recall  # noqa: E402
from simhash_spark.core.plan.exact import Needs, check_plan  # noqa: E402
from simhash_spark.runs.failures import explain  # noqa: E402
from simhash_spark.runs.plan_table import plan_table  # noqa: E402
from simhash_spark.runs.planning_arguments import parse_request  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Print the plan; return 2 for one that cannot work or a wrong call, 1 for a failed run."""
    is_verbose = "--verbose" in (sys.argv[1:] if argv is None else argv)
    try:
        request = parse_request(argv)
        plan = _plan_numbers(request) if request.arguments is None else _plan_input(request)
        print(plan_table(plan, n_cores=request.n_cores))
        check_plan(plan, n_cores=request.n_cores)
    except KeyboardInterrupt:
        print("plan.py: Interrupted.", file=sys.stderr)
        return 130
    except Exception as error:
        if is_verbose:
            traceback.print_exc()
        failure = explain(error)
        print(f"plan.py: {failure.message}", file=sys.stderr)
        return failure.exit_code
    return 0


def _plan_numbers(request: Request) -> SearchPlan:
    """Plan for uniform fingerprints, without Spark."""
    config = request.config
    none = np.empty((0, config.bits // 64), dtype=np.uint64)
    needs = Needs(
        config.bits, config.max_distance, request.n_documents or 0, config.bucket_pairs or None
    )
    return plan_with_recall(needs, none, config.recall)


def _plan_input(request: Request) -> SearchPlan:
    """Plan for the documents of an input; Spark is imported here, and not before."""
    from simhash_spark.runs.planned import plan_input
    from simhash_spark.runs.session import open_session

    assert request.arguments is not None  # noqa: S101 - else numbers were given
    with open_session("simhash_spark", is_installed=IS_INSTALLED) as spark:
        return plan_input(spark, request.arguments, request.n_sampled)


if __name__ == "__main__":
    sys.exit(main())
