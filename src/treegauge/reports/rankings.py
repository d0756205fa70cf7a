"""A ranking written: as a table, as drawings, as JSON, or into the corpus.

A format makes a text of each listed item while the item's piece is at hand, and finishes it when its rank and bin are
known: that is all that differs between corpora in memory and larger ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from treegauge.corpus.conllu import Corpus, parse_conllu
from treegauge.corpus.lines import with_misc
from treegauge.explanations import Alternatives, Explanation, another_arc
from treegauge.ranking.pieces import missing_newlines
from treegauge.ranking.ranking import Ranking, alternative_columns, arc_columns, tag_columns
from treegauge.ranking.scored import Scored
from treegauge.ranking.sentences import SentenceRanking, sentence_columns
from treegauge.ranking.stream import ARC, SENTENCE, TAG, Found, Listed, StreamRanking
from treegauge.ranking.texts import Texts
from treegauge.scorers.scorer import Remembered, Scorer
from treegauge.tables import finite
from treegauge.wording import chance, counted

Style = Callable[[str, str], str]
TAGS_TITLE = "Words by the plausibility of their tags"


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of each arc beside its score, and how."""

    explain: bool = False
    suggest: bool = False
    width: int = 100
    style: Style | None = None  # of texts on a terminal


def check_shown(scorer: Scorer, shown: Shown) -> None:
    """Refuse what a scorer cannot show: asking it about nothing says so."""
    nothing = parse_conllu("", columns=scorer.columns), np.empty(0, dtype=np.int64)
    if shown.explain and not scorer.explains:
        scorer.explain(*nothing)
    if shown.suggest and not scorer.suggests:
        scorer.alternatives(*nothing)


class RowFormat:
    """How listed items are written: what can be said of a row of a piece at once, and the rest with its place."""

    between = footer = b""  # what comes between two items, and behind the last

    def header(self, scorer: Scorer, found: Found) -> bytes:
        """What comes first."""
        return b""

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """What can be said of some rows of a piece before their places are known."""
        raise NotImplementedError

    def lines(self, listed: Listed) -> Texts:
        """The finished texts."""
        return listed.texts


