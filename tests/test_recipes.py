"""The recipes of CONTRIBUTING.md: followed in a copy of the package, each does what it says in at most two files."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import treegauge

ROOT = Path(__file__).parents[1]
PACKAGE = Path(treegauge.__file__).parent
RECIPES = re.split(r"^### ", (ROOT / "CONTRIBUTING.md").read_text().partition("## Five recipes")[2], flags=re.M)[1:]
# what the command of each recipe prints when the recipe was followed
PRINTS = ("depth|v", "XLAS", "\tdeprel\tlength\t", "rank 1 of 4 ", "[The old bridge] Nom")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package in another folder; its models are linked."""
    package = tmp_path / "copy" / "treegauge"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("bundled", "__pycache__"))
    (package / "models" / "bundled").symlink_to(PACKAGE / "models" / "bundled")
    shutil.copy(PACKAGE / "demo" / "demo.conllu", tmp_path / "parsed.conllu")
    for name in ("gold", "system"):
        shutil.copy(ROOT / "tests" / "data" / f"eval_{name}.conllu", tmp_path / f"{name}.conllu")
    (tmp_path / "parsed.four").write_text(
        "Rain\tNOUN\t2\tnsubj\nfell\tVERB\t0\troot\n\nIt\tPRON\t2\texpl\nrains\tVERB\t0\troot\n"
    )
    return package


def follow(package: Path, block: str) -> str:
    """Make the change of a block; the file that it changes."""
    first, _, code = block.partition("\n")
    found = re.fullmatch(r"# (\S+): (?:(at the end|a new file)|behind `(.*)`)", first)
    assert found, first
    name, place, anchor = found.groups()
    path = package / name
    if place == "a new file":
        path.write_text(code)
    elif place == "at the end":
        path.write_text(path.read_text() + "\n\n" + code)
    else:
        text = path.read_text()
        assert text.count(anchor + "\n") == 1, anchor
        path.write_text(text.replace(anchor + "\n", anchor + "\n" + code))
    return name


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A command of the copy."""
    program = "import sys; sys.path.insert(0, 'copy'); from treegauge.__main__ import main; main()"
    arguments = [sys.executable, "-c", program, *command.split()[1:]]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("recipe", "printed"), list(zip(RECIPES, PRINTS, strict=True)), ids=lambda value: value.split("\n")[0]
)
def test_a_recipe_is_all_there_is_to_do(copy: Path, recipe: str, printed: str) -> None:
    (command,) = re.findall(r"^`(treegauge .*)`$", recipe, flags=re.M)
    before = run(copy.parents[1], command)
    assert printed not in before.stdout + before.stderr
    files = {follow(copy, block) for block in re.findall(r"^```\w+\n(.*?)^```", recipe, flags=re.M | re.S)}
    assert 1 <= len(files) <= 2
    result = run(copy.parents[1], command)
    assert result.returncode == 0, result.stderr
    assert printed in result.stdout + result.stderr
