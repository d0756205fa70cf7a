"""The pages have no serious finding of axe-core (of axe-playwright-python 0.1.4), light and dark, wide and narrow."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from treegauge.cli import cli

ROOT = Path(__file__).parents[2]
DEMO, DATA = ROOT / "src" / "treegauge" / "demo" / "demo.conllu", ROOT / "tests" / "data"
PAGES = {
    "ranking": f"report {DEMO} -m en",
    "beside gold": f"report {DATA / 'difficulty_system.conllu'} -m en --gold {DATA / 'difficulty_gold.conllu'}",
    "check": f"check {DEMO} -f html --below 0.5",
    "diff": f"diff {DATA / 'difficulty_gold.conllu'} {DATA / 'difficulty_system.conllu'} -f html",
}

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_finding(name: str, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    chromium = shutil.which("chromium") or pytest.skip("no Chromium is installed")
    page_file = tmp_path / "page.html"
    result = CliRunner().invoke(cli, [*PAGES[name].split(), "-o", str(page_file)])
    assert result.exit_code == 0, result.output
    with playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for width in (1200, 390):
                page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
                page.goto(page_file.as_uri())
                found = axe.run(page).response["violations"]
                serious = [
                    f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found if v["impact"] in ("serious", "critical")
                ]
                assert serious == [], (scheme, width)
        browser.close()
