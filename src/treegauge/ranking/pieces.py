"""A corpus as pieces that can be gone through as often as needed, and no more than one of them in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from treegauge.corpus.conllu import Corpus, Place, Reader
from treegauge.corpus.conllu_kernel import PAD
from treegauge.corpus.files import STDIN, open_bytes, sentence_blocks
from treegauge.errors import OptionError

_PIECE = 8 << 20  # bytes read and scored at a time: arcs are scored by sentence length, and want company
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
                for buffer, length in sentence_blocks(stream, _PIECE, PAD):
                    if len(reader.labels["form"]) > _MOST_LABELS:
                        reader = Reader(self.columns, self.on_error)
                    piece, place = reader.read(buffer, length, place)
                    number = piece.number + earlier
                    yield replace(piece, number=number, before=sentences, words_before=words)
                    words, sentences = words + piece.n_words, sentences + piece.n_sentences
            earlier += place.sentences


def missing_newlines(piece: Corpus, following: Corpus | None) -> bytes:
    """What must stand between a piece and one of another file, so that sentences stay apart."""
    if following is None or piece.path == following.path:
        return b""
    end = piece.text[-2:].tobytes()
    return b"\n" * (0 if end == b"\n\n" else 2 - end.endswith(b"\n"))
