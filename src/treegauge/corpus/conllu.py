"""Read CoNLL-U text into corpora: files are read in blocks of whole sentences; the pieces can be joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from treegauge.corpus.columns import (
    COLUMNS,
    DEFECTS,
    MOST_DEFECTS,
    NAMES,
    Columns,
    Defect,
    EmptyColumn,
    ReadingNotes,
)
from treegauge.corpus.conllu_kernel import MAX_WORDS, Scanner
from treegauge.corpus.corpus import OF_SENTENCES, SCORED_WORDS, Corpus
from treegauge.corpus.files import BLOCK, PAD, Block, open_bytes, sentence_block, sentence_blocks
from treegauge.corpus.growing_arrays import GrowingArrays
from treegauge.corpus.reading_log import begin_file, note_piece
from treegauge.corpus.treebanks import corpus_files
from treegauge.errors import CorpusError, MalformedError, OptionError, check_type, path_list

if TYPE_CHECKING:
    from treegauge.corpus.tokens import LayerJoiner

_ENCODING = 11  # the defect whose value is a byte
ON_ERROR = ("stop", "skip", "strict")
_SPARSE = 2000  # bytes of text per word; with more, only the text of the sentences is kept
CorpusSource: TypeAlias = "Corpus | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def as_corpus(
    source: CorpusSource,
    *,
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    most_words: int = SCORED_WORDS,
    each: Callable[[Corpus], Corpus] | None = None,
) -> Corpus:
    """The corpus of a path, folder, glob or `-`, or of several of these; a corpus is returned as it is.

    on_error, trees and most_words are as for `read_conllu`. each: a function that changes each piece when it is read.
    Raises CorpusError if there are no sentences.
    """
    if isinstance(source, Corpus):
        return source
    paths = path_list(source)
    corpus = _gathered(paths, columns, each, on_error=on_error, trees=trees, most_words=most_words)
    if not corpus.n_words:
        raise no_sentences(paths, corpus.notes.n_sentences)
    return corpus


def no_sentences(paths: Sequence[str | os.PathLike[str]], n_skipped: int = 0) -> CorpusError:
    """The error for files without sentences, or with malformed sentences only."""
    why = f": all {n_skipped:,} are malformed" if n_skipped > 1 else ": the only one is malformed" if n_skipped else ""
    return CorpusError(f"{', '.join(os.fspath(path) for path in paths)}: no sentences{why}")


def parse_conllu(text: str | bytes, **options: Any) -> Corpus:
    """The corpus of a text; options as for `read_conllu`."""
    check_type("text", text, (str, bytes), "a text, or its bytes")
    columns = options.pop("columns", tuple(COLUMNS))
    return Reader(columns, **options).parse(text.encode() if isinstance(text, str) else text, "<text>")


def read_conllu(
    *paths: str | os.PathLike[str],
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    one_root: bool = False,
    most_words: int = SCORED_WORDS,
) -> Corpus:
    """The corpus of one or several CoNLL-U files, folders or globs, plain or compressed; `-` is standard input.

    columns: the columns that are read; `trees=False` allows `_` as HEAD; with `one_root`, several root words are a
    defect, as is a sentence of more than `most_words` words. A defect raises CorpusError; with on_error="skip", its
    sentence is left out instead, and `defects` lists it. An empty column is read as `_`, and `notes` counts them; with
    on_error="strict", it is a defect, too.
    """
    return _gathered(paths, columns, on_error=on_error, trees=trees, one_root=one_root, most_words=most_words)


def _gathered(
    paths: Sequence[str | os.PathLike[str]],
    columns: Sequence[str],
    each: Callable[[Corpus], Corpus] | None = None,
    **options: Any,
) -> Corpus:
    """The corpus of some paths; if there is only one path, the corpus has its name."""
    pieces = stream_conllu(*paths, columns=columns, **options)
    corpus = join_pieces(map(each, pieces) if each else pieces, columns)
    return replace(corpus, path=os.fspath(paths[0])) if len(paths) == 1 else corpus


def stream_conllu(
    *paths: str | os.PathLike[str],
    columns: Sequence[str] = tuple(COLUMNS),
    on_error: str = "stop",
    trees: bool = True,
    one_root: bool = False,
    most_words: int = SCORED_WORDS,
    block: int = BLOCK,
) -> Iterator[Corpus]:
    """CoNLL-U files in pieces of whole sentences, about `block` bytes each, so that little memory is needed.

    A code has the same meaning in every piece of all files.
    """
    reader = Reader(columns, on_error, trees=trees, one_root=one_root, most_words=most_words)
    yield from stream_opened(reader, ((path, None) for path in corpus_files(paths)), block)


def stream_opened(reader: Reader, files: Iterable[tuple[str, BinaryIO | None]], block: int = BLOCK) -> Iterator[Corpus]:
    """The pieces of files. A file is its name and its stored bytes, or None to read them from disk."""
    before = words_before = 0
    for path, raw in files:
        place = Place(path)
        begin_file(path)
        with open_bytes(path, raw) as stream:
            for text in sentence_blocks(stream, block):
                part, place = reader.read(text, place)
                note_piece(path, part)
                if len(part.text) > _SPARSE * (part.n_words + 100):
                    part = replace(part.own_text(), notes=part.notes)
                yield replace(part, before=before, words_before=words_before)
                before, words_before = before + part.n_sentences, words_before + part.n_words


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: how many lines and sentences come before it."""

    path: str
    lines: int = 0
    sentences: int = 0

    def __add__(self, more: Place) -> Place:
        return Place(self.path, self.lines + more.lines, self.sentences + more.sentences)

    def of(self, defect: Defect) -> Defect:
        """A defect of the text that starts here, with its place in the whole file."""
        line, sentence = self.lines + defect.line, self.sentences + defect.sentence
        return replace(defect, path=self.path, line=line, sentence=sentence)

    def notes(self, notes: ReadingNotes) -> ReadingNotes:
        """The notes on the text that starts here, with their places in the whole file."""
        return notes.moved(self.of, self.lines, self.sentences)


