"""Pairs to clusters: connected components, and the forest that is enough to find them.

A spanning forest keeps of a set of edges only what connects: at most one edge
less than there are nodes, with the same components. Forests of parts of the
edges, put together, have the components of all the edges, so each part of a
large graph can be reduced where it lies.

Source: Borůvka's method (Nešetřil, Milková and Nešetřilová, "Otakar Borůvka on
minimum spanning tree problem", 2001) on edges weighed by their position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from simhash_spark.core.typing import Integers, Words


class Forest(NamedTuple):
    """What a set of edges connects.

    Parameters
    ----------
    edges : ndarray of shape (n_kept,), dtype int64
        Positions of edges that form a spanning forest, ascending.
    components : ndarray of shape (n_nodes,), dtype int64
        For each node the smallest node of its component.
    """

    edges: Integers
    components: Integers


def spanning_forest(left: Integers, right: Integers, *, n_nodes: int) -> Forest:
    """Find the components of a graph and edges that hold them together.

    Parameters
    ----------
    left, right : ndarray of shape (n_edges,), dtype int64
        The two nodes of each edge, from 0 to ``n_nodes`` - 1.
    n_nodes : int
        Number of nodes.

    Returns
    -------
    Forest
        The edges kept and the components.

    Notes
    -----
    Each round at least halves the number of components that still have edges
    to others, so there are at most log2(n_nodes) rounds of O(n_nodes + n_edges).

    Examples
    --------
    >>> forest = spanning_forest(np.array([1, 2, 1]), np.array([2, 3, 3]), n_nodes=4)
    >>> forest.edges, forest.components
    (array([0, 1]), array([0, 1, 1, 1]))
    """
    components = np.arange(n_nodes, dtype=np.int64)
    open_edges = np.arange(len(left), dtype=np.int64)
    kept = [np.empty(0, dtype=np.int64)]
    while True:
        ends = components[left[open_edges]], components[right[open_edges]]
        is_open = ends[0] != ends[1]
        open_edges = open_edges[is_open]
        if not len(open_edges):
            return Forest(np.sort(np.concatenate(kept)), components)
        chosen, parents = _join_round(ends[0][is_open], ends[1][is_open], n_nodes)
        kept.append(open_edges[chosen])
        components = parents[components]


def _join_round(left: Integers, right: Integers, n_nodes: int) -> tuple[Integers, Integers]:
    """Join each component to the other end of its first edge; say which edges, and who is root."""
    n_edges = len(left)
    positions = np.arange(n_edges, dtype=np.int64)
    first = np.full(n_nodes, n_edges, dtype=np.int64)
    # Of repeated indices the last assignment stays: reversed, the smallest position.
    first[left[::-1]] = positions[::-1]
    other = np.full(n_nodes, n_edges, dtype=np.int64)
    other[right[::-1]] = positions[::-1]
    first = np.minimum(first, other)
    nodes = np.flatnonzero(first < n_edges)
    chosen = first[nodes]
    parents = np.arange(n_nodes, dtype=np.int64)
    parents[nodes] = left[chosen] + right[chosen] - nodes
    # Edges have distinct positions, so the only cycles are two nodes that chose the same edge.
    mutual = nodes[(parents[parents[nodes]] == nodes) & (nodes < parents[nodes])]
    parents[mutual] = mutual
    while not np.array_equal(grand := parents[parents], parents):
        parents = grand
    is_chosen = np.zeros(n_edges, dtype=np.bool_)
    is_chosen[chosen] = True
    return np.flatnonzero(is_chosen), _smallest_of(parents)


def _smallest_of(roots: Integers) -> Integers:
    """Name each tree after its smallest node instead of its root."""
    smallest = np.empty_like(roots)
    nodes = np.arange(len(roots), dtype=np.int64)
    smallest[roots[::-1]] = nodes[::-1]
    return smallest[roots]


def number_nodes(fingerprints: Words) -> tuple[Words, Integers]:
    """Give the distinct fingerprints numbers, in ascending order.

    Parameters
    ----------
    fingerprints : ndarray of shape (n_rows, n_words), dtype uint64
        Repeated fingerprints allowed.

    Returns
    -------
    nodes : ndarray of shape (n_nodes, n_words), dtype uint64
        The distinct fingerprints, ascending as unsigned numbers.
    numbers : ndarray of shape (n_rows,), dtype int64
        Row of ``nodes`` that equals each fingerprint.

    Examples
    --------
    >>> number_nodes(np.array([[7], [2], [7]], dtype=np.uint64))
    (array([[2],
           [7]], dtype=uint64), array([1, 0, 1]))
    """
    order = np.lexsort(tuple(fingerprints.T))
    ordered = fingerprints[order]
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ordered[is_new], numbers
