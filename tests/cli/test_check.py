"""`treegauge check`: formats, what is left out, exit codes."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.upkeep.made_up import WRONG, treebank
from treegauge.cli import cli
from treegauge.errors import TreegaugeError

ARCS = ("--columns", "arc,tag")
ARCS_AND_VALIDITY = ("--columns", "arc,validity")


def run(*args: object, expect: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["check", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t,1%.conllu"
    path.write_text(treebank())
    return path


def test_text_has_patterns_and_findings(file: Path) -> None:
    text = run(file, "--columns", "arc,tag").stdout
    assert "'of' ADP: " in text
    assert "pattern { D [lemma=" in text
    assert f"({WRONG}), word 1" in text
    assert "- rather det of 'n" in text
    assert "tagged NOUN, rather VERB" in text
    assert run(file, "--top", 0, "--patterns", 0).stdout.count("\n") == 1


def test_tables_have_file_and_line(file: Path) -> None:
    header, *rows = [line.split("\t") for line in run(file, "-f", "tsv").stdout.splitlines()[1:]]
    records = [dict(zip(header, row, strict=True)) for row in rows]
    lines = file.read_text().split("\n")
    for record in records:
        assert record["file"] == str(file)
        assert lines[int(record["line"]) - 1].startswith(f"{record['id']}\t{record['form']}\t")
    content = json.loads(run(file, "-f", "json").stdout)
    assert [row["sent_id"] for row in content["rows"]] == [record["sent_id"] for record in records]
    assert content["more"][0]["name"] == "patterns"


def test_sarif_has_a_result_for_each_finding(file: Path) -> None:
    content = json.loads(run(file, "-f", "sarif").stdout)
    (one,) = content["runs"]
    assert content["version"] == "2.1.0"
    assert {rule["id"] for rule in one["tool"]["driver"]["rules"]} >= {result["ruleId"] for result in one["results"]}
    place = one["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("t%2C1%25.conllu")
    assert place["region"]["startLine"] > 1
    prints = [result["partialFingerprints"]["annotation/v1"] for result in one["results"]]
    assert len(set(prints)) == len(prints)


def test_annotations_of_github_escape_what_files_and_words_hold(tmp_path: Path) -> None:
    path = tmp_path / "t,1%.conllu"
    path.write_text(treebank().replace("eat", "e%0A::t"))
    lines = run(path, "-f", "github").stdout.splitlines()
    assert all(line.startswith("::warning file=") for line in lines)
    assert all("t%2C1%25.conllu,line=" in line for line in lines)
    assert not any("%0A" in line for line in lines)
    assert any("e%250A::t" in line for line in lines)


def test_accepted_annotations_are_found_beside_the_treebank(file: Path) -> None:
    before = run(file, "-f", "tsv", *ARCS).stdout
    accepted = file.parent / ".treegauge" / "accepted.tsv"
    accepted.parent.mkdir()
    accepted.write_text(f"sent_id\tid\thead\tdeprel\tupos\tverdict\n{WRONG}\t1\t3\tdet\tDET\taccept\n")
    result = run(file, "-f", "tsv", *ARCS)
    assert "accepted.tsv: 1 verdict; what is accepted there is left out" in result.stderr
    assert f"\t{WRONG}\t" in before
    assert f"\t{WRONG}\t7\t1\t" not in result.stdout
    accepted.write_text(f"sent_id\tid\thead\tdeprel\tupos\tverdict\n{WRONG}\t1\t3\tdet\tPRON\taccept\n")
    assert f"\t{WRONG}\t7\t1\t" in run(file, "-f", "tsv", *ARCS).stdout
    accepted.write_text("nothing\n")
    with pytest.raises(TreegaugeError, match=r"accepted.tsv:1: no column"):
        run(file)


def test_a_gate_for_what_a_change_brings(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = file.parent
    good = treebank().replace(
        f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t3", f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t2"
    )
    assert run(file, "--fail-on", 500).exit_code == 0
    assert "that is more than --fail-on 0" in run(file, "--fail-on", 0, expect=1).stderr
    monkeypatch.chdir(folder)
    git = ["git", "-c", "user.name=a", "-c", "user.email=b@c"]
    now = file.read_text()
    file.write_text(good)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *command], check=True, cwd=folder)
    file.write_text(now)
    result = run(file.name, "--new-since", f"HEAD:{file.name}", "-f", "tsv", *ARCS, "--fail-on", 0, expect=1)
    assert [line.split("\t")[4] for line in result.stdout.splitlines()[2:]] == [WRONG]
    assert "1 finding: arc 1" in result.stderr
    file.write_text(good)
    assert "0 findings" in run(file.name, "--new-since", f"HEAD:{file.name}", *ARCS, "--fail-on", 0).stderr


def test_the_page_can_be_worked_through(file: Path) -> None:
    page = run(file, "-f", "html").stdout
    listed = json.loads(page.partition('"order":')[2].partition("]")[0] + "]")
    words = {(row["sent_id"], row["id"]) for row in json.loads(run(file, "-f", "json").stdout)["rows"]}
    assert len(listed) == len(words) > 0


def test_errors_of_the_validator_are_findings_of_all_levels(tmp_path: Path) -> None:
    path = tmp_path / "en_x-ud-dev.conllu"
    path.write_text(
        treebank().replace("\tfour\t", "\tfor\t").replace("8\t.\t.\tPUNCT\t_\t_", "8\t.\t.\tPUNCT\t_\tFoo=Bar", 1)
    )
    rows = json.loads(run(path, "-f", "json", "--validate", "--select", "TG7").stdout)["rows"]
    assert {row["code"] for row in rows} == {"TG701"}
    by_place = {(row["sent_id"], row["id"]): row["message"] for row in rows}
    assert "L2 METADATA missing-text" in by_place["s1", 1]  # about a sentence: at its first word
    assert "L4 MORPHO feature-unknown: Feature Foo is not documented for language [en]" in by_place["s1", 8]
    assert all(row["line"] > 0 and "L4" not in row["message"] for row in rows if row["sent_id"] != "s1")
    without = json.loads(run(path, "-f", "json", "--select", "TG7").stdout)["rows"]
    assert without == []
    shorter = json.loads(run(path, "-f", "json", "--validate", "--language", "ud", "--select", "TG7").stdout)["rows"]
    assert not any("L4" in row["message"] for row in shorter)
    with pytest.raises(TreegaugeError, match="language 'xx'; expected a code that the validator knows"):
        run(path, "--validate", "--language", "xx")


def test_incidents_have_the_keys_of_udtools(file: Path) -> None:
    incidents = json.loads(run(file, "-f", "incidents", "--validate", *ARCS_AND_VALIDITY).stdout)
    keys = ["level", "type", "testclass", "testid", "filename", "lineno", "sentid", "nodeid", "message"]
    assert all(list(one) == keys and all(isinstance(value, str) for value in one.values()) for one in incidents)
    kinds = {(one["testid"], one["type"], one["testclass"], one["level"]) for one in incidents}
    assert ("TG101-improbable-head", "WARNING", "SYNTAX", "6") in kinds
    assert ("missing-text", "ERROR", "METADATA", "2") in kinds


def test_a_missing_validator_is_asked_for(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "udtools.validator", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[validate\]'"):
        run(file, "--validate")


def test_a_suggestion_that_is_taken_is_found_no_more(file: Path, tmp_path: Path) -> None:
    (found,) = [row for row in json.loads(run(file, "-f", "json").stdout)["rows"] if row["sent_id"] == WRONG]
    correction = {name: found[name] for name in ("sent_id", "sentence", "id", "form", "head", "deprel", "upos")}
    correction |= {"new_head": found["other_head"], "new_deprel": found["other_deprel"]}
    (tmp_path / "c.json").write_text(json.dumps({"corrections": [correction]}))
    fixed = tmp_path / "fixed.conllu"
    result = CliRunner().invoke(cli, ["apply", str(tmp_path / "c.json"), str(file), "-o", str(fixed)])
    assert result.exit_code == 0, result.output
    before, after = file.read_text().split("\n"), fixed.read_text().split("\n")
    assert [k for k, (one, other) in enumerate(zip(before, after, strict=True)) if one != other] == [found["line"] - 1]
    assert WRONG not in [row["sent_id"] for row in json.loads(run(fixed, "-f", "json").stdout)["rows"]]


COLUMNS = """# sent_id = {name}
# text = the {form} sleeps.
1\tthe\tthe\tDET\tDT\t_\t2\tdet\t2:det\t_
2\t{form}\t{lemma}\tNOUN\tNN\t{feats}\t3\tnsubj\t3:nsubj\t_
3\tsleeps\tsleep\tVERB\tVBZ\tNumber=Sing\t0\troot\t{deps}\tA=1|SpaceAfter=No|Z=2
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

