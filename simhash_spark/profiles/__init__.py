"""What a profile says: named steps with their options, as values; ``core`` carries them out."""

from __future__ import annotations

from simhash_spark.profiles.callback import Callback
from simhash_spark.profiles.files import read_profile
from simhash_spark.profiles.learned import Statistics
from simhash_spark.profiles.presets import PROFILES, profile_of
from simhash_spark.profiles.profile import STEPS, Profile
from simhash_spark.profiles.settings import DEFINITION, FingerprintSettings

__all__ = [
    "DEFINITION",
    "PROFILES",
    "STEPS",
    "Callback",
    "FingerprintSettings",
    "Profile",
    "Statistics",
    "profile_of",
    "read_profile",
]
