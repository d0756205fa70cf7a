"""The spaCy component: found by its entry point, the same values however documents come, saved with its model."""

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from click.testing import CliRunner

import treegauge as tg
from tests.demo_trees import CORPUS, documents, pipeline, trees
from treegauge.cli import cli
from treegauge.errors import CorpusError, ModelError, OptionError

spacy = pytest.importorskip("spacy")


def probabilities(docs: Any) -> list[float]:
    return [token._.arc_probability for doc in docs for token in doc]


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pipeline(model="en")


@pytest.fixture(scope="module")
def judged(nlp: Any) -> list[Any]:
    return list(nlp.pipe(documents(nlp)))


def test_no_import_is_needed() -> None:
    code = "import spacy; nlp = spacy.blank('es'); nlp.add_pipe('treegauge', config={'model': 'es'})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tokens_get_what_the_scorer_finds(judged: list[Any]) -> None:
    scored = tg.score(CORPUS, tg.scorer(model="en"))
    assert np.allclose(probabilities(judged), np.exp(scored.scores), rtol=1e-12)
    values = scored.word_values()
    tokens = [token for doc in judged for token in doc]
    assert np.allclose([token._.tag_probability for token in tokens], values["tag_probability"])
    for token, other in zip(tokens, values["arc_suggestion"], strict=True):
        found = token._.arc_suggestion
        assert (found is None) == (other is None)
        if found and other:
            assert found.head.i == (other.head - 1 if other.head else token.i)
            assert found.dep_ == ("ROOT" if other.deprel == "root" else other.deprel)


def test_a_sentence_has_the_mean_of_its_arcs(judged: list[Any]) -> None:
    doc = judged[3]
    (sentence,) = doc.sents
    mean = np.mean([token._.arc_probability for token in doc])
    assert doc._.arc_plausibility == pytest.approx(mean)
    assert sentence._.arc_plausibility == pytest.approx(mean)
    assert doc[:2]._.arc_plausibility == pytest.approx(np.mean(probabilities([doc[:2]])))


def test_one_by_one_in_batches_and_in_processes_is_the_same(nlp: Any, judged: list[Any]) -> None:
    assert probabilities(nlp(doc) for doc in documents(nlp)) == probabilities(judged)
    assert probabilities(nlp.pipe(documents(nlp), batch_size=3)) == probabilities(judged)
    several = list(nlp.pipe(documents(nlp), n_process=2, batch_size=3))
    assert probabilities(several) == probabilities(judged)
    assert str(several[3][5]._.arc_suggestion) == str(judged[3][5]._.arc_suggestion)


def test_a_pipeline_is_saved_with_its_model_and_calibration(tmp_path: Path, judged: list[Any]) -> None:
    model = tmp_path / "mine.tgm"
    tg.load_model("en").save(model)
    made = pipeline(model=str(model), calibration="any")
    expected = probabilities(made.pipe(documents(made)))
    assert expected != probabilities(judged)
    made.to_disk(tmp_path / "pipeline")
    model.unlink()  # on another machine
    loaded = spacy.load(tmp_path / "pipeline")
    assert probabilities(loaded.pipe(documents(loaded))) == expected
    other = pipeline(model="en").from_bytes(made.to_bytes())
    assert probabilities(other.pipe(documents(other))) == expected


def test_white_space_is_no_word_and_an_empty_document_is_no_error(nlp: Any) -> None:
    from spacy.tokens import Doc

    words = ["\n", "Go", "  ", "home", "\t\n"]
    doc = Doc(nlp.vocab, words=words, heads=[1, 1, 1, 1, 1], deps=["dep", "ROOT", "dep", "advmod", "dep"])
    nlp.get_pipe("treegauge")(doc)
    assert [token._.arc_probability is None for token in doc] == [True, False, True, False, True]
    assert nlp("")._.arc_plausibility is None
    assert tg.from_spacy(doc).n_words == 2


def test_documents_without_trees_and_models_that_are_not_there_are_named() -> None:
    with pytest.raises(CorpusError, match="the document 'a b c' has no trees; expected a pipeline with a parser"):
        tg.from_spacy(spacy.blank("en")("a b c"))
    with pytest.raises(ModelError, match="no model file and no bundled model 'xx'"):
        pipeline(model="xx")


