"""CoNLL-U text to trees and back: the text is kept as it is, and columns of codes are laid over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

import numpy as np

from treegauge.corpus.conllu_kernel import Scanner
from treegauge.corpus.files import BLOCK, PAD, Block, expand_paths, open_bytes, sentence_block, sentence_blocks
from treegauge.corpus.growing import Growing
from treegauge.corpus.relations import Relations, relation_codes
from treegauge.corpus.trees import check_trees
from treegauge.errors import CorpusError, MalformedError, OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.tokens import Enhanced, LayerJoiner, Tokens

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
    13: "longer than {n} MiB; expected a shorter sentence (is a blank line missing?)",
}
_ENCODING = 11
T = TypeVar("T")


class Columns(dict[str, T]):
    """Something of each column that was read."""

    def __missing__(self, column: str) -> T:
        raise OptionError(f"column {column!r} was not read; expected it among the columns of read_conllu")


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
    text: np.ndarray  # the bytes, as read; of a corpus without text, its sent_ids
    head: np.ndarray  # position in the sentence, 0 = root, -1 = none given
    codes: Columns[np.ndarray]  # column name -> code of each word
    labels: Columns[tuple[str, ...]]  # column name -> what the codes stand for
    start: np.ndarray  # offsets, one more than there are sentences
    line: np.ndarray  # where each word's line starts in the text
    begin: np.ndarray  # where each sentence starts in the text
    id_span: np.ndarray  # where each sent_id starts and ends in the text
    number: np.ndarray  # running number of each sentence in its file, from 1, left-out ones counted
    first_line: np.ndarray  # number of each sentence's first line in its file, from 1
    file: np.ndarray  # code of each sentence's file
    files: tuple[str, ...]
    defects: tuple[Defect, ...] = field(default=(), repr=False)
    before: int = 0  # sentences of the stream that came before this piece
    words_before: int = 0
    layers: tuple[Tokens, Enhanced | None] | None = field(default=None, repr=False)  # of a corpus without text
    checked: np.ndarray | None = field(default=None, repr=False)  # heads that are known to make trees

    def __repr__(self) -> str:
        return f"Corpus({self.path!r}, {counted(self.n_sentences, 'sentence')}, {counted(self.n_words, 'word')})"

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

    def forms(self, s: int) -> list[str]:
        """The word forms of a sentence."""
        labels = self.labels["form"]
        return [labels[code] for code in self.codes["form"][self.start[s] : self.start[s + 1]].tolist()]

    def place(self, s: int) -> str:
        """How messages name a sentence: its number, and its sent_id where it has one."""
        name = self.sent_id(s)
        return f"sentence {self.number[s]} ({name})" if name else f"sentence {self.number[s]}"

    def where(self, s: int, line: int = 0) -> str:
        """File and line, for messages: so many lines behind the first of a sentence."""
        return f"{self.files[self.file[s]]}:{self.first_line[s] + line}"

    @cached_property
    def tree_head(self) -> np.ndarray:
        """The heads, every sentence a tree; raises CorpusError where one is none. Whatever climbs them uses these."""
        if self.checked is not self.head:
            check_trees(self)
        return self.head

    @cached_property
    def head_row(self) -> np.ndarray:
        """Row of each word's head in the corpus, -1 for the root."""
        row = np.repeat(self.start[:-1].astype(np.int32) - 1, np.diff(self.start))
        row += self.tree_head
        return np.where(self.head > 0, row, np.int32(-1))

    @cached_property
    def arc_length(self) -> np.ndarray:
        """|position(h) − position(d)| of each arc, 0 for root arcs."""
        length = np.arange(self.n_words)
        length -= self.head_row
        length *= self.head > 0
        return np.abs(length, out=length)

    def relations(self, subtypes: bool = False) -> Relations:
        """The relation of each word, its subtype cut unless asked for; names in the order of their first label."""
        names: dict[str, int] = {}
        of_label = relation_codes(self.labels["deprel"], subtypes, names)
        return Relations(of_label[self.codes["deprel"]], tuple(names))

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens, made on first use."""
        from treegauge.corpus.tokens import tokens_of

        return self.layers[0] if self.layers else tokens_of(self)

    @cached_property
    def enhanced(self) -> Enhanced | None:
        """The arcs of DEPS, made on first use; None where there is none."""
        from treegauge.corpus.tokens import enhanced_of

        found = self.layers[1] if self.layers else enhanced_of(self, self.tokens)
        return found if found and len(found.head) else None

    def line_text(self, w: int) -> bytes:
        """A word's line as it stands in the text."""
        s = int(self.sentence[w])
        return self.sentence_text(s)[int(self.line[w] - self.begin[s]) :].partition(b"\n")[0].rstrip(b"\r")

    def line_number(self, w: int) -> int:
        """The number of a word's line in its file, from 1."""
        s = int(self.sentence[w])
        before = self.text[int(self.begin[s]) : int(self.line[w])]
        return int(self.first_line[s]) + int(np.count_nonzero(before == ord("\n")))

    def sentence_text(self, s: int) -> bytes:
        """A sentence as it stands in the text, comments included, without the blank line behind it."""
        self._check_text()
        low, last = int(self.begin[s]), int(self.line[self.start[s + 1] - 1])  # its last word may lie far from the next
        size = 1 << 10
        while True:
            text = self.text[low : last + size].tobytes()
            ends = [at for at in (text.find(b"\n\n", last - low), text.find(b"\n\r\n", last - low)) if at >= 0]
            if ends or last + size >= len(self.text):
                return text[: min(ends, default=len(text))]
            size *= 16

    def select(self, sentences: Sequence[int] | np.ndarray) -> Corpus:
        """The corpus of some sentences (indices, or a mask), in its order, over the same text."""
        self._check_text()
        chosen = np.zeros(self.n_sentences, dtype=bool)
        chosen[np.asarray(sentences, dtype=None if len(sentences) else np.int64)] = True
        rows = np.repeat(chosen, np.diff(self.start))
        head = self.head[rows]
        return Corpus(
            self.path,
            self.text,
            head,
            Columns({column: codes[rows] for column, codes in self.codes.items()}),
            self.labels,
            np.append(0, np.cumsum(np.diff(self.start)[chosen])),
            self.line[rows],
            self.begin[chosen],
            self.id_span[chosen],
            self.number[chosen],
            self.first_line[chosen],
            self.file[chosen],
            self.files,
            checked=head if self.checked is self.head else None,
        )

    def part(self, low: int, high: int) -> Corpus:
        """Sentences low to high, over the same text and arrays."""
        first, last = self.start[[low, high]].tolist()
        layers = None
        if self.layers:
            from treegauge.corpus.tokens import layers_part

            layers = layers_part(self.layers, slice(low, high), slice(first, last))
        head = self.head[first:last]
        return replace(
            self,
            head=head,
            checked=head if self.checked is self.head else None,
            codes=Columns({column: codes[first:last] for column, codes in self.codes.items()}),
            start=self.start[low : high + 1] - first,
            line=self.line[first:last],
            begin=self.begin[low:high],
            id_span=self.id_span[low:high],
            number=self.number[low:high],
            first_line=self.first_line[low:high],
            file=self.file[low:high],
            defects=(),
            before=self.before + low,
            words_before=self.words_before + first,
            layers=layers,
        )

    def around(self, rows: np.ndarray) -> tuple[Corpus, np.ndarray]:
        """The sentences that hold these rows as a corpus, and where the rows are in it."""
        sentence = self.sentence[rows]
        part = self.select(sentence)
        place = np.searchsorted(np.unique(sentence), sentence)
        return part, part.start[place] + rows - self.start[sentence]

    def own_text(self) -> Corpus:
        """The same sentences over a text of their own: each as it stands, and a blank line behind it."""
        texts = []
        for s in range(self.n_sentences):
            text = self.sentence_text(s)
            line_end = b"\r\n" if text.endswith(b"\r") or b"\r\n" in text else b"\n"
            texts.append(text.rstrip(b"\r\n") + 2 * line_end)
        begin = np.cumsum([0, *map(len, texts)])[:-1]
        shift = begin - self.begin
        return replace(
            self,
            text=np.frombuffer(bytearray(b"".join(texts)), dtype=np.uint8),
            line=self.line + np.repeat(shift, np.diff(self.start)),
            begin=begin,
            id_span=self.id_span + shift[:, None],
            defects=(),
            before=0,
        )

    def _check_text(self) -> None:
        if self.layers is not None:
            raise CorpusError(f"{self.path}: its text was let go; expected a corpus of read_conllu")


