"""Spark's Python daemon, with workers that save their coverage after each task.

Workers are forked, reused and in the end killed, so that coverage's own saving at exit never
happens there. The session of ``conftest`` names this module when coverage is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import daemon, worker

if TYPE_CHECKING:
    from collections.abc import Callable


def saving(main: Callable[..., Any]) -> Callable[..., Any]:
    from coverage import Coverage  # not in every environment that collects the doctests here

    def measured(*streams: Any) -> Any:
        try:
            return main(*streams)
        finally:
            if (coverage := Coverage.current()) is not None:
                coverage.save()

    return measured


if __name__ == "__main__":
    worker.main = saving(worker.main)
    daemon.manager()