class ArcTable(RowFormat):
    """Arcs as TSV: scores with all their digits, `-inf` for a product of 0."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.has_more = shown.suggest or shown.explain
        self._labels = Remembered(self._label_texts)

    @staticmethod
    def _label_texts(corpus: Corpus) -> dict[str, Texts]:
        labels = {name: Texts.of([label.encode() for label in corpus.labels[name]]) for name in ("form", "deprel")}
        names = Texts.spans(corpus.text, corpus.id_span[:, 0], corpus.id_span[:, 1])
        names.data[names.data == ord("\t")] = ord(" ")
        return labels | {"sent_id": names}

    def header(self, scorer: Scorer, found: Found) -> bytes:
        """The names of the columns."""
        names = ["rank", "sent_id", "sentence", "id", "form", "head", "deprel", "log_score"]
        names += ["probability"] if scorer.probabilities else []
        names += ["bin"] + (["other_head", "other_deprel", "other_probability"] if self.shown.suggest else [])
        return "\t".join(names + (["reasons"] if self.shown.explain else [])).encode() + b"\n"

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """The columns between rank and bin; behind a line end, those after the bin."""
        corpus, labels, score = scored.corpus, self._labels(scored.corpus), scored.scores[rows]
        sentence = corpus.sentence[rows]
        columns = [
            labels["sent_id"].take(sentence),
            Texts.numbers(corpus.number[sentence]),
            Texts.numbers(corpus.position[rows]),
            labels["form"].take(corpus.codes["form"][rows]),
            Texts.numbers(corpus.head[rows]),
            labels["deprel"].take(corpus.codes["deprel"][rows]),
            Texts.numbers(score),
            *([Texts.numbers(np.exp(score))] if scored.scorer.probabilities else []),
        ]
        more = []
        if self.shown.suggest:
            found = scored.alternatives(rows)
            none = found.head < 0
            of_head, of_prob = Texts.numbers(found.head), Texts.numbers(np.exp(found.log_prob))
            kinds, codes = np.unique(found.relation.astype(str), return_inverse=True)
            relation = Texts.of([name.encode() for name in kinds.tolist()])
            more += [of_head.where(~none), relation.take(codes), of_prob.where(~none)]
        if self.shown.explain:
            more.append(Texts.of(["; ".join(one.lines()).encode() for one in scored.explain(rows)]))
        before = Texts.rows(columns)
        return Texts.rows([before, Texts.rows(more)], "\n") if more else before

    def lines(self, listed: Listed) -> Texts:
        """Whole lines."""
        rank, bin_ = Texts.numbers(listed.rank), Texts.numbers(listed.bin)
        if not self.has_more:
            return Texts.rows([rank, listed.texts, bin_], end="\n")
        data, start = listed.texts.data.copy(), listed.texts.start
        cut = start[0] + np.flatnonzero(data[start[0] : start[-1]] == ord("\n"))
        data[cut] = ord("\t")
        ends = np.append(np.stack([start[:-1], cut], axis=1).ravel(), start[-1])
        halves, first = Texts(data, ends), np.arange(0, 2 * len(rank), 2)
        line = Texts.rows([rank, halves.take(first), bin_])
        return Texts.rows([line, halves.take(first + 1)], "", "\n")


class SentenceTable(RowFormat):
    """Sentences as TSV."""

    def header(self, scorer: Scorer, found: Found) -> bytes:
        """The names of the columns."""
        return b"rank\tsent_id\tsentence\twords\tmean_log_score\tbin\n"

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """The columns between rank and bin."""
        columns = sentence_columns(scored, rows)
        return Texts.of(["\t".join(map(str, row)).encode() for row in zip(*columns.values(), strict=True)])

    def lines(self, listed: Listed) -> Texts:
        """Whole lines."""
        return Texts.rows([Texts.numbers(listed.rank), listed.texts, Texts.numbers(listed.bin)], end="\n")


class SentenceTrees(RowFormat):
    """Sentences as the CoNLL-U that they are, one after the other."""

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """The sentences."""
        return Texts.of([scored.corpus.sentence_text(s) + b"\n\n" for s in rows.tolist()])


class Records(RowFormat):
    """JSON: title, signature, what was not ranked, the fit of the model, and rows."""

    between, footer = b",\n", b"\n]}\n"

    def __init__(self, shown: Shown, unit: str) -> None:
        self.shown, self.unit = shown, unit

    def header(self, scorer: Scorer, found: Found) -> bytes:
        """All but the rows."""
        title = {ARC: Ranking.title, SENTENCE: SentenceRanking.title, TAG: TAGS_TITLE}[self.unit]
        fit = found.fit.to_dict() if found.fit else None
        about = {"title": title, "signature": scorer.signature, "unranked": found.unranked, "fit": fit}
        return (json.dumps(about, ensure_ascii=False)[:-1] + ', "rows": [\n').encode()

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """Each row's record without its place, and without the brace that opens it."""
        columns: dict[str, list[Any]]
        if self.unit == ARC:
            columns = arc_columns(scored, rows)
            columns |= alternative_columns(scored, rows) if self.shown.suggest else {}
        elif self.unit == TAG:
            columns = tag_columns(scored, rows)
        else:
            columns = sentence_columns(scored, rows)
        explained = scored.explain(rows) if self.shown.explain else repeat(None)
        found = []
        for values, one in zip(zip(*columns.values(), strict=True), explained, strict=False):
            record = {name: finite(value) for name, value in zip(columns, values, strict=True)}
            found.append(json.dumps(record | _reasons(one), ensure_ascii=False)[1:].encode())
        return Texts.of(found)

    def lines(self, listed: Listed) -> Texts:
        """Whole records."""
        places = zip(listed.rank.tolist(), listed.bin.tolist(), strict=True)
        return Texts.of([b'{"rank": %d, "bin": %d, %b' % (*place, listed.texts[k]) for k, place in enumerate(places)])


def _reasons(one: Explanation | None) -> dict[str, Any]:
    if one is None:
        return {}
    reasons = [
        {"feature": r.feature, "cost": r.cost, "count": r.count, "of": r.of, "text": r.text} for r in one.reasons
    ]
    return {"reasons": reasons, "notes": list(one.notes)}


