"""`treegauge chaos` as a user meets it."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.trees import sentence_text
from treegauge.cli import cli
from treegauge.constituency.chaos.rule_file import FOLDER, SUFFIX
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.tree_svg import text_width
from treegauge.reports.chunk_svg import WIDEST


def run(*args: object, expect: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["chaos", *map(str, args)])
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def appendix(data: Path) -> Path:
    return data / "chaos" / "appendix.conllu"


def test_help_names_the_bundled_rules() -> None:
    help_text = " ".join(run("parse", "--help-all").output.split())
    assert all(name.removesuffix(SUFFIX) in help_text for name in os.listdir(FOLDER))


def test_prolog_under_the_rules_of_1998_is_the_appendix(appendix: Path) -> None:
    output = run("parse", appendix, "--rules", "it-1998", "--format", "prolog").output.split("\n\n")[0]
    assert output.count("link(") == 8 + 4 + 8
    assert output.count("plaus('0.500')") == 8
    assert "  clause(head(1),boundaries(1,6),[" in output


def test_text_is_a_tree_of_lines(appendix: Path) -> None:
    lines = run("parse", appendix, "--width", 40).output.split("\n")
    assert lines[:2] == ["# appendix", "MainClause → [intende] VerFin/12"]
    assert max(map(len, lines)) == 40
    assert sum("[" in line for line in run("parse", appendix).output.split("\n")) == 4 * 28


def test_json_has_every_layer(appendix: Path) -> None:
    records = [
        json.loads(line) for line in run("parse", appendix, "-f", "json", "--rules", "it-1998").output.splitlines()
    ]
    assert [record["sent_id"] for record in records] == ["appendix", "paraphrase-1", "paraphrase-2", "paraphrase-3"]
    first = records[0]
    assert [len(first[key]) for key in ("chunks", "verbal", "certain", "ambiguous")] == [28, 8, 4, 8]
    assert first["chunks"][3] == {"id": 4, "type": "Nom", "text": "un certo budget", "words": [6, 8], "head": 8}
    assert first["clauses"]["clauses"][1]["boundaries"] == [1, 6]


def test_conllu_keeps_all_but_heads_and_can_be_read(appendix: Path, tmp_path: Path) -> None:
    output = tmp_path / "parsed.conllu"
    run("parse", appendix, "-f", "conllu", "-o", output)
    before, after = (path.read_text().split("\n") for path in (appendix, output))
    assert [line.split("\t")[:6] for line in before] == [line.split("\t")[:6] for line in after]
    corpus = read_conllu(output, trees=False)
    words = [line.split("\t") for line in after if "\t" in line]
    assert (corpus.head[:41] == 0).sum() == 1
    assert [columns[6] for columns in words if columns[3] == "PUNCT"] == ["_"] * 16
    assert words[12][9] == "Chunk=7:Prep|Clause=2|Plaus=0.500"


def test_svg_is_a_picture_of_every_chunk_and_link(appendix: Path) -> None:
    root = ElementTree.fromstring(run("parse", appendix, "-f", "svg", "--rules", "it-1998").output)
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{name}rect")) == 1 + 4 * 28
    links = [group.find(f"{name}path") for group in root.iter(f"{name}g") if group.get("data-kinds")]
    assert len(links) == 4 * 20
    assert sum(link is not None and link.get("stroke-dasharray") is not None for link in links) == 4 * 8
    edges = [float(box.attrib["x"]) + float(box.attrib["width"]) for box in root.iter(f"{name}rect") if box.get("x")]
    assert max(edges) <= WIDEST  # the long sentence goes on in further lines
    tops = {box.get("y") for box in next(root.iter(f"{name}g")).findall(f"{name}rect")}
    assert len(tops) > 1
    from_elsewhere = [text.text for text in root.iter(f"{name}text") if re.search(r" of \d+$", text.text or "")]
    assert from_elsewhere


def test_a_page_of_chunks_has_filters_and_what_gold_says(data: Path) -> None:
    gold = data / "eval_gold.conllu"
    page = run("parse", gold, "--rules", "en", "--gold", "-f", "html").stdout
    assert "<legend>Stratum</legend>" in page
    assert '<input type="checkbox" checked value="missed">' in page
    kinds = re.findall(r'data-kinds="([^"]+)"', page)
    right = sum(each.endswith(" right") for each in kinds)
    rows = json.loads(run("eval", gold, "--rules", "en", "--by", "links", "-f", "json").stdout)["more"][0]["rows"]
    between = next(row for row in rows if row["edges"] == "between chunks" and row["kind"] == "all")
    assert right == between["right"]  # the drawing and the scores agree
    assert right + sum(each.endswith(" wrong") for each in kinds) >= between["found"]
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_drawing_beside_gold_tells_right_wrong_and_missed_links(tmp_path: Path) -> None:
    words, tags = ["Dogs", "see", "cats", "today", "."], ["NOUN", "VERB", "NOUN", "ADV", "PUNCT"]
    relations = ["nsubj", "root", "obj", "advmod", "punct"]
    text = sentence_text([2, 0, 2, 2, 2], tags, relations, words)
    text += sentence_text([2, 0, 2, 3, 2], tags, relations, words)
    (tmp_path / "x.conllu").write_text(text.replace("VERB\tV\t_", "VERB\tV\tMood=Ind|VerbForm=Fin"))
    root = ElementTree.fromstring(run("parse", tmp_path / "x.conllu", "--rules", "en", "--gold", "-f", "svg").stdout)
    name = "{http://www.w3.org/2000/svg}"
    one, other = (
        [str(group.get("data-kinds")).split() for group in drawing.findall(f"{name}g")]
        for drawing in root.findall(f"{name}g")
    )
    assert {kinds[2] for kinds in one} == {"right"}
    assert len(one) == 4
    assert [kinds for kinds in other if kinds[2] != "right"] == [
        ["Certain", "G_Ver_Avv", "wrong"],
        ["missed", "advmod", "missed"],
    ]


def test_nothing_in_the_picture_lies_on_something_else(tmp_path: Path) -> None:
    """The id stands above every label, and every text is inside its box, whatever its letters."""
    words = ["WWWWMMMMWWWWMMMM", "MAY", "SEE", "中文中文中文中文", "o\u0323\u0302" * 9]
    text = sentence_text([2, 0, 2, 2, 2], ["PROPN", "AUX", "VERB", "NOUN", "NOUN"], ["dep"] * 5, words, "WIDE-" * 40)
    (tmp_path / "x.conllu").write_text(text * 2)
    root = ElementTree.fromstring(run("parse", tmp_path / "x.conllu", "-f", "svg").output)
    name = "{http://www.w3.org/2000/svg}"
    assert float(root.attrib["width"]) > text_width("WIDE-" * 40, 11)
    for group in root.findall(f"{name}g"):
        title, *texts = group.iter(f"{name}text")
        assert title.text == "WIDE-" * 40
        below = [float(each.attrib["y"]) - float(each.get("font-size", 11)) for each in texts]
        assert min(below) > float(title.attrib["y"])
        boxes = [(float(box.attrib["x"]), float(box.attrib["width"])) for box in group.findall(f"{name}rect")]
        assert boxes
        assert all(left[0] + left[1] < right[0] for left, right in pairwise(boxes) if left[0] < right[0])
        for each in texts:
            middle, width = float(each.attrib["x"]), text_width(each.text or "", int(each.get("font-size", 11)))
            if each.get("font-size") is None:
                assert any(x <= middle - width / 2 and middle + width / 2 <= x + size for x, size in boxes)
            else:
                assert middle - width / 2 >= 0


def test_eval_prints_the_strata_and_where_the_rest_is(data: Path) -> None:
    gold = data / "eval_gold.conllu"
    output = run("eval", gold, gold, "--rules", "en", "--by", "links", "--by", "relations").output
    assert output.count("Final") == 4
    assert "chaos:en|lexicon:none|governors:2|planar:no|best:no|punct:no|labels:no|v" in output
    content = json.loads(run("eval", gold, "--rules", "en", "--by", "relations", "-f", "json", "--best").output)
    rows = content["rows"]
    assert (content["name"], [more["name"] for more in content["more"]]) == ("strata", ["relations"])
    relations = content["more"][0]["rows"]
    assert [row["stratum"] for row in rows] == ["Chunk", "Verbal", "Certain", "Final"]
    missed = sum(row["missed"] for row in relations)
    assert missed == sum(row["edges"] for row in relations) - rows[3]["right"]


def test_systems_stand_side_by_side(data: Path) -> None:
    gold, system = data / "eval_gold.conllu", data / "eval_system.conllu"
    rows = json.loads(run("eval", gold, "--system", gold, system, "--rules", "en", "-f", "json").output)["rows"]
    assert [row["stratum"] for row in rows] == ["Chunk", "Verbal", "Certain", "Final", "all"]
    assert rows[-1]["eval_gold recall"] == rows[-1]["eval_gold precision"] == 1
    assert 0 < rows[-1]["eval_system recall"] < 1
    by = run("eval", gold, "--system", system, "--rules", "en", "--by", "relations").output
    assert "Recall by relation" in by


def test_a_parse_written_and_scored_as_a_system_is_what_best_scores(data: Path, tmp_path: Path) -> None:
    gold, output = data / "eval_gold.conllu", tmp_path / "parsed.conllu"
    run("parse", gold, "--rules", "en", "-f", "conllu", "-o", output)
    one = json.loads(run("eval", gold, "--system", output, "--rules", "en", "-f", "json").output)["rows"][-1]
    two = json.loads(run("eval", gold, "--best", "--rules", "en", "-f", "json").output)["rows"][3]
    assert (one["parsed recall"], one["parsed precision"]) == (two["recall"], two["precision"])


def test_what_is_missing_is_one_line_on_stderr(appendix: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    rows = [line.split("\t") for line in appendix.read_text().split("\n")]
    bare.write_text("\n".join("\t".join("_" if k == 5 else v for k, v in enumerate(row)) for row in rows))
    lines = run("parse", bare, "-f", "json").stderr.splitlines()
    assert len(lines) == 1
    assert "features that the input never has: " in lines[0]
    assert "VerbForm=Inf (by ending)" in lines[0]
    assert run("parse", appendix, "-f", "json").stderr == ""


def test_raw_text_is_tagged_and_parsed_in_one_go(tiny_udpipe: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The dog barks .\n\nThe cat sleeps .\n")
    rows = [
        json.loads(line)
        for line in run(
            "parse", "--raw", text, "--parser", f"udpipe:{tiny_udpipe}", "--rules", "en", "-f", "json"
        ).stdout.splitlines()
    ]
    assert len(rows) >= 2
    assert all(sum(link["kind"] == "MainClause" for link in row["verbal"]) == 1 for row in rows)
    written = run("parse", "--raw", text, "--parser", f"udpipe:{tiny_udpipe}", "--rules", "en", "-f", "conllu").stdout
    assert "# sent_id = text-1-1" in written


def test_raw_italian_needs_nothing_else(tmp_path: Path) -> None:
    text = tmp_path / "testo.txt"
    text.write_text("Nelle nostre case c'è acqua. Voglio dirci della nonna.\n\nIl treno parte.\n")
    drawn = run("parse", "--raw", text).stdout
    assert "# testo-1-1\n" in drawn
    assert "[Nelle nostre case] Prep" in drawn
    assert "dirci" in drawn
    assert "[della nonna] Prep" in drawn
    written = run("parse", "--raw", text, "-f", "conllu").stdout
    assert written.count("# sent_id = testo-") == 3
    assert "\n1-2\tNelle\t" in written
    assert "\n2\tdir\tdire\tVERB\t" in written


def test_a_lexicon_is_learned_from_trusted_arcs_alone(data: Path, tmp_path: Path) -> None:
    gold, every, some = data / "eval_gold.conllu", tmp_path / "all.txt", tmp_path / "some.txt"
    run("lexicon", "build", gold, "-o", every)
    run("lexicon", "build", gold, "--trusted", "0.5", "--model", "it", "-o", some)

    def verbs(path: Path) -> int:
        return sum(not line.startswith("#") for line in path.read_text().splitlines())

    assert verbs(some) < verbs(every)


def test_a_lexicon_is_built_joined_and_used(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    result = run("lexicon", "build", data / "eval_gold.conllu", "--add", "it-1998", "-o", path)
    text = path.read_text()
    assert "verbs" in result.output
    assert "permettere 1: Sogg 1, a 1, di+inf 1" in text
    assert f"lexicon:{path}" in run("eval", data / "eval_gold.conllu", "--rules", "en", "--lexicon", path).output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["parse", "missing.conllu"], "missing.conllu: no such file"),
        (["parse", "FILE", "--rules", "xx"], "there are en, es, fr, it, it-1998, pt"),
        (["parse", "FILE", "--lexicon", "xx"], "no bundled lexicon"),
        (["eval", "FILE"], "head '_'; expected a number"),
        (["eval", "FILE", "--system", "FILE", "--planar"], "--planar"),
        (["eval", "FILE", "--system", "FILE", "--by", "clauses"], "--by clauses with --system"),
        (
            ["parse", "--raw", "FILE", "--rules", "es"],
            "--raw --rules es without --parser, and Italian alone comes along",
        ),
        (["parse", "FILE", "--parser", "udpipe:x.udpipe"], "--raw"),
        (["parse", "--raw", "FILE", "--parser", "udpipe:x.udpipe"], "x.udpipe"),
        (["lexicon", "build", "FILE", "--trusted", "0.5"], "no --model, and the words look like no language"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(appendix: Path, args: list[str], message: str) -> None:
    given = [str(appendix) if arg == "FILE" else arg for arg in args]
    result = subprocess.run([sys.executable, "-m", "treegauge", "chaos", *given], capture_output=True, text=True)
    assert result.returncode == 2
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_an_empty_corpus_is_no_success(tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    for args in (("parse", "-f", "text"), ("parse", "-f", "conllu"), ("parse", "-f", "svg"), ("eval",)):
        result = CliRunner().invoke(cli, ["chaos", args[0], str(empty), *args[1:]])
        assert "empty.conllu: no sentences" in str(result.exception)
        assert result.stdout == ""


def test_text_is_shown_as_it_is_written(tmp_path: Path) -> None:
    words = [
        "1-2\tnelle\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tin\tin\tADP\t_\t_\t_\t_\t_\t_",
        "2\tle\til\tDET\t_\t_\t_\t_\t_\t_",
    ]
    words += ["3\tcase\tcasa\tNOUN\t_\t_\t_\t_\t_\t_", "4-5\tdirci\t_\t_\t_\t_\t_\t_\t_\t_"]
    words += ["4\tdir\tdire\tVERB\t_\tVerbForm=Inf\t_\t_\t_\t_", "5\tci\tci\tPRON\t_\tClitic=Yes\t_\t_\t_\t_"]
    (tmp_path / "it.conllu").write_text("\n".join(words) + "\n\n")
    shown = run("parse", tmp_path / "it.conllu").stdout
    assert "[nelle case]" in shown
    assert "[dirci]" in shown
