"""What verdicts teach: after some findings were judged, the log odds of those that are like them are moved.

    log odds = s + Σ_g δ_g,   δ_g ~ N(0, σ²)

s: the log odds that are known beforehand. g: what the finding shares with others, such as its two relations or its
lemma. δ is what makes the verdicts most probable, found by Newton's method, one δ after the other. The page does the
same in JavaScript (`page_files/teaching.js`), so that its order is that of the next run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# The variance σ² of what findings share, by the first letter of its name; chosen on the histories of three treebanks.
VARIANCE = {"c": 0.5, "p": 1.0, "l": 1.0, "t": 0.5, "h": 0.5}
SWEEPS = 20
NO_VERDICT = -1


def taught(odds: np.ndarray, shared: Sequence[Sequence[str]], verdict: np.ndarray) -> np.ndarray:
    """The log odds after verdicts: 1 for an error, 0 for what was accepted, NO_VERDICT for the others.

    shared: for each finding the names of what it shares with others; the first letter tells the variance.
    """
    judged = np.flatnonzero(verdict != NO_VERDICT)
    members: dict[str, list[int]] = {}
    for k, finding in enumerate(judged.tolist()):
        for name in shared[finding]:
            members.setdefault(name, []).append(k)
    places = {name: np.array(members[name]) for name in members}
    delta, now, right = dict.fromkeys(members, 0.0), odds[judged].astype(float), verdict[judged].astype(float)
    for _ in range(SWEEPS):
        for name, place in places.items():
            p = 1 / (1 + np.exp(-now[place]))
            precision = 1 / VARIANCE[name[0]]
            step = (float((right[place] - p).sum()) - precision * delta[name]) / (
                float((p * (1 - p)).sum()) + precision
            )
            delta[name] += step
            now[place] += step
    return odds + np.array([sum(delta.get(name, 0.0) for name in names) for names in shared])
