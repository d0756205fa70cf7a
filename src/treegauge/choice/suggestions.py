"""For each arc of a ranking the most probable other one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treegauge.errors import OptionError
from treegauge.ranking.ranking import Ranking
from treegauge.scorers.registry import Scorer


def with_suggestions(ranking: Ranking, scorer: Scorer) -> Ranking:
    """The ranking with columns for another head, relation, and their probability; empty where there is no other."""
    if scorer.choices is None:
        raise OptionError(f"the scorer {scorer.name} has no suggestions; choice has")
    choices = scorer.choices(ranking.corpus)
    row = ranking.row
    none = choices.other_head[row] < 0
    head = np.where(none, "", choices.other_head[row].astype(str))
    relation = np.where(none, "", np.array([*choices.relations, ""], dtype=object)[choices.other_relation[row]])
    prob = [None if no else float(p) for no, p in zip(none, np.exp(choices.other_log_prob[row]), strict=True)]
    extra = {"other_head": head.tolist(), "other_deprel": relation.tolist(), "other_probability": prob}
    return replace(ranking, extra=ranking.extra | extra)
