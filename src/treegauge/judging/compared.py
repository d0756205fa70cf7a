"""A system's arcs beside gold's, read and scored in step: what is kept of each arc is what judging needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.alignment.laid_over import LaidOver, LeftOut, SameWords, in_parts, lay_over
from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus, stream_conllu
from treegauge.corpus.files import STDIN
from treegauge.corpus.growing import Growing
from treegauge.corpus.joined import in_step
from treegauge.errors import CorpusError
from treegauge.judging.judged import Judged, Ranked, Truth, judged_arcs
from treegauge.judging.measures import RightArcs
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
    left_out: LeftOut  # words that only one side has

    def judged(self, root_arcs: bool) -> list[Judged]:
        """The rankings, with or without root arcs."""
        return [judged_arcs(one, self.truth, root_arcs=root_arcs) for one in self.ranked]


def compare(gold: CorpusSource, system: CorpusSource, scorers: Sequence[Scorer], stages: Stages = silent) -> Compared:
    """A system's arcs and gold's, of the words that both have.

    Files of the same words are read in step, and no more than a piece is held; others are aligned as a whole. Raises
    CorpusError as `align` does where the texts are not the same.
    """
    if not (_can_be_read_again(gold) and _can_be_read_again(system)):
        gold, system = as_corpus(gold), as_corpus(system)
    columns = tuple(dict.fromkeys(["form", "deprel", *(name for one in scorers for name in one.columns)]))
    with stages("scoring", None) as told:
        gathered = _in_step(_pieces(gold, ("form", "deprel")), _pieces(system, columns), scorers, told)
        if gathered is None:
            gathered = _aligned(as_corpus(gold), as_corpus(system), scorers, told)
    return gathered.compared(_name(gold), _name(system))


def _in_step(
    gold: Iterable[Corpus], system: Iterable[Corpus], scorers: Sequence[Scorer], told: Callable[[int], None]
) -> _Gathered | None:
    """Pieces of two corpora of the same words; None where they have other words, or none, or cannot be read."""
    gathered, same = _Gathered(scorers), SameWords()
    try:
        for ours, theirs in in_step(gold, system):
            if not same(ours, theirs):
                return None
            gathered.add(LaidOver(ours, None), theirs)
            told(theirs.n_words)
    except CorpusError:
        return None
    return gathered if gathered.words else None


def _aligned(gold: Corpus, system: Corpus, scorers: Sequence[Scorer], told: Callable[[int], None]) -> _Gathered:
    """Two corpora of one text."""
    gathered, over = _Gathered(scorers), lay_over(gold, system)
    for theirs, part in in_parts(system, over):
        gathered.add(part, theirs)
        told(theirs.n_words)
    gathered.left_out = over.left_out
    if not gathered.words:
        raise CorpusError(f"{gold.path} and {system.path} have no word in common")
    return gathered


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
        self.left_out = LeftOut()

    def add(self, over: LaidOver, system: Corpus) -> None:
        """Take in a piece of the system, and gold over it."""
        gold, kept = over.gold, over.only_kept
        self._arrays.append(("right", 0), kept(self._right_arcs(gold, system)))
        self._arrays.append(("right_head", 0), kept(gold.head == system.head))
        self._arrays.append(("length", 0), kept(system.arc_length.astype(np.int32)))
        self._arrays.append(("sentence", 0), kept((system.sentence + self._sentences).astype(np.int32)))
        for k, scorer in enumerate(self._scorers):
            self._arrays.append(("scores", k), kept(scorer.scores(system)))
            if scorer.suggests:
                hit, likelier = suggested(gold, scorer.alternatives(system, np.arange(system.n_words)))
                self._arrays.append(("hit", k), kept(hit))
                self._arrays.append(("likelier", k), kept(likelier))
        self.words += len(kept(system.head))
        self._sentences += system.n_sentences

    def compared(self, gold: str, system: str) -> Compared:
        """All of it; nothing is kept here then."""
        truth = Truth(*(self._arrays.take((name, 0)) for name in ("right", "right_head", "length", "sentence")))
        ranked = [
            Ranked(one.name, one.signature, self._arrays.take(("scores", k))) for k, one in enumerate(self._scorers)
        ]
        able = [k for k, one in enumerate(self._scorers) if one.suggests]
        hits = [Suggested(ranked[k], self._arrays.take(("hit", k)), self._arrays.take(("likelier", k))) for k in able]
        return Compared(gold, system, truth, ranked, hits, self.left_out)
