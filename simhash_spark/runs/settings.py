"""Every setting of a run, and the TOML file that may hold them: conf/dedup.toml lists all.

A setting that is not in the table is an error, in the file as on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simhash_spark.errors import ConfigError
from simhash_spark.profiles.files import read_toml


@dataclass(frozen=True)
class Setting:
    """One setting: where it stands in a configuration file, and its default."""

    section: str
    key: str
    default: (
        str | int | float | bool | tuple[str, ...] | dict[str, str]
    )  # its type is the setting's type
    help: str
    metavar: str = ""
    flag: str = ""

    @property
    def option(self) -> str:
        """Name on the command line.

        >>> Setting("pairs", "max_distance", 3, "bits").option
        '--max-distance'
        """
        return f"--{(self.flag or self.key).replace('_', '-')}"


_TYPE_NAMES: dict[type, str] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
    dict: "a table of options",
}

SETTINGS = (
    Setting("input", "paths", (), "files, folders or globs", "PATH", flag="input"),
    Setting("input", "format", "", "parquet, orc, json, csv, tsv, text, table or any Spark source "
            "by name; empty: by the file suffix", "NAME"),
    Setting("input", "options", {}, "options of the Spark reader", "KEY=VALUE", flag="option"),
    Setting("input", "whole_files", default=False,
            help="each file is one document; its id is its path"),
    Setting("input", "id_column", "", "column that identifies a document; empty: 'id' where the "
            "input has it, else the content of the row", "NAME"),
    Setting("input", "by_content", default=False,
            help="identify documents by the content of the row"),
    Setting("input", "text_column", "text", "column with the text", "NAME"),
    Setting("input", "features_column", "", "column with features, and their weights, in place of "
            "those of the text", "NAME"),
    Setting("output", "path", "", "folder to write; must not exist", "DIR", flag="output"),
    Setting("output", "overwrite", default=False, help="replace an output of an earlier run"),
    Setting("fingerprints", "profile", "auto", "how text becomes features: auto, en-words, "
            "zh-words, another one of conf/profiles, or a file of yours", "NAME|FILE.toml"),
    Setting("fingerprints", "bits", 64, "length of a fingerprint: 64 or 128 bits", "N"),
    Setting("fingerprints", "statistics", "", "folder with what the profile has learned from a "
            "corpus; learned from the input and written there if it does not exist", "DIR"),
    Setting("pairs", "max_distance", 3, "largest Hamming distance of a near-duplicate, in bits, "
            "inclusive: up to 16 of 64, 32 of 128", "N"),
    Setting("pairs", "bucket_pairs", 10_000, "pairs of one bucket that are listed in full; of one "
            "with more, only what holds its clusters together; 0: all", "N"),
    Setting("pairs", "recall", 0.0, "share of the pairs at the largest distance to be found at "
            "least, 0.95 say; 0: all are found", "SHARE"),
    Setting("clusters", "cluster", "components", "how pairs become clusters", "RULE"),
    Setting("clusters", "keep", "length desc, id asc", "ranking of a cluster; the first one "
            "survives", "COLUMNS"),
)  # fmt: skip
"""Every setting, in the order of conf/dedup.toml."""


def read_config(path: str | Path) -> dict[str, Any]:
    """Read the settings that a TOML file holds.

    Parameters
    ----------
    path : str or Path
        File with the sections and keys of conf/dedup.toml, each optional.

    Returns
    -------
    dict
        Values by key.

    Raises
    ------
    ConfigError
        If the file is missing or not TOML, or a section, key or type is wrong.
    """
    values: dict[str, Any] = {}
    for section, content in read_toml(Path(path)).items():
        known = {setting.key: setting for setting in SETTINGS if setting.section == section}
        if not known or not isinstance(content, dict):
            sections = ", ".join(f"[{name}]" for name in dict.fromkeys(s.section for s in SETTINGS))
            message = f"Unknown section or key '{section}' in {path}; known sections: {sections}."
            raise ConfigError(message)
        if unknown := sorted(set(content) - set(known)):
            message = (
                f"Unknown key '{unknown[0]}' in [{section}] of {path}; known keys: "
                f"{', '.join(known)}."
            )
            raise ConfigError(message)
        values |= {key: _checked(known[key], value) for key, value in content.items()}
    return values


def _checked(setting: Setting, value: object) -> object:
    expected = _TYPE_NAMES[type(setting.default)]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = tuple(value)
    if isinstance(setting.default, float) and type(value) is int:
        value = float(value)
    if type(value) is not type(setting.default):
        message = f"[{setting.section}] {setting.key} must be {expected}, got {value!r}."
        raise ConfigError(message)
    if isinstance(value, dict):
        return {key: _option(item) for key, item in value.items()}
    return value


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
