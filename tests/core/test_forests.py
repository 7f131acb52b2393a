from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.dense.forests import MinimumForest, pack_pairs, unpack_pairs
from simhash_spark.core.join.pairs import Pairs
from tests.oracles import minimum_spanning_forest

Pair = tuple[int, int, int]  # left node, right node, distance


def as_pairs(rows: list[Pair]) -> Pairs:
    return Pairs(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def as_rows(pairs: Pairs) -> list[Pair]:
    return list(zip(*(ends.tolist() for ends in pairs), strict=True))


node = st.sampled_from([0, 1, 2**28 - 1]) | st.integers(0, 2**28 - 1)
pair = st.tuples(node, node, st.sampled_from([1, 127, 128]) | st.integers(0, 255))


@given(st.lists(pair))
def test_packed_pairs_are_in_the_order_of_distance_left_right(rows):
    packed = np.sort(pack_pairs(as_pairs(rows)))

    expected = sorted(rows, key=lambda row: (row[2], row[0], row[1]))
    assert as_rows(unpack_pairs(packed)) == expected


@st.composite
def graphs(draw):
    """Pairs of a few nodes, in pieces."""
    n_nodes = draw(st.integers(2, 9))
    couples = draw(st.permutations(list(itertools.combinations(range(n_nodes), 2))))
    rows = [(a, b, draw(st.integers(1, 3))) for a, b in couples]
    size = draw(st.integers(1, len(rows)))
    return n_nodes, [rows[i : i + size] for i in range(0, len(rows), size)]


@given(graphs())
def test_after_each_piece_the_forest_is_that_of_all_pairs_so_far(graph):
    n_nodes, pieces = graph
    forest = MinimumForest(n_nodes)
    for number, piece in enumerate(pieces, start=1):
        forest.add(pack_pairs(as_pairs(piece)))

        so_far = itertools.chain(*pieces[:number])
        assert as_rows(unpack_pairs(forest.edges())) == minimum_spanning_forest(so_far)


def test_pairs_of_connected_nodes_are_not_held():
    path = [(i, i + 1, 1) for i in range(99)]
    forest = MinimumForest(100)
    forest.add(pack_pairs(as_pairs(path)))
    forest.edges()

    forest.add(pack_pairs(as_pairs([(a, b, 2) for a, b in itertools.combinations(range(100), 2)])))

    assert forest.n_held == 99


def test_of_one_distance_pairs_after_most_of_the_forest_are_not_held():
    """Stars of one distance: what the first of them connect needs no later pair."""
    star = [(0, i, 2) for i in range(1, 100)]
    forest = MinimumForest(101)
    forest.add(pack_pairs(as_pairs([*star, (98, 100, 2)])))
    forest.edges()

    forest.add(pack_pairs(as_pairs([(a, a + 1, 2) for a in range(1, 97)])))

    assert forest.n_held < 100 + 10


def test_no_pairs_have_an_empty_forest():
    assert MinimumForest(0).edges().tolist() == MinimumForest(3).edges().tolist() == []
