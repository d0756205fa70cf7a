"""Tokens with their characters, and enhanced arcs: the parts of CoNLL-U that are not words or trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treegauge.corpus.columns import Columns, Defect, ReadingNotes
from treegauge.corpus.growing_arrays import GrowingArrays
from treegauge.corpus.reading_log import FileRead, note
from treegauge.corpus.tokens_kernel import scan_enhanced, scan_tokens
from treegauge.errors import MalformedError

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus

_ESCAPE = " (--no-enhanced leaves DEPS out)"
DEFECTS = {
    1: "enhanced dependency {value}; expected head:relation" + _ESCAPE,
    2: "head of the enhanced dependency {value}; expected a number" + _ESCAPE,
    3: "head of the enhanced dependency {value}; expected a word of the sentence" + _ESCAPE,
}
MOST_ARCS = 256  # most arcs in DEPS of a word: the arcs of two aligned words are compared pair by pair


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a corpus; sentence s owns tokens start[s]:start[s+1].

    A token is a multiword token or a word outside of one; token t owns chars[edge[t]:edge[t+1]], its form without
    characters of the Unicode category Zs, so that two tokenisations of one text have the same chars.
    """

    chars: np.ndarray  # bytes
    edge: np.ndarray  # one more than there are tokens
    line: np.ndarray  # for each token, how many lines after the first line of its sentence it is
    multiword: np.ndarray  # for each token, whether it is a multiword token
    start: np.ndarray
    of_word: np.ndarray  # the token of each word
    no_space: np.ndarray  # for each word, whether no space follows; for a multiword token, its last word says it
    has_deps: bool  # whether any line has a value in DEPS

    def __len__(self) -> int:
        return len(self.multiword)

    @property
    def sentence_edge(self) -> np.ndarray:
        """Where each sentence's characters start; one more than there are sentences."""
        return np.asarray(self.edge[self.start])

    def forms(self, low: int, high: int) -> list[str]:
        """The forms of tokens low to high, without spaces."""
        return [
            self.chars[self.edge[t] : self.edge[t + 1]].tobytes().decode()
            for t in range(max(low, 0), min(high, len(self)))
        ]


@dataclass(frozen=True, slots=True)
class EnhancedArcs:
    """The arcs of the enhanced graph; word w has arcs start[w]:start[w+1]. Arcs from empty nodes are left out."""

    start: np.ndarray  # one more than there are words
    head: np.ndarray  # position in the sentence, 0 = root
    path_start: np.ndarray  # where each relation starts among the paths; one more than there are arcs
    paths: np.ndarray  # bytes of all relations


def no_arcs(words: int) -> EnhancedArcs:
    """The enhanced arcs of so many words that have none."""
    return EnhancedArcs(
        np.zeros(words + 1, np.int64), np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.uint8)
    )


def tokens_of(corpus: Corpus) -> Tokens:
    """The tokens of a corpus, from its text."""
    n_words, n_sentences = corpus.n_words, corpus.n_sentences
    chars = np.empty(len(corpus.text), np.uint8)
    edge, line = np.zeros(n_words + 1, np.int64), np.empty(n_words, np.int32)
    multiword, start = np.empty(n_words, np.uint8), np.zeros(n_sentences + 1, np.int64)
    of_word, no_space = np.empty(n_words, np.int32), np.zeros(n_words, np.uint8)
    arrays = (chars, edge[1:], line, multiword, start, of_word, no_space)
    counts = np.zeros(3, np.int64)
    if n_words:
        scan_tokens(corpus.text, corpus.begin, corpus.start, *arrays, counts)
    n_chars, n, has_deps = counts.tolist()
    start[-1] = n
    rest = (start, of_word, no_space, bool(has_deps))
    return Tokens(chars[:n_chars].copy(), edge[: n + 1], line[:n], multiword[:n], *rest)


