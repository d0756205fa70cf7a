"""How well a model fits a corpus: what the corpus has that the model has never seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from treegauge.arcs.lisca import Lisca
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model does not know of a corpus; the fits of two corpora add up."""

    words: int
    unseen_arcs: int  # those with a factor never seen, so that their product is 0
    unseen_tags: Counter[str]  # label -> words that have it
    unseen_relations: Counter[str]
    unseen_lengths: Counter[int]  # words of a sentence -> sentences for which the range held nothing

    @property
    def share_unseen(self) -> float:
        """The share of the arcs that have a factor never seen."""
        return self.unseen_arcs / self.words if self.words else 0.0

    def __add__(self, other: Fit) -> Fit:
        pairs = ((getattr(self, one.name), getattr(other, one.name)) for one in fields(self))
        return Fit(*(one + more for one, more in pairs))

    def to_dict(self) -> dict[str, Any]:
        """All of it, by name."""
        counts = {one.name: getattr(self, one.name) for one in fields(self)}
        return {"share_unseen": self.share_unseen} | {
            name: dict(value) if isinstance(value, Counter) else value for name, value in counts.items()
        }

    def lines(self) -> list[str]:
        """In words, a line for each thing worth knowing."""
        lines = [f"{100 * self.share_unseen:.1f} % of {self.words:,} arcs have a factor never seen"]
        for what, unseen in (("tags", self.unseen_tags), ("relations", self.unseen_relations)):
            if unseen:
                some = ", ".join(f"{label} ({n:,})" for label, n in sorted(unseen.items(), key=lambda i: -i[1])[:8])
                lines.append(f"{what} the model has not: {some}{', …' if len(unseen) > 8 else ''}")
        if self.unseen_lengths:
            lengths = ", ".join(map(str, sorted(self.unseen_lengths)[:8]))
            lines.append(
                f"{sum(self.unseen_lengths.values()):,} sentences of lengths outside the reference: {lengths}"
                f"{', …' if len(self.unseen_lengths) > 8 else ''} words"
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
