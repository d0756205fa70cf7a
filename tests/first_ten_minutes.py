"""A newcomer's first ten minutes, in a fresh virtual environment with nothing but the required packages.

    python tests/first_ten_minutes.py           make the environment, install the project, walk through
    python tests/first_ten_minutes.py --here    the same with the treegauge that is installed beside this Python

It stops at the first thing that is not as the README says. Only the standard library is used.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
FILES = {
    "parsed.conllu": ROOT / "src" / "treegauge" / "demo" / "demo.conllu",
    "treebank.conllu": ROOT / "src" / "treegauge" / "demo" / "demo.conllu",
    "gold.conllu": DATA / "difficulty_gold.conllu",
    "system.conllu": DATA / "difficulty_system.conllu",
    "trees.mrg": DATA / "toy_ambiguous.mrg",
    "broken.conllu": DATA / "one_defect_each.conllu",
    "broken.mrg": DATA / "bad_brackets.mrg",
}
# commands by the journeys of users, what each should print, and the file it should write
GOOD = [
    # the first look
    ("demo -o demo.html", "planted errors are among the first", "demo.html"),
    ("rank parsed.conllu --model en", "rank 1 of 142", ""),
    ("rank parsed.conllu --model en --explain", "times likelier", ""),
    ("rank parsed.conllu --model en --suggest", "- rather ", ""),
    ("rank parsed.conllu --model auto --top 1", "rank 1 of 142", ""),
    ("rank parsed.conllu --top 1", "rank 1 of 142", ""),
    ("rank parsed.conllu --model en -f tsv", "\n1\t10\tdemo-04\t", ""),
    ("rank parsed.conllu --model en -f json", '"rank": 1,', ""),
    ("rank parsed.conllu --model en -f conllu --suggest", "|RatherDeprel=", ""),
    ("rank treebank.conllu --self", "rank 1 of 142", ""),
    ("check treebank.conllu --below 0.2", "Findings: the most suspicious first", ""),
    ("check treebank.conllu --below 0.2 -f github", "::warning file=treebank.conllu", ""),
    ("rank gold.conllu --self", "rank 1 of ", ""),  # fewer sentences than folds
    ("rank broken.conllu --model en --on-error skip", "rank 1 of ", ""),
    ("report parsed.conllu --model en -o page.html", "", "page.html"),
    ("eval gold.conllu system.conllu", "LAS", ""),
    ("difficulty types gold.conllu system.conllu --model en", "nsubj", ""),
    ("judge gold.conllu system.conllu --model en --samples 0", "Suggestions for wrong arcs", ""),
    ("ecc trees.mrg", "ECC", ""),
    ("model list", "English", ""),
    ("model build parsed.conllu -o mine.tgm", "", "mine.tgm"),
    ("completion bash", "treegauge", ""),
    # parser developer
    ("eval gold.conllu system.conllu --by relation --confusion", "nsubj", ""),
    ("eval gold.conllu system.conllu system.conllu --versus", "LAS", ""),
    ("report system.conllu --gold gold.conllu -o gold.html", "", "gold.html"),
    # corpus builder
    ("estimate parsed.conllu", "CLAS", ""),
    ("eval --without-gold parsed.conllu", "CLAS", ""),
    ("rank parsed.conllu --unit sentence --accuracy 50 -f conllu -o trusted.conllu", "", "trusted.conllu"),
    ("rank parsed.conllu --unit sentence --top 3 -f conllu -o next.conllu", "", "next.conllu"),
    ("combine system.conllu gold.conllu system.conllu -o best.conllu", "", "best.conllu"),
    # maintainer
    ("check treebank.conllu --below 0.2 -f html -o check.html", "", "check.html"),
    ("accept treebank.conllu --all", "", ".treegauge/accepted.tsv"),
    ("diff gold.conllu system.conllu", "arc", ""),
    # linguist
    ("find pattern{V[upos=VERB];V-[obj]->O} treebank.conllu", "V = ", ""),
    ("find pattern{V[upos=VERB];V-[obj]->O} treebank.conllu --count", "", ""),
    ("difficulty bins gold.conllu system.conllu", "bin", ""),
    ("bits treebank.conllu", "bits", ""),
]
# wrong commands, and what the message should say; each ends with exit code 2 and one line
WRONG = [
    ("rank absent.conllu --model en", "absent.conllu"),
    ("rank empty.conllu --model en", "empty.conllu: no sentences"),
    ("rank nothing.conllu --model en --on-error skip", "nothing.conllu: no sentences"),
    ("rank nothing.conllu --model en", "--on-error skip"),
    ("model build empty.conllu -o none.tgm", "no sentences"),
    ("rank parsed.conllu --model englisch", "is it en (English)?"),
    ("rank parsed.conllu --model en --preset 2013", "--preset would change nothing here"),
    ("rank parsed.conllu --model en --mark 5", "--mark would change nothing here"),
    ("rank parsed.conllu --model en --format conllu --top 5", "--top would change nothing here"),
    ("rank broken.conllu --model en", "--on-error skip"),
    ("ecc broken.mrg", "--on-error skip"),
    ("judge gold.conllu parsed.conllu --model en", "parsed.conllu"),
    ("rank - --top 1", "expected --model"),
    ("evaluate gold.conllu system.conllu", "Did you mean: eval"),
    ("score parsed.conllu", "rank, which scores each arc"),
    ("compare gold.conllu system.conllu", "diff OLD NEW"),
    ("search x treebank.conllu", "Did you mean: find"),
    ("query x treebank.conllu", "Did you mean: find"),
    ("validate treebank.conllu", "check --validate"),
    ("fix treebank.conllu", "Did you mean: apply"),
    ("rank parsed.conllu --lang en", "Did you mean '--model'"),
    ("rank parsed.conllu --reference en", "Did you mean '--model'"),
    ("rank parsed.conllu --out x", "Did you mean '--output'"),
    ("eval gold.conllu system.conllu --threads 2", "Did you mean '--workers'"),
    ("rank parsed.conllu --accuracy 1", "1 may be 1 % or 100 %"),
    ("rank parsed.conllu --no-such-option", "No such option"),
]
FIGURE = ("difficulty types gold.conllu system.conllu --model en --figure x.svg", "pip install 'treegauge[figures]'")
OPTIONAL = ("polars", "pandas", "scipy", "matplotlib", "Cython", "spacy")


def treegauge(program: Path, folder: Path, arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command as a user would run it."""
    return subprocess.run(
        [str(program), *arguments.split()],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def check(good: bool, what: str, ran: subprocess.CompletedProcess[str]) -> None:
    """Stop unless it is good."""
    if not good:
        sys.exit(f"{what}: exit code {ran.returncode}\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")


def names(text: str) -> list[str]:
    """The commands that a help text lists."""
    return re.findall(r"^  ([a-z]+)  ", text, re.M)


def has_package(scripts: Path, name: str) -> bool:
    """Whether the Python of an environment has a package."""
    return subprocess.run([scripts / "python", "-c", f"import {name}"], capture_output=True).returncode == 0


def walk(program: Path, folder: Path, wrong: list[tuple[str, str]]) -> int:
    """All of it; how many commands were run."""
    for name, source in FILES.items():
        shutil.copy(source, folder / name)
    (folder / "empty.conllu").write_text("")
    (folder / "nothing.conllu").write_text("1\tword\n\n")
    first = treegauge(program, folder, "")
    check("treegauge demo" in first.stdout, "treegauge alone says what to try first", first)
    n = 0
    for arguments, expected, written in GOOD:
        ran = treegauge(program, folder, arguments)
        check(ran.returncode == 0 and expected in ran.stdout, f"treegauge {arguments}", ran)
        check(not written or (folder / written).stat().st_size > 0, f"treegauge {arguments} writes {written}", ran)
        check("Traceback" not in ran.stderr and "1 words" not in ran.stdout + ran.stderr, arguments, ran)
        n += 1
    for arguments, expected in wrong:
        ran = treegauge(program, folder, arguments)
        check(ran.returncode == 2 and expected in ran.stderr, f"treegauge {arguments} says {expected!r}", ran)
        check("Traceback" not in ran.stderr and not ran.stdout, f"treegauge {arguments}", ran)
        n += 1
    overview = treegauge(program, folder, "--help").stdout.partition("Every day:")[2].partition("How do I:")[0]
    rows = re.findall(r"  ([a-z]+(?:, [a-z]+)*)$", overview, re.M)  # the names of the other commands, by section
    commands = [*names(overview), *(name for row in rows for name in row.split(", "))]
    check(len(commands) > 20, "treegauge --help lists the commands", first)
    for command in commands:
        ran = treegauge(program, folder, f"{command} --help")
        check(ran.returncode == 0 and "Usage:" in ran.stdout, f"treegauge {command} --help", ran)
        below = names(ran.stdout.partition("Commands:")[2])
        commands += [f"{command} {name}" for name in below]
        n += 1
    json.loads(treegauge(program, folder, "eval gold.conllu system.conllu -f json").stdout)
    head = subprocess.run(
        f"set -o pipefail; '{program}' rank parsed.conllu --model en -f tsv | head -2",
        cwd=folder,
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
    )
    check(head.returncode == 0 and len(head.stdout.splitlines()) == 2, "| head ends quietly", head)
    return n


def main() -> None:
    """Make the environment unless it is here, and walk."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "work")
        folder.mkdir()
        if sys.argv[1:] == ["--here"]:
            scripts = Path(sys.executable).parent
        else:
            venv.create(Path(home, "venv"), with_pip=True)
            scripts = Path(home, "venv", "bin")
            subprocess.run([scripts / "pip", "install", "--quiet", str(ROOT)], check=True)
        has = {name: has_package(scripts, name) for name in OPTIONAL}
        if sys.argv[1:] != ["--here"] and any(has.values()):
            sys.exit(f"installed: {has}; expected nothing but the required packages")
        wrong = WRONG if has["matplotlib"] else [*WRONG, FIGURE]
        print(f"{walk(scripts / 'treegauge', folder, wrong)} commands, each as it should be")


if __name__ == "__main__":
    main()
