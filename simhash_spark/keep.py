"""The rule that says which member of a cluster survives, as an ``ORDER BY`` list."""

from __future__ import annotations

from dataclasses import dataclass

from simhash_spark.errors import ConfigError


@dataclass(frozen=True)
class KeepKey:
    """One item of a ``keep`` list: a column, and whether large values come first."""

    column: str
    is_descending: bool


def parse_keep(keep: str) -> tuple[KeepKey, ...]:
    """Read an ``ORDER BY`` list of columns.

    Parameters
    ----------
    keep : str
        Column names separated by commas, each followed by ``asc`` (the
        default) or ``desc``.

    Returns
    -------
    tuple of KeepKey
        In the order given.

    Raises
    ------
    ConfigError
        If an item is empty or is not a column and a direction.

    Examples
    --------
    >>> parse_keep("quality desc, id")
    (KeepKey(column='quality', is_descending=True), KeepKey(column='id', is_descending=False))
    """
    return tuple(_keep_key(item.strip(), keep) for item in keep.split(","))


def _keep_key(item: str, keep: str) -> KeepKey:
    column, _, direction = item.rpartition(" ")
    if direction.lower() not in ("asc", "desc"):
        column, direction = item, "asc"
    column = column.strip().strip("`")
    if not column or " " in column:
        message = f"keep must read like 'quality desc, length desc, id asc', got {keep!r}."
        raise ConfigError(message)
    return KeepKey(column, direction.lower() == "desc")
