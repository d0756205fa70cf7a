"""Learning and judging tags, and arcs of words whose tags are in doubt."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.models.choice_by_definition import TagDefinition
from tests.trees import interpreted
from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError
from treegauge.models.choice import tags as tagging
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import LEAST, SURE, TRUST, Choice, right_tag
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.tags import (
    MOST_PASSES,
    RATE,
    TagChoice,
    TagChoices,
    TagTrainer,
    TagWeights,
    merge_tag_weights,
)
from treegauge.models.choice.tags_kernel import MOST_TAGS, TAG_BITS
from treegauge.models.choice.weights import merge_weights
from treegauge.models.choice.words import COLUMNS
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.model import Model, model_bytes, parse_model

Sentence = list[tuple[str, str]]
SENTENCES: list[Sentence] = [
    [("The", "DET"), ("cat-fish", "NOUN"), ("swims", "VERB"), (".", "PUNCT")],
    [("Anna", "PROPN"), ("swims", "VERB"), ("in", "ADP"), ("2", "NUM"), ("rivers", "NOUN"), ("!", "PUNCT")],
    [("The", "DET"), ("swims", "NOUN"), ("of", "ADP"), ("McFee", "PROPN")],
]


def text_of(sentences: list[Sentence], heads: list[list[tuple[int, str]]] | None = None) -> str:
    lines = []
    for s, words in enumerate(sentences):
        for k, (form, tag) in enumerate(words):
            head, relation = heads[s][k] if heads else (k, "dep" if k else "root")
            lines.append(f"{k + 1}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n")
        lines.append("\n")
    return "".join(lines)


def corpus_of(sentences: list[Sentence]) -> Corpus:
    return parse_conllu(text_of(sentences))


def learned(*corpora: Corpus) -> TagWeights:
    trainer = TagTrainer()
    for corpus in corpora:
        trainer.add(corpus)
    weights = trainer.weights()
    assert weights is not None
    return weights


def test_probabilities_of_tags_are_those_of_the_definition() -> None:
    corpus = corpus_of(SENTENCES)
    trainer = TagTrainer()
    trainer.add(corpus)
    trainer.weights()
    names = list(trainer.tags)
    definition = TagDefinition(names, RATE)
    for _, sentence in product(range(MOST_PASSES), SENTENCES):
        definition.learn([form for form, _ in sentence], [tag for _, tag in sentence])
    floats = np.ascontiguousarray(trainer._weight[:, : len(names)])
    assert len(np.flatnonzero(floats.any(axis=1))) == len({f for f, _ in definition.learner.weight})  # no shared places
    judge = TagChoice(TagWeights(tuple(names), floats), corpus.n_words)
    found = judge.choices(corpus)
    row = 0
    for sentence in SENTENCES:
        for w, (_, tag) in enumerate(sentence):
            wanted = definition.probs([form for form, _ in sentence], w)
            own = names.index(tag)
            assert math.exp(found.log_prob[row]) == pytest.approx(wanted[own], abs=1e-5)
            assert math.exp(found.log_other[row]) == pytest.approx(max(wanted[:own] + wanted[own + 1 :]), abs=1e-5)
            row += 1


def test_compiled_and_interpreted_kernels_agree() -> None:
    corpus = corpus_of(SENTENCES)
    by_compiled = learned(corpus)
    plain = interpreted("models.choice.tags_kernel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagging, "Tagger", plain.Tagger)
        by_plain = learned(corpus)
        plain_found = TagChoice(by_plain, 14).choices(corpus)
    found = TagChoice(by_compiled, 14).choices(corpus)
    assert np.array_equal(by_compiled.tag, by_plain.tag)
    assert by_compiled.tag.any()
    assert found.log_prob == pytest.approx(plain_found.log_prob, rel=1e-12)
    assert np.array_equal(found.other, plain_found.other)


def test_a_tag_depends_on_the_forms_beside_it() -> None:
    corpus = corpus_of(SENTENCES * 5)
    judge = TagChoice(learned(corpus), corpus.n_words)
    found = judge.choices(corpus_of([[("The", "DET"), ("swims", "VERB")], [("Anna", "PROPN"), ("swims", "VERB")]]))
    assert found.log_prob[1] < found.log_other[1]
    assert found.tags[found.other[1]] == "NOUN"
    assert found.log_prob[3] > math.log(0.8)


def test_files_and_threads_change_nothing(tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"{k}.conllu").write_text(text_of(SENTENCES * 4))
    whole = corpus_of(SENTENCES * 12)
    weights = learned(whole)
    assert np.array_equal(learned(*stream_conllu(*sorted(tmp_path.iterdir()), columns=COLUMNS)).tag, weights.tag)
    judge = TagChoice(weights, whole.n_words)
    assert np.array_equal(judge.choices(whole, threads=1).log_prob, judge.choices(whole, threads=3).log_prob)


def test_a_long_text_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(SENTENCES)
    words: list[int] = []

    class Counting:
        def __init__(self, *tables: np.ndarray) -> None: ...

        def train(self, *given: object) -> None:
            words.append(1)

    monkeypatch.setattr(tagging, "Tagger", Counting)
    learned(corpus, corpus)
    assert len(words) == 2 * MOST_PASSES
    monkeypatch.setattr(tagging, "_HELD", 20)
    words.clear()
    learned(corpus, corpus)
    assert len(words) == 2


def test_a_tag_never_seen_is_as_rare_as_the_reference_is_large() -> None:
    judge = TagChoice(learned(corpus_of(SENTENCES)), 14)
    found = judge.choices(corpus_of([[("swims", "STRANGE")]]))
    assert found.log_prob[0] == pytest.approx(-math.log(15))
    assert found.tags[found.other[0]] in ("VERB", "NOUN")


def test_an_empty_corpus_one_tag_and_too_many_tags() -> None:
    nothing = TagTrainer()
    nothing.add(corpus_of([]))
    assert nothing.weights() is None
    one = TagChoice(learned(corpus_of([[("a", "X"), ("b", "X")]])), 2).choices(corpus_of([[("c", "X")]]))
    assert (one.log_prob[0], one.other[0]) == (0.0, -1)
    assert right_tag(one)[0] == 1
    many = TagTrainer()
    many.add(corpus_of([[(f"w{k}", f"T{k}") for k in range(MOST_TAGS + 1)]]))
    assert many.weights() is None
    assert len(TagChoice(learned(corpus_of(SENTENCES)), 14).choices(corpus_of([])).log_prob) == 0


def test_how_far_a_tag_is_trusted() -> None:
    p, other = np.array([0.9, 0.3, 0.001, 0.5]), np.array([0.1, 0.6, 0.99, 0.4])
    right = right_tag(TagChoices(np.log(p), np.array([0, 0, 0, -1]), np.log(other), ("X",)))
    assert right[0] == 1  # 3.6 / 3.7, from SURE on
    assert TRUST * p[0] / (TRUST * p[0] + other[0]) >= SURE
    assert right[1] == pytest.approx(1.2 / 1.8)  # 4 · 0.3 / (4 · 0.3 + 0.6)
    assert right[2] == LEAST
    assert right[3] == 1  # no other tag


@pytest.fixture
def reference() -> Corpus:
    """A language in which a determiner belongs to the noun after it, an adverb to the verb before it."""
    rng = np.random.default_rng(5)
    sentences: list[Sentence] = []
    heads = []
    for _ in range(80):
        words: Sentence = [("the", "DET"), (f"thing{rng.integers(9)}", "NOUN"), (f"go{rng.integers(9)}es", "VERB")]
        arcs = [(2, "det"), (3, "nsubj"), (0, "root")]
        if rng.random() < 0.5:
            words.append((f"quick{rng.integers(9)}ly", "ADV"))
            arcs.append((3, "advmod"))
        else:
            words += [("the", "DET"), (f"thing{rng.integers(9)}", "NOUN")]
            arcs += [(5, "det"), (3, "obj")]
        sentences.append(words)
        heads.append(arcs)
    return parse_conllu(text_of(sentences, heads))


WRONG: list[Sentence] = [
    [("the", "DET"), ("thing3", "NOUN"), ("go2es", "NOUN"), ("quick1ly", "NOUN")],
    [("the", "DET"), ("thing1", "VERB"), ("go4es", "VERB"), ("the", "DET"), ("thing2", "NOUN")],
]
ARCS = [
    [(2, "det"), (0, "root"), (2, "nmod"), (3, "obj")],
    [(2, "det"), (0, "root"), (2, "obj"), (5, "det"), (3, "obj")],
]


def test_arcs_of_doubtful_tags_are_a_mixture_by_the_formula(reference: Corpus) -> None:
    weights = learn_choice([reference])
    choice, plain = Choice(weights), Choice(replace(weights, tags=None))
    target = parse_conllu(text_of(WRONG, ARCS))
    found = choice.choices(target)
    assert found.tags is not None
    q = right_tag(found.tags)
    assert 2 <= (q < 1).sum() < len(q)

    def p(row: int, changed: int | None) -> float:
        """p of an arc by itself, with another tag of one word."""
        flat = [[list(word) for word in sentence] for sentence in WRONG]
        if changed is not None:
            s, w = int(target.sentence[changed]), int(target.position[changed]) - 1
            flat[s][w][1] = found.tags.tags[found.tags.other[changed]]  # type: ignore[union-attr]
        variant = parse_conllu(text_of([[(form, tag) for form, tag in sentence] for sentence in flat], ARCS))
        return float(np.exp(plain.choices(variant).log_prob[row]))

    for d in range(target.n_words):
        h = int(target.head_row[d])
        q_head = q[h] if h >= 0 else 1.0
        wanted = q[d] * q_head * p(d, None)
        if q[d] < 1:
            wanted += (1 - q[d]) * p(d, d)
        if q_head < 1:
            wanted += q[d] * (1 - q_head) * p(d, h)
        assert math.exp(found.log_prob[d]) == pytest.approx(wanted, rel=1e-9)
        same = found.log_head[d] + found.log_other_relation[d]
        assert np.exp(found.log_prob[d]) + np.exp(same) <= 1 + 1e-9
        assert np.exp(found.log_head[d]) + np.exp(found.log_other_head[d]) <= 1 + 1e-9


def test_a_wrong_tag_makes_its_arc_less_probable(reference: Corpus) -> None:
    weights = learn_choice([reference])
    wrong = parse_conllu(text_of([WRONG[0]], [ARCS[0]]))
    with_tags, without = Choice(weights).choices(wrong), Choice(replace(weights, tags=None)).choices(wrong)
    assert without.tags is None
    assert with_tags.tags is not None
    assert with_tags.tags.tags[with_tags.tags.other[2]] == "VERB"
    (first, second) = explain(Choice(weights), wrong, np.array([2, 3]), with_tags)
    assert any(line.startswith("probably VERB (") and line.endswith("), tagged NOUN") for line in first.lines())
    assert any(line.startswith("its head is probably VERB (") for line in second.lines())
    right = parse_conllu(
        text_of([[("the", "DET"), ("thing3", "NOUN"), ("go2es", "VERB")]], [[*ARCS[0][:1], (3, "nsubj"), (0, "root")]])
    )
    sure = Choice(weights).choices(right)
    assert np.array_equal(sure.log_prob, Choice(replace(weights, tags=None)).choices(right).log_prob)


def test_tags_survive_the_model_file_and_merging(reference: Corpus) -> None:
    weights = learn_choice([reference])
    assert weights.tags is not None
    back = parse_model(model_bytes(Model(count_arcs(reference), weights)), "x.tgm").weights
    assert back is not None
    assert back.tags is not None
    assert back.tags.tags == weights.tags.tags
    assert np.array_equal(back.tags.tag, weights.tags.tag)
    del back.__dict__["hash"]
    assert back.hash == weights.hash
    assert replace(weights, tags=None).hash != weights.hash
    both = merge_weights([weights, weights]).tags
    assert both is not None
    assert np.array_equal(both.tag, weights.tags.tag)
    assert merge_weights([weights, replace(weights, tags=None)]).tags is None
    other = learned(corpus_of([[("x", "X")]]))
    merged = merge_tag_weights([(weights.tags, 3), (other, 1)])
    assert merged is not None
    assert merged.tags == tuple(sorted({*weights.tags.tags, "X"}))


def test_weights_without_tags_work_as_before(reference: Corpus) -> None:
    weights = learn_choice([reference], tags=None)
    assert weights.tags is None
    back = parse_model(model_bytes(Model(count_arcs(reference), weights)), "x.tgm").weights
    assert back is not None
    assert back.tags is None
    assert Choice(back).choices(reference).tags is None


def test_learning_goes_on_from_weights(reference: Corpus) -> None:
    first = learn_choice([reference])
    again = learn_choice([corpus_of(SENTENCES)], start=first)
    assert again.tags is not None
    assert first.tags is not None
    assert set(first.tags.tags) <= set(again.tags.tags)
    found = TagChoice(again.tags, 14).choices(reference)
    assert np.exp(found.log_prob).mean() > 0.8


@pytest.mark.parametrize("tags", [[], ["B", "A"], ["A", "A"], [f"{k:03}" for k in range(MOST_TAGS + 1)]])
def test_tags_of_a_file_that_cannot_be(tags: list[str]) -> None:
    with pytest.raises(ModelError, match=f"{len(tags)} tags to choose from; expected 1 to 128, sorted, each once"):
        tagging.check_tags(tags)


def test_weights_of_any_value_are_looked_up_inside() -> None:
    corpus = corpus_of(SENTENCES)
    for value in (-128, 127):
        table = np.full((1 << TAG_BITS, 3), value, dtype=np.int8)
        found = TagChoice(TagWeights(("A", "B", "DET"), table), 14).choices(corpus)
        assert np.exp(found.log_other) == pytest.approx(1 / 3)


def test_wrong_tags_are_found(evaluation_data: Path) -> None:
    from treegauge.evaluation.judging.measures import roc_auc

    pair = evaluation_data / "pairs" / "fr_spacy"
    gold, system = (read_conllu(pair / f"test.{side}.conllu", columns=COLUMNS) for side in ("gold", "system"))
    train = evaluation_data / "ud" / "fr_sequoia" / "train.conllu.xz"
    weights = learned(*stream_conllu(str(train), columns=COLUMNS))
    right = np.array([gold.value("upos", w) == system.value("upos", w) for w in range(gold.n_words)])
    assert roc_auc(TagChoice(weights, 50_000).choices(system).log_prob, right) > 0.97
