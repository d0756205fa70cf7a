"""Short names of files that tell them apart."""

from __future__ import annotations

import os
from collections.abc import Sequence

from treegauge.corpus.files import COMPRESSED


def file_names(paths: Sequence[str], *, endings: bool = False) -> list[str]:
    """The names of files, with as much of their folders as tells them apart; numbered where that does not help.

    endings: keep `.conllu` and `.xz`.
    """
    parts = [(path if endings else _without_ending(path)).split(os.sep) for path in paths]
    for n in range(1, max(map(len, parts), default=0) + 1):
        names = [os.sep.join(part[-n:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{os.sep.join(part)} ({k})" for k, part in enumerate(parts, 1)]


def _without_ending(path: str) -> str:
    for ending in (*COMPRESSED, ".conllu"):
        path = path.removesuffix(ending)
    return path
