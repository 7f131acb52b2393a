"""Ctrl-C and kill as one exception, so that a run cleans up whoever ends it.

PySpark cancels its jobs on Ctrl-C, but what then reaches the program may be an
error of the broken connection to the JVM instead of a ``KeyboardInterrupt``;
and on SIGTERM Python just ends.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_reported() -> Iterator[None]:
    """Turn SIGINT and SIGTERM, and whatever error they cause, into ``KeyboardInterrupt``.

    Enter it after a session is open: PySpark installs a handler then, and it
    is called from here. Outside the main thread this does nothing.

    Raises
    ------
    KeyboardInterrupt
        With the number of the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    earlier = {number: signal.getsignal(number) for number in _SIGNALS}

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        cancel_jobs = earlier[signal.SIGINT]
        if callable(cancel_jobs):
            cancel_jobs(signal.SIGINT, frame)
        raise KeyboardInterrupt(number)

    for number in _SIGNALS:
        signal.signal(number, interrupt)
    try:
        yield
    except BaseException as error:
        if not received:
            raise
        raise KeyboardInterrupt(received[0]) from error
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def exit_code_of(error: KeyboardInterrupt) -> int:
    """Return what a shell expects of a program that a signal has ended.

    >>> exit_code_of(KeyboardInterrupt()), exit_code_of(KeyboardInterrupt(15))
    (130, 143)
    """
    return 128 + int(error.args[0] if error.args else signal.SIGINT)
