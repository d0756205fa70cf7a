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
        *("challenge.conllu", "challenge.conllu.manifest.json", "index.html", "types.tex", "judge.tex"),
        *("types.1-types.csv", "types.2-spearman.csv", "types.3-p_values.csv"),
        *("types.4-rank_intervals.csv", "types.5-rho_intervals.csv"),
        *(name for name in made if name.startswith("judge.") and name.endswith(".csv")),
    }
    assert "judge.1-errors.csv" in made
    assert (out / "types.1-types.csv").read_text().splitlines()[0].startswith("relation,n_gold,")
    assert r"\toprule" in (out / "types.tex").read_text()
    index = (out / "index.html").read_text()
    assert "<h1>a small study</h1>" in index
    assert "Relation types are ranked by labelled F-score" in index
    assert r"\toprule" not in index
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
    (tmp_path / "study.toml").write_text(STUDY.replace("step = 5", "step = 0"))
    result = run("study", tmp_path / "study.toml", "-o", tmp_path / "out", expect=2)
    assert "judge: Invalid value for '--step'" in result.stderr
    assert (tmp_path / "out" / "types.tsv").exists()
    (tmp_path / "study.toml").write_text(STUDY.replace('from-bins = "1-10"', 'from-bins = "1-11"'))
    result = run("study", tmp_path / "study.toml", "-o", tmp_path / "out", expect=2)
    assert "challenge: bins 1-11; expected a range within 1-10" in result.stderr


def test_a_study_of_languages_and_annotators_needs_no_parser(tmp_path: Path) -> None:
    gold, system = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
    file, out = tmp_path / "study.toml", tmp_path / "out"
    study = f"""
[languages.one]
gold = "{gold}"
annotations = ["{gold}", "{system}"]
[languages.two]
gold = "{system}"
annotations = ["{gold}", "{system}"]
model = "en"
[[analysis]]
command = "typology"
least = 2
samples = 5
figure = "svg"
[[analysis]]
command = "agreement"
samples = 5
figure = "svg"
"""
    file.write_text(study)
    run("study", file, "-o", out)
    index = (out / "index.html").read_text()
    assert "Languages are clustered by average linkage" in index
    assert "squared edit distance of whole dependency trees" in index
    made = {path.name for path in out.iterdir()}
    assert {"typology.tsv", "typology.tex", "typology.svg", "agreement-one.tsv", "agreement-two.svg"} <= made
    assert "whose arc the model finds" in (out / "agreement-two.tsv").read_text()
    assert "whose arc the model finds" not in (out / "agreement-one.tsv").read_text()
    for wrong, said in (
        (study.replace('command = "agreement"', 'command = "judge"'), "judge needs gold and system of one"),
        (study.replace('command = "agreement"', 'command = "difficulty bins"'), "needs a model or a reference of one"),
        (study.replace(f'annotations = ["{gold}", "{system}"]', f'annotations = ["{gold}"]'), "two or more files"),
        (study.replace(f'annotations = ["{gold}", "{system}"]', 'annotations = ["x", "y"]'), "no such file"),
        (study.replace(f'annotations = ["{gold}", "{system}"]', ""), "agreement needs annotations of one"),
    ):
        file.write_text(wrong)
        assert said in run("study", file, "-o", out, expect=2).stderr
