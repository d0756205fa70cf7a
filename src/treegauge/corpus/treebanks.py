"""Which files make a treebank, and its name: the one rule for folders and globs.

Where one corpus is wanted, the files of a folder or a glob are joined, and the log of reading says so. Where treebanks
are compared, each file of a folder or a glob is a treebank; train, dev and test of a treebank are one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treegauge.corpus.files import expand_paths
from treegauge.corpus.reading_log import note_joined
from treegauge.errors import path_list

_PLAIN = {"train", "dev", "test", "treebank", "gold"}


@dataclass(frozen=True, slots=True)
class TreebankFiles:
    """The name of a treebank, and its files."""

    name: str
    files: tuple[str, ...]


def treebank_name(path: str) -> str:
    """The name of a treebank: its file, or its folder if the file's name only says which part of a treebank it is."""
    folder, file = os.path.split(path)
    stem = file.partition(".")[0]
    if stem in _PLAIN and folder:
        return os.path.basename(folder)
    return re.sub(r"-ud-(train|dev|test)$", "", stem) or path


def corpus_files(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files of one corpus, as `expand_paths` finds them; notes which paths stand for several files."""
    files: list[str] = []
    for path in map(os.fspath, path_list(paths, "a path, or several paths")):
        matches = expand_paths([path])
        if len(matches) > 1:
            note_joined(path, len(matches))
        files += matches
    return files


def find_treebanks(paths: Sequence[str | os.PathLike[str]]) -> list[TreebankFiles]:
    """The treebanks that paths stand for: a file is one; a folder or glob stands for all that its files belong to."""
    treebanks: list[TreebankFiles] = []
    for path in [os.fspath(path) for path in paths]:
        groups: dict[tuple[str, str], list[str]] = {}
        for file in expand_paths([path]):
            groups.setdefault((os.path.dirname(file), treebank_name(file)), []).append(file)
        treebanks += [TreebankFiles(name, tuple(files)) for (_, name), files in groups.items()]
    return treebanks
