"""A corpus and its scores, made once; rankings, reasons, suggestions, pages and judgements take it from here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus
from treegauge.corpus.lines import with_misc
from treegauge.errors import OptionError
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.fit import Fit
from treegauge.objects.conllu_packages import set_on_conllu_objects
from treegauge.objects.spacy_docs import set_on_spacy
from treegauge.objects.stanza_docs import set_on_stanza
from treegauge.objects.word_values import OtherArc, WordValues
from treegauge.ranking.accuracy import kept_rows
from treegauge.ranking.listing import BINS, CORPUS, SUSPICIOUS, Listing, bin_of
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.sentences import SentenceRanking, sentence_probabilities, sentence_scores
from treegauge.ranking.sorter import Sorter
from treegauge.scorers.scorer import Scorer

if TYPE_CHECKING:
    import pandas
    import polars
    from spacy.tokens import Doc

    from treegauge.ranking.verdicts import Verdict


@dataclass(frozen=True)
class Scored:
    """A corpus, the scorer it was given to, and the score of every arc (NaN for one that has no place)."""

    corpus: Corpus
    scorer: Scorer
    scores: np.ndarray = field(repr=False)

    @property
    def signature(self) -> str:
        """The settings behind the scores."""
        return self.scorer.signature

    @property
    def unranked(self) -> int:
        """How many arcs have no place."""
        return int(np.isnan(self.scores).sum())

    @cached_property
    def sentence_scores(self) -> np.ndarray:
        """The mean score of the arcs of each sentence."""
        return sentence_scores(self.corpus, self.scores)

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

    def kept_sentences(self, accuracy: float) -> np.ndarray:
        """The most reliable sentences: as many as have arcs that are right at this rate, by their probabilities."""
        self.check_probabilities()
        words = np.diff(self.corpus.start)
        return kept_rows(sentence_probabilities(self.corpus, self.scores), accuracy, words)

    def check_probabilities(self) -> None:
        """OptionError where the scores are no probabilities."""
        if not self.scorer.probabilities:
            raise OptionError(
                f"the scores of {self.scorer.name} are no probabilities; expected those of a calibration "
                "(`treegauge calibrate`, with the same other parses if there are any)"
            )

    def explain(self, rows: np.ndarray | Sequence[int]) -> Sequence[Explanation]:
        """What speaks against the arcs in these rows."""
        return self.scorer.explain(self.corpus, np.asarray(rows, dtype=np.int64))

    def alternatives(self, rows: np.ndarray | Sequence[int]) -> Alternatives:
        """The likeliest other arcs of the words in these rows."""
        return self.scorer.alternatives(self.corpus, np.asarray(rows, dtype=np.int64))

    @cached_property
    def fit(self) -> Fit | None:
        """How well the model fits the corpus, where that is known."""
        return self.scorer.fit(self.corpus)

    def word_values(self, suggest: bool = True) -> WordValues:
        """What is known of each word, to be written elsewhere; suggest: the arcs that are likelier, too."""
        scorer, none = self.scorer, [None] * self.corpus.n_words
        scores = [None if value != value else value for value in self.scores.tolist()]
        probabilities = [None if value is None else math.exp(value) for value in scores]
        tags = scorer.tag_choices and scorer.tag_choices(self.corpus)
        others: list[OtherArc | None] = [*none]
        if suggest and scorer.suggests and self.corpus.n_words:
            rows, found = scorer.likelier(self.corpus)
            columns = found.head.tolist(), found.relation.tolist(), np.exp(found.log_prob).tolist()
            for row, *arc in zip(rows.tolist(), *columns, strict=True):
                others[row] = OtherArc(*arc)
        return WordValues(
            scores,
            probabilities if scorer.probabilities else none,
            none if tags is None else np.exp(tags.log_prob).tolist(),
            others,
        )

    def to_spacy(self, docs: Doc | Iterable[Doc]) -> None:
        """Set `token._.arc_probability` and so on, on the documents that the corpus was made of by `from_spacy`."""
        set_on_spacy(docs, self.corpus, self.word_values())

    def to_stanza(self, docs: Any) -> None:
        """Set `word.arc_probability` and so on, on the documents that the corpus was made of by `from_stanza`."""
        set_on_stanza(docs, self.corpus, self.word_values())

    def to_conllu_objects(self, objects: Any) -> None:
        """Set `Probability` and so on in MISC of the objects that the corpus was made of by `from_conllu_objects`."""
        set_on_conllu_objects(objects, self.corpus, self.word_values())

    def to_conllu(self) -> str:
        """The corpus as CoNLL-U, with `Probability` and so on in MISC."""
        words = [value.misc() for value in self.word_values()]
        names = dict.fromkeys(name for word in words for name in word)
        return with_misc(self.corpus, {name: [word.get(name) for word in words] for name in names}).decode()

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
        """The same with no score for arcs that somebody accepted: they are not ranked."""
        from treegauge.ranking.verdicts import accepted_arcs

        return replace(self, scores=np.where(accepted_arcs(self.corpus, verdicts), np.nan, self.scores))


def score(source: CorpusSource, scorer: Scorer) -> Scored:
    """A corpus (a path, several, or one that was read) scored by a scorer: one pass, whatever is asked of it then."""
    corpus = as_corpus(source, columns=scorer.columns)
    return Scored(corpus, scorer, scorer.scores(corpus))


def ranked_rows(values: np.ndarray, wanted: np.ndarray, listing: Listing) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows that a listing has, in its order; their places from the most reliable, from 0; how many are ranked."""
    known = ~np.isnan(values)
    ranked = np.flatnonzero(known if listing.bins_of_all else known & wanted)
    sorter = Sorter(listing.order == SUSPICIOUS)
    sorter.add(values[ranked], ranked)
    (block,) = sorter.blocks()
    place = np.arange(len(block))
    place = place[::-1] if listing.order == SUSPICIOUS else place
    chosen = wanted[block.row]
    rows, place = block.row[chosen], place[chosen]
    if listing.order == CORPUS:
        order = np.argsort(rows)
        rows, place = rows[order], place[order]
    return rows[: listing.top], place[: listing.top], len(ranked)
