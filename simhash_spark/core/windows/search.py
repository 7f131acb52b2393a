"""What one task of a search by sorted windows does: its share of the tables, or its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.windows.coarse import group_keys
from simhash_spark.core.windows.neighbours import Windows, find_near
from simhash_spark.core.windows.orders import sort_nodes
from simhash_spark.core.windows.planted import PlantedPairs, is_present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.plan.window_plans import WindowPlan
    from simhash_spark.core.typing import Integers, Words
    from simhash_spark.core.windows.neighbours import NearPairs


class WindowSearch:
    """Searches the routes of a plan that a task gets, and remembers which planted pairs it met.

    Parameters
    ----------
    plan : WindowPlan
        Tables, window and planted pairs.

    Attributes
    ----------
    n_sorted, n_compared : int
        Rows sorted, each once per table, and pairs compared.
    """

    def __init__(self, plan: WindowPlan) -> None:
        self._plan = plan
        self._windows = Windows(plan.max_distance, plan.window)
        self._told: list[Integers] = []
        self.n_sorted = self.n_compared = 0

    def find(self, route: int, fingerprints: Words) -> Iterator[NearPairs]:
        """Search one route.

        Parameters
        ----------
        route : int
            Number of a share or, where there are groups, of a pass.
        fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
            All fingerprints, or those of some groups of the pass, whole.

        Yields
        ------
        NearPairs
            Each pair that is found once.
        """
        originals, planted = self._plan.planted
        everyone = np.arange(len(planted))
        if not self._plan.width:
            tables = self._plan.tables_of(route)
            yield from self._search(fingerprints, tables, everyone, everyone)
            return
        at, at_original, at_planted = (
            self._keys(route, ends) for ends in (fingerprints, originals, planted)
        )
        order = np.argsort(at, kind="stable")
        keys, starts = np.unique(at[order], return_index=True)
        for key, group in zip(keys, np.split(order, starts[1:]), strict=True):
            here = np.flatnonzero(at_planted == key)
            both = here[at_original[here] == key]
            # Other tables in each pass: with the same a pair would be missed again and again.
            tables = range(route * self._plan.n_tables, (route + 1) * self._plan.n_tables)
            yield from self._search(fingerprints[group], tables, both, here)

    def planted(self) -> list[int]:
        """Give the numbers of the planted pairs found, and -1 - number of those that are real."""
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *self._told])).tolist()

    def _keys(self, route: int, fingerprints: Words) -> Integers:
        keys = group_keys(fingerprints, number=route, width=self._plan.width, seed=self._plan.seed)
        return keys.astype(np.uint16)

    def _search(
        self, fingerprints: Words, tables: range, both: Integers, here: Integers
    ) -> Iterator[NearPairs]:
        """Search some fingerprints, with the planted pairs that lie here as a whole, or by half."""
        nodes = sort_nodes(fingerprints)
        self._told.append(-1 - here[is_present(nodes, self._plan.planted.planted[here])])
        own = PlantedPairs(*(ends[both] for ends in self._plan.planted))
        self.n_sorted += len(fingerprints) * len(tables)
        self.n_compared += len(fingerprints) * len(tables) * self._plan.window
        for pairs, found in find_near(nodes.columns.T, self._windows, tables=tables, planted=own):
            self._told.append(both[found])
            if len(pairs.left):
                yield pairs


def count_planted(told: Integers, n_planted: int) -> tuple[int, int]:
    """Count what became of planted pairs.

    Parameters
    ----------
    told : ndarray of shape (n_told,), dtype int64
        What :meth:`WindowSearch.planted` gave in all tasks, in any order, repeated or not.
    n_planted : int
        Pairs that were planted.

    Returns
    -------
    tuple of int
        Pairs that could be found, as neither end was a real fingerprint, and those found.

    Examples
    --------
    >>> count_planted(np.array([0, 2, 2, 3, -1 - 3]), 5)
    (4, 2)
    """
    real = np.unique(-1 - told[told < 0])
    found = np.setdiff1d(told[told >= 0], real)
    return n_planted - len(real), len(found)
