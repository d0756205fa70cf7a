"""Other parses of a text, read in step with one parse, so that only a piece of each is in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.compare.align import matched_rows
from treegauge.corpus.compare.comparison import Comparison
from treegauge.corpus.compare.shared_text import shared_runs
from treegauge.corpus.conllu import CorpusSource, join_pieces, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN, file_names
from treegauge.corpus.tokens import without_text
from treegauge.errors import CorpusError, OptionError, check_type, path_list
from treegauge.scorers.opinions import COLUMNS, Opinions, opinions_of
from treegauge.scorers.trust import accuracies, weights
from treegauge.wording import counted

LEARNED_FROM = 200_000  # words; trust in each parse is learned from so many
SAMPLE = 20_000  # words that a model looks at to tell how good a parse is
_AHEAD, _MOST = 1 << 16, 1 << 26  # bytes of text held beyond a piece, and bytes held at most


class OtherParse:
    """Another parse of a text. It is asked about the pieces of the text in order; the first piece starts it again."""

    def __init__(self, source: CorpusSource, name: str, on_error: str = "stop") -> None:
        if STDIN in (source if isinstance(source, (list, tuple)) else [source]):
            raise OptionError("another parse is read twice and cannot be standard input; give a file")
        self.source, self.name, self._on_error = source, name, on_error
        self._start()

    def _start(self) -> None:
        self._pieces, self._more = self._read(), True
        self._held = next(self._pieces, None)
        self._at = self._words = 0  # the place reached in its text, and the words of the pieces so far
        self.unmatched = 0  # words of the pieces that it does not have

    def _read(self) -> Iterator[Corpus]:
        """The pieces of the parse, without their text."""
        if isinstance(self.source, Corpus):
            yield self.source
            return
        paths = path_list(self.source)
        for piece in stream_conllu(*paths, columns=COLUMNS, on_error=self._on_error):
            if piece.n_sentences:
                yield without_text(piece, enhanced=False)

    def beside(self, piece: Corpus) -> Comparison:
        """The next piece of the text beside this parse; a piece that starts earlier starts the reading again."""
        if piece.words_before < self._words:
            self._start()
        text = piece.tokens.chars
        self._hold(self._at + len(text) + _AHEAD)
        if self._held is None:
            return _nothing(piece)
        runs = shared_runs(self._held.tokens, piece.tokens, self._at)
        while (not runs or runs[-1].corpus + runs[-1].size < len(text)) and self._more and self._size < _MOST:
            self._hold(2 * self._size)  # it has text that the piece does not have: the rest of the piece may follow
            runs = shared_runs(self._held.tokens, piece.tokens, self._at)
        comparison = Comparison(piece, self._held, matched_rows(piece, self._held, runs))
        self.unmatched += comparison.unmatched.corpus
        self._words = piece.words_before + piece.n_words
        if runs:
            self._let_go(runs[-1].other + runs[-1].size)
        return comparison

    @property
    def _size(self) -> int:
        return 0 if self._held is None else len(self._held.tokens.chars)

    def _hold(self, size: int) -> None:
        """Read on until so many bytes of text are held."""
        more, held = list[Corpus](), self._size
        while held < size and self._more:
            piece = next(self._pieces, None)
            self._more = piece is not None
            if piece is not None:
                more.append(piece)
                held += len(piece.tokens.chars)
        if more:
            self._held = join_pieces([self._held, *more] if self._held is not None else more, COLUMNS)

    def _let_go(self, at: int) -> None:
        """Drop the sentences that end before a byte, and go on from that byte."""
        assert self._held is not None
        edge = self._held.tokens.sentence_edge
        first = min(int(np.searchsorted(edge, at, side="right")) - 1, self._held.n_sentences)
        self._at = at - int(edge[first])
        if first:
            self._held = self._held.part(first, self._held.n_sentences)


def _nothing(piece: Corpus) -> Comparison:
    """The comparison of a piece with a parse that has no words."""
    return Comparison(piece, piece.part(0, 0), np.full(piece.n_words, -1, np.int32))


@dataclass
class OtherParses:
    """Several other parses of a text, and how much each is to be trusted."""

    source: CorpusSource  # the parse
    parses: list[OtherParse]
    accuracy: np.ndarray  # of this parse and of each other one, as far as they know by how they agree
    on_error: str = "stop"
    words: int = 0  # the words of the pieces so far

    @property
    def weight(self) -> np.ndarray:
        """The weight of this parse and of each other one, in nats."""
        return weights(self.accuracy)

    def samples(self, columns: Sequence[str], most: int | None = None) -> list[Corpus]:
        """The first SAMPLE words of this parse and of each other one, read with these columns; most: of so many."""
        sources = [self.source, *(parse.source for parse in self.parses)][:most]
        return [first_words(source, columns, self.on_error) for source in sources]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parses."""
        return tuple(parse.name for parse in self.parses)

    def beside(self, piece: Corpus) -> list[Comparison]:
        """The next piece of the text beside each of them."""
        if not piece.words_before:
            self.words = 0
        self.words += piece.n_words
        return [parse.beside(piece) for parse in self.parses]

    def __call__(self, piece: Corpus) -> Opinions:
        """What they say of the arcs of the next piece of the text."""
        return opinions_of(piece, self.beside(piece), self.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which parses lack words of the text, after all pieces."""
        return tuple(
            f"{parse.name} lacks {counted(parse.unmatched, 'word')} of {self.words:,}, or cuts the text otherwise "
            "there: scored without it"
            for parse in self.parses
            if parse.unmatched
        )


def other_parses(
    parse: CorpusSource, others: Sequence[CorpusSource], names: Sequence[str] | None = None, on_error: str = "stop"
) -> OtherParses:
    """Other parses of the text of a parse, to be asked about its pieces in order.

    names: of the others, by default those of their files. Words are aligned as in `evaluate`, so that tokens and
    sentences may differ; either may lack some of the text. How much each is to be trusted comes from how they agree
    with each other on the first LEARNED_FROM words. Raises CorpusError for one that has no word of the parse.
    """
    check_type("others", others, (list, tuple), "a list of other parses")
    names = tuple(file_names([_path(source) for source in others]) if names is None else names)
    if not others or len(names) != len(others):
        raise OptionError(f"{counted(len(names), 'name')} of {counted(len(others), 'other parse')}; expected one each")
    if len(set(names)) < len(names):
        raise OptionError(f"names {', '.join(names)}; expected each once")
    parses = [OtherParse(source, name, on_error) for source, name in zip(others, names, strict=True)]
    made = OtherParses(parse, parses, np.full(len(parses) + 1, 0.5), on_error)
    groups = [made(piece).groups for piece in _first(parse, on_error)]
    for k, one in enumerate(parses, 1):
        if not any((part[k] >= 0).any() for part in groups):
            raise CorpusError(
                f"{one.name}: no word of it is one of the parse's; expected another parse of the same text"
            )
    made.accuracy = accuracies(np.concatenate(groups, axis=1))
    return made


def first_words(parse: CorpusSource, columns: Sequence[str], on_error: str = "stop") -> Corpus:
    """The first SAMPLE words of a parse, to the end of a sentence."""
    return join_pieces(list(_first(parse, on_error, tuple(columns), SAMPLE)), tuple(columns))


def _first(
    parse: CorpusSource, on_error: str, columns: tuple[str, ...] = COLUMNS, most: int = LEARNED_FROM
) -> Iterable[Corpus]:
    """The first words of a parse, `most` of them, to the end of a sentence."""
    if isinstance(parse, Corpus):
        pieces: Iterable[Corpus] = [parse]
    else:
        paths = path_list(parse)
        if STDIN in paths:
            raise OptionError("standard input cannot be read twice, as other parses need; give a file")
        pieces = stream_conllu(*paths, columns=columns, on_error=on_error)
    words = 0
    for piece in pieces:
        last = int(np.searchsorted(piece.start, most - words))
        yield piece.part(0, min(last, piece.n_sentences))
        words += piece.n_words
        if words >= most:
            return


def _path(source: CorpusSource) -> str:
    return source.path if isinstance(source, Corpus) else os.fspath(path_list(source)[0])
