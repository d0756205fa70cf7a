"""A ranking as text, TSV, JSON or CoNLL-U."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.ranking.ranking import Ranking, reliable_order

if TYPE_CHECKING:
    from treegauge.arcs.reasons import Explanation
    from treegauge.corpus.conllu import Corpus
    from treegauge.models.fit import Fit
    from treegauge.ranking.sentences import SentenceRanking

Style = Callable[[str, str], str]
_LINES = 10_000  # of TSV made at a time


def tsv(ranking: Ranking, explanations: Sequence[Explanation] | None = None) -> Iterator[str]:
    """A header and a line per arc; scores with all their digits, `-inf` for a product of 0."""
    for low in range(0, max(len(ranking), 1), _LINES):
        columns = ranking.columns(slice(low, low + _LINES))
        columns["sent_id"] = [sent_id.replace("\t", " ") for sent_id in columns["sent_id"]]
        if explanations is not None:
            columns["reasons"] = ["; ".join(e.lines()) for e in explanations[low : low + _LINES]]
        if low == 0:
            yield "\t".join(columns) + "\n"
        yield "".join("\t".join(map(str, row)) + "\n" for row in zip(*columns.values(), strict=True))


def to_json(ranking: Ranking, fit: Fit | None, explanations: Sequence[Explanation] | None = None) -> str:
    """Signature, fit and arcs; `null` for a product of 0, which JSON has no number for."""
    result: dict[str, Any] = ranking.to_dict()
    for k, arc in enumerate(result["arcs"]):
        if math.isinf(arc["log_score"]):
            arc["log_score"] = None
        if explanations is not None:
            arc["reasons"] = [
                {"feature": r.feature, "cost": r.cost, "count": r.count, "of": r.of, "text": r.text}
                for r in explanations[k].reasons
            ]
            arc["notes"] = list(explanations[k].notes)
    result["fit"] = fit.to_dict() if fit is not None else None
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def sentences(ranking: SentenceRanking, form: str, width: int = 100) -> Iterator[bytes]:
    """Ranked sentences: a table (tsv, json), the trees in their order (conllu), or a line or two for each (text)."""
    columns = ranking.columns()
    if form == "tsv":
        yield ("\t".join(columns) + "\n").encode()
        for row in zip(*columns.values(), strict=True):
            yield ("\t".join(map(str, row)) + "\n").encode()
    elif form == "json":
        records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        content = {"signature": ranking.signature, "sentences": records}
        yield (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
    elif form == "conllu":
        for s in ranking.sentence.tolist():
            yield ranking.corpus.sentence_text(s) + b"\n\n"
    else:
        for k, (rank, sent_id, number, words, score, bin_) in enumerate(zip(*columns.values(), strict=True)):
            name = f"sentence {number}" + (f" ({sent_id})" if sent_id else "")
            line = ranking.words(k)
            line = line if len(line) <= width - 4 else line[: width - 5] + "…"
            title = f"rank {rank:,} · bin {bin_} · mean log score {score:.2f} · {words} words · {name}"
            yield f"{title}\n    {line}\n".encode()


def text(
    ranking: Ranking,
    explanations: Sequence[Explanation] | None = None,
    width: int = 100,
    style: Style | None = None,
) -> Iterator[str]:
    """Each arc drawn over its sentence, with its place and, where given, its reasons."""
    from treegauge.reports.arc_text import draw_arc, plain

    corpus, style = ranking.corpus, style or plain
    for k, row in enumerate(ranking.row.tolist()):
        s = int(corpus.sentence[row])
        sent_id = corpus.sent_id(s)
        place = f"sentence {corpus.number[s]}, word {corpus.position[row]}" + (f" ({sent_id})" if sent_id else "")
        arc, words = draw_arc(corpus, row, width - 4, style)
        title = f"rank {ranking.rank[k]:,} · bin {ranking.bin[k]} · log score {ranking.score[k]:.2f} · {place}"
        yield f"{style(title, 'title')}\n    {arc}\n    {words}\n"
        if explanations is not None:
            yield "".join(f"      - {line}\n" for line in explanations[k].lines())
        yield "\n"


def conllu(
    ranking: Ranking, scores: np.ndarray, score_name: str, bin_name: str, mark: int, mark_name: str = "Mark"
) -> bytes:
    """The corpus as it was, with score and bin of the ranked arcs in MISC, and the most suspicious ones marked.

    An empty name leaves that value out. Udapi highlights words with Mark=… .
    """
    ranked = np.sort(ranking.row)
    marked = ranked[reliable_order(scores[ranked])][::-1][:mark]
    names = (score_name, bin_name, mark_name)
    return annotated(ranking.corpus, ranking.row, ranking.score, ranking.bin, marked, names)


def annotated(
    corpus: Corpus,
    row: np.ndarray,
    score: np.ndarray,
    place: np.ndarray,
    marked: np.ndarray,
    names: tuple[str, str, str],
) -> bytes:
    """A corpus with the scores and bins of some rows in MISC, and marks on some; empty names leave values out."""
    from treegauge.corpus.misc import with_misc

    shown: dict[str, list[str | None]] = {}
    for name, rows, values in (
        (names[0], row, map(repr, score.tolist())),
        (names[1], row, map(str, place.tolist())),
        (names[2] if len(marked) else "", marked, repeat("suspicious")),
    ):
        if name:
            column = shown[name] = [None] * corpus.n_words
            for w, value in zip(rows.tolist(), values, strict=False):
                column[w] = value
    return with_misc(corpus, shown)
