"""The protocol of scorers: each gives every arc of a corpus a number, higher for a more reliable arc."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus
    from treegauge.explanations import Alternatives, Explanation
    from treegauge.models.fit import Fit
    from treegauge.models.lisca.reference import Reference

Result = TypeVar("Result")
SHOWN_COLUMNS = ("form", "upos", "deprel")  # what tables and drawings need of a corpus


class Scorer:
    """A scorer. It makes one pass over a corpus, whatever is asked about it.

    Every scorer gives scores; whether it also gives reasons and other arcs, `explains` and `suggests` tell.
    """

    probabilities = False  # scores are logarithms of probabilities
    explains = False
    suggests = False
    meaning = ""  # what its scores mean, in words
    _notes: tuple[str, ...] = ()
    tag_choices: Any = None  # a function: how plausible the tags of a corpus are; None if the scorer does not know
    reference: Reference | None = None  # the counts that the scores come from, if there are any

    def __init__(self, name: str, signature: str, columns: tuple[str, ...] = ()) -> None:
        """columns: a corpus must be read with these, beside the columns that are shown."""
        self.name: str = name
        self.signature: str = signature
        self.columns: tuple[str, ...] = tuple(dict.fromkeys((*SHOWN_COLUMNS, *columns)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.signature})"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know after the corpus was scored."""
        return self._notes

    @property
    def about(self) -> str:
        """The first line about a ranking: the scorer, its model and settings, and what the scores mean."""
        return f"{self.signature}: {self.meaning}" if self.meaning else self.signature

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc; NaN for one that has no place in a ranking."""
        raise NotImplementedError

    def explain(self, corpus: Corpus, rows: np.ndarray) -> Sequence[Explanation]:
        """What speaks against the arcs in these rows."""
        raise OptionError(f"the scorer {self.name} gives no reasons; lisca and choice do")

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs of the words in these rows."""
        raise OptionError(f"the scorer {self.name} has no suggestions; choice has")

    def likelier(self, corpus: Corpus) -> tuple[np.ndarray, Alternatives]:
        """The rows of words that would rather have another arc, and these arcs."""
        return self.likelier_among(corpus, np.arange(corpus.n_words))

    def likelier_among(self, corpus: Corpus, rows: np.ndarray) -> tuple[np.ndarray, Alternatives]:
        """The rows, among these, of words that would rather have another arc, and these arcs."""
        others = self.alternatives(corpus, rows)
        better = (others.head >= 0) & (others.log_prob > others.own_log_prob)
        return rows[better], others.some(better)

    def fit(self, corpus: Corpus) -> Fit | None:
        """How well the model fits the corpus, where that is known."""
        return None


class PerCorpus(Generic[Result]):
    """The results of a function for each corpus, computed once and kept for as long as the corpus exists."""

    def __init__(self, function: Callable[[Corpus], Result]) -> None:
        self._function = function
        self._known: dict[int, tuple[weakref.ref[Corpus], Result]] = {}  # by address, because a corpus has no hash

    def __call__(self, corpus: Corpus) -> Result:
        """The result for a corpus."""
        place = id(corpus)
        if place not in self._known:
            forget = weakref.ref(corpus, lambda _: self._known.pop(place, None))
            self._known[place] = forget, self._function(corpus)
        return self._known[place][1]

    def __reduce__(self) -> tuple[type[PerCorpus[Result]], tuple[Callable[[Corpus], Result]]]:
        return PerCorpus, (self._function,)  # results do not go to another process