def test_values_do_not_go_to_another_document(judged: list[Any]) -> None:
    with pytest.raises(CorpusError, match="spaCy tokens: "):
        tg.score(tg.from_spacy(judged[0]), tg.scorer(model="en")).to_spacy(judged[1])


def test_relations_that_are_not_uds_are_said_once_with_what_to_do() -> None:
    from spacy.tokens import Doc

    nlp = pipeline(model="en")
    doc = Doc(nlp.vocab, words=["Eat", "it"], heads=[0, 0], deps=["ROOT", "dobj"], pos=["VERB", "PRON"])
    with pytest.warns(UserWarning, match=r"\(dobj\).*treegauge model build --from-spacy PIPELINE texts/ -o mine.tgm"):
        nlp.get_pipe("treegauge")(doc)


@pytest.mark.filterwarnings("error")
def test_relations_of_ud_raise_no_warning(nlp: Any) -> None:
    fresh = pipeline(model="en")
    list(fresh.pipe(documents(fresh)))


def trained() -> Any:
    """A parser of spaCy with labels that are not UD's, trained now on four sentences."""
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    nlp.add_pipe("parser", config={"learn_tokens": False, "min_action_freq": 1})
    chosen = [doc for doc in documents(nlp) if len(doc) < 12][:4]
    examples = []
    for doc in chosen:
        head, dep, pos, _ = zip(*trees()[tuple(t.text for t in doc)], strict=True)
        deps = [one if one == "ROOT" else f"{one.partition(':')[0]}X" for one in dep]
        words = [token.text for token in doc]
        examples.append(Example(doc, Doc(nlp.vocab, words=words, heads=head, deps=deps, pos=pos)))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(15):
        nlp.update(examples, sgd=optimizer)
    return nlp


def test_a_model_is_built_from_the_output_of_a_pipeline(tmp_path: Path) -> None:
    nlp = trained()
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "a.txt").write_text("\n".join(" ".join(words) for words in trees()) + "\n")
    options = ["--from-spacy", tmp_path / "pipeline", tmp_path / "a.txt", "-o", tmp_path / "m.tgm"]
    result = CliRunner().invoke(cli, ["model", "build", *map(str, options)])
    assert result.exit_code == 0, result.exception
    assert "parsed 1" in result.stderr
    model = tg.load_model(tmp_path / "m.tgm")
    assert any(relation.endswith("X") for relation in model.reference.relations)
    assert model.words == sum(len(nlp.make_doc(" ".join(words))) for words in trees())
    wrong = CliRunner().invoke(cli, ["model", "build", "--from-spacy", "nowhere", *map(str, options[2:])])
    assert "spaCy has no pipeline 'nowhere'" in str(wrong.exception)


def test_displacy_has_a_colour_for_each_arc(judged: list[Any]) -> None:
    svg = tg.displacy(judged[3])
    arcs = [token for token in judged[3] if token.head.i != token.i]
    assert svg.count('<g class="displacy-arrow" style="color: ') == len(arcs)
    for token in arcs:
        assert f"<title>probability {token._.arc_probability:.4g}</title>" in svg
    suspicious = sum(token._.arc_probability < 0.1 for token in arcs)
    assert svg.count('stroke-width="4px"') == suspicious > 0
    assert tg.displacy(judged[3], page=True).startswith("<!DOCTYPE html>")
    (sentence,) = judged[3].sents
    assert tg.displacy(sentence).count("<title>") == len(arcs)
    with pytest.raises(OptionError, match="collapse_punct"):
        tg.displacy(judged[3], {"collapse_punct": True})


def test_without_spacy_a_line_says_what_to_install() -> None:
    gone = {name: None for name in sys.modules if name.partition(".")[0] == "spacy"}
    with patch.dict(sys.modules, gone), pytest.raises(OptionError, match=r"pip install 'treegauge\[spacy\]'"):
        tg.displacy(None)  # type: ignore[arg-type]
