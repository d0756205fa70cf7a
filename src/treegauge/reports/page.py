"""The page: a ranking with its trees, reasons, bins and relations in one HTML file that needs nothing else.

The file holds the corpus as columns of JSON; the scripts in `page_files` draw the sentences that the reader looks at.
Texts of the corpus are never markup: `<` is escaped in the JSON, and the scripts put them into the document as text.
"""

from __future__ import annotations

import hashlib
import html
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.compare.comparison import Comparison, Unmatched, side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names, write_whole
from treegauge.corpus.tokens import multiword_tokens
from treegauge.evaluation.attachment.evaluation import Evaluation, Evaluations, evaluate
from treegauge.json_fields import json_text
from treegauge.models.bundled_models import bundled_file
from treegauge.models.choice.tags import TagChoices
from treegauge.models.lisca.reasons import Usual, usual_arcs
from treegauge.models.model import Model, is_model_file
from treegauge.palette import LIGHT
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import BINS, Scored, score
from treegauge.ranking.verdicts import Verdict
from treegauge.reports.check_data import found_data
from treegauge.reports.html_file import FILES, rendered, settings_list
from treegauge.reports.page_tables import (
    VALUE_NAMES,
    bin_table,
    known_features,
    parser_scores,
    parser_table,
    relation_table,
    suspicious_tags,
    tag_table,
    value_table,
)
from treegauge.scorers.other_columns import ColumnScorer
from treegauge.scorers.registry import scorer as make_scorer
from treegauge.scorers.registry import usual_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.upkeep.codes import CODE_OF, TAG
from treegauge.upkeep.findings import Findings
from treegauge.version import __version__
from treegauge.wording import counted

COLUMN_TABS = {"lemma": "Lemmas", "xpos": "XPOS", "feats": "Features", "subtype": "Subtypes"}
SCRIPTS = (
    *("tree", "data", "verdicts", "corrections", "teaching", "filters", "list"),
    *("arc", "patterns", "desk", "tables", "page"),
)  # in this order
TABS = (
    *("Arcs", "Patterns", "Search", "Difference", "Parsers", "Corrections", "Tags"),
    *COLUMN_TABS.values(),
    *("Bins", "Relations", "About"),
)
_DATA = "<data/>"  # stands where the data will; nothing else in the page is written so, because `<` is escaped
TAGS = 500  # how many of the most suspicious tags the page shows
VALUES = 300  # how many of the most suspicious values of each other column


@dataclass(frozen=True, slots=True)
class InlinePage:
    """A page inside a notebook, in a frame of its own, so that its style and scripts stay there."""

    html: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid {LIGHT.line}"
        return f'<iframe srcdoc="{html.escape(self.html)}" style="{style}"></iframe>'


@dataclass(frozen=True)
class OtherRanking:
    """Another ranking of the same text: by another model, or of another parser's output."""

    title: str
    scored: Scored = field(repr=False)


