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


def found_data(
    findings: Findings, listed: np.ndarray, rows: np.ndarray, sentences: np.ndarray, place: np.ndarray
) -> dict[str, Any]:
    """What the scripts know of a check. place: the row in the page of each word of the corpus.

    `found`: for each finding its row, code, log odds, what is said of it, what would correct it, what it shares with
    others as numbers of `shared`, and the value that would be accepted.
    """
    corpus = findings.corpus
    numbers: dict[str, int] = {}
    found = []
    for k, row in enumerate(findings.row.tolist()):
        shared = [numbers.setdefault(name, len(numbers)) for name in findings.shared[k]]
        line = accepted_word(corpus, row, str(findings.code[k]), "")
        odds, said = round(float(findings.score[k]), 3), "; ".join(details(findings, k))
        values = str(findings.code[k]), odds, said, correction_of(findings, k), shared, [line.code, line.value]
        found.append([int(place[row]), *values, str(place_of(findings, k))])
    return {
        "found": found,
        "shared": [name[0] for name in numbers],
        "variance": VARIANCE,
        "sweeps": SWEEPS,
        "per_sentence": PER_SENTENCE,
        "kinds": {code: KINDS[code].name for code in dict.fromkeys(findings.code.tolist())},
        "files": list(corpus.files),
        "file": corpus.file[sentences].tolist(),
        "line": [corpus.line_number(row) for row in rows.tolist()],
        "patterns": [pattern_data(pattern, place) for pattern in findings.patterns],
    }


def correction_of(findings: Findings, k: int) -> dict[str, Any] | None:
    """What a finding suggests, as the page has corrections; None if it suggests nothing, or an arc, which is known."""
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
