"""Keys with more fingerprints than a task can hold get routes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.join.bands import WORD_BITS, cut_bits, differs, read_band
from simhash_spark.core.join.cuts import agreement_of, deal_bits
from simhash_spark.core.join.tables import choose_bands, find_regions
from simhash_spark.core.plan.plans import Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simhash_spark.core.join.tables import Table
    from simhash_spark.core.plan.plans import Needs
    from simhash_spark.core.typing import Words

HOPELESS = 0.9
"""A hot key is left whole if its tables together keep more of its pairs than this."""

DEEPEST = 4
MOST_HOT_ROUTES = 512
"""Further hot keys are left whole; ``check_plan`` refuses those that no task can hold."""


def split_hot_keys(
    routes: list[Route], number: int, needs: Needs, members: Words, weight: float
) -> None:
    """Give keys that are too many for a task routes of their own, and so on inside of these.

    Parameters
    ----------
    routes : list of Route
        Gets the new routes at its end, and the old one with its hot keys.
    number : int
        The route to look at.
    needs : Needs
        What a task may hold.
    members : ndarray of shape (n_sampled, n_words), dtype uint64
        Those of the sample that take the route.
    weight : float
        Fingerprints that one of the sample stands for.
    """
    path = routes[number].path
    if weight * len(members) <= needs.task_rows or len(path) > DEEPEST:
        return
    keys = read_band(members, path[-1].key.head(WORD_BITS))
    values, counts = np.unique(keys, return_counts=True)
    hot_keys, hot_routes = [], []
    for key in values[counts * weight > needs.task_rows].tolist():
        own = np.asfortranarray(members[keys == np.uint64(key)])
        tables = _tables_below(path, own, needs)
        if not tables or len(routes) + len(tables) > MOST_HOT_ROUTES:
            continue
        first = len(routes)
        routes += [Route((*path, table)) for table in tables]
        hot_keys.append(key)
        hot_routes.append(tuple(range(first, len(routes))))
        for child in hot_routes[-1]:
            split_hot_keys(routes, child, needs, own, weight)
    routes[number] = Route(path, tuple(hot_keys), tuple(hot_routes))


def _tables_below(path: Sequence[Table], members: Words, needs: Needs) -> tuple[Table, ...]:
    """Cut a hot key by bands of all the bits that are still free, with a gain for sure."""
    region = list(find_regions(path, bits=needs.bits, max_distance=needs.max_distance))[-1]
    n_bands = region.budget + 1
    if len(region.positions) < n_bands:
        return ()
    differences = members ^ np.roll(members, 1, axis=0)
    positions = deal_bits(region, agreement_of(differences), n_bands)
    tables = choose_bands(cut_bits(positions, n_bands), region.budget)
    shares = sum(1 - float(differs(differences, table.key).mean()) for table in tables)
    return tables if shares < HOPELESS else ()
