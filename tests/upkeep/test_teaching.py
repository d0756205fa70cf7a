"""What verdicts teach, by an independent definition: the δ that make the verdicts most probable."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.upkeep.made_up import WRONG, treebank
from treegauge.corpus.conllu import parse_conllu
from treegauge.ranking.verdicts import Verdict
from treegauge.upkeep.check import check
from treegauge.upkeep.codes import chosen_codes
from treegauge.upkeep.teaching import NO_VERDICT, VARIANCE, taught


def test_the_change_is_the_most_probable_one() -> None:
    odds, verdict = np.array([1.0, 0.5, -1.0, 2.0, 0.0]), np.array([0, 1, 0, NO_VERDICT, NO_VERDICT])
    shared = [["c a", "l x"], ["c a", "l y"], ["c b", "l x"], ["c a", "l x"], ["c b", "l z"]]
    names = ["c a", "c b", "l x", "l y"]

    def loss(delta: np.ndarray) -> float:
        by_name = dict(zip(names, delta, strict=True))
        total = sum(d * d / 2 / VARIANCE[name[0]] for name, d in by_name.items())
        for k in range(3):
            z = odds[k] + sum(by_name[name] for name in shared[k])
            total += np.log1p(np.exp(-z if verdict[k] else z))
        return float(total)

    best = dict(zip(names, minimize(loss, np.zeros(4), tol=1e-10).x, strict=True))
    expected = [odds[k] + sum(best.get(name, 0.0) for name in shared[k]) for k in range(5)]
    assert taught(odds, shared, verdict) == pytest.approx(expected, abs=1e-4)


def test_without_verdicts_nothing_moves() -> None:
    odds = np.array([1.0, -2.0])
    assert taught(odds, [["c a"], ["p b"]], np.full(2, NO_VERDICT)).tolist() == odds.tolist()


def test_an_accepted_finding_takes_its_like_down_and_an_error_up() -> None:
    corpus, wanted = parse_conllu(treebank()), chosen_codes(("arc",))
    before = check(corpus, below=0.45, wanted=wanted)
    of = [k for k in range(len(before)) if corpus.value("form", int(before.row[k])) == "of"]
    row = int(before.row[of[0]])
    about = corpus.sent_id(int(corpus.sentence[row])), 0, 6, int(corpus.head[row]), corpus.value("deprel", row)
    odds = {int(r): s for r, s in zip(before.row, before.score, strict=True)}

    def moved(verdict: str) -> np.ndarray:
        after = check(corpus, below=0.45, wanted=wanted, accepted=[Verdict(*about, verdict)])
        assert (row in after.row.tolist()) == (verdict != "accept")
        same = [k for k in range(len(after)) if corpus.value("form", int(after.row[k])) == "of"]
        return np.array([after.score[k] - odds[int(after.row[k])] for k in same if int(after.row[k]) != row])

    assert (moved("accept") < 0).all()
    assert (moved("error") > 0).all()
    assert moved("unsure") == pytest.approx(0)
    assert WRONG in {corpus.sent_id(int(corpus.sentence[r])) for r in before.row}
