"""How many pairs a search by sorted windows finds: the model behind a recall target.

A table finds a pair where at most ``window - 1`` other fingerprints stand
between its two. Let their keys agree on the first l bits and differ in the next.
The n_l fingerprints with these l bits form an interval, and the two stand in
different halves of it. The bits below agree for the most part, so they stand
about as far from the middle, or the start, of their halves: what lies between
is n_l * (1 + u) / 2 on average, with u = sum of s_j / 2^j over the bits j below
where they differ, of random sign s_j. It follows Poisson's law.

How long the common prefix is, is exact: differing bits are a random subset, and
the turns of a word share them. With skewed fingerprints n_l is measured.
"""

from __future__ import annotations

import bisect
import math
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.checks import check_range
from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.windows.permutations import TURN_BITS, TURNS
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simhash_spark.core.typing import Floats, Integers

MOST_TABLES = 1_000_000
_DEPTH = 5
_LOG_SHARES = -np.log(2) * np.arange(WORD_BITS + 1)
_BETWEEN = np.geomspace(1e-3, 1e6, 241)


def recall_of(
    distance: int, *, bits: int, n: float, tables: int, window: int, density: Floats | None = None
) -> float:
    """Predict the share of the pairs at a distance that a search finds.

    Parameters
    ----------
    distance : int
        Bits in which the two differ, from 1.
    bits : int
        Length of a fingerprint, 64 or 128; less where some bits are the same for all.
    n : float
        Distinct fingerprints.
    tables, window : int
        Tables 0 to ``tables - 1``, and how many successors are compared.
    density : ndarray of shape (n_tables, n_points, 65), dtype float64, optional
        From ``density.measure_density``, where fingerprints are not uniform.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> round(recall_of(12, bits=64, n=1e6, tables=140, window=16), 3)
    0.976
    """
    share = _share_found(distance, bits=bits, n=n, window=window, density=density)
    return share(tables)


def tables_for(
    recall: float, *, distance: int, bits: int, n: float, window: int, density: Floats | None = None
) -> int:
    """Say how many tables reach a recall at a distance.

    Parameters
    ----------
    recall : float
        Share of the pairs to be found, above 0 and below 1.
    distance, bits, n, window, density
        As in ``recall_of``.

    Returns
    -------
    int
        The smallest number of tables.

    Raises
    ------
    ConfigError
        If the recall is out of range, or not reached with a million tables.

    Examples
    --------
    >>> tables_for(0.95, distance=12, bits=64, n=1e6, window=8)
    154
    """
    if not 0 < recall < 1:
        message = f"recall must lie between 0 and 1, got {recall!r}: set it to 0.95, say."
        raise ConfigError(message)
    share = _share_found(distance, bits=bits, n=n, window=window, density=density)
    if share(MOST_TABLES) < recall:
        message = (
            f"recall={recall} at distance {distance} of {bits} bits needs more than {MOST_TABLES} "
            f"tables for {n:.0f} fingerprints, with a window of {window}: lower one of them, "
            "or use 128 bits."
        )
        raise ConfigError(message)
    return bisect.bisect_left(range(MOST_TABLES), recall, key=share)


