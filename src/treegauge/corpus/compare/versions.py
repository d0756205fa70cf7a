"""Match the sentences and words of a new version of a treebank with those of the old one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treegauge.corpus.compare.align import MOST_CELLS, aligned_rows
from treegauge.corpus.compare.align_kernel import align_regions
from treegauge.corpus.compare.comparison import Comparison, join_column
from treegauge.corpus.corpus import Corpus

# states of a sentence
ALONE, SAME, RETOKENISED, REWRITTEN = range(4)
Run = tuple[int, int]  # sentences low to high
SHARED = 0.5  # two sentences with the same sent_id match if they share at least so much of their words


@dataclass(frozen=True, slots=True)
class Matching:
    """The sentences and words of two versions that belong together, one to one.

    Sentences that were split or joined (one became two) are RETOKENISED; the partner of each is the first old one.
    """

    sentence: np.ndarray  # for each new sentence the old one, -1 for none
    old_state: np.ndarray  # for each old sentence: ALONE (it was removed), SAME words, RETOKENISED, REWRITTEN
    new_state: np.ndarray  # for each new sentence: ALONE (it was added), SAME words, RETOKENISED, REWRITTEN
    words: Comparison  # the new version beside the old one
    renamed: int  # how many sentences have the SAME words and another sent_id


def match(old: Corpus, new: Corpus) -> Matching:
    """Match the sentences of two versions, then their words.

    Two sentences match if they have (tried in this order): the same sent_id and words; the same words; the same sent_id
    and characters; the same characters. Then runs of sentences between matched ones match if they have the same
    characters; then sentences with the same sent_id and at least half of their words. If several fit, the first matches
    the first. Their words match by position; by characters, as in `align`; or, in the last case, by a longest common
    subsequence of forms.
    """
    matcher = _Matcher(old, new)
    matcher.by_words()
    if matcher.has_unmatched():
        matcher.by_characters()
    if matcher.has_unmatched():
        matcher.by_runs()
    if matcher.has_unmatched():
        matcher.by_names()
    unmoved = np.array_equal(old.start, new.start) and np.array_equal(matcher.word, np.arange(old.n_words))
    words = Comparison(new, old, None if unmoved else matcher.word)
    old_state, new_state = matcher.state
    return Matching(matcher.sentence, old_state, new_state, words, matcher.n_renamed())


class _Matcher:
    """The sentences and words that are matched so far."""

    def __init__(self, old: Corpus, new: Corpus) -> None:
        self.old, self.new = old, new
        self.form = join_column(old, new, "form")
        self.ids = [_ids(side) for side in (old, new)]
        self.sentence = np.full(new.n_sentences, -1, np.int64)
        self.state = [np.zeros(side.n_sentences, np.int8) for side in (old, new)]
        self.word = np.full(new.n_words, -1, np.int32)
        self._texts: list[dict[int, bytes]] = [{}, {}]

    def unmatched(self, side: int) -> np.ndarray:
        """The sentences of a side that have no partner yet."""
        return np.flatnonzero(self.state[side] == ALONE)

    def has_unmatched(self) -> bool:
        """Whether both sides have sentences without a partner."""
        return bool(len(self.unmatched(0)) and len(self.unmatched(1)))

    def n_renamed(self) -> int:
        """How many sentences of the same words have another sent_id."""
        ours, theirs = self.ids
        same = np.flatnonzero(self.state[1] == SAME)
        return sum(ours[s] != theirs[t] for s, t in zip(self.sentence[same].tolist(), same.tolist(), strict=True))

    def by_words(self) -> None:
        """Match sentences with the same words, first those with the same sent_id."""
        prints = [_prints(self.old, self.form.first), _prints(self.new, self.form.second)]
        for named in (True, False):
            keys = [self._keys(side, prints[side], named) for side in (0, 1)]
            self._take_same(*_pairs(*keys))

    def _keys(self, side: int, values: list[int], named: bool) -> Iterator[tuple[int, Hashable]]:
        """The keys of sentences without a partner: a value; with `named`, also the sent_id, if there is one."""
        ids = self.ids[side]
        for s in self.unmatched(side).tolist():
            if not named:
                yield s, values[s]
            elif ids[s]:
                yield s, (ids[s], values[s])

    def _take_same(self, ours: np.ndarray, theirs: np.ndarray) -> None:
        """Match the pairs of sentences whose words are the same; pairs with the same print only do not match."""
        length = np.diff(self.old.start)[ours]
        fits = length == np.diff(self.new.start)[theirs]
        ours, theirs, length = ours[fits], theirs[fits], length[fits]
        steps = _within(length)
        old_rows = np.repeat(self.old.start[ours], length) + steps
        rows = np.repeat(self.new.start[theirs], length) + steps
        other = self.form.first[old_rows] != self.form.second[rows]
        if other.any():
            wrong = np.zeros(len(ours), bool)
            wrong[np.repeat(np.arange(len(ours)), length)[other]] = True
            self._take_same(ours[~wrong], theirs[~wrong])
            return
        self.word[rows] = old_rows
        self._note(ours, theirs, SAME)

    def _note(self, ours: int | Sequence[int] | np.ndarray, theirs: Sequence[int] | np.ndarray, state: int) -> None:
        self.sentence[theirs] = ours
        self.state[0][ours] = self.state[1][theirs] = state

    def by_characters(self) -> None:
        """Match sentences with the same characters, first those with the same sent_id."""
        self._texts = [_texts(side, self.unmatched(k)) for k, side in enumerate((self.old, self.new))]
        for named in (True, False):
            keys = []
            for side in (0, 1):
                texts, ids = self._texts[side], self.ids[side]
                left = [s for s in self.unmatched(side).tolist() if s in texts and (ids[s] or not named)]
                keys.append([(s, (ids[s] if named else b"", texts[s])) for s in left])
            self._align([((s, s + 1), (t, t + 1)) for s, t in zip(*map(np.ndarray.tolist, _pairs(*keys)), strict=True)])

    def by_runs(self) -> None:
        """Match runs of sentences between matched ones that have the same characters: they were split or joined."""
        matched = np.flatnonzero(self.sentence >= 0)
        new_of = np.full(self.old.n_sentences, -2)
        new_of[self.sentence[matched]] = matched
        runs = dict(_runs(self.unmatched(1)))
        pairs = []
        for low, high in _runs(self.unmatched(0)):
            first = int(new_of[low - 1]) + 1 if low else 0
            last = runs.get(first)
            if last is not None and self._text(0, low, high) == self._text(1, first, last) is not None:
                pairs.append(((low, high), (first, last)))
        self._align(pairs)

    def _text(self, side: int, low: int, high: int) -> bytes | None:
        """The characters of sentences low to high; None if one of them cannot be aligned by characters."""
        texts = [self._texts[side].get(s) for s in range(low, high)]
        return None if None in texts else b"".join(text for text in texts if text)

    def _align(self, runs: Sequence[tuple[Run, Run]]) -> None:
        """Align the words of pairs of runs that have the same characters, as `eval` does."""
        together, apart = _ascending(runs)
        if together:
            ours, theirs = (np.concatenate([np.arange(*run) for run in side]) for side in zip(*together, strict=True))
            old_rows, rows = _rows(self.old, ours), _rows(self.new, theirs)
            self._take_aligned(self.old.select(ours), self.new.select(theirs), old_rows, rows)
        for our_run, their_run in apart:
            old_rows, rows = _rows(self.old, np.arange(*our_run)), _rows(self.new, np.arange(*their_run))
            self._take_aligned(self.old.part(*our_run), self.new.part(*their_run), old_rows, rows)
        for (low, high), (first, last) in runs:
            self._note(low, np.arange(first, last), RETOKENISED)
            self.state[0][low:high] = RETOKENISED

    def _take_aligned(self, old: Corpus, new: Corpus, old_rows: np.ndarray, rows: np.ndarray) -> None:
        """Match the words of two parts; old_rows, rows: the rows of their words in the whole corpora."""
        partner = aligned_rows(new, old)
        self.word[rows] = np.where(partner >= 0, old_rows[partner], -1)

    def by_names(self) -> None:
        """Match sentences with the same sent_id that share enough words."""
        keys = [[(s, self.ids[k][s]) for s in self.unmatched(k).tolist() if self.ids[k][s]] for k in (0, 1)]
        ours, theirs = _pairs(*keys)
        spans = [self.old.start[ours], self.old.start[ours + 1], self.new.start[theirs], self.new.start[theirs + 1]]
        regions = np.stack(spans, axis=1).astype(np.int64)
        sizes = regions[:, 1::2] - regions[:, ::2]
        small = (sizes + 1).prod(axis=1) <= MOST_CELLS
        ours, theirs, regions, sizes = ours[small], theirs[small], np.ascontiguousarray(regions[small]), sizes[small]
        word = np.full(self.new.n_words, -1, np.int32)
        old_form, form = map(np.ascontiguousarray, (self.form.first, self.form.second))
        align_regions(regions, old_form, form, word)
        for s, t, (_, _, low, high), size in zip(ours.tolist(), theirs.tolist(), regions.tolist(), sizes, strict=True):
            shared = np.count_nonzero(word[low:high] >= 0)
            if 2 * shared >= SHARED * size.sum():
                self.word[low:high] = word[low:high]
                self._note([s], [t], REWRITTEN)


def _ids(side: Corpus) -> list[bytes]:
    """The sent_ids, as bytes."""
    text = side.text.data
    return [bytes(text[low:high]) for low, high in side.id_span.tolist()]


def _prints(side: Corpus, codes: np.ndarray) -> list[int]:
    """A number for each sentence: sentences with the same words have the same number, others almost never."""
    mixed = codes.astype(np.uint64)
    mixed += np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= side.position.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    prints: list[int] = np.add.reduceat(mixed, side.start[:-1]).tolist() if side.n_sentences else []
    return prints


def _pairs(
    ours: Iterable[tuple[int, Hashable]], theirs: Iterable[tuple[int, Hashable]]
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of sentences with the same key: the first with the first, the second with the second, and so on."""
    waiting: dict[Hashable, list[int]] = {}
    for s, key in ours:
        waiting.setdefault(key, []).append(s)
    used: Counter[Hashable] = Counter()
    matched = []
    for t, key in theirs:
        sentences = waiting.get(key, ())
        if used[key] < len(sentences):
            matched.append((sentences[used[key]], t))
            used[key] += 1
    pairs = np.array(matched, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _texts(side: Corpus, sentences: np.ndarray) -> dict[int, bytes]:
    """The characters of sentences; a sentence with a form without characters cannot be aligned and is left out."""
    tokens = side.select(sentences).tokens
    edge, chars = tokens.sentence_edge.tolist(), tokens.chars.data
    empty = np.flatnonzero(tokens.edge[1:] == tokens.edge[:-1])
    bad = set((np.searchsorted(tokens.start, empty, side="right") - 1).tolist())
    places = enumerate(zip(sentences.tolist(), pairwise(edge), strict=True))
    return {s: bytes(chars[low:high]) for k, (s, (low, high)) in places if k not in bad}


def _runs(sentences: np.ndarray) -> Iterator[tuple[int, int]]:
    """Runs of sentences that follow each other, low to high."""
    cuts = np.flatnonzero(np.diff(sentences) > 1) + 1
    for run in np.split(sentences, cuts):
        yield int(run[0]), int(run[-1]) + 1


def _ascending(runs: Sequence[tuple[Run, Run]]) -> tuple[list[tuple[Run, Run]], list[tuple[Run, Run]]]:
    """The pairs of runs that ascend on both sides, and the others; all ascend if no sentence was moved."""
    together, apart, last = list[tuple[Run, Run]](), list[tuple[Run, Run]](), -1
    for ours, theirs in sorted(runs):
        if theirs[0] > last:
            together.append((ours, theirs))
            last = theirs[0]
        else:
            apart.append((ours, theirs))
    return together, apart


def _within(length: np.ndarray) -> np.ndarray:
    """The numbers 0, 1, 2 … for each run of these lengths, one run after the other."""
    return np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)


def _rows(side: Corpus, sentences: np.ndarray) -> np.ndarray:
    """The rows of the words of sentences."""
    length = np.diff(side.start)[sentences]
    return np.repeat(side.start[sentences], length) + _within(length)
