"""EVALB's parameter files: which labels are not looked at, and which are the same."""

from __future__ import annotations

import os

from treegauge.corpus.files import read_text, text_lines
from treegauge.errors import OptionError
from treegauge.grammar.bracket_scores import PARSEVAL_OPTIONS, ParsevalOptions

_IGNORED = {"DEBUG", "MAX_ERROR", "DELETE_LABEL_FOR_LENGTH", "QUIET"}  # they change no score


def evalb_options(name: str) -> ParsevalOptions:
    """Options by name (plain, collins), or those of a parameter file of EVALB (Sekine and Collins 1997).

    DELETE_LABEL names a label or a tag; EQ_LABEL two labels that are one; LABELED 0 leaves labels aside; CUTOFF_LEN is
    the longest sentence of the second part of the scores. EQ_WORD and DELETE_WORD are not known.
    """
    if name in PARSEVAL_OPTIONS:
        return PARSEVAL_OPTIONS[name]
    if not os.path.isfile(name):
        known = ", ".join(PARSEVAL_OPTIONS)
        raise OptionError(f"parseval {name!r}; expected {known} or a parameter file of EVALB")
    deleted: set[str] = set()
    equal: list[tuple[str, str]] = []
    labelled, cutoff = True, None
    for number, line in enumerate(text_lines(read_text(name)), 1):
        words = line.split()
        if not words or words[0].startswith("#") or words[0] in _IGNORED:
            continue
        match words:
            case ["DELETE_LABEL", label]:
                deleted.add(label)
            case ["EQ_LABEL", label, other]:
                equal.append((label, other))
            case ["LABELED", ("0" | "1") as value]:
                labelled = value == "1"
            case ["CUTOFF_LEN", length] if length.isdigit():
                cutoff = int(length)
            case _:
                known = "DELETE_LABEL, EQ_LABEL, LABELED or CUTOFF_LEN with its values"
                raise OptionError(f"{name}:{number}: {line.strip()!r}; expected {known}")
    labels = frozenset(deleted)
    return ParsevalOptions(os.path.basename(name), labels, labels, tuple(equal), labelled, cutoff)
