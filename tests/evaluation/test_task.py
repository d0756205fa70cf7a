"""A whole shared task: files of both layouts, averages by hand, problems that stop nothing, what is kept."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import treegauge as tg
from tests.evaluation.eval_cases import sentence
from treegauge.cli import cli
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.task import scoring
from treegauge.evaluation.task.scoring import TaskSettings
from treegauge.evaluation.task.submissions import find_submissions, read_treebank_groups
from treegauge.statistics import holm

GOLD = "".join(sentence((f"w{k}", 2, "nsubj"), ("sleeps", 0, "root"), (".", 2, "punct")) for k in range(30))
WORSE = GOLD.replace("2\tnsubj", "3\tobj", 12)
WORST = GOLD.replace("nsubj", "obj").replace("punct", "dep")
TEXTS = {
    "it_a": {"A": GOLD, "B": WORSE, "C": WORST},
    "en_b": {"A": WORSE, "B": GOLD},
    "en_c": {"A": GOLD, "B": "1\tbad\n\n"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """TREEBANK/gold.conllu and TREEBANK/SYSTEM.conllu."""
    for treebank, systems in TEXTS.items():
        (tmp_path / "one" / treebank).mkdir(parents=True)
        for name, text in {"gold": GOLD, "train": "x", **systems}.items():
            (tmp_path / "one" / treebank / f"{name}.conllu").write_text(text)
    return tmp_path / "one"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """GOLD/TREEBANK.conllu and SYSTEMS/SYSTEM/TREEBANK.conllu.gz."""
    for treebank, systems in TEXTS.items():
        (tmp_path / "gold").mkdir(exist_ok=True)
        (tmp_path / "gold" / f"{treebank}-ud-test.conllu").write_text(GOLD)
        for name, text in systems.items():
            (tmp_path / "systems" / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "systems" / name / f"{treebank}.conllu.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "systems" / "A" / "xx_stranger.conllu").write_text(GOLD)
    return tmp_path / "gold", tmp_path / "systems"


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["eval", "--task", *map(str, args)])


def las(text: str, tmp_path: Path) -> float:
    for name, content in (("g", GOLD), ("s", text)):
        (tmp_path / f"{name}.conllu").write_text(content)
    return evaluate(tmp_path / "g.conllu", tmp_path / "s.conllu")["LAS"].f1


def test_averages_are_those_by_hand(folder: Path, folders: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = (1 + las(WORSE, tmp_path) + 1) / 3, (las(WORSE, tmp_path) + 1 + 0) / 3
    expected = {"A": a, "B": b, "C": las(WORST, tmp_path) / 3}
    for paths in ((folder,), folders):
        scores = tg.evaluate_task(*paths)
        assert dict(zip(scores.systems, scores.averages(), strict=True)) == pytest.approx(expected)
        assert [(one.system, one.rank, one.n_treebanks) for one in scores.ranking()] == [
            ("A", 1, 3),
            ("B", 2, 2),
            ("C", 3, 1),
        ]
    present = tg.evaluate_task(folder, only_present=True)
    assert dict(zip(present.systems, present.averages(), strict=True)) == pytest.approx(
        {"A": a, "B": 1.5 * b, "C": las(WORST, tmp_path)}
    )


def test_a_problem_is_listed_and_stops_nothing(folder: Path, folders: tuple[Path, Path]) -> None:
    scores = tg.evaluate_task(folder)
    assert scores.problem("C", "en_b") == "not handed in"
    assert "en_c/B.conllu:1: sentence 1: 2 columns" in scores.problem("B", "en_c")
    assert scores.problem("A", "it_a") == ""
    assert scores.unreadable() == 1
    result = run(*folders)
    assert "left out: 1 file without gold: " in result.stderr
    assert "1 file could not be scored, and count 0" in result.stderr


def test_gold_that_cannot_be_read_is_an_error(folder: Path) -> None:
    (folder / "it_a" / "gold.conllu").write_text("1\tx\n\n")
    with pytest.raises(tg.TreegaugeError, match=r"it_a/gold\.conllu:1"):
        tg.evaluate_task(folder)


def test_every_score_is_that_of_evaluate(folder: Path) -> None:
    scores = tg.evaluate_task(folder)
    alone = evaluate(folder / "en_b" / "gold.conllu", folder / "en_b" / "A.conllu")
    assert {metric: scores.score("A", "en_b", metric) for metric in alone.scores} == {
        metric: score.f1 for metric, score in alone.scores.items()
    }


def test_what_was_scored_is_kept_until_a_file_changes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = TaskSettings(("LAS", "CLAS"), cache=str(tmp_path / "cache"), paper=True)
    first = tg.evaluate_task(folder, settings=settings)
    read: list[str] = []
    real = scoring.read_side
    monkeypatch.setattr(scoring, "read_side", lambda path, **more: read.append(str(path)) or real(path, **more))
    again = tg.evaluate_task(folder, settings=settings)
    assert {Path(path).parent.name for path in read} == {"en_c"}  # a file with a problem is read again
    read.clear()
    assert again.table() == first.table()
    assert again.paper_tables("A") == first.paper_tables("A")
    (folder / "it_a" / "B.conllu").write_text(GOLD.replace("_\n\n", "A=b\n\n"))
    assert tg.evaluate_task(folder, settings=settings).score("B", "it_a") == 1
    assert sorted(Path(path).name for path in read if "it_a" in path) == ["B.conllu", "gold.conllu"]
    for kept in (tmp_path / "cache").rglob("*.npz"):
        kept.write_bytes(b"damaged")
    assert tg.evaluate_task(folder, settings=settings).score("B", "it_a") == 1


def test_intervals_are_of_drawn_sentences(folder: Path) -> None:
    scores = tg.evaluate_task(folder, settings=TaskSettings(samples=400, seed=3))
    assert scores.table() == tg.evaluate_task(folder, settings=TaskSettings(samples=400, seed=3)).table()
    ranked = scores.ranking()
    assert all(one.low - 1e-6 <= one.average <= one.high + 1e-6 for one in ranked)
    assert ranked[0].low < ranked[0].high
    assert [one.cluster for one in ranked] == [1, 2, 3]
    # brute force for one system and treebank
    rng, drawn = np.random.default_rng(0), []
    right = np.array([2 if k < 12 else 3 for k in range(30)])
    for _ in range(400):
        drawn.append(right[rng.integers(0, 30, 30)].sum() / 90)
    k = scores.treebanks.index("it_a")
    samples = scores.results[k].samples[0, scores.systems.index("B")]
    assert np.quantile(samples, [0.05, 0.5, 0.95]) == pytest.approx(np.quantile(drawn, [0.05, 0.5, 0.95]), abs=0.02)


def test_equal_systems_do_not_differ(folder: Path) -> None:
    (folder / "it_a" / "D.conllu").write_text(GOLD)
    (folder / "en_b" / "D.conllu").write_text(WORSE)
    (folder / "en_c" / "D.conllu").write_text(GOLD)
    a, d, *_ = tg.evaluate_task(folder).ranking()
    assert (a.system, d.system, a.rank, d.rank, a.p_next) == ("A", "D", 1, 1, 1.0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5, 0.9], [1.0, 1.0]), ([], []), ([0.02], [0.02])],
)
def test_holm(given: list[float], expected: list[float]) -> None:
    assert holm(given) == pytest.approx(expected)


def test_json_has_scores_and_ranking(folder: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    groups.write_text("# mine\nit_a\tsmall\nen_b\tbig\nen_c\tbig\n")
    result = run(folder, "-f", "json", "--against", "CLAS", "--treebank-groups", groups, "--cache", "", "--workers", 1)
    assert result.exception is None, result.exception
    content = json.loads(result.stdout)
    tables = {table["name"]: table["rows"] for table in (content, *content["more"])}
    assert content["name"] == "scores"
    assert set(tables) == {"scores", "ranking", "groups", "treebanks", "changes", "problems"}
    cell = next(row for row in tables["scores"] if (row["system"], row["treebank"]) == ("B", "en_c"))
    assert cell["LAS"] is None
    assert "2 columns" in cell["problem"]
    assert tables["ranking"][0]["system"] == "A"
    assert {"LAS", "CLAS", "MLAS", "UPOS"} <= set(tables["ranking"][0])
    assert tables["groups"][0]["small"] == 1


@pytest.mark.parametrize("metric", ["CLAS", "UPOS", "Sentences"])
def test_any_metric_ranks(metric: str, folder: Path) -> None:
    result = run(folder, "--metric", metric, "--cache", "", "--workers", 1)
    assert result.stdout.startswith(f"{metric}, macro average over 3 treebanks")
    assert "Germanic (2)" in result.stdout
    assert "en_c" in result.stdout


def test_formats_pictures_and_gates(folder: Path, tmp_path: Path) -> None:
    for name in ("markdown", "latex", "tsv"):
        assert run(folder, "-f", name, "--cache", "", "--workers", 1).exit_code == 0
    latex = run(folder, "-f", "latex", "--cache", "", "--workers", 1).stdout
    assert re.findall(r"\\label\{tab:(.*)\}", latex)[:2] == ["ranking", "matrix"]
    assert r"A & \textbf{" in latex
    assert r"\textbf{–}" not in latex
    picture = tmp_path / "slopes.svg"
    run(folder, "--against", "UPOS", "--figure", picture, "--cache", "", "--workers", 1)
    assert picture.read_text().count("<svg") == 1
    assert run(folder, "--figure", picture, "--cache", "").exception is not None
    low = run(folder, "--min-las", "99", "--cache", "", "--workers", 1)
    assert low.exit_code == 1
    assert "B: LAS " in low.stderr
    assert "--paper Z; expected mean, or one of A, B, C" in str(run(folder, "--paper", "Z").exception)
    tables = run(folder, "--paper", "mean", "--cache", "", "--workers", 1).stdout
    assert "the mean of 3 systems: LAS by group" in tables


def test_wrong_folders_are_told(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.conllu").write_text(GOLD)
    with pytest.raises(OptionError, match="expected TREEBANK/gold"):
        find_submissions(tmp_path / "texts")
    with pytest.raises(OptionError, match="no directories; expected one for each system"):
        find_submissions(tmp_path / "texts", folder / "it_a")
    (tmp_path / "bad.tsv").write_text("it_a\n")
    with pytest.raises(OptionError, match=r"bad\.tsv:1: 'it_a'; expected a treebank, a tab and its group"):
        read_treebank_groups(str(tmp_path / "bad.tsv"))
    with pytest.raises(OptionError, match="system 'Z'; expected one of A, B, C"):
        tg.evaluate_task(folder, settings=TaskSettings(paper=True)).paper_tables("Z")
    with pytest.raises(OptionError, match="metric 'XLAS'; expected one of"):
        tg.evaluate_task(folder, settings=TaskSettings(("XLAS",)))


def test_the_page_has_every_cell_and_no_markup_of_the_text(folder: Path) -> None:
    evil = GOLD.replace("w3\t", "</script><b>\t")
    for name in ("gold", "A", "B"):
        (folder / "it_a" / f"{name}.conllu").write_text(evil if name != "B" else evil.replace("2\tnsubj", "3\tobj", 12))
    page = run(folder, "-f", "html", "--cache", "", "--workers", 1).stdout
    assert "</script><b>" not in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["systems"] == ["A", "B", "C"]
    relations, sentences = data["cells"]["1,2"]
    assert [row for row in relations if row[0] == "nsubj"] == [["nsubj", 30, 18, 18]]
    assert sentences[0]["words"][0][1:] == ["nsubj of sleeps", "nsubj of sleeps", "obj of ."]


def test_what_is_left_out_of_a_file_is_said(folder: Path, tmp_path: Path) -> None:
    bad = GOLD.replace("2\tnsubj", "9\tnsubj", 1)
    (folder / "it_a" / "A.conllu").write_text(bad)
    for _ in range(2):  # the second time from the cache
        result = run(folder, "--on-error", "skip", "--cache", tmp_path / "cache", "--workers", 1)
        assert "A on it_a: 1 sentence left out, 96.67 % of gold's words scored" in result.stderr


def test_what_cannot_be_opened_or_kept_stops_nothing(folder: Path, tmp_path: Path) -> None:
    (folder / "it_a" / "B.conllu").unlink()
    (folder / "it_a" / "B.conllu").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("no folder")
    scores = tg.evaluate_task(folder, settings=TaskSettings(cache=str(tmp_path / "file")))
    assert scores.score("A", "it_a") == 1
    assert scores.problem("B", "it_a") != ""
