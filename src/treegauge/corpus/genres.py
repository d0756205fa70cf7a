"""The genre of each sentence, as far as names of documents and sentences tell it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treegauge.corpus.corpus import Corpus

MOST_GENRES, LEAST_SHARE = 30, 0.8
_PARTS = re.compile(r"[-_.:/\s]+|(?<=[^\W\d])(?=\d)")
_NEWDOC = re.compile(rb"^# newdoc(?: +id *= *(.*?))?\s*$", re.MULTILINE)


def document_names(corpus: Corpus) -> list[str]:
    """The document of each sentence, from `# newdoc id`; the sent_id of the sentence if it is in no document."""
    name, names = "", []
    for s in range(corpus.n_sentences):
        if new := _NEWDOC.search(corpus.sentence_text(s)):
            name = (new.group(1) or b"").decode()
        names.append(name or corpus.sent_id(s))
    return names


def genres(names: Sequence[str]) -> list[str] | None:
    """The genre of each document or sentence by its name: the first part of the names that takes few values.

    Names are cut at signs and before numbers. A part is a genre if it is a word, not a number, takes 2 … 30 values,
    and most of them come more than once. None if there is no such part.
    """
    parts = [[part for part in _PARTS.split(name) if part] for name in names]
    for k in range(3):
        values = [pieces[k] if len(pieces) > k and not pieces[k][0].isdigit() else "" for pieces in parts]
        kinds = set(values) - {""}
        named = sum(value != "" for value in values)
        if 2 <= len(kinds) <= min(MOST_GENRES, len(set(names)) // 2) and named >= LEAST_SHARE * len(names):
            return [value or "other" for value in values]
    return None
