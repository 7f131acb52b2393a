"""The command line of jobs/dedup.py, and the configuration file that stands in for it.

A value comes from the command line, else from the ``--config`` file, else from
the table of settings with its defaults; nothing else is read.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simhash_spark import columns as c
from simhash_spark.config import DedupConfig
from simhash_spark.core.packages import requirements
from simhash_spark.errors import ConfigError
from simhash_spark.runs.losses import PATH
from simhash_spark.runs.parsers import Parser, number, whole_number
from simhash_spark.runs.settings import SETTINGS, Setting, read_config
from simhash_spark.runs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Arguments:
    """What one run was asked to do.

    Parameters
    ----------
    source : Source
        What to read.
    output : str
        Folder to write.
    config : DedupConfig
        How to compare; ``id_column`` is None unless a column was named.
    by_content : bool
        Whether rows are to be identified by content even if a column ``id`` exists.
    overwrite : bool
        Whether an earlier output may be replaced.
    verbose : bool
        Whether a failure shows its traceback.
    statistics : str
        Folder for what the profile learns; empty where it learns nothing.
    dry_run : bool
        Whether to stop before the search, and to say what it would take.
    """

    source: Source
    output: str
    config: DedupConfig
    by_content: bool = False
    overwrite: bool = False
    verbose: bool = False
    statistics: str = ""
    dry_run: bool = False

    def config_for(self, columns: Sequence[str]) -> DedupConfig:
        """Complete the settings for an input with these columns: what identifies a document."""
        if self.config.id_column is not None or self.by_content:
            return self.config
        if self.source.whole_files:
            return replace(self.config, id_column=PATH)
        alike = [name for name in columns if name.lower() == c.ID]
        exact = [name for name in alike if name == c.ID]
        return replace(self.config, id_column=next(iter(exact or alike), None))


def parse_arguments(argv: Sequence[str] | None = None) -> Arguments:
    """Read the command line and the configuration file it names.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    Arguments
        Complete and valid.

    Raises
    ------
    ConfigError
        If an argument or a key is unknown, missing, of the wrong type or out of range.
    """
    given = vars(_parser().parse_args(argv))
    values = {setting.key: setting.default for setting in SETTINGS}
    values |= read_config(given.pop("config")) if "config" in given else {}
    if {"id_column", "by_content"} & set(given):  # one rule: either flag replaces both keys
        values |= {"id_column": "", "by_content": False}
    return _arguments(values | given)


def _arguments(values: Mapping[str, Any]) -> Arguments:
    is_dry = values.get("dry_run", False)
    for key, flag in (("paths", "--input"), ("path", "--output"))[: 1 if is_dry else 2]:
        if not values[key] or not all(values[key]):
            message = f"{flag} is missing: name the {'files' if key == 'paths' else 'folder'}."
            raise ConfigError(message)
    if values["id_column"] and values["by_content"]:
        message = "id_column and by_content exclude each other: leave one of them out."
        raise ConfigError(message)
    arguments = Arguments(
        Source(tuple(values["paths"]), values["format"], values["options"], values["whole_files"]),
        values["path"],
        DedupConfig(
            id_column=values["id_column"] or None,
            text_column=values["text_column"],
            profile=values["profile"],
            bits=values["bits"],
            max_distance=values["max_distance"],
            recall=values["recall"] or None,
            bucket_pairs=values["bucket_pairs"],
            cluster=values["cluster"],
            keep=values["keep"],
            features_column=values["features_column"] or None,
        ),
        by_content=values["by_content"],
        overwrite=values["overwrite"],
        verbose=values.get("verbose", False),
        statistics=values["statistics"],
        dry_run=is_dry,
    )
    _check_statistics(arguments)
    if arguments.config.features_column is None:
        requirements(arguments.config.settings.profile)  # before Spark starts
    return arguments


def _check_statistics(arguments: Arguments) -> None:
    profile = arguments.config.settings.profile
    if profile.needs_statistics and not arguments.statistics:
        message = (
            f"Profile '{profile.name}' learns from a corpus: name a folder with --statistics, "
            "which is read where it exists, else learned from the input and written."
        )
        raise ConfigError(message)
    if arguments.statistics and not profile.needs_statistics:
        message = (
            f"Profile '{profile.name}' learns nothing from a corpus: leave --statistics out, or "
            "use a profile with weigh = idf or threshold = median."
        )
        raise ConfigError(message)


def _parser() -> Parser:
    parser = Parser(
        prog="dedup.py",
        description="Find near-duplicate documents and write what to keep, exactly.",
        epilog="Errors: exit code 2 for a wrong call or input, 1 for a failed run.",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    identity = parser.add_mutually_exclusive_group()
    for setting in SETTINGS:
        is_identity = setting.key in ("id_column", "by_content")
        (identity if is_identity else parser).add_argument(setting.option, **_form(setting))
    parser.add_argument("--config", metavar="FILE.toml", help="settings as in conf/dedup.toml")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what the search would take, and write nothing"
    )
    parser.add_argument("--verbose", action="store_true", help="show the traceback of a failure")
    return parser


def _form(setting: Setting) -> dict[str, Any]:
    default = "" if setting.default in ("", (), {}, 0) else f" (default: {setting.default})"
    form: dict[str, Any] = {"dest": setting.key, "help": setting.help + default}
    if isinstance(setting.default, bool):
        return form | {"action": "store_true"}
    form["metavar"] = setting.metavar
    if isinstance(setting.default, int):
        return form | {"type": whole_number}
    if isinstance(setting.default, float):
        return form | {"type": number}
    if isinstance(setting.default, tuple):
        return form | {"nargs": "+", "action": "extend"}
    if isinstance(setting.default, dict):
        return form | {"nargs": "+", "action": _Options}
    return form


class _Options(argparse.Action):
    """Collects KEY=VALUE pairs into a mapping."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401 - as in the class extended
        option_string: str | None = None,
    ) -> None:
        for value in values:
            key, sign, content = value.partition("=")
            if not key or not sign:
                parser.error(f"{option_string} needs KEY=VALUE, got '{value}'.")
            options = getattr(namespace, self.dest, {})
            setattr(namespace, self.dest, options | {key: content})
