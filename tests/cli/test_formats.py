"""Formats for programs: JSON lines and Parquet say what TSV and JSON say, in every command that has them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import treegauge as tg
from treegauge.cli import cli
from treegauge.cli.groups import FORMATS
from treegauge.ranking.columns import COLUMNS

DEMO = Path(tg.__file__).parent / "demo" / "demo.conllu"
DATA = Path(__file__).parents[1] / "data"
RANKINGS = [
    ["--explain", "--suggest"],
    ["--order", "corpus", "--top", "9"],
    ["--unit", "tag", "--top", "30"],
    ["--unit", "sentence"],
    ["--smoothing", "none"],
    ["--memory", "1"],
]
# commands of several rooms that write tables
TABLES = [
    ["eval", DEMO, DEMO],
    ["check", DEMO, "--below", "1"],
    ["diff", DEMO, DEMO],
    ["bits", DEMO],
]


def written(*args: object) -> bytes:
    result = CliRunner().invoke(cli, [*map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


def parquet(content: bytes) -> Any:
    return pytest.importorskip("polars").read_parquet(io.BytesIO(content))


@pytest.mark.parametrize("options", RANKINGS, ids=" ".join)
def test_rankings(options: list[str]) -> None:
    command = ["rank", DEMO, "-m", "en", *options]
    records = json.loads(written(*command, "-f", "json"))["rows"]
    assert [json.loads(line) for line in written(*command, "-f", "jsonl").splitlines()] == records
    table = parquet(written(*command, "-f", "parquet"))
    lines = [line.split("\t") for line in written(*command, "-f", "tsv").decode().splitlines()]
    assert table.columns == lines[0]
    assert len(table) == len(lines) - 1 == len(records)
    kinds = {column.name: column.type for column in COLUMNS}
    for name, *values in zip(*lines, strict=True):
        expected = [None if value == "" else kinds[name](value) for value in values]
        assert table[name].to_list() == expected, name


@pytest.mark.parametrize("command", TABLES, ids=lambda command: command[0])
def test_tables(command: list[object]) -> None:
    table = json.loads(written(*command, "-f", "json"))
    lines = [json.loads(line) for line in written(*command, "-f", "jsonl").splitlines()]
    mine = [line for line in lines if line["table"] == table["name"]]
    about = {"table": table["name"], "signature": table["signature"]}
    assert mine == [about | record for record in table["rows"]]
    if len({line["table"] for line in lines}) == 1:
        assert parquet(written(*command, "-f", "parquet")).to_dicts() == table["rows"]


def test_a_parquet_file_is_written_whole_and_nothing_else(tmp_path: Path) -> None:
    written("rank", DEMO, "-m", "en", "-f", "parquet", "-o", tmp_path / "arcs.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["arcs.parquet"]
    assert len(parquet((tmp_path / "arcs.parquet").read_bytes())) == tg.read_conllu(DEMO).n_words


def test_several_tables_are_no_parquet_file() -> None:
    result = CliRunner().invoke(cli, ["typology", str(DEMO), "--least", "1", "-f", "parquet"])
    assert "parquet holds one table, and there are 3: order, clauses, marked; expected" in str(result.exception)


def test_forms_that_look_like_something_else_are_texts(tmp_path: Path) -> None:
    rows = ["2012", "null", '"', "NaN", "a,b", "'"]
    text = "".join(f"{k}\t{form}\t_\tX\t_\t_\t{k - 1}\tdep\t_\t_\n" for k, form in enumerate(rows, 1))
    (tmp_path / "odd.conllu").write_text(text + "\n")
    command = ["rank", tmp_path / "odd.conllu", "-m", "en", "--order", "corpus", "-f", "parquet"]
    assert parquet(written(*command))["form"].to_list() == rows


def test_every_command_with_tables_has_the_same_formats() -> None:
    assert {"jsonl", "parquet"} <= set(FORMATS)
    for name in ("rank", "check", "diff", "eval", "judge", "typology", "bits", "stability", "surprisal", "agreement"):
        command: Any = cli.get_command(None, name)  # type: ignore[arg-type]
        choices = next(param.type.choices for param in command.params if "--format" in param.opts)
        assert {"json", "jsonl", "parquet"} <= set(choices), name
