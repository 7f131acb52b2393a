"""What a worker process builds once: tables and the jieba dictionary.

A package pickled by value (Spark Connect, notebooks) has its module globals
created anew for every task. A module of our own in ``sys.modules`` survives.
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
STATE = "_simhash_spark_worker"


def once_per_worker(name: str, build: Callable[[], T]) -> T:
    """Return the value of that name, building it where this process has none yet.

    Parameters
    ----------
    name : str
        Name of the value, unique in the package.
    build : callable
        Builds the value; must give the same one each time.

    Returns
    -------
    object
        The value that the first call built.

    Examples
    --------
    >>> once_per_worker("example", lambda: [1]) is once_per_worker("example", lambda: [1])
    True
    """
    state = sys.modules.setdefault(STATE, types.ModuleType(STATE))
    if name not in vars(state):
        vars(state)[name] = build()
    value: T = vars(state)[name]
    return value


def keep_freed_memory() -> int:
    """Let glibc keep up to 62 MB that we free, for what comes next.

    It gives memory back from twice the largest block on that was mapped and freed, and takes page
    faults to get it again: up to 40 % of our time. Freeing a block of 31 MB, never written to and
    thus never held, moves that limit.
    """
    return len(np.empty(31 << 20, dtype=np.uint8))
