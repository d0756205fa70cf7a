"""Telling how far a long job is, without knowing who listens."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

# Opens a stage of a job (its name, and how many steps it has if that is known); gives what is told of steps done.
Stages = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]


@contextmanager
def silent(stage: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Nobody listens."""
    yield lambda done: None
