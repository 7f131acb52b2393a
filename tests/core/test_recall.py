"""The model of recall against what searches find, on uniform and on skewed fingerprints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simhash_spark.core.plan import recall as module
from simhash_spark.core.plan.density import measure_density
from simhash_spark.core.plan.recall import recall_of, tables_for
from simhash_spark.core.plan.window_sizes import choose_window
from simhash_spark.core.windows.coarse import group_keys, recall_of_passes
from simhash_spark.core.windows.neighbours import Windows, find_near
from simhash_spark.core.windows.planted import PlantedPairs, plant
from simhash_spark.errors import ConfigError

N_PLANTED = 2000
FOUR_SIGMA = 4 * 0.5 / math.sqrt(N_PLANTED)
BITS = pytest.mark.parametrize("bits", [64, 128])


def uniform(n: int, bits: int) -> np.ndarray:
    rng = np.random.default_rng(11)
    return rng.integers(0, 2**64, size=(n, bits // 64), dtype=np.uint64)


def biased(n: int, bits: int) -> np.ndarray:
    """Bits of unequal probabilities: a third of them is nearly constant."""
    rng = np.random.default_rng(12)
    is_one = rng.random((n, bits)) < np.where(np.arange(bits) % 3, 0.5, 0.03)
    values = is_one << (np.arange(bits, dtype=np.uint64) % 64)
    words = np.bitwise_or.reduce(values.reshape(n, -1, 64), axis=2)
    return np.unique(words, axis=0)


def measured(fingerprints, distance: int, windows: Windows, tables, pairs=None) -> float:
    pairs = pairs or plant(fingerprints, distance=distance, count=N_PLANTED, seed=1)
    found = find_near(fingerprints, windows, tables=tables, planted=pairs)
    return sum(len(part.planted) for part in found) / len(pairs.planted)


@pytest.mark.parametrize(
    ("bits", "distance", "window", "tables"),
    [
        (64, 4, 2, 3),
        (64, 8, 4, 12),
        (64, 12, 1, 40),
        (64, 12, 16, 22),
        (64, 16, 8, 80),
        (128, 16, 4, 7),
        (128, 24, 4, 24),
        (128, 32, 8, 50),
    ],
)
def test_the_model_is_what_a_search_of_uniform_fingerprints_finds(bits, distance, window, tables):
    model = recall_of(distance, bits=bits, n=20_000, tables=tables, window=window)

    found = measured(uniform(20_000, bits), distance, Windows(distance, window), range(tables))

    assert 0.3 < model < 0.98
    assert found == pytest.approx(model, abs=FOUR_SIGMA)


@BITS
def test_a_measured_density_makes_the_model_fit_skewed_fingerprints(bits):
    fingerprints, distance, tables = biased(20_000, bits), bits * 3 // 16, 24
    size = {"bits": bits, "n": len(fingerprints), "tables": tables, "window": 8}
    blind = recall_of(distance, **size)
    model = recall_of(distance, **size, density=measure_density(fingerprints))

    found = measured(fingerprints, distance, Windows(distance, 8), range(tables))

    assert blind - found > 2 * FOUR_SIGMA
    assert -0.06 < model - found < FOUR_SIGMA  # rather too low than too high


def test_a_density_of_a_sample_stands_for_all_and_errs_on_the_low_side():
    fingerprints = biased(20_000, 64)
    sample = fingerprints[np.random.default_rng(1).permutation(len(fingerprints))[:2000]]
    size = {"bits": 64, "n": len(fingerprints), "tables": 24, "window": 8}

    whole, part = (
        recall_of(12, **size, density=measure_density(f)) for f in (fingerprints, sample)
    )

    assert -0.12 < part - whole < 0.02


@BITS
def test_a_density_of_uniform_fingerprints_halves_with_each_bit(bits):
    density = measure_density(uniform(20_000, bits), n_tables=4, n_points=500)

    assert density.shape == (4, 500, 65)
    assert density[..., 0].min() == 1
    assert density.mean(axis=(0, 1))[:20] == pytest.approx(0.5 ** np.arange(20), rel=0.15)
    assert density.mean(axis=(0, 1))[64] == pytest.approx(0.5**64, rel=0.8)


@BITS
def test_a_density_depends_on_the_set_and_the_seed_alone(bits):
    fingerprints = biased(2000, bits)

    density = measure_density(fingerprints, n_tables=2, n_points=9)

    assert (measure_density(fingerprints[::-1], n_tables=2, n_points=9) == density).all()
    assert (measure_density(fingerprints, n_tables=2, n_points=9, seed=1) != density).any()


def test_a_density_of_few_fingerprints_is_a_config_error():
    with pytest.raises(ConfigError, match="at least 1000 fingerprints, got 999"):
        measure_density(uniform(999, 64))


@pytest.mark.parametrize("distance", [1, 12, 40, 64])
def test_turns_miss_together_where_each_part_has_a_difference(distance):
    """Found where 16 bits agree: by inclusion and exclusion over the four parts."""
    found = (np.arange(65) >= 16).astype(np.float64)
    free = [math.comb(4, j) * (-1) ** j * math.comb(64 - 16 * j, distance) for j in range(5)]
    first = 1 - math.comb(48, distance) / math.comb(64, distance)

    misses = module._word_misses(found)[:, distance]

    assert misses[:2] == pytest.approx([1, first])
    assert misses[4] == pytest.approx(sum(free) / math.comb(64, distance))


@pytest.mark.parametrize("distance", [1, 24, 70, 128])
def test_two_words_miss_together_where_each_of_their_parts_has_a_difference(distance):
    found = (np.arange(65) >= 16).astype(np.float64)
    free = [math.comb(8, j) * (-1) ** j * math.comb(128 - 16 * j, distance) for j in range(9)]
    first = 1 - math.comb(112, distance) / math.comb(128, distance)

    misses = module._misses(distance, 128, found)

    assert len(misses) == 9
    assert misses[:2] == pytest.approx([1, first])
    assert misses[8] == pytest.approx(sum(free) / math.comb(128, distance))


def test_common_prefixes_run_over_equal_parts():
    """Parts from the highest on; 16 stands for an equal part."""
    firsts = np.array([[3, 7, 1, 1], [16, 5, 1, 1], [16, 16, 16, 2], [16, 16, 16, 16]]).T

    assert module._prefixes(firsts).tolist() == [3, 21, 50, 64]


@pytest.mark.parametrize("distance", [1, 9, 24])
@pytest.mark.parametrize("bits", [60, 64, 124, 128])
def test_chances_of_prefixes_sum_to_one(bits, distance):
    chances = module._prefix_chances(distance, bits)

    assert chances.min() >= 0
    assert chances.sum() == pytest.approx(1)
    assert chances[:2] == pytest.approx(
        [distance / bits, (bits - distance) / bits * distance / (bits - 1)]
    )


@BITS
@pytest.mark.parametrize("is_measured", [False, True])
def test_tables_are_as_few_as_reach_the_recall(bits, is_measured):
    density = measure_density(biased(2000, bits), n_tables=4, n_points=20) if is_measured else None
    size = {"bits": bits, "n": 1e6, "window": 8, "density": density}

    tables = tables_for(0.9, distance=bits // 6, **size)

    recalls = [recall_of(bits // 6, tables=t, **size) for t in (tables - 1, tables)]
    assert recalls[0] < 0.9 <= recalls[1]


@BITS
def test_the_chosen_window_reaches_the_recall_at_the_least_predicted_cost(bits):
    size = {"bits": bits, "n": 1e7}
    window, tables = choose_window(**size, max_distance=bits // 8, recall=0.8)

    assert tables % 4 == 0
    assert recall_of(bits // 8, tables=tables, window=window, **size) >= 0.8
    for other in (1, 2, 32, 64):
        needed = tables_for(0.8, distance=bits // 8, window=other, **size)
        assert needed * (14 + other) > tables * (14 + window)


@pytest.mark.parametrize("recall", [0, 1, -0.5, 1.5])
def test_a_recall_that_is_no_share_is_a_config_error(recall):
    with pytest.raises(ConfigError, match="recall must lie between 0 and 1"):
        tables_for(recall, distance=3, bits=64, n=1e6, window=8)


@pytest.mark.parametrize("distance", [0, 65])
def test_a_distance_out_of_range_is_a_config_error(distance):
    with pytest.raises(ConfigError, match="distance must be a whole number from 1 to 64"):
        recall_of(distance, bits=64, n=1e6, tables=4, window=8)


def test_a_recall_out_of_reach_is_a_config_error():
    with pytest.raises(ConfigError, match="needs more than 1000000 tables"):
        choose_window(1e12, bits=64, max_distance=32, recall=0.99)


@pytest.mark.parametrize(("bits", "distance"), [(64, 12), (128, 24)])
def test_the_recall_of_two_levels_is_what_passes_over_groups_find(bits, distance):
    width, passes, tables = 2, 3, 16
    fingerprints = uniform(20_000, bits)
    pairs = plant(fingerprints, distance=distance, count=N_PLANTED, seed=2)
    found = set()
    for number in range(passes):
        keys = group_keys(fingerprints, number=number, width=width)
        ends = [group_keys(end, number=number, width=width) for end in pairs]
        for group in range(4):
            together = np.flatnonzero((ends[0] == group) & (ends[1] == group))
            part = PlantedPairs(*(end[together] for end in pairs))
            search = find_near(
                fingerprints[keys == group],
                Windows(distance, 8, seed=number),
                tables=range(tables),
                planted=part,
            )
            found |= {int(together[i]) for piece in search for i in piece.planted}
    inside = recall_of(distance, bits=bits - width, n=5000, tables=tables, window=8)

    model = recall_of_passes(inside, distance=distance, bits=bits, width=width, passes=passes)

    assert 0.5 < model < 0.95
    assert len(found) / N_PLANTED == pytest.approx(model, abs=FOUR_SIGMA)


@BITS
def test_keys_of_groups_are_single_bits_and_passes_take_others(bits):
    single = np.zeros((bits, bits // 64), dtype=np.uint64)
    single[np.arange(bits), np.arange(bits) // 64] = np.uint64(1) << (
        np.arange(bits, dtype=np.uint64) % 64
    )
    keys = [group_keys(single, number=number, width=3) for number in range(bits // 16)]

    assert [sorted(key[key > 0].tolist()) for key in keys] == [[1, 2, 4]] * (bits // 16)
    taken = np.concatenate([np.flatnonzero(key) for key in keys])
    assert len(set(taken.tolist())) == 3 * bits // 16
    assert (group_keys(single, number=0, width=3, seed=1) != keys[0]).any()


@pytest.mark.parametrize("width", [0, 17])
def test_a_width_out_of_range_is_a_config_error(width):
    with pytest.raises(ConfigError, match="width must be a whole number from 1 to 16"):
        group_keys(uniform(1, 64), number=0, width=width)
