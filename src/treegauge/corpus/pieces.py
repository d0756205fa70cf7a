"""The pieces of a corpus: one can iterate over them several times, and only one is in memory at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from treegauge.corpus.conllu import Place, Reader, join_pieces, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import COMPRESSED, STDIN, open_bytes, sentence_blocks
from treegauge.corpus.reading_log import begin_file, note_piece
from treegauge.errors import OptionError

_PIECE = 2 << 20  # how many bytes are read and scored at a time
_UNPACKED = 7  # the text of a compressed file is about so many times as large
_MOST_LABELS = 200_000  # after so many forms a new reader starts, because a vocabulary never stops growing


@dataclass(frozen=True)
class FilePieces:
    """The pieces of some files; the numbers of sentences continue from file to file, and small files share a piece.

    A code may have another meaning in another piece. once: the pieces are read only once.
    """

    paths: Sequence[str]
    columns: Sequence[str]
    on_error: str = "stop"
    once: bool = False

    def __post_init__(self) -> None:
        if STDIN in self.paths and not self.once:
            raise OptionError("standard input cannot be read twice, as --memory and --split need; give files")

    def __iter__(self) -> Iterator[Corpus]:
        words = sentences = 0  # how many earlier pieces have
        for earlier, parts in self._batches():
            piece = join_pieces(parts, self.columns)
            yield replace(piece, number=piece.number + earlier, before=sentences, words_before=words)
            words, sentences = words + piece.n_words, sentences + piece.n_sentences

    def _batches(self) -> Iterator[tuple[int, list[Corpus]]]:
        """The parts of each piece of about _PIECE bytes, and how many sentences come in files before its first part."""
        batch: list[Corpus] = []
        first = earlier = size = 0
        reader = Reader(self.columns, self.on_error)
        for path in self.paths:
            place = Place(path)
            begin_file(path)
            with open_bytes(path) as stream:
                for block in sentence_blocks(stream, _PIECE):
                    again = place.lines == 0 and any(part.path == path for part in batch)  # a file given twice
                    if batch and (size + block.end > _PIECE or again):
                        yield first, batch
                        batch, size = [], 0
                        if max(map(len, reader.labels.values())) > _MOST_LABELS:
                            reader = Reader(self.columns, self.on_error)
                    part, place = reader.read(block, place)
                    note_piece(path, part)
                    first = first if batch else earlier
                    batch.append(part)
                    size += block.end
            earlier += place.sentences
        if batch:
            yield first, batch


def open_pieces(
    paths: Sequence[str],
    columns: Sequence[str],
    on_error: str,
    *,
    streamed: bool,
    once: bool = False,
    met: Callable[[Corpus], object] = lambda piece: None,
) -> Iterable[Corpus]:
    """The pieces of some files: many, read when they are needed; or one, read now, whose parts are given to `met`."""
    if streamed:
        return FilePieces(paths, columns, on_error, once)

    def each(piece: Corpus) -> Corpus:
        met(piece)
        return piece

    return [join_pieces(map(each, stream_conllu(*paths, columns=columns, on_error=on_error)), columns)]


def larger_than_memory(paths: Sequence[str], times: int) -> bool:
    """Whether `times` times the text of these files, by their sizes, needs more than half of the memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return False
    files = [path for path in paths if os.path.isfile(path)]
    text = sum(os.path.getsize(path) * (_UNPACKED if path.endswith(COMPRESSED) else 1) for path in files)
    return text * times > memory / 2


def missing_newlines(piece: Corpus, following: Corpus | None) -> bytes:
    """The newlines that are needed between a piece and a piece of another file, to separate sentences."""
    if following is None or piece.files[-1] == following.files[0]:
        return b""
    end = piece.text[-2:].tobytes()
    return b"\n" * (0 if end == b"\n\n" else 2 - end.endswith(b"\n"))
