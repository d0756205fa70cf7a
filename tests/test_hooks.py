"""The hook for pre-commit and the workflow for GitHub do what they should in a repository of a treebank."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.upkeep.made_up import WRONG, treebank

ROOT = Path(__file__).parents[1]
RIGHT = treebank().replace(
    f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t3", f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t2"
)


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b@c", *args], cwd=folder, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two files of a treebank, committed."""
    half = RIGHT.index("# sent_id = s101\n")
    (tmp_path / "xx-ud-train.conllu").write_text(RIGHT[:half])
    (tmp_path / "xx-ud-test.conllu").write_text(RIGHT[half:])
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    assert command[0] == "treegauge"
    program = [sys.executable, "-m", "treegauge", *command[1:]]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment})


def spoil(repository: Path) -> None:
    path = repository / "xx-ud-train.conllu"
    path.write_text(treebank()[: treebank().index("# sent_id = s101\n")])


def test_the_hook_stops_a_commit_that_brings_an_error(repository: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "xx-ud-train.conllu")
    command = [*shlex.split(hook["entry"]), *hook["args"]]  # no file names are passed
    assert hook["pass_filenames"] is False
    assert run(command, repository).returncode == 0
    spoil(repository)
    stopped = run(command, repository)
    assert stopped.returncode == 1, stopped.stderr
    assert f"({WRONG}), word 1" in stopped.stdout
    assert "1 finding: arc 1" in stopped.stderr
    accept = next(line for line in stopped.stderr.splitlines() if "treegauge accept" in line).partition(": ")[2]
    assert accept == f"treegauge accept . --finding TG101:{WRONG}:1"
    assert run(shlex.split(accept), repository).returncode == 0
    assert run(command, repository).returncode == 0
    assert (repository / ".treegauge" / "accepted.tsv").is_file()


def test_the_example_of_a_configuration_runs_the_same_check() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (repo,) = yaml.safe_load((ROOT / "examples" / "pre-commit-config.yaml").read_text())["repos"]
    (example,) = repo["hooks"]
    assert shlex.split(example["entry"]) == [*shlex.split(hook["entry"]), *hook["args"]]
    assert {name: example[name] for name in ("id", "name", "files", "pass_filenames")} == {
        name: hook[name] for name in ("id", "name", "files", "pass_filenames")
    }


def test_the_workflow_shows_the_errors_of_a_pull_request(repository: Path) -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "treebank-check.yml").read_text())
    line = next(
        step["run"] for step in workflow["jobs"]["check"]["steps"] if step.get("run", "").startswith("treegauge")
    )
    git(repository, "update-ref", "refs/remotes/origin/dev", "HEAD")
    spoil(repository)
    git(repository, "commit", "-q", "-a", "-m", "two")
    command = shlex.split(line.replace("$GITHUB_BASE_REF", "dev"))
    shown = run(command, repository)
    assert shown.returncode == 1, shown.stderr
    (annotation,) = shown.stdout.splitlines()
    assert annotation.startswith("::warning file=xx-ud-train.conllu,line=")


def test_a_maintainer_goes_from_a_finding_to_a_commit(repository: Path) -> None:
    """Spoil, be stopped, correct, commit; accept what is right; correct a whole pattern; and look at the difference."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    command = [*shlex.split(hook["entry"]), *hook["args"]]
    spoil(repository)
    stopped = run([*command, "-f", "json"], repository)
    (found,) = json.loads(stopped.stdout)["rows"]
    correction = {name: found[name] for name in ("sent_id", "sentence", "id", "form", "head", "deprel", "upos")}
    correction |= {"new_head": 2, "new_deprel": "vocative"}  # not what is suggested: it would be found again
    (repository / "c.json").write_text(json.dumps({"corrections": [correction]}))
    files = ["xx-ud-test.conllu", "xx-ud-train.conllu"]
    assert run(["treegauge", "apply", "c.json", *files, "-o", "."], repository).returncode == 0
    assert run(command, repository).returncode == 0, "what was just decided is not blocked"
    git(repository, "add", "-u")
    git(repository, "commit", "-q", "-m", "two")
    findings = json.loads(run(["treegauge", "check", ".", "-f", "json", "--below", "0.3"], repository).stdout)
    places = [f"{row['code']}:{row['sent_id']}:{row['id']}" for row in findings["rows"][:2]]
    for place in places:
        assert run(["treegauge", "accept", ".", "--finding", place], repository).returncode == 0
    after = json.loads(run(["treegauge", "check", ".", "-f", "json", "--below", "0.3"], repository).stdout)
    assert not set(places) & {f"{row['code']}:{row['sent_id']}:{row['id']}" for row in after["rows"]}
    changed = run(["treegauge", "diff", "HEAD~1:./", ".", "-f", "json"], repository)
    assert changed.returncode == 0, changed.stderr
    wrong = run(["treegauge", "diff", "HEAD", "."], repository)
    assert wrong.returncode == 2
    assert "HEAD: no such file, but a revision of this git repository; expected HEAD:./ or a file" in wrong.stderr
