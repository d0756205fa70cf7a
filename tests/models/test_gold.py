"""Learning from parsed text and gold together."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.models.building import build_model
from treegauge.models.choice.learning import ChoiceTrainer, learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.tags import TagTrainer
from treegauge.models.choice.two_references import in_scheme_of, learn_with_gold, of_same_scheme
from treegauge.models.choice.weights import ChoiceWeights, merge_weights
from treegauge.models.choice.words import COLUMNS
from treegauge.models.model import model_bytes, parse_model

NOUNS = ("bread", "water", "paper", "sand", "milk", "glass")
VERBS = ("brings", "sells", "breaks", "finds")


def text_of(names: tuple[str, ...], tag: str = "PRON", relation: str = "iobj", wrong: bool = False) -> str:
    """Sentences "Name verb em noun", in which "em" has a tag and a relation, which are a matter of scheme.

    wrong: the noun hangs from "em".
    """
    lines = []
    for name, verb, noun in product(names, VERBS, NOUNS):
        rows = (
            (name, "PROPN", 2, "nsubj"),
            (verb, "VERB", 0, "root"),
            ("em", tag, 2, relation),
            (noun, "NOUN", 3 if wrong else 2, "nmod" if wrong else "obj"),
        )
        lines += [f"{k}\t{form}\t_\t{t}\t_\t_\t{head}\t{r}\t_\t_\n" for k, (form, t, head, r) in enumerate(rows, 1)]
        lines.append("\n")
    return "".join(lines)


def corpus_of(names: tuple[str, ...], tag: str = "PRON", relation: str = "iobj", wrong: bool = False) -> Corpus:
    return parse_conllu(text_of(names, tag, relation, wrong), columns=COLUMNS)


PARSED, GOLD = corpus_of(("Ada", "Ben", "Cleo")), corpus_of(("Dora", "Emil"))
OTHER_SCHEME = corpus_of(("Dora", "Emil"), "PART", "expl")


def same(one: ChoiceWeights, other: ChoiceWeights) -> bool:
    return one.hash == other.hash


def test_gold_of_the_same_scheme_is_learned_from_last() -> None:
    found = learn_with_gold([PARSED], [GOLD])
    assert same(found, learn_choice([GOLD], start=learn_choice([PARSED])))
    assert (found.words, found.gold_words, found.gold_differing) == (5 * 96, 2 * 96, 0)
    assert of_same_scheme(found)


def test_what_gold_has_otherwise_is_put_as_the_parsed_text_has_it() -> None:
    (adapted,), differing = in_scheme_of(learn_choice([PARSED]), [OTHER_SCHEME])
    assert differing == 2 * 48  # a tag and a relation in each of 2 · 4 · 6 sentences
    for column in ("upos", "deprel", "form"):
        assert [adapted.value(column, row) for row in range(192)] == [GOLD.value(column, row) for row in range(192)]
    assert OTHER_SCHEME.value("upos", 2) == "PART"  # the given one is as it was


def test_gold_of_another_scheme_is_more_text_of_the_parsed_one() -> None:
    found = learn_with_gold([PARSED], [OTHER_SCHEME])
    assert not of_same_scheme(found)
    arcs, tags = ChoiceTrainer(), TagTrainer()
    for corpus in (PARSED, in_scheme_of(learn_choice([PARSED]), [OTHER_SCHEME])[0][0]):
        arcs.add(corpus)
        tags.add(corpus)
        arcs.finish()
        last = tags.weights()
    assert same(found, replace(arcs.weights(), tags=last))
    judged = Choice(found).choices(corpus_of(("Finn",)))
    assert judged.log_prob[2] > math.log(0.9)
    assert judged.tags is not None
    assert judged.tags.log_prob[2] > math.log(0.9)


def test_a_parsed_sentence_that_gold_has_is_left_out() -> None:
    wrong = corpus_of(("Dora", "Emil"), wrong=True)
    found = learn_with_gold([wrong], [GOLD])
    assert same(found, learn_choice([GOLD]))
    assert found.words == found.gold_words == 192
    some = learn_with_gold([wrong, PARSED], [GOLD])
    assert same(some, learn_with_gold([PARSED], [GOLD]))


def test_a_trainer_goes_over_what_is_added_after_the_end_by_itself() -> None:
    arcs, lone = ChoiceTrainer(), ChoiceTrainer()
    arcs.add(PARSED)
    arcs.finish()
    before = arcs.weights()
    arcs.finish()  # nothing more to go over
    lone.add(PARSED)
    lone.finish()
    assert same(before, arcs.weights())
    assert same(before, lone.weights())


def test_without_either_it_is_learned_from_the_other() -> None:
    assert same(learn_with_gold([], [GOLD]), learn_choice([GOLD]))
    assert same(build_model(PARSED, gold=()).weights, learn_choice([PARSED]))  # type: ignore[arg-type]


def test_a_model_knows_how_much_gold_it_is_from() -> None:
    model = build_model(PARSED, gold=OTHER_SCHEME)
    assert model.words == 480  # counts are of both
    assert model.weights is not None
    again = parse_model(model_bytes(model), "x").weights
    assert again is not None
    assert (again.words, again.gold_words, again.gold_differing) == (480, 192, 96)
    assert merge_weights([again, again]).gold_words == 384
    assert model_bytes(build_model(PARSED, gold=[OTHER_SCHEME])) == model_bytes(model)


@pytest.mark.parametrize("cut", [1, 7])
def test_how_gold_is_cut_does_not_matter(cut: int) -> None:
    sentences = np.arange(GOLD.n_sentences)
    parts = [GOLD.select(sentences[:cut]), GOLD.select(sentences[cut:])]
    assert same(learn_with_gold([PARSED], parts), learn_with_gold([PARSED], [GOLD]))
