"""The page: a ranking with its trees, reasons, bins and relations in one HTML file that needs nothing else.

The file holds the corpus as columns of JSON, from which the scripts in `page_files` draw what is looked at. Texts of
the corpus are data everywhere: `<` is escaped in the JSON, and the scripts put them into the document as text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.alignment.laid_over import LaidOver, LeftOut, lay_over
from treegauge.arcs.usual_arcs import Usual, usual_arcs
from treegauge.choice.tags import TagChoices
from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus
from treegauge.corpus.files import write_whole
from treegauge.corpus.tokens import multiword_tokens
from treegauge.judging.measures import right_arcs
from treegauge.models.bundled_models import bundled_file
from treegauge.models.model import Model
from treegauge.models.model_file import is_model_file
from treegauge.ranking.listing import BINS
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import Scored, score
from treegauge.ranking.verdicts import Verdict
from treegauge.reports.html_file import FILES, rendered
from treegauge.reports.notebook import InlinePage
from treegauge.reports.page_tables import bin_table, relation_table, suspicious_tags, tag_table
from treegauge.reports.settings_list import settings_list
from treegauge.scorers.registry import scorer as make_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.wording import counted

SCRIPTS = (
    "tree.js",
    "data.js",
    "verdicts.js",
    "corrections.js",
    "filters.js",
    "list.js",
    "arc.js",
    "tables.js",
    "page.js",
)
TABS = (
    ("arcs", "Arcs"),
    ("corrections", "Corrections"),
    ("tags", "Tags"),
    ("bins", "Bins"),
    ("relations", "Relations"),
    ("about", "About"),
)
TAGS = 500  # of the most suspicious are shown


@dataclass(frozen=True)
class Comparison:
    """The same text ranked otherwise: by another model, or as another parser has it."""

    title: str
    scored: Scored = field(repr=False)


@dataclass(frozen=True)
class Page:
    """What a page shows; `html` makes it, `save` writes it."""

    title: str  # verdicts are kept under it
    scored: Scored = field(repr=False)
    gold: Corpus | None = field(default=None, repr=False)
    other: Comparison | None = None
    bins: int = BINS
    top: int | None = None  # only so many of the most suspicious arcs, and their sentences
    reasons: int = 500  # for so many of them
    verdicts: Iterable[Verdict] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {counted(self.n_arcs, 'arc')}, {self.scored.signature})"

    @property
    def n_arcs(self) -> int:
        """How many arcs it lists."""
        return self.corpus.n_words if self.top is None else min(self.top, self.corpus.n_words)

    @property
    def corpus(self) -> Corpus:
        """The corpus whose arcs are shown."""
        return self.scored.corpus

    @cached_property
    def right(self) -> np.ndarray | None:
        """Which arcs are right, where there is gold; none of the words that gold does not have."""
        return None if self.over is None else right_arcs(self.over.gold, self.corpus)

    @cached_property
    def over(self) -> LaidOver | None:
        """Gold over the words of the page, where there is gold."""
        return None if self.gold is None else lay_over(self.gold, self.corpus)

    @cached_property
    def other_over(self) -> LaidOver | None:
        """The trees of what this is compared with over the words of the page, where it has trees of its own."""
        there = None if self.other is None else self.other.scored.corpus
        return None if there is None or there is self.corpus else lay_over(there, self.corpus)

    @property
    def _known(self) -> np.ndarray:
        """Of each word: whether gold has it."""
        kept = None if self.over is None else self.over.kept
        return np.full(self.corpus.n_words, self.gold is not None) if kept is None else kept

    @cached_property
    def tags(self) -> TagChoices | None:
        """How plausible the tags are, where the scorer judges them, too."""
        judged: TagChoices | None = self.scored.scorer.tag_choices and self.scored.scorer.tag_choices(self.corpus)
        return judged

    @property
    def left_out(self) -> dict[str, LeftOut]:
        """By what the page is compared with: words that only it has (`gold`), or that only the page has (`system`)."""
        found = {} if self.gold is None or self.over is None else {self.gold.path: self.over.left_out}
        if self.other is not None and self.other_over is not None:
            found[self.other.scored.corpus.path] = self.other_over.left_out
        return {path: left_out for path, left_out in found.items() if left_out}

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the page to a file, whole or not at all; how many bytes it has."""
        content = self.html().encode()
        with write_whole(path) as stream:
            stream.write(content)
        return len(content)

    def show(self, height: int = 700) -> InlinePage:
        """The page inside a notebook, so many pixels high."""
        return InlinePage(self.html(), height)

    def html(self) -> str:
        """The page, complete."""
        right = self.right
        return rendered(
            "page.html",
            *("look.css", "page.css"),
            script="\n".join((FILES / name).read_text(encoding="utf-8") for name in SCRIPTS),
            title=self.title,
            size=f"{counted(self.corpus.n_sentences, 'sentence')}, {counted(self.corpus.n_words, 'arc')}",
            accuracy="" if right is None or not len(right) else f"{100 * right[self._known].mean():.2f} %",
            tabs=[tab for tab in TABS if tab[0] != "tags" or self.tags is not None],
            most_tags=TAGS if self.tags is not None else 0,
            gold=self.gold is not None,
            other="" if self.other is None else self.other.title,
            other_arcs=self.other is not None and self.other.scored.corpus is not self.corpus,
            settings=self._settings(),
            data=as_json(self.data()),
        )

    def _settings(self) -> list[tuple[str, str]]:
        """Names and values of all that the page depends on."""
        lines = [("Corpus", self.corpus.path), *_settings_of(self.scored)]
        if self.gold is not None:
            lines.append(("Gold", f"{self.gold.path}; an arc is right if its head and its universal relation are"))
        if self.other is not None:
            there = _settings_of(self.other.scored)
            lines.append(("Compared with", self.other.title))
            lines += [(f"{name}, there", value) for name, value in there if (name, value) not in lines]
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
        """What the scripts get. Rows are those of the sentences that are in the page, counted from 0."""
        corpus, right = self.corpus, self.right
        ranking = self.scored.rank(bins=self.bins)
        listed = ranking.row[: self.top]
        sentences = np.arange(corpus.n_sentences) if self.top is None else np.unique(corpus.sentence[listed])
        chosen = np.zeros(corpus.n_sentences, dtype=bool)
        chosen[sentences] = True
        rows = np.flatnonzero(chosen[corpus.sentence])
        place = np.full(corpus.n_words, -1)
        place[rows] = np.arange(len(rows))
        there = self._ranks_there()
        return {
            "title": self.title,
            "treegauge": __version__,
            "bins": self.bins,
            "probabilities": self.scored.scorer.probabilities,
            "n_ranked": len(ranking),
            "start": np.append(0, np.cumsum(np.diff(corpus.start)[sentences])).tolist(),
            "sent_id": [corpus.sent_id(s) for s in sentences.tolist()],
            "number": corpus.number[sentences].tolist(),
            **self._words(rows),
            "order": place[listed].tolist(),
            "tokens": self._tokens(sentences),
            **self._reasons(ranking, place),
            "suggested": self._suggested(listed),
            "choices": {column: self._choices(column) for column in ("deprel", "upos")},
            "gold": self._gold(place),
            "other": self._other(there, place, rows),
            "verdicts": {_key(v): [v.verdict, v.note, v.form] for v in self.verdicts},
            "tag_table": self._tag_table(place),
            "bin_table": _table(bin_table(ranking, right, self._known)),
            "relation_table": _table(relation_table(ranking, self.gold, right, _moves(ranking, there))),
        }

    def _words(self, rows: np.ndarray) -> dict[str, Any]:
        """The columns, their codes counted anew, and the scores in hundredths; null for a product of 0 or no score."""
        corpus = self.corpus
        labels, codes = {}, {}
        for column in ("form", "upos"):
            used, codes[column] = np.unique(corpus.codes[column][rows], return_inverse=True)
            labels[column] = [corpus.labels[column][code] for code in used.tolist()]
        labels["deprel"] = self._relations
        codes["deprel"] = self._relation_codes(corpus)[rows]
        score = self.scored.scores[rows]
        finite = np.isfinite(score)
        hundredths = np.where(finite, np.round(100 * np.where(finite, score, 0)), 0).astype(np.int64).tolist()
        return {
            "labels": labels,
            **{column: found.tolist() for column, found in codes.items()},
            "head": corpus.head[rows].tolist(),
            "score": [n if known else None for n, known in zip(hundredths, finite.tolist(), strict=True)],
            "tight": "".join(np.where(corpus.tokens.no_space[rows], "1", "0").tolist()),
        }

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
        """Reasons of the worst arcs, where the scorer gives any, and what is usual, where it is known."""
        scorer = self.scored.scorer
        explained = ranking.row[: self.reasons if self.top is None else min(self.reasons, self.top)]
        found = {}
        for arc in self.scored.explain(explained) if scorer.explains else ():
            reasons = [[reason.feature, round(reason.cost, 2), reason.text] for reason in arc.reasons]
            found[int(place[arc.row])] = [reasons, list(arc.notes)]
        counts, usual = scorer.reference, None
        if counts is not None and counts.settings.pos == "upos":
            usual = _usual(usual_arcs(counts))
        subtypes = counts is not None and counts.settings.subtypes
        return {"reasons": found, "n_reasons": len(found), "usual": usual, "subtypes": subtypes}

    def _suggested(self, listed: np.ndarray) -> dict[str, Any] | None:
        """The likeliest other arcs of the listed words, in their order, where the scorer has any; head -1 for none."""
        if not self.scored.scorer.suggests:
            return None
        other = self.scored.alternatives(listed)
        labels, codes = np.unique(other.relation.astype(str), return_inverse=True)
        return {"head": other.head.tolist(), "deprel": codes.tolist(), "labels": labels.tolist()}

    def _choices(self, column: str) -> list[str]:
        """The labels of a column that the corpus has, the most frequent first."""
        times = np.bincount(self.corpus.codes[column], minlength=len(self.corpus.labels[column]))
        return [self.corpus.labels[column][code] for code in np.argsort(-times, kind="stable").tolist() if times[code]]

    def _tag_table(self, place: np.ndarray) -> dict[str, Any] | None:
        """The most suspicious tags, and the rows of their words, -1 for those that are not in the page."""
        if self.tags is None:
            return None
        rows = suspicious_tags(self.tags, TAGS)
        gold = None if self.over is None else self.over.gold
        table = tag_table(self.corpus, self.tags, rows, gold, self._known, self.scored.signature)
        return _table(table) | {"place": place[rows].tolist()}

    def _gold(self, place: np.ndarray) -> dict[str, list[int]] | None:
        """Gold's arcs where they are others, and the words that gold does not have."""
        if self.over is None or self.right is None:
            return None
        found = self._differences(self.over, ~self.right, place)
        return found | {"left_out": place[~self._known & (place >= 0)].tolist()}

    def _differences(self, over: LaidOver, different: np.ndarray, place: np.ndarray) -> dict[str, list[int]]:
        """The arcs of another corpus, where they are not those of this one; head −1 if it is no word of the sentence.

        Words that the other corpus does not have are left out.
        """
        side, kept = over.gold, over.kept
        rows = np.flatnonzero(different & (place >= 0) & (True if kept is None else kept))
        return {
            "row": place[rows].tolist(),
            "head": side.head[rows].tolist(),
            "deprel": self._relation_codes(side)[rows].tolist(),
        }

    def _ranks_there(self) -> np.ndarray | None:
        """The rank of each word's arc in what this is compared with, 0 for none."""
        if self.other is None:
            return None
        there = self.other.scored.rank()
        ranks = np.zeros(self.other.scored.corpus.n_words + 1, dtype=np.int64)  # the last is that of no word
        ranks[there.row] = there.rank
        over = self.other_over
        return ranks[:-1] if over is None or over.row is None else ranks[over.row]

    def _other(self, ranks: np.ndarray | None, place: np.ndarray, rows: np.ndarray) -> dict[str, Any] | None:
        if self.other is None or ranks is None:
            return None
        over = self.other_over or LaidOver(self.corpus, None)
        differences = self._differences(over, ~right_arcs(over.gold, self.corpus), place)
        found = {"title": self.other.title, "rank": [rank or None for rank in ranks[rows].tolist()], **differences}
        if self.over is not None:
            right = right_arcs(self.over.gold, over.gold) & (over.gold.head >= 0)  # heads elsewhere are none alike
            found["right"] = place[right & (place >= 0)].tolist()
        return found


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

    gold: the same text, by which arcs are right or wrong. compare: a second model (file or code), or the same text
    parsed otherwise; words are aligned as in `evaluate` where they are not the same. rescore: the scorer of another
    corpus (judged by itself) or over another model (its name), unless it is the same, or of the same name.
    on_error: "skip" leaves malformed sentences out. options: those of `Page`.
    """
    scorer = by if isinstance(by, Scorer) else make_scorer(model=by)
    corpus = as_corpus(source, on_error=on_error)
    right = None if gold is None else as_corpus(gold, on_error=on_error)
    page = Page(title or os.path.basename(corpus.path), score(corpus, scorer), right, **options)
    if compare is None:
        return page
    name = os.fspath(compare)
    made = rescore or (lambda corpus, model: scorer if model is None else make_scorer(scorer.name, model))
    if bundled_file(name) or not os.path.exists(name) or (os.path.isfile(name) and is_model_file(name)):
        other = score(corpus, made(corpus, name))
    else:
        there = as_corpus(name, on_error=on_error)
        other = score(there, made(there, None))
    return replace(page, other=Comparison(os.path.basename(name), other))


def _settings_of(scored: Scored) -> list[tuple[str, str]]:
    """Names and values of the settings behind scores, but for the version, which is that of the page."""
    return [(name, value) for name, value in settings_list(scored.signature) if name != "treegauge"]


def _moves(ranking: Ranking, ranks: np.ndarray | None) -> np.ndarray | None:
    """Rank here minus rank there of each arc of the ranking, NaN where it has none there."""
    there = None if ranks is None else ranks[ranking.row]
    return None if there is None else np.where(there > 0, ranking.rank - there, np.nan)


def as_json(content: object) -> str:
    """JSON that may stand inside a script element: no `<`, so no end tag and no comment begins in it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _key(v: Verdict) -> str:
    return "\t".join((v.sent_id, "" if v.sent_id else str(v.sentence), str(v.id), str(v.head), v.deprel))


def _usual(usual: Usual) -> dict[str, dict[str, Any]]:
    return {
        name: {" ".join(key): [[label, round(share, 3)] for label, share in shares] for key, shares in found.items()}
        for name, found in (("relations", usual.relations), ("heads", usual.heads))
    }


def _table(table: Any) -> dict[str, Any]:
    return {"title": table.title, "columns": table.columns, "rows": table.rows}
