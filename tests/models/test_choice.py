"""Learning and judging choices of heads and relations."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.choice_by_definition import Definition, Tree
from tests.models.reasons_by_definition import Sentence
from tests.trees import heads, interpreted, tool
from treegauge.corpus.conllu import read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.models.choice import learning as training
from treegauge.models.choice import probabilities as scoring
from treegauge.models.choice.choice_kernel import PAIR_BITS, RELATION_BITS, Chooser
from treegauge.models.choice.learning import HEAD_RATE, RELATION_RATE, ChoiceTrainer, learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.weights import in_steps, merge_weights, rounded
from treegauge.models.choice.words import ALL, COLUMNS, NAMES, TREE, WordHashes
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.model import Model, model_bytes, parse_model

TAGS = ("NOUN", "VERB", "ADP", "PUNCT", "CCONJ")
RELATIONS = ("nsubj", "obj", "case", "punct", "conj")
Rows = list[tuple[str, str, str, str, int, str]]


@st.composite
def trees(draw: st.DrawFn) -> Rows:
    """The words of a random tree."""
    return [
        (
            draw(st.sampled_from(("kettle", "battle", "see", "."))),
            draw(st.sampled_from(TAGS)),
            draw(st.sampled_from(("X", "Y"))),
            draw(st.sampled_from(("_", "Case=Nom", "Case=Acc", "Case=Acc|Number=Sing"))),
            head,
            "root" if head == 0 else draw(st.sampled_from(RELATIONS)),
        )
        for head in draw(heads(9))
    ]


def conllu(sentences: list[Rows]) -> str:
    text = ""
    for rows in sentences:
        for k, (lemma, tag, xpos, feats, head, relation) in enumerate(rows, 1):
            text += f"{k}\t{lemma}\t{lemma}\t{tag}\t{xpos}\t{feats}\t{head}\t{relation}\t_\t_\n"
        text += "\n"
    return text


def corpus_of(sentences: list[Rows], folder: Path) -> Corpus:
    path = folder / "some.conllu"
    path.write_text(conllu(sentences))
    return read_conllu(path, columns=COLUMNS)


def trained(corpus: Corpus) -> ChoiceTrainer:
    trainer = ChoiceTrainer()
    trainer.add(corpus)
    return trainer


class Unrounded(Choice):
    """Judges by weights as they are learned."""

    def __init__(self, trainer: ChoiceTrainer) -> None:
        super().__init__(trainer.weights())
        columns = [trainer.relations[name] for name in self.weights.relations]
        self.floats = trainer.head, np.ascontiguousarray(trainer.relation[:, columns])

    def chooser(self, groups: int | None = None) -> Chooser:
        return Chooser(NAMES, self.weights.groups, *self.floats, np.zeros((1 << PAIR_BITS, 2), dtype=np.uint32))


def compare_with_definition(sentences: list[Rows], folder: Path, tolerance: float, passes: int = 1) -> None:
    corpus = corpus_of(sentences, folder)
    trainer = trained(corpus)
    if passes > 1:
        trainer.finish()
    definition = Definition(list(trainer.relations), HEAD_RATE, RELATION_RATE)
    for rows in passes * sentences:
        definition.learn(Tree(rows))
    choices = Unrounded(trainer).choices(corpus)
    wanted = [definition.probs(Tree(rows), d) for rows in sentences for d in range(1, len(rows) + 1)]
    assert np.exp(choices.log_head) == pytest.approx([head for head, _ in wanted], abs=tolerance)
    assert np.exp(choices.log_relation) == pytest.approx([relation for _, relation in wanted], abs=tolerance)


def random_tree(rng: np.random.Generator, most: int = 5) -> Rows:
    """The two to `most` words of a random tree, each below an earlier one or the root."""
    n = int(rng.integers(2, most + 1))
    rows: Rows = []
    for k in range(n):
        head = int(rng.integers(0, k + 1))
        relation = "root" if head == 0 else str(rng.choice(RELATIONS))
        tag, lemma = str(rng.choice(TAGS)), str(rng.choice(("kettle", "battle", "see", ".")))
        rows.append(
            (
                lemma,
                tag,
                str(rng.choice(("X", "Y"))),
                str(rng.choice(("_", "Case=Nom", "Case=Acc|Number=Sing"))),
                head,
                relation,
            )
        )
    return rows


def share_a_place(sentences: list[Rows], corpus: Corpus) -> bool:
    """Whether two features of the definition have one place among the hashed weights."""
    plain = interpreted("models.choice.choice_kernel")
    trainer = ChoiceTrainer()
    relation = np.zeros((1 << RELATION_BITS, 1), dtype=np.float32)
    chooser = plain.Chooser(NAMES, ALL, trainer.head, relation, trainer.pairs)
    words = WordHashes().words(corpus)
    features: tuple[set[Any], set[Any]] = (set(), set())  # of heads, of relations
    places: tuple[set[int], set[int]] = (set(), set())
    with np.errstate(over="ignore"):
        for s, tree in enumerate(map(Tree, sentences)):
            chooser._load(words, corpus.head, int(corpus.start[s]), tree.n)
            for d in range(1, tree.n + 1):
                chooser._candidates(d, tree.head[d], False)
                assert sorted(chooser.candidate[: chooser.n_candidates]) == [h for h in range(tree.n + 1) if h != d]
                for k in range(chooser.n_candidates):
                    features[0].update(*tree.head_features(d, int(chooser.candidate[k])))
                    places[0].update(chooser.place[k, : chooser.n_features[k]].tolist())
                chooser._relation_features(tree.head[d], d)
                features[1].update(tree.relation_features(d, tree.head[d]))
                places[1].update(chooser.relation_place[: chooser.n_relation_features].tolist())
    assert all(len(found) <= len(named) for found, named in zip(places, features, strict=True))
    return any(len(found) < len(named) for found, named in zip(places, features, strict=True))


def test_probabilities_of_random_trees_are_those_of_the_definition(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(20):
        sentences = [random_tree(rng), random_tree(rng)]
        if not share_a_place(sentences, corpus_of(sentences, tmp_path)):
            compare_with_definition(sentences, tmp_path, 1e-6)
            compared += 1
    assert compared >= 12  # of some 800 features two share a weight in one corpus of four


def test_probabilities_are_those_of_the_definition(tmp_path: Path) -> None:
    first: Rows = [
        ("cat", "NOUN", "N", "Case=Nom", 3, "nsubj"),
        (",", "PUNCT", ",", "_", 3, "punct"),
        ("see", "VERB", "V", "_", 0, "root"),
        ("of", "ADP", "P", "_", 5, "case"),
        ("dog", "NOUN", "N", "Case=Acc", 3, "obl"),
        ("and", "CCONJ", "C", "_", 7, "cc"),
        ("go", "VERB", "V", "_", 3, "conj"),
    ]
    second: Rows = [
        ("see", "VERB", "V", "_", 0, "root"),
        ("of", "ADP", "P", "_", 4, "case"),
        ("red", "ADJ", "A", "Case=Acc", 4, "amod"),
        ("cat", "NOUN", "N", "Case=Acc", 1, "obl"),
        (".", "PUNCT", ".", "_", 1, "punct"),
    ]
    compare_with_definition([first, second, first], tmp_path, 1e-6)
    compare_with_definition([first, second, first], tmp_path, 1e-5, passes=3)


@settings(max_examples=5, deadline=None)
@given(sentences=st.lists(trees(), min_size=1, max_size=3))
def test_compiled_and_interpreted_kernels_agree(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[Rows]
) -> None:
    corpus = corpus_of(sentences, tmp_path_factory.mktemp("c"))
    by_compiled = trained(corpus).weights()
    scores = Choice(by_compiled).choices(corpus)
    plain = interpreted("models.choice.choice_kernel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "Chooser", plain.Chooser)
        patch.setattr(scoring, "Chooser", plain.Chooser)
        by_plain = trained(corpus).weights()
        plain_scores = Choice(by_plain).choices(corpus)
    assert np.array_equal(by_compiled.head, by_plain.head)
    assert np.array_equal(by_compiled.relation, by_plain.relation)
    assert np.array_equal(by_compiled.candidate, by_plain.candidate)
    assert scores.log_prob == pytest.approx(plain_scores.log_prob, rel=1e-12)
    assert np.array_equal(scores.other_head, plain_scores.other_head)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A language in which a determiner belongs to the noun after it and a noun to the verb."""
    rng = np.random.default_rng(7)
    sentences = []
    for _ in range(60):
        rows: Rows = []
        nouns = int(rng.integers(1, 4))
        verb = 2 * nouns + 1
        for k in range(nouns):
            rows += [("the", "DET", "D", "_", 2 * k + 2, "det"), (f"n{rng.integers(9)}", "NOUN", "N", "_", verb, "obj")]
        sentences.append([*rows, ("eat", "VERB", "V", "_", 0, "root"), (".", "PUNCT", "P", "_", verb, "punct")])
    return corpus_of(sentences, tmp_path)


