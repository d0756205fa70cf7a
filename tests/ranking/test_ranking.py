"""Orders, bins, tables; how rankings are judged; what fits and what does not; reasons."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score  # scikit-learn 1.9.1

from tests.models.test_lisca import corpus_of, long_corpus
from tests.scoring import scored
from tests.trees import corpora
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.bundled_models import load_model
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reasons import Explainer
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.lisca.score import Lisca, LiscaOptions
from treegauge.ranking.scored import bin_of, reliable_order
from treegauge.scorers.by_model import LiscaScorer

SCORES = st.lists(st.sampled_from([-np.inf, -3.5, -2.0, 0.0, 1.25]), min_size=1, max_size=40).map(np.array)


@given(scores=SCORES)
def test_equal_scores_stay_in_corpus_order(scores: np.ndarray) -> None:
    order = reliable_order(scores).tolist()
    assert order == sorted(range(len(scores)), key=lambda w: (-scores[w], w))


@given(n=st.integers(1, 300), bins=st.integers(1, 20))
def test_bins_are_as_equal_as_they_can_be(n: int, bins: int) -> None:
    found = bin_of(np.arange(n), n, bins)
    assert found.tolist() == [i * bins // n + 1 for i in range(n)]
    sizes = np.bincount(found, minlength=bins + 1)[1:]
    assert sizes.max() - sizes.min() <= 1


def test_the_suspicious_order_is_the_exact_reverse(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    scores = np.array([0.0, 1, 1, 2, 1, 0, 1, -1, -np.inf, np.nan])
    found = scored(corpus, scores)
    reliable, suspicious = found.rank("reliable"), found.rank()
    assert reliable.row.tolist() == [3, 1, 2, 4, 6, 0, 5, 7, 8]
    assert suspicious.row.tolist() == reliable.row.tolist()[::-1]
    assert suspicious.rank.tolist() == list(range(1, 10))
    assert reliable.rank.tolist() == list(range(9, 0, -1))
    assert reliable.unranked == 1
    assert found.rank("corpus", top=2).rank.tolist() == [4, 8]


def test_tables_have_the_same_values_in_every_form(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    ranking = scored(corpus, np.arange(10.0)).rank("reliable")
    frame = ranking.to_polars()
    assert frame.row(0) == (10, 1, "plain-2", 2, 7, ".", 3, "punct", 9.0)
    assert frame.to_dicts() == ranking.to_dict()["rows"]
    assert ranking.to_pandas().to_dict("records") == frame.to_dicts()
    assert "plain-2" in ranking._repr_html_()
    assert len(ranking) == 10


def test_options_outside_their_choices_are_named(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    for options, message in (
        ({"order": "best"}, "order 'best'; expected one of reliable, suspicious, corpus"),
        ({"bins": 0}, "bins 0; expected 1 or more"),
        ({"top": -1}, "top -1; expected 0 or more"),
        ({"relations": ["subj"]}, "no arc has relation subj; there are amod, det, nsubj"),
    ):
        with pytest.raises(OptionError, match=message):
            scored(corpus, np.zeros(10)).rank(**options)  # type: ignore[arg-type]


@settings(max_examples=100)
@given(scores=SCORES.filter(lambda scores: len(scores) > 1), data=st.data())
def test_roc_auc_counts_ties_half_as_scikit_learn_does(scores: np.ndarray, data: st.DataObject) -> None:
    right = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    if right.all() or not right.any():
        assert np.isnan(roc_auc(scores, right))
    else:
        finite = np.where(np.isinf(scores), -1e9, scores)  # which scikit-learn does not take
        assert roc_auc(scores, right) == pytest.approx(roc_auc_score(right, finite))


def test_errors_in_the_worst_part() -> None:
    scores = np.array([5.0, 4, 3, 2, 1, 0, -1, -2, -3, -4])
    right = np.array([1, 1, 0, 1, 1, 1, 1, 0, 1, 0], dtype=bool)
    assert errors_in_worst(scores, right, 0.1) == 1 / 3
    assert errors_in_worst(scores, right, 0.3) == 2 / 3
    assert errors_in_worst(scores, right, 1.0) == 1
    assert np.isnan(errors_in_worst(scores, np.ones(10, dtype=bool), 0.1))


def test_an_arc_is_right_with_head_and_universal_relation(data: Path) -> None:
    gold = corpus_of("1\ta\ta\tX\t_\t_\t2\tnsubj:pass\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n")
    system = corpus_of("1\ta\ta\tX\t_\t_\t2\tnsubj\t_\t_\n2\tb\tb\tX\t_\t_\t0\tdep\t_\t_\n\n")
    assert right_arcs(gold, system).tolist() == [True, False]
    with pytest.raises(CorpusError, match="do not have the same words"):
        right_arcs(gold, read_conllu(data / "one_word.conllu"))


def test_what_the_model_has_never_seen_is_counted() -> None:
    corpus = corpus_of(long_corpus())
    reference = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tY\t_\t_\t1\tobj\t_\t_\n\n"
    lisca = Lisca(count_arcs(corpus_of(reference)))
    fit = LiscaScorer(lisca).fit(corpus)
    assert fit is not None
    assert fit.unseen_tags == {}
    assert fit.unseen_relations == {"dep": corpus.n_words - 4}
    assert fit.unseen_lengths == {150: 1}
    unsmoothed = Lisca(lisca.reference, LiscaOptions(smoothing=None))
    assert fit.share_unseen == np.isneginf(unsmoothed.scores(corpus)).mean() > 0.9
    assert any("relations the model does not have: dep" in line for line in fit.lines())
    assert any("1 sentence of lengths outside the reference: 150 words" in line for line in fit.lines())
    good = LiscaScorer(Lisca(count_arcs(corpus))).fit(corpus)
    assert good is not None
    assert (good.share_unseen, good.unseen_relations, good.unseen_lengths) == (0.0, {}, {})


@settings(max_examples=30, deadline=None)
@given(reference=corpora(least=3), target=corpora(most=3), preset=st.sampled_from(["2020", "2013"]))
def test_every_arc_of_any_corpus_is_explained(reference: str, target: str, preset: str) -> None:
    corpus = corpus_of(target)
    lisca = Lisca(count_arcs(corpus_of(reference), CountSettings(preset)))
    rows = np.arange(corpus.n_words)
    explanations = Explainer(lisca).explain(corpus, rows, most=20)
    assert [e.log_score for e in explanations] == pytest.approx(lisca.scores(corpus).tolist(), rel=1e-12)
    for explanation in explanations:
        costs = [reason.cost for reason in explanation.reasons]
        assert costs == sorted(costs, reverse=True)
        assert all(cost > 0 for cost in costs)
        assert all(reason.count >= 0 for reason in explanation.reasons)


def test_costs_add_up_to_what_is_usual_less_the_score() -> None:
    """Over the reference itself, the mean of all costs of a relation's arcs in one length range is 0."""
    text = "1\ta\ta\tX\t_\t_\t2\tdep\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n3\tc\tc\tX\t_\t_\t2\tdep\t_\t_\n\n"
    corpus = corpus_of(text * 3)
    lisca = Lisca(count_arcs(corpus), LiscaOptions(features=("length", "direction", "left_siblings")))
    explainer = Explainer(lisca)
    explainer.explain(corpus, np.arange(9))
    total = 0.0
    logs = lisca.factors(corpus).log_ratios(lisca.options.smoothing)
    dep = [w for w in range(9) if corpus.head[w]]
    for f, feature in enumerate(lisca.features):
        usual = explainer._usual(feature, 3, 0, 0, lisca.reference.relations.index("dep"))[0]
        total += sum(usual - logs[3 * f : 3 * f + 3, w].sum() for w in dep)
    assert total == pytest.approx(0, abs=1e-9)


def test_reasons_say_what_is_usual_and_notes_what_is_unknown() -> None:
    model = load_model("en").reference
    text = (
        "1\tthe\tthe\tDET\t_\t_\t4\tdet\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t1\tnsubj\t_\t_\n"
        "3\tnow\tnow\tTAG\t_\t_\t4\tadv\t_\t_\n4\tbarks\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    corpus = corpus_of(text)
    the, dog, now, _ = Explainer(Lisca(model)).explain(corpus, np.arange(4))
    assert any("1 child on the right" in r.text and "usual: no children on the right" in r.text for r in the.reasons)
    assert dog.reasons[0].feature == "arcpos"
    assert "NOUN –nsubj→ DET" in dog.reasons[0].text
    assert now.notes == ("upos 'TAG' is not in the model", "deprel 'adv' is not in the model")
    long = corpus_of(long_corpus())
    widened = Explainer(Lisca(count_arcs(corpus))).explain(long, np.array([long.n_words - 1]))[0]
    assert widened.notes[-1] == "no reference sentence of 148–152 words: judged by those of 4–296"
