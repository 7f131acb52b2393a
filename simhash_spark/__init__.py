"""Exact near-duplicate removal for Spark with SimHash: nothing missed, nothing lost.

What works on single texts is imported at once; what needs PySpark, when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from simhash_spark.config import DedupConfig
from simhash_spark.profiles import PROFILES, Callback, Profile, Statistics, read_profile
from simhash_spark.scalar import distance, fingerprint, similarity
from simhash_spark.version import __version__

if TYPE_CHECKING:
    from simhash_spark.hamming import hamming_pairs
    from simhash_spark.pipeline import (
        Dedup,
        deduplicate,
        fingerprints,
        near_duplicates,
    )
    from simhash_spark.sql import register_functions
    from simhash_spark.statistics import learn_statistics, load_statistics, save_statistics

__all__ = [
    "PROFILES",
    "Callback",
    "Dedup",
    "DedupConfig",
    "Profile",
    "Statistics",
    "__version__",
    "deduplicate",
    "distance",
    "fingerprint",
    "fingerprints",
    "hamming_pairs",
    "learn_statistics",
    "load_statistics",
    "near_duplicates",
    "read_profile",
    "register_functions",
    "save_statistics",
    "similarity",
]

_NEEDS_SPARK = {
    "Dedup": "pipeline",
    "deduplicate": "pipeline",
    "fingerprints": "pipeline",
    "hamming_pairs": "hamming",
    "near_duplicates": "pipeline",
    "register_functions": "sql",
    "learn_statistics": "statistics",
    "load_statistics": "statistics",
    "save_statistics": "statistics",
}


def __getattr__(name: str) -> object:
    if name not in _NEEDS_SPARK:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"{__name__}.{_NEEDS_SPARK[name]}"), name)
