"""Choosing how a search by sorted windows reaches its recall in the least time.

A wide window finds more per table, and each of its comparisons costs time; few
tables with wide windows and many tables with narrow ones reach the same recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.plan.recall import tables_for
from simhash_spark.core.windows.permutations import TURNS
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from simhash_spark.core.typing import Floats

SORT_COST = {64: 14, 128: 13}
"""What a table costs per fingerprint beside the window, in comparisons (measured, 1e6)."""

RESERVE = 0.95
"""Share of the misses allowed that is planned for; the rest covers the error of the model."""

WINDOWS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64)


class SearchSize(NamedTuple):
    """A window and the number of tables that reach a recall with it."""

    window: int
    tables: int


def choose_window(
    n: float, *, bits: int, max_distance: int, recall: float, density: Floats | None = None
) -> SearchSize:
    """Choose the window and the tables that reach a recall in the least time.

    Parameters
    ----------
    n, bits, max_distance, recall, density
        As in ``tables_for``; the recall is that at the maximal distance.

    Returns
    -------
    SearchSize
        Window and tables, these a multiple of 4.

    Raises
    ------
    ConfigError
        If no window reaches the recall with a million tables.

    Examples
    --------
    >>> choose_window(1e6, bits=64, max_distance=12, recall=0.95)
    SearchSize(window=8, tables=156)
    """
    sizes: list[SearchSize] = []
    for window in WINDOWS:
        try:
            tables = tables_for(
                1 - (1 - recall) * RESERVE,
                distance=max_distance,
                bits=bits,
                n=n,
                window=window,
                density=density,
            )
        except ConfigError:
            if window == WINDOWS[-1] and not sizes:
                raise
            continue
        sizes.append(SearchSize(window, -(-tables // TURNS) * TURNS))
    sort_cost = SORT_COST[64 if bits <= WORD_BITS else 128]
    return min(sizes, key=lambda size: size.tables * (sort_cost + size.window))
