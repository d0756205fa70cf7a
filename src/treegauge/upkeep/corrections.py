"""Corrections of a treebank: read them from a file, and make them.

A correction gives a word another head, relation, tag, lemma, XPOS or FEATS. It has the old values as well as the new
ones: if the treebank no longer has the old values, the correction is refused, with a reason. Only the corrected columns
change, and no other byte does. The corrections of one sentence are made together: if the result is not a tree, none of
them is made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treegauge.corpus.conllu import Reader
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import open_bytes, read_at_most
from treegauge.corpus.reading_log import begin_file, note_piece
from treegauge.corpus.writing import DEPS, with_arc
from treegauge.errors import CorpusError, TreegaugeError
from treegauge.json_fields import Fields, json_text, parse_json
from treegauge.version import __version__

_LONGEST = 1 << 28  # bytes of a file


class CorrectionError(TreegaugeError):
    """A corrections file that cannot be read; the message names file, correction, value and expectation."""


def is_relation(label: str) -> bool:
    """Whether a label can stand in DEPREL, and in DEPS, where `|` stands between arcs and `:` before subtypes."""
    return all(_is_label(part) and "|" not in part for part in label.split(":"))


def _is_label(text: str) -> bool:
    return bool(text) and " " not in text and text.isprintable()


@dataclass(frozen=True, slots=True)
class _OtherColumn:
    """A column beside arc and tag that can be corrected: its number from 0, and what its values must be."""

    at: int
    fits: Callable[[str], bool]
    expected: str


_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")


def are_features(feats: str) -> bool:
    """Whether a text can stand in FEATS, by the rules of UD: `_`, or features sorted without case, each once."""
    if feats == "_":
        return True
    features = feats.split("|")
    names = [feature.partition("=")[0].lower() for feature in features]
    return all(map(_FEATURE.fullmatch, features)) and names == sorted(set(names))


def _is_lemma(lemma: str) -> bool:
    return bool(lemma) and lemma.isprintable() and lemma.strip() == lemma and "  " not in lemma


OTHERS = {
    "lemma": _OtherColumn(2, _is_lemma, "a text without tabs, and without blanks around it"),
    "xpos": _OtherColumn(4, lambda xpos: _is_label(xpos), "a tag, or _, without white space"),
    "feats": _OtherColumn(
        5, are_features, "_, or features such as Case=Nom|Number=Sing, sorted by their names, each once"
    ),
}


@dataclass(frozen=True, slots=True)
class Correction:
    """The old and the new values of a word; None: the value stays. A sentence without a sent_id has its number."""

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
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # column of OTHERS -> old and new value

    def __post_init__(self) -> None:
        if self.new_head is None and self.new_deprel is None and self.new_upos is None and not self.others:
            expected = ", ".join(f"new_{name}" for name in ("head", "deprel", "upos", *OTHERS))
            raise CorrectionError(f"nothing changes; expected one of {expected}")
        for name, (_, new) in self.others.items():
            if not OTHERS[name].fits(new):
                raise CorrectionError(f"new_{name} {new[:60]!r}; expected {OTHERS[name].expected}")
        if self.new_deprel is not None and not is_relation(self.new_deprel):
            expected = "a relation such as nsubj or nsubj:pass, without white space or |"
            raise CorrectionError(f"new_deprel {self.new_deprel[:60]!r}; expected {expected}")
        if self.new_upos is not None and not (_is_label(self.new_upos) and "|" not in self.new_upos):
            raise CorrectionError(
                f"new_upos {self.new_upos[:60]!r}; expected a tag such as NOUN, without white space or |"
            )

    @property
    def arc(self) -> tuple[int, str]:
        """The head and the relation that the word should have."""
        head = self.head if self.new_head is None else self.new_head
        return head, self.deprel if self.new_deprel is None else self.new_deprel

    def __str__(self) -> str:
        place = self.sent_id or str(self.sentence)
        return f"sentence {place if place.isprintable() else repr(place)}: word {self.id} {self.form!r}"


def corrections_json(corrections: Iterable[Correction], title: str) -> str:
    """A file of corrections, as `read_corrections` reads it and a page exports it."""
    content = {"title": title, "treegauge": __version__, "corrections": [_fields(one) for one in corrections]}
    return json_text(content, indent=1) + "\n"


def _fields(correction: Correction) -> dict[str, Any]:
    names = (
        "sent_id",
        "sentence",
        "id",
        "form",
        "head",
        "deprel",
        "upos",
        "new_head",
        "new_deprel",
        "new_upos",
        "note",
    )
    fields = {name: getattr(correction, name) for name in names}
    for name, (old, new) in correction.others.items():
        fields |= {name: old, f"new_{name}": new}
    return {name: value for name, value in fields.items() if value is not None and (value != "" or name == "sent_id")}


def read_corrections(path: str | os.PathLike[str]) -> list[Correction]:
    """The corrections of a file; raises CorrectionError if the file is not well-formed."""
    path = os.fspath(path)
    expected = "corrections as a page exports them"
    fields = Fields(parse_json(read_at_most(path, _LONGEST), path, CorrectionError, expected), path, CorrectionError)
    corrections = [_correction(entry) for entry in fields.objects("corrections")]
    for name in ("title", "treegauge"):
        if name in fields:
            fields.text(name)
    fields.end()
    return corrections


def correction_of_record(record: dict[str, Any]) -> Correction:
    """The correction that one entry of such a file holds; raises CorrectionError."""
    return _correction(Fields(record, "correction", CorrectionError))


def _correction(fields: Fields) -> Correction:
    sent_id = fields.text("sent_id") if "sent_id" in fields else ""
    sentence = fields.whole("sentence", 1) if "sentence" in fields or not sent_id else 0
    word, form = fields.whole("id", 1), fields.text("form")
    head, deprel, upos = fields.whole("head"), fields.text("deprel"), fields.text("upos")
    new_head, new_deprel = fields.whole_or_none("new_head"), fields.text_or_none("new_deprel")
    new_upos, note = fields.text_or_none("new_upos"), fields.text_or_none("note") or ""
    others = {}
    for name in OTHERS:
        old, new = (fields.text_or_none(f"{which}{name}") for which in ("", "new_"))
        if new is not None:
            others[name] = fields.text(name) if old is None else old, new
    fields.end()
    labels = new_head, new_deprel, new_upos, note, others
    try:
        return Correction(sent_id, sentence, word, form, head, deprel, upos, *labels)
    except CorrectionError as error:
        raise CorrectionError(f"{fields.where}: {error}") from error


UPOS = 3  # the number of the column, from 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A correction that was not made, and why."""

    correction: Correction
    reason: str

    def __str__(self) -> str:
        return f"{self.correction}: {self.reason}"