def _share_found(
    distance: int, *, bits: int, n: float, window: int, density: Floats | None
) -> Callable[[int], float]:
    """Give the share found as a function of the number of tables."""
    check_range("distance", distance, 1, bits)
    reach = _reach(window, (distance - 1) / (bits - 1))
    if density is not None:
        between = np.log(np.clip(n * density, _BETWEEN[0], None))
        found = np.interp(between, np.log(_BETWEEN), reach) @ _prefix_chances(distance, bits)
        log_miss = np.log1p(-np.minimum(found, 1 - 1e-12)).mean(axis=0)
        return lambda tables: float(1 - np.exp(tables * log_miss).mean())
    found = np.interp(np.log(n) + _LOG_SHARES, np.log(_BETWEEN), reach)
    if bits not in (WORD_BITS, 2 * WORD_BITS):
        chance = float(found @ _prefix_chances(distance, bits))
        return lambda tables: 1 - (1 - chance) ** tables
    misses = _misses(distance, bits, found)
    n_orders = len(misses) - 1
    return lambda tables: float(
        1 - misses[n_orders] ** (tables // n_orders) * misses[tables % n_orders]
    )


def _reach(window: int, share: float) -> Floats:
    """Give P(fewer than ``window`` between) for fingerprints in common intervals ``_BETWEEN``."""
    offsets, weights = np.zeros(1), np.ones(1)
    for place in range(1, _DEPTH + 1):
        step = 0.5**place
        offsets = np.concatenate([offsets, offsets + step, offsets - step])
        weights = np.concatenate([weights * (1 - share), weights * share / 2, weights * share / 2])
    mean = _BETWEEN[:, np.newaxis] * (1 + offsets) / 2
    fewer = np.zeros_like(mean)
    for number in range(window):
        fewer += np.exp(number * np.log(mean) - mean - math.lgamma(number + 1))
    return fewer @ weights


def _prefix_chances(distance: int, bits: int) -> Floats:
    """Give P(first difference after l common bits), l from 0 to 64; 64 stands for more, too."""
    left = [bits - length - 1 for length in range(min(bits, WORD_BITS))]
    ways = [math.comb(others, distance - 1) / math.comb(bits, distance) for others in left]
    chances = np.zeros(WORD_BITS + 1)
    chances[: len(ways)] = ways
    chances[-1] = max(0.0, 1 - chances.sum())
    return chances


def _misses(distance: int, bits: int, found: Floats) -> Floats:
    """Give P(not found in the first tables of one permutation), for 0 tables to all of them."""
    if bits == WORD_BITS:
        return _word_misses(found)[:, distance]
    # Each word has its share of the differing bits, and is a search of its own.
    word = _word_misses(found)
    here = np.arange(max(0, distance - WORD_BITS), min(distance, WORD_BITS) + 1)
    ways = [math.comb(WORD_BITS, h) * math.comb(WORD_BITS, distance - h) for h in here.tolist()]
    chances = np.array([way / math.comb(bits, distance) for way in ways])
    first = word[:, here] @ chances
    second = (word[TURNS, here] * word[1:, distance - here]) @ chances
    return np.concatenate([first, second])


def _word_misses(found: Floats) -> Floats:
    """Give P(not found in the first turns of a word) by turns and by differing bits in the word.

    All places of the first differing bit of each of the four parts are gone
    through: (TURN_BITS + 1) ** 4 cases, in which the other bits are free.
    """
    firsts = np.indices((TURN_BITS + 1,) * TURNS).reshape(TURNS, -1)
    is_equal = firsts == TURN_BITS
    free = np.where(is_equal, 0, TURN_BITS - 1 - firsts).sum(axis=0)
    n_placed = TURNS - is_equal.sum(axis=0)
    missed = np.ones(len(free))
    misses = []
    for turns in range(TURNS + 1):
        if turns:
            missed = missed * (1 - found[_prefixes(np.roll(firsts, 1 - turns, axis=0))])
        cases = free * (TURNS + 1) + n_placed
        weights = np.bincount(cases, missed, minlength=(WORD_BITS - TURNS + 1) * (TURNS + 1))
        misses.append(weights @ _placements())
    return np.array(misses)


def _prefixes(firsts: Integers) -> Integers:
    """Give the length of the common prefix from the first difference in each part."""
    lengths = np.full(firsts.shape[1], WORD_BITS)
    for part in reversed(range(TURNS)):
        differs = firsts[part] < TURN_BITS
        lengths[differs] = part * TURN_BITS + firsts[part][differs]
    return lengths


def _placements() -> Floats:
    """Give P(one case) by free places and parts that differ, and by differing bits in the word."""
    ways = _binomials(WORD_BITS)
    bits = np.arange(WORD_BITS + 1)
    others = bits - np.arange(TURNS + 1)[:, np.newaxis]
    cases = np.where(others >= 0, ways[: WORD_BITS - TURNS + 1, np.maximum(others, 0)], 0.0)
    return cases.reshape(-1, WORD_BITS + 1) / ways[WORD_BITS, bits]


def _binomials(largest: int) -> Floats:
    """Give Pascal's triangle as a square; exact enough as floats."""
    ways = np.zeros((largest + 1, largest + 1))
    ways[:, 0] = 1
    for row in range(1, largest + 1):
        ways[row, 1:] = ways[row - 1, 1:] + ways[row - 1, :-1]
    return ways
