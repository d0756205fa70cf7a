"""One list of columns: an entry is a column everywhere, and all outputs agree."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import treegauge as tg
from tests.demo_trees import CORPUS
from treegauge.cli import cli
from treegauge.ranking import columns
from treegauge.ranking.columns import Column
from treegauge.ranking.units import COLUMN_UNITS, Unit

DEMO = Path(tg.__file__).parent / "demo" / "demo.conllu"


def ranked(*args: object, by: tuple[str, ...] = ("-m", "en"), file: Path = DEMO) -> str:
    result = CliRunner().invoke(cli, ["rank", str(file), *by, *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def misc_of(text: str) -> list[dict[str, str]]:
    corpus = tg.parse_conllu(text)
    lines = (corpus.line_text(w).decode().rstrip("\n") for w in range(corpus.n_words))
    return [dict(entry.split("=", 1) for entry in line.split("\t")[9].split("|")) for line in lines]


def test_a_column_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = Column("twice", (Unit.ARC,), lambda rows: 2 * rows.corpus.position[rows.row], misc="Twice")
    monkeypatch.setattr(columns, "COLUMNS", (*columns.COLUMNS, twice))
    (row, *_) = csv.DictReader(io.StringIO(ranked("-f", "tsv")), delimiter="\t")
    assert int(row["twice"]) == 2 * int(row["id"])
    (record, *_) = json.loads(ranked("-f", "json"))["rows"]
    assert record["twice"] == 2 * record["id"]
    scored = tg.score(CORPUS, tg.scorer(model="en"))
    frame = scored.rank().to_polars()
    assert (frame["twice"] == 2 * frame["id"]).all()
    expected = (2 * CORPUS.position).astype(str).tolist()
    assert [misc["Twice"] for misc in misc_of(ranked("-f", "conllu"))] == expected
    assert [misc["Twice"] for misc in misc_of(scored.to_conllu())] == expected
    assert "twice" not in ranked("-f", "tsv", "--unit", "sentence")


@pytest.mark.parametrize("unit", Unit)
def test_rank_and_bin_come_first_everywhere(unit: Unit, tmp_path: Path) -> None:
    file = tmp_path / "demo.conllu"  # the demo has no XPOS and no features
    file.write_text(DEMO.read_text().replace("\tNOUN\t_\t_\t", "\tNOUN\tNN\tNumber=Sing\t"))
    by = ("--self",) if unit in (*COLUMN_UNITS, Unit.WORD) else ("-m", "en")
    header = ranked("--unit", unit, "-f", "tsv", by=by, file=file).partition("\n")[0].split("\t")
    (record, *_) = json.loads(ranked("--unit", unit, "-f", "json", "--top", 1, by=by, file=file))["rows"]
    assert header == list(record)
    assert header[:2] == ["rank", "bin"]
    scored = tg.score(CORPUS, tg.scorer("lisca", "en"))
    for ranking in (scored.rank(), scored.rank_sentences()):
        assert ranking.to_polars().columns[:2] == ["rank", "bin"]


def test_the_command_and_the_library_write_the_same_into_misc() -> None:
    scored = tg.score(CORPUS, tg.scorer(model="en"))
    by_command, by_library = misc_of(ranked("-f", "conllu", "--suggest")), misc_of(scored.to_conllu())
    for here, there in zip(by_command, by_library, strict=True):
        assert {name: there.get(name) for name in here if name != "Bin"} == {
            k: v for k, v in here.items() if k != "Bin"
        }
        assert [name for name in there if name not in here] == ["TagProbability"]
    every = scored.alternatives(np.arange(CORPUS.n_words))
    likelier = (every.head >= 0) & (every.log_prob > every.own_log_prob)
    assert ["RatherHead" in misc for misc in by_command] == likelier.tolist()
    assert 0 < likelier.sum() < 20
