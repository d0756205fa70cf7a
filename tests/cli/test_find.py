"""`treegauge find`: the requests of its page, formats, clusters, samples, corrections, and own rules in `check`."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.upkeep.search.made_up import treebank
from treegauge.cli import cli
from treegauge.errors import TreegaugeError

PAGE = (Path(__file__).parents[2] / "docs" / "find.md").read_text()
INVERTED = "pattern { V [upos=VERB]; V -[obj]-> O; O << V }"
TWO_OBJECTS = "pattern { V -[obj]-> A; V -[obj]-> B; A << B }"


def run(*args: object, expect: int = 0, command: str = "find") -> Result:
    result = CliRunner().invoke(cli, [command, *map(str, args)], catch_exceptions=False)
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "treebank").mkdir()
    sentences = treebank().split("\n\n")
    (tmp_path / "treebank" / "a.conllu").write_text("\n\n".join(sentences[:4]) + "\n\n")
    (tmp_path / "treebank" / "b.conllu").write_text("\n\n".join(sentences[4:]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


FOUND = [  # what the ten requests of the page find in the made-up treebank
    ["V = wrote (5), O = that (2)"],
    ["V = lost (4), S = letter (2)", "V = scheduled (4), S = hearing (2)"],
    ["V = give (1)"],
    ["no,red,1", "yes,proper,1"],
    ["N = book (4), D = these (3)"],
    ["yes,1"],
    ["V = gave (2), N = rose (6), R = sang (8)"],
    ["ADJ,NOUN,1"],
    ["V = old (7), S = he (1)"],
    ["A = hearing (2), B = issue (7), C = scheduled (4), D = today (8)"],
]


def test_the_ten_requests_of_the_page_find_what_they_say(folder: Path) -> None:
    part = PAGE.split("## Ten requests that linguists use")[1].split("\n## ")[0]
    commands = re.findall(r"```sh\ntreegauge (.*)\n```", part)
    assert len(commands) == len(FOUND) == 10
    for command, expected in zip(commands, FOUND, strict=True):
        args = shlex.split(command)[1:]
        if "--cluster" in args:
            rows = [line.split(",") for line in run(*args, "-f", "csv").stdout.splitlines()[1:]]
            assert [",".join(row[:-1]) for row in rows] == expected
        else:
            titles = re.findall(r"^\d+ · .* · (\w+ = .*)$", run(*args).stdout, re.MULTILINE)
            assert titles == expected


def test_text_draws_the_arcs_of_a_match_and_names_its_nodes(folder: Path) -> None:
    text = run(INVERTED, "treebank").stdout
    assert text.startswith("1 match\n\n1 · treebank/a.conllu:25 · sentence 4 (that) · V = wrote (5), O = that (2)\n")
    lines = text.splitlines()
    words, names, arc = lines[5], lines[4], lines[3]
    assert words == "    all that Ada really wrote"
    assert names.index("O") == arc.index("▼") == words.index("that") + 1
    assert names.index("V") == arc.index("╮") == words.index("wrote") + 2
    assert " obj " in arc


def test_conllu_has_the_sentences_once_with_their_words_highlighted(folder: Path) -> None:
    text = run("pattern { V [form=give]; V -[obj]-> O }", "treebank", "-f", "conllu").stdout
    expected = treebank().split("\n\n")[2]
    name, rest = expected.split("\n", 1)
    assert text == f"{name}\n# highlight tokens = 1 2 4\n{rest}\n\n"


def test_tables_have_a_row_for_each_match(folder: Path) -> None:
    header, row = [line.split("\t") for line in run(INVERTED, "treebank", "-f", "tsv").stdout.splitlines()[1:]]
    record = dict(zip(header, row, strict=True))
    assert record["sent_id"] == "that"
    assert [record[f"O.{name}"] for name in ("id", "form", "upos", "deprel", "head")] == [
        "2",
        "that",
        "PRON",
        "obj",
        "5",
    ]
    (line,) = run(INVERTED, "treebank", "-f", "jsonl").stdout.splitlines()
    assert json.loads(line)["V.form"] == "wrote"


def test_the_page_draws_matches_and_runs_no_text(folder: Path) -> None:
    (folder / "odd.conllu").write_text(treebank().replace("give\tgive", "<b>&give\tgive"))
    page = run("pattern { V [lemma=give]; V -[obj]-> O }", "odd.conllu", "-f", "html").stdout
    assert page.count("<figure") == 3
    assert "<b>&give" not in page
    assert "&lt;b&gt;&amp;give" in page
    assert "pattern { V [lemma=give]; V -[obj]-&gt; O }" in page
    assert page.count('font-weight="bold"') >= 6


def test_matches_are_counted_alone_by_keys_and_by_file(folder: Path) -> None:
    assert run("pattern { X [upos=VERB] }", "treebank", "--count").stdout == "7\n"
    rows = run("pattern { X [upos=VERB] }", "treebank", "--by", "file", "--cluster", "X.VerbForm", "-f", "csv").stdout
    assert rows.splitlines() == [
        "file,X.VerbForm,matches,share",
        f"treebank/a.conllu,Fin,2,{2 / 7}",
        f"treebank/a.conllu,Part,2,{2 / 7}",
        f"treebank/b.conllu,Fin,2,{2 / 7}",
        f"treebank/b.conllu,Part,1,{1 / 7}",
    ]
    by_length = run("pattern { e: V -[obj]-> O }", "treebank", "--cluster", "e.length", "-f", "csv").stdout
    assert [line.split(",")[:2] for line in by_length.splitlines()[1:]] == [["3", "2"], ["1", "1"], ["4", "1"]]
    missing = run("pattern { V -[obj]-> O }", "treebank", "--cluster", "O.Number", "-f", "csv").stdout.splitlines()
    assert [line.rsplit(",", 1)[0] for line in missing[1:]] == ["Sing,2", ",1", "Plur,1"]


def test_a_sample_is_the_same_for_the_same_seed(folder: Path) -> None:
    every = run("pattern { X [upos] }", "treebank", "-f", "tsv").stdout.splitlines()[2:]
    one, same, other = (
        run("pattern { X [upos] }", "treebank", "--sample", 9, "--seed", seed, "-f", "tsv").stdout.splitlines()[2:]
        for seed in (1, 1, 2)
    )
    assert len(one) == 9
    assert one == same != other
    places = [line.split("\t", 1)[1] for line in every]
    assert [places.index(line.split("\t", 1)[1]) for line in one] == sorted(
        places.index(line.split("\t", 1)[1]) for line in one
    )


def test_with_a_model_improbable_matches_come_first(folder: Path) -> None:
    result = run("pattern { V -[obj]-> O }", "treebank", "--model", "en", "-f", "tsv")
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    at = header.index("probability")
    values = [float(row[at]) for row in rows]
    assert len(values) == 4
    assert values == sorted(values)
    assert len(set(values)) > 1


def test_set_shows_and_writes_corrections_that_apply_makes(folder: Path) -> None:
    shown = run(TWO_OBJECTS, "treebank", "--set", "A.deprel=iobj", "--set", "A.Case=Dat", "--set", "B.head=A").stdout
    assert "word 2 'them': deprel obj → iobj; feats Number=Plur → Case=Dat|Number=Plur" in shown
    assert "word 4 'book': head 1 → 2" in shown
    run("corrections.json", "treebank", "-o", "fixed", command="apply")
    before, after = ((folder / name / "a.conllu").read_text().splitlines() for name in ("treebank", "fixed"))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [
        (
            "2\tthem\tthey\tPRON\t_\tNumber=Plur\t1\tobj\t_\t_",
            "2\tthem\tthey\tPRON\t_\tCase=Dat|Number=Plur\t1\tiobj\t_\t_",
        ),
        ("4\tbook\tbook\tNOUN\t_\tNumber=Sing\t1\tobj\t_\t_", "4\tbook\tbook\tNOUN\t_\tNumber=Sing\t2\tobj\t_\t_"),
    ]
    table = run(TWO_OBJECTS, "treebank", "--set", "A.Number=", "--corrections", "c.json", "-f", "tsv").stdout
    assert table.splitlines()[-1].endswith("\tfeats\tNumber=Plur\t_")
    unchanged = run(TWO_OBJECTS, "treebank", "--set", "A.deprel=obj", "--set", "B.head=V")
    assert json.loads((folder / "corrections.json").read_text())["corrections"] == []
    assert unchanged.stdout == "0 corrections\n"


def test_two_matches_that_want_different_values_of_a_word_are_told(folder: Path) -> None:
    request = "pattern { X [upos=PROPN]; Y [upos=VERB]; Z [form=she|Ada]; Z <> X }"
    with pytest.raises(TreegaugeError, match="expected two nodes with <"):
        run(request, "treebank")
    result = run("pattern { V [form=give]; V -[obj]-> A; V -[obj]-> B }", "treebank", "--set", "V.head=A")
    assert "left out: sentence imperative: word 1 'give': another match would make head" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--set", "X.deprel=a"), "node 'X'; expected one of V, O"),
        (("--set", "O.head=X"), "head 'X'; expected 0 or one of V, O"),
        (("--set", "O.form=a"), "forms stay"),
        (("--set", "deprel=a"), "expected NODE.COLUMN=VALUE"),
        (("--set", "O.upos=A B"), "new_upos 'A B'"),
        (("--cluster", "X.upos"), "--cluster:1:1: 'X.upos'; expected a name"),
        (("--cluster", "O.upos, V.upos"), "expected the end of the key"),
    ],
)
def test_wrong_options_are_named(folder: Path, args: tuple[str, ...], message: str) -> None:
    with pytest.raises(TreegaugeError, match=re.escape(message)):
        run("pattern { V -[obj]-> O }", "treebank", *args)


def test_a_request_may_be_a_file_and_a_feature_that_nothing_has_is_told(folder: Path) -> None:
    (folder / "request.grew").write_text("% an odd feature\npattern { X [Numbr=Sing] }\n")
    result = run("request.grew", "treebank")
    assert result.stdout == "0 matches\n"
    assert "no word has the feature Numbr" in result.stderr
    (folder / "request.grew").write_text("pattern { X [Number=Sing }")
    with pytest.raises(TreegaugeError, match=re.escape("request.grew:1:26: '}'; expected , or ]")):
        run("request.grew", "treebank")


RULES = """
rule one-object "a verb has one object" at B { pattern { V -[obj]-> A; V -[obj]-> B; A << B } }
rule no-proper "proper is a bad word" { pattern { X [lemma=proper] } }
"""


def test_own_rules_are_findings_of_check(folder: Path) -> None:
    (folder / ".treegauge").mkdir()
    (folder / ".treegauge" / "rules.grew").write_text(RULES)

    def findings(*more: object) -> list[tuple[str, ...]]:
        lines = run("treebank", "--select", "TG8", "-f", "tsv", *more, command="check").stdout.splitlines()[1:]
        header, *rows = [line.split("\t") for line in lines]
        return [tuple(row[header.index(name)] for name in ("code", "sent_id", "id", "message")) for row in rows]

    both = [
        ("TG801", "imperative", "4", "one-object: a verb has one object"),
        ("TG801", "unlike", "11", "no-proper: proper is a bad word"),
    ]
    assert findings() == both
    (folder / "other.grew").write_text('rule x "y" { pattern { X [lemma=king] } }')
    assert [each[1:3] for each in findings("--rules", "other.grew")] == [("unlike", "10")]
    header = "sent_id\tid\thead\tdeprel\tverdict\tcode\tvalue\n"
    for value, left in (("one-object", both[1:]), ("no-proper", both), ("", both[1:])):
        (folder / ".treegauge" / "accepted.tsv").write_text(f"{header}imperative\t4\t1\tobj\taccept\tTG801\t{value}\n")
        assert findings() == left


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'the end; expected rule NAME "message"'),
        ("rule a { }", "expected the message of the rule"),
        ('rule a "b" { pattern { X [] } ', "expected pattern, with, without, global, or the } of the rule"),
        ('rule a "b" at Y { pattern { X [] } }', "expected a node of the request behind `at`: X"),
        ('rule a "b" { pattern { X [] } } rule a "b" { pattern { X [] } }', 'rules.grew:1:38: \'a "b"'),
        ('rule a "b" {\n global { is_tree } }', "a pattern with a node"),
    ],
)
def test_rules_that_cannot_be_read_are_named_with_their_place(folder: Path, text: str, message: str) -> None:
    (folder / "rules.grew").write_text(text)
    with pytest.raises(TreegaugeError, match=re.escape(message)):
        run("treebank", "--rules", "rules.grew", command="check")
