"""Scores into a ranking: an order of arcs, their ranks and bins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars

RELIABLE, SUSPICIOUS, CORPUS = "reliable", "suspicious", "corpus"
ORDERS = (RELIABLE, SUSPICIOUS, CORPUS)


def reliable_order(scores: np.ndarray) -> np.ndarray:
    """Rows by descending score, equal scores in corpus order; the suspicious order is its exact reverse."""
    return np.argsort(-scores, kind="stable")


def bin_of(position: np.ndarray, n: int, bins: int) -> np.ndarray:
    """⌊i·bins/n⌋ + 1 for the arc at position i, from 0, of n: bin 1 holds the most reliable."""
    return position * bins // max(n, 1) + 1


@dataclass(frozen=True)
class Ranking:
    """Arcs of a corpus in an order; row k of each array is the k-th arc of that order."""

    corpus: Corpus
    signature: str
    row: np.ndarray  # in the corpus
    score: np.ndarray
    rank: np.ndarray  # in the reliable order, from 1, whatever the order here
    bin: np.ndarray
    unranked: int = field(default=0)  # arcs that the scorer gives no place, such as root arcs by length
    probabilities: bool = False  # scores are logarithms of probabilities, which are shown, too
    extra: dict[str, list[Any]] = field(default_factory=dict, repr=False)  # further columns, in this order

    def __len__(self) -> int:
        return len(self.row)

    def columns(self, part: slice = slice(None)) -> dict[str, list[Any]]:
        """The table's columns by name, or a part of them."""
        corpus, row = self.corpus, self.row[part]
        sentence = corpus.sentence[row]
        forms, relations = corpus.labels["form"], corpus.labels["deprel"]
        return {
            "rank": self.rank[part].tolist(),
            "sent_id": [corpus.sent_ids[s] for s in sentence.tolist()],
            "sentence": corpus.number[sentence].tolist(),
            "id": corpus.position[row].tolist(),
            "form": [forms[code] for code in corpus.codes["form"][row].tolist()],
            "head": corpus.head[row].tolist(),
            "deprel": [relations[code] for code in corpus.codes["deprel"][row].tolist()],
            "log_score": self.score[part].tolist(),
            **({"probability": np.exp(self.score[part]).tolist()} if self.probabilities else {}),
            "bin": self.bin[part].tolist(),
            **{name: values[part] for name, values in self.extra.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """The signature, and the arcs as records."""
        columns = self.columns()
        arcs = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return {"signature": self.signature, "unranked": self.unranked, "arcs": arcs}

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars data frame."""
        import polars

        return polars.DataFrame(self.columns(), schema_overrides={"sent_id": polars.String, "form": polars.String})

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame (extra `pandas`)."""
        return self.to_polars().to_pandas()

    def _repr_html_(self) -> str:
        from treegauge.reports.notebook import ranking_html  # presentation only, when a notebook asks

        return ranking_html(self)


def rank_arcs(
    corpus: Corpus,
    scores: np.ndarray,
    signature: str = "",
    *,
    order: str = RELIABLE,
    top: int | None = None,
    relations: Sequence[str] | None = None,
    bins: int = 10,
    bins_of_all: bool = False,
    probabilities: bool = False,
) -> Ranking:
    """Rank the arcs of a corpus by their scores.

    relations: only these, a name with a subtype (`nsubj:pass`) for just that, without one for all its subtypes; ranks
    and bins are then those among them, unless bins_of_all. top: only the first so many of the order asked for.
    Arcs whose score is NaN are left out. probabilities: scores are logarithms of them.
    """
    if order not in ORDERS:
        raise OptionError(f"order {order!r}; expected one of {', '.join(ORDERS)}")
    if bins < 1:
        raise OptionError(f"bins {bins}; expected 1 or more")
    if top is not None and top < 0:
        raise OptionError(f"top {top}; expected 0 or more")
    has_score = ~np.isnan(scores)
    chosen = has_score & _has_relation(corpus, relations)
    ranked = reliable_order(scores)
    ranked = ranked[(has_score if bins_of_all else chosen)[ranked]]
    position = np.empty(corpus.n_words, dtype=np.int64)
    position[ranked] = np.arange(len(ranked))
    rows = np.flatnonzero(chosen) if order == CORPUS else ranked[chosen[ranked]]
    if order == SUSPICIOUS:
        rows = rows[::-1]
    rows = rows[:top]
    return Ranking(
        corpus,
        signature,
        rows,
        scores[rows],
        position[rows] + 1,
        bin_of(position[rows], len(ranked), bins),
        int((~has_score).sum()),
        probabilities,
    )


def _has_relation(corpus: Corpus, relations: Sequence[str] | None) -> np.ndarray:
    """Whether each arc has one of these relations."""
    if relations is None:
        return np.ones(corpus.n_words, dtype=bool)
    labels = corpus.labels["deprel"]
    if corpus.n_words:
        check_relations(labels, relations)
    return has_relation(corpus, relations)


def has_relation(corpus: Corpus, relations: Sequence[str]) -> np.ndarray:
    """Whether each arc has one of these relations; a name without a subtype stands for all its subtypes."""
    wanted = [label in relations or universal(label) in relations for label in corpus.labels["deprel"]]
    return np.array(wanted, dtype=bool)[corpus.codes["deprel"]] if wanted else np.zeros(0, dtype=bool)


def check_relations(labels: Iterable[str], relations: Sequence[str]) -> None:
    """Refuse relations none of which is among the labels of a corpus."""
    if not any(label in relations or universal(label) in relations for label in labels):
        raise OptionError(f"no arc has relation {', '.join(relations)}; there are {', '.join(sorted(labels))}")
