"""The other columns: rules of lemmas, questions, the kernel by its definition, folds, and the section of the model."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import corpora, interpreted
from treegauge import build_model, load_model, parse_conllu, scorer
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.models.columns.choices import ColumnJudge, with_feature
from treegauge.models.columns.columns_kernel import UNIT, CandidateChooser
from treegauge.models.columns.features import TEMPLATES, LabelHashes, WordParts, word_features
from treegauge.models.columns.inventory import ABSENT, NAMES, Survey, features_of, present, questions
from treegauge.models.columns.learning import learn_column, learn_folds
from treegauge.models.columns.rules import lemma_by, rule_of
from treegauge.models.columns.weights import classes_text, parse_classes
from treegauge.models.model import parse_model

WORDS = st.text("aAbBéßİ’-1", max_size=8)


def lines(*words: str) -> str:
    """A sentence of words `form/lemma/UPOS/XPOS/FEATS/head/deprel`."""
    rows = enumerate((word.split("/") for word in words), 1)
    return "".join("\t".join([str(k), *cells, "_", "_"]) + "\n" for k, cells in rows) + "\n"


def treebank(times: int = 12) -> str:
    """Cats sleep and dogs run, in the singular and in the plural; the last sentence has an error in every column."""
    text = ""
    for _ in range(times):
        for noun in ("cat", "dog", "bird"):
            for verb in ("sleep", "bark", "sing"):
                text += lines(
                    f"{noun}s/{noun}/NOUN/NNS/Number=Plur/2/nsubj", f"{verb}/{verb}/VERB/VBP/Number=Plur/0/root"
                )
                text += lines(
                    "the/the/DET/DT/_/2/det",
                    f"{noun}/{noun}/NOUN/NN/Number=Sing/3/nsubj:top",
                    f"{verb}s/{verb}/VERB/VBZ/Number=Sing/0/root",
                )
                text += lines(
                    f"{noun}/{noun}/NOUN/NN/Number=Sing/2/nsubj", f"{verb}s/{verb}/VERB/VBZ/Number=Sing/0/root"
                )
    return text + lines(
        "the/the/DET/DT/_/2/det", "cats/cats/NOUN/NN/Number=Sing/3/nsubj", "sleep/sleep/VERB/VBP/Number=Plur/0/root"
    )


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return parse_conllu(treebank())


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [
        ("Cities", "city", "lower|>|ies>y"),
        ("Paris", "Paris", "same|>|>"),
        ("IBM", "IBM", "same|>|>"),
        ("jack", "Jack", "title|>|>"),
        ("am", "be", "lower||am=be"),
        ("mhillean", "millean", "lower|mh>m|>"),
        ("gesehen", "sehen", "lower|ge>|>"),
        ("x", "_", "_"),
    ],
)
def test_a_lemma_is_an_edit_of_its_form(form: str, lemma: str, rule: str) -> None:
    assert rule_of(form, lemma) == rule
    assert lemma_by(rule, form) == lemma


@given(form=WORDS.filter(bool), lemma=WORDS.filter(bool), other=WORDS.filter(bool))
def test_a_rule_makes_its_lemma_again_unless_the_case_is_odd(form: str, lemma: str, other: str) -> None:
    rule = rule_of(form, lemma)
    made = lemma_by(rule, form)
    assert made == lemma or rule.startswith("other|") or made is None or "ß" in form + lemma or "İ" in form + lemma
    lemma_by(rule, other)  # no other form breaks it


def test_features_are_set_and_taken_away_in_order() -> None:
    assert with_feature("_", "Number=Sing") == "Number=Sing"
    assert with_feature("Number=Sing", "Case=Nom") == "Case=Nom|Number=Sing"
    assert with_feature("Case=Nom|Number=Sing", f"Case={ABSENT}") == "Number=Sing"
    assert with_feature("Case=Nom", f"Case={ABSENT}") == "_"
    assert features_of("A=1|b[x]=2") == {"A": "1", "b[x]": "2"}


def test_the_kernel_chooses_by_the_sum_of_weights() -> None:
    """p = exp Σ w / Σ exp Σ w, where a weight belongs to a feature and a class, or to the evidence."""
    rng = np.random.default_rng(3)
    bits, features = 10, rng.integers(1, 1 << 63, (3, 4), dtype=np.uint64)
    weight = rng.integers(-40, 40, 1 << bits).astype(np.int8)
    hashes = rng.integers(1, 1 << 63, 5, dtype=np.uint64)
    start, members = np.array([0, 3, 5], dtype=np.int64), np.array([0, 2, 4, 0, 3], dtype=np.int32)
    evidence = np.array([0, 1, 0, 0, 1], dtype=np.uint8)
    word, sets, own = (np.array(values, dtype=np.int32) for values in ([0, 1, 2], [0, 1, 0], [1, 0, 2]))

    def place(first: int, second: int) -> int:
        mix, whole = 0xFF51AFD7ED558CCD, (1 << 64) - 1
        mixed = (first ^ second) * mix & whole
        return ((mixed ^ mixed >> 32) * mix & whole) >> (64 - bits)

    def score(w: int, member: int) -> float:
        own_hash, given_ = int(hashes[members[member]]), int(evidence[member]) + 1
        places = [place(int(feature), own_hash) for feature in features[w]]
        places.append(place(given_ * 0x9E3779B97F4A7C15 & (1 << 64) - 1, own_hash))
        places.append(place(given_ * 0xC2B2AE3D27D4EB4F & (1 << 64) - 1, 0))
        return sum(int(weight[at]) for at in places) / UNIT

    found = np.zeros(3), np.zeros(3, dtype=np.int32), np.zeros(3)
    with np.errstate(over="ignore"):
        CandidateChooser(weight, None, hashes, start, members, evidence, 4).score(features, word, sets, own, *found)
    for i in range(3):
        listed = range(int(start[sets[i]]), int(start[sets[i] + 1]))
        scores = [score(int(word[i]), member) for member in listed]
        total = math.log(sum(map(math.exp, scores)))
        assert found[0][i] == pytest.approx(scores[own[i]] - total)
        others = {
            int(members[m]): s - total for k, (m, s) in enumerate(zip(listed, scores, strict=True)) if k != own[i]
        }
        others.pop(0, None)  # a new value is never suggested
        best = max(others, key=lambda code: others[code])
        assert (found[1][i], found[2][i]) == (best, pytest.approx(others[best]))


def test_learning_makes_what_was_seen_probable(corpus: Corpus) -> None:
    for column in NAMES:
        learned = learn_column(lambda: [corpus], column)
        choices = ColumnJudge(column, learned.classes, learned.supports).choices(corpus, [learned.weight])
        assert np.exp(choices.log_prob[:-3]).mean() > 0.9
        few = learn_column(lambda: [corpus], column, most=60)
        assert 0 < np.count_nonzero(few.weight) <= 60
        again = ColumnJudge(column, few.classes, few.supports).choices(corpus, [few.weight])
        assert np.exp(again.log_prob[:-3]).mean() > 0.8


def test_an_error_in_any_column_is_found_and_mended(corpus: Corpus) -> None:
    row = corpus.n_words - 2  # `the cats`, in the singular
    wanted = {"lemma": "cat", "xpos": "NNS", "feats": "Number=Plur", "subtype": "nsubj:top"}
    for column in NAMES:
        by = scorer(column, by_itself=corpus)
        choices = by.column_choices(corpus)  # type: ignore[attr-defined]
        assert int(by.scores(corpus).argmin()) == row, column
        assert choices.other_value(corpus, row) == wanted[column]
        (explanation,) = by.explain(corpus, np.array([row]))
        assert choices.rather(corpus, row) in explanation.lines()[0]
    words = scorer("word", by_itself=corpus)
    expected = [words.arcs.scores(corpus), words.arcs.tag_choices(corpus).log_prob]  # type: ignore[attr-defined]
    expected += [part.column_choices(corpus).log_worst for part in words.parts]  # type: ignore[attr-defined]
    assert words.scores(corpus) == pytest.approx(np.min(expected, axis=0))


def test_a_fold_does_not_learn_from_itself(corpus: Corpus) -> None:
    """The weights of a fold are those learned from a corpus without it, with the same values."""
    fold = np.arange(corpus.n_sentences) % 3
    survey, weights = learn_folds(lambda: [corpus], "feats", 3, lambda piece, k: fold == k)
    rest = corpus.select(fold != 1)
    asked = questions(rest, "feats", survey.classes(), survey.supports)
    features = word_features(WordParts(rest, LabelHashes()), TEMPLATES["feats"])
    weight, power = np.zeros((2, len(weights[1])), dtype=np.float32)
    kernel = CandidateChooser(
        weight, power, asked.hashes, asked.start, asked.members, asked.evidence, features.shape[1]
    )
    for _ in range(3):
        kernel.train(features, asked.word, asked.sets, asked.own, 0.1)
    assert weights[1] == pytest.approx(weight, abs=1e-6)


def test_pieces_are_learned_from_as_one(corpus: Corpus) -> None:
    half = corpus.n_sentences // 2
    parts = [corpus.part(0, half), corpus.part(half, corpus.n_sentences)]
    whole, cut = learn_folds(lambda: [corpus], "xpos", 1, None), learn_folds(lambda: parts, "xpos", 1, None)
    assert whole[0].classes() == cut[0].classes()
    assert whole[1][0] == pytest.approx(cut[1][0], abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(text=corpora())
def test_every_question_has_its_own_value_or_a_new_one(text: str) -> None:
    corpus = parse_conllu(text)
    for column in NAMES:
        survey = Survey(column)
        survey.add(corpus)
        asked = questions(corpus, column, survey.classes(), survey.supports)
        size = np.diff(asked.start)[asked.sets]
        assert ((asked.own >= 0) & (asked.own < size)).all()
        assert (np.diff(asked.word) >= 0).all()
        assert len(asked.members) == 0 or asked.members.max() < len(asked.classes)
        assert parse_classes(classes_text(survey.classes())) == survey.classes()
    assert set(present([corpus])) <= set(NAMES)


def test_the_model_keeps_the_columns(corpus: Corpus, tmp_path: Path) -> None:
    model = build_model(corpus)
    assert [one.column for one in model.columns] == list(NAMES)
    model.save(tmp_path / "m.tgm")
    again = load_model(tmp_path / "m.tgm")
    for first, second in zip(model.columns, again.columns, strict=True):
        assert (first.classes, first.words, first.hash) == (second.classes, second.words, second.hash)
        assert np.array_equal(first.weight, second.weight)
        assert np.array_equal(first.lemmas, second.lemmas)
        by = scorer(first.column, again)
        assert by.scores(corpus) == pytest.approx(scorer(first.column, model).scores(corpus))
    without = replace(model, columns=())
    with pytest.raises(ModelError, match="knows no lemmas"):
        scorer("lemma", without)
    with pytest.raises(ModelError, match="does not know the column xpos; it knows lemma"):
        scorer("xpos", replace(model, columns=model.columns[:1]))
    content = (tmp_path / "m.tgm").read_bytes()
    with pytest.raises(ModelError):
        parse_model(content[:-40] + content[-4:], "m.tgm")


@pytest.mark.parametrize("text", ["NOUN\ta\nADJ\tb", "NOUN", "NOUN\ta\ta"])
def test_classes_out_of_order_are_refused(text: str) -> None:
    with pytest.raises(ModelError):
        parse_classes(text)


def test_the_kernel_is_the_same_as_plain_python(corpus: Corpus) -> None:
    plain = interpreted("models.columns.columns_kernel")
    few = corpus.part(corpus.n_sentences - 12, corpus.n_sentences)
    survey = Survey("feats")
    survey.add(few)
    asked = questions(few, "feats", survey.classes(), survey.supports)
    features = word_features(WordParts(few, LabelHashes()), TEMPLATES["feats"][:6])
    found = []
    for kernel in (CandidateChooser, plain.CandidateChooser):
        weight, power = np.zeros((2, 1 << 12), dtype=np.float32)
        answers = np.zeros(len(asked.word)), np.zeros(len(asked.word), dtype=np.int32), np.zeros(len(asked.word))
        with np.errstate(over="ignore"):
            chosen = kernel(weight, power, asked.hashes, asked.start, asked.members, asked.evidence, 6)
            chosen.train(features, asked.word, asked.sets, asked.own, 0.1)
            chosen.score(features, asked.word, asked.sets, asked.own, *answers)
        found.append((weight, *answers))
    for first, second in zip(*found, strict=True):
        assert first == pytest.approx(second, abs=1e-5)


def test_a_column_without_values_is_refused() -> None:
    plain = parse_conllu(lines("a/a/X/_/_/0/root") * 4)
    for column in ("xpos", "feats", "subtype"):
        with pytest.raises(OptionError, match="to judge; it has lemma"):
            scorer(column, by_itself=plain)
