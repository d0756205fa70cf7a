"""What the validator of Universal Dependencies (the package udtools) says of some files."""

from __future__ import annotations

import io
from collections.abc import Sequence

from treegauge.corpus.files import open_bytes
from treegauge.extras import needed

LEVEL = 3  # levels that hold for every language


def validated(paths: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """The errors of levels 1 to 3 by file and line, each as `test: message`."""
    validator = needed("udtools.validator", "validate", "validation")
    found: dict[tuple[str, int], list[str]] = {}
    for path in paths:
        judge = validator.Validator(lang="ud", level=LEVEL, output=io.StringIO(), max_store=1 << 30)
        with open_bytes(path) as stream:
            state = judge.validate_file_handle(io.TextIOWrapper(stream, encoding="utf-8", errors="replace"))
        for incident in state.error_tracker:
            if type(incident).__name__ == "Error":
                line = int(incident.lineno or 0)
                found.setdefault((path, line), []).append(f"{incident.testid}: {incident.message}")
    return found
