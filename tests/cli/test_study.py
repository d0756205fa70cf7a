"""`treegauge study` as a user meets it."""

from pathlib import Path

from tests.cli.test_commands import run

DATA = Path(__file__).parents[1] / "data"
STUDY = f"""
title = "a small study"
[languages.toy]
gold = "{DATA / "difficulty_gold.conllu"}"
system = "{DATA / "difficulty_system.conllu"}"
reference = "{DATA / "difficulty_system.conllu"}"
[[analysis]]
command = "difficulty types"
name = "types"
figure = "svg"
[[analysis]]
command = "judge"
step = 5
samples = 10
figure-top = "pdf"
[[analysis]]
command = "challenge"
from-bins = "1-10"
n = 2
"""


def test_a_study_runs_once_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file, out = tmp_path / "study.toml", tmp_path / "out"
    file.write_text(STUDY)
    first = run("study", file, "-o", out)
    made = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert made == {
        *("models/toy.tgm", "types.tsv", "types.svg", "judge.tsv", "judge-top.pdf", "study.state.json"),
        *("challenge.conllu", "challenge.conllu.manifest.json", "index.html"),
    }
    index = (out / "index.html").read_text()
    assert "<h1>a small study</h1>" in index
    assert all(f'href="./{name}"' in index for name in made - {"index.html", "study.state.json"})
    assert f"open {out / 'index.html'}" in first.stderr
    assert "4 of 4: challenge" in first.stderr
    before = {name: (out / name).read_bytes() for name in made}
    second = run("study", file, "-o", out)
    assert second.stderr.count("done before") == 4
    (out / "judge.tsv").unlink()
    third = run("study", file, "-o", out)
    assert third.stderr.count("done before") == 3
    file.write_text(STUDY.replace("n = 2", "n = 3"))
    assert "4 of 4: challenge\n" in run("study", file, "-o", out).stderr
    file.write_text(STUDY)
    run("study", file, "-o", out, "--again")
    assert {name: (out / name).read_bytes() for name in made} == before


def test_the_commands_of_a_study_can_be_listed(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    listed = run("study", tmp_path / "study.toml", "-o", tmp_path / "out", "--list").stdout
    assert listed.count("\n") == 4
    assert listed.splitlines()[0].startswith("treegauge model build ")
    assert not (tmp_path / "out").exists()


def test_an_error_names_the_analysis(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("step = 5", "stepp = 5"))
    result = run("study", tmp_path / "study.toml", "-o", tmp_path / "out", expect=2)
    assert "judge: No such option" in result.stderr
    assert (tmp_path / "out" / "types.tsv").exists()
    (tmp_path / "study.toml").write_text(STUDY.replace('from-bins = "1-10"', 'from-bins = "1-11"'))
    result = run("study", tmp_path / "study.toml", "-o", tmp_path / "out", expect=2)
    assert "challenge: bins 1-11; expected a range within 1-10" in result.stderr
