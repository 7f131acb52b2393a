"""summary.json: what a run was asked, what it did, with what, and what it checked."""

from __future__ import annotations

import dataclasses
import json
import platform
import re
import unicodedata
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any

from simhash_spark.core.packages import requirements
from simhash_spark.runs.plan_table import plan_told
from simhash_spark.runs.progress import seconds_by_name
from simhash_spark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from simhash_spark.config import DedupConfig
    from simhash_spark.core.plan.window_plans import SearchPlan
    from simhash_spark.runs.counts import Counts
    from simhash_spark.runs.invariants import Invariant
    from simhash_spark.runs.progress import Stage
    from simhash_spark.runs.sources import Source

SCHEMA_VERSION = 1

_SECRET = re.compile(r"secret|password|token|credential|key", re.IGNORECASE)
_HIDDEN = "(hidden)"


@dataclasses.dataclass(frozen=True)
class Record:
    """Everything a summary tells.

    Parameters
    ----------
    run_id : str
        Name of the run.
    started : datetime
        When the run began, with its time zone.
    source : Source
        What was read.
    config : DedupConfig
        How it was compared.
    plan : Plan or WindowPlan
        How pairs were looked for.
    effort : mapping of str to int
        What that took: see ``stages.edges.EFFORT``.
    stages : sequence of Stage
        What was written.
    counts : Counts
        What was found.
    invariants : sequence of Invariant
        What was checked.
    """

    run_id: str
    started: datetime
    source: Source
    config: DedupConfig
    plan: SearchPlan
    effort: Mapping[str, int]
    stages: Sequence[Stage]
    counts: Counts
    invariants: Sequence[Invariant]


def summarize(record: Record, spark: SparkSession) -> str:
    """Render a summary as JSON.

    Parameters
    ----------
    record : Record
        What the run knows about itself.
    spark : SparkSession
        Knows its version.

    Returns
    -------
    str
        A JSON object, indented, with its letters as they are.
    """
    config, counts = record.config, record.counts
    finished = datetime.now(UTC)
    summary = {
        "schema_version": SCHEMA_VERSION,
        "run_id": record.run_id,
        "started": record.started.isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
        "seconds": round((finished - record.started).total_seconds(), 3),
        "input": _input(record.source),
        "config": _config(config),
        "fingerprint_settings": config.settings.digest,
        "plan": plan_told(record.plan, record.effort) | _recall(counts),
        "rows": {stage.name: stage.n_rows for stage in record.stages},
        "seconds_per_stage": seconds_by_name(record.stages),
        "counts": _counts(counts),
        "invariants": [dataclasses.asdict(invariant) for invariant in record.invariants],
        "versions": _versions(config, spark.version),
    }
    return json.dumps(summary, ensure_ascii=False, indent=2) + "\n"


def _input(source: Source) -> dict[str, Any]:  # Any: JSON
    options = {key: _HIDDEN if _SECRET.search(key) else v for key, v in source.options.items()}
    return dataclasses.asdict(source) | {"options": options}


def _config(config: DedupConfig) -> dict[str, Any]:  # Any: JSON
    names = [field.name for field in dataclasses.fields(config)]
    told = {name: getattr(config, name) for name in names}
    profile, learned = config.settings.profile, config.statistics
    told["profile"] = {"name": profile.name, **profile.to_mapping()}
    if learned is not None:
        told["statistics"] = {
            "path": learned.source,
            "digest": learned.digest,
            "n_documents": learned.n_documents,
            "n_features": learned.n_features,
            "is_cut": config.settings.is_cut,
            "n_sampled": learned.n_sampled,
        }
    return told


def _counts(counts: Counts) -> dict[str, Any]:  # Any: JSON
    told = dataclasses.asdict(counts) | {"fingerprinted": counts.fingerprinted}
    del told["recall"]
    return told


def _recall(counts: Counts) -> dict[str, Any]:  # Any: JSON
    return {} if counts.recall is None else {"recall": counts.recall.to_mapping()}


def _versions(config: DedupConfig, spark_version: str) -> dict[str, str | None]:
    names = ["pyspark", "numpy", "pyarrow"]
    return {
        "simhash_spark": __version__,
        **{name: _version_of(name) for name in names},
        **requirements(config.settings.profile),
        "spark": spark_version,
        "python": platform.python_version(),
        "unicodedata": unicodedata.unidata_version,
    }


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # a platform's own PySpark
        return None
