"""The findings and patterns of `check` as data for the scripts of the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from treegauge.models.columns.inventory import COLUMN_OF
from treegauge.reports.check_text import details
from treegauge.upkeep.accept import accepted_word, place_of
from treegauge.upkeep.codes import ARCS, CODE_OF, KINDS, SUBTYPE, TAG
from treegauge.upkeep.findings import PER_SENTENCE, Findings
from treegauge.upkeep.patterns import Pattern
from treegauge.upkeep.teaching import SWEEPS, VARIANCE


def found_data(findings: Findings, rows: np.ndarray, sentences: np.ndarray, place: np.ndarray) -> dict[str, Any]:
    """What the scripts know of a check. place: the row in the page of each word of the corpus.

    `names` are what findings share with others; each finding has the numbers of its names.
    """
    corpus = findings.corpus
    numbers: dict[str, int] = {}
    found = []
    for k in range(len(findings)):
        one = finding_data(findings, k, int(place[findings.row[k]]))
        found.append(one | {"shared": [numbers.setdefault(name, len(numbers)) for name in one["shared"]]})
    return {
        "found": found,
        "names": list(numbers),
        "variance": VARIANCE,
        "sweeps": SWEEPS,
        "per_sentence": PER_SENTENCE,
        "kinds": {code: kind.name for code, kind in KINDS.items()},
        "files": list(corpus.files),
        "file": corpus.file[sentences].tolist(),
        "line": [corpus.line_number(row) for row in rows.tolist()],
        "patterns": [pattern_data(pattern, place) for pattern in findings.patterns],
    }


def finding_data(findings: Findings, k: int, row: int) -> dict[str, Any]:
    """A finding for the scripts: what is said of it, what would correct it, what would be accepted."""
    line = accepted_word(findings.corpus, int(findings.row[k]), str(findings.code[k]), "")
    return {
        "row": row,
        "code": str(findings.code[k]),
        "odds": round(float(findings.score[k]), 3),
        "text": "; ".join(details(findings, k)),
        "fix": correction_of(findings, k),
        "shared": list(findings.shared[k]),
        "accepted": [line.code, line.value],
        "name": str(place_of(findings, k)),
    }


def correction_of(findings: Findings, k: int) -> dict[str, Any] | None:
    """What a finding suggests, as the page has corrections; None if it suggests nothing, or an arc, which it knows."""
    code, row, corpus = str(findings.code[k]), int(findings.row[k]), findings.corpus
    if code == TAG:
        return {"upos": str(findings.other_upos[k])}
    column = next((name for name in CODE_OF if CODE_OF[name] == code), None)
    if code in ARCS or column is None:
        return None
    scorer = next(one for one in findings.columns if one.column == column)
    value = scorer.column_choices(corpus).other_value(corpus, row)
    return None if value is None else {"deprel" if code == SUBTYPE else COLUMN_OF[column]: value}


def pattern_data(pattern: Pattern, place: np.ndarray) -> dict[str, Any]:
    """A pattern for the scripts: its words in the page, counts, the request of Grew."""
    return {
        "text": pattern.text,
        "relation": pattern.relation,
        "rather": pattern.rather,
        "same_head": pattern.same_head,
        "rows": place[pattern.rows].tolist(),
        "other_rows": place[pattern.other_rows].tolist(),
        "n_relation": pattern.n_relation,
        "n_rather": pattern.n_rather,
        "doubt": round(pattern.doubt, 2),
        "grew": pattern.grew,
    }
