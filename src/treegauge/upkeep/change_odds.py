"""How likely a maintainer would change what a finding is about, learned from the public histories of treebanks.

The order of findings is by the log odds of that, whatever their kinds. `tools/fit_change_odds.py` fits the numbers in
`change_odds.json`, on some treebanks, and reports what they give on others:

- of an arc: a logistic regression over what is known of it (`change_evidence`);
- of a tag, and of a value of another column: intercept + slope · score, the score by which its own ranking is ordered;
  of a feature also by how usual it is for the tag;
- of a contradiction: one number for each code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from treegauge.upkeep.change_evidence import ChangeEvidence

SCORE, USUAL = "score", "usual"


@cache
def change_weights() -> Mapping[str, Mapping[str, float]]:
    """The fitted numbers: `arc`, or the code of a kind of finding -> name -> weight; the name "" is the intercept."""
    content: Mapping[str, Mapping[str, float]] = json.loads(
        files("treegauge.upkeep").joinpath("change_odds.json").read_text(encoding="utf-8")
    )
    return content


def arc_odds(evidence: ChangeEvidence) -> np.ndarray:
    """The log odds that a maintainer would change each arc."""
    return evidence.weighted(change_weights()["arc"])


def odds_by_score(code: str, score: float, usual: float = 0.0) -> float:
    """The log odds that a maintainer would change a tag, or a value of another column, by its score.

    usual: of a feature, the log of the share of words with the tag that have it.
    """
    weights = change_weights()[code]
    return weights[""] + weights[SCORE] * score + weights.get(USUAL, 0.0) * usual


def contradiction_odds(code: str) -> float:
    """The log odds that a maintainer would change a word that contradicts the rest of the treebank in this way."""
    return change_weights()[code][""]
