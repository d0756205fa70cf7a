"""What `import treegauge as tg` promises: sources of any kind, results with tables, errors of ours."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treegauge as tg
from treegauge.difficulty.typology.typology import TypologySettings
from treegauge.models.lisca.score import LiscaOptions

DATA = Path(__file__).parent / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"

RESULTS: dict[str, Callable[[], Any]] = {
    "scored": lambda: tg.score(SYSTEM, tg.scorer("lisca", "en")),
    "ranking": lambda: tg.score(SYSTEM, tg.scorer("length")).rank(),
    "sentences": lambda: tg.score(SYSTEM, tg.scorer("lisca", "en")).rank_sentences(),
    "evaluation": lambda: tg.evaluate(GOLD, SYSTEM),
    "evaluations": lambda: tg.evaluate(GOLD, SYSTEM, GOLD),
    "differences": lambda: tg.compare(*tg.evaluate(GOLD, SYSTEM, GOLD), samples=20),
    "agreement": lambda: tg.agreement(GOLD, SYSTEM, samples=10),
    "diff": lambda: tg.diff(GOLD, SYSTEM),
    "diff by itself": lambda: tg.diff(GOLD, SYSTEM, by_itself=True),
    "judgements": lambda: tg.judge(GOLD, SYSTEM, "en"),
    "types": lambda: tg.difficulty_types(GOLD, SYSTEM, "en"),
    "typology": lambda: tg.typology(GOLD, settings=TypologySettings(least=1, samples=5)),
    "bins": lambda: tg.difficulty_bins(GOLD, SYSTEM, "en"),
    "challenge": lambda: tg.challenge(GOLD, "en"),
    "calibration": lambda: tg.calibrate(GOLD, SYSTEM, tg.build_model(GOLD)),
    "check": lambda: tg.check(DATA.parents[1] / "src" / "treegauge" / "demo" / "demo.conllu", below=0.2),
    "ecc": lambda: tg.ecc(DATA / "toy_ambiguous.mrg"),
    "chaos": lambda: tg.Chaos("it").evaluate(DATA / "plain.conllu"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_converts_shows_itself_and_says_what_it_is(name: str) -> None:
    result = RESULTS[name]()
    content = result.to_dict()
    assert {"title", "signature", "rows"} <= set(content)
    frame = result.to_polars()
    assert frame.height == len(content["rows"]) == len(result.to_pandas())
    assert set(frame.columns) == set(content["rows"][0])
    assert "<table" in result._repr_html_()
    said = repr(result)
    assert said.startswith(type(result).__name__)
    assert len(said) < 400
    assert "array(" not in said


@pytest.mark.parametrize(
    "source",
    [str(SYSTEM), SYSTEM, [SYSTEM], (str(SYSTEM),), tg.read_conllu(SYSTEM)],
    ids=["string", "path", "list", "tuple", "corpus"],
)
def test_sources_of_every_kind_are_the_same_corpus(source: Any) -> None:
    scorer = tg.scorer("lisca", tg.build_model(GOLD, choice=False))
    assert np.array_equal(tg.score(source, scorer).scores, tg.score(SYSTEM, scorer).scores)
    assert tg.evaluate(GOLD, source)["LAS"].f1 == tg.evaluate(GOLD, SYSTEM)["LAS"].f1
    assert tg.build_model(source, choice=False).hash == tg.build_model(SYSTEM, choice=False).hash
    assert tg.judge(GOLD, source, [tg.scorer("length")]).judgements[0].n_arcs == 14
    assert len(tg.report(source, "en").html()) > 50_000


def test_a_folder_is_all_its_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_bytes(SYSTEM.read_bytes())
    assert tg.read_conllu(tmp_path).n_words == 34
    assert tg.evaluate(tmp_path, tmp_path)["LAS"].f1 == 1
    assert tg.build_model(tmp_path, choice=False).words == 34


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tg.scorer("lisca"), "the scorer lisca needs a model"),
        (lambda: tg.scorer("best", "en"), "scorer 'best'; expected one of lisca, choice, net, as-tagged, length"),
        (lambda: tg.scorer("choice", tg.build_model(GOLD, choice=False)), "the model holds counts only"),
        (lambda: tg.scorer("ltr", "en"), "no word forms"),
        (lambda: tg.scorer("calibrated", tg.build_model(GOLD)), "needs a calibration"),
        (lambda: tg.scorer("lisca", "en", by_itself=SYSTEM), "exclude each other"),
        (lambda: tg.scorer("length", "en", calibration="any"), "the scorer length and a calibration exclude"),
        (lambda: tg.score(SYSTEM, tg.scorer("length")).explain([0]), "gives no reasons"),
        (lambda: tg.score(SYSTEM, tg.scorer("lisca", "en")).alternatives([0]), "has no suggestions"),
        (lambda: tg.load_model("xx"), "no model file and no bundled model 'xx'"),
        (lambda: tg.score("nowhere.conllu", tg.scorer("length")), "nowhere.conllu: no such file"),
        (lambda: tg.build_model(), "no reference"),
        (lambda: tg.score(SYSTEM, tg.scorer("length")).rank(relations="subj"), "no arc has relation subj; there are"),
    ],
)
def test_what_is_wrong_is_our_error(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(tg.TreegaugeError, match=message):
        wrong()


def test_one_scorer_is_judged_as_a_list_of_one_is() -> None:
    length = tg.scorer("length")
    assert tg.judge(GOLD, SYSTEM, length).to_dict() == tg.judge(GOLD, SYSTEM, [length]).to_dict()


def test_a_ranking_is_json_where_a_score_is_0() -> None:
    lisca = tg.scorer("lisca", tg.build_model(GOLD, choice=False), options=LiscaOptions(smoothing=None))
    ranking = tg.score(SYSTEM, lisca).rank()
    assert np.isneginf(ranking.score).any()
    rows = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))["rows"]
    assert [row["log_score"] is None for row in rows] == np.isneginf(ranking.score).tolist()


def test_models_are_built_merged_saved_and_loaded_again(tmp_path: Path) -> None:
    corpus = tg.read_conllu(GOLD)
    model = tg.build_model(corpus, SYSTEM)
    assert model.words == 34
    assert model.weights is not None
    assert model.hash == tg.merge_models([tg.build_model(GOLD), tg.build_model(SYSTEM)]).hash
    model.save(tmp_path / "m.tgm")
    again = tg.load_model(tmp_path / "m.tgm")
    assert again.hash == model.hash
    assert again.weights is not None
    assert again.weights.hash == model.weights.hash
    by_file = tg.score(SYSTEM, tg.scorer("choice", tmp_path / "m.tgm"))
    assert np.array_equal(by_file.scores, tg.score(SYSTEM, tg.scorer("choice", model)).scores)


def test_a_model_or_its_name_stands_for_its_usual_scorer() -> None:
    expected = tg.score(SYSTEM, tg.scorer(model="en"))
    for by in ("en", tg.load_model("en")):
        scored = tg.score(SYSTEM, by)
        assert scored.signature == expected.signature
        assert np.array_equal(scored.scores, expected.scores, equal_nan=True)


CORPUS = tg.read_conllu(SYSTEM)
WRONG: dict[str, Callable[[], Any]] = {
    "score by 3; expected a scorer, a model": lambda: tg.score(CORPUS, 3),  # type: ignore[arg-type]
    "score by None": lambda: tg.score(CORPUS, None),  # type: ignore[arg-type]
    "scorer model 3; expected a model, its file": lambda: tg.scorer(model=3),  # type: ignore[arg-type]
    "scorer options 3": lambda: tg.scorer("lisca", "en", options=3),  # type: ignore[arg-type]
    "scorer calibration 3": lambda: tg.scorer(model="en", calibration=3),  # type: ignore[arg-type]
    "scorer others 'x'": lambda: tg.scorer(model="en", others="x"),  # type: ignore[arg-type]
    "scorer folding 3": lambda: tg.scorer(by_itself=CORPUS, folding=3),  # type: ignore[arg-type]
    "scorer seed 'x'": lambda: tg.scorer("random", "en", seed="x"),  # type: ignore[arg-type]
    "load_model model None; expected a file": lambda: tg.load_model(None),  # type: ignore[arg-type]
    "merge_models model 3": lambda: tg.merge_models([3]),  # type: ignore[list-item]
    "merge_models models 3": lambda: tg.merge_models(3),  # type: ignore[arg-type]
    "build_model source None": lambda: tg.build_model(None),  # type: ignore[arg-type]
    "check below nan; expected a number from 0 to 1": lambda: tg.check(CORPUS, below=float("nan")),
    "check below 7": lambda: tg.check(CORPUS, below=7),
    "check below 'x'": lambda: tg.check(CORPUS, below="x"),  # type: ignore[arg-type]
    "check folds 'x'": lambda: tg.check(CORPUS, folds="x"),  # type: ignore[arg-type]
    "check references 3": lambda: tg.check(CORPUS, 3),  # type: ignore[arg-type]
    "check reference 3": lambda: tg.check(CORPUS, [3]),  # type: ignore[list-item]
    "check since 3": lambda: tg.check(CORPUS, since=3),  # type: ignore[arg-type]
    "part low 5; expected 0..2": lambda: CORPUS.part(5, 2),
    "part low -1": lambda: CORPUS.part(-1, 1),
    "part high 1000000": lambda: CORPUS.part(0, 1_000_000),
    "part high 'x'": lambda: CORPUS.part(0, "x"),  # type: ignore[arg-type]
    "judge by 3": lambda: tg.judge(GOLD, SYSTEM, 3),  # type: ignore[arg-type]
    "judge by 4": lambda: tg.judge(GOLD, SYSTEM, [4]),  # type: ignore[list-item]
    "diff model 3": lambda: tg.diff(GOLD, SYSTEM, 3),  # type: ignore[arg-type]
    "challenge by 3": lambda: tg.challenge(GOLD, 3),  # type: ignore[arg-type]
    "difficulty_types by 3": lambda: tg.difficulty_types(GOLD, SYSTEM, 3),  # type: ignore[arg-type]
    "report by 3": lambda: tg.report(CORPUS, 3),  # type: ignore[arg-type]
    "rank top 'x'": lambda: tg.score(CORPUS, "en").rank(top="x"),  # type: ignore[arg-type]
    "rank bins 1.5": lambda: tg.score(CORPUS, "en").rank(bins=1.5),  # type: ignore[arg-type]
    "explain rows [1000000000]; expected numbers": lambda: tg.score(CORPUS, "en").explain([10**9]),
    "explain rows [-1]": lambda: tg.score(CORPUS, "en").explain([-1]),
    "explain rows 'x'": lambda: tg.score(CORPUS, "en").explain("x"),  # type: ignore[arg-type]
    "read_conllu source None; expected a path": lambda: tg.read_conllu(None),  # type: ignore[arg-type]
    "read_conllu source ['x']": lambda: tg.read_conllu(["x"]),  # type: ignore[arg-type]
    "stream_conllu source None": lambda: next(tg.stream_conllu(None)),  # type: ignore[arg-type]
    "parse_conllu text None; expected a text": lambda: tg.parse_conllu(None),  # type: ignore[arg-type]
    "score source 3; expected a path": lambda: tg.score(3, "en"),  # type: ignore[arg-type]
    "score source 4": lambda: tg.score([4], "en"),  # type: ignore[list-item]
    "evaluate source 3": lambda: tg.evaluate(3, CORPUS),  # type: ignore[arg-type]
    "agreement source 3": lambda: tg.agreement(3, CORPUS),  # type: ignore[arg-type]
    "diff source 3": lambda: tg.diff(3, CORPUS),  # type: ignore[arg-type]
    "report source 3": lambda: tg.report(3, "en"),  # type: ignore[arg-type]
    "read_brackets source None": lambda: tg.read_brackets(None),  # type: ignore[arg-type]
    "ecc source 3; expected a path": lambda: tg.ecc(3),
    "parseval source 3": lambda: tg.parseval(3, 3),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_of_a_wrong_kind_is_named_with_what_was_expected(name: str) -> None:
    said = name.split(" ", 1)[1]
    with pytest.raises(tg.TreegaugeError) as error:
        WRONG[name]()
    assert said in str(error.value)
    assert "; expected " in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tg.Chaos(3),  # type: ignore[arg-type]
        lambda: tg.other_parses(SYSTEM, 3),  # type: ignore[arg-type]
        lambda: tg.combine(SYSTEM, 3, "en"),  # type: ignore[arg-type]
        lambda: tg.find(SYSTEM, 3),  # type: ignore[arg-type]
        lambda: tg.compare(3, 4),  # type: ignore[arg-type]
        lambda: tg.judge_pairs(3),  # type: ignore[arg-type]
        lambda: tg.from_spacy(3),  # type: ignore[arg-type]
        lambda: tg.from_stanza(3),
        lambda: tg.score(3, "en"),  # type: ignore[arg-type]
        lambda: tg.estimate(SYSTEM, 3),  # type: ignore[arg-type]
        lambda: tg.challenge(GOLD, 3),  # type: ignore[arg-type]
        lambda: tg.read_conllu(3),  # type: ignore[arg-type]
        lambda: tg.parse_conllu(3),  # type: ignore[arg-type]
        lambda: tg.surprisal(3, 4),  # type: ignore[arg-type]
        lambda: tg.score(SYSTEM, tg.scorer(model="en")).kept("x"),  # type: ignore[arg-type]
    ],
)
def test_a_value_of_another_kind_is_our_error(wrong: Callable[[], Any]) -> None:
    with pytest.raises(tg.TreegaugeError, match="expected"):
        wrong()


def test_a_notebook_shows_twenty_rows_and_how_many_more() -> None:
    content = tg.score(DATA.parents[1] / "src" / "treegauge" / "demo" / "demo.conllu", "en").rank()._repr_html_()
    assert content.count("<tr>") == 21
    assert "… 122 more" in content
