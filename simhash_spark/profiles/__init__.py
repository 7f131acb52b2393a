"""What a profile says: named steps with their options, as values; ``core`` carries them out."""

from __future__ import annotations

from simhash_spark.profiles.callback import Callback
from simhash_spark.profiles.presets import PROFILES, profile_of
from simhash_spark.profiles.profile import DEFINITION, STEPS, FingerprintSettings, Profile

__all__ = [
    "DEFINITION",
    "PROFILES",
    "STEPS",
    "Callback",
    "FingerprintSettings",
    "Profile",
    "profile_of",
]
