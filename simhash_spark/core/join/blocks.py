"""Packing fingerprints into blocks: one row of a shuffle holds many of them.

Each fingerprint goes along every route of a plan, to the partition that its key
belongs to. Fingerprints of one route and partition lie one after the other, so
that Spark moves thousands of them as one binary value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simhash_spark.core.join.bands import read_band
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.core.windows.coarse import group_keys
from simhash_spark.core.windows.permutations import mix, permute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.plan.plans import Plan
    from simhash_spark.core.typing import Integers, Places, Words

BLOCK_BYTES = 1 << 14
"""Most bytes in a block. Spark 3.5 hands 10 000 rows to Python at once, whatever their size."""


class Blocks(NamedTuple):
    """Blocks of one route.

    Parameters
    ----------
    route : int
        Number of the route.
    partitions : ndarray of shape (n_blocks,), dtype int64
        Partition of each block.
    bounds : ndarray of shape (n_blocks + 1,), dtype int64
        Rows of ``fingerprints`` where each block starts, and the end.
    fingerprints : ndarray of shape (n_rows, n_words), dtype uint64
        Block after block, each row in one piece of memory.
    """

    route: int
    partitions: Integers
    bounds: Integers
    fingerprints: Words


def pack_blocks(fingerprints: Words, plan: Plan | WindowPlan) -> Iterator[Blocks]:
    """Send every fingerprint along its routes.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_nodes, n_words), dtype uint64
        Some of the fingerprints; about a million make blocks of good size.
    plan : Plan or WindowPlan
        Routes and partitions. Those of a ``WindowPlan`` are its shares, each of which
        gets all fingerprints, or its passes.

    Yields
    ------
    Blocks
        Route by route; bits moved as ``plan.order`` says.
    """
    if isinstance(plan, WindowPlan):
        yield from _pack_windows(fingerprints, plan)
        return
    if plan.order is not None:
        order = np.array(plan.order, dtype=np.int64)
        fingerprints = permute(np.ascontiguousarray(fingerprints.T), order).T
    fingerprints = np.asfortranarray(fingerprints)
    for number in range(plan.n_top):
        yield from _pack_route(fingerprints, number, plan)


def _pack_route(fingerprints: Words, number: int, plan: Plan) -> Iterator[Blocks]:
    route = plan.routes[number]
    keys = read_band(fingerprints, route.path[-1].key.head(64))
    for hot_key, hot_routes in zip(route.hot_keys, route.hot_routes, strict=True):
        own = fingerprints[keys == np.uint64(hot_key)]
        for hot_route in hot_routes if len(own) else ():
            yield from _pack_route(np.asfortranarray(own), hot_route, plan)
    if route.hot_keys:
        others = ~np.isin(keys, np.array(route.hot_keys, dtype=np.uint64))
        fingerprints, keys = np.asfortranarray(fingerprints[others]), keys[others]
    if len(keys):
        partitions = spread(keys, number, plan.n_partitions)
        yield _packed(fingerprints, partitions, number, plan.n_partitions)


def _pack_windows(fingerprints: Words, plan: WindowPlan) -> Iterator[Blocks]:
    fingerprints = np.ascontiguousarray(fingerprints)
    if not plan.width:
        for share in range(plan.n_shares):
            sizes = np.zeros(plan.n_partitions, dtype=np.int64)
            sizes[share % plan.n_partitions] = len(fingerprints)
            yield _cut(fingerprints, sizes, share)
        return
    for number in range(plan.passes):
        keys = group_keys(fingerprints, number=number, width=plan.width, seed=plan.seed)
        groups = keys.astype(np.int64) + (number << plan.width)
        yield _packed(fingerprints, groups % plan.n_partitions, number, plan.n_partitions)


def _packed(fingerprints: Words, partitions: Integers, number: int, n_partitions: int) -> Blocks:
    smallest = np.uint8 if n_partitions <= 1 << 8 else np.uint16
    narrow = partitions.astype(smallest if n_partitions <= 1 << 16 else np.uint32)
    order = np.argsort(narrow, kind="stable")
    sizes = np.bincount(narrow, minlength=n_partitions)
    ordered = np.empty(fingerprints.shape, dtype=np.uint64)
    for word in range(fingerprints.shape[1]):
        ordered[:, word] = fingerprints[:, word][order]
    return _cut(ordered, sizes, number)


def _cut(fingerprints: Words, sizes: Integers, number: int) -> Blocks:
    """Cut fingerprints that lie partition by partition into blocks."""
    block_rows = BLOCK_BYTES // (8 * fingerprints.shape[1])
    n_blocks = -(-sizes // block_rows)
    ends = np.cumsum(sizes)
    first = np.repeat(np.cumsum(n_blocks) - n_blocks, n_blocks)
    within = (np.arange(len(first), dtype=np.int64) - first) * block_rows
    starts = np.repeat(ends - sizes, n_blocks) + within
    bounds = np.append(starts, len(fingerprints))
    return Blocks(number, np.repeat(np.arange(len(sizes)), n_blocks), bounds, fingerprints)


def spread(keys: Words, route: int, n_partitions: int) -> Integers:
    """Choose the partition of each key, evenly over the keys.

    Parameters
    ----------
    keys : ndarray of shape (n_rows,), dtype uint64
        Keys of one table.
    route : int
        Number of the route: equal keys of other routes lie elsewhere.
    n_partitions : int
        How many partitions there are, at most 2^31.

    Returns
    -------
    ndarray of shape (n_rows,), dtype int64
        From 0 to ``n_partitions`` - 1.
    """
    if n_partitions == 1:
        return np.zeros(len(keys), dtype=np.int64)
    high = mix(keys + (np.uint64(route) << np.uint64(48))) >> np.uint64(33)
    return ((high * np.uint64(n_partitions)) >> np.uint64(31)).astype(np.int64)


def partition_keys(n_partitions: int) -> Places:
    """Find numbers that Spark's hash partitioning sends to partition 0, 1, 2, ...

    Parameters
    ----------
    n_partitions : int
        How many partitions there are.

    Returns
    -------
    ndarray of shape (n_partitions,), dtype int32
        Place p holds the smallest number from 0 whose hash belongs to
        partition p. Should Spark hash otherwise one day, partitions are less
        even, and nothing else changes.

    Notes
    -----
    Spark partitions by MurmurHash3 (x86, 32 bits, seed 42) of the column,
    modulo the number of partitions.
    """
    keys = np.full(n_partitions, -1, dtype=np.int32)
    start, step = 0, max(1 << 12, 4 * n_partitions)
    while (keys < 0).any():
        numbers = np.arange(start, start + step, dtype=np.int64)[::-1]
        hashes = _spark_hash(numbers.astype(np.uint32)).view(np.int32).astype(np.int64)
        partitions = hashes % n_partitions
        is_open = keys[partitions] < 0
        keys[partitions[is_open]] = numbers[is_open]
        start += step
    return keys


def _spark_hash(numbers: Words) -> Words:
    with np.errstate(over="ignore"):
        mixed = numbers * np.uint32(0xCC9E2D51)
        mixed = (mixed << np.uint32(15)) | (mixed >> np.uint32(17))
        hashes = np.uint32(42) ^ (mixed * np.uint32(0x1B873593))
        hashes = (hashes << np.uint32(13)) | (hashes >> np.uint32(19))
        hashes = hashes * np.uint32(5) + np.uint32(0xE6546B64) ^ np.uint32(4)
        hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))
