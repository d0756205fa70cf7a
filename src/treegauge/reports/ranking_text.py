"""Writes a ranking as text for a terminal: each arc is drawn over its sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Alternatives, another_arc
from treegauge.ranking.columns import LOG, PROBABILITY, Rows, columns_of, find_column
from treegauge.ranking.output_formats import RowFormat
from treegauge.ranking.scored import Scored
from treegauge.ranking.sorter import Texts
from treegauge.ranking.stream import ListingBlock
from treegauge.ranking.units import COLUMN_UNITS, Unit
from treegauge.reports.arc_text import Style, draw_arc, lay_out, plain
from treegauge.wording import chance, counted, printable


@dataclass
class Drawings(RowFormat):
    """Each arc, tag or sentence under a title with its rank; reasons if they are asked for."""

    name = "text"
    width: int = 100
    style: Style = plain

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The title without the rank, and the lines below it."""
        rows = Rows(scored, row, self.unit)
        bodies = {Unit.ARC: self._arcs, Unit.SENTENCE: self._sentences}.get(self.unit, self._values)(rows)
        titles = zip(_score_texts(rows), bodies, strict=True)
        return Texts.of([f"{scores} · {body}".encode() for scores, body in titles])

    def lines(self, block: ListingBlock) -> Texts:
        """The whole title, and the lines below it."""
        texts = []
        for k, (rank, bin_) in enumerate(zip(block.rank.tolist(), block.bin.tolist(), strict=True)):
            title, _, body = block.texts[k].decode().partition("\n")
            title = self.style(f"rank {rank:,} of {block.of:,} · bin {bin_} · {title}", "title")
            texts.append(f"{title}\n{body}".encode())
        return Texts.of(texts)

    def _arcs(self, rows: Rows) -> Iterator[str]:
        corpus, reasons = rows.corpus, self._reasons(rows)
        for k, row in enumerate(rows.row.tolist()):
            arc, words = draw_arc(corpus, row, self.width - 4, self.style)
            lines = reasons[k]
            if self.suggest and not self.explain:  # reasons begin with the alternative
                other = _alternative(corpus, int(corpus.sentence[row]), rows.alternatives, k)
                lines = f"      - {printable(other)}\n"
            yield f"{_place(corpus, row)}\n    {arc}\n    {words}\n{lines}\n"

    def _values(self, rows: Rows) -> Iterator[str]:
        """A value of each word, with an arrow on the word, and the likelier one."""
        corpus, reasons = rows.corpus, self._reasons(rows)
        for row, lines, (given, own, other, p) in zip(rows.row.tolist(), reasons, _said(rows), strict=True):
            at = int(corpus.position[row]) - 1
            words = lay_out(corpus.forms(int(corpus.sentence[row])), (at,), self.width - 4)
            rather = f", rather {other} ({p:.2f})" if other and p > own else ""
            mark = " " * words.column[at] + printable(f"▼ {given} ({chance(own)}){rather}")
            yield f"{_place(corpus, row)}\n    {mark}\n    {words.text}\n{lines}\n"

    def _sentences(self, rows: Rows) -> Iterator[str]:
        corpus = rows.corpus
        for s in rows.row.tolist():
            line = printable(" ".join(corpus.forms(s)))
            line = line if len(line) <= self.width - 4 else line[: self.width - 5] + "…"
            yield f"{counted(len(corpus.forms(s)), 'word')} · {printable(corpus.place(s))}\n    {line}\n"

    def _reasons(self, rows: Rows) -> list[str]:
        """The lines with the reasons for each row; empty texts if nobody asks for reasons."""
        if not self.explain:
            return [""] * len(rows.row)
        explanations = rows.scored.explain(rows.row)
        return ["".join(f"      - {printable(line)}\n" for line in explanation.lines()) for explanation in explanations]


def _said(rows: Rows) -> Iterator[tuple[str, float, str, float]]:
    """The value of each row, its probability, the likeliest other value, and the probability of that."""
    if rows.unit in COLUMN_UNITS:
        choices = rows.scored.scorer.column_choices(rows.corpus)  # type: ignore[attr-defined]
        for row in rows.row.tolist():
            values = choices.given(rows.corpus, row), choices.rather(rows.corpus, row)
            yield values[0], math.exp(choices.log_worst[row]), values[1], math.exp(choices.log_other[row])
        return
    names = ("value", "probability", "other_value", "other_probability")
    if rows.unit == Unit.TAG:
        names = ("upos", "probability", "other_upos", "other_probability")
    yield from zip(*(find_column(name, rows.unit).list(rows) for name in names), strict=True)


def _score_texts(rows: Rows) -> list[str]:
    """The score of each row as a title has it, and its probability if the score is the logarithm of one."""
    columns = [c for c in columns_of(rows.unit, rows.scored.scorer) if c.kind in (LOG, PROBABILITY)]
    parts = [[f"{c.name.replace('_', ' ')} {c.kind.title(value)}" for value in c.list(rows)] for c in columns]
    return [" · ".join(row) for row in zip(*parts, strict=True)]


def _place(corpus: Corpus, row: int) -> str:
    """Sentence and word of a row."""
    s = int(corpus.sentence[row])
    sent_id = corpus.sent_id(s)
    place = f"sentence {corpus.number[s]}, word {corpus.position[row]}"
    return f"{place} ({printable(sent_id)})" if sent_id else place


def _alternative(corpus: Corpus, s: int, others: Alternatives, k: int) -> str:
    """The likeliest other arc of a word of sentence s."""
    head = int(others.head[k])
    if head < 0:
        return "no other arc is possible"
    form = corpus.forms(s)[head - 1] if head else ""
    return another_arc(others.relation[k], head, form, float(others.log_prob[k]), float(others.own_log_prob[k]))