class Drawings(RowFormat):
    """Text: each arc drawn over its sentence, or each sentence, under a title with its place; reasons if asked for."""

    def __init__(self, shown: Shown, unit: str) -> None:
        self.shown, self.unit = shown, unit

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """The rest of the title, and what stands below it."""
        make = {ARC: self._arcs, SENTENCE: self._sentences, TAG: self._tags}[self.unit]
        return Texts.of([text.encode() for text in make(scored, rows)])

    def lines(self, listed: Listed) -> Texts:
        """Title and body."""
        found, style = [], self.shown.style
        for k, (rank, bin_) in enumerate(zip(listed.rank.tolist(), listed.bin.tolist(), strict=True)):
            title, _, body = listed.texts[k].decode().partition("\n")
            title = f"rank {rank:,} of {listed.of:,} · bin {bin_} · {title}"
            found.append(f"{style(title, 'title') if style else title}\n{body}".encode())
        return Texts.of(found)

    def _arcs(self, scored: Scored, rows: np.ndarray) -> Iterator[str]:
        from treegauge.reports.arc_text import draw_arc, plain

        corpus, shown = scored.corpus, self.shown
        explained = scored.explain(rows) if shown.explain else ()
        others = scored.alternatives(rows) if shown.suggest and not shown.explain else None  # reasons begin with it
        for k, row in enumerate(rows.tolist()):
            s = int(corpus.sentence[row])
            sent_id = corpus.sent_id(s)
            place = f"sentence {corpus.number[s]}, word {corpus.position[row]}" + (f" ({sent_id})" if sent_id else "")
            arc, words = draw_arc(corpus, row, shown.width - 4, shown.style or plain)
            lines = explained[k].lines() if shown.explain else [_rather(corpus, s, others, k)] if others else []
            reasons = "".join(f"      - {line}\n" for line in lines)
            yield f"{_scores(scored, row)} · {place}\n    {arc}\n    {words}\n{reasons}\n"

    def _tags(self, scored: Scored, rows: np.ndarray) -> Iterator[str]:
        from treegauge.reports.arc_text import lay_out

        corpus, columns = scored.corpus, tag_columns(scored, rows)
        explained = scored.explain(rows) if self.shown.explain else ()
        for k, row in enumerate(rows.tolist()):
            s, at = int(corpus.sentence[row]), int(corpus.position[row]) - 1
            words = lay_out(corpus.forms(s), (at,), self.shown.width - 4)
            sent_id = corpus.sent_id(s)
            place = f"sentence {corpus.number[s]}, word {at + 1}" + (f" ({sent_id})" if sent_id else "")
            other, p = columns["other_upos"][k], columns["other_probability"][k]
            rather = f", rather {other} ({p:.2f})" if other and p > columns["probability"][k] else ""
            mark = " " * words.column[at] + f"▼ {columns['upos'][k]} ({chance(columns['probability'][k])}){rather}"
            reasons = "".join(f"      - {line}\n" for line in explained[k].lines()) if explained else ""
            yield f"{_scores(scored, row)} · {place}\n    {mark}\n    {words.text}\n{reasons}\n"

    def _sentences(self, scored: Scored, rows: np.ndarray) -> Iterator[str]:
        columns = sentence_columns(scored, rows)
        for s, (sent_id, number, words, score) in zip(rows.tolist(), zip(*columns.values(), strict=True), strict=True):
            name = f"sentence {number}" + (f" ({sent_id})" if sent_id else "")
            line = " ".join(scored.corpus.forms(s))
            line = line if len(line) <= self.shown.width - 4 else line[: self.shown.width - 5] + "…"
            yield f"mean log score {score:.2f} · {counted(words, 'word')} · {name}\n    {line}\n"


def _rather(corpus: Corpus, s: int, others: Alternatives, k: int) -> str:
    """The likeliest other arc of a word of sentence s."""
    head = int(others.head[k])
    if head < 0:
        return "no other arc is possible"
    form = corpus.forms(s)[head - 1] if head else ""
    return another_arc(others.relation[k], head, form, float(others.log_prob[k]), float(others.own_log_prob[k]))


