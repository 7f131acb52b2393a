from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_spark.core.join import comparing as comparing_module
from simhash_spark.core.join import cuts as cuts_module
from simhash_spark.core.join import groups as groups_module
from simhash_spark.core.join import search as search_module
from simhash_spark.core.join.blocks import pack_blocks
from simhash_spark.core.join.comparing import LARGE_GROUP, compare_groups
from simhash_spark.core.join.pairs import is_less
from simhash_spark.core.join.search import PairSearch
from simhash_spark.core.plan.exact import Needs, moved, plan_search
from simhash_spark.core.plan.sampling import in_hash_order

MASK = 2**64 - 1
KINDS = [(64, k) for k in range(17)] + [(128, k) for k in range(33)]


def as_words(numbers: list[int], bits: int) -> np.ndarray:
    rows = [[number >> (64 * word) & MASK for word in range(bits // 64)] for number in numbers]
    return np.array(rows, dtype=np.uint64).reshape(-1, bits // 64)


def as_numbers(words: np.ndarray) -> list[int]:
    return [sum(word << (64 * at) for at, word in enumerate(row)) for row in words.tolist()]


def search(numbers: list[int], needs: Needs, sample: list[int], **plan_options):
    """Pack, bring together and compare as the stages do, without Spark."""
    plan = plan_search(needs, in_hash_order(as_words(sample, needs.bits)), **plan_options)
    together: dict[tuple[int, int], list[np.ndarray]] = {}
    for blocks in pack_blocks(as_words(numbers, needs.bits), plan):
        for at, partition in enumerate(blocks.partitions.tolist()):
            own = blocks.fingerprints[blocks.bounds[at] : blocks.bounds[at + 1]]
            together.setdefault((partition, blocks.route), []).append(own)
    back = None if plan.order is None else tuple(np.argsort(plan.order).tolist())
    finder, found = PairSearch(needs.max_distance, plan.extra_bands, plan.bucket_pairs), []
    for (_, route), parts in together.items():
        members = np.concatenate(parts)
        for left, right, distances in finder.find(members, plan.routes[route].path):
            ends = (as_numbers(moved(members[end], back)) for end in (left, right))
            found += [(min(e), max(e), d) for *e, d in zip(*ends, distances.tolist(), strict=True)]
    return found, plan, finder.effort


def brute_force(numbers: list[int], max_distance: int) -> list[tuple[int, int, int]]:
    couples = itertools.combinations(sorted(numbers), 2)
    near = ((a, b, (a ^ b).bit_count()) for a, b in couples)
    return [pair for pair in near if pair[2] <= max_distance]


def fingerprints(bits: int):
    """Mixtures of uniform fingerprints, near neighbours, and fingerprints that share most bits."""
    flips = st.sets(st.integers(0, bits - 1), max_size=34).map(lambda s: sum(1 << b for b in s))
    base = st.sampled_from([0, 1, 2**bits - 1, 1 << (bits - 1), 0x5555 << (bits // 2)])
    near = st.tuples(base, flips).map(lambda pair: pair[0] ^ pair[1])
    low = st.integers(0, 2**10 - 1).map(lambda low: 0xABC << 50 | low)
    return st.lists(st.integers(0, 2**bits - 1) | near | low, unique=True, max_size=40)


@pytest.mark.parametrize(("bits", "max_distance"), KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_pairs_equal_brute_force_each_once(bits, max_distance, data):
    numbers = data.draw(fingerprints(bits))
    first_extra = data.draw(st.sampled_from([None, 1, 2] if max_distance < 16 else [None, 1]))
    second_extra = data.draw(st.sampled_from([None, 1, 2])) if max_distance < 6 else None
    n_partitions = data.draw(st.sampled_from([1, 3, 64, 1000]))
    task_rows = data.draw(st.sampled_from([3, 12, 10**6]))  # few: keys are hot, and get own routes
    is_measured = data.draw(st.booleans())

    found, _, _ = search(
        numbers,
        Needs(bits, max_distance, len(numbers), task_rows=task_rows),
        numbers if is_measured else [],
        first_extra=first_extra,
        second_extra=second_extra,
        n_partitions=n_partitions,
    )

    assert sorted(found) == brute_force(numbers, max_distance)


def test_the_distance_is_inclusive():
    found, _, _ = search([0, 0b111, 0b1111], Needs(64, 3, 3), [])

    assert sorted(found) == [(0, 0b111, 3), (0b111, 0b1111, 1)]


@pytest.mark.parametrize("max_distance", [1, 2])
def test_a_dense_neighbourhood_of_large_buckets_is_complete(max_distance):
    numbers = [0xABCD_0000_0000_0000 | value for value in range(1 << 10)]

    found, _, _ = search(numbers, Needs(64, max_distance, 1024), numbers, first_extra=1)

    each = {1: 10, 2: 10 + 45}[max_distance]
    assert len(found) == len(set(found)) == 1024 * each // 2


def test_a_large_bucket_of_far_fingerprints_is_cut_not_compared_in_full():
    rng = np.random.default_rng(5)
    numbers = np.unique(rng.integers(0, 2**48, 20_000, dtype=np.uint64) << np.uint64(16))

    found, _, effort = search(numbers.tolist(), Needs(64, 3, len(numbers)), [], first_extra=1)

    assert found == []
    assert effort.n_compared < 20_000 * 20_000 / 2 / 500


def test_constant_bits_do_not_stop_the_cutting():
    """Fingerprints that share 40 bits: bands of constant bits alone would separate nothing."""
    rng = np.random.default_rng(6)
    numbers = np.unique(rng.integers(0, 2**24, 20_000, dtype=np.uint64)).tolist()

    found, _, effort = search(numbers, Needs(64, 3, len(numbers)), [], first_extra=1)

    assert effort.n_compared < 20_000 * 20_000 / 2 / 4
    assert len(found) == len(set(found)) > 0


def test_hot_keys_take_routes_of_their_own_and_nothing_is_missed():
    """No task may get more than it can hold: a key of all fingerprints is cut while packing."""
    numbers = list(range(1 << 13))
    needs = Needs(64, 2, len(numbers), task_rows=250)

    found, plan, _ = search(numbers, needs, numbers, first_extra=1)

    sizes = [0] * len(plan.routes)
    for blocks in pack_blocks(as_words(numbers, 64), plan):
        sizes[blocks.route] += len(blocks.fingerprints)
    assert sum(sizes[plan.n_top :]) > 0
    assert sum(sizes[: plan.n_top]) < plan.n_top * len(numbers)
    assert len(found) == len(set(found)) == len(numbers) * (13 + 78) // 2


@pytest.mark.parametrize("dense_rows", [1 << 13, 4])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_dense_buckets_list_fewer_pairs_of_the_same_components(dense_rows, data):
    bits = data.draw(st.sampled_from([64, 128]))
    numbers = data.draw(fingerprints(bits))
    max_distance = data.draw(st.integers(1, 12))
    limit = data.draw(st.integers(0, 30))
    first_extra = data.draw(st.sampled_from([None, 1]))
    needs = Needs(bits, max_distance, len(numbers), limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "DENSE_ROWS", dense_rows)
        patch.setattr(search_module, "is_crowded", lambda n_near, sizes: n_near > 0)
        patch.setattr(search_module, "pivots_pay", lambda n_near, size: n_near.max() > 0)
        found, _, effort = search(numbers, needs, numbers, first_extra=first_extra)
        shuffled = data.draw(st.permutations(numbers))
        again, _, _ = search(shuffled, needs, numbers, first_extra=first_extra, n_partitions=3)

    expected = brute_force(numbers, max_distance)
    assert set(found) <= set(expected)
    assert len(found) == len(set(found))
    assert components(found) == components(expected)
    assert sorted(again) == sorted(found)
    if not effort.n_not_compared:
        assert len(found) + effort.n_unlisted == len(expected)
    else:
        assert len(found) + effort.n_unlisted + effort.n_not_compared >= len(expected)


def components(pairs: list[tuple[int, int, int]]) -> dict[int, int]:
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        while parents.setdefault(node, node) != node:
            node = parents[node]
        return node

    for left, right, _ in pairs:
        one, other = sorted((root(left), root(right)))
        parents[other] = one
    return {node: root(node) for node in parents}


@pytest.mark.parametrize("n_docs", [0, 1])
def test_nothing_to_compare_gives_no_pairs(n_docs: int):
    assert search(list(range(n_docs)), Needs(64, 3, n_docs), [], first_extra=1)[0] == []


def clustered(bits: int, n_docs: int, most: int) -> list[int]:
    """Fingerprints up to ``most`` bits off centres that have 8 bits in common by half."""
    rng = np.random.default_rng(most)
    some = [int.from_bytes(rng.bytes(bits // 8), "little") for _ in range(n_docs // 5)]
    centres = [number >> 8 if at % 2 else number for at, number in enumerate(some)]
    numbers: set[int] = set()
    while len(numbers) < n_docs:
        off = rng.choice(bits, rng.integers(0, most + 1), replace=False).tolist()
        numbers.add(centres[rng.integers(len(centres))] ^ sum(1 << bit for bit in off))
    return sorted(numbers)


def twice(path, *groups, **options):
    """Choose a cut, and another inside of it: a third one takes minutes at large distances."""
    return cuts_module.choose_cut(path, *groups, **options) if len(path) < 3 else ()


@pytest.mark.parametrize("kind", [(64, 6), (64, 8), (64, 12), (128, 8), (128, 16), (128, 24)])
@pytest.mark.parametrize("n_docs", [60, 200])
@pytest.mark.parametrize("first_extra", [None, 1])
def test_cuts_inside_a_task_miss_nothing_and_repeat_nothing(monkeypatch, kind, n_docs, first_extra):
    """Groups so small are compared in full; here a comparison costs so much that they are cut."""
    bits, max_distance = kind
    numbers = clustered(bits, n_docs, max_distance)
    needs = Needs(bits, max_distance, n_docs)
    monkeypatch.setattr(search_module, "SMALL_GROUP", 10**9)
    _, _, uncut = search(numbers, needs, [], first_extra=first_extra)
    monkeypatch.setattr(search_module, "SMALL_GROUP", 2)
    monkeypatch.setattr(cuts_module, "pair_nanoseconds", lambda sizes: 1e12 * sizes)
    monkeypatch.setattr(cuts_module, "differs", lambda pairs, _: np.ones(len(pairs), dtype=bool))
    monkeypatch.setattr(search_module, "choose_cut", twice)

    found, _, effort = search(numbers, needs, [], first_extra=first_extra)

    assert effort.n_sorted >= uncut.n_sorted + 10 * n_docs
    assert sorted(found) == brute_force(numbers, max_distance)


@given(
    st.lists(st.integers(1, 6) | st.just(LARGE_GROUP + 3), max_size=4),
    st.sampled_from([(1, 1), (2, 5), (1, 63)]),
    st.sampled_from([1, 50, 300, 1 << 15]),  # below, the rows of a group are compared in parts
)
@settings(max_examples=60, deadline=None)
def test_every_two_members_of_a_group_are_compared_once(sizes, kind, block):
    n_words, max_distance = kind
    rng = np.random.default_rng(len(sizes))
    members = rng.integers(0, 2**6, (sum(sizes), n_words), dtype=np.uint64)
    groups = np.repeat(np.arange(len(sizes)), sizes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing_module, "BLOCK", block)
        found = list(compare_groups(members, np.array(sizes, dtype=np.int64), max_distance))

    pairs = [(a, b, d) for n in found for a, b, d in zip(n.left, n.right, n.distances, strict=True)]
    numbers = as_numbers(members)
    expected = [
        (a, b, (numbers[a] ^ numbers[b]).bit_count())
        for a, b in itertools.combinations(range(len(members)), 2)
        if groups[a] == groups[b]
    ]
    assert sorted(pairs) == [pair for pair in expected if 0 < pair[2] <= max_distance]


def test_groups_larger_than_a_run_are_not_cut_in_two(monkeypatch):
    monkeypatch.setattr(groups_module, "RUN", 7)
    numbers = [0xAB << 40 | value for value in range(200)]

    found, _, _ = search(numbers, Needs(64, 2, 200), [], first_extra=1)

    assert sorted(found) == brute_force(numbers, 2)


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1))
def test_less_is_unsigned_over_all_words(left, right):
    assert is_less(as_words([left], 128), as_words([right], 128)).tolist() == [left < right]
