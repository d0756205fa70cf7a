"""A corpus as pieces that can be gone through as often as needed, and no more than one of them in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from treegauge.corpus.conllu import Corpus, Place, Reader, join_pieces, stream_conllu
from treegauge.corpus.files import COMPRESSED, STDIN, open_bytes, sentence_blocks
from treegauge.errors import OptionError

_PIECE = 8 << 20  # bytes read and scored at a time: arcs are scored by sentence length, and want company
_UNPACKED = 7  # text that a compressed file holds, as a multiple of its size
_MOST_LABELS = 200_000  # forms that a reader may know before another takes over: a vocabulary never ends


@dataclass(frozen=True)
class FilePieces:
    """The pieces of some files, sentences numbered through. Codes may change their meaning from piece to piece."""

    paths: Sequence[str]
    columns: Sequence[str]
    on_error: str = "stop"

    def __post_init__(self) -> None:
        if STDIN in self.paths:
            raise OptionError("standard input cannot be read twice, as --memory and --split need; give files")

    def __iter__(self) -> Iterator[Corpus]:
        reader = Reader(self.columns, self.on_error)
        earlier = words = sentences = 0  # sentences met in the files before; words and sentences of all pieces before
        for path in self.paths:
            place = Place(path)
            with open_bytes(path) as stream:
                for block in sentence_blocks(stream, _PIECE):
                    if len(reader.labels["form"]) > _MOST_LABELS:
                        reader = Reader(self.columns, self.on_error)
                    piece, place = reader.read(block, place)
                    number = piece.number + earlier
                    yield replace(piece, number=number, before=sentences, words_before=words)
                    words, sentences = words + piece.n_words, sentences + piece.n_sentences
            earlier += place.sentences


def open_pieces(
    paths: Sequence[str],
    columns: Sequence[str],
    on_error: str,
    *,
    streamed: bool,
    met: Callable[[Corpus], object] = lambda piece: None,
) -> Iterable[Corpus]:
    """The pieces of some files: one, read now and held, its parts told to `met`; or many, read when asked for."""
    if streamed:
        return FilePieces(paths, columns, on_error)

    def each(piece: Corpus) -> Corpus:
        met(piece)
        return piece

    return [join_pieces([each(piece) for piece in stream_conllu(*paths, columns=columns, on_error=on_error)], columns)]


def larger_than_memory(paths: Sequence[str], times: int) -> bool:
    """Whether so many times the text of these files, by their sizes, would take more than half of the memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return False
    files = [path for path in paths if os.path.isfile(path)]
    text = sum(os.path.getsize(path) * (_UNPACKED if path.endswith(COMPRESSED) else 1) for path in files)
    return text * times > memory / 2


def missing_newlines(piece: Corpus, following: Corpus | None) -> bytes:
    """What must stand between a piece and one of another file, so that sentences stay apart."""
    if following is None or piece.path == following.path:
        return b""
    end = piece.text[-2:].tobytes()
    return b"\n" * (0 if end == b"\n\n" else 2 - end.endswith(b"\n"))