CorpusSource: TypeAlias = "Corpus | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def as_corpus(
    source: CorpusSource,
    *,
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    each: Callable[[Corpus], Corpus] | None = None,
) -> Corpus:
    """The corpus that is meant: a path, folder, glob or `-`, several of these as one, or a corpus as it is.

    trees=False lets HEAD be `_`. each: what to make of each piece as it is read. Raises CorpusError where there are no
    sentences.
    """
    if isinstance(source, Corpus):
        return source
    paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    corpus = _gathered(paths, columns, each, on_error=on_error, trees=trees)
    if not corpus.n_words:
        raise no_sentences(paths, len(corpus.defects))
    return corpus


def no_sentences(paths: Sequence[str | os.PathLike[str]], n_skipped: int = 0) -> CorpusError:
    """What to raise where files have no sentences, or only such as were left out."""
    why = f": all {n_skipped:,} are malformed" if n_skipped > 1 else ": the only one is malformed" if n_skipped else ""
    return CorpusError(f"{', '.join(os.fspath(path) for path in paths)}: no sentences{why}")


def parse_conllu(text: str | bytes, **options: Any) -> Corpus:
    """The corpus of a text; options as for `read_conllu`."""
    columns = options.pop("columns", tuple(COLUMNS))
    return Reader(columns, **options).parse(text.encode() if isinstance(text, str) else text, "<text>")


