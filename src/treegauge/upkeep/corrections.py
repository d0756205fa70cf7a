"""What somebody wants to change: the head, relation or tag of a word, in the JSON file that the page exports.

A correction says what it saw as well as what it wants, so that it can be refused where the treebank has changed since.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from treegauge.corpus.files import read_at_most
from treegauge.errors import TreegaugeError
from treegauge.json_fields import Fields, parse_json
from treegauge.version import __version__

_LONGEST = 1 << 28  # bytes of a file


class CorrectionError(TreegaugeError):
    """A corrections file that cannot be read; the message names file, correction, value and expectation."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a word has, and what it should have; None: that stays. Sentences without a sent_id go by their number."""

    sent_id: str
    sentence: int  # its number in the treebank, from 1
    id: int
    form: str
    head: int
    deprel: str
    upos: str
    new_head: int | None = None
    new_deprel: str | None = None
    new_upos: str | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.new_head is None and self.new_deprel is None and self.new_upos is None:
            raise CorrectionError("nothing changes; expected new_head, new_deprel or new_upos")
        for name, label in (("new_deprel", self.new_deprel), ("new_upos", self.new_upos)):
            if label is not None and (not label or " " in label or not label.isprintable()):
                raise CorrectionError(f"{name} {label[:60]!r}; expected a label without spaces")

    @property
    def arc(self) -> tuple[int, str]:
        """The head and the relation that the word should have."""
        head = self.head if self.new_head is None else self.new_head
        return head, self.deprel if self.new_deprel is None else self.new_deprel

    def __str__(self) -> str:
        place = self.sent_id or str(self.sentence)
        return f"sentence {place if place.isprintable() else repr(place)}: word {self.id} {self.form!r}"


def read_corrections(path: str | os.PathLike[str]) -> list[Correction]:
    """The corrections of a file; raises CorrectionError at whatever is not as it should be."""
    path = os.fspath(path)
    what = "corrections as a page exports them"
    fields = Fields(parse_json(read_at_most(path, _LONGEST), path, CorrectionError, what), path, CorrectionError)
    corrections = [_correction(entry) for entry in fields.objects("corrections")]
    for name in ("title", "treegauge"):
        if name in fields:
            fields.text(name)
    fields.end()
    return corrections


def _correction(fields: Fields) -> Correction:
    sent_id = fields.text("sent_id") if "sent_id" in fields else ""
    sentence = fields.whole("sentence", 1) if "sentence" in fields or not sent_id else 0
    word, form = fields.whole("id", 1), fields.text("form")
    head, deprel, upos = fields.whole("head"), fields.text("deprel"), fields.text("upos")
    new_head, new_deprel = fields.whole_or_none("new_head"), fields.text_or_none("new_deprel")
    new_upos, note = fields.text_or_none("new_upos"), fields.text_or_none("note") or ""
    fields.end()
    try:
        return Correction(sent_id, sentence, word, form, head, deprel, upos, new_head, new_deprel, new_upos, note)
    except CorrectionError as error:
        raise CorrectionError(f"{fields.where}: {error}") from error


def corrections_json(corrections: Iterable[Correction], title: str = "") -> str:
    """The file of some corrections, as `read_corrections` reads it."""
    content = {
        "title": title,
        "treegauge": __version__,
        "corrections": [asdict(correction) for correction in corrections],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
