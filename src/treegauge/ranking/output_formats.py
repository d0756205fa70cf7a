"""How a ranking is written: as a table, as JSON, as sentences, or into the corpus. `reports` adds drawings.

A row format makes a text of each listed item while the item's piece of the corpus is in memory, and completes the text
when rank and bin are known. So corpora in memory and larger ones differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pieces import missing_newlines
from treegauge.corpus.writing import with_misc
from treegauge.extras import needed
from treegauge.json_fields import json_text
from treegauge.ranking.columns import FOUR_DIGITS, PLACES, Column, Need, Rows, columns_of, misc_texts
from treegauge.ranking.scored import Scored
from treegauge.ranking.sorter import Texts
from treegauge.ranking.stream import ListingBlock, StreamRanking, Tally
from treegauge.ranking.units import Unit
from treegauge.scorers.scorer import Scorer

CONLLU = "conllu"
_SCORE_COMMENT = b"# mean_log_score = "
MISC_NAMES = {"log_score": "LogScore", "bin": "Bin", "probability": "Probability"}  # that --misc can change


@dataclass
class OutputFormat:
    """What is written of each item of a ranking; explain, suggest: with reasons, with the likeliest other arc."""

    unit: Unit = Unit.ARC
    explain: bool = False
    suggest: bool = False
    everything: bool = False  # all properties of arcs
    verdict: np.ndarray | None = None  # for each word of the whole corpus, whether its arc is right
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
        asked = (
            *((Need.REASONS, self.explain), (Need.ALTERNATIVES, self.suggest)),
            *((Need.EVERYTHING, self.everything), (Need.GOLD, self.verdict is not None)),
        )
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
        rows = Rows(scored, row, self.unit, verdict=self.verdict)
        return Texts.rows([column.texts(rows) for column in self.columns(scored.scorer)])

    def lines(self, block: ListingBlock) -> Texts:
        """Whole lines."""
        return Texts.rows([*(Texts.numbers(column.values(block)) for column in PLACES), block.texts], end="\n")


class SentenceTrees(RowFormat):
    """Sentences as CoNLL-U, one after the other, each with a comment that has its score."""

    name = CONLLU

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The sentences; an older comment with a score is replaced."""
        texts = []
        for s, score in zip(row.tolist(), scored.sentence_scores[row].tolist(), strict=True):
            lines = scored.corpus.sentence_text(s).split(b"\n")
            kept = [line for line in lines if not line.startswith(_SCORE_COMMENT)]
            first = next(k for k, line in enumerate(kept) if not line.startswith(b"#"))
            end = b"\r" if kept[first].endswith(b"\r") else b""
            comment = _SCORE_COMMENT + FOUR_DIGITS(score).encode() + end
            texts.append(b"\n".join([*kept[:first], comment, *kept[first:]]) + b"\n\n")
        return Texts.of(texts)


class Records(RowFormat):
    """JSON: title, signature, how many arcs were not ranked, the fit of the model, and rows."""

    name = "json"
    between, footer = b",\n", b"\n]}\n"

    def header(self, scorer: Scorer, tally: Tally) -> bytes:
        """Everything but the rows."""
        fit = tally.fit.to_dict() if tally.fit else None
        about = {"title": self.unit.heading, "signature": scorer.signature, "unranked": tally.unranked, "fit": fit}
        return (json_text(about)[:-1] + ', "rows": [\n').encode()

    def texts(self, scored: Scored, row: np.ndarray) -> Texts:
        """The record of each row, without rank, bin and the opening brace."""
        columns, rows = self.columns(scored.scorer), Rows(scored, row, self.unit, verdict=self.verdict)
        texts = []
        for values in zip(*(column.list(rows) for column in columns), strict=True):
            record: dict[str, Any] = {}
            for column, value in zip(columns, values, strict=True):
                record |= column.kind.record(column.name, value)
            texts.append(json_text(record)[1:].encode())
        return Texts.of(texts)

    def lines(self, block: ListingBlock) -> Texts:
        """Whole records."""
        begin = "{" + "".join(f'"{column.name}": %d, ' for column in PLACES)
        places = zip(*(column.values(block).tolist() for column in PLACES), strict=True)
        return Texts.of([(begin % place).encode() + block.texts[k] for k, place in enumerate(places)])


class JsonLines(Records):
    """The rows of JSON alone, an object in each line."""

    name = "jsonl"
    between = footer = b""

    def header(self, scorer: Scorer, tally: Tally) -> bytes:
        """Nothing."""
        return b""

    def lines(self, block: ListingBlock) -> Texts:
        """Whole lines."""
        return Texts.rows([super().lines(block)], end="\n")


class ParquetTable(TsvTable):
    """The table in Parquet: the lines are those of TSV, and `write` makes columns of them."""

    name = "parquet"

    def write(self, scorer: Scorer, lines: str, output: str) -> None:
        """Make a Parquet file of a file of lines, in bounded memory."""
        polars = needed("polars", "tables", "--format parquet")
        kinds = {str: polars.String, int: polars.Int64, float: polars.Float64}
        schema = {column.name: kinds[column.type] for column in (*PLACES, *self.columns(scorer))}
        table = polars.scan_csv(lines, separator="\t", quote_char=None, schema=schema)
        table.sink_parquet(output)


ROW_FORMATS: dict[str, type[RowFormat]] = {
    row_format.name: row_format for row_format in (TsvTable, Records, JsonLines, ParquetTable, SentenceTrees)
}


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