class Reader:
    """Turns blocks of text into corpora; the label tables grow from block to block."""

    def __init__(
        self,
        columns: Sequence[str],
        on_error: str = "stop",
        *,
        trees: bool = True,
        one_root: bool = False,
        most_words: int = SCORED_WORDS,
    ) -> None:
        """The options are those of `read_conllu`."""
        if on_error not in ON_ERROR:
            raise OptionError(f"on_error {on_error!r}; expected one of {', '.join(ON_ERROR)}")
        if not 1 <= most_words <= MAX_WORDS:
            raise OptionError(f"most_words {most_words!r}; expected 1 to {MAX_WORDS:,}")
        unknown = [column for column in columns if column not in COLUMNS]
        if unknown:
            raise OptionError(f"column {unknown[0]!r}; expected one of {', '.join(COLUMNS)}")
        self.columns = tuple(columns)
        self.labels: Columns[tuple[str, ...]] = Columns(dict.fromkeys(self.columns, ()))
        self.skip, self.trees = on_error == "skip", trees
        numbers = [COLUMNS[column] for column in self.columns]
        self.scanner = Scanner(numbers, trees, one_root, self.skip, on_error == "strict", most_words)

    def parse(self, text: bytes, path: str = "") -> Corpus:
        """The corpus of a text."""
        parts, place = [], Place(path)
        for block in sentence_blocks(BytesIO(text), min(len(text) + 1, BLOCK)):
            part, place = self.read(block, place)
            parts.append(part)
        return join_pieces(parts, self.columns)

    def read(self, block: Block, place: Place) -> tuple[Corpus, Place]:
        """The corpus in a block, and the place after the block."""
        length, text = block.end, np.frombuffer(block.buffer, dtype=np.uint8)
        most = length // 13 + 2  # a word needs thirteen bytes or more; there are no more sentences than words
        head = np.empty(most, dtype=np.int32)
        codes = np.empty((len(self.columns), most), dtype=np.int32)
        line, start, begin, number, first_line = (np.empty(most, dtype=np.int64) for _ in range(5))
        id_span = np.empty((most, 2), dtype=np.int64)
        faults = np.empty((length // 2 + 1 if self.skip else 1, 8), dtype=np.int64)
        arrays = (head, codes, line, start, begin, id_span, number, first_line, faults)
        self.scanner.scan(text, block.start, length, *arrays)
        rows, sentences, n_defects, lines, all_sentences = self.scanner.counts()
        notes = self._notes(text[:length], faults[:n_defects], place)
        if notes.defects and not self.skip:
            raise MalformedError(str(notes.defects[0]))
        head, offsets = head[:rows], start[: sentences + 1]
        for column in self.columns:
            known = self.labels[column]
            self.labels[column] = known + tuple(self.scanner.table(COLUMNS[column]).labels(len(known)))
        corpus = Corpus(
            place.path,
            text[:length],
            head,
            Columns({column: codes[k, :rows] for k, column in enumerate(self.columns)}),
            Columns(self.labels),
            offsets,
            line[:rows],
            begin[:sentences],
            id_span[:sentences],
            number[:sentences] + place.sentences,
            first_line[:sentences] + place.lines,
            np.zeros(sentences, dtype=np.int32),
            (place.path,),
            notes,
            checked=(head, offsets) if self.trees else None,
        )
        return corpus, place + Place(place.path, lines + block.lines_lost, all_sentences)

    def _notes(self, text: np.ndarray, faults: np.ndarray, place: Place) -> ReadingNotes:
        """What was left out of a text, with the reasons for the first ones, and which columns were empty."""
        empty = {
            NAMES[k]: EmptyColumn(count, place.lines + line)
            for k, (count, line) in enumerate(self.scanner.empty_columns())
            if count
        }
        last = place.sentences + int(faults[-1, 1]) if len(faults) else 0
        defects = tuple(_defects(text, faults[:MOST_DEFECTS], place))
        return ReadingNotes(len(faults), int(faults[:, 7].sum()), defects, last, empty)


def _defects(text: np.ndarray, faults: np.ndarray, place: Place) -> Iterator[Defect]:
    newlines = np.flatnonzero(text == 10) if len(faults) else text
    for kind, sentence, id_low, id_high, low, high, n, _ in faults.tolist():
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
    """One corpus from the pieces of a stream; only one piece at a time is in memory beside it.

    If the pieces come from several files, the numbers of sentences continue from file to file.
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
    """Joins pieces to one corpus, whose arrays grow in place."""

    def __init__(self) -> None:
        self._text, self._path = bytearray(), ""
        self._arrays: GrowingArrays[str] = GrowingArrays()
        self._arrays.append("start", np.zeros(1, dtype=np.int64))
        self._layers: LayerJoiner | None = None
        self._notes = ReadingNotes()
        self._files: dict[str, int] = {}
        self._trees = True
        self._words = self._earlier = self._met = 0  # sentences of the files before, and of this file so far

    def add(self, part: Corpus) -> None:
        """Add the next piece."""
        if not self._files:
            self._before = part.before, part.words_before
        elif part.path != self._path:
            self._earlier, self._met = self._earlier + self._met, 0
            if not part.layers and not self._text.endswith(b"\n\n"):
                self._text += b"\n" * (2 - self._text.endswith(b"\n"))
        self._path, self._labels = part.path, part.labels
        self._trees &= part.is_checked
        self._met = max([self._met, *part.number[-1:].tolist(), part.notes.last])
        end = len(self._text)
        self._text += part.text.data
        shifted = {"line": end, "begin": end, "id_span": end, "number": self._earlier, "head": 0, "first_line": 0}
        for name, shift in shifted.items():
            self._arrays.append(name, getattr(part, name) + getattr(part, name).dtype.type(shift))
        for column, codes in part.codes.items():
            self._arrays.append(f"codes {column}", codes)
        self._arrays.append("start", part.start[1:] + self._words)
        self._words += part.n_words
        file = self._files.setdefault(part.path, len(self._files))
        self._arrays.append("file", np.full(part.n_sentences, file, dtype=np.int32))
        self._notes += part.notes
        if part.layers:
            from treegauge.corpus.tokens import LayerJoiner

            self._layers = self._layers or LayerJoiner()
            self._layers.add(*part.layers)

    def corpus(self) -> Corpus:
        """The corpus of all pieces."""
        paths, head = tuple(self._files), self._arrays.take("head")
        arrays: dict[str, Any] = {name: self._arrays.take(name) for name in ("start", "line", *OF_SENTENCES)}
        return Corpus(
            paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more",
            np.frombuffer(self._text, dtype=np.uint8),
            head,
            Columns({column: self._arrays.take(f"codes {column}") for column in self._labels}),
            self._labels,
            **arrays,
            files=paths,
            notes=self._notes,
            before=self._before[0],
            words_before=self._before[1],
            layers=self._layers.layers() if self._layers else None,
            checked=(head, arrays["start"]) if self._trees else None,
        )
