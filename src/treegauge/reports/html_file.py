"""Writes HTML files that load nothing else, run no script but their own, and share one head and one style."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from treegauge.palette import css
from treegauge.version import __version__

# part of a signature -> its name in a list; other parts keep their names
_NAMES = {
    "ref": "Reference",
    "r": "Range of sentence lengths",
    "pos": "Part-of-speech column",
    "subtypes": "Subtypes of relations",
    "tags": "Given tags",
    "sees": "Groups of features",
    "folds": "Folds",
    "on": "Calibrated on",
    "with": "Calibrated with",
}


def settings_list(signature: str) -> list[tuple[str, str]]:
    """The parts of a signature such as `lisca:2020|ref:en@24b27116|r:2|v0.1.0`, each as a name and a value.

    >>> settings_list("lisca:2020|ref:en@24b27116|r:2|v0.1.0")
    [('Method', 'lisca 2020'), ('Reference', 'en, checksum 24b27116'), ('Range of sentence lengths', '± 2 words'), \
('treegauge', '0.1.0')]
    """
    first, *others = signature.split("|")
    settings = [("Method", first.replace(":", " "))]
    for part in others:
        name, colon, value = part.partition(":")
        if not colon:
            version = part.startswith("v") and part[1:2].isdigit()
            settings.append(("treegauge", part[1:]) if version else ("With", part))
        else:
            settings.append((_NAMES.get(name) or name[:1].upper() + name[1:].replace("-", " "), _value(name, value)))
    return settings


def _value(name: str, value: str) -> str:
    if name == "ref":
        source, _, checksum = value.rpartition("@")
        source = {"self": "the corpus itself"}.get(source, source)
        return f"{source}, checksum {checksum}" if source else value
    if name == "r":
        return f"± {value} word{'' if value == '1' else 's'}"
    return value.replace(",", ", ")


FILES = Path(__file__).parent / "page_files"


def rendered(template: str, *styles: str, script: str = "", **values: Any) -> str:
    """A file from a template, whose first line includes `head.html`; the template decides which values are not escaped.

    styles: files of CSS, which come after the colours. script: the only script that a browser will run, by its hash.
    """
    import jinja2

    values["style"] = css() + "".join((FILES / name).read_text(encoding="utf-8") for name in styles)
    values["script_hash"] = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() if script else ""
    environment = jinja2.Environment(autoescape=True, loader=jinja2.FileSystemLoader(FILES))
    page = environment.get_template(template).render(version=__version__, script=script, **values)
    return page.encode("utf-8", "backslashreplace").decode()  # file names may have bytes that are not UTF-8