def test_a_wrong_arc_is_last(corpus: Corpus, tmp_path: Path) -> None:
    choice = Choice(trained(corpus).weights())
    rows: Rows = [
        ("the", "DET", "D", "_", 3, "det"),
        ("n1", "NOUN", "N", "_", 3, "obj"),
        ("eat", "VERB", "V", "_", 0, "root"),
        (".", "PUNCT", "P", "_", 3, "punct"),
    ]
    wrong = corpus_of([rows], tmp_path)
    choices = choice.choices(wrong)
    assert choices.log_prob.argmin() == 0
    other = choice.alternatives(wrong, np.array([0]), choices)
    assert (other.head[0], other.relation[0]) == (2, "det")
    assert math.exp(other.log_prob[0]) > 0.5
    (explanation,) = explain(choice, wrong, np.array([0]), choices)
    assert explanation.reasons[0].feature == "head"
    assert "rather det of 'n1' (word 2)" in explanation.lines()[0]
    assert "times likelier" in explanation.lines()[0]


def test_the_probabilities_of_all_arcs_of_a_word_add_up_to_one(corpus: Corpus) -> None:
    choice = Choice(trained(corpus).weights())
    sentence = Sentence(choice, corpus, 5)
    first = int(corpus.start[5])
    for d in range(1, len(sentence.head) + 1):
        rivals = sentence.rivals(d)
        candidates, _, _ = sentence.chooser.heads_of(sentence.words, sentence.head, d, int(sentence.head[d - 1]))
        if len(candidates) <= 4:
            assert sum(math.exp(rival.log_prob) for rival in rivals) == pytest.approx(1)
        relation = corpus.value("deprel", first + d - 1)
        own = [r.log_prob for r in rivals if (r.head, r.relation) == (sentence.head[d - 1], relation)]
        assert own == pytest.approx([choice.choices(corpus).log_prob[first + d - 1]])


