"""`treegauge report`, and verdicts in `rank` and `judge`, as a user meets them."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import DEMO, ROOT, run, table
from tests.reports.test_page import Parts

DATA = ROOT / "tests" / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
HEADER = "sent_id\tsentence\tid\tform\thead\tdeprel\tverdict\tnote\n"


def content(path: Path) -> dict:
    return json.loads(Parts(path.read_text()).scripts[0])


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    """The two most suspicious arcs of the demo: one accepted, one an error."""
    worst = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--order", "suspicious", "--top", 2).stdout)
    lines = [
        f"{row['sent_id']}\t\t{row['id']}\t{row['form']}\t{row['head']}\t{row['deprel']}\t{verdict}\t\n"
        for row, verdict in zip(worst, ("accept", "error"), strict=True)
    ]
    path = tmp_path / "demo.verdicts.tsv"
    path.write_text(HEADER + "".join(lines))
    return path


def test_a_page_of_a_corpus(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("report", DEMO, "-m", "en", "--scorer", "lisca", "-o", page)
    assert "lisca:2020|ref:en@" in result.stderr
    assert f"{page}: 142 arcs, " in result.stderr
    assert "lisca:2020|ref:en@" in page.read_text()
    found = content(page)
    ranked = table(run("rank", DEMO, "-m", "en", "--scorer", "lisca", "-f", "tsv", "--order", "suspicious").stdout)
    forms = [found["labels"]["form"][found["form"][row]] for row in found["order"]]
    assert forms == [row["form"] for row in ranked]
    assert found["title"] == "demo.conllu"
    written = run("report", DEMO, "-m", "en", "-o", "-", "--title", "<My> corpus").stdout
    assert "<h1>&lt;My&gt; corpus</h1>" in written


def test_gold_and_a_second_model_or_parser(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("report", SYSTEM, "-m", "en", "--gold", GOLD, "--compare", "de", "-o", page)
    found = content(page)
    assert len(found["gold"]["row"]) == 3
    assert found["other"]["title"] == "de"
    assert found["other"]["row"] == []
    ranked = table(run("rank", SYSTEM, "-m", "de", "-f", "tsv", "--order", "corpus").stdout)
    assert found["other"]["rank"] == [int(row["rank"]) for row in ranked]
    run("report", SYSTEM, "-m", "en", "--compare", GOLD, "-o", page)
    assert len(content(page)["other"]["row"]) == 3
    run("report", SYSTEM, "--self", "--compare", GOLD, "-o", page)
    assert content(page)["other"]["title"] == "difficulty_gold"


def test_other_scorers_and_an_unsmoothed_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("report", DEMO, "--scorer", "length", "-o", page)
    assert len(content(page)["order"]) == 142 - 13  # root arcs have no length
    run("report", DEMO, "-m", "en", "--smoothing", "none", "-o", page)
    assert None in content(page)["score"]


def test_rank_leaves_accepted_arcs_out(verdicts: Path) -> None:
    without = run("rank", DEMO, "-m", "en", "-f", "tsv", "--order", "suspicious")
    result = run("rank", DEMO, "-m", "en", "-f", "tsv", "--order", "suspicious", "--verdicts", verdicts)
    assert "1 accepted arc left out" in result.stderr
    assert "not ranked" not in result.stderr
    kept, all_rows = table(result.stdout), table(without.stdout)
    assert len(kept) == 141
    assert [(r["sent_id"], r["id"]) for r in kept] == [(r["sent_id"], r["id"]) for r in all_rows[1:]]
    assert kept[0]["rank"] == "1"
    on_disk = run(
        "rank", DEMO, "-m", "en", "-f", "tsv", "--order", "suspicious", "--verdicts", verdicts, "--memory", 10
    )
    assert on_disk.stdout == result.stdout
    assert "1 accepted arc left out" in on_disk.stderr
    assert "not ranked" not in on_disk.stderr
    sentences = run("rank", DEMO, "-m", "en", "-f", "tsv", "--unit", "sentence", "--verdicts", verdicts)
    assert len(table(sentences.stdout)) == 13


def test_judge_counts_precision_at_k(verdicts: Path) -> None:
    result = run("judge", DEMO, "--verdicts", verdicts, "-m", "en", "--scorers", "choice", "-f", "json")
    rows = json.loads(result.stdout)["rows"]
    assert rows == [
        {"scorer": "choice", "k": 10, "judged": 2, "errors": 1, "accepted": 1, "unsure": 0, "precision": 0.5}
    ]
    shown = run("judge", DEMO, "--verdicts", verdicts, "-m", "en").stdout
    assert "50.00" in shown
    assert "random" in shown
    alone = run("judge", DEMO, "--verdicts", verdicts, "--scorers", "random", "-f", "tsv").stdout
    assert alone.startswith("# Errors among the k most suspicious arcs")


def test_verdicts_about_other_arcs_are_said(verdicts: Path) -> None:
    verdicts.write_text(verdicts.read_text() + "demo-01\t\t1\tx\t99\tdet\terror\t\n")
    result = run("judge", DEMO, "--verdicts", verdicts, "-m", "en", "--scorers", "lisca")
    assert "1 of 3 verdicts are about arcs that" in result.stderr


def test_a_page_can_begin_with_verdicts(verdicts: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("report", DEMO, "-m", "en", "--verdicts", verdicts, "-o", page)
    found = content(page)["verdicts"]
    assert [value[0] for value in found.values()] == ["accept", "error"]
    sent_id, number, word, _, _ = next(iter(found)).split("\t")
    assert (sent_id[:5], number) == ("demo-", "")
    assert int(word) > 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["report", DEMO, "-m", "xx", "-o", "x.html"], "no bundled model 'xx'"),
        (["report", "missing.conllu", "-m", "en", "-o", "x.html"], "missing.conllu: no such file or directory"),
        (["report", DEMO, "-m", "en", "-o", "/no/such/folder/x.html"], "/no/such/folder"),
        (
            ["report", DEMO, "-m", "en", "--gold", GOLD, "-o", "x.html"],
            "demo.conllu:3: sentence 1 (demo-01): [The] old",
        ),
        (
            ["report", DEMO, "-m", "en", "--compare", GOLD, "-o", "x.html"],
            "demo.conllu:3: sentence 1 (demo-01): [The] old",
        ),
        (["report", DEMO, "-m", "en", "--compare", "xx", "-o", "x.html"], "no bundled model 'xx'"),
        (["report", DEMO, "--self", "--compare", "en", "-o", "x.html"], "with --self, expected CoNLL-U"),
        (["report", DEMO, "-m", "en", "--verdicts", DEMO, "-o", "x.html"], "demo.conllu:1: no column id"),
        (["rank", DEMO, "-m", "en", "--verdicts", "missing.tsv"], "missing.tsv"),
        (["judge", DEMO, "--verdicts", "missing.tsv", "-m", "en"], "missing.tsv"),
        (["judge", DEMO, "--verdicts", "missing.tsv"], "missing.tsv"),
    ],
    ids=lambda value: " ".join(map(str, value))[-40:] if isinstance(value, list) else "",
)
def test_wrong_input_is_one_line_and_leaves_no_file(
    args: list[object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args, expect=2)
    assert message in result.stderr.strip().splitlines()[-1]
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "x.html").exists()


def test_judge_with_verdicts_takes_one_file() -> None:
    assert "expected SYSTEM alone" in run("judge", GOLD, SYSTEM, "--verdicts", "x.tsv", "-m", "en", expect=2).stderr


def test_an_empty_corpus_has_no_page(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    result = run("report", tmp_path / "empty.conllu", "-m", "en", "-o", tmp_path / "x.html", expect=2)
    assert "empty.conllu: no sentences" in result.stderr


def test_the_demo_makes_a_page_and_says_where(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    assert f"\n  {page}\n" in run("demo", "-o", page).stdout
    assert len(content(page)["order"]) == 142


def test_choices_with_their_rivals(tmp_path: Path) -> None:
    page, model = tmp_path / "page.html", tmp_path / "demo.tgm"
    run("model", "build", DEMO, "-o", model)
    run("report", DEMO, "-m", model, "--scorer", "choice", "-o", page)
    found = content(page)
    assert found["probabilities"]
    assert all(score <= 0 for score in found["score"])
    first = found["reasons"][str(found["order"][0])]
    assert first[1][0].startswith("probability ")
    assert first[0][0][2].startswith(("rather ", "next: "))
    calibrated = run("report", DEMO, "-m", model, "--calibration", "any", "-o", page)
    assert "calibrat" in calibrated.stderr
    assert content(page)["probabilities"]
    run("report", DEMO, "--self", "--scorer", "choice", "-o", page)
    assert len(content(page)["order"]) == 142


def test_a_page_of_all_columns(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("report", DEMO, "--self", "--all-columns", "-o", page)
    found = content(page)
    assert list(found["column_tables"]) == ["lemma", "subtype"]  # the demo has no XPOS and no features
    assert len(found["lemma"]) == len(found["head"])
    assert found["features"]["NOUN"] == []
    run("report", DEMO, "--self", "-o", page)
    assert content(page)["column_tables"] == {}
