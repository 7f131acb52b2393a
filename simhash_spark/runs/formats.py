"""Which format a file has, by its suffix."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from simhash_spark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT_OF_SUFFIX = {
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "text",
    ".parquet": "parquet",
    ".orc": "orc",
    ".avro": "avro",
}
COMPRESSIONS = {".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate"}
FILE_FORMATS = {*FORMAT_OF_SUFFIX.values()}


def format_of(files: Sequence[str]) -> str:
    """Tell the format of files by their suffixes.

    Parameters
    ----------
    files : sequence of str
        Paths or URLs; Parquet's own ``_metadata`` files do not count.

    Returns
    -------
    str
        One of ``FILE_FORMATS``.

    Raises
    ------
    InputError
        If the suffixes are mixed or unknown.

    Examples
    --------
    >>> format_of(["a.jsonl.gz", "b.json"])
    'json'
    """
    names = [name for name in files if not name.endswith(("/_metadata", "/_common_metadata"))]
    suffixes = sorted({_suffix(name) for name in names})
    formats = {FORMAT_OF_SUFFIX.get(suffix, "") for suffix in suffixes}
    if len(formats) != 1 or formats == {""}:
        known = ", ".join(FORMAT_OF_SUFFIX)
        found = ", ".join(suffix or "none" for suffix in suffixes[:5])
        message = (
            f"The format of the input is not clear from the file suffixes ({found}): name it "
            f"with --format. Known suffixes: {known}."
        )
        raise InputError(message)
    return formats.pop()


def _suffix(name: str) -> str:
    path = PurePosixPath(name.lower())
    return path.with_suffix("").suffix if path.suffix in COMPRESSIONS else path.suffix
