"""The command line of jobs/plan.py: numbers alone, or an input with the options of dedup.py."""

from __future__ import annotations

import argparse
import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simhash_spark.config import DedupConfig
from simhash_spark.errors import ConfigError
from simhash_spark.runs.parsers import Parser, number, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.runs.arguments import Arguments

SAMPLE = 100_000
"""Documents of the input that are fingerprinted, by default."""

_MOST_DOCUMENTS = 10**12


@dataclass(frozen=True)
class Request:
    """What a plan is wanted for.

    Parameters
    ----------
    config : DedupConfig
        How to compare.
    n_documents : int or None
        Documents, taken as distinct and their fingerprints as uniform; None: those
        of the input.
    n_cores : float or None
        Cores that will work on it.
    n_sampled : int
        Documents of the input that are fingerprinted, about.
    arguments : Arguments or None
        The input, and how it is read.
    """

    config: DedupConfig
    n_documents: int | None
    n_cores: float | None = None
    n_sampled: int = SAMPLE
    arguments: Arguments | None = None


def parse_request(argv: Sequence[str] | None = None) -> Request:
    """Read the command line of jobs/plan.py; PySpark is imported for an input alone.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    Request
        Complete and valid.

    Raises
    ------
    ConfigError
        If an argument is unknown, missing, of the wrong type or out of range.
    """
    given, others = _parser().parse_known_args(argv)
    if given.documents is not None:
        numbers = _numbers_parser().parse_args(others)
        config = DedupConfig(
            bits=numbers.bits,
            max_distance=numbers.max_distance,
            bucket_pairs=numbers.bucket_pairs,
            recall=numbers.recall,
        )
        return Request(config, given.documents, given.cores)
    if not any(one in ("--input", "--config") or one.startswith("--input=") for one in others):
        message = "--documents or --input is missing: say how many there are, or name the files."
        raise ConfigError(message)
    own = importlib.import_module("simhash_spark.runs.arguments")
    arguments: Arguments = own.parse_arguments([*others, "--dry-run"])
    return Request(arguments.config, None, given.cores, given.sample, arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="plan.py",
        description="Say what the search for near-duplicates would take, and refuse what cannot "
        "work: for numbers alone (--documents, --bits, --max-distance, --bucket-pairs, "
        "--recall), or for "
        "an input with the options of dedup.py.",
        epilog="Exit code: 0 for a plan that works, 2 for one that does not or a wrong call, 1 "
        "for a failed run.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--documents", type=_count, metavar="N", help="how many, such as 1e9 or 1_000_000_000"
    )
    parser.add_argument(
        "--cores", type=_cores, metavar="N", help="cores that work on it; tells the time"
    )
    parser.add_argument(
        "--sample",
        type=_count,
        default=SAMPLE,
        metavar="N",
        help=f"documents of the input that are fingerprinted, about (default: {SAMPLE})",
    )
    return parser


def _numbers_parser() -> Parser:
    defaults = DedupConfig()
    parser = Parser(prog="plan.py", allow_abbrev=False, add_help=False)
    for option, name in (
        ("--bits", "bits"),
        ("--max-distance", "max_distance"),
        ("--bucket-pairs", "bucket_pairs"),
    ):
        parser.add_argument(option, type=whole_number, dest=name, default=getattr(defaults, name))
    parser.add_argument("--recall", type=number, default=defaults.recall)
    parser.add_argument("--verbose", action="store_true")
    return parser


def _count(text: str) -> int:
    """Read a whole number from 1 up, as people write large ones.

    >>> _count("1e9"), _count("1_000_000"), _count("2.5e3")
    (1000000000, 1000000, 2500)
    """
    number = 0.0
    if re.fullmatch(r"[0-9][0-9_]*(\.[0-9]+)?([eE]\+?[0-9]{1,2})?", text):
        number = float(text)
    if number != int(number) or not 1 <= number <= _MOST_DOCUMENTS:
        message = f"must be a whole number from 1 to 1e12, such as 1e9 or 1_000_000, got '{text}'"
        raise argparse.ArgumentTypeError(message)
    return int(number)


def _cores(text: str) -> float:
    return float(_count(text))
