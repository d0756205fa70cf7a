"""A treebank as evaluation needs it: words laid over tokens, tokens over characters; the text is let go."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.attachment.tokens_kernel import scan_tokens
from treegauge.corpus.conllu import Corpus, stream_conllu
from treegauge.errors import CorpusError

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel")

_ESCAPE = " (--no-enhanced leaves DEPS out)"
DEFECTS = {
    1: "form {value}; expected a character that is no space",
    2: "enhanced dependency {value}; expected head:relation" + _ESCAPE,
    3: "head of the enhanced dependency {value}; expected a number" + _ESCAPE,
    4: "head of the enhanced dependency {value}; expected a word of the sentence" + _ESCAPE,
}


@dataclass(frozen=True)
class Enhanced:
    """Arcs of the enhanced graph; word w has arcs start[w]:start[w+1], those from empty nodes left out."""

    start: np.ndarray  # one more than there are words
    head: np.ndarray  # position in the sentence, 0 = root
    path_start: np.ndarray  # where each relation starts among the paths; one more than there are arcs
    paths: np.ndarray  # bytes of all relations


@dataclass(frozen=True)
class Treebank:
    """One file. Sentence s owns words start[s]:start[s+1] and tokens token_start[s]:token_start[s+1].

    A token is a multiword token or a word outside of one; token t owns chars[edge[t]:edge[t+1]], its form
    without characters of the Unicode category Zs, so that two tokenisations of one text have the same chars.
    """

    path: str
    chars: np.ndarray  # bytes
    edge: np.ndarray  # one more than there are tokens
    token_line: np.ndarray  # in the file, from 1
    multiword: np.ndarray  # of each token: whether it is a multiword token
    token_start: np.ndarray
    token: np.ndarray  # of each word
    head: np.ndarray  # position in the sentence, 0 = root
    codes: dict[str, np.ndarray]
    labels: dict[str, tuple[str, ...]]
    start: np.ndarray
    number: np.ndarray  # of each sentence in its file, from 1
    ids: np.ndarray  # bytes of all sent_ids
    id_start: np.ndarray
    enhanced: Enhanced | None  # None where there is no enhanced arc, or they were not asked for

    def __repr__(self) -> str:
        return f"Treebank({self.path!r}, {self.n_sentences} sentences, {self.n_words} words)"

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return len(self.head)

    @property
    def n_sentences(self) -> int:
        """How many sentences there are."""
        return len(self.start) - 1

    @cached_property
    def sentence(self) -> np.ndarray:
        """Index of the sentence that each word is in."""
        return np.repeat(np.arange(self.n_sentences, dtype=np.int32), np.diff(self.start))

    @cached_property
    def head_row(self) -> np.ndarray:
        """Row of each word's head, -1 for the root."""
        row = np.repeat(self.start[:-1], np.diff(self.start)) + self.head - 1
        return np.where(self.head == 0, -1, row).astype(np.int32)

    @cached_property
    def sentence_edge(self) -> np.ndarray:
        """Where each sentence's characters start; one more than there are sentences."""
        return self.edge[self.token_start]

    def sent_id(self, s: int) -> str:
        """The sent_id of a sentence, empty where it has none."""
        return self.ids[self.id_start[s] : self.id_start[s + 1]].tobytes().decode()

    def place(self, s: int) -> str:
        """How messages name a sentence: its number, and its sent_id where it has one."""
        name = self.sent_id(s)
        return f"sentence {self.number[s]} ({name})" if name else f"sentence {self.number[s]}"

    def forms(self, s: int) -> list[str]:
        """The word forms of a sentence."""
        labels = self.labels["form"]
        return [labels[code] for code in self.codes["form"][self.start[s] : self.start[s + 1]]]

    def token_forms(self, low: int, high: int) -> list[str]:
        """Tokens low to high, without spaces."""
        return [
            self.chars[self.edge[t] : self.edge[t + 1]].tobytes().decode()
            for t in range(max(low, 0), min(high, len(self.multiword)))
        ]


def read_treebank(
    path: str | os.PathLike[str], *, enhanced: bool = True, progress: Callable[[int], None] | None = None
) -> Treebank:
    """A CoNLL-U file, plain or compressed, `-` for standard input, read in blocks.

    Several root words are allowed; blank lines may be doubled, and the last one missing. `enhanced=False`
    does not look at DEPS. progress is told words as they are read. Raises CorpusError with file, line, sentence,
    value and expectation.
    """
    name = os.fspath(path)
    parts: list[_Part] = []
    scratch = _Scratch()
    lines = 0
    labels: dict[str, tuple[str, ...]] = dict.fromkeys(COLUMNS, ())
    for corpus in stream_conllu(name, columns=COLUMNS):
        part = _scan(corpus, enhanced, lines, scratch)
        lines += part.n_lines
        labels = corpus.labels
        parts.append(part)
        if progress is not None:
            progress(corpus.n_words)
    if not any(len(part.head) for part in parts):
        raise CorpusError(f"{name}: no sentence in this file")
    return _join(name, parts, labels)


@dataclass(frozen=True)
class _Part:
    """What one block has, its offsets from 0."""

    chars: np.ndarray
    token_end: np.ndarray
    token_line: np.ndarray
    multiword: np.ndarray
    token_start: np.ndarray
    token: np.ndarray
    head: np.ndarray
    codes: dict[str, np.ndarray]
    start: np.ndarray
    number: np.ndarray
    ids: np.ndarray
    id_length: np.ndarray
    dep_end: np.ndarray
    dep_head: np.ndarray
    path_end: np.ndarray
    paths: np.ndarray
    n_lines: int


