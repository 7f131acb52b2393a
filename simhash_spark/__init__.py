"""Exact near-duplicate removal for Spark with SimHash: nothing missed, nothing lost."""

from __future__ import annotations

from simhash_spark.config import DedupConfig
from simhash_spark.pipeline import Dedup, deduplicate, fingerprints, near_duplicates
from simhash_spark.profiles import PROFILES, Callback, Profile, Statistics
from simhash_spark.scalar import distance, fingerprint, similarity
from simhash_spark.sql import register_functions
from simhash_spark.statistics import learn_statistics, load_statistics, save_statistics
from simhash_spark.version import __version__

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
    "learn_statistics",
    "load_statistics",
    "near_duplicates",
    "register_functions",
    "save_statistics",
    "similarity",
]
