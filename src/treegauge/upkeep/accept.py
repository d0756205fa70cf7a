"""What somebody looked at and found right: the lines of `.treegauge/accepted.tsv`, made, sorted, joined and pruned.

A line says which word, what it had, the verdict, and when. It holds as long as the word has the same: see
`ranking/verdicts`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import write_whole
from treegauge.errors import OptionError
from treegauge.models.columns.inventory import COLUMN_OF
from treegauge.ranking.verdicts import (
    ACCEPT,
    COLUMNS,
    WHOLE_WORD,
    Verdict,
    read_verdicts,
    whole_value,
)
from treegauge.upkeep.codes import CODE_OF, KINDS
from treegauge.upkeep.corrections import Correction
from treegauge.upkeep.findings import Findings

ACCEPTED = os.path.join(".treegauge", "accepted.tsv")
_PLACE = re.compile(r"(TG\d{3}):(.+):(\d{1,9})")


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """A finding as it is named on the command line: its code, the sent_id or number of its sentence, its word."""

    code: str
    sentence: str
    word: int

    def __str__(self) -> str:
        return f"{self.code}:{self.sentence}:{self.word}"


def finding_place(text: str) -> FindingPlace:
    """The finding that a text such as `TG101:weblog-12:7` names."""
    match = _PLACE.fullmatch(text)
    if not match or match[1] not in KINDS:
        raise OptionError(
            f"{text!r}; expected a code, a sent_id (or the sentence's number) and a word: TG101:weblog-12:7"
        )
    return FindingPlace(match[1], match[2], int(match[3]))


def place_of(findings: Findings, k: int) -> FindingPlace:
    """How the k-th finding is named on the command line."""
    corpus, row = findings.corpus, int(findings.row[k])
    s = int(corpus.sentence[row])
    return FindingPlace(str(findings.code[k]), corpus.sent_id(s) or str(corpus.number[s]), int(corpus.position[row]))


def accepted_place(corpus: Corpus, place: FindingPlace, date: str, note: str = "") -> Verdict:
    """The line that accepts a finding at a place, with the value that its word has now."""
    sentences = [s for s, sent_id in enumerate(corpus.sent_ids) if sent_id == place.sentence]
    if not sentences and place.sentence.isdigit():
        numbered = np.flatnonzero(corpus.number == int(place.sentence)).tolist()
        sentences = [s for s in numbered if not corpus.sent_id(s)]
    if len(sentences) != 1:
        raise OptionError(f"{place}: {len(sentences)} sentences {place.sentence!r} in {corpus.path}; expected one")
    (s,) = sentences
    words = int(corpus.start[s + 1] - corpus.start[s])
    if not 1 <= place.word <= words:
        raise OptionError(f"{place}: word {place.word}; expected 1..{words} in {corpus.where(s)}")
    return accepted_word(corpus, int(corpus.start[s]) + place.word - 1, place.code, date, note)


def accepted_word(corpus: Corpus, row: int, code: str, date: str, note: str = "") -> Verdict:
    """The line that accepts a finding of this code at a word.

    A finding of the arc or the tag is accepted without a code: such a line is about both. Of lemma, XPOS, FEATS and
    subtype the value is written; of a contradiction none, so that the line holds as long as the arc does.
    """
    columns = {CODE_OF[name]: COLUMN_OF[name] for name in CODE_OF}
    value = corpus.value(columns[code], row) if code in columns else ""
    if code == WHOLE_WORD:
        value = whole_value(corpus, row)
    s = int(corpus.sentence[row])
    sent_id = corpus.sent_id(s).replace("\t", " ")
    of_arc = code in KINDS and KINDS[code].what in ("arc", "tag")
    return Verdict(
        sent_id,
        0 if sent_id else int(corpus.number[s]),
        int(corpus.position[row]),
        int(corpus.head[row]),
        corpus.value("deprel", row),
        ACCEPT,
        note,
        corpus.value("form", row),
        corpus.value("upos", row),
        "" if of_arc else code,
        value,
        date,
    )


def accepted_corrections(files: Sequence[Corpus], done: Iterable[Correction], date: str) -> list[Verdict]:
    """The lines that accept what corrections made of words, in the corrected files: whatever was decided there.

    The note says what the word had before.
    """
    rows: dict[tuple[str, int], tuple[Corpus, int]] = {}
    before = 0
    for corpus in files:
        for s, sent_id in enumerate(corpus.sent_ids):
            rows[sent_id, 0 if sent_id else before + int(corpus.number[s])] = corpus, s
        before += max([*corpus.number.tolist()[-1:], corpus.notes.last])
    lines = []
    for one in done:
        corpus, s = rows[one.sent_id, 0 if one.sent_id else one.sentence]
        was = [f"{one.head}:{one.deprel}"] * (one.arc != (one.head, one.deprel))
        was += [one.upos] * (one.new_upos is not None) + [f"{name} {old}" for name, (old, _) in one.others.items()]
        note = f"corrected, was {', '.join(was)}" + (f"; {one.note}" if one.note else "")
        lines.append(accepted_word(corpus, int(corpus.start[s]) + one.id - 1, WHOLE_WORD, date, note))
    return lines


def joined(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts in the order of their sentences and words, one for each word and code: the last one."""
    last = {(v.sent_id, v.sentence, v.id, v.code): v for v in verdicts}
    return [last[key] for key in sorted(last, key=lambda key: (_natural(key[0]), *key[1:]))]


def _natural(sent_id: str) -> tuple[tuple[int, str], ...]:
    """A sent_id by which to sort: numbers in it count as numbers."""
    return tuple((int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d{1,15})", sent_id))


def accepted_file(path: str) -> str | None:
    """The file of accepted annotations of a treebank, if there is one."""
    return file_beside(path, ACCEPTED)


def file_beside(path: str, name: str) -> str | None:
    """A file in the folder of a treebank or in one above, up to the top of its repository."""
    own = Path(os.path.abspath(path))
    for folder in (own, *own.parents):
        if (folder / name).is_file():
            return os.path.relpath(folder / name)
        if (folder / ".git").exists():
            break
    return None


def new_accepted_file(path: str) -> str:
    """Where that file is made if there is none: at the top of the repository, or else beside the treebank."""
    own = Path(os.path.abspath(path))
    folder = own if own.is_dir() else own.parent
    top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)
    return os.path.relpath(top / ACCEPTED)


def add_accepted(path: str, new: Iterable[Verdict]) -> int:
    """Add verdicts to a file, which may not be there yet; how many lines it has then."""
    old = read_verdicts(path) if os.path.exists(path) else []
    together = joined([*old, *new])
    write_accepted(path, together)
    return len(together)


def write_accepted(path: str, verdicts: Sequence[Verdict]) -> None:
    """Write a file of verdicts, whole or not at all."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with write_whole(path) as stream:
        stream.write(verdicts_text(verdicts).encode())


def verdicts_text(verdicts: Iterable[Verdict]) -> str:
    """Verdicts as a table: tabs between the columns, a line for each."""
    lines = ["\t".join(COLUMNS)]
    for verdict in verdicts:
        plain = replace(verdict, note=_one_line(verdict.note), form=_one_line(verdict.form))
        values = (getattr(plain, name) for name in COLUMNS)
        shown = (
            "" if name == "sentence" and not value else str(value) for name, value in zip(COLUMNS, values, strict=True)
        )
        lines.append("\t".join(shown))
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())
