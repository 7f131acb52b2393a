"""Exact near-duplicate removal for Spark with SimHash: nothing missed, nothing lost."""

from __future__ import annotations

from simhash_spark.config import PROFILES, DedupConfig, Profile
from simhash_spark.pipeline import Dedup, deduplicate, fingerprints, near_duplicates
from simhash_spark.sql import register_functions
from simhash_spark.version import __version__

__all__ = [
    "PROFILES",
    "Dedup",
    "DedupConfig",
    "Profile",
    "__version__",
    "deduplicate",
    "fingerprints",
    "near_duplicates",
    "register_functions",
]
