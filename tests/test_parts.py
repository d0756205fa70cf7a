"""What is worked out in parts, so that it fits into memory, is the same as at once."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treegauge as tg
from treegauge.corpus import writing
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.writing import with_arcs_and_misc
from treegauge.difficulty import challenge
from treegauge.difficulty.challenge_choice import ChallengeOptions
from treegauge.evaluation.judging.calibrate import calibrate
from treegauge.models.choice import probabilities
from treegauge.models.lisca import reasons, score
from treegauge.ranking.scored import Scored
from treegauge.reports.page import Page
from treegauge.scorers import calibration, trust

DATA = Path(__file__).parent / "data"
DEMO = Path(tg.__file__).parent / "demo" / "demo.conllu"


@pytest.fixture
def corpus() -> Corpus:
    return tg.read_conllu(DEMO)


def test_a_corpus_is_cut_between_sentences(corpus: Corpus) -> None:
    parts = list(corpus.parts(20))
    assert len(parts) > 2
    assert np.array_equal(np.concatenate([part.head for part in parts]), corpus.head)
    assert sum(part.n_sentences for part in parts) == corpus.n_sentences
    assert len(list(corpus.parts(10**9))) == len(list(corpus.part(0, 0).parts(5))) == 1


def test_choices_and_alternatives(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    by, rows = tg.scorer("choice", "en"), np.arange(corpus.n_words)[::-1]
    scores, tags, others = by.scores(corpus), by.tag_choices(corpus), by.alternatives(corpus, rows)
    monkeypatch.setattr(probabilities, "_AT_A_TIME", 20)
    again = tg.scorer("choice", "en")
    assert np.array_equal(again.scores(corpus), scores)
    for name in ("log_prob", "other", "log_other"):
        assert np.array_equal(getattr(again.tag_choices(corpus), name), getattr(tags, name))
    for name in ("head", "relation", "log_prob", "own_log_prob"):
        assert np.array_equal(getattr(again.alternatives(corpus, rows), name), getattr(others, name))


def test_lisca_by_itself(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.arange(corpus.n_words)
    by = tg.scorer("lisca", by_itself=corpus)
    scores, explanations = by.scores(corpus), by.explain(corpus, rows)
    monkeypatch.setattr(score, "_AT_A_TIME", 20)
    monkeypatch.setattr(reasons, "_AT_A_TIME", 20)
    again = tg.scorer("lisca", by_itself=corpus)
    assert np.array_equal(again.scores(corpus), scores)
    assert [one.lines() for one in again.explain(corpus, rows)] == [one.lines() for one in explanations]


def test_a_page(corpus: Corpus, tmp_path: Path) -> None:
    page = Page("<data/>", tg.score(corpus, tg.scorer("choice", "en")), top=None)
    size = page.save(tmp_path / "page.html")
    written = (tmp_path / "page.html").read_bytes()
    assert len(written) == size
    assert written.decode() == page.html()
    assert written.count(b"<data/>") == 0
    parts = list(page._html_parts())
    assert sum('"score":' in part or '"head":' in part for part in parts) > 1  # each column is a part of its own
    assert max(len(part) for part in parts[1:-1]) < size / 2


def test_a_manifest(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    explained = []
    explain = Scored.explain
    monkeypatch.setattr(Scored, "explain", lambda self, rows: explained.append(len(rows)) or explain(self, rows))
    monkeypatch.setattr(challenge, "_AT_A_TIME", 3)
    made = challenge.challenge(corpus, tg.scorer("lisca", "en"), ChallengeOptions(from_bins=(1, 10)))
    assert not explained  # reasons are found while the manifest is written
    records = made.records()
    next(records)
    assert 0 < sum(explained) < made.summary["set"]["chosen_arcs"]
    assert made.manifest_bytes().decode() == json.dumps(made.manifest, ensure_ascii=False, indent=1) + "\n"
    assert [len(record["arcs"]) for record in made.manifest["sentences"]] == np.diff(corpus.start).tolist()


@pytest.mark.parametrize("name", ["no_final_newline", "multiword_and_empty", "one_defect_each"])
def test_changed_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = tg.read_conllu(DATA / f"{name}.conllu", on_error="skip")
    values = {"Mark": [None if w % 3 else str(w) for w in range(corpus.n_words)]}
    arcs = {corpus.n_words - 1: (0, "root")}
    at_once = with_arcs_and_misc(corpus, arcs, values)
    assert at_once.count(b"Mark=") == len(range(0, corpus.n_words, 3))
    monkeypatch.setattr(writing, "_WORDS", 2)
    assert with_arcs_and_misc(corpus, arcs, values) == at_once


def test_calibration(evaluation_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = evaluation_data / "pairs" / "en_ewt_udpipe"
    gold, system = (tg.read_conllu(folder / f"dev.{side}.conllu").part(0, 120) for side in ("gold", "system"))
    model = replace(tg.load_model("en"), net=None)  # whose last digits depend on which sentences are read together
    at_once = calibrate(gold, system, model).calibration
    monkeypatch.setattr(calibration, "_ROWS", 1000)
    monkeypatch.setattr(trust, "_SENTENCES", 37)
    monkeypatch.setattr(trust, "_WORDS", 500)
    monkeypatch.setattr("treegauge.evaluation.judging.calibrate._WORDS", 500)
    in_parts = calibrate(gold, system, model).calibration
    assert (in_parts.names, in_parts.trust) == (at_once.names, at_once.trust)
    assert in_parts.weight == pytest.approx(at_once.weight, abs=1e-9)
