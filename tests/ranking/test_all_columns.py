"""The arc table: every feature, every weight, and whether the arc is right."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.models.lisca.features import PRESETS

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


def run(*options: str) -> str:
    result = CliRunner().invoke(cli, ["rank", str(SYSTEM), "-m", "en", *options])
    assert result.exception is None, result.exception
    return result.stdout


@pytest.mark.parametrize("memory", [(), ("--memory", "60")])
def test_weights_add_up_and_verdicts_are_golds(memory: tuple[str, ...]) -> None:
    text = run("--scorer", "lisca", "--all-columns", "--gold", str(GOLD), "-f", "tsv", "--order", "corpus", *memory)
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    corpus = read_conllu(SYSTEM)
    comparison = side_by_side(corpus, read_conllu(GOLD))
    assert len(rows) == corpus.n_words
    for w, row in enumerate(rows):
        weights = [float(value) for name, value in row.items() if name.startswith("weight_")]
        assert len(weights) == 10
        assert sum(weights) == pytest.approx(float(row["log_score"]))
        assert row["right"] == (str(int(comparison.right[w])) if comparison.present[w] else "")
        assert row["length"] == str(corpus.arc_length[w])
        assert row["head_form"] == ("" if corpus.head[w] == 0 else corpus.value("form", int(corpus.head_row[w])))
    assert {feature.name for feature in PRESETS["2020"].features} <= set(rows[0])


def test_other_scorers_have_no_weights() -> None:
    rows = [json.loads(line) for line in run("--all-columns", "-f", "jsonl").splitlines()]
    assert not any(name.startswith("weight_") for name in rows[0])
    assert {"upos", "head_upos", "depth", "sentence_length"} <= set(rows[0])
    assert np.mean([row["depth"] for row in rows]) > 0


def test_it_is_for_tables() -> None:
    for options in (["--all-columns"], ["--gold", str(GOLD)], ["--all-columns", "-f", "conllu"]):
        result = CliRunner().invoke(cli, ["rank", str(SYSTEM), "-m", "en", *options])
        assert "it is for --format tsv" in str(result.exception)


def test_sentences_have_their_text_and_their_score() -> None:
    rows = [json.loads(line) for line in run("--unit", "sentence", "-f", "jsonl", "--order", "corpus").splitlines()]
    corpus = read_conllu(SYSTEM)
    assert [row["text"] for row in rows] == [" ".join(corpus.forms(s)) for s in range(corpus.n_sentences)]
    trees = run("--unit", "sentence", "-f", "conllu", "--order", "corpus")
    comments = [line for line in trees.splitlines() if line.startswith("# mean_log_score = ")]
    assert [float(line.split()[-1]) for line in comments] == pytest.approx(
        [row["mean_log_score"] for row in rows], rel=1e-3
    )
    again = parse_conllu(trees)
    assert again.head.tolist() == corpus.head.tolist()
    assert again.sent_ids == corpus.sent_ids
