"""CoNLL-U text to trees and back: the text is kept as it is, and columns of codes are laid over it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu_kernel import PAD, Scanner
from treegauge.corpus.files import BLOCK, open_bytes, sentence_blocks
from treegauge.errors import CorpusError, OptionError

COLUMNS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}

# What the scanner's numbers mean; {value} is the text at fault, {n} a number that goes with it.
DEFECTS = {
    1: "{n} columns in {value}; expected 10, separated by tabs",
    2: "column {n} is empty; expected a value or _",
    3: "id {value}; expected {n}, or a multiword token or empty node that fits there",
    4: "head {value}; expected a number",
    5: "head {value}; expected 0..{n} and not the word itself",
    6: "word {value} is its own ancestor; expected a tree",
    7: "{n} root words; expected one",
    8: "comment {value} inside a sentence; expected comments before its words",
    9: "{value} is not followed by words; expected a sentence",
    10: "word {value}; expected at most {n} words in a sentence (is a blank line missing?)",
    11: "byte {value}; expected UTF-8",
    12: "a multiword token ends at word {n}, behind the sentence's last word",
}
_ENCODING = 11


@dataclass(frozen=True, slots=True)
class Defect:
    """Why a sentence was left out."""

    path: str
    line: int
    sentence: int
    sent_id: str
    message: str

    def __str__(self) -> str:
        name = f"{self.sentence} ({self.sent_id})" if self.sent_id else f"{self.sentence}"
        return f"{self.path}:{self.line}: sentence {name}: {self.message}"


@dataclass(frozen=True)
class Corpus:
    """All words in one row-aligned table laid over the text; sentence s owns rows start[s]:start[s+1].

    Multiword tokens and empty nodes are not words: they have no row, and stay in the text.
    """

    path: str
    text: np.ndarray  # the bytes, as read
    head: np.ndarray  # position in the sentence, 0 = root, -1 = none given
    codes: dict[str, np.ndarray]  # column name -> code of each word
    labels: dict[str, tuple[str, ...]]  # column name -> what the codes stand for
    start: np.ndarray  # offsets, one more than there are sentences
    line: np.ndarray  # where each word's line starts in the text
    begin: np.ndarray  # where each sentence starts in the text
    id_span: np.ndarray  # where each sent_id starts and ends in the text
    number: np.ndarray  # running number of each sentence in its file, from 1, left-out ones counted
    defects: tuple[Defect, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"Corpus({self.path!r}, {self.n_sentences} sentences, {self.n_words} words)"

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return len(self.head)

    @property
    def n_sentences(self) -> int:
        """How many sentences there are."""
        return len(self.start) - 1

    @cached_property
    def sentence_length(self) -> np.ndarray:
        """Words of the sentence that each word is in."""
        lengths = np.diff(self.start)
        return np.repeat(lengths, lengths)

    @cached_property
    def sentence(self) -> np.ndarray:
        """Index of the sentence that each word is in."""
        return np.repeat(np.arange(self.n_sentences), np.diff(self.start))

    @cached_property
    def position(self) -> np.ndarray:
        """Position of each word in its sentence, from 1."""
        return np.arange(self.n_words) - self.start[self.sentence] + 1

    @cached_property
    def sent_ids(self) -> list[str]:
        """The sent_id of each sentence, empty where it has none."""
        return [self.sent_id(s) for s in range(self.n_sentences)]

    def sent_id(self, s: int) -> str:
        """The sent_id of a sentence, empty where it has none."""
        low, high = self.id_span[s].tolist()
        return self.text[low:high].tobytes().decode()

    def value(self, column: str, w: int) -> str:
        """What a word has in a column whose codes were read."""
        return self.labels[column][self.codes[column][w]]

    def select(self, sentences: np.ndarray) -> Corpus:
        """The corpus of some of its sentences, over the same text."""
        chosen = np.zeros(self.n_sentences, dtype=bool)
        chosen[sentences] = True
        rows = np.repeat(chosen, np.diff(self.start))
        lengths = np.diff(self.start)[chosen]
        return Corpus(
            self.path,
            self.text,
            self.head[rows],
            {column: codes[rows] for column, codes in self.codes.items()},
            self.labels,
            np.append(0, np.cumsum(lengths)),
            self.line[rows],
            self.begin[chosen],
            self.id_span[chosen],
            self.number[chosen],
        )

    def around(self, rows: np.ndarray) -> tuple[Corpus, np.ndarray]:
        """The sentences that hold these rows as a corpus, and where the rows are in it."""
        rows = np.asarray(rows, dtype=np.int64)
        sentences = np.unique(self.sentence[rows])
        part = self.select(sentences)
        at = np.searchsorted(sentences, self.sentence[rows])
        return part, rows - self.start[self.sentence[rows]] + part.start[at]

    def line_text(self, w: int) -> bytes:
        """A word's line as it stands in the text."""
        s = int(self.sentence[w])
        return self.sentence_text(s)[int(self.line[w] - self.begin[s]) :].partition(b"\n")[0].rstrip(b"\r")

    def sentence_text(self, s: int) -> bytes:
        """A sentence as it stands in the text, comments included, without the blank line behind it."""
        end = self.begin[s + 1] if s + 1 < self.n_sentences else len(self.text)
        text = self.text[self.begin[s] : end].tobytes()
        return text.partition(b"\n\n")[0].partition(b"\n\r\n")[0]


