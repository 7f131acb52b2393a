from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from simhash_spark.profiles import PROFILES, STEPS, Profile
from simhash_spark.profiles.lists import SHIPPED
from simhash_spark.profiles.steps import CLEANERS

FOLDER = Path(__file__).parents[1] / "conf" / "profiles"
README = (FOLDER / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", PROFILES)
def test_the_file_of_a_profile_says_what_is_built_in(name: str):
    values = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))

    assert Profile.from_mapping(name, values) == PROFILES[name]
    assert values == PROFILES[name].to_mapping()


def test_every_file_is_a_profile():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(PROFILES)


def rows_of(role: str) -> dict[str, str]:
    """Rows of the table of the README that is headed by a role, by each name in the first cell."""
    table = re.search(rf"^\| `{role}` \|.*\n((?:\|.*\n)+)", README, flags=re.MULTILINE)[1]
    rows = [line.split("|", 2) for line in table.splitlines()[1:]]
    return {name: rest for _, names, rest in rows for name in re.findall("`(.*?)`", names)}


@pytest.mark.parametrize("role", STEPS)
def test_the_readme_says_every_step_with_its_options(role: str):
    rows = rows_of(role)

    assert set(rows) == set(STEPS[role])
    for name, kind in STEPS[role].items():
        missing = [o.name for o in dataclasses.fields(kind) if f"`{o.name}`" not in rows[name]]
        assert missing == [], name


def test_the_readme_says_every_cleaning_step():
    assert set(rows_of("clean")) == set(CLEANERS)


def test_the_readme_says_every_profile_word_list_and_key():
    presets = re.search(r"^\| profile \| features .*\n((?:\|.*\n)+)", README, flags=re.MULTILINE)[1]
    keys = [field.name for field in dataclasses.fields(Profile) if field.name != "name"]

    assert set(re.findall("^\\| `(.*?)`", presets, flags=re.MULTILINE)) == set(PROFILES)
    assert [name for name in (*SHIPPED, *keys) if not re.search(rf"`\[?{name}\]?`", README)] == []
