"""`model build`, what `rank` and `judge` do with it, and `calibrate`."""

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.tables import named_tables
from treegauge.cli import cli


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def sentence(rng: np.random.Generator, number: int, errors: float) -> tuple[str, str]:
    """A sentence of a small language, and what a parser makes of it that is wrong that often."""
    nouns, lines, parsed = int(rng.integers(1, 4)), [], []
    verb = 2 * nouns + 1
    for k in range(nouns):
        place = 2 * k + 1
        lines.append((place, "the", "DET", place + 1, "det"))
        lines.append((place + 1, f"n{rng.integers(5)}", "NOUN", verb, "obj" if k else "nsubj"))
    lines += [(verb, "eat", "VERB", 0, "root"), (verb + 1, ".", "PUNCT", verb, "punct")]
    for place, word, tag, head, relation in lines:
        wrong = head and rng.random() < errors
        parsed.append((place, word, tag, verb if wrong and place != verb else head, "amod" if wrong else relation))

    def text(rows: list[tuple[int, str, str, int, str]]) -> str:
        words = "".join(f"{i}\t{w}\t{w}\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, w, t, h, r in rows)
        return f"# sent_id = s{number}\n{words}\n"

    return text(lines), text(parsed)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reference, gold and system of a test and a dev set, and a model."""
    folder = tmp_path_factory.mktemp("choice")
    rng = np.random.default_rng(5)
    for name, n, errors in (("reference", 150, 0.05), ("dev", 80, 0.15), ("test", 40, 0.15)):
        pairs = [sentence(rng, k, errors) for k in range(1, n + 1)]
        (folder / f"{name}.gold.conllu").write_text("".join(gold for gold, _ in pairs))
        (folder / f"{name}.system.conllu").write_text("".join(system for _, system in pairs))
    built = run("model", "build", folder / "reference.system.conllu", "-o", folder / "m.tgm")
    assert built.exit_code == 0, built.output
    run("model", "build", folder / "dev.system.conllu", "--counts-only", "-o", folder / "counts.tgm")
    made = run(
        "calibrate", folder / "dev.gold.conllu", folder / "dev.system.conllu", "-m", folder / "m.tgm",
        "-o", folder / "c.tgc", "--test", folder / "test.gold.conllu", folder / "test.system.conllu",
        "--figure", folder / "reliability.svg", "-f", "json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    (folder / "calibrate.json").write_text(made.stdout)
    return folder


def table(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t"))


def test_rank_gives_probabilities_and_suggestions(files: Path) -> None:
    asked = ["rank", files / "test.system.conllu", "-m", files / "m.tgm", "--scorer", "choice", "-f", "tsv"]
    rows = table(run(*asked, "--suggest", "--order", "suspicious"))
    assert [float(row["probability"]) for row in rows] == pytest.approx([np.exp(float(r["log_score"])) for r in rows])
    worst = rows[0]
    assert worst["deprel"] == "amod"
    assert worst["other_deprel"] in ("det", "nsubj", "obj", "punct")
    assert float(worst["other_probability"]) > float(worst["probability"])
    assert table(run(*asked, "--memory", "1")) == table(run(*asked))


def test_rank_explains_by_rivals(files: Path) -> None:
    shown = run(
        "rank", files / "test.system.conllu", "-m", files / "m.tgm", "--scorer", "choice", "--explain", "--top", "1"
    )
    assert "times likelier" in shown.stdout
    assert "of this head and relation" in shown.stdout


def test_rank_of_sentences_in_every_form(files: Path) -> None:
    asked = ["rank", files / "test.system.conllu", "-m", files / "m.tgm", "--scorer", "choice", "--unit", "sentence"]
    rows = table(run(*asked, "-f", "tsv"))
    scores = [float(row["mean_log_score"]) for row in rows]
    assert scores == sorted(scores)
    assert len(rows) == 40
    assert json.loads(run(*asked, "-f", "json").stdout)["rows"][0]["sent_id"] == rows[0]["sent_id"]
    trees = run(*asked, "-f", "conllu", "--top", "2").stdout
    assert [line for line in trees.split("\n") if line.startswith("#")] == [
        comment
        for row in rows[:2]
        for comment in (f"# sent_id = {row['sent_id']}", f"# mean_log_score = {float(row['mean_log_score']):.4g}")
    ]
    assert "mean log score" in run(*asked).stdout


def test_rank_by_itself_is_by_folds(files: Path) -> None:
    found = run(
        "rank", files / "dev.system.conllu", "--self", "--scorer", "choice", "-f", "tsv", "--order", "suspicious"
    )
    assert table(found)[0]["deprel"] == "amod"
    assert "folds:5" in found.stderr


def test_rank_by_calibrated_probability(files: Path) -> None:
    asked = ["rank", files / "test.system.conllu", "-m", files / "m.tgm", "--calibration", files / "c.tgc", "-f", "tsv"]
    rows = table(run(*asked))
    prob = [float(row["probability"]) for row in rows]
    assert prob == sorted(prob)
    assert 0 < prob[0] < prob[-1] < 1
    other = run("model", "build", files / "dev.system.conllu", "-o", files / "other.tgm")
    assert other.exit_code == 0
    asked[3] = files / "other.tgm"
    assert "with other models" in run(*asked).stderr
    asked[5] = "any"
    assert table(run(*asked))[0]["probability"] != table(run(*asked))[-1]["probability"]


@pytest.mark.parametrize("more", [[], ["--calibration", "c.tgc"], ["--unit", "tag"]])
def test_text_says_the_probability_where_there_is_one(files: Path, more: list[str]) -> None:
    more = [str(files / name) if name.endswith(".tgc") else name for name in more]
    asked = ["rank", files / "test.system.conllu", "-m", files / "m.tgm", "--top", "1", *more]
    found = re.search(r"log score (\S+) · probability (\S+) · sentence", run(*asked).output)
    assert found
    assert float(found[2]) == pytest.approx(math.exp(float(found[1])), rel=0.1)
    plain = run("rank", files / "test.system.conllu", "-m", files / "m.tgm", "--scorer", "lisca")
    assert "probability" not in plain.stdout


def test_calibrate_learns_from_several_pairs(files: Path) -> None:
    one = [files / "dev.gold.conllu", files / "dev.system.conllu"]
    other = [files / "test.gold.conllu", files / "test.system.conllu", files / "m.tgm"]
    made = run("calibrate", *one, "-m", files / "m.tgm", "--and", *other, "-o", files / "both.tgc")
    arcs = json.loads((files / "both.tgc").read_text())["arcs"]
    assert arcs > json.loads((files / "c.tgc").read_text())["arcs"]
    assert made.exit_code == 0


def test_calibrate_says_how_far_it_can_be_trusted(files: Path) -> None:
    rows = named_tables((files / "calibrate.json").read_text())["summary"]["rows"]
    assert [row["arcs of"] for row in rows] == ["held out (5 folds)", str(files / "test.system.conllu")]
    assert all(row["calibration error"] < 0.15 for row in rows)
    assert all(row["ROC-AUC"] > 0.9 for row in rows)
    assert (files / "reliability.svg").read_text().startswith("<?xml")


def test_judge_compares_choice_sentences_and_suggestions(files: Path) -> None:
    found = run(
        "judge", files / "test.gold.conllu", files / "test.system.conllu", "-m", files / "m.tgm",
        "--calibration", files / "c.tgc", "--samples", "0", "-f", "json",
    )  # fmt: skip
    tables = named_tables(found.stdout)
    area = {(row["scorer"], row["root_arcs"]): row["roc_auc"] for row in tables["areas"]["rows"]}
    assert area["choice", "yes"] > area["lisca", "yes"]
    assert area["calibrated", "yes"] > 0.9
    best = tables["sentences_with_root_arcs"]["rows"]
    assert best[0]["choice"] > best[-1]["choice"]  # the best tenth against all
    suggestions = {(row["scorer"], row["arcs"]): row for row in tables["suggestions"]["rows"]}
    assert suggestions["choice", "all"]["suggestion is gold"] > 0.5


def test_judge_of_pairs_calibrates_on_dev(files: Path) -> None:
    pair = files / "pairs" / "toy"
    pair.mkdir(parents=True)
    for name in ("dev", "test"):
        for side in ("gold", "system"):
            (pair / f"{name}.{side}.conllu").write_text((files / f"{name}.{side}.conllu").read_text())
    (pair / "reference.parsed.conllu").write_text((files / "reference.system.conllu").read_text())
    rows = json.loads(run("judge", "--pairs", files / "pairs", "-f", "json").stdout)["rows"]
    area = {row["scorer"]: row["roc_auc"] for row in rows if row["pair"] == "toy"}
    assert area["choice"] > area["lisca"]
    assert area["calibrated"] > 0.9


def test_models_with_and_without_weights_are_merged(files: Path) -> None:
    assert "averaged" in run("model", "merge", files / "m.tgm", files / "m.tgm", "-o", files / "twice.tgm").stderr
    assert "choice" in run("model", "info", files / "twice.tgm").stdout
    mixed = run("model", "merge", files / "m.tgm", files / "counts.tgm", "-o", files / "mixed.tgm")
    assert "left out" in mixed.stderr
    assert "\nchoice" not in run("model", "info", files / "mixed.tgm").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "test.system.conllu", "-m", "counts.tgm", "--scorer", "choice"], "without --counts-only"),
        (["rank", "test.system.conllu", "-m", "m.tgm", "--scorer", "lisca", "--suggest"], "has no suggestions"),
        (["rank", "test.system.conllu", "-m", "m.tgm", "--calibration", "m.tgm"], "expected a treegauge calibration"),
        (["rank", "test.system.conllu", "-m", "m.tgm", "--unit", "sentence", "--explain"], "excludes"),
        (["rank", "test.system.conllu", "--self", "--scorer", "ptr"], "lisca, choice, net, as-tagged"),
        (["rank", "test.system.conllu", "--self", "--calibration", "any"], "needs a model"),
        (["model", "build", "-", "-o", "x.tgm"], "a second time"),
        (["calibrate", "test.gold.conllu", "test.gold.conllu", "-m", "m.tgm", "-o", "x.tgc"], "some of each kind"),
    ],
)
def test_what_cannot_be_done_is_said(
    files: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    found = run(*arguments)
    assert found.exit_code != 0
    assert message in found.output + str(found.exception or "")


@pytest.fixture(scope="module")
def mistagged(files: Path) -> Path:
    """The test set with one wrong tag: a verb that is called a noun."""
    path = files / "mistagged.conllu"
    first, tab, rest = (files / "test.gold.conllu").read_text().partition("\teat\teat\tVERB")
    assert tab
    path.write_text(f"{first}\teat\teat\tNOUN{rest}")
    return path


@pytest.mark.parametrize("by", [["-m", "m.tgm"], ["--self"], ["--folds", "3"]], ids=str)
def test_a_wrong_tag_is_the_most_suspicious_word(files: Path, mistagged: Path, by: list[str]) -> None:
    given = [files / one if one == "m.tgm" else one for one in by]
    shown = run("rank", mistagged, *given, "--unit", "tag", "-f", "tsv", "--order", "suspicious", "--explain")
    assert shown.exit_code == 0, shown.output
    rows = list(csv.DictReader(io.StringIO(shown.stdout), delimiter="\t"))
    assert (rows[0]["form"], rows[0]["upos"], rows[0]["other_upos"]) == ("eat", "NOUN", "VERB")
    assert [int(row["rank"]) for row in rows] == list(range(1, len(rows) + 1))
    assert float(rows[0]["probability"]) < 0.5 < float(rows[0]["other_probability"])
    assert rows[0]["reasons"].startswith("probably VERB (")
    assert "), tagged NOUN; probability " in rows[0]["reasons"]


def test_tags_in_every_format(files: Path, mistagged: Path, tmp_path: Path) -> None:
    asked = "rank", mistagged, "-m", files / "m.tgm", "--unit", "tag"
    text = run(*asked, "--top", "1", "--explain").stdout
    assert "▼ NOUN (" in text
    assert "rather VERB (" in text
    table = json.loads(run(*asked, "-f", "json", "--order", "suspicious", "--top", "1").stdout)
    assert table["title"] == "Words by the plausibility of their tags"
    assert table["rows"][0]["other_upos"] == "VERB"
    trees = run(*asked, "-f", "conllu", "--mark", "1").stdout
    marked = [line for line in trees.splitlines() if "Mark=suspicious" in line]
    assert len(marked) == 1
    assert "RatherUPOS=VERB" in marked[0]
    assert sum("RatherUPOS" in line for line in trees.splitlines()) == 1
    on_disk = run(*asked, "-f", "tsv", "--memory", "50").stdout
    assert on_disk == run(*asked, "-f", "tsv").stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--scorer", "lisca"], "--unit tag has a scorer of its own and excludes --scorer"),
        (["--calibration", "c.tgc"], "the calibration says nothing of tags: it was made where hardly any were wrong"),
        (["--suggest"], "--unit tag shows other tags anyway; --suggest is for arcs"),
    ],
)
def test_what_does_not_go_with_tags(files: Path, more: list[str], message: str) -> None:
    more = [str(files / one) if one.endswith(".tgc") else one for one in more]
    refused = run("rank", files / "test.system.conllu", "-m", files / "m.tgm", "--unit", "tag", *more)
    assert message in str(refused.exception)


def test_tags_by_calibrated_probability(files: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    for name in ("dev", "test"):
        lines = (files / f"{name}.gold.conllu").read_text().splitlines()
        changed = [line.replace("\tDET\t", "\tADP\t") if rng.random() < 0.25 else line for line in lines]
        (tmp_path / f"{name}.tagged.conllu").write_text("\n".join([*changed, "", ""]))
    # arcs must not all be right either
    system = (tmp_path / "dev.tagged.conllu").read_text().replace("\tobj\t", "\tiobj\t", 3)
    (tmp_path / "dev.tagged.conllu").write_text(system)
    made = run(
        "calibrate", files / "dev.gold.conllu", tmp_path / "dev.tagged.conllu", "-m", files / "m.tgm",
        "-o", tmp_path / "t.tgc", "--test", files / "test.gold.conllu", tmp_path / "test.tagged.conllu", "-f", "json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    rows = {row["arcs of"]: row for row in named_tables(made.stdout)["summary"]["rows"]}
    held, test = rows["tags, held out (5 folds)"], rows[f"tags, {tmp_path / 'test.tagged.conllu'}"]
    assert held["ROC-AUC"] > 0.95
    assert test["calibration error"] < 0.05
    asked = ["rank", tmp_path / "test.tagged.conllu", "-m", files / "m.tgm", "--unit", "tag", "-f", "tsv"]
    ranked = run(*asked, "--calibration", tmp_path / "t.tgc", "--order", "suspicious")
    assert ranked.exit_code == 0, ranked.output
    assert "log score is log p of the tag being right" in ranked.stderr
    first = table(ranked)[0]
    assert (first["upos"], first["other_upos"]) == ("ADP", "DET")
    probability = np.array([float(row["probability"]) for row in table(ranked)])
    wrong = np.array([row["upos"] == "ADP" for row in table(ranked)])
    assert probability.mean() == pytest.approx(1 - wrong.mean(), abs=0.03)
    refused = run(
        "rank", tmp_path / "test.tagged.conllu", "--self", "--unit", "tag", "--calibration", tmp_path / "t.tgc"
    )
    assert "a calibration needs a model" in str(refused.exception)


def test_a_model_of_counts_knows_no_tags(files: Path) -> None:
    refused = run("rank", files / "test.system.conllu", "-m", files / "counts.tgm", "--unit", "tag")
    assert "the model holds counts only; the scorer tags needs one" in str(refused.exception)
