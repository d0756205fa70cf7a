"""Ctrl-C and SIGTERM: a command cleans up, says that it was stopped, and ends with 130 or 143."""

from __future__ import annotations

import signal
from threading import current_thread, main_thread
from types import FrameType


class Stopped(KeyboardInterrupt):
    """The user, or the system, wants the command to end."""

    exit_code = 130


class Terminated(Stopped):
    """By SIGTERM."""

    exit_code = 143


def stop_on_sigterm() -> None:
    """From now on SIGTERM is to this process what Ctrl-C is."""
    if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def exit_code(error: KeyboardInterrupt) -> int:
    """What a command that was stopped ends with."""
    return error.exit_code if isinstance(error, Stopped) else Stopped.exit_code
