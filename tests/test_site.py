"""The documentation site: it builds without a warning, has every page, and its links lead somewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

import treegauge
from treegauge.cli import COMMANDS

pytest.importorskip("mkdocs")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src") and tag in ("a", "img", "link", "script"):
                self.links.append(value)
            if value and name == "id":
                self.ids.add(value)


def test_every_link_leads_to_a_page_and_a_place(site: Path) -> None:
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 30
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                assert not link.startswith("http") or "/" in link
                continue
            target, _, place = unquote(link).partition("#")
            file = (path.parent / target).resolve() if target else path
            file = file / "index.html" if file.is_dir() else file
            assert file.exists(), f"{path.relative_to(site)}: {link}"
            if place and file in pages:
                assert place in pages[file].ids or place.startswith("__"), f"{path.relative_to(site)}: {link}"


def test_every_page_of_docs_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text()
    assert yaml.safe_load(text)["theme"]["name"] == "material"
    for path in (ROOT / "docs").glob("*.md"):
        assert f": {path.name}\n" in text, path.name


def test_the_reference_has_every_command_and_every_name(site: Path) -> None:
    commands = (site / "reference" / "commands" / "index.html").read_text()
    assert all(f"<code>treegauge {name}</code>" in commands for name in COMMANDS)
    names = (site / "reference" / "python" / "index.html").read_text()
    assert all(f"<code>tg.{name}</code>" in names for name in treegauge.__all__ if not name.startswith("_"))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert not re.search(r'<(script|link|img)[^>]*(src|href)="https?://(?!127)', path.read_text()), path.name