@dataclass(frozen=True)
class Page:
    """The content of a page; `html` makes the page, `save` writes it."""

    title: str  # a browser stores verdicts under it and the hash of the text
    scored: Scored = field(repr=False)
    gold: Corpus | None = field(default=None, repr=False)
    other: OtherRanking | None = None
    bins: int = BINS
    top: int | None = None  # how many of the most suspicious arcs are listed, with their sentences; None: all
    reasons: int = 500  # how many of these have reasons
    verdicts: Iterable[Verdict] = field(default=(), repr=False)
    columns: Sequence[ColumnScorer] = field(default=(), repr=False)  # of other columns, each of which gets a tab
    estimated: str = ""  # the estimated accuracy, in words, where there is no gold
    desk: dict[str, Any] | None = None  # if the page is served by a desk: what its script must know
    findings: Findings | None = field(default=None, repr=False)  # of `check`: they are what is listed, in their order

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {counted(self.n_arcs, 'arc')}, {self.scored.signature})"

    @property
    def n_arcs(self) -> int:
        """How many arcs the page lists."""
        if self.findings is not None:
            return len(self._found_rows)
        return self.corpus.n_words if self.top is None else min(self.top, self.corpus.n_words)

    @property
    def corpus(self) -> Corpus:
        """The corpus whose arcs are shown."""
        return self.scored.corpus

    @cached_property
    def right(self) -> np.ndarray | None:
        """Whether each arc is right; False for words that gold does not have. None if there is no gold."""
        return None if self.beside_gold is None else self.beside_gold.right

    @cached_property
    def beside_gold(self) -> Comparison | None:
        """The comparison of the corpus with gold; None if there is no gold."""
        return None if self.gold is None else side_by_side(self.corpus, self.gold)

    @cached_property
    def beside_other(self) -> Comparison | None:
        """The comparison with the corpus of the other ranking; None if that has no trees of its own."""
        other = None if self.other is None else self.other.scored.corpus
        return None if other is None or other is self.corpus else side_by_side(self.corpus, other)

    @property
    def name(self) -> str:
        """The name of what is shown, where it stands beside the other parse: the title without `.conllu`."""
        return file_names([self.title])[0]

    @cached_property
    def parsers(self) -> Evaluations[Evaluation] | None:
        """This parse and the other one by gold; None if there is no gold or no other parse."""
        if self.gold is None or self.other is None or self.other.scored.corpus is self.corpus:
            return None
        names = self.name, self.other.title
        return evaluate(self.gold, self.corpus, self.other.scored.corpus, names=names, enhanced=False)

    @cached_property
    def _found_rows(self) -> np.ndarray:
        """The words with findings, each at the place of its first finding."""
        assert self.findings is not None
        rows, first = np.unique(self.findings.row, return_index=True)
        return rows[np.argsort(first, kind="stable")]

    @property
    def _tabs(self) -> list[str]:
        """The names of the tabs."""
        absent = {"Tags": self.tags is None, "Parsers": self.parsers is None}
        absent |= {"Search": not (self.desk and self.desk["search"]), "Difference": self.desk is None}
        absent["Corrections"] = self.desk is not None
        absent["Patterns"] = self.findings is None or not self.findings.patterns
        absent |= dict.fromkeys(("Bins", "Relations"), self.findings is not None)
        absent |= {tab: name not in self._values_in_doubt for name, tab in COLUMN_TABS.items()}
        return [tab for tab in TABS if not absent.get(tab)]

    @property
    def _known(self) -> np.ndarray:
        """Whether gold has each word."""
        return np.zeros(self.corpus.n_words, bool) if self.beside_gold is None else self.beside_gold.present

    @cached_property
    def tags(self) -> TagChoices | None:
        """How plausible each tag is; None if the scorer does not know."""
        tags: TagChoices | None = self.scored.scorer.tag_choices and self.scored.scorer.tag_choices(self.corpus)
        return tags

    @property
    def left_out(self) -> dict[str, Unmatched]:
        """The path of each corpus that the page is compared with -> how many words only one of the two has."""
        both = filter(None, (self.beside_gold, self.beside_other))
        return {comparison.other.path: comparison.unmatched for comparison in both if comparison.unmatched}

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the page to a file, whole or not at all; returns how many bytes it has."""
        size = 0
        with write_whole(path) as stream:
            for part in self._html_parts():
                content = part.encode()
                stream.write(content)
                size += len(content)
        return size

    def show(self, height: int = 700) -> InlinePage:
        """The page inside a notebook, so many pixels high."""
        return InlinePage(self.html(), height)

    def html(self) -> str:
        """The page, complete."""
        return "".join(self._html_parts())

    def _html_parts(self) -> Iterator[str]:
        """The page in parts: the data of a large corpus are never in memory as one text."""
        right = self.right
        before, after = rendered(
            "page.html",
            *("look.css", "page.css"),
            script="\n".join((FILES / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS),
            title=self.title,
            size=f"{counted(self.corpus.n_sentences, 'sentence')}, {counted(self.corpus.n_words, 'arc')}",
            accuracy=self.estimated
            if right is None or not self._known.any()
            else f"{100 * right[self._known].mean():.2f} % right",
            tabs=[(tab.lower(), "Findings" if self.findings and tab == "Arcs" else tab) for tab in self._tabs],
            name=self.name,
            parsers=None if self.parsers is None else parser_scores(self.parsers).for_people(),
            most_tags=0 if self.tags is None else self._most_tags,
            check=self.findings is not None,
            desk=self.desk is not None,
            search=bool(self.desk and self.desk["search"]),
            columns=[(COLUMN_TABS[name].lower(), name, VALUE_NAMES[name]) for name in self._values_in_doubt],
            most_values=0 if self.findings is not None else VALUES,
            gold=self.gold is not None,
            other="" if self.other is None else self.other.title,
            other_arcs=self.other is not None and self.other.scored.corpus is not self.corpus,
            settings=self._settings(),
            data=_DATA,
        ).split(_DATA)
        yield before
        mark = "{"
        for name, value in self._parts():
            yield f"{mark}{as_json(name)}:"
            yield as_json(value)
            mark = ","
        yield "}"
        yield after

    def _settings(self) -> list[tuple[str, str]]:
        """Names and values of the settings behind the page."""
        lines = [("Corpus", self.corpus.path), *_settings_of(self.scored)]
        if self.gold is not None:
            lines.append(("Gold", f"{self.gold.path}; an arc is right if its head and its universal relation are"))
        if self.other is not None:
            others = _settings_of(self.other.scored)
            lines.append(("Compared with", self.other.title))
            lines += [(f"{name}, there", value) for name, value in others if (name, value) not in lines]
        if self.scored.fit is not None:
            lines.append(("Fit of the model", "; ".join(self.scored.fit.lines())))
        lines += [("Bins", str(self.bins)), ("Arcs listed", "all" if self.top is None else f"{self.n_arcs:,}")]
        return [
            *lines,
            ("Reasons for", counted(min(self.reasons, self.n_arcs), "arc")),
            ("Made by", f"treegauge {__version__}"),
            ("Signature", self.scored.signature),
        ]

    def data(self) -> dict[str, Any]:
        """The data for the scripts. Rows are counted from 0, over the sentences that are in the page."""
        return dict(self._parts())

    def _parts(self) -> Iterator[tuple[str, Any]]:
        """The names and values of the data, one at a time: lists of all words take much more memory than their text."""
        corpus, right = self.corpus, self.right
        ranking = self.scored.rank(bins=self.bins)
        listed = ranking.row[: self.top] if self.findings is None else self._found_rows
        patterns = self.findings.patterns if self.findings else ()
        of_patterns = [rows for pattern in patterns for rows in (pattern.rows, pattern.other_rows)]
        looked_at = np.concatenate([listed, *self._values_in_doubt.values(), *of_patterns]).astype(np.int64)
        is_whole = self.top is None and (self.findings is None or self.desk is not None)
        sentences = np.arange(corpus.n_sentences) if is_whole else np.unique(corpus.sentence[looked_at])
        chosen = np.zeros(corpus.n_sentences, dtype=bool)
        chosen[sentences] = True
        rows = np.flatnonzero(chosen[corpus.sentence])
        place = np.full(corpus.n_words, -1)
        place[rows] = np.arange(len(rows))
        other_ranks = self._other_ranks()
        yield "title", self.title
        yield "name", self.name
        yield "text_hash", text_hash(corpus)
        yield "treegauge", __version__
        yield "bins", self.bins
        yield "probabilities", self.scored.scorer.probabilities
        yield "n_ranked", len(ranking) if self.findings is None else len(listed)
        yield "start", np.append(0, np.cumsum(np.diff(corpus.start)[sentences])).tolist()
        yield "sent_id", [corpus.sent_id(s) for s in sentences.tolist()]
        yield "number", corpus.number[sentences].tolist()
        yield from self._words(rows)
        yield "order", place[listed].tolist()
        yield "tokens", self._tokens(sentences)
        yield from self._reasons(ranking, place).items()
        yield (
            "suggested",
            self._suggested(np.unique(np.concatenate([listed, *of_patterns[::2]]).astype(np.int64)), place),
        )
        yield "desk", self.desk
        yield "check", None if self.findings is None else found_data(self.findings, rows, sentences, place)
        yield "choices", {column: self._choices(column) for column in ("deprel", "upos", *self._others("xpos"))}
        yield "features", known_features(corpus) if self._others("feats") else None
        yield "gold", self._gold(place)
        yield "other", self._other(other_ranks, place, rows)
        yield "verdicts", {_key(v): [v.verdict, v.note, v.form] for v in self.verdicts}
        yield "tag_table", self._tag_table(place)
        yield "column_tables", {name: self._column_table(name, place) for name in self._values_in_doubt}
        yield "parser_table", None if self.parsers is None else _table(parser_table(self.parsers))
        yield "bin_table", _table(bin_table(ranking, right, self._known))
        yield "relation_table", _table(relation_table(ranking, self.gold, right, _moves(ranking, other_ranks)))

    def _words(self, rows: np.ndarray) -> Iterator[tuple[str, Any]]:
        """The columns with new codes, and the scores in hundredths; null if a score is −inf, or if there is none."""
        corpus = self.corpus
        labels, codes = {}, {}
        for column in ("form", "upos", *self._others("lemma", "xpos", "feats")):
            used, codes[column] = np.unique(corpus.codes[column][rows], return_inverse=True)
            labels[column] = [corpus.labels[column][code] for code in used.tolist()]
        labels["deprel"] = self._relations
        codes["deprel"] = self._relation_codes(corpus)[rows]
        yield "labels", labels
        for column in list(codes):
            yield column, codes.pop(column).tolist()
        yield "head", corpus.head[rows].tolist()
        score = self.scored.scores[rows]
        finite = np.isfinite(score)
        hundredths = np.where(finite, np.round(100 * np.where(finite, score, 0)), 0).astype(np.int64).tolist()
        yield "score", [n if known else None for n, known in zip(hundredths, finite.tolist(), strict=True)]
        yield "tight", "".join(np.where(corpus.tokens.no_space[rows], "1", "0").tolist())

    @property
    def _relations(self) -> list[str]:
        """The relations of all corpora in the page."""
        sides = [self.corpus, self.gold, self.other.scored.corpus if self.other else None]
        return list(dict.fromkeys(label for side in sides if side is not None for label in side.labels["deprel"]))

    def _relation_codes(self, corpus: Corpus) -> np.ndarray:
        place = {label: k for k, label in enumerate(self._relations)}
        codes = np.array([place[label] for label in corpus.labels["deprel"]], dtype=np.int64)
        return codes[corpus.codes["deprel"]] if corpus.n_words else codes

    def _tokens(self, sentences: np.ndarray) -> list[tuple[int, int, int, str]]:
        place = {s: k for k, s in enumerate(sentences.tolist())}
        tokens = multiword_tokens(self.corpus)
        return [(place[t.sentence], t.first, t.last, t.form) for t in tokens if t.sentence in place]

    def _reasons(self, ranking: Ranking, place: np.ndarray) -> dict[str, Any]:
        """The reasons for the worst arcs, if the scorer gives any, and the usual arcs, if they are known."""
        scorer = self.scored.scorer
        explained = ranking.row[: self.reasons if self.top is None else min(self.reasons, self.top)]
        by_place = {}
        for arc in self.scored.explain(explained) if scorer.explains else ():
            reasons = [[reason.feature, round(reason.cost, 2), reason.text] for reason in arc.reasons]
            by_place[int(place[arc.row])] = [reasons, list(arc.notes)]
        counts, usual = scorer.reference, None
        if counts is not None and counts.settings.pos == "upos":
            usual = _usual(usual_arcs(counts))
        subtypes = counts is not None and counts.settings.subtypes
        return {"reasons": by_place, "n_reasons": len(by_place), "usual": usual, "subtypes": subtypes}

    def _suggested(self, rows: np.ndarray, place: np.ndarray) -> dict[str, Any] | None:
        """The likeliest other arcs of some words, if the scorer knows them; head -1 for none."""
        if not self.scored.scorer.suggests:
            return None
        other = self.scored.alternatives(rows)
        labels, codes = other.coded_relations()
        return {"row": place[rows].tolist(), "head": other.head.tolist(), "deprel": codes.tolist(), "labels": labels}

    def _choices(self, column: str) -> list[str]:
        """The labels of a column that occur in the corpus, the most frequent first."""
        times = np.bincount(self.corpus.codes[column], minlength=len(self.corpus.labels[column]))
        return [self.corpus.labels[column][code] for code in np.argsort(-times, kind="stable").tolist() if times[code]]

    def _tag_table(self, place: np.ndarray) -> dict[str, Any] | None:
        """The most suspicious tags, and the rows of their words, -1 for those that are not in the page."""
        if self.tags is None:
            return None
        rows = suspicious_tags(self.tags, TAGS)
        if self.findings is not None:
            rows = self._rows_with(TAG)
        gold = None if self.beside_gold is None else self.beside_gold.overlay
        table = tag_table(self.scored, rows, gold, self._known)
        return _table(table) | {"place": place[rows].tolist()}

    @cached_property
    def _values_in_doubt(self) -> dict[str, np.ndarray]:
        """Column -> the rows of words that would rather have another value, the least probable first."""
        found = {}
        for scorer in self.columns:
            choices = scorer.column_choices(self.corpus)
            if self.findings is not None:
                found[scorer.column] = self._rows_with(CODE_OF[scorer.column])
                continue
            rows = np.flatnonzero(choices.likelier)
            found[scorer.column] = rows[np.argsort(scorer.scores(self.corpus)[rows], kind="stable")][:VALUES]
        return found

    @property
    def _most_tags(self) -> int:
        """How many suspicious tags are shown at most."""
        return TAGS if self.findings is None else max(len(self._rows_with(TAG)), 1)

    def _rows_with(self, code: str) -> np.ndarray:
        """The words with a finding of this kind, in the order of the findings; of tags, those of arcs as well."""
        assert self.findings is not None
        wanted = self.findings.code == code
        if code == TAG:
            wanted |= self.findings.other_upos != ""
        return self.findings.row[wanted.astype(bool)]

    def _others(self, *names: str) -> tuple[str, ...]:
        """The names, if the page shows other columns."""
        return names if self.columns else ()

    def _column_table(self, name: str, place: np.ndarray) -> dict[str, Any]:
        """The most suspicious values of a column, the rows of their words, and the likelier values."""
        scorer = next(one for one in self.columns if one.column == name)
        rows, choices = self._values_in_doubt[name], scorer.column_choices(self.corpus)
        rather = [choices.other_value(self.corpus, row) for row in rows.tolist()]
        return _table(value_table(self.corpus, choices, rows)) | {"place": place[rows].tolist(), "rather": rather}

    def _gold(self, place: np.ndarray) -> dict[str, list[int]] | None:
        """The arcs of gold that differ from those of the page, and the words that gold does not have."""
        if self.beside_gold is None or self.right is None:
            return None
        differences = self._differences(self.beside_gold, ~self.right, place)
        return differences | {"left_out": place[~self._known & (place >= 0)].tolist()}

    def _differences(self, comparison: Comparison, different: np.ndarray, place: np.ndarray) -> dict[str, list[int]]:
        """The arcs of another corpus that differ from those of this one; head −1 if it is no word of the sentence.

        Words that the other corpus does not have are left out.
        """
        side = comparison.overlay
        rows = np.flatnonzero(different & (place >= 0) & comparison.present)
        return {
            "row": place[rows].tolist(),
            "head": side.head[rows].tolist(),
            "deprel": self._relation_codes(side)[rows].tolist(),
        }

    def _other_ranks(self) -> np.ndarray | None:
        """The rank of each word's arc in the ranking that the page is compared with, 0 for none."""
        if self.other is None:
            return None
        ranking = self.other.scored.rank()
        ranks = np.zeros(
            self.other.scored.corpus.n_words + 1, dtype=np.int64
        )  # the last is for words that the other corpus does not have
        ranks[ranking.row] = ranking.rank
        beside = self.beside_other
        return ranks[:-1] if beside is None or beside.row is None else ranks[beside.row]

    def _other(self, ranks: np.ndarray | None, place: np.ndarray, rows: np.ndarray) -> dict[str, Any] | None:
        """The ranks and the arcs of the other ranking, and which of its arcs are right if there is gold."""
        if self.other is None or ranks is None:
            return None
        beside = self.beside_other or Comparison(self.corpus, self.corpus)
        differences = self._differences(beside, ~beside.right, place)
        comparison = {"title": self.other.title, "rank": [rank or None for rank in ranks[rows].tolist()], **differences}
        if self.gold is not None:
            right = side_by_side(self.other.scored.corpus, self.gold).right
            if beside.row is not None:
                right = beside.present & right[beside.row]
            comparison["right"] = place[right & (place >= 0)].tolist()
        return comparison