@dataclass(frozen=True)
class CorrectedTreebank:
    """The corrected files, the corrections that were made, and those that were refused."""

    contents: tuple[bytes, ...] = field(repr=False)
    done: tuple[Correction, ...]
    refused: tuple[Refusal, ...]
    deps_kept: tuple[str, ...]  # lines whose arc changed and whose DEPS, which did not repeat it, stayed as it was

    @property
    def content(self) -> bytes:
        """The first file; the whole treebank, if it is one file."""
        return self.contents[0]


_Place = tuple[int, int]  # where a sentence is: the number of its file, and its number in the file


def read_whole(path: str, on_error: str = "stop") -> Corpus:
    """A file as `rank` reads it, with all its bytes; with on_error="skip", the text has malformed sentences, too."""
    with open_bytes(path) as stream:
        content = stream.read()
    corpus = Reader(("form", "upos", "deprel", *OTHERS), on_error).parse(content, path)
    begin_file(path)
    note_piece(path, corpus)
    if len(corpus.text) != len(content):
        raise CorpusError(f"{path}: {corpus.defects[0].message if corpus.defects else 'not read to its end'}")
    return corpus


def apply_corrections(
    corrections: Iterable[Correction], *sources: Corpus | str | os.PathLike[str]
) -> CorrectedTreebank:
    """The files of a treebank (each a path, or read by `read_whole` or `parse_conllu`) with its corrections made.

    Sentences without a sent_id are numbered through all files, as the page of these files numbers them.
    """
    files = [source if isinstance(source, Corpus) else read_whole(os.fspath(source)) for source in sources]
    wanted = list(corrections)
    places = _places(files)
    refused: dict[int, str] = {}
    of_sentence: dict[_Place, dict[int, int]] = {}  # sentence -> row -> which correction
    for k, correction in enumerate(wanted):
        sentences = places.get(_name(correction.sent_id, correction.sentence), [])
        if len(sentences) != 1:
            refused[k] = f"{len(sentences)} sentences have this sent_id" if sentences else "no such sentence"
            continue
        ((file, s),) = sentences
        rows = of_sentence.setdefault((file, s), {})
        row, reason = _row(files[file], s, correction)
        if not reason and row in rows:
            reason = "another correction of this word came before"
        if reason:
            refused[k] = reason
        else:
            rows[row] = k
    edits: list[dict[int, Correction]] = [{} for _ in files]
    for (file, s), rows in of_sentence.items():
        chosen = {row: wanted[k] for row, k in rows.items()}
        reason = _no_tree(files[file], s, chosen)
        if reason:
            refused |= dict.fromkeys(rows.values(), reason)
        else:
            edits[file] |= chosen
    old_deps: list[str] = []
    contents = tuple(_edited(corpus, changes, old_deps) for corpus, changes in zip(files, edits, strict=True))
    done = tuple(correction for k, correction in enumerate(wanted) if k not in refused)
    refusals = tuple(Refusal(wanted[k], refused[k]) for k in sorted(refused))
    return CorrectedTreebank(contents, done, refusals, tuple(old_deps))


