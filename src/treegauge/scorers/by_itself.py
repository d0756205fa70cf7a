"""Scorers for a corpus without a reference: each arc is scored by what was learned from the rest of the corpus.

The corpus is given as its pieces, which are read as often as needed; a corpus in memory is one piece.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import TypeVar

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.errors import OptionError
from treegauge.explanations import Alternatives, Explanation
from treegauge.extras import needed
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.tags import TagChoice, TagChoices, TagTrainer
from treegauge.models.choice.tags_kernel import MOST_TAGS
from treegauge.models.choice.words import COLUMNS, FormParts, WordHashes
from treegauge.models.fit import Fit
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reference import CountSettings, Reference, Source, merge_references, subtract_reference
from treegauge.models.lisca.score import ArcScores, Lisca, LiscaOptions
from treegauge.models.net.in_folds import FoldTask, nets_of_folds, sentence_hashes
from treegauge.models.net.inference import Net
from treegauge.models.net.training import NetOptions, net_task
from treegauge.progress import Stages, silent
from treegauge.scorers.by_model import ARC_PROBABILITY, AS_TAGGED, LiscaScorer, TagScorer
from treegauge.scorers.by_net import NET, TOGETHER, Both, BothChoices
from treegauge.scorers.net_odds import mixed_odds
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.version import signature
from treegauge.wording import counted

Pieces = Callable[[], Iterable[Corpus]]
Learned = TypeVar("Learned")
FOLDS = 5  # choice learns once for each fold, so it never leaves out one sentence at a time
_NAME = "self"


def in_fold(piece: Corpus, fold: int, folds: int) -> np.ndarray:
    """Which sentences of a piece are in a fold: sentence s of the whole corpus, from 0, is in fold s mod folds."""
    return (piece.before + np.arange(piece.n_sentences)) % folds == fold


def how_many_folds(asked: int | None, sentences: int) -> int:
    """The number of folds: what is asked for, by default FOLDS, or the number of sentences if that is smaller."""
    folds = min(FOLDS, sentences) if asked is None else asked
    if sentences < 2:
        raise OptionError(f"{counted(sentences, 'sentence')}; expected two at least: each is judged by others")
    if not 2 <= folds <= sentences:
        raise OptionError(f"folds {folds}; expected 2..{sentences}, the number of sentences")
    return folds


def _survey(pieces: Iterable[Corpus]) -> tuple[int, dict[str, int], dict[str, None]]:
    """The number of sentences, the relations and the tags: known from the start, so that pieces may be cut anywhere."""
    sentences, relations, tags = 0, dict[str, int](), dict[str, None]()
    for piece in pieces:
        sentences += piece.n_sentences
        relation_codes(piece.labels["deprel"], False, relations)
        tags |= dict.fromkeys(piece.labels["upos"])
    return sentences, relations, tags


def _counted(pieces: Iterable[Corpus], settings: CountSettings) -> Reference:
    """The counts of all pieces, under one name."""
    parts = (count_arcs(piece, settings, _NAME) for piece in pieces)
    whole = reduce(lambda first, second: merge_references([first, second]), parts)
    return replace(whole, sources=(Source(_NAME, whole.sentences, whole.words),))


class LiscaByItself(LiscaScorer):
    """LISCA where each sentence is scored by the rest of the corpus.

    folds=None: the rest is all other sentences; the sentence's own counts are subtracted, so this is exact. folds=k:
    the rest is the other folds. Reasons always compare with all other sentences.
    """

    def __init__(
        self, pieces: Pieces, settings: CountSettings, options: LiscaOptions | None = None, folds: int | None = None
    ) -> None:
        whole = _counted(pieces(), settings)
        lisca = Lisca(whole, options)
        super().__init__(lisca, f"{lisca.signature}|{_NAME if folds is None else f'folds:{folds}'}")
        self.of_rest: list[Lisca] = []
        if folds is not None:
            folds = how_many_folds(folds, whole.sentences)
            for fold in range(folds):
                inside = (piece.select(in_fold(piece, fold, folds)) for piece in pieces())
                self.of_rest.append(Lisca(subtract_reference(whole, _counted(inside, settings)), options))

    def _judged(self, corpus: Corpus) -> ArcScores:
        if not self.of_rest:
            return self.lisca.judged(corpus, leave_out=True)
        scores = ArcScores(np.empty(corpus.n_words), np.empty(corpus.n_words, dtype=bool))
        for part, rows, rest in _folds(corpus, self.of_rest):
            of_part = rest.judged(part)
            scores.log_score[rows], scores.unseen[rows] = of_part.log_score, of_part.unseen
        return scores

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """What each of these arcs has that is unusual for its relation in the other sentences."""
        return self.explainer.explain(corpus, rows, leave_out=True)

    def fit(self, corpus: Corpus) -> Fit | None:
        """Always None: the reference is the corpus itself."""
        return None


def _folds(corpus: Corpus, learned: Sequence[Learned]) -> Iterator[tuple[Corpus, np.ndarray, Learned]]:
    """The sentences of each fold, the rows of its words, and what was learned from the others."""
    for fold, of_rest in enumerate(learned):
        inside = in_fold(corpus, fold, len(learned))
        yield corpus.select(inside), np.flatnonzero(inside[corpus.sentence]), of_rest


@dataclass(frozen=True)
class _Fold:
    """A fold, its rows in the whole corpus, and what the choice of the other folds finds in it."""

    part: Corpus
    rows: np.ndarray
    choice: Choice
    choices: ArcChoices


class ChoiceByItself(Scorer):
    """Choice where each fold is scored by what was learned from the others; the name tells whether it doubts tags."""

    probabilities = explains = suggests = True
    meaning = ARC_PROBABILITY

    def __init__(
        self,
        pieces: Pieces,
        folds: int | None = None,
        name: str = "choice",
        progress: Callable[[int], None] = lambda words: None,
    ) -> None:
        sentences, relations, tags = _survey(pieces())
        folds = how_many_folds(folds, sentences)
        self.learned: list[Choice] = []
        hashes = WordHashes()
        for fold in range(folds):
            others = (piece.select(~in_fold(piece, fold, folds)) for piece in pieces())
            known = None if name == AS_TAGGED else tags
            learned = learn_choice(others, relations=relations, tags=known, progress=progress, hashes=hashes)
            self.learned.append(Choice(learned, _NAME, hashes))
        super().__init__(name, f"{self.learned[0].signature}|folds:{folds}", COLUMNS)
        self.folds = PerCorpus(self._choices)

    def _choices(self, corpus: Corpus) -> list[_Fold]:
        return [_Fold(part, rows, choice, choice.choices(part)) for part, rows, choice in _folds(corpus, self.learned)]

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        scores = np.empty(corpus.n_words)
        for fold in self.folds(corpus):
            scores[fold.rows] = fold.choices.log_prob
        return scores

    def log_prob(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc, to tell which are improbable."""
        return self.scores(corpus)

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are, where the weights know tags."""
        parts = [(fold.rows, fold.choices.tags) for fold in self.folds(corpus)]
        return joined_tags(corpus.n_words, [(rows, tags) for rows, tags in parts if tags is not None])

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs, and what speaks for them."""
        by_place: dict[int, Explanation] = {}
        for fold, mine, at in self._of(corpus, rows):
            explanations = self.explain_fold(fold, corpus, at)
            by_place |= {int(k): replace(e, row=int(rows[k])) for k, e in zip(mine, explanations, strict=True)}
        return [by_place[k] for k in range(len(rows))]

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        n = len(rows)
        joined = Alternatives(np.empty(n, dtype=np.int64), np.empty(n, dtype=object), np.empty(n), np.empty(n))
        for fold, mine, at in self._of(corpus, rows):
            of_fold = self.alternatives_in_fold(fold, corpus, at)
            for column in fields(of_fold):
                getattr(joined, column.name)[mine] = getattr(of_fold, column.name)
        return joined

    def explain_fold(self, k: int, corpus: Corpus, at: np.ndarray) -> list[Explanation]:
        """What speaks against some arcs of a fold."""
        fold = self.folds(corpus)[k]
        return explain(fold.choice, fold.part, at, fold.choices)

    def alternatives_in_fold(self, k: int, corpus: Corpus, at: np.ndarray) -> Alternatives:
        """The likeliest other arcs of some words of a fold."""
        fold = self.folds(corpus)[k]
        return fold.choice.alternatives(fold.part, at, fold.choices)

    def _of(self, corpus: Corpus, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Each fold that has some of the rows: its number, which of the rows these are, and their places in it."""
        for k, fold in enumerate(self.folds(corpus)):
            at = np.minimum(np.searchsorted(fold.rows, rows), max(len(fold.rows) - 1, 0))
            mine = np.flatnonzero(fold.rows[at] == rows) if len(fold.rows) else np.empty(0, dtype=np.int64)
            if len(mine):
                yield k, mine, at[mine]


def joined_tags(n: int, parts: Sequence[tuple[np.ndarray, TagChoices]]) -> TagChoices | None:
    """The tag choices of n words, joined from parts, each with the rows of its words; None if there are no parts."""
    if not parts:
        return None
    joined = TagChoices(np.empty(n), np.empty(n, dtype=np.int32), np.empty(n), parts[0][1].tags)
    for rows, part in parts:
        joined.log_prob[rows], joined.other[rows], joined.log_other[rows] = part.log_prob, part.other, part.log_other
    return joined


class NetByItself(ChoiceByItself):
    """Choice and the net together, where each fold is scored by what was learned from the others."""

    meaning = TOGETHER

    def __init__(
        self,
        pieces: Pieces,
        folds: int | None = None,
        progress: Callable[[int], None] = lambda words: None,
        stages: Stages = silent,
    ) -> None:
        """stages: opens a stage for the nets, which take much longer than the rest."""
        needed("torch", "net", "the net")
        super().__init__(pieces, folds, progress=progress)
        corpora = list(pieces())
        tasks = [self._task(corpora, fold) for fold in range(len(self.learned))]
        with stages("learning nets", sum(task.task.text.n_words for task in tasks)) as told:
            nets = nets_of_folds(tasks, progress=told)
        forms = self.learned[0].hashes.forms
        self.both = [Both(choice, Net(net, forms)) for choice, net in zip(self.learned, nets, strict=True)]
        self.name, self.signature = NET, f"{self.both[0].signature}|folds:{len(self.both)}"
        self.both_folds = PerCorpus(self._both_choices)

    def _task(self, corpora: Sequence[Corpus], fold: int) -> FoldTask:
        folds = len(self.learned)
        inside, outside = [], []
        for piece in corpora:
            mask = in_fold(piece, fold, folds)
            inside.append(piece.select(mask))
            outside.append(piece.select(~mask))
        task = net_task(outside)
        hashes = sentence_hashes(task), sentence_hashes(net_task(inside, NetOptions(sizes=task.sizes)))
        files = "\n".join(os.path.abspath(path) for piece in corpora for path in piece.files)
        return FoldTask(task, *hashes, f"{files}\n{fold} of {folds}")

    def _both_choices(self, corpus: Corpus) -> list[tuple[_Fold, BothChoices]]:
        found = []
        for part, rows, both in _folds(corpus, self.both):
            choices = both.choices(part)
            found.append((_Fold(part, rows, both.choice, choices.choice), choices))
        return found

    def _choices(self, corpus: Corpus) -> list[_Fold]:
        return [fold for fold, _ in self.both_folds(corpus)]

    def found(self, corpus: Corpus) -> list[tuple[np.ndarray, BothChoices]]:
        """The rows of each fold, and what was found there."""
        return [(fold.rows, choices) for fold, choices in self.both_folds(corpus)]

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        scores = np.empty(corpus.n_words)
        for rows, choices in self.found(corpus):
            scores[rows] = choices.odds.log_prob
        return scores

    def log_prob(self, corpus: Corpus) -> np.ndarray:
        """log σ(½ choice + ¼ net with tags + ¼ net without tags), of log odds."""
        odds = np.empty(corpus.n_words)
        for rows, choices in self.found(corpus):
            odds[rows] = mixed_odds(choices.odds.own)
        return np.asarray(-np.logaddexp(0.0, -odds))

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are."""
        return joined_tags(corpus.n_words, [(rows, c.tags) for rows, c in self.found(corpus) if c.tags is not None])

    def explain_fold(self, k: int, corpus: Corpus, at: np.ndarray) -> list[Explanation]:
        """What both say of some arcs of a fold."""
        fold, choices = self.both_folds(corpus)[k]
        return self.both[k].explain(fold.part, at, choices)

    def alternatives_in_fold(self, k: int, corpus: Corpus, at: np.ndarray) -> Alternatives:
        """The likeliest other arcs of some words of a fold."""
        fold, choices = self.both_folds(corpus)[k]
        return self.both[k].alternatives(fold.part, at, choices)


class NetTagsByItself(TagScorer):
    """The tag scorer by choice and the net together, where each fold is scored by what was learned from the others."""

    def __init__(self, arcs: NetByItself) -> None:
        super().__init__(arcs.signature.replace(f"{NET}|", "tags|", 1), arcs.columns)
        self.arcs = arcs

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        choices = self.arcs.tag_choices(corpus)
        if choices is None:
            raise OptionError(f"too many tags; expected 1 to {MOST_TAGS}, to be judged by themselves")
        return choices


class TagsByItself(TagScorer):
    """The tag scorer where each fold is scored by what was learned from the others."""

    def __init__(self, pieces: Pieces, folds: int | None = None) -> None:
        sentences, _, tags = _survey(pieces())
        folds = how_many_folds(folds, sentences)
        self.learned: list[TagChoice] = []
        forms = FormParts()
        for fold in range(folds):
            trainer = TagTrainer(sorted(tags), forms=forms)
            for piece in pieces():
                trainer.add(piece.select(~in_fold(piece, fold, folds)))
            weights = trainer.weights()
            if weights is None:
                raise OptionError(f"{len(tags)} tags; expected 1 to {MOST_TAGS}, to be judged by themselves")
            self.learned.append(TagChoice(weights, trainer.words, forms))
        super().__init__(signature("tags", f"ref:{_NAME}", f"folds:{folds}"))

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        parts = [(rows, choice.choices(part)) for part, rows, choice in _folds(corpus, self.learned)]
        joined = joined_tags(corpus.n_words, parts)
        assert joined is not None
        return joined
