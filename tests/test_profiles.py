from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, STEPS, Profile, profile_of, read_profile
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


def test_the_complete_profile_of_the_readme_is_the_default():
    (block,) = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)

    assert Profile.from_mapping("p", tomllib.loads(block)) == Profile("p")


def test_paths_in_a_profile_count_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    text = '[tokenize]\nstep = "scored"\nlists = ["stop", "own.txt"]\ndictionary = "words.txt"\n'
    (tmp_path / "mine" / "zh.toml").write_text(f'weigh = "given"\n{text}', "utf-8-sig")
    (tmp_path / "mine" / "own.txt").write_text("云计算 2\nc# 3  # a language\n", "utf-8")
    (tmp_path / "mine" / "words.txt").write_text("云计算\n", "utf-8")

    profile = profile_of("mine/zh.toml")

    assert profile.name == "zh"
    assert profile.tokenize.lists[0].source == "stop"
    assert profile.tokenize.lists[1].coefficients == {"云计算": 2.0, "c#": 3.0}
    assert profile.tokenize.dictionary.entries == [("云计算", None, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[hash]\nstep = "mmh3"\nthreshold = "half"\n', r"'threshold' in hash = mmh3: it belongs"),
        (
            '[hash]\nstep = "mmh3"\nseed = 1\n',
            r"Unknown key 'seed' in hash = mmh3; it has no options",
        ),
        (
            '[tokenize]\nstep = "characters"\nsizes = [5, 5]\n',
            r"differ from each other, got \[5, 5\]",
        ),
        (
            'weigh = "given"\n[tokenize]\nstep = "scored"\nlists = [5]\n',
            r"must be a name or .* got 5",
        ),
        ("tie = " + "[" * 5000, "cannot be read as TOML"),
        (
            'weigh = "given"\n[tokenize]\nstep = "tagged"\ntags = { n = 1' + "0" * 400 + " }\n",
            "must be a finite number",
        ),
    ],
)
def test_a_file_that_is_no_profile_is_refused(tmp_path: Path, text: str, message: str):
    (tmp_path / "bad.toml").write_text(text, "utf-8")

    with pytest.raises(ConfigError, match=message):
        read_profile(tmp_path / "bad.toml")
