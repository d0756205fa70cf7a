"""The files of a shared task: gold of each treebank, and what each system handed in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from treegauge.corpus.files import expand_paths, read_text, text_lines
from treegauge.corpus.treebanks import treebank_name
from treegauge.errors import OptionError

GOLD = "gold"
_OTHER_TEXTS = ("train", "dev")  # files of a treebank that no system handed in


@dataclass(frozen=True, slots=True)
class Submissions:
    """The file of gold for each treebank, and the file of each system for each treebank that it handed in."""

    gold: dict[str, str]  # treebank -> file
    systems: dict[str, dict[str, str]]  # system -> treebank -> file
    strangers: tuple[str, ...] = ()  # files of systems for which there is no gold


def find_submissions(gold: str | os.PathLike[str], systems: str | os.PathLike[str] | None = None) -> Submissions:
    """The files below two folders, GOLD/TREEBANK.conllu and SYSTEMS/SYSTEM/TREEBANK.conllu.

    If there is one folder, it has TREEBANK/gold.conllu and TREEBANK/SYSTEM.conllu; train and dev there are ignored.
    Files may be compressed. Raises OptionError if a name stands for two files, or if there is no gold or no system.
    """
    if systems is None:
        return _one_folder(os.fspath(gold))
    found_gold = _by_treebank(expand_paths([gold]))
    folder, strangers = os.fspath(systems), list[str]()
    if not os.path.isdir(folder):
        raise OptionError(f"{folder}: no such directory; expected one with a directory for each system")
    of_system: dict[str, dict[str, str]] = {}
    for name in sorted(os.listdir(folder)):
        if os.path.isdir(os.path.join(folder, name)):
            files = _by_treebank(expand_paths([os.path.join(folder, name)]))
            strangers += [path for treebank, path in files.items() if treebank not in found_gold]
            of_system[name] = {treebank: path for treebank, path in files.items() if treebank in found_gold}
    if not of_system:
        raise OptionError(f"{folder}: no directories; expected one for each system, with TREEBANK.conllu in it")
    return Submissions(found_gold, of_system, tuple(strangers))


def _one_folder(folder: str) -> Submissions:
    """The files of TREEBANK/gold.conllu and TREEBANK/SYSTEM.conllu."""
    gold: dict[str, str] = {}
    systems: dict[str, dict[str, str]] = {}
    for path in expand_paths([folder]):
        directory, file = os.path.split(path)
        treebank, name = os.path.basename(directory), file.partition(".conllu")[0]
        if name in _OTHER_TEXTS:
            continue
        of_name = gold if name == GOLD else systems.setdefault(name, {})
        if treebank in of_name:
            raise OptionError(f"{path}: a second file {name} of {treebank}; {of_name[treebank]} is the first")
        of_name[treebank] = path
    if not gold or not systems:
        raise OptionError(f"{folder}: no {GOLD}.conllu beside SYSTEM.conllu in it; expected TREEBANK/{GOLD}.conllu")
    strangers = [path for files in systems.values() for treebank, path in files.items() if treebank not in gold]
    known = {name: {t: path for t, path in files.items() if t in gold} for name, files in sorted(systems.items())}
    return Submissions(gold, known, tuple(strangers))


def _by_treebank(files: Iterable[str]) -> dict[str, str]:
    """The files by the name of their treebank."""
    of_treebank: dict[str, str] = {}
    for path in files:
        name = treebank_name(path)
        if name in of_treebank:
            raise OptionError(f"{path}: a second file of {name}; {of_treebank[name]} is the first")
        of_treebank[name] = path
    return of_treebank


def read_treebank_groups(path: str) -> dict[str, str]:
    """The group of each treebank, from lines `treebank<TAB>group`; blank lines and lines with # are ignored."""
    group_of: dict[str, str] = {}
    for number, line in enumerate(text_lines(read_text(path)), 1):
        if not line.strip() or line.startswith("#"):
            continue
        treebank, tab, group = line.partition("\t")
        if not tab or not treebank.strip() or not group.strip() or "\t" in group:
            raise OptionError(f"{path}:{number}: {line!r}; expected a treebank, a tab and its group")
        group_of[treebank.strip()] = group.strip()
    if not group_of:
        raise OptionError(f"{path}: no groups; expected lines with a treebank, a tab and its group")
    return group_of
