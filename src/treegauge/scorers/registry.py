"""Scorers behind one interface: a corpus in, a number for every arc out, higher for more reliable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treegauge import __version__
from treegauge.errors import ModelError, OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import Lisca, LiscaOptions
    from treegauge.arcs.reasons import Explanation
    from treegauge.arcs.reference import Model
    from treegauge.choice.probabilities import ArcChoices
    from treegauge.corpus.conllu import Corpus


@dataclass(frozen=True)
class Scorer:
    """A way to score arcs; `scores` gives NaN for an arc that has no place in its ranking."""

    name: str
    signature: str
    scores: Callable[[Corpus], np.ndarray] = field(repr=False)
    lisca: Lisca | None = field(default=None, repr=False)  # what the scores come from, if from LISCA
    leave_out: bool = False  # a sentence is not judged by itself
    explainer: Callable[[Corpus, np.ndarray], Sequence[Explanation]] | None = field(default=None, repr=False)
    choices: Callable[[Corpus], ArcChoices] | None = field(default=None, repr=False)  # the likeliest other arcs
    probabilities: bool = False  # scores are logarithms of probabilities

    def explain(self, corpus: Corpus, rows: np.ndarray) -> Sequence[Explanation]:
        """Why the arcs in these rows score as they do."""
        from treegauge.arcs.reasons import Explainer

        if self.explainer is not None:
            return self.explainer(corpus, rows)
        if self.lisca is None:
            raise OptionError(f"the scorer {self.name} gives no reasons; lisca and choice do")
        return Explainer(self.lisca).explain(corpus, rows, leave_out=self.leave_out)


def length_scores(corpus: Corpus) -> np.ndarray:
    """LS: minus the length of each arc; root arcs have none and are not ranked."""
    return np.where(corpus.head == 0, np.nan, -corpus.arc_length.astype(float))


def _lisca(name: str, model: Model, options: LiscaOptions | None, seed: int) -> Scorer:
    from treegauge.arcs.lisca import Lisca

    lisca = Lisca(model, options)
    return Scorer(name, lisca.signature, lisca.scores, lisca)


def _random(name: str, model: Model | None, options: LiscaOptions | None, seed: int) -> Scorer:
    """RS: a number from 0 to 1 for every arc."""
    rng = np.random.default_rng(seed)
    return Scorer(name, f"random|seed:{seed}|v{__version__}", lambda corpus: rng.random(corpus.n_words))


def _length(name: str, model: Model | None, options: LiscaOptions | None, seed: int) -> Scorer:
    return Scorer(name, f"length|v{__version__}", length_scores)


def _npmi(name: str, model: Model, options: LiscaOptions | None, seed: int) -> Scorer:
    from treegauge.arcs import npmi

    scores = {"ptr": npmi.ptr_scores, "ltr": npmi.ltr_scores, "lptr": npmi.lptr_scores}[name]
    settings = model.settings
    subtypes = "yes" if settings.subtypes else "no"
    signature = f"{name}|ref:{model.signature}|pos:{settings.pos}|subtypes:{subtypes}|v{__version__}"
    return Scorer(name, signature, lambda corpus: scores(corpus, model))


def _choice(name: str, model: Model, options: LiscaOptions | None, seed: int) -> Scorer:
    from treegauge.choice.probabilities import Choice
    from treegauge.choice.rivals import explain

    if model.choice is None:
        raise ModelError("the model holds counts only; the scorer choice needs one of `treegauge model build --choice`")
    choice = Choice(model.choice, model.signature.partition("@")[0])
    return Scorer(
        name,
        choice.signature,
        choice.scores,
        explainer=lambda corpus, rows: explain(choice, corpus, rows),
        choices=choice.choices,
        probabilities=True,
    )


# name -> how to make it, whether it needs a model
SCORERS: dict[str, tuple[Callable[..., Scorer], bool]] = {
    "lisca": (_lisca, True),
    "choice": (_choice, True),
    "random": (_random, False),
    "length": (_length, False),
    "ptr": (_npmi, True),
    "ltr": (_npmi, True),
    "lptr": (_npmi, True),
}


def columns_for(name: str) -> tuple[str, ...]:
    """The CoNLL-U columns that a corpus must have been read with for the scorer of that name."""
    usual = ("form", "lemma", "upos", "xpos", "deprel")
    return (*usual, "feats") if name in ("choice", "calibrated") else usual


def needs_model(name: str) -> bool:
    """Whether the scorer of that name needs a reference model."""
    if name not in SCORERS:
        raise OptionError(f"scorer {name!r}; expected one of {', '.join(SCORERS)}")
    return SCORERS[name][1]


def make_scorer(name: str, model: Model | None = None, options: LiscaOptions | None = None, seed: int = 0) -> Scorer:
    """The scorer of that name over a model; `options` are for LISCA, `seed` is for the random one."""
    if needs_model(name) and model is None:
        raise ModelError(f"the scorer {name} needs a model")
    return SCORERS[name][0](name, model, options, seed)
