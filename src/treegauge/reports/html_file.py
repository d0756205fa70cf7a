"""HTML files that load nothing else and run no script but their own: one head, one look."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from treegauge import __version__
from treegauge.reports.palette import css

FILES = Path(__file__).parent / "page_files"


def rendered(template: str, *styles: str, script: str = "", **values: Any) -> str:
    """A file from a template, whose first line includes `head.html`; values are escaped unless it says otherwise.

    styles: files of CSS, behind the colours. script: the only one that a browser will run, known by its hash.
    """
    import jinja2

    values["style"] = css() + "".join((FILES / name).read_text(encoding="utf-8") for name in styles)
    values["script_hash"] = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() if script else ""
    environment = jinja2.Environment(autoescape=True, loader=jinja2.FileSystemLoader(FILES))
    return environment.get_template(template).render(version=__version__, script=script, **values)
