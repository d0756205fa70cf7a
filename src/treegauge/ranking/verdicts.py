"""Verdicts of people about arcs: accept, error or unsure, each with a note, in a TSV file.

A verdict belongs to an arc, not to a place in a ranking. Its key is the sentence's sent_id (its number in the file
where it has none), the word's id, head and deprel, and its form and upos if the row has them. It holds after a re-run
as long as these are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import read_at_most, text_lines
from treegauge.errors import TreegaugeError

ACCEPT, ERROR, UNSURE = "accept", "error", "unsure"
VERDICTS = (ACCEPT, ERROR, UNSURE)
COLUMNS = (
    *("sent_id", "sentence", "id", "form", "head", "deprel", "upos"),
    *("verdict", "note", "code", "value", "date"),
)
OF_RULES = "TG8"  # how the codes of own rules begin; the value of such a line is the name of the rule
WHOLE_WORD = "TG"  # the code of a line about everything that the word has
_LONGEST = 1 << 28  # bytes of a file
_NEEDED = ("id", "head", "deprel", "verdict")


class VerdictError(TreegaugeError):
    """A verdicts file that cannot be read; the message names file, line, value and expectation."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict about an arc; `sentence` counts from 1 and matters only if `sent_id` is empty."""

    sent_id: str
    sentence: int
    id: int
    head: int
    deprel: str
    verdict: str
    note: str = ""
    form: str = ""
    upos: str = ""  # the tag that was accepted with the arc; empty for any
    code: str = ""  # of `check`: only findings whose code begins so; empty: the arc and the tag
    value: str = ""  # what was accepted of another column; empty: the arc is what was accepted
    date: str = ""  # when, such as 2026-11-18; it changes nothing


