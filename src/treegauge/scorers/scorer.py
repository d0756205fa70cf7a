"""What every scorer can do: a corpus in, a number for every arc out, higher for more reliable."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from treegauge.errors import OptionError

if TYPE_CHECKING:
    import numpy as np

    from treegauge.arcs.reference import Reference
    from treegauge.corpus.conllu import Corpus
    from treegauge.explanations import Alternatives, Explanation
    from treegauge.models.fit import Fit

Found = TypeVar("Found")
SHOWN_COLUMNS = ("form", "upos", "deprel")  # what tables and drawings need of a corpus


class Scorer(Protocol):
    """A way to score arcs. Whatever is asked about one corpus takes one pass over it."""

    name: str
    signature: str
    columns: tuple[str, ...]  # that a corpus must have been read with
    probabilities: bool  # scores are logarithms of probabilities
    explains: bool
    suggests: bool
    notes: tuple[str, ...]  # what its user should know
    reference: Reference | None  # the counts that the scores come from, if they do

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc; NaN for one that has no place in a ranking."""
        ...

    def explain(self, corpus: Corpus, rows: np.ndarray) -> Sequence[Explanation]:
        """What speaks against the arcs in these rows."""
        ...

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs of the words in these rows."""
        ...

    def fit(self, corpus: Corpus) -> Fit | None:
        """How well the model fits the corpus, where that is known."""
        ...


class PlainScorer:
    """A scorer that gives neither reasons nor alternatives; others build on it."""

    probabilities = False
    explains = False
    suggests = False
    notes: tuple[str, ...] = ()
    reference: Reference | None = None

    def __init__(self, name: str, signature: str, columns: tuple[str, ...] = ()) -> None:
        self.name, self.signature = name, signature
        self.columns = tuple(dict.fromkeys((*SHOWN_COLUMNS, *columns)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.signature})"

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc."""
        raise NotImplementedError

    def explain(self, corpus: Corpus, rows: np.ndarray) -> Sequence[Explanation]:
        """No reasons."""
        raise no_reasons(self.name)

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """No alternatives."""
        raise no_suggestions(self.name)

    def fit(self, corpus: Corpus) -> Fit | None:
        """Nothing is known."""
        return None


def no_reasons(name: str) -> OptionError:
    """What to raise where reasons are asked of a scorer that has none."""
    return OptionError(f"the scorer {name} gives no reasons; lisca and choice do")


def no_suggestions(name: str) -> OptionError:
    """What to raise where other arcs are asked of a scorer that has none."""
    return OptionError(f"the scorer {name} has no suggestions; choice has")


class Remembered(Generic[Found]):
    """What a pass over a corpus found, kept until another corpus is asked about or this one is gone."""

    def __init__(self, find: Callable[[Corpus], Found]) -> None:
        self._find = find
        self._known: tuple[weakref.ref[Corpus], Found] | None = None

    def __call__(self, corpus: Corpus) -> Found:
        """What is found in a corpus."""
        if self._known is None or self._known[0]() is not corpus:
            self._known = None  # two of them need not be held at once
            self._known = weakref.ref(corpus), self._find(corpus)
        return self._known[1]
