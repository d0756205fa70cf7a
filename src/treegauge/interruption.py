"""Ctrl-C and SIGTERM end the program, also if they come where Python would ignore them."""

from __future__ import annotations

import signal
import sys
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import Any

_AGAIN = 0.02  # seconds until a signal that was lost is sent again


class TerminationSignal(KeyboardInterrupt):
    """The system asked the command to end, by SIGTERM."""


def end_on_signals() -> None:
    """Makes SIGTERM end this process in the same way as Ctrl-C, and lets neither of them get lost."""
    if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    sys.unraisablehook = _send_again


def exit_code(error: KeyboardInterrupt) -> int:
    """The exit code of a command that was stopped."""
    return 143 if isinstance(error, TerminationSignal) else 130


def _terminate(number: int, frame: FrameType | None) -> None:
    raise TerminationSignal


def _send_again(ignored: Any) -> None:
    """Send a signal again whose exception Python ignores, as in the callbacks that end an import.

    It must not come while this function runs, whose exceptions are ignored as well; so a timer sends it.
    """
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    number = signal.SIGTERM if issubclass(ignored.exc_type, TerminationSignal) else signal.SIGINT
    timer = Timer(_AGAIN, _send, [number])
    timer.daemon = True
    timer.start()


def _send(number: signal.Signals) -> None:
    main = main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)  # wakes the main thread if it waits for input
    else:
        signal.raise_signal(number)
