"""Second opinions as a scorer: what another scorer says of an arc, and which other parses have it, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.errors import CorpusError
from treegauge.explanations import Alternatives, Explanation, Reason
from treegauge.judging.laid_over import ELSEWHERE
from treegauge.models.fit import Fit
from treegauge.opinions.agreement import ABSENT, BOTH, HEAD, Opinions
from treegauge.opinions.trust import objections, trust_in
from treegauge.scorers.scorer import Scorer


class OpinionScorer(Scorer):
    """The score of another scorer, less the weight of every other parse that has not the arc.

        score = log p − Σ_k w_k [parse k has another arc]

    w_k comes from how the parses agree with each other (`accuracies`). Up to a constant this is the log probability of
    the arc if parses are wrong independently of each other, and log p is what is known beforehand. An arc that all have
    keeps its score. Scored are the parse that the opinions are about, and whole sentences of it.
    """

    meaning = "log score is that of the other scorer, less the weights of the parses that have another arc"

    def __init__(self, base: Scorer, opinions: Opinions) -> None:
        super().__init__(f"{base.name}+opinions", f"{base.signature}|with:{','.join(opinions.names)}", base.columns)
        self.base, self.opinions = base, opinions
        self.weight = trust_in(opinions)
        self.objections = objections(opinions.says, self.weight)
        self.explains, self.suggests = True, base.suggests
        self.tag_choices, self.reference = base.tag_choices, base.reference
        self.notes = (*base.notes, *_left_out(opinions))

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc."""
        return np.asarray(self.base.scores(corpus) - self.objections[self._rows(corpus)])

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """Who has which arc, and the reasons of the other scorer."""
        rows = np.asarray(rows)
        if self.base.explains:
            found: Sequence[Explanation] = self.base.explain(corpus, rows)
        else:
            scores = self.base.scores(corpus)[rows].tolist()
            found = [Explanation(int(row), score, (), ()) for row, score in zip(rows, scores, strict=True)]
        return [self._with_opinions(one, at) for one, at in zip(found, self._rows(corpus)[rows].tolist(), strict=True)]

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs, by the other scorer."""
        return self.base.alternatives(corpus, rows)

    def fit(self, corpus: Corpus) -> Fit | None:
        """How well the other scorer's model fits the corpus."""
        return self.base.fit(corpus)

    def _rows(self, corpus: Corpus) -> np.ndarray:
        """The rows of the opinions that are about the words of a corpus, which is the parse itself or a part of it."""
        whole = self.opinions.parse
        if corpus is whole:
            return np.arange(whole.n_words)
        sentence = np.array([self._sentences.get(place, -1) for place in _places(corpus)], np.int64)
        same = np.array_equal(np.diff(whole.start)[sentence], np.diff(corpus.start)) and bool((sentence >= 0).all())
        rows = whole.start[sentence][corpus.sentence] + corpus.position - 1 if same else np.empty(0, np.int64)
        if not (same and np.array_equal(whole.head[rows], corpus.head)):
            raise CorpusError(f"the second opinions are about {whole.path}, and {corpus.path} has other sentences")
        return np.asarray(rows)

    @cached_property
    def _sentences(self) -> dict[tuple[str, int], int]:
        """The sentences of the parse by their places."""
        return {place: s for s, place in enumerate(_places(self.opinions.parse))}

    def _with_opinions(self, found: Explanation, at: int) -> Explanation:
        """An explanation with what the other parses say of the arc in a row of the opinions."""
        cost = float(self.objections[at])
        text = "; ".join(f"{name}: {self._said(k, at)}" for k, name in enumerate(self.opinions.names))
        score = found.log_score - cost
        if not cost:
            return replace(found, log_score=score, notes=(*found.notes, text))
        reasons = sorted([Reason("opinions", cost, None, None, text), *found.reasons], key=lambda one: -one.cost)
        return replace(found, log_score=score, reasons=tuple(reasons))

    def _said(self, k: int, at: int) -> str:
        """What another parse says of an arc, in words."""
        opinions, parse = self.opinions, self.opinions.parse
        says, head = opinions.says[k, at], int(opinions.head[k, at])
        if says in (ABSENT, BOTH):
            return "as here" if says == BOTH else "has not this word"
        relation = opinions.relations[opinions.relation[k, at]]
        if says == HEAD:
            return f"{relation} of the same head" if head else f"{relation}, the root"
        if head == ELSEWHERE:
            return f"{relation} of a word that is not in this sentence"
        if not head:
            return f"{relation}, the root"
        return f"{relation} of '{parse.value('form', int(parse.start[parse.sentence[at]]) + head - 1)}'"


def _places(corpus: Corpus) -> Iterator[tuple[str, int]]:
    """File and first line of each sentence."""
    return ((corpus.files[k], line) for k, line in zip(corpus.file.tolist(), corpus.first_line.tolist(), strict=True))


def _left_out(opinions: Opinions) -> tuple[str, ...]:
    """What is said of words that could not be aligned."""
    here = opinions.parse.path
    said = zip(opinions.names, opinions.left_out, strict=True)
    return tuple(left_out.text(name, here) for name, left_out in said if left_out)
