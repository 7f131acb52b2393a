"""Whether an output lies where an input is, or would be found by its glob."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase


def overlap(source: str, output: str) -> str:
    """Say how an output lies to an input.

    Parameters
    ----------
    source : str
        Absolute path of an input: a file, a folder or a glob of Hadoop's.
    output : str
        Absolute path of an output.

    Returns
    -------
    str
        ``'is'``, ``'lies inside'``, ``'contains'``, or empty where they are apart.

    Examples
    --------
    >>> overlap("/data/docs", "/data/docs/out")
    'lies inside'
    >>> overlap("/data/{a,b}*", "/data/b-out")
    'is'
    >>> overlap("/data/docs/x.json", "/data")
    'contains'
    >>> overlap("/data/docs", "/data/docs-out")
    ''
    """
    found = (_overlap(pattern, output) for pattern in _expand(source))
    return next((relation for relation in found if relation), "")


def _overlap(pattern: str, output: str) -> str:
    theirs, ours = pattern.rstrip("/").split("/"), output.rstrip("/").split("/")
    shared = list(zip(theirs, ours))  # noqa: B905 - the shorter one decides
    if not all(name == part or fnmatchcase(name, part) for part, name in shared):
        return ""
    if len(theirs) == len(ours):
        return "is"
    return "lies inside" if len(theirs) < len(ours) else "contains"


def _expand(pattern: str) -> list[str]:
    """Write out the alternatives of a glob.

    >>> _expand("/a/{b,c{d,e}}")
    ['/a/b', '/a/cd', '/a/b', '/a/ce']
    """
    inner = re.search(r"\{([^{}]*)\}", pattern)
    if not inner:
        return [pattern]
    before, after = pattern[: inner.start()], pattern[inner.end() :]
    return [
        expanded
        for choice in inner[1].split(",")
        for expanded in _expand(f"{before}{choice}{after}")
    ]
