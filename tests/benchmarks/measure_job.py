"""Run a command and print the largest memory of all its processes together, and its time.

    python tests/benchmarks/measure_job.py ./submit.sh jobs/dedup.py --input DOCS --output OUT

Memory is the proportional set size of the command and all its descendants (the
JVM, Python's workers), read ten times a second from /proc: pages that several
processes share count once. The command's own output passes through.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

INTERVAL_S = 0.1
KIB_PER_GIB = 1 << 20


def main(command: list[str]) -> int:
    started = time.perf_counter()
    process = subprocess.Popen(command)
    peak, peak_of = 0, {}
    while process.poll() is None:
        sizes = {pid: pss_kib(pid) for pid in tree_of(process.pid)}
        if sum(sizes.values()) > peak:
            peak = sum(sizes.values())
            peak_of = {pid: (name_of(pid), size) for pid, size in sizes.items()}
        time.sleep(INTERVAL_S)
    seconds = time.perf_counter() - started
    cpu = os.times()
    used = cpu.children_user + cpu.children_system
    print(f"\npeak memory  {peak / KIB_PER_GIB:.2f} GiB in {len(peak_of)} processes")
    for name, size in sorted(peak_of.values(), key=lambda item: -item[1])[:5]:
        print(f"  {size / KIB_PER_GIB:6.2f} GiB  {name}")
    print(f"time         {seconds:.1f} s, {used:.1f} s of processor time")
    return process.returncode


def tree_of(root: int) -> list[int]:
    """A process and all its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:  # it has just ended
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def pss_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def name_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "?"
    return b" ".join(words[:3]).decode(errors="replace")[:60]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