def report(
    source: CorpusSource,
    by: Scorer | Model | str | os.PathLike[str],
    *,
    gold: CorpusSource | None = None,
    compare: str | os.PathLike[str] | None = None,
    rescore: Callable[[Corpus, str | None], Scorer] | None = None,
    title: str = "",
    on_error: str = "stop",
    **options: Any,
) -> Page:
    """The page of a corpus, ranked by a scorer, or by the default one of a model: choice if it has weights, else LISCA.

    gold: the correct trees of the same text. compare: a second model (file or code), or another parse of the same text;
    words are aligned as in `evaluate` if they are not the same. rescore: makes the scorer of what the page is compared
    with, from a corpus, or from a corpus and the name of a model; by default the same scorer, or one of the same name.
    on_error: "skip" leaves malformed sentences out. options: fields of `Page`.
    """
    scorer = usual_scorer(by)
    corpus = as_corpus(source, on_error=on_error)
    right = None if gold is None else as_corpus(gold, on_error=on_error)
    page = Page(title or os.path.basename(corpus.path), score(corpus, scorer), right, **options)
    if compare is None:
        return page
    name = os.fspath(compare)
    make_other = rescore or (lambda corpus, model: scorer if model is None else make_scorer(scorer.name, model))
    if bundled_file(name) or not os.path.exists(name) or (os.path.isfile(name) and is_model_file(name)):
        other = score(corpus, make_other(corpus, name))
    else:
        other_corpus = as_corpus(name, on_error=on_error)
        other = score(other_corpus, make_other(other_corpus, None))
        return replace(page, other=OtherRanking(file_names([corpus.path, name])[1], other))
    return replace(page, other=OtherRanking(os.path.basename(name), other))


