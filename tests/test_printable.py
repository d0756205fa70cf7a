"""What others wrote does nothing to the terminal of the person who reads it, and stays exact where programs read it."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from treegauge.cli.messages import terminal_style
from treegauge.corpus.conllu import read_conllu
from treegauge.reports.arc_text import draw_arc
from treegauge.reports.table_text import write_csv, write_tables
from treegauge.tables import Table
from treegauge.wording import printable

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
DEMO = (ROOT / "src/treegauge/demo/demo.conllu").read_text()
NAME = "a\x1b[31m\a\n::error::b\u202e.conllu"  # of a file
WORD = "w\x1b[2J\a\r\x9b\x7f\u202e"
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\r\nb\tc\a", "a␍␊b␉c␇"),
        ("\x7f\x9b\u202e\u2028", "␡\\x9b\\u202e\\u2028"),
        (os.fsdecode(b"b\xff.conllu"), "b\\xff.conllu"),
        ("naïve čaj 木 👩‍👧 می‌خواهم", "naïve čaj 木 👩‍👧 می‌خواهم"),  # joiners are part of words
    ],
)
def test_printable_text(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown


def hostile(text: str) -> str:
    """The same treebank with other forms, relations and names of sentences, in every sentence."""
    lines = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if line.startswith("# sent_id"):
            line += WORD
        elif columns[0] in ("1", "2"):
            columns[1] += WORD
            columns[3] += "\x1b[1m"
            columns[7] = f"{columns[7].split(':')[0]}:\x1b[5m\u202e" if columns[7] != "root" else "root"
            line = "\t".join(columns)
        lines.append(line)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("hostile")
    other = hostile(DEMO).replace("\tnsubj:\x1b", "\tobj:\x1b").replace("\tPRON", "\tDET")
    bad = hostile(DEMO) + f"# sent_id = {WORD}\n1\tBad{WORD}\tbad\tX\t_\t_\t9\t{WORD}\t_\t_\n\n"
    trees = "(S (N\x1b[31m dogs\x1b[2J\a\x9b) (V bark))\n(S (N cats) (V sleep))\n(S (N\x1b[31m cats) (V bark))\n"
    corrections = {"sent_id": f"x{WORD}", "id": 1, "form": WORD, "head": 0, "deprel": WORD, "upos": "X", "new_head": 2}
    texts = {
        "good": hostile(DEMO),
        "other": other,
        "bad": bad,
        "trees": trees,
        "corrections": json.dumps({"corrections": [corrections]}),
        "study": f'["{json.dumps(WORD)[1:-1]}"]\n',
        "text": f"A dog{WORD} barks.\n",
    }
    paths = {}
    for name, text in texts.items():
        (folder / name).mkdir()
        (folder / name / NAME).write_text(text, newline="")
        paths[name] = str(folder / name / NAME)
    (folder / "copy").mkdir()
    paths["out"] = str(folder / "copy" / NAME)
    paths["missing"] = str(folder / NAME)
    return paths


COMMANDS = """
rank {good} -m en --top 400 --explain
rank {good} -m en --top 400 --suggest
rank {good} --self --scorer lisca --explain
rank {good} -m en --unit tag --top 400 --explain
rank {good} -m en --unit sentence
rank {good} -m en --scorer lisca --explain
rank {good} -m en --with {other} --explain
rank {bad} -m en
rank {bad} -m en --on-error skip
rank {missing} -m en
rank {good} -m {missing}
rank {good} -m auto
rank {good} -m de --verdicts {good}
report {good} -m en -o {out}
combine {good} {other} -m en -o {out}
eval {good} {other}
eval {good} {other} {other}
eval {good} {other} --by relation
eval {good} {other} --confusion
eval {good} {other} --by upos -f markdown
eval {good} {other} --by upos -f latex
eval {good} {other} {good} --versus
eval {good} {other} --significance --samples 5
eval {good} {other} --min-las 99
eval {good} {bad} --on-error skip
eval {good} {missing}
judge {good} {other} -m en --samples 0
agreement {good} {other}
calibrate {good} {other} -m en -o {out}
check {good} --below 0.9
check {good} --below 0.9 -f github
check {good} --below 0.9 --fail-on 0
check {bad} --on-error skip
check {good} --new-since {other}
apply {corrections} {good} -o {out} --strict
apply {good} {good} -o {out}
stability {good}
diff {good} {other}
diff {good} {other} --self --fail-on 0
bits {good} {other}
difficulty types {good} {other} -m en
difficulty bins {good} {other} -m en
typology {good} {other} --least 1
challenge {good} -m en -o {out}
challenge {good} -m en --where {missing}
study {study} -o {out}
ecc {trees}
surprisal {trees}
parseval {trees} {trees}
flatten {missing}
chaos parse {good}
chaos eval {good}
chaos parse {good} --rules {missing}
model build {good} -o {out} --counts-only
model info {out}
model info {missing}
parse {text} --parser udpipe:{missing} -o {out}
fetch ud:en_ewt --from {missing}
{missing}
rank {good} --{missing}
eval {good} {other} -f {missing}
"""


@pytest.mark.parametrize("command", COMMANDS.strip().split("\n"))
def test_no_command_writes_control_characters_for_people(command: str, files: dict[str, str]) -> None:
    args = [word.format(**files) for word in shlex.split(command)]
    run = subprocess.run([sys.executable, "-m", "treegauge", *args], capture_output=True, encoding="utf-8")
    assert "Traceback" not in run.stderr
    assert run.stdout + run.stderr
    for written in (run.stdout, run.stderr):
        assert not HARMFUL.search(written), HARMFUL.search(written)
        assert not re.search("^::error", written, flags=re.MULTILINE)


def test_programs_get_every_byte(files: dict[str, str]) -> None:
    def output(*args: str) -> str:
        command = [sys.executable, "-m", "treegauge", *args]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode()

    ranked = ("rank", files["good"], "-m", "en")
    assert f"{WORD}\t" in output(*ranked, "-f", "tsv")
    assert any(row["form"].endswith(WORD) for row in json.loads(output(*ranked, "-f", "json"))["rows"])
    assert output(*ranked, "-f", "conllu", "--misc", ",,") == Path(files["good"]).read_bytes().decode()


def test_colours_are_ours_alone(files: dict[str, str]) -> None:
    corpus = read_conllu(files["good"])
    for row in range(corpus.n_words):
        for line in draw_arc(corpus, row, 100, terminal_style):
            assert not HARMFUL.search(re.sub("\x1b\\[[0-9;]*m", "", line))
            assert "\x1b[5m" not in line


TABLE = Table("t", (("word", "text"), ("n", "number")), (("a\rb", -1.5), ("=1+1", 2.0), ("@x", None), ("-", 0.0)), "s")


def test_csv_quotes_a_carriage_return() -> None:
    assert write_csv(TABLE) == 'word,n\n"a\rb",-1.5\n=1+1,2.0\n@x,\n-,0.0\n'
    assert write_tables([TABLE], "tsv").split("\n")[2] == "a\rb\t-1.5"


def test_text_is_no_formula_for_a_spreadsheet_if_so_wished() -> None:
    assert write_csv(TABLE, for_spreadsheets=True) == "word,n\n\"a\rb\",-1.5\n'=1+1,2.0\n'@x,\n'-,0.0\n"
