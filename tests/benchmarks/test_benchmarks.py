"""Benchmarks that no test runs break without a sign: each must at least import and name what is."""

from __future__ import annotations

import importlib

import pytest

from simhash_spark.core import counting

MODULES = (
    "bench_steps",
    "bench_memory",
    "bench_kernels",
    "bench_words",
    "bench_engines",
    "bench_dense",
    "bench_windows",
    "bench_join",
    "bench_growth",
    "bench_skew",
)


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_can_be_imported_and_says_how_it_is_run(name: str):
    module = importlib.import_module(f"tests.benchmarks.{name}")

    assert f"python tests/benchmarks/{name}.py" in module.__doc__


def test_the_steps_that_are_timed_are_those_of_the_kernel():
    steps = importlib.import_module("tests.benchmarks.bench_steps").STEPS

    assert all(callable(getattr(module, name)) for module, name in steps.values())
    assert {module for module, _ in steps.values()} >= {counting}