def test_threads_and_files_change_nothing(corpus: Corpus, tmp_path: Path) -> None:
    whole = learn_choice([corpus])
    parts = tmp_path / "parts"
    parts.mkdir()
    text = corpus.text.tobytes().decode().split("\n\n")
    for k in range(3):
        (parts / f"{k}.conllu").write_text("\n\n".join(text[20 * k : 20 * k + 20]) + "\n\n")
    assert learn_choice(stream_conllu(*sorted(parts.iterdir()), columns=COLUMNS)).hash == learn_choice([corpus]).hash
    choice = Choice(whole)
    assert np.array_equal(choice.choices(corpus, threads=1).log_prob, choice.choices(corpus, threads=3).log_prob)


def test_without_the_tree_only_words_are_looked_at(corpus: Corpus) -> None:
    trainer = ChoiceTrainer(ALL ^ TREE)
    trainer.add(corpus)
    choice = Choice(trainer.weights())
    words, head = WordHashes().words(corpus)[:, :6], corpus.head[:6].copy()
    before = choice.chooser().heads_of(np.ascontiguousarray(words), head, 1, 2)
    head[3], words[4, 3] = 1, 99
    after = choice.chooser().heads_of(np.ascontiguousarray(words), head, 1, 2)
    assert np.array_equal(before[1], after[1])