def check_page(findings: Findings, desk: dict[str, Any] | None = None) -> Page:
    """The page of a check: the words with findings, in their order, and the patterns."""
    scores, rows = np.full(findings.corpus.n_words, np.nan), findings.row[::-1]
    scores[rows] = -findings.score[::-1]
    title = os.path.basename(os.path.abspath(findings.corpus.path))
    scored = Scored(findings.corpus, findings.scorer, scores)
    return Page(title, scored, columns=findings.columns, findings=findings, desk=desk)


def text_hash(corpus: Corpus) -> str:
    """16 hexadecimal digits that stand for the sent_ids and words of a corpus, whatever their annotation."""
    digest = hashlib.sha256()
    for s in range(corpus.n_sentences):
        digest.update(json_text([corpus.sent_id(s), corpus.forms(s)]).encode())
    return digest.hexdigest()[:16]


def _settings_of(scored: Scored) -> list[tuple[str, str]]:
    """Names and values of the settings behind scores, without the version, which the page has already."""
    return [(name, value) for name, value in settings_list(scored.signature) if name != "treegauge"]


def _moves(ranking: Ranking, ranks: np.ndarray | None) -> np.ndarray | None:
    """The rank of each arc of the ranking minus its rank in the other one, NaN if it has none there."""
    others = None if ranks is None else ranks[ranking.row]
    return None if others is None else np.where(others > 0, ranking.rank - others, np.nan)


def as_json(content: object) -> str:
    """JSON that may stand inside a script element: no `<`, so no end tag and no comment begins in it."""
    return json_text(content, separators=(",", ":")).replace("<", "\\u003c")


def _key(v: Verdict) -> str:
    return "\t".join((v.sent_id, "" if v.sent_id else str(v.sentence), str(v.id), str(v.head), v.deprel))


def _usual(usual: Usual) -> dict[str, dict[str, Any]]:
    return {
        name: {" ".join(key): [[label, round(share, 3)] for label, share in shares] for key, shares in table.items()}
        for name, table in (("relations", usual.relations), ("heads", usual.heads))
    }


def _table(table: Any) -> dict[str, Any]:
    return {"title": table.title, "columns": table.columns, "rows": table.rows}
