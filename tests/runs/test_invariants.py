from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simhash_spark.errors import InvariantError
from simhash_spark.runs.invariants import check_invariants

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Documents a to f; a, b and c are one cluster, d and e another one, f is alone.
SOUND: dict[str, tuple[str, list[tuple[object, ...]]]] = {
    "fingerprints": ("id string", [(name,) for name in "abcdef"]),
    "survivors": ("id string", [("a",), ("e",), ("f",)]),
    "duplicates": (
        "id string, survivor_id string, cluster_id string",
        [("b", "a", "a"), ("c", "a", "a"), ("d", "e", "d")],
    ),
    "clusters": (
        "id string, cluster_id string, cluster_size long, is_survivor boolean",
        [
            ("a", "a", 3, True),
            ("b", "a", 3, False),
            ("c", "a", 3, False),
            ("d", "d", 2, False),
            ("e", "d", 2, True),
        ],
    ),
    "pairs": (
        "id_l string, id_r string, distance int",
        [("a", "b", 3), ("b", "c", 1), ("d", "e", 0)],
    ),
}


def output(spark: SparkSession, **changed: list[tuple[object, ...]]) -> dict[str, DataFrame]:
    return {
        name: spark.createDataFrame(changed.get(name, rows), schema)
        for name, (schema, rows) in SOUND.items()
    }


def rows(name: str, *, without: int | None = None) -> list[tuple[object, ...]]:
    return [row for index, row in enumerate(SOUND[name][1]) if index != without]


def test_sound_output_passes_with_its_numbers(spark: SparkSession):
    checked = check_invariants(output(spark), max_distance=3)

    assert [invariant.values for invariant in checked] == [
        {"survivors": 3, "duplicates": 3, "fingerprints": 6},
        {"clusters": 2, "without_one_survivor": 0},
        {"clusters": 2, "of_another_size": 0},
        {"survivors_removed": 0},
        {"members_not_kept": 3, "duplicates": 3, "duplicates_explained": 3},
        {"pairs": 3, "out_of_range": 0, "out_of_order": 0},
        {"pairs": 3, "across_clusters": 0},
        {"members_without_pair": 0},
    ]
    assert all(invariant.holds for invariant in checked)


def test_output_without_duplicates_is_sound(spark: SparkSession):
    found = output(spark, survivors=rows("fingerprints"), duplicates=[], clusters=[], pairs=[])

    assert all(invariant.holds for invariant in check_invariants(found, max_distance=3))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"survivors": rows("survivors", without=2)},
            r"survivors \+ duplicates = input rows \(survivors: 2, duplicates: 3, fingerprints: 6",
        ),
        (
            {"survivors": [*rows("survivors"), ("f",)]},
            r"survivors \+ duplicates = input rows \(survivors: 4",
        ),
        (
            {"clusters": [("a", "a", 3, False), *rows("clusters", without=0)]},
            r"exactly one survivor \(clusters: 2, without_one_survivor: 1",
        ),
        (
            {"clusters": [*rows("clusters", without=3), ("d", "d", 2, True)]},
            r"exactly one survivor \(clusters: 2, without_one_survivor: 1",
        ),
        (
            {"clusters": [*rows("clusters", without=3), ("d", "d", 2, None)]},
            r"the members that do not survive \(members_not_kept: 2, duplicates: 3",
        ),
        ({"clusters": [*rows("clusters"), ("f", "f", 1, True)]}, "two members.*of_another_size: 1"),
        ({"clusters": rows("clusters", without=1)}, "as many as it says.*of_another_size: 1"),
        (
            {"duplicates": [*rows("duplicates", without=2), ("e", "e", "d")]},
            r"no survivor is a duplicate \(survivors_removed: 1",
        ),
        (
            {"duplicates": [*rows("duplicates", without=1), ("c", "b", "a")]},
            r"no survivor is a duplicate \(survivors_removed: 1",
        ),
        (
            {"duplicates": [*rows("duplicates", without=2), ("d", "e", "x")]},
            r"members_not_kept: 3, duplicates: 3, duplicates_explained: 2",
        ),
        ({"pairs": [("a", "b", 4)]}, r"distance from 0 to 3 \(pairs: 1, out_of_range: 1"),
        ({"pairs": [("a", "b", -1)]}, r"distance from 0 to 3 \(pairs: 1, out_of_range: 1"),
        ({"pairs": [("a", "b", None)]}, r"distance from 0 to 3 \(pairs: 1, out_of_range: 1"),
        ({"pairs": [("b", "a", 1)]}, "out_of_order: 1"),
        ({"pairs": [("a", "a", 1)]}, "out_of_order: 1"),
        ({"pairs": [("a", "d", 1)]}, r"in one cluster \(pairs: 1, across_clusters: 1"),
        ({"pairs": rows("pairs", without=1)}, r"is in a pair \(members_without_pair: 1"),
        ({"pairs": [("a", "f", 1)]}, r"in one cluster \(pairs: 1, across_clusters: 1"),
    ],
)
def test_violation_is_named_with_its_numbers(
    spark: SparkSession, changed: dict[str, list[tuple[object, ...]]], message: str
):
    with pytest.raises(InvariantError, match=message):
        check_invariants(output(spark, **changed), max_distance=3)