def test_small_references_are_read_several_times(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    once = trained(corpus).weights()
    assert learn_choice([corpus], tags=None).hash != once.hash
    monkeypatch.setattr(training, "PASSES", {corpus.n_words - 1: 3})
    assert learn_choice([corpus], tags=None).hash == once.hash


def test_weights_are_kept_in_eight_bits() -> None:
    head, relation = rounded(np.array([0.0, 0.05, -0.1, 0.2, -50.0]), np.array([[1.0]]))
    assert head.tolist() == [0, 0, -3, 6, -127]  # in 1/32, those below 3/32 dropped, at most ±127
    assert relation.tolist() == [[32]]
    assert head.dtype == relation.dtype == np.int8


def test_coarser_weights_are_fewer_and_in_larger_steps(corpus: Corpus) -> None:
    weights = learn_choice([corpus])
    coarse = tool("build_models").coarser(weights, 4)
    assert weights.tags
    assert coarse.tags
    for fine, few, step in (
        (weights.head, coarse.head, 4),
        (weights.relation, coarse.relation, 8),
        (weights.tags.tag, coarse.tags.tag, 8),
    ):
        assert few.dtype == np.int8
        assert not (few % step).any()
        assert 0 < (few != 0).sum() <= (fine != 0).sum()
        assert np.abs(few.astype(int) - fine).max() < step
    assert in_steps(np.array([-128, -9, -5, -4, 3, 4, 5, 13, 127], dtype=np.int8), 4, 8).tolist() == [
        -120, -8, -8, 0, 0, 0, 8, 16, 120,
    ]  # fmt: skip


def test_more_tags_than_are_told_apart_do_no_harm(tmp_path: Path) -> None:
    rows: Rows = [(f"w{k}", f"T{k}", "_", "_", k and 1, "root" if k == 0 else "dep") for k in range(200)]
    odd = corpus_of([rows[:90], rows], tmp_path)
    found = Choice(learn_choice([odd])).choices(odd)
    assert np.isfinite(found.log_prob).all()


def test_weights_survive_their_bytes(corpus: Corpus) -> None:
    weights = trained(corpus).weights()
    back = parse_model(model_bytes(Model(count_arcs(corpus), weights)), "x.tgm").weights
    assert back is not None
    assert back.hash == weights.hash
    del back.__dict__["hash"]  # the one kept in the file; work it out again
    assert back.hash == weights.hash
    assert np.array_equal(Choice(back).choices(corpus).log_prob, Choice(weights).choices(corpus).log_prob)


def test_merging_is_a_mean_whatever_the_order(corpus: Corpus, tmp_path: Path) -> None:
    one = trained(corpus).weights()
    other = trained(corpus_of([[("go", "VERB", "V", "_", 0, "root"), ("up", "ADV", "A", "_", 1, "advmod")]], tmp_path))
    both = merge_weights([one, other.weights()])
    assert both.hash == merge_weights([other.weights(), one]).hash
    assert both.relations == tuple(sorted({*one.relations, "root", "advmod"}))
    assert both.words == one.words + 2
    assert np.array_equal(merge_weights([one, one]).head, one.head)


def test_a_relation_that_was_never_seen_is_as_rare_as_the_reference_is_large(corpus: Corpus, tmp_path: Path) -> None:
    choice = Choice(trained(corpus).weights())
    odd = corpus_of([[("go", "VERB", "V", "_", 0, "strange")]], tmp_path)
    choices = choice.choices(odd)
    assert choices.log_relation[0] == pytest.approx(-math.log(corpus.n_words + 1))
    assert "'strange' is not in the model" in explain(choice, odd, np.array([0]), choices)[0].lines()[-1]


def test_an_empty_corpus_and_a_word_alone(corpus: Corpus, tmp_path: Path) -> None:
    choice = Choice(trained(corpus).weights())
    assert len(choice.choices(corpus_of([], tmp_path)).log_prob) == 0
    alone = choice.choices(corpus_of([[("go", "VERB", "V", "_", 0, "root")]], tmp_path))
    assert alone.log_head[0] == 0  # no other head is possible
    assert alone.other_head[0] == -1


def test_a_missing_lemma_is_the_form_in_lower_case(tmp_path: Path) -> None:
    path = tmp_path / "forms.conllu"
    path.write_text("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tGo\tgo\tVERB\t_\t_\t1\tflat\t_\t_\n\n")
    words = WordHashes().words(read_conllu(path, columns=COLUMNS))
    assert words[1, 0] == words[1, 1]
    assert NAMES[1] == words[0, 0]


def test_hashes_of_one_corpus_are_not_taken_for_those_of_another(corpus: Corpus, tmp_path: Path) -> None:
    choice = Choice(trained(corpus).weights())
    rows: Rows = [("n1", "NOUN", "N", "_", 2, "obj"), ("eat", "VERB", "V", "_", 0, "root")]
    other = corpus_of([rows], tmp_path)
    alone = choice.choices(other).log_prob
    choice.choices(corpus)
    assert np.array_equal(choice.choices(other).log_prob, alone)


def test_a_kernel_without_room_for_training_still_scores(corpus: Corpus) -> None:
    weights: Any = trained(corpus).weights()
    chooser = Choice(weights).chooser()
    assert isinstance(chooser, Chooser)
    assert (
        len(chooser.relations_of(np.ascontiguousarray(WordHashes().words(corpus)[:, :4]), corpus.head[:4], 1, 2)) == 4
    )


def test_choice_finds_more_errors_than_lisca(evaluation_data: Path) -> None:
    from treegauge.corpus.compare.comparison import right_arcs
    from treegauge.evaluation.judging.measures import roc_auc
    from treegauge.models.lisca.counts import build_reference
    from treegauge.models.lisca.score import Lisca

    pair = evaluation_data / "pairs" / "hu_szeged"
    reference = str(pair / "reference.parsed.conllu.xz")
    gold, system = (read_conllu(pair / f"test.{side}.conllu", columns=COLUMNS) for side in ("gold", "system"))
    right = right_arcs(gold, system)
    weights = learn_choice(stream_conllu(reference, columns=COLUMNS))
    by_choice = roc_auc(Choice(weights).choices(system).log_prob, right)
    assert by_choice > roc_auc(Lisca(build_reference([reference])).scores(system), right) + 0.08
