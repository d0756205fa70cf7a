"""How well a model fits a corpus: what the model has never seen, and whether the language is the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.models.lisca.score import Lisca
from treegauge.models.model import Model
from treegauge.wording import counted


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model does not know of a corpus; the fits of two corpora add up."""

    words: int
    unseen_arcs: int  # arcs with a factor that was never seen, so that their product is 0
    unseen_tags: Counter[str]  # label -> words that have it
    unseen_relations: Counter[str]
    unseen_lengths: Counter[int]  # words of a sentence -> sentences for which the range held nothing

    @property
    def share_unseen(self) -> float:
        """The share of the arcs that have a factor never seen."""
        return self.unseen_arcs / self.words if self.words else 0.0

    def __add__(self, other: Fit) -> Fit:
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return Fit(*(each + more for each, more in pairs))

    def to_dict(self) -> dict[str, Any]:
        """Every number by name."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"share_unseen": self.share_unseen} | {
            name: dict(value) if isinstance(value, Counter) else value for name, value in counts.items()
        }

    def lines(self) -> list[str]:
        """The fit in words, a line for each fact."""
        have = "has" if self.words == 1 else "have"
        lines = [f"{100 * self.share_unseen:.1f} % of {counted(self.words, 'arc')} {have} a factor never seen"]
        for what, unseen in (("tags", self.unseen_tags), ("relations", self.unseen_relations)):
            if unseen:
                some = ", ".join(f"{label} ({n:,})" for label, n in sorted(unseen.items(), key=lambda i: -i[1])[:8])
                lines.append(f"{what} the model does not have: {some}{', …' if len(unseen) > 8 else ''}")
        if self.unseen_lengths:
            lengths = ", ".join(map(str, sorted(self.unseen_lengths)[:8]))
            lines.append(
                f"{counted(sum(self.unseen_lengths.values()), 'sentence')} of lengths outside the reference: {lengths}"
                f"{', …' if len(self.unseen_lengths) > 8 else ''} {'word' if lengths == '1' else 'words'}"
            )
        return lines


def model_fit(corpus: Corpus, lisca: Lisca, unseen: np.ndarray) -> Fit:
    """How well the reference of a Lisca fits a corpus; unseen: which arcs have a factor never seen."""
    reference, pos = lisca.reference, lisca.reference.settings.pos
    relation_of = (lambda label: label) if reference.settings.subtypes else universal
    lengths = Counter(np.diff(corpus.start).tolist())
    return Fit(
        corpus.n_words,
        int(unseen.sum()),
        _unseen(corpus, pos, lambda label: label, reference.tags),
        _unseen(corpus, "deprel", relation_of, reference.relations),
        Counter({length: n for length, n in lengths.items() if lisca.is_empty(length)}),
    )


def _unseen(corpus: Corpus, column: str, name_of: Any, known: tuple[str, ...]) -> Counter[str]:
    unseen: Counter[str] = Counter()
    times = np.bincount(corpus.codes[column], minlength=len(corpus.labels[column]))
    for label, n in zip(corpus.labels[column], times.tolist(), strict=True):
        if n and name_of(label) not in known:
            unseen[name_of(label)] += n
    return unseen


_MOST_UNKNOWN = 0.1  # a model fits if at most this share of the words has a tag or relation new to it


def misfit(corpus: Corpus, model: Model, code: str | None = None) -> str | None:
    """Why a model does not fit a corpus, and what to do; None where nothing speaks against it.

    code: the language of the model, if it is a bundled one. A corpus does not fit if its words are clearly of another
    language that has a bundled model, or if a tenth of them have a tag or a relation that the model has never seen.
    """
    from treegauge.models.bundled_models import bundled_models, form_counts, guess_language

    guess = guess_language(form_counts([corpus])) if code else None
    if code and guess and guess.surely_not(code):
        names = {entry.code: f"{entry.language} ({entry.code})" for entry in bundled_models()}
        likely = names.get(guess.code, guess.code)
        return f"the words look like {likely}, the model is of {names.get(code, code)}: try --model {guess.code}"
    known = {universal(name) for name in model.reference.relations}
    for what, unseen in (
        (f"{model.settings.pos} tag", _unseen(corpus, model.settings.pos, lambda label: label, model.reference.tags)),
        ("relation", _unseen(corpus, "deprel", universal, tuple(known))),
    ):
        n = sum(unseen.values())
        if n > _MOST_UNKNOWN * corpus.n_words:
            some = ", ".join(label for label, _ in unseen.most_common(4))
            share = (
                f"{100 * n / corpus.n_words:.0f} % of the words have a {what} that the model has never seen ({some})"
            )
            return f"{share}: build a model from text of the same kind (`treegauge model build`)"
    return None
