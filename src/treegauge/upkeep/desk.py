"""The desk: a treebank whose corrections and verdicts are written to its files at once, with undo over the sitting.

Corrections are made by the code of `apply`, verdicts by that of `accept`. A file is written whole or not at all, and
only if it still is as the desk read or wrote it last: what somebody else changed is never overwritten.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from treegauge.corpus.conllu import Reader, parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import packed, write_whole
from treegauge.errors import TreegaugeError
from treegauge.ranking.verdicts import Verdict, read_verdicts
from treegauge.upkeep.accept import accepted_corrections, accepted_file, joined, new_accepted_file, verdicts_text
from treegauge.upkeep.corrections import OTHERS, Correction, apply_corrections, read_whole


class DeskError(TreegaugeError):
    """A change that cannot be made; the message says why."""


class ConflictError(DeskError):
    """A change that would overwrite what somebody else wrote, or that comes from a page that is not up to date."""


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """Where a sentence of the treebank is: the number of its file, and its number in the file, from 0."""

    file: int
    sentence: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A change that can be taken back: sentences with their old text, and the old file of what was accepted."""

    sentences: tuple[tuple[SentencePlace, bytes], ...]
    accepted: bytes | None
    is_verdict: bool


class _DeskFile:
    """A file of the treebank in pieces, one for each sentence with what stands before the next one."""

    def __init__(self, path: str, on_error: str) -> None:
        self.path = path
        self.stamp = _stamp(path)
        corpus = read_whole(path, on_error)
        bounds = [0, *corpus.begin[1:].tolist(), len(corpus.text)] if corpus.n_sentences else [0, len(corpus.text)]
        text = corpus.text.tobytes()
        self.pieces = [text[low:high] for low, high in pairwise(bounds)]
        self.first = text

    @property
    def content(self) -> bytes:
        """The file as it is now, uncompressed."""
        return b"".join(self.pieces)


