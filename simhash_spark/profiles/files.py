"""A profile from its file, TOML of the form of conf/profiles."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from simhash_spark.errors import ConfigError
from simhash_spark.profiles.lists import SUFFIX
from simhash_spark.profiles.profile import Profile


def read_profile(path: str | Path) -> Profile:
    """Read a profile; paths of dictionaries and word lists in it count from its folder.

    Parameters
    ----------
    path : str or Path
        TOML file; the profile is named after it.

    Returns
    -------
    Profile
        What the file leaves out is as in ``Profile("...")``.

    Raises
    ------
    ConfigError
        If the file cannot be read, or says something that is no profile.
    """
    path = Path(path)
    return Profile.from_mapping(path.stem, _rooted(read_toml(path), path.parent))


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file; a file that is missing or not TOML is a ConfigError."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not UTF-8, not TOML
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{path} cannot be read as TOML: {reason}. Check the path and the file."
        raise ConfigError(message) from error


def _rooted(values: dict[str, Any], folder: Path) -> dict[str, Any]:  # Any: values of TOML
    step = values.get("tokenize")
    if not isinstance(step, dict):
        return values
    rooted = {key: _place(value, folder) for key, value in step.items() if key == "dictionary"}
    if isinstance(step.get("lists"), list):
        rooted["lists"] = [_place(one, folder) for one in step["lists"]]
    return values | {"tokenize": step | rooted}


def _place(value: object, folder: Path) -> object:
    """Give a path from the folder on; names of shipped lists, and what is no path, as they are."""
    is_path = isinstance(value, str) and value.endswith(SUFFIX)
    return str(folder / str(value)) if is_path else value
