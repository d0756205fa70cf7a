"""The columns of CoNLL-U that are read, the defects that a sentence may have, and what a reader notes of a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from treegauge.errors import MalformedError, OptionError

NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
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
_NO_TABS = "1 columns in "  # how the message for a line without tabs begins; if the file begins so, it may be raw text
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
        raw = self.sentence == 1 and self.message.startswith(_NO_TABS)
        hint = ": this is not CoNLL-U: parse it first, with `treegauge parse`" if raw else ""
        return f"{self.path}:{self.line}: sentence {name}: {self.message}{hint}"


MOST_DEFECTS = 1000  # how many sentences that were left out are remembered one by one; the others are counted


@dataclass(frozen=True, slots=True)
class EmptyColumn:
    """How often a column was empty and read as `_`, and the first line where it was."""

    count: int
    line: int


@dataclass(frozen=True, slots=True)
class ReadingNotes:
    """What a reader notes of a text beside its sentences: what was left out, and which columns were empty."""

    n_sentences: int = 0  # sentences that were left out
    n_words: int = 0  # their words
    defects: tuple[Defect, ...] = ()  # the reasons, for the first MOST_DEFECTS of them
    last: int = 0  # number of the last of these sentences
    empty: Mapping[str, EmptyColumn] = field(default_factory=dict)  # by the name of the column

    def __bool__(self) -> bool:
        return bool(self.n_sentences or self.empty)

    def __add__(self, more: ReadingNotes) -> ReadingNotes:
        if not more:
            return self
        empty = dict(self.empty)
        for name, column in more.empty.items():
            before = empty.get(name, EmptyColumn(0, column.line))
            empty[name] = EmptyColumn(before.count + column.count, before.line)
        return ReadingNotes(
            self.n_sentences + more.n_sentences,
            self.n_words + more.n_words,
            (self.defects + more.defects)[:MOST_DEFECTS],
            more.last or self.last,
            empty,
        )

    def check(self, path: str, on_error: str) -> None:
        """Raise MalformedError for a defect, unless on_error is "skip", or for an empty column if it is "strict"."""
        if self.defects and on_error != "skip":
            raise MalformedError(str(self.defects[0]))
        if self.empty and on_error == "strict":
            name, column = min(self.empty.items(), key=lambda entry: entry[1].line)
            raise MalformedError(f"{path}:{column.line}: column {name} is empty; expected a value or _")

    def moved(self, of: Callable[[Defect], Defect], lines: int, sentences: int) -> ReadingNotes:
        """The notes of a part of a file, with places in the whole file; `of` gives the place of a defect."""
        empty = {name: EmptyColumn(column.count, column.line + lines) for name, column in self.empty.items()}
        last = self.last + sentences if self.n_sentences else 0
        return replace(self, defects=tuple(map(of, self.defects)), last=last, empty=empty)


NO_NOTES = ReadingNotes()
