from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.clusters import number_nodes, spanning_forest


def components_of(edges: list[tuple[int, int]], n_nodes: int) -> list[int]:
    """Walk the graph in plain Python; name each component after its smallest node."""
    neighbours = {node: set() for node in range(n_nodes)}
    for left, right in edges:
        neighbours[left].add(right)
        neighbours[right].add(left)
    names = [-1] * n_nodes
    for start in range(n_nodes):
        todo = [start] if names[start] < 0 else []
        while todo:
            node = todo.pop()
            if names[node] < 0:
                names[node] = start
                todo += neighbours[node]
    return names


def forest_of(edges: list[tuple[int, int]], n_nodes: int):
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return spanning_forest(ends[:, 0], ends[:, 1], n_nodes=n_nodes)


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(1, 30))
    node = st.integers(0, n_nodes - 1)
    return draw(st.lists(st.tuples(node, node), max_size=60)), n_nodes


@given(graphs())
def test_components_equal_a_walk_over_the_graph(graph):
    edges, n_nodes = graph

    assert forest_of(edges, n_nodes).components.tolist() == components_of(edges, n_nodes)


@given(graphs())
def test_the_forest_has_the_components_of_all_edges_and_no_cycle(graph):
    edges, n_nodes = graph

    kept = [edges[i] for i in forest_of(edges, n_nodes).edges.tolist()]

    assert components_of(kept, n_nodes) == components_of(edges, n_nodes)
    assert len(kept) == n_nodes - len(set(components_of(edges, n_nodes)))


@given(graphs(), st.integers(0, 60))
def test_forests_of_parts_put_together_have_the_components_of_all(graph, cut):
    edges, n_nodes = graph
    parts = edges[:cut], edges[cut:]

    kept = [part[i] for part in parts for i in forest_of(part, n_nodes).edges.tolist()]

    assert components_of(kept, n_nodes) == components_of(edges, n_nodes)


@pytest.mark.parametrize("shape", ["path", "star", "ladder"])
def test_ten_thousand_nodes_in_one_shape_are_one_component(shape: str):
    n_nodes = 10_000
    order = np.random.default_rng(1).permutation(n_nodes)
    edges = {
        "path": [(i, i + 1) for i in range(n_nodes - 1)],
        "star": [(0, i) for i in range(1, n_nodes)],
        "ladder": [(i, i + 2) for i in range(n_nodes - 2)] + [(0, 1)],
    }[shape]

    forest = forest_of([(int(order[a]), int(order[b])) for a, b in edges], n_nodes)

    assert set(forest.components.tolist()) == {0}
    assert len(forest.edges) == n_nodes - 1


@given(st.lists(st.integers(0, 2**128 - 1), max_size=30))
def test_nodes_are_numbered_in_unsigned_order(numbers):
    words = np.array([[n & (2**64 - 1), n >> 64] for n in numbers], dtype=np.uint64).reshape(-1, 2)

    nodes, rows = number_nodes(words)

    assert [low | high << 64 for low, high in nodes.tolist()] == sorted(set(numbers))
    assert nodes[rows].tolist() == words.tolist()
