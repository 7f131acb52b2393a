from __future__ import annotations

from pathlib import Path

import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.steps import Words
from simhash_spark.runs.arguments import parse_arguments
from simhash_spark.runs.settings import SETTINGS, read_config

CONF = Path(__file__).parents[2] / "conf" / "dedup.toml"
CALL = ["--input", "in.jsonl", "--output", "out"]


def config_file(folder: Path, text: str) -> str:
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_defaults_are_those_of_the_library():
    arguments = parse_arguments(CALL)

    assert arguments.config == DedupConfig(id_column=None)
    assert arguments.source.paths == ("in.jsonl",)
    assert arguments.output == "out"
    assert not any((arguments.overwrite, arguments.by_content, arguments.verbose))


def test_configuration_file_lists_every_setting_with_its_default():
    assert read_config(CONF) == {setting.key: setting.default for setting in SETTINGS}


def test_configuration_file_says_something_about_every_setting():
    lines = CONF.read_text("utf-8").splitlines()
    for setting in SETTINGS:
        heads = (f"{setting.key} =", f"[{setting.section}.{setting.key}]")
        place = next(n for n, line in enumerate(lines) if line.startswith(heads))
        assert lines[place - 1].startswith("# "), setting.key


def test_command_line_wins_over_file_and_file_over_defaults(tmp_path: Path):
    own = config_file(tmp_path, "[pairs]\nmax_distance = 5\n[fingerprints]\nbits = 128\n")

    config = parse_arguments([*CALL, "--config", own, "--max-distance", "7"]).config

    assert (config.max_distance, config.bits, config.text_column) == (7, 128, "text")


@pytest.mark.parametrize(("recall", "expected"), [("0", None), ("0.5", 0.5)])
def test_a_recall_of_0_asks_for_all_pairs_in_the_file_as_on_the_command_line(
    tmp_path: Path, recall: str, expected: float | None
):
    own = config_file(tmp_path, f"[pairs]\nrecall = {recall}\n")

    assert parse_arguments([*CALL, "--config", own]).config.recall == expected
    assert parse_arguments([*CALL, "--recall", recall]).config.recall == expected


def test_input_and_output_may_stand_in_the_file(tmp_path: Path):
    own = config_file(tmp_path, '[input]\npaths = ["a", "b"]\n[output]\npath = "o"\n')

    arguments = parse_arguments(["--config", own])

    assert (arguments.source.paths, arguments.output) == (("a", "b"), "o")


@pytest.mark.parametrize(
    ("flags", "expected"), [(["--by-content"], (None, True)), (["--id-column", "k"], ("k", False))]
)
@pytest.mark.parametrize("text", ['id_column = "url"', "by_content = true"])
def test_a_flag_about_ids_replaces_all_the_file_says_about_them(
    tmp_path: Path, text: str, flags: list[str], expected: tuple[str | None, bool]
):
    own = config_file(tmp_path, f"[input]\n{text}\n")

    arguments = parse_arguments([*CALL, "--config", own, *flags])

    assert (arguments.config.id_column, arguments.by_content) == expected


@pytest.mark.parametrize(
    ("flags", "columns", "expected"),
    [
        ([], ["id", "text"], "id"),
        ([], ["ID", "text"], "ID"),
        ([], ["ID", "id"], "id"),
        ([], ["url", "text"], None),
        (["--by-content"], ["id", "text"], None),
        (["--id-column", "url"], ["id", "url"], "url"),
        (["--whole-files"], ["path", "text"], "path"),
    ],
)
def test_id_column_is_id_where_there_is_one(
    flags: list[str], columns: list[str], expected: str | None
):
    assert parse_arguments([*CALL, *flags]).config_for(columns).id_column == expected


def test_pairs_of_a_bucket_are_limited_as_asked():
    assert parse_arguments([*CALL, "--bucket-pairs", "0"]).config.bucket_pairs == 0


def test_a_dry_run_needs_no_output():
    assert parse_arguments(["--input", "in.jsonl", "--dry-run"]).dry_run
    assert not parse_arguments(CALL).dry_run


def test_options_are_collected():
    flags = ["--option", "sep=;", "header=false", "--option", "nullValue=a=b"]

    options = parse_arguments([*CALL, *flags]).source.options

    assert options == {"sep": ";", "header": "false", "nullValue": "a=b"}


def test_options_in_the_file_may_be_numbers_and_booleans(tmp_path: Path):
    own = config_file(tmp_path, '[input.options]\nmultiLine = true\nsep = "\\t"\nn = 3\n')

    options = parse_arguments([*CALL, "--config", own]).source.options

    assert options == {"multiLine": "true", "sep": "\t", "n": "3"}


