from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from simhash_spark.profiles import PROFILES, Profile

FOLDER = Path(__file__).parents[1] / "conf" / "profiles"


@pytest.mark.parametrize("name", PROFILES)
def test_the_file_of_a_profile_says_what_is_built_in(name: str):
    values = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))

    assert Profile.from_mapping(name, values) == PROFILES[name]
    assert values == PROFILES[name].to_mapping()


def test_every_file_is_a_profile():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(PROFILES)