class _Scratch:
    """Arrays that the scanner fills and that are used again for the next block."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def __call__(self, name: str, size: int, dtype: type[np.integer]) -> np.ndarray:
        have = self.arrays.get(name)
        if have is None or len(have) < size:
            have = self.arrays[name] = np.empty(size + size // 4, dtype)
        return have[:size]


def _scan(corpus: Corpus, enhanced: bool, lines: int, scratch: _Scratch) -> _Part:
    """The tokens of a block; copies, so that the block's text can go."""
    n_bytes, n_words = len(corpus.text), corpus.n_words
    first = 3 if lines == 0 and corpus.text[:3].tobytes() == b"\xef\xbb\xbf" else 0  # a byte order mark
    most_deps = n_bytes // 3 + 1 if enhanced else 1  # head, colon, separator
    chars = scratch("chars", n_bytes, np.uint8)
    paths = scratch("paths", n_bytes if enhanced else 1, np.uint8)
    token_end, token_line = scratch("end", n_words, np.int64), scratch("line", n_words, np.int64)
    multiword, token = scratch("multiword", n_words, np.uint8), scratch("token", n_words, np.int32)
    token_start = scratch("start", corpus.n_sentences + 1, np.int64)
    dep_end, dep_head = scratch("dep_end", n_words, np.int64), scratch("dep_head", most_deps, np.int32)
    path_end, counts = scratch("path_end", most_deps, np.int64), np.zeros(12, np.int64)
    if n_words:
        scan_tokens(
            corpus.text,
            first,
            enhanced,
            chars,
            token_end,
            token_line,
            multiword,
            token,
            token_start,
            corpus.start,
            dep_end,
            dep_head,
            path_end,
            paths,
            counts,
        )
    n_chars, n_tokens, words, _, n_deps, n_paths, n_lines, kind, line, s, low, high = counts.tolist()
    if kind:
        name = corpus.sent_id(s)
        value = repr(corpus.text[low:high].tobytes().decode(errors="replace"))
        raise CorpusError(
            f"{corpus.path}:{lines + line}: sentence {corpus.number[s]}{f' ({name})' if name else ''}: "
            + DEFECTS[kind].format(value=value)
        )
    assert words == n_words
    return _Part(
        chars[:n_chars].copy(),
        token_end[:n_tokens].copy(),
        token_line[:n_tokens] + lines,
        multiword[:n_tokens].copy(),
        token_start[:-1].copy(),
        token.copy(),
        corpus.head.copy(),
        {column: codes.copy() for column, codes in corpus.codes.items()},
        corpus.start[:-1].copy(),
        corpus.number.copy(),
        _id_bytes(corpus),
        np.diff(corpus.id_span, axis=1).ravel(),
        dep_end[: n_words if enhanced else 0].copy(),
        dep_head[:n_deps].copy(),
        path_end[:n_deps].copy(),
        paths[:n_paths].copy(),
        n_lines,
    )


def _id_bytes(corpus: Corpus) -> np.ndarray:
    """The sent_ids of a block, one behind the other."""
    lengths = np.diff(corpus.id_span, axis=1).ravel()
    before = np.cumsum(lengths) - lengths
    at = np.repeat(corpus.id_span[:, 0] - before, lengths) + np.arange(lengths.sum())
    return corpus.text[at]


def _join(path: str, parts: list[_Part], labels: dict[str, tuple[str, ...]]) -> Treebank:
    """One treebank of the blocks of a file."""
    n_chars = _before([len(part.chars) for part in parts])
    n_tokens = _before([len(part.multiword) for part in parts])
    n_words = _before([len(part.head) for part in parts])
    n_deps = _before([len(part.dep_head) for part in parts])
    n_paths = _before([len(part.paths) for part in parts])

    def ends(arrays: Sequence[np.ndarray], shifts: list[int]) -> np.ndarray:
        return _shifted(arrays, shifts, 1)

    def starts(arrays: Sequence[np.ndarray], shifts: list[int]) -> np.ndarray:
        return _shifted([*arrays, np.zeros(1, np.int64)], shifts, 0)

    enhanced = None
    if n_deps[-1]:
        enhanced = Enhanced(
            ends([part.dep_end for part in parts], n_deps),
            np.concatenate([part.dep_head for part in parts]),
            ends([part.path_end for part in parts], n_paths),
            np.concatenate([part.paths for part in parts]),
        )
    return Treebank(
        path,
        np.concatenate([part.chars for part in parts]),
        ends([part.token_end for part in parts], n_chars),
        np.concatenate([part.token_line for part in parts]),
        np.concatenate([part.multiword for part in parts]),
        starts([part.token_start for part in parts], n_tokens),
        _shifted([part.token for part in parts], n_tokens, 0, np.int32),
        np.concatenate([part.head for part in parts]),
        {column: np.concatenate([part.codes[column] for part in parts]) for column in COLUMNS},
        labels,
        starts([part.start for part in parts], n_words),
        np.concatenate([part.number for part in parts]),
        np.concatenate([part.ids for part in parts]),
        np.cumsum(np.concatenate([[0], *(part.id_length for part in parts)])),
        enhanced,
    )


def _before(sizes: Sequence[int]) -> list[int]:
    """What lies before each block, then the total."""
    return [0, *np.cumsum(sizes).tolist()]


def _shifted(
    arrays: Sequence[np.ndarray], shifts: list[int], zeros: int, dtype: type[np.signedinteger] = np.int64
) -> np.ndarray:
    """One array of them all, each moved by its shift, behind so many zeros."""
    joined = np.zeros(zeros + sum(map(len, arrays)), dtype)
    at = zeros
    for array, shift in zip(arrays, shifts, strict=False):
        np.add(array, shift, out=joined[at : at + len(array)])
        at += len(array)
    return joined