def _name(sent_id: str, number: int) -> tuple[str, int]:
    """What identifies a sentence: its sent_id, or its number if it has none."""
    return sent_id, 0 if sent_id else number


def _places(files: Sequence[Corpus]) -> dict[tuple[str, int], list[_Place]]:
    """Where the sentences are: `_name` -> the places of all sentences with this name."""
    places: dict[tuple[str, int], list[_Place]] = {}
    before = 0
    for file, corpus in enumerate(files):
        numbers = corpus.number.tolist()
        for s, (sent_id, number) in enumerate(zip(corpus.sent_ids, numbers, strict=True)):
            places.setdefault(_name(sent_id, before + number), []).append((file, s))
        before += max([*numbers[-1:], corpus.notes.last])
    return places


def _row(corpus: Corpus, s: int, correction: Correction) -> tuple[int, str]:
    """The row of the corrected word, and why the correction cannot be made; an empty reason if it can."""
    first, last = corpus.start[s : s + 2].tolist()
    n, row = last - first, first + correction.id - 1
    if correction.id > n:
        return -1, f"the sentence has {n} words"
    form = corpus.value("form", row)
    if form != correction.form:
        return row, f"the word is {form!r} now"
    has = int(corpus.head[row]), corpus.value("deprel", row), corpus.value("upos", row)
    if has != (correction.head, correction.deprel, correction.upos):
        if has == (*correction.arc, correction.upos if correction.new_upos is None else correction.new_upos):
            return row, "it is so already"
        return row, "it has head {} deprel {!r} upos {!r} now; expected {} {!r} {!r}".format(
            *has, correction.head, correction.deprel, correction.upos
        )
    for name, (old, new) in correction.others.items():
        value = corpus.value(name, row)
        if value != old:
            return row, "it is so already" if value == new else f"it has {name} {value!r} now; expected {old!r}"
    return row, ""


def _no_tree(corpus: Corpus, s: int, chosen: dict[int, Correction]) -> str:
    """Why a sentence would not be a tree with these corrections; empty if it would be one."""
    first, last = corpus.start[s : s + 2].tolist()
    before = corpus.head[first:last].tolist()
    head = list(before)
    for row, correction in chosen.items():
        if correction.arc[0] > len(head) or correction.arc[0] == correction.id:
            would = f"word {correction.id} would have head {correction.arc[0]}"
            return f"{would}; expected 0..{len(head)} and not the word itself"
        head[row - first] = correction.arc[0]
    reached_from = [0] * len(head)  # the first word from which the way to the root led here, from 1
    for start in range(len(head)):
        word = start
        while word >= 0 and not reached_from[word]:
            reached_from[word] = start + 1
            word = head[word] - 1
        if word >= 0 and reached_from[word] == start + 1:
            return f"word {word + 1} would be its own ancestor"
    roots = head.count(0)
    return f"there would be {roots} root words" if roots > max(1, before.count(0)) else ""


def _edited(corpus: Corpus, changes: dict[int, Correction], old_deps: list[str]) -> bytes:
    """The text of a file with its changes; `old_deps` gets the lines whose DEPS does not repeat the corrected arc."""
    text = corpus.text.data
    parts, end = [], 0
    for row in sorted(changes):
        correction, begin, line = changes[row], int(corpus.line[row]), corpus.line_text(row)
        columns = line.split(b"\t")
        deps, old_arc = columns[DEPS].decode(), (correction.head, correction.deprel)
        if correction.new_upos is not None:
            columns[UPOS] = correction.new_upos.encode()
        for name, (_, new) in correction.others.items():
            columns[OTHERS[name].at] = new.encode()
        parts += [bytes(text[end:begin]), b"\t".join(with_arc(columns, *correction.arc))]
        end = begin + len(line)
        if correction.arc != old_arc and deps != "_" and f"{old_arc[0]}:{old_arc[1]}" not in deps.split("|"):
            place = f"{corpus.files[corpus.file[corpus.sentence[row]]]}:{corpus.line_number(row)}"
            old_deps.append(f"{place}: {correction}: DEPS {deps!r} stays as it was")
    return b"".join([*parts, bytes(text[end:])])