def enhanced_of(corpus: Corpus, tokens: Tokens) -> EnhancedArcs:
    """The enhanced arcs of a corpus, from its text; raises LayerError with file, line and sentence."""
    size = 1 << 20
    blocks = range(0, len(corpus.text) if tokens.has_deps else 0, size)
    # a word has at most one arc more than separators
    most = corpus.n_words + sum(int(np.count_nonzero(corpus.text[low : low + size] == ord("|"))) for low in blocks)
    start, head = np.zeros(corpus.n_words + 1, np.int64), np.empty(most, np.int32)
    path_start, paths = np.empty(most + 1, np.int64), np.empty(len(corpus.text), np.uint8)
    path_start[0] = 0
    counts = np.zeros(6, np.int64)
    if tokens.has_deps:
        scan_enhanced(corpus.text, corpus.line, corpus.start, start[1:], head, path_start[1:], paths, counts)
    n, n_paths, kind, s, low, high = counts.tolist()
    if kind:
        value = repr(corpus.text[low:high].tobytes().decode(errors="replace"))
        raise LayerError(corpus, s, _line(corpus, s, low), DEFECTS[kind].format(value=value))
    many = np.diff(start) > MOST_ARCS
    if many.any():
        w = int(np.argmax(many))
        arcs = f"{start[w + 1] - start[w]:,} arcs in DEPS; expected at most {MOST_ARCS}{_ESCAPE}"
        s = int(corpus.sentence[w])
        raise LayerError(corpus, s, _line(corpus, s, int(corpus.line[w])), f"word {corpus.position[w]} has {arcs}")
    return EnhancedArcs(start, head[:n].copy(), path_start[: n + 1].copy(), paths[:n_paths].copy())


_TOGETHER = 64  # for each malformed sentence, so many sentences are checked again


class LayerError(MalformedError):
    """The tokens or the enhanced arcs of a sentence are malformed."""

    def __init__(self, corpus: Corpus, s: int, line: int, message: str) -> None:
        """s: the sentence; line: how many lines after its first line the error is."""
        place = corpus.files[corpus.file[s]], int(corpus.first_line[s]) + line, int(corpus.number[s])
        self.sentence, self.defect = s, Defect(*place, corpus.sent_id(s), message)
        super().__init__(str(self.defect))


def _line(corpus: Corpus, s: int, place: int) -> int:
    """How many lines after the first line of a sentence a place of the text is."""
    return int(np.count_nonzero(corpus.text[corpus.begin[s] : place] == 10))


def check_forms(corpus: Corpus) -> None:
    """Raise LayerError for a form without characters, because words are aligned by characters."""
    tokens = corpus.tokens
    empty = tokens.edge[1:] == tokens.edge[:-1]
    if empty.any():
        t = int(np.argmax(empty))
        s = int(np.searchsorted(tokens.start, t, side="right")) - 1
        form = "of a multiword token"
        if not tokens.multiword[t]:
            form = repr(corpus.value("form", int(np.searchsorted(tokens.of_word, t))))
        raise LayerError(corpus, s, int(tokens.line[t]), f"form {form}; expected a character that is no space")


class LayerJoiner:
    """Joins the tokens and enhanced arcs of several corpora, in arrays that grow in place."""

    def __init__(self) -> None:
        self._arrays: GrowingArrays[str] = GrowingArrays()
        for name in ("edge", "start", "arcs start", "path_start"):
            self._arrays.append(name, np.zeros(1, np.int64))
        self._tokens = self._chars = self._arcs = self._paths = 0
        self._has_deps = False

    def add(self, tokens: Tokens, enhanced: EnhancedArcs | None) -> None:
        """Add the layers of the next piece."""
        append = self._arrays.append
        for name in ("chars", "line", "multiword", "no_space"):
            append(name, getattr(tokens, name))
        append("edge", tokens.edge[1:] + self._chars)
        append("start", tokens.start[1:] + self._tokens)
        append("of_word", tokens.of_word + np.int32(self._tokens))
        self._tokens, self._chars = self._tokens + len(tokens), self._chars + len(tokens.chars)
        self._has_deps |= tokens.has_deps
        if enhanced is None:
            append("arcs start", np.full(len(tokens.of_word), self._arcs, np.int64))
        else:
            append("arcs start", enhanced.start[1:] + self._arcs)
            append("head", enhanced.head)
            append("path_start", enhanced.path_start[1:] + self._paths)
            append("paths", enhanced.paths)
            self._arcs, self._paths = self._arcs + len(enhanced.head), self._paths + len(enhanced.paths)

    def layers(self) -> tuple[Tokens, EnhancedArcs | None]:
        """The layers of all pieces; None instead of enhanced arcs if no piece has any."""
        take = self._arrays.take
        names = ("chars", "edge", "line", "multiword", "start", "of_word", "no_space")
        tokens = Tokens(**{name: take(name) for name in names}, has_deps=self._has_deps)
        if not self._arcs:  # there are none, or they were not asked for
            return tokens, None
        return tokens, EnhancedArcs(*map(take, ("arcs start", "head", "path_start", "paths")))


