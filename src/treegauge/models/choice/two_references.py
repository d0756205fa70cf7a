"""Learning from references of two kinds: parsed text and a gold treebank.

The parsed text comes from the parser whose arcs are to be scored, or one like it: it has the same annotation scheme,
and the parser's errors. Gold has no errors, but may have another scheme (another release, another treebank). The
weights learned from the parsed text are tried on gold to tell whether the scheme is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from treegauge.corpus.columns import Columns
from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.learning import ChoiceTrainer, learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.tags import TagChoice, TagTrainer
from treegauge.models.choice.weights import ChoiceWeights

SURE = 0.9  # a tag or relation of this probability counts as what the parsed text has there
SAME_SCHEME = 0.05  # the scheme is the same if at most this share of gold's words surely has another label


def learn_with_gold(
    parsed: Iterable[Corpus], gold: Iterable[Corpus], progress: Callable[[int], None] = lambda words: None
) -> ChoiceWeights:
    """The weights learned from parsed text and then from gold, all corpora read with `COLUMNS`; gold is held in memory.

    Parsed sentences that gold has, too, are left out. If gold has the same scheme, learning goes on with gold from the
    weights of the parsed text. If not, the labels of gold that differ are replaced by those of the parsed text, and
    gold is learned from like more parsed text.
    """
    held = list(gold)
    arcs, tags = ChoiceTrainer(), TagTrainer()
    known = {sentence for piece in held for sentence in _sentences(piece)}
    for piece in parsed:
        rest = piece.select(np.array([sentence not in known for sentence in _sentences(piece)], dtype=bool))
        if rest.n_words:
            arcs.add(rest)
            tags.add(rest)
        progress(piece.n_words)
    arcs.finish()
    n, of_gold = arcs.words, sum(piece.n_words for piece in held)
    if not n:
        return replace(learn_choice(held, progress=progress), gold_words=of_gold)
    before = _weights(arcs, tags)
    adapted, differing = in_scheme_of(before, held)
    before = replace(before, words=n + of_gold, gold_words=of_gold, gold_differing=differing)
    if of_same_scheme(before):
        learned = learn_choice(held, start=before)
    else:
        for piece in adapted:
            arcs.add(piece)
            tags.add(piece)
        arcs.finish()
        learned = _weights(arcs, tags)
    progress(of_gold)
    return replace(learned, words=n + of_gold, gold_words=of_gold, gold_differing=differing)


def of_same_scheme(weights: ChoiceWeights) -> bool:
    """Whether the gold that the weights were learned from is of the scheme of the parsed text."""
    return weights.gold_differing <= SAME_SCHEME * weights.gold_words


def _weights(arcs: ChoiceTrainer, tags: TagTrainer) -> ChoiceWeights:
    return replace(arcs.weights(), tags=tags.weights())


def _sentences(corpus: Corpus) -> list[str]:
    """Each sentence as its forms."""
    return ["\t".join(corpus.forms(s)) for s in range(corpus.n_sentences)]


def in_scheme_of(weights: ChoiceWeights, corpora: Sequence[Corpus]) -> tuple[list[Corpus], int]:
    """The corpora with the tags and relations that the weights are sure of, and how many these are.

    They are sure of another tag, or of another relation to the same head, if the given one has a probability below
    1 − SURE and the other one above SURE. Tags come first; relations are looked at with the new tags.
    """
    choice, relabelled, differing = Choice(weights), [], 0
    for corpus in corpora:
        if weights.tags is not None:
            tags = TagChoice(weights.tags, weights.words).choices(corpus)
            rows = _surely_other(tags.log_prob, tags.other, tags.log_other)
            corpus, differing = _relabelled(corpus, "upos", rows, tags.tags, tags.other), differing + len(rows)
        arcs = choice.choices(corpus)
        rows = _surely_other(arcs.log_relation, arcs.other_relation, arcs.log_other_relation)
        relabelled.append(_relabelled(corpus, "deprel", rows, arcs.relations, arcs.other_relation))
        differing += len(rows)
    return relabelled, differing


def _surely_other(log_prob: np.ndarray, other: np.ndarray, log_other: np.ndarray) -> np.ndarray:
    return np.flatnonzero((log_prob < math.log(1 - SURE)) & (log_other > math.log(SURE)) & (other >= 0))


def _relabelled(corpus: Corpus, column: str, rows: np.ndarray, names: Sequence[str], other: np.ndarray) -> Corpus:
    """The corpus with other labels in some rows of a column: `other` is their code into names."""
    labels = corpus.labels[column]
    place = {label: k for k, label in enumerate(dict.fromkeys([*labels, *names]))}
    codes = corpus.codes[column].copy()
    codes[rows] = np.array([place[name] for name in names], dtype=codes.dtype)[other[rows]]
    return replace(
        corpus,
        codes=Columns({**corpus.codes, column: codes}),
        labels=Columns({**corpus.labels, column: tuple(place)}),
    )
