"""`treegauge stability` on the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import treegauge
from tests.tables import named_tables
from treegauge.cli import cli

pytest.importorskip("scipy")
DEMO = str(Path(treegauge.__file__).parent / "demo" / "demo.conllu")


def test_tables_in_text_and_json() -> None:
    args = ["stability", DEMO, "--folds", "3", "--seeds", "2", "--scorer", "lisca"]
    text = CliRunner().invoke(cli, [*args, "--top", "2"], catch_exceptions=False).stdout
    assert "Sentences unlike the rest: 2 of 13" in text
    tables = named_tables(CliRunner().invoke(cli, [*args, "--format", "json"], catch_exceptions=False).stdout)
    assert list(tables) == ["stability", "more_text", "unlike", "steady"]
    refused = CliRunner().invoke(cli, [*args, "--format", "json", "--top", "2"])
    assert "would change nothing" in str(refused.exception)
