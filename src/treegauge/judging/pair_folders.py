"""Folders that hold gold, a system's output and a reference parsed by the same system."""

from __future__ import annotations

import os
from dataclasses import dataclass

from treegauge.corpus.files import COMPRESSED
from treegauge.errors import CorpusError

GOLD, SYSTEM, REFERENCE = "test.gold.conllu", "test.system.conllu", "reference.parsed.conllu"
DEV = ("dev.gold.conllu", "dev.system.conllu")


@dataclass(frozen=True, slots=True)
class PairFolder:
    """The three files of a folder, plain or compressed."""

    name: str
    gold: str
    system: str
    reference: str
    dev: tuple[str, str] | None = None  # gold and system of another text, where there is one


def find_pairs(folder: str) -> tuple[list[PairFolder], dict[str, list[str]]]:
    """The folders below a folder that hold all three files, by name, and what the others lack.

    A folder that holds none of the three is neither. The folder itself counts if it holds all three.
    """
    if not os.path.isdir(folder):
        raise CorpusError(f"{folder}: no such folder")
    whole: list[PairFolder] = []
    lacking: dict[str, list[str]] = {}
    names = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
    places = {name: os.path.join(folder, name) for name in names}
    own = _files(folder)
    if all(own.values()):
        places = {os.path.basename(os.path.abspath(folder)): folder}
    for name, place in places.items():
        files = _files(place)
        if all(files.values()):
            gold, system, reference = (str(files[file]) for file in (GOLD, SYSTEM, REFERENCE))
            dev_gold, dev_system = (_file(place, file) for file in DEV)
            dev = (dev_gold, dev_system) if dev_gold and dev_system else None
            whole.append(PairFolder(name, gold, system, reference, dev))
        elif any(files.values()):
            lacking[name] = [file for file, path in files.items() if path is None]
    if not whole:
        raise CorpusError(f"{folder}: no folder in it holds {GOLD}, {SYSTEM} and {REFERENCE} (plain or compressed)")
    return whole, lacking


def _files(folder: str) -> dict[str, str | None]:
    return {name: _file(folder, name) for name in (GOLD, SYSTEM, REFERENCE)}


def _file(folder: str, name: str) -> str | None:
    """A file of that name, plain or compressed."""
    paths = [os.path.join(folder, name + ending) for ending in ("", *COMPRESSED)]
    return next((path for path in paths if os.path.isfile(path)), None)
