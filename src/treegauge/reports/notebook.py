"""Results as a notebook shows them: small tables, trees drawn as in the page."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treegauge.reports.palette import LIGHT
from treegauge.reports.tree_svg import PENS, SUSPECT, tree_svg
from treegauge.tables import html_table

if TYPE_CHECKING:
    from treegauge.explanations import Explanation
    from treegauge.ranking.ranking import Ranking


@dataclass(frozen=True, slots=True)
class InlinePage:
    """A page inside a notebook, in a frame of its own, so that its style and scripts stay there."""

    html: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid {LIGHT.line}"
        return f'<iframe srcdoc="{html.escape(self.html)}" style="{style}"></iframe>'


MOST_ROWS, MOST_TREES = 20, 5
BAR = 90  # pixels of the bar of the most expensive reason


def ranking_html(ranking: Ranking) -> str:
    """The first arcs of a ranking as a table, and the trees of the very first, which open when asked."""
    corpus = ranking.scored.corpus
    trees = []
    for k, row in enumerate(ranking.row[:MOST_TREES].tolist()):
        s, head = int(corpus.sentence[row]), int(corpus.head[row])
        above = corpus.value("form", int(corpus.start[s]) + head - 1) if head else "ROOT"
        arc = f"{corpus.value('deprel', row)}: {corpus.value('form', row)} ← {above}"
        title = html.escape(f"rank {ranking.rank[k]:,} · {ranking.score[k]:.2f} · {arc}")
        tree = f'<div style="overflow-x:auto">{tree_svg(corpus, s, row)}</div>'
        trees.append(f"<details{' open' if k == 0 else ''}><summary>{title}</summary>{tree}</details>")
    return columns_html(ranking) + "".join(trees)


def columns_html(ranking: Ranking) -> str:
    """The columns of the first of a ranking."""
    columns = ranking[:MOST_ROWS].columns()
    rows = zip(*columns.values(), strict=True)
    cells = ([f"{value:.4g}" if isinstance(value, float) else str(value) for value in row] for row in rows)
    return html_table(list(columns), cells)


def explanation_html(explanation: Explanation) -> str:
    """The reasons, each with a bar for what it costs, and the notes."""
    most = max((reason.cost for reason in explanation.reasons), default=0) or 1
    lines = []
    for reason in explanation.reasons:
        width = round(BAR * max(reason.cost, 0) / most) + 2
        bar = f'<div style="width:{width}px;height:.7em;background:{PENS[SUSPECT][0]}"></div>'
        lines.append(f"<tr><td>{bar}</td><td>{reason.cost:.1f}</td><td>{html.escape(reason.text)}</td></tr>")
    lines += [f'<tr><td colspan="2"></td><td>{html.escape(note)}</td></tr>' for note in explanation.notes]
    return f"<table><caption>log score {explanation.log_score:.2f}</caption>{''.join(lines)}</table>"