def _stamp(path: str) -> str:
    """What tells whether a file was changed: a hash of its bytes; empty if there is no file."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


class Desk:
    """A sitting at the files of a treebank; `version` counts its changes."""

    def __init__(
        self, paths: Sequence[str], *, accepted: str | None = None, read_only: bool = False, on_error: str = "stop"
    ) -> None:
        self.files = [_DeskFile(path, on_error) for path in paths]
        self.accepted = accepted or accepted_file(paths[0]) or new_accepted_file(paths[0])
        self.read_only, self.version = read_only, 0
        self._steps: list[_Step] = []
        self._accepted_stamp = _stamp(self.accepted)

    @property
    def has_accepted(self) -> bool:
        """Whether there is a file of verdicts yet."""
        return os.path.exists(self.accepted)

    @property
    def n_steps(self) -> int:
        """How many changes can be taken back."""
        return len(self._steps)

    def text_of(self, place: SentencePlace) -> bytes:
        """The sentence as it is now, with what stands behind it up to the next one."""
        return self.files[place.file].pieces[place.sentence]

    def sentence(self, place: SentencePlace) -> Corpus:
        """The sentence as it is now, as a corpus."""
        return Reader(("form", "upos", "deprel", *OTHERS)).parse(self.text_of(place), self.files[place.file].path)

    def correct(self, corrections: Iterable[tuple[SentencePlace, Correction]], version: int) -> list[SentencePlace]:
        """Make corrections, all of them or none, and write what they made of their words down as accepted.

        Returns the sentences that were changed. Raises DeskError with the reason if one of them cannot be made.
        """
        self._check(version)
        by_place: dict[SentencePlace, list[Correction]] = {}
        for place, one in corrections:
            by_place.setdefault(place, []).append(replace(one, sentence=1))
        new, verdicts, today = dict[SentencePlace, bytes](), list[Verdict](), date.today().isoformat()
        for place, wanted in by_place.items():
            part = self.sentence(place)
            made = apply_corrections(wanted, part)
            if made.refused:
                raise DeskError("; ".join(str(refusal) for refusal in made.refused))
            new[place] = made.content
            verdicts += self._numbered(
                place, accepted_corrections([parse_conllu(made.content.decode())], made.done, today)
            )
        self._write(new, [*self._verdicts(), *verdicts], is_verdict=False)
        return list(new)

    def judge(self, verdicts: Iterable[Verdict], version: int) -> None:
        """Write verdicts down; one with an empty verdict takes an earlier one about the same word and code back."""
        self._check(version)
        new = [replace(verdict, date=date.today().isoformat()) for verdict in verdicts]
        about = {(v.sent_id, v.sentence, v.id, v.code) for v in new}
        old = [v for v in self._verdicts() if (v.sent_id, v.sentence, v.id, v.code) not in about]
        self._write({}, [*old, *(verdict for verdict in new if verdict.verdict)], is_verdict=True)

    def undo(self, version: int) -> tuple[list[SentencePlace], bool]:
        """Take the last change back: the sentences that were changed, and whether it was a verdict."""
        self._check(version)
        if not self._steps:
            raise DeskError("nothing to undo")
        step = self._steps[-1]
        self._store(dict(step.sentences), step.accepted)
        self._steps.pop()
        self.version += 1
        return [place for place, _ in step.sentences], step.is_verdict

    def difference(self) -> str:
        """What `git diff` shows of the files; without git, what the sitting has changed."""
        paths = [file.path for file in self.files] + [self.accepted] * self.has_accepted
        folder = os.path.dirname(os.path.abspath(paths[0]))
        command = ["git", "-c", "core.quotepath=off", "diff", "--no-color", "--no-ext-diff", "--"]
        try:
            made = subprocess.run(
                [*command, *map(os.path.abspath, paths)], cwd=folder, capture_output=True, check=False, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired):
            made = None
        if made is not None and made.returncode == 0:
            return made.stdout.decode(errors="replace")
        lines: list[str] = []
        for file in self.files:
            old, new = (text.decode(errors="replace").splitlines(keepends=True) for text in (file.first, file.content))
            if old != new:
                lines += difflib.unified_diff(old, new, file.path, file.path)
        return "".join(lines)

    def _check(self, version: int) -> None:
        if self.read_only:
            raise DeskError("the desk was opened with --read-only")
        if version != self.version:
            raise ConflictError("another tab has changed something since: load this page again")

    def _numbered(self, place: SentencePlace, verdicts: list[Verdict]) -> list[Verdict]:
        """Verdicts with the number that a sentence without a sent_id has in its file."""
        return [verdict if verdict.sent_id else replace(verdict, sentence=place.sentence + 1) for verdict in verdicts]

    def _verdicts(self) -> list[Verdict]:
        return read_verdicts(self.accepted) if self.has_accepted else []

    def _write(self, sentences: dict[SentencePlace, bytes], verdicts: Sequence[Verdict], is_verdict: bool) -> None:
        old = tuple((place, self.text_of(place)) for place in sentences)
        accepted = None
        if self.has_accepted:
            with open(self.accepted, "rb") as stream:
                accepted = stream.read()
        self._store(sentences, verdicts_text(joined(verdicts)).encode())
        self._steps.append(_Step(old, accepted, is_verdict))
        self.version += 1

    def _store(self, sentences: dict[SentencePlace, bytes], accepted: bytes | None) -> None:
        """Write the files that change, after a look whether each is as it was left; accepted None: there is no file."""
        changed = [self.files[k] for k in sorted({place.file for place in sentences})]
        for path, stamp in [*((file.path, file.stamp) for file in changed), (self.accepted, self._accepted_stamp)]:
            if _stamp(path) != stamp:
                raise ConflictError(f"{path} was changed on disk by something else: nothing is written; load it again")
        for place, text in sentences.items():
            self.files[place.file].pieces[place.sentence] = text
        for file in changed:
            with write_whole(file.path) as stream:
                stream.write(packed(file.content, file.path))
            file.stamp = _stamp(file.path)
        if accepted is None:
            if os.path.exists(self.accepted):
                os.remove(self.accepted)
        else:
            os.makedirs(os.path.dirname(os.path.abspath(self.accepted)), exist_ok=True)
            with write_whole(self.accepted) as stream:
                stream.write(accepted)
        self._accepted_stamp = _stamp(self.accepted)
