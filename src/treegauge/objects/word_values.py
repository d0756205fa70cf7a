"""What is written back onto words of other packages: probabilities, and likelier arcs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from treegauge.corpus.conllu import Corpus
from treegauge.errors import CorpusError
from treegauge.wording import counted


class OtherArc(NamedTuple):
    """An arc that a word would rather have: position of the head (0 = root), relation, probability."""

    head: int
    deprel: str
    probability: float


@dataclass(frozen=True, slots=True)
class WordValues:
    """For each word of a corpus, in its order; None where a value is not known, or no other arc is likelier."""

    arc_score: Sequence[float | None]
    arc_probability: Sequence[float | None]
    tag_probability: Sequence[float | None]
    arc_suggestion: Sequence[OtherArc | None]

    def __iter__(self) -> Iterator[OneWord]:
        return map(OneWord, *(getattr(self, field.name) for field in fields(self)))


class OneWord(NamedTuple):
    """The values of one word."""

    arc_score: float | None
    arc_probability: float | None
    tag_probability: float | None
    arc_suggestion: OtherArc | None

    def misc(self) -> dict[str, str]:
        """What MISC has of it, by name."""
        found: dict[str, object] = {
            "LogScore": self.arc_score,
            "Probability": self.arc_probability,
            "TagProbability": self.tag_probability,
        }
        if self.arc_suggestion is not None:
            head, deprel, probability = self.arc_suggestion
            found |= {"RatherHead": head, "RatherDeprel": deprel, "RatherProbability": probability}
        return {
            name: f"{value:.4g}" if isinstance(value, float) else str(value)
            for name, value in found.items()
            if value is not None
        }


def check_words(corpus: Corpus, forms: Iterable[str], what: str) -> None:
    """CorpusError unless these are the words of the corpus, one by one."""
    given = list(forms)
    labels = corpus.labels["form"]
    have = [labels[code] for code in corpus.codes["form"].tolist()]
    if given == have:
        return
    if len(given) != len(have):
        problem = f"{counted(len(given), 'word')}; expected the {len(have):,} that were scored"
    else:
        k = next(k for k, (one, other) in enumerate(zip(given, have, strict=True)) if one != other)
        problem = f"word {k + 1} is {given[k]!r}; expected {have[k]!r}, which was scored"
    raise CorpusError(f"{what}: {problem}")