def read_conllu(
    *paths: str | os.PathLike[str],
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    one_root: bool = False,
) -> Corpus:
    """A CoNLL-U file, folder or glob, or several as one corpus; plain or compressed, `-` for standard input.

    columns: those whose codes are wanted; `trees=False` lets HEAD be `_`; `one_root` makes several root
    words a defect. A defect raises CorpusError, or with on_error="skip" leaves its sentence out and is
    listed in `defects`.
    """
    return _gathered(paths, columns, on_error=on_error, trees=trees, one_root=one_root)


def _gathered(
    paths: Sequence[str | os.PathLike[str]],
    columns: Sequence[str],
    each: Callable[[Corpus], Corpus] | None = None,
    **options: Any,
) -> Corpus:
    """The corpus of some paths; a single one, be it a folder, gives it its name."""
    pieces = stream_conllu(*paths, columns=columns, **options)
    corpus = join_pieces(map(each, pieces) if each else pieces, columns)
    return replace(corpus, path=os.fspath(paths[0])) if len(paths) == 1 else corpus


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
    yield from stream_opened(reader, ((path, None) for path in expand_paths(paths)), block)


def stream_opened(reader: Reader, files: Iterable[tuple[str, BinaryIO | None]], block: int = BLOCK) -> Iterator[Corpus]:
    """The pieces of files, each given by its name, and by its bytes as they are stored where they are not there."""
    before = words_before = 0
    for path, raw in files:
        place = Place(path)
        with open_bytes(path, raw) as stream:
            for text in sentence_blocks(stream, block):
                part, place = reader.read(text, place)
                yield replace(part, before=before, words_before=words_before)
                before, words_before = before + part.n_sentences, words_before + part.n_words


