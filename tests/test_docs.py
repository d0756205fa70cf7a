"""The examples in the README and the docs run, from the project's folder, and say what they say."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text()], ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("tests", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_links_between_pages_lead_somewhere() -> None:
    import re

    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.stem)
def test_lines_of_prose_are_not_long(page: Path) -> None:
    in_code = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        in_code ^= line.startswith("```")
        free = in_code or line.startswith(("|", ">>>", "<")) or " " not in line.strip()
        assert free or len(line) <= 120, f"{page.name}:{number}: {len(line)} characters"
