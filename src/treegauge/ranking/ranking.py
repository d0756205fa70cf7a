"""A ranking: arcs of a scored corpus in an order, with their ranks and bins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from treegauge.extras import needed
from treegauge.tables import finite

if TYPE_CHECKING:
    import pandas
    import polars

    from treegauge.explanations import Explanation
    from treegauge.ranking.scored import Scored


@dataclass(frozen=True, repr=False)
class Ranking:
    """Row k of each array is the k-th of the order. `ranking[:10]` and `ranking[mask]` are rankings, too."""

    title: ClassVar[str] = "Arcs by plausibility"

    scored: Scored
    row: np.ndarray  # in the corpus
    rank: np.ndarray  # 1 is the most suspicious, whatever the order here
    bin: np.ndarray
    unranked: int = field(default=0)  # arcs that the scorer gives no place, such as root arcs by length

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self):,} of {self.scored.corpus.path!r}, {self.scored.signature})"

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, wanted: slice | np.ndarray) -> Self:
        return replace(self, row=self.row[wanted], rank=self.rank[wanted], bin=self.bin[wanted])

    @property
    def score(self) -> np.ndarray:
        """The score of each."""
        return self.scored.scores[self.row]

    def explain(self) -> list[Explanation]:
        """What speaks against each arc."""
        return list(self.scored.explain(self.row))

    def columns(self) -> dict[str, list[Any]]:
        """The table's columns by name; the likeliest other arcs among them, where the scorer has such."""
        scored, row = self.scored, self.row
        found = {"rank": self.rank.tolist(), **arc_columns(scored, row), "bin": self.bin.tolist()}
        return found | (alternative_columns(scored, row) if scored.scorer.suggests else {})

    def to_dict(self) -> dict[str, Any]:
        """Title, signature and rows, as JSON has them."""
        columns = self.columns()
        rows = [dict(zip(columns, map(finite, values), strict=True)) for values in zip(*columns.values(), strict=True)]
        return {"title": self.title, "signature": self.scored.signature, "unranked": self.unranked, "rows": rows}

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame."""
        polars = needed("polars", "tables", "a polars table")
        return polars.DataFrame(self.columns(), schema_overrides={"sent_id": polars.String})

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame."""
        pandas = needed("pandas", "pandas", "a pandas table")
        return pandas.DataFrame(self.columns())

    def _repr_html_(self) -> str:
        from treegauge.reports.notebook import ranking_html  # presentation only, when a notebook asks

        return ranking_html(self)


def arc_columns(scored: Scored, row: np.ndarray) -> dict[str, list[Any]]:
    """What a table has of some arcs, but for their places in a ranking."""
    corpus, score = scored.corpus, scored.scores[row]
    sentence = corpus.sentence[row]
    return {
        "sent_id": [corpus.sent_id(s) for s in sentence.tolist()],
        "sentence": corpus.number[sentence].tolist(),
        "id": corpus.position[row].tolist(),
        "form": [corpus.labels["form"][code] for code in corpus.codes["form"][row].tolist()],
        "head": corpus.head[row].tolist(),
        "deprel": [corpus.labels["deprel"][code] for code in corpus.codes["deprel"][row].tolist()],
        "log_score": score.tolist(),
        **({"probability": np.exp(score).tolist()} if scored.scorer.probabilities else {}),
    }


def tag_columns(scored: Scored, row: np.ndarray) -> dict[str, list[Any]]:
    """What a table has of the tags of some words, but for their places in a ranking."""
    tags, corpus = scored.corpus.labels["upos"], scored.corpus
    columns = arc_columns(scored, row)
    del columns["head"], columns["deprel"]
    places = list(columns)
    columns["upos"] = [tags[code] for code in corpus.codes["upos"][row].tolist()]
    columns = {name: columns[name] for name in (*places[:4], "upos", *places[4:])}
    found = scored.scorer.tag_choices(corpus)
    there = (found.other[row] >= 0).tolist()
    names = [found.tags[code] for code in found.other[row].tolist()]
    others = {"other_upos": names, "other_probability": np.exp(found.log_other[row]).tolist()}
    return columns | {
        name: [value if some else None for value, some in zip(values, there, strict=True)]
        for name, values in others.items()
    }


def alternative_columns(scored: Scored, row: np.ndarray) -> dict[str, list[Any]]:
    """The likeliest other arc of some words; None where there is none."""
    found = scored.alternatives(row)
    some = (found.head >= 0).tolist()
    columns = {
        "other_head": found.head.tolist(),
        "other_deprel": found.relation.tolist(),
        "other_probability": np.exp(found.log_prob).tolist(),
    }
    return {
        name: [value if there else None for value, there in zip(values, some, strict=True)]
        for name, values in columns.items()
    }
