"""What the command lines of all jobs share."""

from __future__ import annotations

import argparse
from typing import NoReturn

from simhash_spark.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """Argument parser that raises instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, as a ``ConfigError``."""
        text = f"{message[:1].upper()}{message[1:].rstrip('.')}. See --help."
        raise ConfigError(text)


def whole_number(text: str) -> int:
    """Read a whole number; another text is an ``ArgumentTypeError``.

    >>> whole_number("12")
    12
    """
    try:
        return int(text)
    except ValueError:
        message = f"must be a whole number, got '{text}'"
        raise argparse.ArgumentTypeError(message) from None


def number(text: str) -> float:
    """Read a number; another text is an ``ArgumentTypeError``.

    >>> number("0.95")
    0.95
    """
    try:
        return float(text)
    except ValueError:
        message = f"must be a number, got '{text}'"
        raise argparse.ArgumentTypeError(message) from None
