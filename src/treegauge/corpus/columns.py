"""The columns of CoNLL-U that are read, and the defects that a sentence may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from treegauge.errors import OptionError

COLUMNS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}

# The messages for the numbers that the scanner gives; {value} is the wrong text, {n} a number that belongs to it.
DEFECTS = {
    1: "{n} columns in {value}; expected 10, separated by tabs",
    2: "column {n} is empty; expected a value or _",
    3: "id {value}; expected {n}, or a multiword token or empty node that fits there",
    4: "head {value}; expected a number",
    5: "head {value}; expected 0..{n} and not the word itself",
    6: "word {value} is its own ancestor; expected a tree",
    7: "{n} root words; expected one",
    8: "comment {value} inside a sentence; expected comments before its words",
    9: "{value} is not followed by words; expected a sentence",
    10: "word {value}; expected at most {n} words in a sentence (is a blank line missing?)",
    11: "byte {value}; expected UTF-8",
    12: "a multiword token ends at word {n}, behind the sentence's last word",
    13: "longer than {n} MiB; expected a shorter sentence (is a blank line missing?)",
}
T = TypeVar("T")


class Columns(dict[str, T]):
    """Column -> values, for the columns that were read."""

    def __missing__(self, column: str) -> T:
        raise OptionError(f"column {column!r} was not read; expected it among the columns of read_conllu")


@dataclass(frozen=True, slots=True)
class Defect:
    """The reason why a sentence was left out, and its place."""

    path: str
    line: int
    sentence: int
    sent_id: str
    message: str

    def __str__(self) -> str:
        name = f"{self.sentence} ({self.sent_id})" if self.sent_id else f"{self.sentence}"
        return f"{self.path}:{self.line}: sentence {name}: {self.message}"
