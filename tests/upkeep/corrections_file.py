"""Corrections written as the page exports them."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from treegauge.upkeep.corrections import Correction
from treegauge.version import __version__


def corrections_json(corrections: Iterable[Correction], title: str = "") -> str:
    """The file of some corrections, as `read_corrections` reads it."""
    content = {
        "title": title,
        "treegauge": __version__,
        "corrections": [_entry(correction) for correction in corrections],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _entry(correction: Correction) -> dict[str, object]:
    entry = asdict(correction)
    for name, (old, new) in entry.pop("others").items():
        entry |= {name: old, f"new_{name}": new}
    return entry
