"""A corpus and its scores, made once: rankings, reasons, suggestions and pages are all made from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.adapters.conllu_packages import set_on_conllu_objects
from treegauge.corpus.adapters.spacy_docs import set_on_spacy
from treegauge.corpus.adapters.stanza_docs import set_on_stanza
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.corpus.writing import with_misc
from treegauge.errors import OptionError, check_whole
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.fit import Fit
from treegauge.models.model import Model
from treegauge.ranking.accuracy import AccuracyCutter, kept_rows, whole_log_probs
from treegauge.ranking.columns import Column, Need, Rows, attribute_values, columns_of, misc_texts
from treegauge.ranking.ranking import Ranking, SentenceRanking
from treegauge.ranking.sorter import Sorter
from treegauge.ranking.units import Unit
from treegauge.ranking.verdicts import Verdict, accepted_arcs
from treegauge.scorers.registry import usual_scorer
from treegauge.scorers.scorer import Scorer

if TYPE_CHECKING:
    import pandas
    import polars
    from spacy.tokens import Doc


RELIABLE, SUSPICIOUS, CORPUS = "reliable", "suspicious", "corpus"
ORDERS = (RELIABLE, SUSPICIOUS, CORPUS)
BINS = 10


@dataclass(frozen=True, slots=True)
class Listing:
    """Which arcs a ranking lists, and in which order.

    relations: only these; a name with a subtype (`nsubj:pass`) is that subtype alone, one without stands for all its
    subtypes. Ranks and bins are then counted among them, unless bins_of_all. top: only the first so many of the order.
    accuracy: only the most reliable, as many as are right at this rate by their probabilities. wholly_right: of
    sentences, only those that are right in every arc with this probability or a higher one.
    """

    order: str = SUSPICIOUS
    top: int | None = None
    relations: Sequence[str] | None = None
    bins: int = BINS
    bins_of_all: bool = False
    accuracy: float | None = None
    wholly_right: float | None = None

    @property
    def cutter(self) -> AccuracyCutter | None:
        """What finds the items that are kept; None if all are."""
        if self.accuracy is not None and self.wholly_right is not None:
            raise OptionError("an accuracy and wholly right sentences exclude each other; expected one of them")
        if self.wholly_right is not None:
            return AccuracyCutter(self.wholly_right, wholly=True)
        return None if self.accuracy is None else AccuracyCutter(self.accuracy)

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise OptionError(f"order {self.order!r}; expected one of {', '.join(ORDERS)}")
        check_whole("bins", self.bins, 1)
        if self.top is not None:
            check_whole("top", self.top, 0)
        if self.relations is not None:  # a string is one name, not its characters
            names = (self.relations,) if isinstance(self.relations, str) else tuple(self.relations)
            object.__setattr__(self, "relations", names)

    def wants(self, corpus: Corpus) -> np.ndarray:
        """Whether each arc has one of the relations asked for."""
        labels = corpus.labels["deprel"]
        wanted = np.fromiter(map(self._wants_label, labels), dtype=bool, count=len(labels))
        return wanted[corpus.codes["deprel"]]

    def _wants_label(self, label: str) -> bool:
        return self.relations is None or label in self.relations or universal(label) in self.relations

    def check_relations(self, labels: Iterable[str]) -> None:
        """OptionError if no label of a corpus is one of the relations that are asked for."""
        if self.relations is not None and not any(map(self._wants_label, labels)):
            wanted, present = ", ".join(self.relations), ", ".join(sorted(labels))
            raise OptionError(f"no arc has relation {wanted}; there are {present}")


def reliable_order(scores: np.ndarray) -> np.ndarray:
    """Rows by descending score, equal scores in corpus order; the suspicious order is its exact reverse."""
    return np.argsort(-scores, kind="stable")


def bin_of(position: np.ndarray, n: int, bins: int) -> np.ndarray:
    """⌊i·bins/n⌋ + 1 for the arc at position i, from 0, of n: bin 1 holds the most reliable."""
    return position * bins // max(n, 1) + 1


@dataclass(frozen=True)
class Scored:
    """A corpus, its scorer, and the score of every arc (NaN for an arc that is not ranked)."""

    corpus: Corpus
    scorer: Scorer
    scores: np.ndarray = field(repr=False)

    @property
    def signature(self) -> str:
        """The settings behind the scores."""
        return self.scorer.signature

    @property
    def unranked(self) -> int:
        """How many arcs are not ranked."""
        return int(np.isnan(self.scores).sum())

    @cached_property
    def sentence_scores(self) -> np.ndarray:
        """The mean score of the arcs of each sentence."""
        return sentence_scores(self.corpus, self.scores)

    @property
    def sentence_probabilities(self) -> np.ndarray:
        """The mean probability of the arcs of each sentence, if scores are log probabilities; NaN if no arc has one."""
        return sentence_scores(self.corpus, np.exp(self.scores))

    @property
    def sentence_log_whole(self) -> np.ndarray:
        """log p of all arcs of each sentence being right, if scores are log probabilities."""
        return whole_log_probs(self.scores, self.corpus.start)

    def rank(
        self,
        order: str = SUSPICIOUS,
        *,
        top: int | None = None,
        relations: Sequence[str] | None = None,
        bins: int = BINS,
        bins_of_all: bool = False,
    ) -> Ranking:
        """Rank the arcs: see `Listing`. Arcs whose score is NaN are left out."""
        listing = Listing(order, top, relations, bins, bins_of_all)
        if self.corpus.n_words:
            listing.check_relations(self.corpus.labels["deprel"])
        rows, place, ranked = ranked_rows(self.scores, listing.wants(self.corpus), listing)
        return Ranking(self, rows, ranked - place, bin_of(place, ranked, bins), self.unranked)

    def rank_sentences(self, order: str = SUSPICIOUS, *, top: int | None = None, bins: int = BINS) -> SentenceRanking:
        """Rank the sentences by the mean score of their arcs."""
        listing = Listing(order, top, bins=bins)
        rows, place, ranked = ranked_rows(self.sentence_scores, np.ones(self.corpus.n_sentences, dtype=bool), listing)
        return SentenceRanking(self, rows, ranked - place, bin_of(place, ranked, bins))

    def kept(self, accuracy: float) -> np.ndarray:
        """The rows of the most reliable arcs: as many as are right at this rate, by their probabilities."""
        self.check_probabilities()
        return kept_rows(np.exp(self.scores), accuracy)

    def check_probabilities(self) -> None:
        """OptionError if the scores are no probabilities."""
        if not self.scorer.probabilities:
            raise OptionError(
                f"the scores of {self.scorer.name} are no probabilities; expected those of a calibration "
                "(`treegauge calibrate`, with the same other parses if there are any)"
            )

    def explain(self, rows: np.ndarray | Sequence[int]) -> Sequence[Explanation]:
        """What speaks against the arcs in these rows."""
        return self.scorer.explain(self.corpus, self._rows(rows))

    def alternatives(self, rows: np.ndarray | Sequence[int]) -> Alternatives:
        """The likeliest other arcs of the words in these rows."""
        return self.scorer.alternatives(self.corpus, self._rows(rows))

    def _rows(self, rows: np.ndarray | Sequence[int]) -> np.ndarray:
        """Rows as an array; OptionError if one is no word of the corpus."""
        found = np.asarray(rows)
        whole = not found.size or np.issubdtype(found.dtype, np.integer)
        if found.ndim != 1 or not whole or (found.size and not 0 <= found.min() <= found.max() < self.corpus.n_words):
            raise OptionError(f"rows {rows!r:.80}; expected numbers from 0 to {self.corpus.n_words - 1:,}")
        return found.astype(np.int64)

    @cached_property
    def fit(self) -> Fit | None:
        """How well the model fits the corpus; None if that is not known."""
        return self.scorer.fit(self.corpus)

    def word_values(self, suggest: bool = True) -> dict[str, list[Any]]:
        """What tokens of other packages get, by the name of the attribute; suggest: likelier arcs, too."""
        return attribute_values(*self._word_columns(suggest))

    def _word_columns(self, suggest: bool = True) -> tuple[list[Column], Rows]:
        """The columns of all words as they stand."""
        scorer, needs = self.scorer, []
        if suggest and scorer.suggests:
            needs.append(Need.ALTERNATIVES)
        if scorer.tag_choices and scorer.tag_choices(self.corpus) is not None:
            needs.append(Need.TAGS)
        return columns_of(Unit.ARC, scorer, needs), Rows(self, np.arange(self.corpus.n_words), only_likelier=True)

    def to_spacy(self, docs: Doc | Iterable[Doc], *, suggest: bool = True) -> None:
        """Set `token._.arc_probability` and so on, on the documents that the corpus was made of by `from_spacy`."""
        set_on_spacy(docs, self.corpus, self.word_values(suggest))

    def to_stanza(self, docs: Any, *, suggest: bool = True) -> None:
        """Set `word.arc_probability` and so on, on the documents that the corpus was made of by `from_stanza`."""
        columns, rows = self._word_columns(suggest)
        set_on_stanza(docs, self.corpus, attribute_values(columns, rows), misc_texts(columns, rows))

    def to_conllu_objects(self, objects: Any) -> None:
        """Set `Probability` and so on in MISC of the objects that the corpus was made of by `from_conllu_objects`."""
        set_on_conllu_objects(objects, self.corpus, misc_texts(*self._word_columns()))

    def to_conllu(self) -> str:
        """The corpus as CoNLL-U, with `Probability` and so on in MISC."""
        return with_misc(self.corpus, misc_texts(*self._word_columns())).decode()

    def to_dict(self) -> dict[str, Any]:
        """Title, signature and all arcs as they stand."""
        return self.rank(CORPUS).to_dict()

    def to_polars(self) -> polars.DataFrame:
        """All arcs as they stand, as a polars data frame."""
        return self.rank(CORPUS).to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """All arcs as they stand, as a pandas data frame."""
        return self.rank(CORPUS).to_pandas()

    def _repr_html_(self) -> str:
        return self.rank(top=20)._repr_html_()

    def without_accepted(self, verdicts: Iterable[Verdict]) -> Scored:
        """The same without scores for arcs that somebody accepted, so that they are not ranked."""
        return replace(self, scores=np.where(accepted_arcs(self.corpus, verdicts), np.nan, self.scores))


def score(source: CorpusSource, scorer: Scorer | Model | str | os.PathLike[str]) -> Scored:
    """A corpus (a path, several paths, or one that was read) with the scores of its arcs.

    scorer: a scorer; or a model, its file, or the code of a bundled one, whose usual scorer is used.
    """
    scorer = usual_scorer(scorer)
    corpus = as_corpus(source, columns=scorer.columns)
    return Scored(corpus, scorer, scorer.scores(corpus))


def sentence_scores(corpus: Corpus, scores: np.ndarray) -> np.ndarray:
    """The mean score of each sentence's arcs; arcs without a score (NaN) do not count, NaN where none has one."""
    known = ~np.isnan(scores)
    arcs = np.bincount(corpus.sentence[known], minlength=corpus.n_sentences)
    total = np.bincount(corpus.sentence[known], scores[known], minlength=corpus.n_sentences)
    return np.where(arcs > 0, total / np.maximum(arcs, 1), np.nan)


def ranked_rows(values: np.ndarray, wanted: np.ndarray, listing: Listing) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows of a listing in its order; their places, where 0 is the most reliable; how many are ranked."""
    known = ~np.isnan(values)
    ranked = np.flatnonzero(known if listing.bins_of_all else known & wanted)
    sorter = Sorter(listing.order == SUSPICIOUS)
    sorter.add(values[ranked], ranked)
    in_order = np.concatenate([block.row for block in sorter.blocks()])
    place = np.arange(len(in_order))
    place = place[::-1] if listing.order == SUSPICIOUS else place
    chosen = wanted[in_order]
    rows, place = in_order[chosen], place[chosen]
    if listing.order == CORPUS:
        order = np.argsort(rows)
        rows, place = rows[order], place[order]
    return rows[: listing.top], place[: listing.top], len(ranked)