def read_verdicts(path: str) -> list[Verdict]:
    """The verdicts of a TSV file with a header; a row with a note and no verdict is left out.

    Columns may stand in any order; `form`, `upos`, `note`, `code`, `value` and `date` may be missing, and one of
    `sent_id` and `sentence`. The header may come again, where files were joined.
    """
    content = read_at_most(path, _LONGEST)
    try:
        lines = text_lines(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise VerdictError(f"{path}: byte 0x{content[error.start]:02x}; expected UTF-8") from error
    header = lines[0].split("\t") if lines else []
    missing = [name for name in _NEEDED if name not in header]
    if missing or not {"sent_id", "sentence"} & set(header):
        lacks = missing[0] if missing else "sent_id or sentence"
        raise VerdictError(f"{path}:1: no column {lacks}; expected a header with {', '.join(COLUMNS)}")
    verdicts = []
    for number, line in enumerate(lines[1:], 2):
        values = line.split("\t")
        if not line.strip():
            continue
        if set(_NEEDED) <= set(values):
            header = values
            continue
        if len(values) != len(header):
            raise VerdictError(f"{path}:{number}: {len(values)} columns; expected {len(header)}, as in the header")
        row = dict(zip(header, values, strict=True))
        if row["verdict"] == "" and row.get("note"):
            continue
        if row["verdict"] not in VERDICTS:
            raise VerdictError(f"{path}:{number}: verdict {row['verdict']!r}; expected one of {', '.join(VERDICTS)}")
        sent_id = row.get("sent_id", "")
        sentence = 0 if sent_id else _whole(row.get("sentence", ""), "sentence", path, number)
        word, head = (_whole(row[name], name, path, number) for name in ("id", "head"))
        more = (row.get(name, "") for name in ("note", "form", "upos", "code", "value", "date"))
        verdicts.append(Verdict(sent_id, sentence, word, head, row["deprel"], row["verdict"], *more))
    return verdicts


def _whole(text: str, name: str, path: str, line: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise VerdictError(f"{path}:{line}: {name} {text!r}; expected a whole number")
    return int(text)


def verdict_codes(corpus: Corpus, verdicts: Iterable[Verdict]) -> np.ndarray:
    """For each word 0, or one more than the place in VERDICTS of the verdict about its arc; later verdicts win.

    Sentences that share a sent_id share verdicts.
    """
    codes = np.zeros(corpus.n_words, dtype=np.int8)
    for row, verdict in matched(corpus, [verdict for verdict in verdicts if not verdict.code]):
        if _holds(corpus, row, verdict):
            codes[row] = VERDICTS.index(verdict.verdict) + 1
    return codes


def _holds(corpus: Corpus, row: int, verdict: Verdict) -> bool:
    """Whether a word still has what a verdict is about: the value; the arc, if there is none; or all of it."""
    names_rule = verdict.code.startswith(OF_RULES)
    if verdict.value and not names_rule and verdict.value not in _values(corpus, row):
        return False
    if verdict.value and not names_rule and verdict.code != WHOLE_WORD:
        return True
    same = corpus.head[row] == verdict.head and corpus.value("deprel", row) == verdict.deprel
    return bool(same and verdict.upos in ("", corpus.value("upos", row)))


def holding(corpora: Iterable[Corpus], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts that still hold for a word of one of these corpora."""
    found = [v for corpus in corpora for row, v in matched(corpus, verdicts) if _holds(corpus, row, v)]
    still = set(map(id, found))
    return [verdict for verdict in verdicts if id(verdict) in still]


def matched(corpus: Corpus, verdicts: Iterable[Verdict]) -> Iterator[tuple[int, Verdict]]:
    """The row of the word that each verdict is about; verdicts about words that are not there are left out."""
    of_sentence: dict[tuple[str, int], list[Verdict]] = {}
    for verdict in verdicts:
        of_sentence.setdefault((verdict.sent_id, 0 if verdict.sent_id else verdict.sentence), []).append(verdict)
    for s, sent_id in enumerate(corpus.sent_ids if of_sentence else ()):
        name = sent_id.replace("\t", " ")
        for verdict in of_sentence.get((name, 0) if name else ("", int(corpus.number[s])), ()):
            row = int(corpus.start[s]) + verdict.id - 1
            inside = corpus.start[s] <= row < corpus.start[s + 1]
            if inside and (not verdict.form or _one_line(verdict.form) == _one_line(corpus.value("form", row))):
                yield row, verdict


def finding_verdicts(corpus: Corpus, verdicts: Iterable[Verdict], code: str, of_arc: bool) -> np.ndarray:
    """The verdict on a finding of `check` with this code, for each word, as `verdict_codes` has it.

    A line with a code is about the codes that begin so, as long as the word has its value; without a value, or if its
    code is WHOLE_WORD, as long as the arc is the same. of_arc: the finding is about the arc or the tag, which the lines
    without a code are about. Lines about one of several rules are left to `upkeep/search/rules`.
    """
    codes = np.zeros(corpus.n_words, dtype=np.int8)
    about = [verdict for verdict in verdicts if (code.startswith(verdict.code) if verdict.code else of_arc)]
    about = [verdict for verdict in about if not (verdict.value and verdict.code.startswith(OF_RULES))]
    for row, verdict in matched(corpus, about):
        if _holds(corpus, row, verdict):
            codes[row] = VERDICTS.index(verdict.verdict) + 1
    return codes


def _values(corpus: Corpus, row: int) -> tuple[str, ...]:
    return (*(corpus.value(name, row) for name in ("lemma", "xpos", "feats", "deprel")), whole_value(corpus, row))


def whole_value(corpus: Corpus, row: int) -> str:
    """Lemma, XPOS and FEATS of a word, as a line about the whole word has them."""
    return " ".join(corpus.value(name, row) for name in ("lemma", "xpos", "feats"))


def _one_line(form: str) -> str:
    """A form as a page exports it: white space in it is one blank."""
    return re.sub(r"[\s\ufeff]+", " ", form).strip()


def accepted_arcs(corpus: Corpus, verdicts: Iterable[Verdict]) -> np.ndarray:
    """Whether each arc was accepted."""
    return np.asarray(verdict_codes(corpus, verdicts) == VERDICTS.index(ACCEPT) + 1)
