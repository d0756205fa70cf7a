"""A system's arcs beside gold's, read and scored in step: what is kept of each arc is what judging needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus, stream_conllu
from treegauge.corpus.files import STDIN
from treegauge.corpus.growing import Growing
from treegauge.corpus.joined import in_step
from treegauge.errors import CorpusError
from treegauge.judging.judged import Judged, Ranked, Truth, judged_arcs
from treegauge.judging.measures import RightArcs, right_arcs
from treegauge.judging.sentences import Suggested, suggested
from treegauge.progress import Stages, silent
from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True)
class Compared:
    """The arcs of a system by several scorers, and what gold says of them."""

    gold: str
    system: str
    truth: Truth
    ranked: list[Ranked]
    suggested: list[Suggested]  # of the scorers that have other arcs

    def judged(self, root_arcs: bool) -> list[Judged]:
        """The rankings, with or without root arcs."""
        return [judged_arcs(one, self.truth, root_arcs=root_arcs) for one in self.ranked]


def compare(gold: CorpusSource, system: CorpusSource, scorers: Sequence[Scorer], stages: Stages = silent) -> Compared:
    """A system's arcs and gold's, which has the same words; files are read in step, and no more than a piece is held.

    Raises CorpusError as `right_arcs` does of the whole.
    """
    if not (_can_be_read_again(gold) and _can_be_read_again(system)):
        gold, system = as_corpus(gold), as_corpus(system)
    columns = tuple(dict.fromkeys(["form", "deprel", *(name for one in scorers for name in one.columns)]))
    gathered = _Gathered(scorers)
    with stages("scoring", None) as told:
        try:
            for ours, theirs in in_step(_pieces(gold, ("form", "deprel")), _pieces(system, columns)):
                gathered.add(ours, theirs)
                told(theirs.n_words)
            if not gathered.words:
                raise CorpusError("no sentences")
        except CorpusError:
            right_arcs(
                as_corpus(gold), as_corpus(system)
            )  # says what is wrong with the first, then the second, then both
            raise
    return gathered.compared(_name(gold), _name(system))


def _can_be_read_again(source: CorpusSource) -> bool:
    return isinstance(source, Corpus) or (isinstance(source, (str, os.PathLike)) and os.fspath(source) != STDIN)


def _name(source: CorpusSource) -> str:
    return source.path if isinstance(source, Corpus) else os.fspath(source)  # type: ignore[arg-type]


def _pieces(source: CorpusSource, columns: Sequence[str]) -> Iterable[Corpus]:
    return [source] if isinstance(source, Corpus) else stream_conllu(source, columns=columns)  # type: ignore[arg-type]


class _Gathered:
    """What is kept of pairs of pieces."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self._scorers, self._right_arcs = scorers, RightArcs()
        self._arrays: Growing[tuple[str, int]] = Growing()
        self.words = self._sentences = 0

    def add(self, gold: Corpus, system: Corpus) -> None:
        """Take in a pair."""
        self._arrays.append(("right", 0), self._right_arcs(gold, system))
        self._arrays.append(("length", 0), system.arc_length.astype(np.int32))
        self._arrays.append(("sentence", 0), (system.sentence + self._sentences).astype(np.int32))
        for k, scorer in enumerate(self._scorers):
            self._arrays.append(("scores", k), scorer.scores(system))
            if scorer.suggests:
                hit, likelier = suggested(gold, scorer.alternatives(system, np.arange(system.n_words)))
                self._arrays.append(("hit", k), hit)
                self._arrays.append(("likelier", k), likelier)
        self.words += system.n_words
        self._sentences += system.n_sentences

    def compared(self, gold: str, system: str) -> Compared:
        """All of it; nothing is kept here then."""
        truth = Truth(
            self._arrays.take(("right", 0)), self._arrays.take(("length", 0)), self._arrays.take(("sentence", 0))
        )
        ranked = [
            Ranked(one.name, one.signature, self._arrays.take(("scores", k))) for k, one in enumerate(self._scorers)
        ]
        able = [k for k, one in enumerate(self._scorers) if one.suggests]
        hits = [Suggested(ranked[k], self._arrays.take(("hit", k)), self._arrays.take(("likelier", k))) for k in able]
        return Compared(gold, system, truth, ranked, hits)