"""


def other_columns() -> str:
    """Forty sentences alike; the last two have a wrong lemma, a wrong feature, and DEPS without the arc of the tree."""
    nouns = [f"{noun}{kind}" for noun in ("cat", "dog", "hen", "cow") for kind in "abcdefghij"]
    made = [
        {"name": f"s{k}", "form": noun, "lemma": noun, "feats": "Number=Sing", "deps": "0:root"}
        for k, noun in enumerate(nouns)
    ]
    made[-2]["lemma"] = "Dog"
    made[-1] |= {"feats": "Number=Plur", "deps": "4:root"}
    return "".join(COLUMNS.format(**one) for one in made)


def test_every_column_has_findings_with_codes_that_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    path.write_text(other_columns())
    rows = json.loads(run(path, "-f", "json", "--below", 0.5).stdout)["rows"]
    found = {(row["code"], row["sent_id"], row["id"]): row for row in rows}
    assert found["TG301", "s38", 2]["other_value"] == "cowi"
    assert (found["TG401", "s39", 2]["value"], found["TG401", "s39", 2]["other_value"]) == (
        "Number=Plur",
        "Number=Sing",
    )
    assert found["TG602", "s39", 1]["message"].startswith("no way leads from the root")
    assert found["TG601", "s39", 3]["message"].startswith("DEPS lacks 0:root")

    def codes(*args: object) -> set[str]:
        return {row["code"] for row in json.loads(run(path, "-f", "json", "--below", 0.5, *args).stdout)["rows"]}

    assert codes("--select", "TG6") == {"TG601", "TG602"}
    assert codes("--select", "TG6,TG4", "--ignore", "TG602") == {"TG601", "TG401"}
    assert codes("--columns", "lemma") == {"TG301"}
    for wrong in (("--columns", "head"), ("--select", "TG7x"), ("--ignore", "X")):
        with pytest.raises(TreegaugeError, match=r"expected (some of|a code)"):
            run(path, *wrong)
    accepted = tmp_path / "accepted.tsv"
    accepted.write_text("sent_id\tid\thead\tdeprel\tverdict\tcode\tvalue\ns38\t2\t3\tnsubj\taccept\tTG301\tDog\n")
    assert "TG301" not in codes("--accepted", accepted)
    accepted.write_text("sent_id\tid\thead\tdeprel\tverdict\tcode\tvalue\ns38\t2\t3\tnsubj\taccept\tTG301\tCat\n")
    assert "TG301" in codes("--accepted", accepted)


def test_the_treebank_is_written_with_bugs_and_nothing_else_moves(tmp_path: Path) -> None:
    path, out = tmp_path / "t.conllu", tmp_path / "out.conllu"
    path.write_text(other_columns())
    run(path, "-f", "conllu", "--select", "TG601,TG301", "--below", 0.5, "-o", out)
    old, new = path.read_text().split("\n"), out.read_text().split("\n")
    assert [line for line in new if "highlight" in line] == ["# highlight tokens = 2", "# highlight tokens = 3"]
    assert [line.replace("Bug=TG301", "_").replace("Bug=TG601|", "") for line in new if "highlight" not in line] == old
    assert sum("A=1|Bug=TG601|SpaceAfter=No|Z=2" in line for line in new) == 1
    again = tmp_path / "again.conllu"
    run(out, "-f", "conllu", "--select", "TG601,TG301", "--below", 0.5, "-o", again)
    assert again.read_text() == out.read_text()


def test_findings_are_chosen_by_relation_and_feature_and_marked_material_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    wrong = f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t"
    path.write_text(treebank().replace(f"{wrong}_\t3", f"{wrong}Typo=Yes\t3"))

    def places(*args: object) -> set[tuple[str, int]]:
        rows = json.loads(run(path, "-f", "json", *ARCS, *args).stdout)["rows"]
        return {(row["sent_id"], row["id"]) for row in rows}

    assert (WRONG, 1) not in places()
    assert places("--select", "Typo=Yes") == {(WRONG, 1)}
    assert places("--marked") == places() | {(WRONG, 1)}
    assert places("--marked", "--select", "det,TG101") == {(WRONG, 1)}
    assert (WRONG, 1) not in places("--marked", "--ignore", "det")
    assert places("--marked", "--select", "nsubj") == set()
    with pytest.raises(TreegaugeError, match=r"'nsubjj'; expected a code .*, a relation, or a feature"):
        run(path, "--select", "nsubjj")
