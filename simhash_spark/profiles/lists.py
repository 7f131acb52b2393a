"""Word lists: what a word weighs beside what its frequency says.

A list is a text file: a word and its coefficient on each line; a line
``* 0.3`` gives the coefficient of the words after it that have none of their
own; ``#`` at the start of a line or after white space starts a comment. The
lists in the folder ``words`` can be named; any other file is given by a path
ending in ``.txt``. A file is read when the profile is made, and its words
travel with the profile: no executor needs it.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import math
import re
from dataclasses import dataclass, field

from simhash_spark.checks import check_member
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.dictionaries import read_text

SHIPPED = ("stop", "exempt", "medicine", "commerce")
SUFFIX = ".txt"
_COMMENT = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True)
class WordList:
    r"""Coefficients of words.

    Parameters
    ----------
    source : str
        Name of a shipped list, or path of a file.
    text : str
        Content of the file; read from the source where none is given.

    Raises
    ------
    ConfigError
        If there is no such list or file, it holds no word, or a line cannot
        be read.

    Examples
    --------
    >>> WordList("own.txt", "* 0.3\n的\n了\n不 1  # turns the meaning\n").coefficients
    {'的': 0.3, '了': 0.3, '不': 1.0}
    """

    source: str
    text: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.text:
            object.__setattr__(self, "text", _read(self.source))
        if not self.coefficients:
            message = f"word list {self.source} holds no word."
            raise ConfigError(message)

    @property
    def coefficients(self) -> dict[str, float]:
        """Words, each with its coefficient."""
        lines = [_COMMENT.sub("", line).split() for line in self.text.splitlines()]
        coefficients: dict[str, float] = {}
        default = ""
        for number, (word, *rest) in [(n, line) for n, line in enumerate(lines, 1) if line]:
            given = " ".join(rest) or default
            if word == "*":
                default = given
            coefficients[word] = self._number(given, f"{self.source}, line {number}")
        coefficients.pop("*", None)
        return coefficients

    @property
    def digest(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def _number(self, given: str, where: str) -> float:
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value < 0:
            message = (
                f"{where}: a word needs a coefficient that is finite and not negative, "
                f"got {given!r}. Write 'word 2.0', or a line '* 0.3' above the words."
            )
            raise ConfigError(message)
        return value


def _read(source: str) -> str:
    if not isinstance(source, str):
        message = f'a word list must be a name or a path such as "words.txt", got {source!r}.'
        raise ConfigError(message)
    if not source.endswith(SUFFIX):
        check_member("word list", source, (*SHIPPED, f"PATH{SUFFIX}"))
        folder = importlib.resources.files("simhash_spark.profiles").joinpath("words")
        return folder.joinpath(source + SUFFIX).read_text("utf-8")
    return read_text(source, "word list")
