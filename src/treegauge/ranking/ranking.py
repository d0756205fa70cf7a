"""A ranking: arcs or sentences of a scored corpus in an order, with their ranks and bins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from treegauge.extras import needed
from treegauge.ranking.columns import Column, Need, Rows, columns_of
from treegauge.ranking.units import Unit
from treegauge.tables import finite, html_table

if TYPE_CHECKING:
    import pandas
    import polars

    from treegauge.explanations import Explanation
    from treegauge.ranking.scored import Scored

MOST_ROWS, MOST_TREES = 20, 5  # that a notebook shows


@dataclass(frozen=True, repr=False)
class Ranking:
    """Row k of each array is the k-th of the order. `ranking[:10]` and `ranking[mask]` are rankings, too."""

    unit: ClassVar[Unit] = Unit.ARC

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
    def title(self) -> str:
        """What the ranking lists."""
        return self.unit.heading

    @property
    def score(self) -> np.ndarray:
        """The score of each arc."""
        return self.scored.scores[self.row]

    def explain(self) -> list[Explanation]:
        """What speaks against each arc."""
        return list(self.scored.explain(self.row))

    def columns(self) -> dict[str, list[Any]]:
        """The table's columns by name; the likeliest other arcs are among them if the scorer knows them."""
        return {column.name: values for column, values in self._columns()}

    def _columns(self) -> list[tuple[Column, list[Any]]]:
        scorer = self.scored.scorer
        needs = [Need.PLACE, *((Need.ALTERNATIVES,) if scorer.suggests else ())]
        rows = Rows(self.scored, self.row, self.unit, self.rank, self.bin)
        return [(column, column.list(rows)) for column in columns_of(self.unit, scorer, needs)]

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

    def _table_html(self) -> str:
        """The first rows as a table."""
        columns = self[:MOST_ROWS]._columns()
        cells = [["None" if v is None else column.kind.brief(v) for v in values] for column, values in columns]
        return html_table([column.name for column, _ in columns], zip(*cells, strict=True), of=len(self))

    def _repr_html_(self) -> str:
        """The first arcs as a table, and the trees of the very first ones, which open when the reader asks."""
        import html

        from treegauge.corpus.tree_svg import tree_svg

        corpus, trees = self.scored.corpus, []
        for k, row in enumerate(self.row[:MOST_TREES].tolist()):
            s, head = int(corpus.sentence[row]), int(corpus.head[row])
            above = corpus.value("form", int(corpus.start[s]) + head - 1) if head else "ROOT"
            arc = f"{corpus.value('deprel', row)}: {corpus.value('form', row)} ← {above}"
            title = html.escape(f"rank {self.rank[k]:,} · {self.score[k]:.2f} · {arc}")
            tree = f'<div style="overflow-x:auto">{tree_svg(corpus, s, row)}</div>'
            trees.append(f"<details{' open' if k == 0 else ''}><summary>{title}</summary>{tree}</details>")
        return self._table_html() + "".join(trees)


class SentenceRanking(Ranking):
    """Sentences in an order (after Dell'Orletta et al. 2011); `row` is the index of a sentence."""

    unit = Unit.SENTENCE

    @property
    def score(self) -> np.ndarray:
        """The mean score of each sentence."""
        return self.scored.sentence_scores[self.row]

    def _repr_html_(self) -> str:
        return self._table_html()