@dataclass(frozen=True, slots=True)
class Place:
    """How far into a file: lines and sentences before."""

    path: str
    lines: int = 0
    sentences: int = 0

    def __add__(self, more: Place) -> Place:
        return Place(self.path, self.lines + more.lines, self.sentences + more.sentences)

    def of(self, defect: Defect) -> Defect:
        """A defect of the text that starts here, as one of the file."""
        line, sentence = self.lines + defect.line, self.sentences + defect.sentence
        return replace(defect, path=self.path, line=line, sentence=sentence)


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
        self.labels: Columns[tuple[str, ...]] = Columns(dict.fromkeys(self.columns, ()))
        self.skip, self.trees = on_error == "skip", trees
        self.scanner = Scanner([COLUMNS[c] for c in self.columns], trees, one_root, self.skip)

    def parse(self, text: bytes, path: str = "") -> Corpus:
        """The corpus of a text."""
        parts, place = [], Place(path)
        for block in sentence_blocks(BytesIO(text), min(len(text) + 1, BLOCK)):
            part, place = self.read(block, place)
            parts.append(part)
        return join_pieces(parts, self.columns)

    def read(self, block: Block, place: Place) -> tuple[Corpus, Place]:
        """The corpus in a block; the place behind it."""
        length, text = block.end, np.frombuffer(block.buffer, dtype=np.uint8)
        most = length // 20 + 2  # a word takes twenty bytes; there are no more sentences than words
        head = np.empty(most, dtype=np.int32)
        codes = np.empty((len(self.columns), most), dtype=np.int32)
        line = np.empty(most, dtype=np.int64)
        start = np.empty(most, dtype=np.int64)
        begin = np.empty(most, dtype=np.int64)
        id_span = np.empty((most, 2), dtype=np.int64)
        number = np.empty(most, dtype=np.int64)
        first_line = np.empty(most, dtype=np.int64)
        found = np.empty((length // 2 + 1 if self.skip else 1, 7), dtype=np.int64)
        arrays = (head, codes, line, start, begin, id_span, number, first_line, found)
        self.scanner.scan(text, block.start, length, *arrays)
        rows, sentences, n_defects, lines, met = self.scanner.counts()
        defects = tuple(_defects(text[:length], found[:n_defects], place))
        if defects and not self.skip:
            raise MalformedError(str(defects[0]))
        head = head[:rows]
        for column in self.columns:
            have = self.labels[column]
            self.labels[column] = have + tuple(self.scanner.table(COLUMNS[column]).labels(len(have)))
        corpus = Corpus(
            place.path,
            text[:length],
            head,
            Columns({column: codes[k, :rows] for k, column in enumerate(self.columns)}),
            Columns(self.labels),
            start[: sentences + 1],
            line[:rows],
            begin[:sentences],
            id_span[:sentences],
            number[:sentences] + place.sentences,
            first_line[:sentences] + place.lines,
            np.zeros(sentences, dtype=np.int32),
            (place.path,),
            defects,
            checked=head if self.trees else None,
        )
        return corpus, place + Place(place.path, lines + block.lines_lost, met)


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


def join_pieces(parts: Iterable[Corpus], columns: Sequence[str]) -> Corpus:
    """One corpus of the pieces of a stream, each let go when the next comes.

    Sentences are numbered through if they come from several files.
    """
    parts = iter(parts)
    first, second = next(parts, None), next(parts, None)
    if first is None:
        return Reader(columns).read(sentence_block(bytearray(PAD), 0), Place(""))[0]
    if second is None:
        return first
    joiner = _Joiner()
    joiner.add(first)
    joiner.add(second)
    del first, second
    for part in parts:
        joiner.add(part)
    return joiner.corpus()


class _Joiner:
    """Pieces that become one corpus, whose arrays grow in place."""

    def __init__(self) -> None:
        self._text, self._path = bytearray(), ""
        self._arrays: Growing[str] = Growing()
        self._arrays.append("start", np.zeros(1, dtype=np.int64))
        self._layers: LayerJoiner | None = None
        self._defects: list[Defect] = []
        self._files: dict[str, int] = {}
        self._trees = True
        self._words = self._earlier = self._met = 0  # sentences of the files before, and of this file so far

    def add(self, part: Corpus) -> None:
        """Take in the next piece."""
        if not self._files:
            self._before = part.before, part.words_before
        elif part.path != self._path:
            self._earlier, self._met = self._earlier + self._met, 0
            if not part.layers and not self._text.endswith(b"\n\n"):
                self._text += b"\n" * (2 - self._text.endswith(b"\n"))
        self._path, self._labels = part.path, part.labels
        self._trees &= part.checked is part.head
        self._met = max([self._met, *part.number[-1:].tolist(), *(defect.sentence for defect in part.defects[-1:])])
        at = len(self._text)
        self._text += part.text.data
        shifted = {"line": at, "begin": at, "id_span": at, "number": self._earlier, "head": 0, "first_line": 0}
        for name, shift in shifted.items():
            self._arrays.append(name, getattr(part, name) + getattr(part, name).dtype.type(shift))
        for column, codes in part.codes.items():
            self._arrays.append(f"codes {column}", codes)
        self._arrays.append("start", part.start[1:] + self._words)
        self._words += part.n_words
        file = self._files.setdefault(part.path, len(self._files))
        self._arrays.append("file", np.full(part.n_sentences, file, dtype=np.int32))
        self._defects += part.defects
        if part.layers:
            from treegauge.corpus.tokens import LayerJoiner

            self._layers = self._layers or LayerJoiner()
            self._layers.add(*part.layers)

    def corpus(self) -> Corpus:
        """All that was taken in."""
        paths, head = tuple(self._files), self._arrays.take("head")
        return Corpus(
            paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more",
            np.frombuffer(self._text, dtype=np.uint8),
            head,
            Columns({column: self._arrays.take(f"codes {column}") for column in self._labels}),
            self._labels,
            self._arrays.take("start"),
            self._arrays.take("line"),
            self._arrays.take("begin"),
            self._arrays.take("id_span"),
            self._arrays.take("number"),
            self._arrays.take("first_line"),
            self._arrays.take("file"),
            paths,
            tuple(self._defects),
            *self._before,
            self._layers.layers() if self._layers else None,
            head if self._trees else None,
        )
