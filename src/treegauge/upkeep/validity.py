"""What the validator of Universal Dependencies (udtools) says of a treebank: each of its errors as a finding."""

from __future__ import annotations

import io
import os
import re
from typing import BinaryIO

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import open_bytes
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.upkeep.codes import INVALID
from treegauge.upkeep.contradictions import Contradiction

ANY_LANGUAGE = "ud"  # only the rules for every language
LEVELS = {True: 5, False: 3}  # the highest level with a language, and without: 4 and 5 are rules of a language
_INCIDENT = re.compile(r"L(\d) (\w+) ([\w-]+): (.*)", re.DOTALL)


def treebank_language(path: str) -> str:
    """The language in the name of a UD file such as `en_ewt-ud-dev.conllu`; ANY_LANGUAGE if there is none."""
    match = re.match(r"([a-z]{2,3})_\w+-ud-", os.path.basename(path))
    return match[1] if match else ANY_LANGUAGE


def invalid_words(corpus: Corpus, language: str) -> list[Contradiction]:
    """The words whose lines have errors, with all messages; errors about a sentence are at its first word.

    Levels 4 and 5 are asked for where the language is known. Raises OptionError if the validator does not know it.
    """
    messages: dict[int, list[str]] = {}
    for file, path in enumerate(corpus.files):
        sentences = np.flatnonzero(corpus.file == file)
        for line, message in _errors(path, language):
            s = int(sentences[max(int(np.searchsorted(corpus.first_line[sentences], line, side="right")) - 1, 0)])
            rows = range(*corpus.start[s : s + 2].tolist())
            row = next((row for row in rows if corpus.line_number(row) == line), rows[0])
            messages.setdefault(row, []).append(message)
    return [Contradiction(row, INVALID, "; ".join(dict.fromkeys(said)), 1.0) for row, said in messages.items()]


def _errors(path: str, language: str) -> list[tuple[int, str]]:
    """The line and the message of each error of a file: `L3 SYNTAX test: message`."""
    with open_bytes(path) as stream:
        return errors_of(stream, language)


def errors_of(stream: BinaryIO, language: str) -> list[tuple[int, str]]:
    """The line and the message of each error of CoNLL-U: `L3 SYNTAX test: message`."""
    validator = needed("udtools.validator", "validate", "validation")
    level = LEVELS[language != ANY_LANGUAGE]
    checker = validator.Validator(lang=language, level=level, output=io.StringIO(), max_store=1 << 30)
    if level == LEVELS[True] and language not in checker.data.deprel:
        raise OptionError(f"language {language!r}; expected a code that the validator knows, such as en")
    state = checker.validate_file_handle(io.TextIOWrapper(stream, encoding="utf-8", errors="replace"))
    return [
        (int(one.lineno or 0), f"L{one.level} {one.testclass} {one.testid}: {one.message}")
        for one in state.error_tracker
        if type(one).__name__ == "Error"
    ]


def incident_of(message: str) -> tuple[str, str, str, str]:
    """Level, class, test and message of the first error in a finding's message."""
    match = _INCIDENT.match(message)
    assert match
    return match[1], match[2], match[3], match[4]
