"""Risk and coverage, against their definitions: every prefix of the ranking counted by itself."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.test_judging import judged, rankings
from treegauge.evaluation.judging.gold_ranking import ArcOrder, GoldRanking, Truth
from treegauge.evaluation.judging.risk import LAS, UAS, RiskCurve, risk_curve
from treegauge.evaluation.judging.tables import coverage_table
from treegauge.ranking.units import Unit


def ones(n: int) -> np.ndarray:
    return np.ones(n, np.int64)


@given(rankings(), st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_coverage_is_the_largest_part_above_a_score_that_is_right_enough(
    ranking: tuple[np.ndarray, np.ndarray], wanted: float
) -> None:
    scores, right = ranking
    parts = [scores >= least for least in set(scores.tolist())]
    able = [part.mean() for part in parts if right[part].mean() >= wanted]
    assert RiskCurve.of(scores, ones(len(scores)), right).coverage(wanted) == pytest.approx(max(able, default=0.0))


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.booleans()), min_size=1, max_size=6))
def test_the_area_is_the_mean_risk_over_all_orders_of_equal_scores(items: list[tuple[float, bool]]) -> None:
    def area(order: tuple[tuple[float, bool], ...]) -> float:
        return float(np.mean([1 - sum(right for _, right in order[:k]) / k for k in range(1, len(order) + 1)]))

    orders = [one for one in permutations(items) if all(a[0] >= b[0] for a, b in pairwise(one))]
    curve = RiskCurve.of(np.array([s for s, _ in items]), ones(len(items)), np.array([r for _, r in items]))
    assert curve.area() == pytest.approx(np.mean([area(one) for one in orders]))


def test_sentences_are_kept_whole_by_the_mean_score_of_their_arcs() -> None:
    # sentence 0: scores 0, -1, two right of two; sentence 1: scores -1, -2, -3, one right of three
    truth = Truth(
        np.array([True, True, True, False, False]),
        np.array([True, True, True, True, False]),
        np.ones(5, int),
        np.array([0, 0, 1, 1, 1]),
    )
    ranking = GoldRanking(True, ArcOrder("choice", "s", np.array([0.0, -1, -1, -2, -3])), truth)
    assert risk_curve(ranking, Unit.SENTENCE, LAS).coverage(0.9) == 0.5
    assert risk_curve(ranking, Unit.SENTENCE, LAS).coverage(0.6) == 1.0  # 3 of 5
    assert risk_curve(ranking, Unit.SENTENCE, UAS).coverage(0.8) == 1.0  # 4 of 5
    assert risk_curve(ranking, Unit.ARC, LAS).risk(0.8) == pytest.approx(0.25)
    rows = {(row[1], row[2]): row[3:] for row in coverage_table("t", [ranking]).rows}
    assert rows["arc", "LAS"][0] == pytest.approx(0.6)  # the first three
    assert rows["arc", "UAS"][0] == pytest.approx(0.8)
    # after 1, 2, 3, 4, 5 arcs: 0, 0, 0, 1/4, 2/5 are wrong
    assert rows["arc", "LAS"][-1] == pytest.approx((0.25 + 0.4) / 5)


def test_of_no_arcs_there_is_no_curve() -> None:
    curve = risk_curve(judged([], []), Unit.ARC, LAS)
    assert math.isnan(curve.area())
    assert math.isnan(curve.coverage(0.9))
    assert math.isnan(curve.risk(0.5))
