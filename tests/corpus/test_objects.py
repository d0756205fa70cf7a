"""Objects of other packages become the corpus that their text would be, and get back what was found."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treegauge as tg
from tests.demo_trees import CORPUS
from treegauge.errors import CorpusError, OptionError

DATA = Path(__file__).parents[1] / "data"
TEXT = CORPUS.text.tobytes().decode()
ODD = (DATA / "multiword_and_empty.conllu").read_text()


def conllu_objects(text: str) -> Any:
    return pytest.importorskip("conllu").parse(text)


def pyconll_objects(text: str) -> Any:
    return pytest.importorskip("pyconll").load_from_string(text)


def udapi_objects(text: str) -> Any:
    document = pytest.importorskip("udapi.core.document").Document()
    document.from_conllu_string(text)
    return document


READ = {"conllu": conllu_objects, "pyconll": pyconll_objects, "udapi": udapi_objects}
WRITE = {
    "conllu": lambda objects: "".join(one.serialize() for one in objects),
    "pyconll": lambda objects: objects.conll(),
    "udapi": lambda objects: objects.to_conllu_string(),
}


@pytest.mark.parametrize("package", READ)
def test_objects_are_the_corpus_of_their_text_and_get_what_its_text_gets(package: str) -> None:
    objects, scorer = READ[package](TEXT), tg.scorer(model="en")
    corpus = tg.from_conllu_objects(objects)
    scored = tg.score(corpus, scorer)
    assert np.array_equal(scored.scores, tg.score(CORPUS, scorer).scores)
    assert corpus.sent_ids == CORPUS.sent_ids
    scored.to_conllu_objects(objects)
    by_text = tg.parse_conllu(tg.score(CORPUS, scorer).to_conllu())
    by_objects = tg.parse_conllu(WRITE[package](objects))
    for w in range(CORPUS.n_words):  # in whatever order
        here, there = (set(one.line_text(w).split(b"\t")[9].split(b"|")) for one in (by_objects, by_text))
        assert here == there


@pytest.mark.parametrize("package", READ)
def test_multiword_tokens_and_empty_nodes_are_no_words(package: str) -> None:
    objects = READ[package](ODD)
    scored = tg.score(tg.from_conllu_objects(objects), tg.scorer(model="en"))
    assert scored.corpus.n_words == tg.parse_conllu(ODD).n_words
    scored.to_conllu_objects(objects)
    again = tg.parse_conllu(WRITE[package](objects))
    assert all(b"Probability=" in again.line_text(w) for w in range(again.n_words))
    assert WRITE[package](objects).count("LogScore=") == again.n_words


def test_one_sentence_and_a_list_of_sentences_are_corpora_too() -> None:
    some = conllu_objects(TEXT)
    assert tg.from_conllu_objects(some[0]).n_sentences == 1
    assert tg.from_conllu_objects([some[0], some[2]]).n_sentences == 2
    assert tg.from_conllu_objects(one for one in some).n_words == CORPUS.n_words
    document = udapi_objects(TEXT)
    assert tg.from_conllu_objects(document.bundles[0].get_tree()).n_sentences == 1
    assert tg.from_conllu_objects(pyconll_objects(TEXT)[1]).n_sentences == 1


def test_what_is_none_of_them_is_refused() -> None:
    with pytest.raises(OptionError, match="an object of type int; expected one of conllu, pyconll, udapi"):
        tg.from_conllu_objects([3])
    with pytest.raises(OptionError, match="an object of type str"):
        tg.from_conllu_objects("file.conllu")


def test_values_go_to_the_words_that_were_scored_and_to_no_others() -> None:
    objects = conllu_objects(TEXT)
    scored = tg.score(tg.from_conllu_objects(objects), tg.scorer(model="en"))
    with pytest.raises(CorpusError, match=r"10 words; expected the 142 that were scored"):
        scored.to_conllu_objects(objects[0])
    objects[0][1]["form"] = "new"
    with pytest.raises(CorpusError, match="word 2 is 'new'; expected 'old', which was scored"):
        scored.to_conllu_objects(objects)


def test_a_scorer_without_probabilities_writes_scores_only() -> None:
    text = tg.score(CORPUS, tg.scorer("lisca", "en")).to_conllu()
    assert "LogScore=" in text
    assert "Probability=" not in text
    assert "RatherHead=" not in text


def test_a_suggestion_is_likelier_than_the_arc_and_none_is_missed() -> None:
    scored = tg.score(CORPUS, tg.scorer("choice", "en"))
    every = scored.alternatives(np.arange(CORPUS.n_words))
    better = every.log_prob > every.own_log_prob
    found = scored.word_values()["arc_suggestion"]
    assert [one is not None for one in found] == better.tolist()
    assert [one.head for one in found if one] == every.head[better].tolist()
    assert scored.word_values(suggest=False)["arc_suggestion"] == [None] * CORPUS.n_words
