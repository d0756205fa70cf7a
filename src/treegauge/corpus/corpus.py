"""A corpus: the words of all trees in one table, together with the text that they were read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.columns import NO_NOTES, Columns, Defect, ReadingNotes
from treegauge.corpus.conllu_kernel import MAX_WORDS
from treegauge.corpus.relations import Relations, relation_codes
from treegauge.errors import CorpusError, check_whole
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.tokens import EnhancedArcs, Tokens


SCORED_WORDS = 4095  # most words of a sentence that scorers take, as a position needs 12 bits in their kernels
OF_SENTENCES = ("begin", "id_span", "number", "first_line", "file")  # arrays of a corpus with a row per sentence


@dataclass(frozen=True)
class Corpus:
    """A table with one row for each word, and the text; sentence s has rows start[s]:start[s+1].

    Multiword tokens and empty nodes are not words: they have no row, but they are in the text.
    """

    path: str
    text: np.ndarray  # the bytes that were read; in a corpus without text, only the sent_ids
    head: np.ndarray  # position in the sentence, 0 = root, -1 = no head
    codes: Columns[np.ndarray]  # column name -> code of each word
    labels: Columns[tuple[str, ...]]  # column name -> what the codes stand for
    start: np.ndarray  # offsets, one more than there are sentences
    line: np.ndarray  # where each word's line starts in the text
    begin: np.ndarray  # where each sentence starts in the text
    id_span: np.ndarray  # where each sent_id starts and ends in the text
    number: np.ndarray  # number of each sentence in its file, from 1; sentences that were left out are counted, too
    first_line: np.ndarray  # number of each sentence's first line in its file, from 1
    file: np.ndarray  # code of each sentence's file
    files: tuple[str, ...]
    notes: ReadingNotes = field(default=NO_NOTES, repr=False)  # what was left out, and which columns were empty
    before: int = 0  # sentences of the stream that came before this piece
    words_before: int = 0
    layers: tuple[Tokens, EnhancedArcs | None] | None = field(default=None, repr=False)  # only in a corpus without text
    checked: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)  # head and start that make trees

    def __post_init__(self) -> None:
        """Check all that kernels rely on; raise CorpusError if an array has a wrong type, size or value."""
        head, start = self.head, self.start
        n, sentences = len(head), len(start) - 1
        _check_array(self.path, "head", head, np.int32, -1, MAX_WORDS)
        _check_array(self.path, "start", start, np.int64, 0, n)
        if sentences < 0 or start[0] != 0 or start[-1] != n or (start[1:] < start[:-1]).any():
            raise CorpusError(f"{self.path}: start; expected offsets that grow from 0 to {n}, the number of words")
        for column, codes in self.codes.items():
            _check_array(self.path, f"codes of {column}", codes, np.int32, 0, len(self.labels[column]) - 1)
        lengths = {f"codes of {column}": (len(codes), n) for column, codes in self.codes.items()}
        lengths |= {name: (len(getattr(self, name)), sentences) for name in ("number", "first_line", "file", "id_span")}
        if self.layers is None:
            lengths |= {"line": (len(self.line), n), "begin": (len(self.begin), sentences)}
            for name in ("line", "begin"):
                _check_array(self.path, name, getattr(self, name), np.int64, 0, len(self.text) - 1)
        for name, (length, expected) in lengths.items():
            if length != expected:
                raise CorpusError(f"{self.path}: {length} values of {name}; expected {expected}")

    @property
    def is_checked(self) -> bool:
        """Whether the heads are known to make trees."""
        return self.checked is not None and self.checked[0] is self.head and self.checked[1] is self.start

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

    @property
    def defects(self) -> tuple[Defect, ...]:
        """Why sentences were left out when the corpus was read, for the first of them; `notes` has their number."""
        return self.notes.defects

    @cached_property
    def sentence_length(self) -> np.ndarray:
        """For each word, how many words its sentence has."""
        lengths = np.diff(self.start)
        return np.repeat(lengths, lengths)

    @cached_property
    def sentence(self) -> np.ndarray:
        """The index of each word's sentence."""
        return np.repeat(np.arange(self.n_sentences), np.diff(self.start))

    @cached_property
    def position(self) -> np.ndarray:
        """The position of each word in its sentence, from 1."""
        return np.arange(self.n_words) - self.start[self.sentence] + 1

    @cached_property
    def sent_ids(self) -> list[str]:
        """The sent_id of each sentence, empty if it has none."""
        return [self.sent_id(s) for s in range(self.n_sentences)]

    def sent_id(self, s: int) -> str:
        """The sent_id of a sentence, empty if it has none."""
        low, high = self.id_span[s].tolist()
        return self.text[low:high].tobytes().decode()

    def value(self, column: str, w: int) -> str:
        """The value of a word in a column that was read."""
        return self.labels[column][self.codes[column][w]]

    def forms(self, s: int) -> list[str]:
        """The word forms of a sentence."""
        labels = self.labels["form"]
        return [labels[code] for code in self.codes["form"][self.start[s] : self.start[s + 1]].tolist()]

    def place(self, s: int) -> str:
        """The name of a sentence in messages: its number, and its sent_id if it has one."""
        name = self.sent_id(s)
        return f"sentence {self.number[s]} ({name})" if name else f"sentence {self.number[s]}"

    def where(self, s: int, line: int = 0) -> str:
        """File and line, for messages; line: how many lines after the first line of the sentence."""
        return f"{self.files[self.file[s]]}:{self.first_line[s] + line}"

    @cached_property
    def tree_head(self) -> np.ndarray:
        """The heads, after a check that every sentence is a tree; raises CorpusError if one is not."""
        if not self.is_checked:
            check_trees(self)
        return self.head

    @cached_property
    def scorable_head(self) -> np.ndarray:
        """The same as `tree_head`, after `check_lengths`."""
        self.check_lengths()
        return self.tree_head

    def check_lengths(self) -> None:
        """Raise CorpusError if a sentence is too long for the kernels that count and score arcs."""
        longest = int(np.diff(self.start).argmax()) if self.n_sentences else 0
        length = int(self.start[longest + 1] - self.start[longest]) if self.n_sentences else 0
        if length > SCORED_WORDS:
            where = f"{self.where(longest)}: {self.place(longest)}"
            raise CorpusError(f"{where}: {length:,} words; expected at most {SCORED_WORDS:,} to count or score arcs")

    @cached_property
    def head_row(self) -> np.ndarray:
        """The row of each word's head in the corpus, -1 for the root."""
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
        """The relation of each word, without its subtype unless `subtypes`; names are in the order of the labels."""
        names: dict[str, int] = {}
        of_label = relation_codes(self.labels["deprel"], subtypes, names)
        return Relations(of_label[self.codes["deprel"]], tuple(names))

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens, made on first use."""
        from treegauge.corpus.tokens import tokens_of

        return self.layers[0] if self.layers else tokens_of(self)

    @cached_property
    def enhanced(self) -> EnhancedArcs | None:
        """The arcs of DEPS, made on first use; None if there are none."""
        from treegauge.corpus.tokens import enhanced_of

        arcs = self.layers[1] if self.layers else enhanced_of(self, self.tokens)
        return arcs if arcs and len(arcs.head) else None

    def line_text(self, w: int) -> bytes:
        """The line of a word in the text."""
        s = int(self.sentence[w])
        return self.sentence_text(s)[int(self.line[w] - self.begin[s]) :].partition(b"\n")[0].rstrip(b"\r")

    def line_number(self, w: int) -> int:
        """The number of a word's line in its file, from 1."""
        s = int(self.sentence[w])
        before = self.text[int(self.begin[s]) : int(self.line[w])]
        return int(self.first_line[s]) + int(np.count_nonzero(before == ord("\n")))

    def sentence_text(self, s: int) -> bytes:
        """The text of a sentence with its comments, without the blank line after it."""
        self._check_text()
        low, last = int(self.begin[s]), int(self.line[self.start[s + 1] - 1])  # the next sentence may start much later
        size = 1 << 10
        while True:
            text = self.text[low : last + size].tobytes()
            ends = [end for end in (text.find(b"\n\n", last - low), text.find(b"\n\r\n", last - low)) if end >= 0]
            if ends or last + size >= len(self.text):
                return text[: min(ends, default=len(text))]
            size *= 16

    def select(self, sentences: Sequence[int] | np.ndarray) -> Corpus:
        """The corpus of some sentences (indices, or a mask), in the order of the corpus, with the same text."""
        self._check_text()
        chosen = np.zeros(self.n_sentences, dtype=bool)
        chosen[np.asarray(sentences, dtype=None if len(sentences) else np.int64)] = True
        start = np.append(0, np.cumsum(np.diff(self.start)[chosen]))
        return self._with_rows(np.repeat(chosen, np.diff(self.start)), chosen, start=start, before=0, words_before=0)

    def part(self, low: int, high: int) -> Corpus:
        """The corpus of sentences low to high, without high, which shares the text and the arrays."""
        check_whole("high", high, 0, self.n_sentences)
        check_whole("low", low, 0, high)
        first, last = self.start[[low, high]].tolist()
        layers = None
        if self.layers:
            from treegauge.corpus.tokens import layers_part

            layers = layers_part(self.layers, slice(low, high), slice(first, last))
        start, before, words_before = self.start[low : high + 1] - first, self.before + low, self.words_before + first
        changes = {"start": start, "before": before, "words_before": words_before, "layers": layers}
        return self._with_rows(slice(first, last), slice(low, high), **changes)

    def parts(self, words: int) -> Iterator[Corpus]:
        """The corpus in parts of so many words or more, none of them small, of whole sentences; at least one part."""
        targets = np.linspace(0, self.n_words, max(self.n_words // words, 1) + 1)
        for low, high in pairwise(np.searchsorted(self.start, targets).tolist()):
            yield self.part(low, high)

    def _with_rows(self, words: Any, sentences: Any, **changes: Any) -> Corpus:
        """The corpus with some rows of its arrays of words and of sentences, and with other changes."""
        head = self.head[words]
        return replace(
            self,
            head=head,
            checked=(head, changes["start"]) if self.is_checked else None,
            codes=Columns({column: codes[words] for column, codes in self.codes.items()}),
            line=self.line[words],
            **{name: getattr(self, name)[sentences] for name in OF_SENTENCES},
            notes=NO_NOTES,
            **changes,
        )

    def around(self, rows: np.ndarray) -> tuple[Corpus, np.ndarray]:
        """The corpus of the sentences that have these rows, and where the rows are in it."""
        sentence = self.sentence[rows]
        low, high = (int(sentence.min()), int(sentence.max()) + 1) if len(rows) else (0, 0)
        part = self.part(low, high).select(sentence - low)
        place = np.searchsorted(np.unique(sentence), sentence)
        return part, part.start[place] + rows - self.start[sentence]

    def own_text(self) -> Corpus:
        """The same sentences with a new text that has only these sentences, each with a blank line after it."""
        texts, begin = bytearray(), np.zeros(self.n_sentences, dtype=np.int64)
        for s in range(self.n_sentences):
            text = self.sentence_text(s)
            line_end = b"\r\n" if text.endswith(b"\r") or b"\r\n" in text else b"\n"
            begin[s] = len(texts)
            texts += text.rstrip(b"\r\n") + 2 * line_end
        shift = begin - self.begin
        return replace(
            self,
            text=np.frombuffer(texts, dtype=np.uint8),
            line=self.line + np.repeat(shift, np.diff(self.start)),
            begin=begin,
            id_span=self.id_span + shift[:, None],
            notes=NO_NOTES,
            before=0,
        )

    def _check_text(self) -> None:
        if self.layers is not None:
            raise CorpusError(f"{self.path}: its text was let go; expected a corpus of read_conllu")


def _check_array(path: str, name: str, array: np.ndarray, dtype: type, least: int, most: int) -> None:
    """Raise CorpusError unless an array has this type and one dimension, and its values are from least to most."""
    if array.dtype != dtype or array.ndim != 1:
        raise CorpusError(f"{path}: {name} is an array of {array.dtype}; expected {np.dtype(dtype)} in one dimension")
    if len(array) and not (least <= array.min() and array.max() <= most):
        wrong = array[(array < least) | (array > most)][0]
        raise CorpusError(f"{path}: {name} {wrong}; expected {least} to {most}")


def check_trees(corpus: Corpus) -> None:
    """Raise CorpusError, with file, line and sentence, at the first word without a head or in a circle of arcs."""
    head, row = corpus.head, np.arange(corpus.n_words)
    outside = (head < 0) | (head > corpus.sentence_length)
    if outside.any():
        raise CorpusError(_message(corpus, outside, "expected a word of the sentence, or 0 for the root"))
    above = np.where(head > 0, corpus.start[corpus.sentence] + head - 1, row)
    for _ in range(int(corpus.sentence_length.max(initial=1)).bit_length()):
        above = above[above]  # one arc up, then two, four, eight …
    below_itself = head[above] != 0
    if below_itself.any():
        raise CorpusError(_message(corpus, below_itself, "expected a tree, but these arcs go round in a circle"))


def _message(corpus: Corpus, wrong: np.ndarray, expected: str) -> str:
    row = int(np.argmax(wrong))
    s, head = int(corpus.sentence[row]), int(corpus.head[row])
    word = f"word {corpus.position[row]} has {f'head {head}' if head >= 0 else 'no head'}"
    return f"{corpus.where(s)}: {corpus.place(s)}: {word}; {expected}"
