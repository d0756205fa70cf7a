"""Tags as a tagger would give them: predicted from forms, each sentence by others."""

from __future__ import annotations

from treegauge.choice.tags import TagChoice, TagChoices, TagTrainer
from treegauge.corpus.conllu import Corpus
from treegauge.scorers.by_itself import FOLDS, TagsByItself


def predicted_tags(corpus: Corpus, other: Corpus | None) -> tuple[list[str], list[str] | None]:
    """The likeliest tags of a corpus, each sentence by the other folds, and of another corpus by the first."""
    own = _likeliest(corpus, TagsByItself(lambda: [corpus], min(FOLDS, corpus.n_sentences)).tag_choices(corpus))
    if other is None:
        return own, None
    trainer = TagTrainer()
    trainer.add(corpus)
    weights = trainer.weights()
    assert weights is not None  # the first corpus could be tagged
    return own, _likeliest(other, TagChoice(weights, trainer.words).choices(other))


def _likeliest(corpus: Corpus, choices: TagChoices) -> list[str]:
    rather = (choices.rather(row) for row in range(corpus.n_words))
    return [corpus.value("upos", row) if found is None else found[0] for row, found in enumerate(rather)]
