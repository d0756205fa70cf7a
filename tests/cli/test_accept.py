"""`treegauge accept`, and what `apply` writes down: `check` is silent about what was decided, and nothing else."""

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.upkeep.made_up import MISTAGGED, WRONG, treebank
from treegauge.cli import cli
from treegauge.errors import TreegaugeError
from treegauge.ranking.verdicts import COLUMNS, read_verdicts

ARCS = ("--columns", "arc,tag")
BELOW = ("--below", 0.3)


def run(*args: object, expect: int = 0) -> Result:
    result = CliRunner().invoke(cli, [*map(str, args)], catch_exceptions=False)
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.conllu"
    path.write_text(treebank())
    return path


def found(file: Path, *args: object) -> set[tuple[str, str, int]]:
    rows = json.loads(run("check", file, "-f", "json", *args).stdout)["rows"]
    return {(row["code"], row["sent_id"], row["id"]) for row in rows}


def accepted(file: Path) -> Path:
    return file.parent / ".treegauge" / "accepted.tsv"


def test_a_finding_is_accepted_by_code_and_place(file: Path) -> None:
    before = found(file)
    assert ("TG101", WRONG, 1) in before
    run("accept", file, "--finding", f"TG101:{WRONG}:1", "--note", "as it\tshould be")
    assert found(file) == before - {("TG101", WRONG, 1)}
    header, line = accepted(file).read_text().splitlines()
    row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert header.split("\t") == list(COLUMNS)
    assert (row["head"], row["deprel"], row["upos"], row["verdict"]) == ("3", "det", "DET", "accept")
    assert (row["note"], row["date"], row["code"]) == ("as it should be", date.today().isoformat(), "")


def test_all_is_accepted_and_comes_back_when_it_changes(file: Path) -> None:
    run("accept", file, "--all", "--select", "TG1,TG2")
    assert found(file, *ARCS) == set()
    file.write_text(treebank().replace(f"# sent_id = {MISTAGGED}\n1\tthe", f"# sent_id = {MISTAGGED}\n1\tthy"))
    assert found(file, *ARCS) <= {("TG201", MISTAGGED, 1), ("TG201", MISTAGGED, 3)}


def test_lines_are_sorted_and_stay_the_same(file: Path) -> None:
    for place in ("TG902:s20:6", "TG101:s7:1", "TG902:s3:6", "TG102:s100:2", "TG101:s7:1"):
        run("accept", file, "--finding", place)
    lines = [(v.sent_id, v.id, v.code) for v in read_verdicts(str(accepted(file)))]
    assert lines == [("s3", 6, "TG902"), ("s7", 1, ""), ("s20", 6, "TG902"), ("s100", 2, "")]
    text = accepted(file).read_text()
    run("accept", file, "--finding", "TG902:s3:6")
    assert accepted(file).read_text() == text


def test_exports_of_pages_are_joined_even_where_somebody_joined_them_before(file: Path, tmp_path: Path) -> None:
    header = "\t".join(COLUMNS[:9])
    first, second = (
        "s7\t\t1\tthe\t3\tdet\tDET\taccept\t",
        "s11\t\t3\teat\t0\troot\tNOUN\taccept\tof course",
    )
    (tmp_path / "a.tsv").write_text(f"{header}\n{first}\n{header}\n{second}\n")
    (tmp_path / "b.tsv").write_text(f"{header}\n{second}\n")
    run("accept", file, "--verdicts", tmp_path / "a.tsv", "--verdicts", tmp_path / "b.tsv")
    assert len(read_verdicts(str(accepted(file)))) == 2
    assert found(file, *ARCS) == set()


def test_lines_that_fit_no_word_any_more_are_pruned(file: Path) -> None:
    for place in ("TG101:s7:1", "TG201:s11:3", "TG902:s12:6"):
        run("accept", file, "--finding", place)
    file.write_text(
        treebank().replace("# sent_id = s7\n1\tthe\tthe\tDET\t_\t_\t3", "# sent_id = s7\n1\tthe\tthe\tDET\t_\t_\t2")
    )
    said = run("accept", file, "--prune").stderr
    assert "1 line taken out; 2 lines" in said
    assert [v.sent_id for v in read_verdicts(str(accepted(file)))] == ["s11", "s12"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--finding", "s7:1"], "expected a code, a sent_id"),
        (["--finding", "TG101:s999:1"], "0 sentences 's999' in .*; expected one"),
        (["--finding", "TG101:s7:9"], r"word 9; expected 1..8 in .*t.conllu:61"),
    ],
)
def test_what_cannot_be_accepted_is_named(file: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(TreegaugeError, match=said):
        run("accept", file, *arguments)
    assert not accepted(file).exists()


def test_nothing_to_accept_is_a_mistake(file: Path) -> None:
    assert "expected --finding, --verdicts, --all or --prune" in run("accept", file, expect=2).stderr


def correction(**new: object) -> dict[str, object]:
    return {"sent_id": "s20", "id": 5, "form": "n", "head": 3, "deprel": "obj", "upos": "NOUN", **new}


def test_what_was_corrected_is_written_down_and_never_blocked(file: Path, tmp_path: Path) -> None:
    form = treebank().split("# sent_id = s20\n")[1].split("\n")[4].split("\t")[1]
    one = correction(form=form, new_deprel="vocative", lemma=form, new_lemma="Nn")
    (tmp_path / "c.json").write_text(json.dumps({"corrections": [one]}))
    old = tmp_path / "old.conllu"
    old.write_text(treebank())
    said = run("apply", tmp_path / "c.json", file, "-o", file).stderr
    assert "accepted.tsv: 1 word written down as accepted" in said
    (line,) = read_verdicts(str(accepted(file)))
    assert (line.code, line.deprel, line.value) == ("TG", "vocative", "Nn _ _")
    assert line.note == f"corrected, was 3:obj, lemma {form}"
    assert found(file, "--new-since", old, *BELOW) == set()
    accepted(file).unlink()
    assert {place[1:] for place in found(file, "--new-since", old, *BELOW)} == {("s20", 5)}
    run("apply", tmp_path / "c.json", old, "-o", file, "--no-accept")
    assert not accepted(file).exists()


def test_an_unusual_arc_is_named_when_it_is_made(file: Path, tmp_path: Path) -> None:
    form = treebank().split("# sent_id = s20\n")[1].split("\n")[4].split("\t")[1]
    one = correction(form=form, new_deprel="det")
    (tmp_path / "c.json").write_text(json.dumps({"corrections": [one]}))
    said = run("apply", tmp_path / "c.json", file, "-o", tmp_path / "fixed.conllu").stderr
    assert f"unusual: sentence s20: word 5 '{form}': det of NOUN under a VERB, as 0 of 320 det are" in said
