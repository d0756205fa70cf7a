"""The Stanza processor and `parse --parser stanza`, with models that are trained here and loaded as real ones are."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import treegauge as tg
from treegauge.cli import cli
from treegauge.errors import CorpusError, ModelError

stanza = pytest.importorskip("stanza", reason="Stanza is not installed: pip install torch, then stanza")
TEXT = "The old bridge crosses the river . Rain fell all night , and the road was closed ."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.tiny_stanza import train

    folder = tmp_path_factory.mktemp("stanza")
    train(folder)
    return folder


def pipeline(models: Path, processors: str, **options: Any) -> Any:
    import treegauge.parsing.stanza_processor  # noqa: F401  registers it

    return stanza.Pipeline(
        "en", dir=str(models), processors=processors, download_method=None, verbose=False, use_gpu=False, **options
    )


ALL = "tokenize,pos,lemma,depparse,treegauge"


@pytest.fixture(scope="module")
def nlp(models: Path) -> Any:
    return pipeline(models, ALL, treegauge_model="en")


def words(doc: Any) -> list[Any]:
    return [word for sentence in doc.sentences for word in sentence.words]


def test_words_get_what_the_scorer_finds_of_the_text_of_the_document(nlp: Any) -> None:
    doc = nlp(TEXT)
    scored = tg.score(tg.parse_conllu(f"{doc:C}\n\n"), tg.scorer(model="en"))
    assert len(words(doc)) == scored.corpus.n_words > 10
    assert np.allclose([word.arc_probability for word in words(doc)], np.exp(scored.scores), rtol=1e-12)
    values = scored.word_values()
    assert [word.tag_probability for word in words(doc)] == values["tag_probability"]
    assert [word.arc_suggestion for word in words(doc)] == values["arc_suggestion"]
    first = doc.sentences[0]
    assert first.arc_plausibility == pytest.approx(np.mean([word.arc_probability for word in first.words]))


def test_conllu_has_the_values_in_misc_and_they_are_replaced_not_repeated(nlp: Any) -> None:
    doc = nlp(TEXT)
    text = f"{doc:C}"
    assert text.count("|Probability=") + text.count("\tProbability=") == len(words(doc))
    tg.score(tg.from_stanza(doc), tg.scorer(model="en")).to_stanza(doc)
    assert f"{doc:C}" == text


def test_many_documents_at_once_get_the_same(nlp: Any) -> None:
    one = [word.arc_probability for word in words(nlp(TEXT))]
    many = nlp.bulk_process([TEXT, "Rain fell .", TEXT])
    assert [word.arc_probability for word in words(many[0])] == one
    assert [word.arc_probability for word in words(many[2])] == one


def test_the_model_of_the_language_is_the_default_and_options_are_passed_on(models: Path, nlp: Any) -> None:
    by_default = pipeline(models, ALL, treegauge_suggest=False)(TEXT)
    assert [w.arc_probability for w in words(by_default)] == [w.arc_probability for w in words(nlp(TEXT))]
    assert not any(word.arc_suggestion for word in words(by_default))
    calibrated = pipeline(models, ALL, treegauge_calibration="any")(TEXT)
    assert [w.arc_probability for w in words(calibrated)] != [w.arc_probability for w in words(by_default)]


def test_without_depparse_stanza_says_so_and_so_do_we(models: Path) -> None:
    from stanza.pipeline.core import PipelineRequirementsException

    with pytest.raises(PipelineRequirementsException):
        pipeline(models, "tokenize,treegauge")
    with pytest.raises(CorpusError, match="has no tree; expected a pipeline with depparse"):
        tg.from_stanza(pipeline(models, "tokenize")("Rain fell ."))
    with pytest.raises(ModelError, match="no bundled model 'xx'"):
        pipeline(models, ALL, treegauge_model="xx")


@pytest.mark.parametrize(("kind", "sentences"), [("paragraph", None), ("sentence", 1), ("tokens", 1)])
def test_parse_runs_stanza(
    kind: str, sentences: int | None, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(models))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "a.txt").write_text(f"{TEXT}\n")
    command = ["parse", "a.txt", "-p", "stanza:en", "-o", "parsed", "--input", kind, "--workers", "1"]
    result = subprocess.run(
        [sys.executable, "-m", "treegauge", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert f"stanza {stanza.__version__} en" in result.stderr
    corpus = tg.read_conllu(tmp_path / "parsed")
    assert corpus.sent_ids[0] == "a-1-1"
    assert sentences in (None, corpus.n_sentences)
    if kind == "tokens":
        assert corpus.forms(0) == TEXT.split()
    assert len(tg.score(corpus, tg.scorer(model="en")).rank()) == corpus.n_words


def test_a_language_that_was_not_downloaded_is_one_line_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Rain fell .\n")
    result = CliRunner().invoke(cli, ["parse", str(tmp_path / "a.txt"), "-p", "stanza:zz", "-o", str(tmp_path / "p")])
    assert "import stanza; stanza.download('zz')" in str(result.exception)
    assert "\n" not in str(result.exception)


def test_the_example_of_the_page_runs(models: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "stanza.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    environment = {**os.environ, "STANZA_RESOURCES_DIR": str(models), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert "|Probability=" in done.stdout