def read_conllu(
    *paths: str | os.PathLike[str],
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    one_root: bool = False,
) -> Corpus:
    """A CoNLL-U file, or several as one corpus; plain or compressed, `-` for standard input.

    columns: those whose codes are wanted; `trees=False` lets HEAD be `_`; `one_root` makes several root
    words a defect. A defect raises CorpusError, or with on_error="skip" leaves its sentence out and is
    listed in `defects`.
    """
    parts = list(stream_conllu(*paths, columns=columns, on_error=on_error, trees=trees, one_root=one_root))
    return join_pieces(parts, columns)


def stream_conllu(
    *paths: str | os.PathLike[str],
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    one_root: bool = False,
    block: int = BLOCK,
) -> Iterator[Corpus]:
    """CoNLL-U files in pieces of whole sentences, about `block` bytes each, so that memory stays bounded.

    Codes mean the same in every piece, of all files.
    """
    reader = Reader(columns, on_error, trees=trees, one_root=one_root)
    for path in [os.fspath(path) for path in paths]:
        place = Place(path)
        with open_bytes(path) as stream:
            for buffer, length in sentence_blocks(stream, block, PAD):
                part, place = reader.read(buffer, length, place)
                yield part


@dataclass(frozen=True, slots=True)
class Place:
    """How far into a file: lines and sentences before."""

    path: str
    lines: int = 0
    sentences: int = 0

    def __add__(self, more: Place) -> Place:
        return Place(self.path, self.lines + more.lines, self.sentences + more.sentences)