def _scores(scored: Scored, row: int) -> str:
    """The score of a row as a title has it, and its probability where the score is the logarithm of one."""
    score = float(scored.scores[row])
    probability = f" · probability {chance(math.exp(score))}" if scored.scorer.probabilities else ""
    return f"log score {score:.2f}{probability}"


class TagTable(RowFormat):
    """Words and their tags as TSV."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown

    def header(self, scorer: Scorer, found: Found) -> bytes:
        """The names of the columns."""
        names = "rank bin sent_id sentence id form upos log_score probability other_upos other_probability"
        return "\t".join(names.split() + (["reasons"] if self.shown.explain else [])).encode() + b"\n"

    def texts(self, scored: Scored, rows: np.ndarray) -> Texts:
        """The columns after the bin."""
        columns = tag_columns(scored, rows)
        columns["sent_id"] = [name.replace("\t", " ") for name in columns["sent_id"]]
        if self.shown.explain:
            columns["reasons"] = ["; ".join(one.lines()) for one in scored.explain(rows)]
        lines = ("\t".join("" if v is None else str(v) for v in row) for row in zip(*columns.values(), strict=True))
        return Texts.of([line.encode() for line in lines])

    def lines(self, listed: Listed) -> Texts:
        """Whole lines."""
        return Texts.rows([Texts.numbers(listed.rank), Texts.numbers(listed.bin), listed.texts], end="\n")


def row_format(form: str, unit: str, shown: Shown) -> RowFormat:
    """The format of a name: text, tsv, json; for sentences conllu, too."""
    if form == "tsv":
        return {ARC: ArcTable(shown), TAG: TagTable(shown)}.get(unit) or SentenceTable()
    if form == "conllu":
        return SentenceTrees()
    return Records(shown, unit) if form == "json" else Drawings(shown, unit)


def annotated(
    ranking: StreamRanking, names: tuple[str, str, str], mark: int, *, suggest: bool = False
) -> Iterator[tuple[int, bytes]]:
    """Words and text of each piece as it was, with what is known of the listed arcs in MISC.

    names: of score, bin and probability; an empty one leaves that value out. The `mark` most suspicious arcs get
    Mark=suspicious, which Udapi highlights. suggest: the likeliest other arc, too.
    """
    last: tuple[Corpus, bytes] | None = None
    for scored, listed, marked in ranking.in_corpus_order(mark):
        corpus = scored.corpus
        shown: dict[str, list[str | None]] = {}
        columns = _misc_columns(scored, listed, names, ranking.unit, suggest)
        kept = ["Yes"] * len(listed.row) if ranking.kept is not None else []
        columns.append(("Kept" if kept else "", listed.row, kept))
        columns.append(("Mark" if mark else "", marked, ["suspicious"] * len(marked)))
        for name, rows, values in columns:
            if name:
                column = shown[name] = [None] * corpus.n_words
                for w, value in zip(rows.tolist(), values, strict=True):
                    column[w] = None if value is None else str(value)
        if last is not None:
            yield last[0].n_words, last[1] + missing_newlines(last[0], corpus)
        last = corpus, with_misc(corpus, shown)
    if last is not None:
        yield last[0].n_words, last[1]


def _misc_columns(
    scored: Scored, listed: Listed, names: tuple[str, str, str], unit: str, suggest: bool
) -> list[tuple[str, np.ndarray, list[Any]]]:
    """What MISC has of listed arcs: a name, their rows, and a value or None for each."""
    rows, scores = listed.row, scored.scores[listed.row]
    values: dict[str, list[Any]] = {names[0]: scores.tolist(), names[1]: listed.bin.tolist()}
    if scored.scorer.probabilities and names[2]:
        values[names[2]] = np.exp(scores).tolist()
    if unit == TAG:
        choices = scored.scorer.tag_choices(scored.corpus)
        values["RatherUPOS"] = [rather[0] if rather else None for rather in map(choices.rather, rows.tolist())]
    elif suggest:
        found = alternative_columns(scored, rows)
        values |= {f"Rather{name.removeprefix('other_').title()}": column for name, column in found.items()}
    return [(name, rows, column) for name, column in values.items()]
