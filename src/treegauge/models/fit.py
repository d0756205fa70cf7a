"""How well a model fits a corpus: what the corpus has that the model has never seen."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treegauge.arcs.lisca import Lisca
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model does not know of a corpus."""

    words: int
    unseen_tags: dict[str, int]  # label -> words that have it
    unseen_relations: dict[str, int]
    unseen_lengths: dict[int, int]  # words of a sentence -> sentences for which the range held nothing
    share_unseen: float  # of the arcs: those with a factor never seen, so that their product is 0

    def to_dict(self) -> dict[str, Any]:
        """All of it, by name."""
        return asdict(self)

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


def add_fits(one: Fit, other: Fit) -> Fit:
    """How well the model fits two corpora together."""
    words = one.words + other.words
    unseen = round(one.share_unseen * one.words) + round(other.share_unseen * other.words)
    lengths = Counter(one.unseen_lengths) + Counter(other.unseen_lengths)
    return Fit(
        words,
        dict(Counter(one.unseen_tags) + Counter(other.unseen_tags)),
        dict(Counter(one.unseen_relations) + Counter(other.unseen_relations)),
        dict(lengths),
        unseen / words if words else 0.0,
    )


def model_fit(corpus: Corpus, lisca: Lisca) -> Fit:
    """How well the model of a Lisca fits a corpus."""
    model, pos = lisca.model, lisca.model.settings.pos
    relation_of = (lambda label: label) if model.settings.subtypes else universal
    unsmoothed = lisca.unsmoothed()
    zero = np.isneginf(unsmoothed.scores(corpus))
    lengths = Counter(np.diff(corpus.start).tolist())
    return Fit(
        corpus.n_words,
        _unseen(corpus, pos, lambda label: label, model.tags),
        _unseen(corpus, "deprel", relation_of, model.relations),
        {length: n for length, n in lengths.items() if unsmoothed.range(length).totals("N")[0] == 0},
        float(zero.mean()) if corpus.n_words else 0.0,
    )


def _unseen(corpus: Corpus, column: str, name_of: Any, known: tuple[str, ...]) -> dict[str, int]:
    unseen: Counter[str] = Counter()
    times = np.bincount(corpus.codes[column], minlength=len(corpus.labels[column]))
    for label, n in zip(corpus.labels[column], times.tolist(), strict=True):
        if n and name_of(label) not in known:
            unseen[name_of(label)] += n
    return dict(unseen)
