"""The tables of a command's JSON."""

import json
from typing import Any


def named_tables(text: str) -> dict[str, dict[str, Any]]:
    """Each table by its name, the first one first; every one has a title, a signature and rows."""
    first = json.loads(text)
    found = [first, *first.pop("more", [])]
    assert all({"title", "signature", "rows"} <= set(table) for table in found)
    names = [table["name"] for table in found]
    assert len(set(names)) == len(names)
    return dict(zip(names, found, strict=True))
