#!/usr/bin/env bash
# tests/benchmarks/speed.sh FILE.parquet ...   every speed figure of the fingerprints, one after the other
# (column "text"; an hour on two cores; pip install simhash gaoya rjieba). PYTHON names the Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python="${PYTHON:-.venv/bin/python}"
"$python" tests/benchmarks/bench_kernels.py 9       # against PyPI simhash and gaoya; 128 bits against 64
"$python" tests/benchmarks/bench_steps.py           # where the rest of the time goes
"$python" tests/benchmarks/bench_words.py           # zh-words beside jieba alone
"$python" tests/benchmarks/bench_memory.py          # peak memory, one document of 50 MB
[ $# -eq 0 ] || "$python" tests/benchmarks/bench_stage.py "$@" # the Spark stage beside the kernel
