"""How likely a maintainer would change what a finding is about, learned from the public histories of treebanks.

The order of findings is by the log odds of that, whatever their kinds. `tools/fit_change_odds.py` fits the numbers in
`change_odds.json`, on some treebanks, and reports what they give on others:

- of an arc: a logistic regression over what is known of it (`change_evidence`);
- of a tag, and of a value of another column: intercept + slope · score, the score by which its own ranking is ordered,
  less where many words of the column are in doubt;
- of a contradiction: one number for each code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from treegauge.upkeep.change_evidence import ChangeEvidence

SCORE = "score"
MOST, FEWEST = 0.005, 1000  # the share of words with findings in a column that is judged well; of so many words


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


def odds_by_score(code: str, score: float) -> float:
    """The log odds that a maintainer would change a tag, or a value of another column, by its score."""
    weights = change_weights()[code]
    return weights[""] + weights[SCORE] * score


def crowded(found: int, words: int) -> float:
    """What is taken from the log odds of the findings of a column, of which there are so many among so many words.

    2 log(share / MOST), 0 up to MOST: a column in which many words are in doubt, such as one with hundreds of rare
    values, is not judged well. Of fewer than FEWEST words nothing is said.
    """
    if words < FEWEST:
        return 0.0
    return 2 * max(float(np.log(max(found, 1) / (MOST * max(words, 1)))), 0.0)


def contradiction_odds(code: str) -> float:
    """The log odds that a maintainer would change a word that contradicts the rest of the treebank in this way."""
    return change_weights()[code][""]