def test_a_profile_may_be_a_file(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('min_features = 9\n[tokenize]\nstep = "words"\nsizes = [4, 7]\n', "utf-8")

    profile = parse_arguments([*CALL, "--profile", str(path)]).config.settings.profile

    assert (profile.name, profile.tokenize, profile.min_features) == ("mine", Words((4, 7)), 9)


def test_a_profile_that_learns_needs_a_folder(tmp_path: Path):
    path = tmp_path / "rare.toml"
    path.write_text('weigh = "idf"\n', "utf-8")

    with pytest.raises(ConfigError, match="'rare' learns from a corpus: name a folder with --stat"):
        parse_arguments([*CALL, "--profile", str(path)])

    arguments = parse_arguments([*CALL, "--profile", str(path), "--statistics", "kept"])
    assert arguments.statistics == "kept"
    assert arguments.config.statistics is None


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([*CALL, "--max-distance", "abc"], "--max-distance: must be a whole number, got 'abc'"),
        ([*CALL, "--recall", "high"], "--recall: must be a number, got 'high'"),
        ([*CALL, "--recall", "1"], "recall must be a number above 0 and below 1, got 1.0"),
        ([*CALL, "--max-distance", "-1"], "max_distance must be a whole number from 0 to 16.*-1"),
        ([*CALL, "--max-distance", "17"], "from 0 to 16 at 64 bits, got 17. --bits 128 allows"),
        ([*CALL, "--bits", "32"], "bits must be 64 or 128, got 32"),
        ([*CALL, "--profile", "english"], "must be one of auto, zh-words, .*; got 'english'"),
        ([*CALL, "--profile", "no.toml"], "no.toml cannot be read as TOML: No such file"),
        ([*CALL, "--statistics", "kept"], "'auto' learns nothing from a corpus: leave --statis"),
        ([*CALL, "--cluster", "star"], "cluster must be one of components; got 'star'"),
        ([*CALL, "--keep", "a b c"], "keep must read like 'quality desc, length desc, id asc'"),
        ([*CALL, "--option", "sep"], "--option needs KEY=VALUE, got 'sep'"),
        ([*CALL, "--max-dist", "3"], "Unrecognized arguments: --max-dist 3. See --help."),
        ([*CALL, "--id-column", "a", "--by-content"], "not allowed with"),
        ([*CALL, "--whole-files", "--format", "csv"], "--whole-files reads text, got --format csv"),
        ([*CALL, "--option", "mode=DropMalformed"], "would lose documents unseen"),
        (["--output", "out"], "--input is missing"),
        (["--input", "x"], "--output is missing"),
        (["--input", "x", "--output", ""], "--output is missing"),
        ([*CALL, "--config", "none.toml"], "none.toml cannot be read as TOML: No such file"),
    ],
)
def test_wrong_call_is_one_line(flags: list[str], message: str):
    with pytest.raises(ConfigError, match=message) as caught:
        parse_arguments(flags)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[pairs]\ndistance = 3\n", r"Unknown key 'distance' in \[pairs\].*keys: max_distance, b"),
        ("[pears]\n", r"Unknown section or key 'pears'.*\[input\], \[output\], \[fingerprints\]"),
        ("bits = 64\n", "Unknown section or key 'bits'"),
        (
            '[pairs]\nmax_distance = "3"\n',
            r"\[pairs\] max_distance must be a whole number, got '3'",
        ),
        ("[pairs]\nmax_distance = true\n", "must be a whole number, got True"),
        ("[output]\noverwrite = 1\n", "must be true or false, got 1"),
        ("[input]\npaths = [1]\n", "must be a list of texts"),
        ("[input]\npaths = 'x'\n", "must be a list of texts"),
        ("[input]\nid_column = 'a'\nby_content = true\n", "exclude each other"),
        ("[pairs\n", "cannot be read as TOML"),
    ],
)
def test_wrong_configuration_is_one_line(tmp_path: Path, text: str, message: str):
    with pytest.raises(ConfigError, match=message) as caught:
        parse_arguments([*CALL, "--config", config_file(tmp_path, text)])

    assert "\n" not in str(caught.value)


def test_help_names_every_setting_and_default(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        parse_arguments(["--help"])

    shown = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    assert all(setting.option in shown for setting in SETTINGS)
    assert "up to 16 of 64, 32 of 128 (default: 3)" in shown
