"""What is published says the same everywhere: one version, one list of what there is."""

import tomllib
from importlib.metadata import entry_points, version
from pathlib import Path

import yaml

import treegauge

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_is_written_in_one_place() -> None:
    assert version("treegauge") == treegauge.__version__
    assert PROJECT["project"]["dynamic"] == ["version"]
    for name in ("CITATION.cff", "mkdocs.yml", "setup.py"):
        assert treegauge.__version__ not in (ROOT / name).read_text(), name


def test_spacy_finds_the_component() -> None:
    (found,) = entry_points(group="spacy_factories", name="treegauge")
    assert found.value == "treegauge.parsing.spacy_component:create"


def test_the_citation_has_what_the_format_wants() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(found)
    assert len(found["references"]) == 5
    assert found["license"] == PROJECT["project"]["license"]


def test_wheels_are_made_for_the_three_systems_and_run_the_demo() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())
    systems = {name.partition("-")[0] for name in workflow["jobs"]["wheels"]["strategy"]["matrix"]["os"]}
    assert systems == {"ubuntu", "macos", "windows"}
    assert PROJECT["tool"]["cibuildwheel"]["test-command"].startswith("treegauge demo")
    assert PROJECT["tool"]["cibuildwheel"]["build"].startswith("cp311")  # the oldest that is supported: abi3
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_workflow_of_ci_does_what_is_done_here() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["jobs"]["ci"]["steps"][-1]["run"] == ".ci/run"