def layers_part(
    layers: tuple[Tokens, EnhancedArcs | None], sentences: slice, words: slice
) -> tuple[Tokens, EnhancedArcs | None]:
    """The layers of some sentences, which have these words; they share the arrays."""
    tokens, enhanced = layers
    low, high = tokens.start[[sentences.start, sentences.stop]].tolist()
    edge = tokens.edge[low : high + 1]
    part = Tokens(
        tokens.chars[edge[0] : edge[-1]],
        edge - edge[0],
        tokens.line[low:high],
        tokens.multiword[low:high],
        tokens.start[sentences.start : sentences.stop + 1] - low,
        tokens.of_word[words] - np.int32(low),
        tokens.no_space[words],
        tokens.has_deps,
    )
    if enhanced is None:
        return part, None
    start = enhanced.start[words.start : words.stop + 1]
    paths = enhanced.path_start[start[0] : start[-1] + 1]
    head, of_paths = enhanced.head[start[0] : start[-1]], enhanced.paths[paths[0] : paths[-1]]
    return part, EnhancedArcs(start - start[0], head, paths - paths[0], of_paths)


@dataclass(frozen=True, slots=True)
class MultiwordToken:
    """A multiword token: words first … last (positions, from 1) of a sentence are written as one form."""

    sentence: int
    first: int
    last: int
    form: str


def multiword_tokens(corpus: Corpus) -> list[MultiwordToken]:
    """The multiword tokens of a corpus, in text order."""
    tokens = corpus.tokens
    which = np.flatnonzero(tokens.multiword)
    sentence = np.searchsorted(tokens.start, which, side="right") - 1
    behind = np.searchsorted(tokens.of_word, [which, which + 1]) - corpus.start[sentence]
    multiword = []
    for t, s, before, last in zip(which.tolist(), sentence.tolist(), *behind.tolist(), strict=True):
        line = corpus.sentence_text(s).split(b"\n")[tokens.line[t]]
        multiword.append(MultiwordToken(s, before + 1, last, line.split(b"\t")[1].decode()))
    return multiword


def without_text(corpus: Corpus, enhanced: bool = True) -> Corpus:
    """The same corpus with its tokens and, if asked, its enhanced arcs, but without its text, except for sent_ids."""
    lengths = np.diff(corpus.id_span, axis=1).ravel()
    ends = np.cumsum(lengths)
    head, start = corpus.head.copy(), corpus.start.copy()
    places = np.repeat(corpus.id_span[:, 0] - (ends - lengths), lengths) + np.arange(lengths.sum())
    return replace(
        corpus,
        text=corpus.text[places],
        head=head,
        checked=(head, start) if corpus.is_checked else None,
        codes=Columns({column: codes.copy() for column, codes in corpus.codes.items()}),
        start=start,
        line=np.empty(0, dtype=np.int64),
        begin=np.empty(0, dtype=np.int64),
        id_span=np.stack([ends - lengths, ends], axis=1),
        number=corpus.number.copy(),
        first_line=corpus.first_line.copy(),
        layers=(tokens := tokens_of(corpus), enhanced_of(corpus, tokens) if enhanced else None),
    )


def without_malformed_layers(corpus: Corpus, enhanced: bool = True) -> Corpus:
    """The corpus without sentences whose forms or, if asked, enhanced arcs are malformed; `defects` lists them."""
    if _first_malformed(corpus, enhanced) is None:
        return corpus
    well_formed, defects = np.ones(corpus.n_sentences, bool), list[Defect]()
    for low in range(0, corpus.n_sentences, _TOGETHER):  # after an error, only these sentences are checked again
        part = corpus.part(low, min(low + _TOGETHER, corpus.n_sentences))
        place = np.arange(low, low + part.n_sentences)
        while (error := _first_malformed(part, enhanced)) is not None:
            defects.append(error.defect)
            well_formed[place[error.sentence]] = False
            stays = np.arange(part.n_sentences) != error.sentence
            part, place = part.select(stays), place[stays]
    notes, lengths = corpus.notes, np.diff(corpus.start)
    for file in np.unique(corpus.file[~well_formed]).tolist():
        path, words = corpus.files[file], int(lengths[~well_formed & (corpus.file == file)].sum())
        reasons = tuple(defect for defect in defects if defect.path == path)
        skipped = ReadingNotes(len(reasons), words, reasons)
        note(path, FileRead(-len(reasons), -words, skipped))
        notes += skipped
    return replace(corpus.select(well_formed), notes=notes)


def _first_malformed(corpus: Corpus, enhanced: bool) -> LayerError | None:
    """The error of the first malformed form or, if asked, enhanced arc; None if there is none."""
    try:
        check_forms(corpus)
        if enhanced:
            enhanced_of(corpus, corpus.tokens)
    except LayerError as error:
        return error
    return None