class Reader:
    """Turns blocks of text into corpora; the label tables grow from block to block."""

    def __init__(
        self, columns: Sequence[str], on_error: str = "stop", *, trees: bool = True, one_root: bool = False
    ) -> None:
        if on_error not in ("stop", "skip"):
            raise OptionError(f"on_error {on_error!r}; expected 'stop' or 'skip'")
        unknown = [column for column in columns if column not in COLUMNS]
        if unknown:
            raise OptionError(f"column {unknown[0]!r}; expected one of {', '.join(COLUMNS)}")
        self.columns = tuple(columns)
        self.labels: dict[str, tuple[str, ...]] = dict.fromkeys(self.columns, ())
        self.skip = on_error == "skip"
        self.scanner = Scanner([COLUMNS[c] for c in self.columns], trees, one_root, self.skip)

    def read(self, buffer: bytearray, length: int, place: Place) -> tuple[Corpus, Place]:
        """The corpus in the first `length` bytes of a block, which `PAD` newlines follow; the place behind it."""
        text = np.frombuffer(buffer, dtype=np.uint8)
        first = 3 if place.lines == 0 and buffer.startswith(b"\xef\xbb\xbf") else 0  # a byte order mark
        most = length // 20 + 2  # a word takes twenty bytes; there are no more sentences than words
        head = np.empty(most, dtype=np.int32)
        codes = np.empty((len(self.columns), most), dtype=np.int32)
        line = np.empty(most, dtype=np.int64)
        start = np.empty(most, dtype=np.int64)
        begin = np.empty(most, dtype=np.int64)
        id_span = np.empty((most, 2), dtype=np.int64)
        number = np.empty(most, dtype=np.int64)
        found = np.empty((length // 2 + 1 if self.skip else 1, 7), dtype=np.int64)
        self.scanner.scan(text, first, length, head, codes, line, start, begin, id_span, number, found)
        rows, sentences, n_defects, lines, met = self.scanner.counts()
        defects = tuple(_defects(text[:length], found[:n_defects], place))
        if defects and not self.skip:
            raise CorpusError(str(defects[0]))
        for column in self.columns:
            have = self.labels[column]
            self.labels[column] = have + tuple(self.scanner.table(COLUMNS[column]).labels(len(have)))
        corpus = Corpus(
            place.path,
            text[:length],
            head[:rows],
            {column: codes[k, :rows] for k, column in enumerate(self.columns)},
            dict(self.labels),
            start[: sentences + 1],
            line[:rows],
            begin[:sentences],
            id_span[:sentences],
            number[:sentences] + place.sentences,
            defects,
        )
        return corpus, place + Place(place.path, lines, met)


def _defects(text: np.ndarray, found: np.ndarray, place: Place) -> Iterator[Defect]:
    newlines = np.flatnonzero(text == 10) if len(found) else text
    for kind, sentence, id_low, id_high, low, high, n in found.tolist():
        value = repr(text[low:high].tobytes().decode(errors="replace"))
        if kind == _ENCODING:
            value = f"0x{text[low]:02x}"
        yield Defect(
            place.path,
            place.lines + int(np.searchsorted(newlines, low)) + 1,
            place.sentences + sentence,
            text[id_low:id_high].tobytes().decode(errors="replace"),
            DEFECTS[kind].format(value=value if len(value) < 80 else value[:76] + "…'", n=n),
        )


def join_pieces(parts: Sequence[Corpus], columns: Sequence[str]) -> Corpus:
    """One corpus of the pieces of a stream; sentences are numbered through if they come from several files."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        none, zero = np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        codes = {column: none.astype(np.int32) for column in columns}
        labels: dict[str, tuple[str, ...]] = dict.fromkeys(columns, ())
        text = np.empty(0, dtype=np.uint8)
        return Corpus("", text, none.astype(np.int32), codes, labels, zero, none, none, none.reshape(0, 2), none)
    texts, sentences_before, earlier, met = [], [], 0, 0  # met: sentences of this file so far
    for part, following in zip(parts, [*parts[1:], parts[-1]], strict=True):
        end = part.text[-2:].tobytes()
        missing = 0 if part.path == following.path or end == b"\n\n" else 2 - end.endswith(b"\n")
        texts.append(np.append(part.text, np.full(missing, 10, dtype=np.uint8)) if missing else part.text)
        sentences_before.append(earlier)
        met = max([met, *part.number[-1:].tolist(), *(defect.sentence for defect in part.defects[-1:])])
        if part.path != following.path:
            earlier, met = earlier + met, 0
    bytes_before = np.cumsum([0] + [len(text) for text in texts])
    words_before = np.cumsum([0] + [part.n_words for part in parts])

    def joined(arrays: Iterable[np.ndarray], shifts: Iterable[int] | None = None) -> np.ndarray:
        if shifts is None:
            return np.concatenate(list(arrays))
        return np.concatenate([array + shift for array, shift in zip(arrays, shifts, strict=False)])

    paths = list(dict.fromkeys(part.path for part in parts))
    return Corpus(
        paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more",
        joined(texts),
        joined(part.head for part in parts),
        {column: joined(part.codes[column] for part in parts) for column in columns},
        parts[-1].labels,
        np.append(joined((part.start[:-1] for part in parts), words_before), words_before[-1]),
        joined((part.line for part in parts), bytes_before),
        joined((part.begin for part in parts), bytes_before),
        joined((part.id_span for part in parts), bytes_before),
        joined((part.number for part in parts), sentences_before),
        tuple(defect for part in parts for defect in part.defects),
    )
