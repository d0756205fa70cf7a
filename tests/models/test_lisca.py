"""Scores against the formulas, and against values computed elsewhere."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models import lisca_by_definition as by_definition
from tests.trees import corpora, interpreted
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.models.lisca import counts_kernel, score_kernel
from treegauge.models.lisca.counts import build_reference, count_arcs
from treegauge.models.lisca.ranges import TableShape
from treegauge.models.lisca.reasons import percent, share_of
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.lisca.score import Lisca, LiscaOptions, Smoothing
from treegauge.scorers.baselines import lptr_scores, ltr_scores, ptr_scores
from treegauge.scorers.by_itself import LiscaByItself

PRESETS = st.sampled_from(["2020", "2013"])


def corpus_of(text: str) -> Corpus:
    return parse_conllu(text, columns=("form", "lemma", "upos", "xpos", "deprel"))


@settings(max_examples=80, deadline=None)
@given(reference=corpora(most=8), target=corpora(most=3, words=10), preset=PRESETS, r=st.integers(0, 3))
def test_factors_and_scores_are_those_of_the_formulas(reference: str, target: str, preset: str, r: int) -> None:
    model = count_arcs(corpus_of(reference), CountSettings(preset))
    corpus = corpus_of(target)
    known = by_definition.arcs_of(reference, preset)
    for smoothing in (None, Smoothing(0.5, 2)):
        lisca = Lisca(model, LiscaOptions(r, smoothing))
        found = lisca.factors(corpus)
        scores = lisca.scores(corpus)
        for w, arc in enumerate(by_definition.arcs_of(target, preset)):
            expected = by_definition.factors(arc, known, r, widen=smoothing is not None)
            assert list(zip(found.F[:, w].tolist(), found.N[:, w].tolist(), strict=True)) == expected
            alpha, k = (smoothing.alpha, smoothing.k) if smoothing else (0.0, 0.0)
            assert scores[w] == pytest.approx(by_definition.log_score(expected, alpha, k), rel=1e-12)
        unseen = lisca.judged(corpus).unseen
        product_is_zero = np.isneginf(Lisca(model, LiscaOptions(r, None)).scores(corpus))
        assert unseen.tolist() == product_is_zero.tolist()


@settings(max_examples=25, deadline=None)
@given(text=corpora(least=2, most=7), preset=PRESETS)
def test_leaving_a_sentence_out_is_building_the_model_without_it(text: str, preset: str) -> None:
    corpus = corpus_of(text)
    for smoothing in (None, Smoothing()):
        options = LiscaOptions(smoothing=smoothing)
        alone = [LiscaByItself(lambda: [corpus], CountSettings(preset), options, n) for n in (None, corpus.n_sentences)]
        scores, by_folds = (scorer.scores(corpus) for scorer in alone)
        for s in range(corpus.n_sentences):
            others = corpus.select(np.delete(np.arange(corpus.n_sentences), s))
            rest = Lisca(count_arcs(others, CountSettings(preset)), options)
            expected = rest.scores(corpus.select([s]))
            rows = slice(int(corpus.start[s]), int(corpus.start[s + 1]))
            assert scores[rows].tolist() == pytest.approx(expected.tolist(), rel=1e-12)
            assert by_folds[rows].tolist() == pytest.approx(expected.tolist(), rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(reference=corpora(most=8), target=corpora(most=3))
def test_npmi_is_that_of_the_formula(reference: str, target: str) -> None:
    model = count_arcs(corpus_of(reference), CountSettings(forms=True))
    corpus = corpus_of(target)
    known = by_definition.arcs_of(reference, "2020")
    arcs = by_definition.arcs_of(target, "2020")
    ptr = [by_definition.npmi((a.d, a.h, a.t), [(b.d, b.h, b.t) for b in known]) for a in arcs]
    ltr = [by_definition.npmi((a.form, a.form_h, a.t), [(b.form, b.form_h, b.t) for b in known]) for a in arcs]
    assert ptr_scores(corpus, model).tolist() == pytest.approx(ptr, rel=1e-12, abs=1e-12)
    assert ltr_scores(corpus, model).tolist() == pytest.approx(ltr, rel=1e-12, abs=1e-12)
    product = [a * b for a, b in zip(ltr, ptr, strict=True)]
    assert lptr_scores(corpus, model).tolist() == pytest.approx(product, rel=1e-12, abs=1e-12)
    total = [a + b for a, b in zip(ltr, ptr, strict=True)]
    assert lptr_scores(corpus, model, "sum").tolist() == pytest.approx(total, rel=1e-12, abs=1e-12)
    shifted = [(a + 1) * (b + 1) / 4 for a, b in zip(ltr, ptr, strict=True)]
    assert lptr_scores(corpus, model, "shifted").tolist() == pytest.approx(shifted, rel=1e-12, abs=1e-12)


@pytest.mark.data
@pytest.mark.parametrize("preset", ["2020", "2013"])
def test_scores_on_turkish_equal_those_computed_independently(
    preset: str, evaluation_data: Path, expected: Path
) -> None:
    values = json.loads((expected / "lisca-tr.json").read_text())[preset]
    model = build_reference([str(evaluation_data / "ud/tr_imst/train.conllu")], CountSettings(preset))
    corpus = read_conllu(evaluation_data / "ud/tr_imst/test.conllu")
    lisca = Lisca(model, LiscaOptions(smoothing=None))
    scores, factors = lisca.scores(corpus), lisca.factors(corpus)
    zeros = compared = 0
    for arc in values["arcs"]:
        w = int(corpus.start[arc["sentence"] - 1]) + arc["id"] - 1
        if arc["log_score"] is None:
            zeros += scores[w] == -np.inf
        else:
            assert scores[w] == pytest.approx(arc["log_score"], rel=1e-9)
        for k, (_, F, N) in enumerate(arc.get("factors", ())):
            assert (factors.F[k, w], factors.N[k, w]) == (F, N)
            compared += 1
    assert zeros == values["zero"]
    assert compared > 100


@pytest.mark.data
def test_triplet_scores_on_turkish_equal_those_computed_independently(evaluation_data: Path, expected: Path) -> None:
    values = json.loads((expected / "npmi-tr.json").read_text())
    model = build_reference([str(evaluation_data / "ud/tr_imst/train.conllu")], CountSettings(forms=True))
    corpus = read_conllu(evaluation_data / "ud/tr_imst/test.conllu")
    for name, scores in (("ptr", ptr_scores(corpus, model)), ("ltr", ltr_scores(corpus, model))):
        for sentence, word, value in values[name]:
            assert scores[int(corpus.start[sentence - 1]) + word - 1] == pytest.approx(value, rel=1e-9, abs=1e-12)


def long_corpus() -> str:
    """Sentences of 3 and of 150 words; in the long ones an arc over 148 words and a word with 40 children a side."""
    short = "".join(f"{k}\ta\ta\tX\t_\t_\t{k - 1}\t{'root' if k == 1 else 'dep'}\t_\t_\n" for k in (1, 2, 3)) + "\n"
    heads = [0, *([100] * 148), 2]
    heads[1], heads[99] = 150 - 1, 1
    heads[148] = 1
    long = "".join(f"{k + 1}\ta\ta\tX\t_\t_\t{h}\t{'root' if h == 0 else 'dep'}\t_\t_\n" for k, h in enumerate(heads))
    return short * 3 + long + "\n"


def test_values_outside_the_tables_are_scored_as_exactly() -> None:
    corpus = corpus_of(long_corpus())
    lisca = Lisca(count_arcs(corpus))
    exact = lisca.factors(corpus).log_ratios(lisca.options.smoothing).sum(axis=0)
    assert lisca.scores(corpus).tolist() == pytest.approx(exact.tolist(), rel=1e-12)
    assert np.isfinite(exact).all()


def test_where_no_reference_sentence_is_near_the_range_is_widened_only_if_smoothed() -> None:
    model = count_arcs(corpus_of("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"))
    corpus = corpus_of(long_corpus())
    plain = Lisca(model, LiscaOptions(smoothing=None))
    assert plain.factors(corpus).widened[-1] == 2
    assert plain.scores(corpus)[-1] == -np.inf
    smoothed = Lisca(model)
    assert smoothed.factors(corpus).widened[-1] == 149
    assert np.isfinite(smoothed.scores(corpus)).all()


def test_features_and_characteristics_can_be_chosen() -> None:
    corpus = corpus_of(long_corpus())
    model = count_arcs(corpus)
    options = LiscaOptions(features=("length", "arcpos"), characteristics=("D",))
    lisca = Lisca(model, options)
    assert lisca.factor_names[0] == "length|D"
    assert len(lisca.factor_names) == 6
    exact = lisca.factors(corpus).log_ratios(options.smoothing).sum(axis=0)
    assert lisca.scores(corpus).tolist() == pytest.approx(exact.tolist(), rel=1e-12)
    assert "features:length,arcpos|characteristics:D" in lisca.signature
    with pytest.raises(OptionError, match="feature 'lenght'; this model has depth, nearest_leaf"):
        Lisca(model, LiscaOptions(features=("lenght",)))
    with pytest.raises(OptionError, match="characteristic 'L'; this model has N, P, D"):
        Lisca(model, LiscaOptions(characteristics=("L",)))


def test_a_lexical_model_without_its_lemmas_is_scored_too() -> None:
    corpus = corpus_of(long_corpus())
    lisca = Lisca(count_arcs(corpus, CountSettings("2013")), LiscaOptions(characteristics=("N", "P")))
    exact = lisca.factors(corpus).log_ratios(lisca.options.smoothing).sum(axis=0)
    assert lisca.scores(corpus).tolist() == exact.tolist()


def test_a_column_that_was_not_read_is_named(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu", columns=("upos", "deprel"))
    whole = read_conllu(data / "plain.conllu")
    assert len(Lisca(count_arcs(corpus)).scores(corpus)) == 10
    with pytest.raises(OptionError, match="column 'lemma' was not read"):
        Lisca(count_arcs(whole, CountSettings("2013"))).scores(corpus)
    with pytest.raises(OptionError, match="column 'form' was not read"):
        ltr_scores(corpus, count_arcs(whole, CountSettings(forms=True)))


def test_a_model_of_nothing_scores_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    with pytest.raises(ModelError, match="built from no words"):
        Lisca(build_reference([str(empty)]))


@settings(max_examples=25, deadline=None)
@given(text=corpora(most=5, words=20), preset=PRESETS)
def test_the_compiled_counting_kernels_equal_their_source(text: str, preset: str) -> None:
    corpus = corpus_of(text)
    source = interpreted("models.lisca.counts_kernel")
    compiled = count_arcs(corpus, CountSettings(preset, forms=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treegauge.models.lisca.counts.kernel", source)
        assert count_arcs(corpus, CountSettings(preset, forms=True)).hash == compiled.hash
    keys, counts = np.array([5, 1 << 62, 0, 5]), np.zeros(4, dtype=np.int64)
    for kernel in (counts_kernel, source):
        counter = kernel.Counter()
        counter.add_keys(keys[:3])
        counter.add_counts(keys[:1], np.array([4]))
        counter.get_keys(keys, counts)
        assert counts.tolist() == [5, 1, 1, 5]


def test_the_compiled_table_kernel_equals_its_source() -> None:
    rng = np.random.default_rng(3)
    shape = TableShape.of(("depth", "leaves", "siblings", "children", "span"), 20)
    traits = np.stack([rng.integers(0, 3, 60) << 12 | rng.integers(0, 70, 60) for _ in range(5)], axis=1)
    arguments = (
        np.array([0, 2]),
        np.array([0, 20, 40, 60]),
        traits.astype(np.int32),
        rng.integers(0, 3, 60).astype(np.int32),
        rng.integers(0, 4, 60).astype(np.int32),
        rng.random((3, shape.width)),
        rng.random((4, shape.width)),
        shape.first_bits,
        shape.second_bits,
        (rng.random((3, shape.width)) < 0.1).astype(np.uint8),
        (rng.random((4, shape.width)) < 0.1).astype(np.uint8),
        shape.offset,
    )
    results = [np.zeros(60), np.zeros(60)]
    outside, unseen = np.zeros((2, 2, 60), dtype=np.uint8)
    score_kernel.add_weights(*arguments, results[0], unseen[0], outside[0])
    interpreted("models.lisca.score_kernel").add_weights(*arguments, results[1], unseen[1], outside[1])
    assert unseen[0].tolist() == unseen[1].tolist()
    assert 0 < unseen[0].sum() < 40
    assert results[0].tolist() == results[1].tolist()
    assert outside[0].tolist() == outside[1].tolist()
    assert 0 < np.count_nonzero(outside[0]) < 40
    assert (results[0][20:40] == 0).all()


def test_counts_beyond_the_dense_ones_are_carried_without_loss() -> None:
    text = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    once = count_arcs(corpus_of(text))
    for times in (65_535, 65_536, 140_000):
        many = count_arcs(corpus_of(text * times))
        for name, table in once.tables.items():
            assert many.tables[name].keys.tolist() == table.keys.tolist()
            assert many.tables[name].counts.tolist() == (times * table.counts).tolist()


def test_few_tags_and_many_relations_are_counted() -> None:
    text = "".join(f"1\ta\ta\tX\t_\t_\t0\trel{k}\t_\t_\n\n" for k in range(100))
    model = count_arcs(corpus_of(text))
    assert (len(model.tags), len(model.relations)) == (1, 100)
    assert model.tables["P"].counts.tolist() == [100] * 5


def test_labels_beyond_the_dense_part_are_counted() -> None:
    text = "".join(f"1\ta\ta\tT{k}\t_\t_\t0\trel{k % 90}\t_\t_\n\n" for k in range(900))
    model = count_arcs(corpus_of(text))
    assert (len(model.tags), len(model.relations)) == (900, 90)
    assert Counter(model.tables["P"].counts.tolist()) == {1: 900 * 5}
    assert Counter(model.tables["D"].counts.tolist()) == {10: 90 * 5}


def test_shares_are_plain_and_one_arc_is_singular() -> None:
    assert [percent(share) for share in (1e-7, 0.00001, 0.0312, 0.5, 1)] == [
        *("below 0.0001 %", "0.001 %", "3.1 %", "50 %", "100 %"),
    ]
    assert share_of(0, 1, "det arc") == "none of 1 det arc"
    assert share_of(0, 1200, "det arc") == "none of 1,200 det arcs"
    assert share_of(1, 1, "det arc") == "100 % of det arcs"
    assert share_of(0, 0, "det arc") == "there are no det arcs"
