"""How a ranking is written: as a table, as JSON, as sentences, or into the corpus. `reports` adds drawings.

A row format makes a text of each listed item while the item's piece of the corpus is in memory, and completes the text
when rank and bin are known. So corpora in memory and larger ones differ in nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pieces import missing_newlines
from treegauge.corpus.writing import with_misc
from treegauge.ranking.columns import PLACES, Column, Need, Rows, columns_of, misc_texts
from treegauge.ranking.scored import Scored
from treegauge.ranking.sorter import Texts
from treegauge.ranking.stream import ListingBlock, StreamRanking, Tally
from treegauge.ranking.units import Unit
from treegauge.scorers.scorer import Scorer

CONLLU = "conllu"
MISC_NAMES = {"log_score": "LogScore", "bin": "Bin", "probability": "Probability"}  # that --misc can change


@dataclass
class OutputFormat:
    """What is written of each item of a ranking; explain, suggest: with reasons, with the likeliest other arc."""

    unit: Unit = Unit.ARC
    explain: bool = False
    suggest: bool = False
    name = ""

    def check(self, scorer: Scorer) -> None:
        """OptionError if the scorer cannot give what is asked for: a question about no arcs raises it."""
        nothing = parse_conllu("", columns=scorer.columns), np.empty(0, dtype=np.int64)
        if self.explain and not scorer.explains:
            scorer.explain(*nothing)
        if self.suggest and not scorer.suggests:
            scorer.alternatives(*nothing)

    def columns(self, scorer: Scorer) -> list[Column]:
        """The columns of each item; rank and bin, which come first in every table, are not among them."""
        asked = ((Need.REASONS, self.explain), (Need.ALTERNATIVES, self.suggest))
        return columns_of(self.unit, scorer, [need for need, wanted in asked if wanted])


class RowFormat(OutputFormat):
    """A format that writes one item after the other."""

    between = footer = b""  # what comes between two items, and behind the last

    def header(self, scorer: Scorer, tally: Tally) -> bytes:
        """What comes first."""
        return b""

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """A text for each of some rows of a piece, without rank and bin."""
        raise NotImplementedError

    def lines(self, block: ListingBlock) -> Texts:
        """The complete texts."""
        return block.texts

    def joined(self, block: ListingBlock) -> bytes:
        """The complete texts, one behind the other."""
        lines = self.lines(block)
        if not self.between:
            return lines.data[lines.start[0] : lines.start[-1]].tobytes()
        return self.between.join(lines[k] for k in range(len(lines)))


class TsvTable(RowFormat):
    """A table: numbers with all their digits, `-inf` for a product of 0."""

    name = "tsv"

    def header(self, scorer: Scorer, tally: Tally) -> bytes:
        """The names of the columns."""
        columns = [*PLACES, *self.columns(scorer)]
        return "\t".join(column.name for column in columns).encode() + b"\n"

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The columns after rank and bin."""
        rows = Rows(scored, row, self.unit)
        return Texts.rows([column.texts(rows) for column in self.columns(scored.scorer)])

    def lines(self, block: ListingBlock) -> Texts:
        """Whole lines."""
        return Texts.rows([*(Texts.numbers(column.values(block)) for column in PLACES), block.texts], end="\n")


class SentenceTrees(RowFormat):
    """Sentences as CoNLL-U, unchanged, one after the other."""

    name = CONLLU

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The sentences."""
        return Texts.of([scored.corpus.sentence_text(s) + b"\n\n" for s in row.tolist()])


class Records(RowFormat):
    """JSON: title, signature, how many arcs were not ranked, the fit of the model, and rows."""

    name = "json"
    between, footer = b",\n", b"\n]}\n"

    def header(self, scorer: Scorer, tally: Tally) -> bytes:
        """Everything but the rows."""
        fit = tally.fit.to_dict() if tally.fit else None
        about = {"title": self.unit.heading, "signature": scorer.signature, "unranked": tally.unranked, "fit": fit}
        return (json.dumps(about, ensure_ascii=False)[:-1] + ', "rows": [\n').encode()

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The record of each row, without rank, bin and the opening brace."""
        columns, rows = self.columns(scored.scorer), Rows(scored, row, self.unit)
        texts = []
        for values in zip(*(column.list(rows) for column in columns), strict=True):
            record: dict[str, Any] = {}
            for column, value in zip(columns, values, strict=True):
                record |= column.kind.record(column.name, value)
            texts.append(json.dumps(record, ensure_ascii=False)[1:].encode())
        return Texts.of(texts)

    def lines(self, block: ListingBlock) -> Texts:
        """Whole records."""
        begin = "{" + "".join(f'"{column.name}": %d, ' for column in PLACES)
        places = zip(*(column.values(block).tolist() for column in PLACES), strict=True)
        return Texts.of([(begin % place).encode() + block.texts[k] for k, place in enumerate(places)])


@dataclass
class MiscAnnotation(OutputFormat):
    """The corpus as it was, with what is known of the listed arcs in MISC.

    names: of some columns in MISC; an empty name leaves the column out. The `mark` most suspicious arcs get
    Mark=suspicious, which Udapi highlights.
    """

    name = CONLLU
    names: Mapping[str, str] = field(default_factory=lambda: MISC_NAMES)
    mark: int = 0

    def pieces(self, ranking: StreamRanking) -> Iterator[tuple[int, bytes]]:
        """The number of words and the text of each piece of the corpus."""
        last: tuple[Corpus, bytes] | None = None
        for scored, block, marked in ranking.in_corpus_order(self.mark):
            corpus = scored.corpus
            text = with_misc(corpus, self._values(scored, block, marked, ranking.accuracy_cut is not None))
            if last is not None:
                yield last[0].n_words, last[1] + missing_newlines(last[0], corpus)
            last = corpus, text
        if last is not None:
            yield last[0].n_words, last[1]

    def _values(
        self, scored: Scored, block: ListingBlock, marked: np.ndarray, selected: bool
    ) -> dict[str, list[str | None]]:
        """The value of each word, None for words that have none, by name."""
        rows = Rows(scored, block.row, self.unit, block.rank, block.bin, only_likelier=True)
        columns = [*PLACES, *self.columns(scored.scorer)]
        values = misc_texts(columns, rows, self.names)
        texts = {name: dict(zip(block.row.tolist(), column, strict=True)) for name, column in values.items()}
        if selected:
            texts["Kept"] = dict.fromkeys(block.row.tolist(), "Yes")
        if self.mark:
            texts["Mark"] = dict.fromkeys(marked.tolist(), "suspicious")
        return {name: [by_row.get(w) for w in range(scored.corpus.n_words)] for name, by_row in texts.items()}
