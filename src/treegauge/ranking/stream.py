"""A corpus in pieces scored, sorted and listed: one piece in memory, or many that pass through and sort on disk.

What comes out is the same. Whatever a listed arc or sentence needs to be shown is made while its piece is at hand.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.models.fit import Fit
from treegauge.ranking.accuracy import Keeping, Kept, is_kept
from treegauge.ranking.listing import CORPUS, RELIABLE, SUSPICIOUS, Listing, bin_of
from treegauge.ranking.scored import Scored, score
from treegauge.ranking.sentences import sentence_probabilities
from treegauge.ranking.sorter import SortedBlock, Sorter, append_array
from treegauge.ranking.texts import Texts, starts_of
from treegauge.scorers.scorer import Scorer

_BUCKET = 1 << 20  # items whose places are put back into the order of the corpus at a time
_SHOWN = 1 << 13  # items whose texts are made at a time
ARC, SENTENCE, TAG = "arc", "sentence", "tag"
UNITS = (ARC, SENTENCE, TAG)

RowTexts = Callable[[Scored, np.ndarray], Texts]  # what shows some rows of a scored piece


@dataclass(frozen=True, slots=True)
class Listed:
    """Items that follow one another in a listing: rows in the whole corpus, ranks (1: most suspicious), bins, texts."""

    row: np.ndarray
    rank: np.ndarray
    bin: np.ndarray
    of: int  # how many are ranked
    texts: Texts


@dataclass
class Found:
    """What was met on the way."""

    words: int = 0
    items: int = 0
    unranked: int = 0
    fit: Fit | None = None
    relations: set[str] = field(default_factory=set)


def passes(listing: Listing) -> bool:
    """Whether all that a listing needs of a piece can be kept in memory: the first so many of an order by score."""
    return listing.top is not None and listing.order != CORPUS and listing.accuracy is None


class StreamRanking:
    """The arcs, or the sentences, of a corpus by a scorer, as a listing wants them."""

    def __init__(self, pieces: Iterable[Corpus], scorer: Scorer, listing: Listing, *, unit: str = ARC) -> None:
        self.pieces, self.scorer, self.listing, self.unit = pieces, scorer, listing, unit
        self.found = Found()
        self._keeping = None if listing.accuracy is None else Keeping(listing.accuracy)
        self.kept: Kept | None = None  # what is kept of all, where an accuracy is asked for
        self.whole: Scored | None = None  # the one piece that is in memory

    def run(
        self,
        texts: RowTexts | None,
        *,
        folder: str | None = None,
        room: Callable[[], int] = lambda: 0,
        prepare: Callable[[Scored], Scored] = lambda scored: scored,
        met: Callable[[Corpus], object] = lambda piece: None,
    ) -> None:
        """Score and sort; in a folder, within about so many bytes as there is room for, or without one in memory.

        room: asked when the first piece has been scored. texts: what shows the listed items, if they are to be shown in
        order. prepare: what becomes of a piece's scores before they are ranked. met is told each piece as it comes. A
        list of one piece is held; without a folder, other pieces pass through only if the listing has a top (see
        `passes`), and that is all that is kept of them.
        """
        self._texts, self._folder = texts, folder
        self._passing = folder is not None or not isinstance(self.pieces, list)
        assert folder is not None or not self._passing or passes(self.listing)
        every = self.listing.bins_of_all or self.listing.accuracy is not None
        top = self.listing.top if self._passing and not every else None
        sorter = None
        self._kept = _Kept(folder)
        for piece in self.pieces:
            met(piece)
            scored = prepare(score(piece, self.scorer))
            assert self._passing or self.whole is None
            self.whole = None if self._passing else scored
            sorter = sorter or Sorter(self.listing.order == SUSPICIOUS, folder, room(), top=top)
            self._add(scored, sorter)
        self.sorter = sorter or Sorter(self.listing.order == SUSPICIOUS)
        self.kept = None if self._keeping is None else self._keeping.kept()

    def _add(self, scored: Scored, sorter: Sorter) -> None:
        """Take in a piece."""
        found, listing, piece = self.found, self.listing, scored.corpus
        by_arc = self.unit != SENTENCE
        values = scored.scores if by_arc else scored.sentence_scores
        if self._keeping is not None:
            values = self._add_kept(scored, values)
        known = ~np.isnan(values)
        chosen = known & listing.wants(piece) if by_arc else known
        ranked = np.flatnonzero(known if listing.bins_of_all else chosen)
        listed = self._may_be_listed(values, chosen)
        self._kept.scores(scored.scores)
        texts = None
        if self._texts is not None and self._passing:
            made = Texts.joined([self._texts(scored, rows) for (rows,) in _cut(listed)])
            if listing.order == CORPUS:
                self._kept.texts(made)
            else:
                sizes = np.zeros(len(values), dtype=np.int64)
                sizes[listed] = np.diff(made.start)
                texts = Texts(made.data, starts_of(sizes[ranked]))
        flagged = np.zeros(len(values), dtype=bool)
        flagged[listed] = True
        row = ranked + found.items
        sorter.add(values[ranked], np.where(flagged[ranked], row, ~row), texts)
        found.words += piece.n_words
        found.items += len(values)
        found.unranked += scored.unranked
        found.relations.update(piece.labels["deprel"])
        if scored.fit is not None and piece.n_words:
            found.fit = scored.fit if found.fit is None else found.fit + scored.fit

    def _add_kept(self, scored: Scored, values: np.ndarray) -> np.ndarray:
        """Take in a piece's probabilities; the logarithms that its arcs or sentences are then sorted by."""
        assert self._keeping is not None
        scored.check_probabilities()
        arcs = None
        if self.unit == SENTENCE:
            values = np.log(sentence_probabilities(scored.corpus, scored.scores))
            arcs = np.diff(scored.corpus.start)
        chosen = ~np.isnan(values)
        if self.unit != SENTENCE:
            chosen &= self.listing.wants(scored.corpus)
        self._keeping.add(np.exp(values[chosen]), None if arcs is None else arcs[chosen])
        return values

    def _may_be_listed(self, values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The rows of a piece that may be among the first of the listing, ascending."""
        rows, top = np.flatnonzero(chosen), self.listing.top
        if top is None or self._keeping is not None or not (self._passing or self.listing.order == CORPUS):
            return rows
        if self.listing.order == CORPUS:
            rows = rows[: max(top - self._kept.n_listed, 0)]
            self._kept.n_listed += len(rows)
            return rows
        order = np.argsort(-values[rows], kind="stable")
        return np.sort(rows[order[:top] if self.listing.order == RELIABLE else order[::-1][:top]])

    def _blocks(self) -> Iterator[tuple[SortedBlock, np.ndarray, np.ndarray]]:
        """Sorted items, which of them are listed, and their places from the most reliable, while any are listed."""
        listing, n, before, taken = self.listing, self.sorter.n, 0, 0
        top = listing.top if listing.order != CORPUS else None
        for block in self.sorter.blocks():
            if top is not None and taken >= top:
                return
            flagged = block.row >= 0
            if self.kept is not None:
                score = block.key if listing.order == SUSPICIOUS else -block.key
                flagged = flagged & is_kept(np.exp(score), self.kept)
            if top is not None:
                flagged &= np.cumsum(flagged) <= top - taken
            taken += int(flagged.sum())
            place = np.arange(before, before + len(block))
            before += len(block)
            yield block, flagged, n - 1 - place if listing.order == SUSPICIOUS else place

    def listed(self) -> Iterator[Listed]:
        """The items of the listing in its order, each with its text."""
        n, bins = self.sorter.n, self.listing.bins

        def made(row: np.ndarray, place: np.ndarray, texts: Texts) -> Listed:
            return Listed(row, n - place, bin_of(place, n, bins), n, texts)

        if self.listing.order == CORPUS:
            for low, place in self._places():
                at = np.flatnonzero(place >= 0)
                for row, place_of in _cut(at + low, place[at]):
                    yield made(row, place_of, self._shown(row) or self._kept.next_texts(len(row)))
            return
        for block, flagged, place in self._blocks():
            at = np.flatnonzero(flagged)
            for k, place_of in _cut(at, place[at]):
                yield made(block.row[k], place_of, self._shown(block.row[k]) or block.texts.take(k))

    def _shown(self, rows: np.ndarray) -> Texts | None:
        """The texts of some rows of the piece in memory; None where there is none."""
        if self.whole is None or self._texts is None:
            return None
        return self._texts(self.whole, rows)

    def _places(self) -> Iterator[tuple[int, np.ndarray]]:
        """The place of every item in the order of the corpus, -1 for one that is not listed, many at a time."""
        buckets = _Buckets(self._folder, self.found.items)
        for block, flagged, place in self._blocks():
            buckets.put(block.row[flagged], place[flagged])
        yield from buckets.places()

    def in_corpus_order(self, mark: int = 0) -> Iterator[tuple[Scored, Listed, np.ndarray]]:
        """Every piece with its scores, its listed arcs, and those of its rows to mark.

        Marked are the `mark` most suspicious of all that are listed. Rows are those of the piece.
        """
        marks: deque[int] = deque(maxlen=mark)
        buckets = _Buckets(self._folder, self.found.items)
        for block, flagged, place in self._blocks():
            row = block.row[flagged]
            suspicious = self.listing.order == SUSPICIOUS
            marks.extend((row[: mark - len(marks)] if suspicious else row[-mark:] if mark else row[:0]).tolist())
            buckets.put(row, place[flagged])
        marked = np.sort(np.fromiter(marks, dtype=np.int64))
        places, held, words = buckets.places(), np.empty(0, dtype=np.int64), 0
        for piece in [self.whole.corpus] if self.whole is not None else self.pieces:
            while len(held) < piece.n_words:
                held = np.concatenate([held, next(places)[1]])
            place, held = held[: piece.n_words], held[piece.n_words :]
            row = np.flatnonzero(place >= 0)
            low, high = np.searchsorted(marked, [words, words + piece.n_words])
            scored = self.whole or Scored(piece, self.scorer, self._kept.next_scores(piece.n_words))
            n = self.sorter.n
            bins = bin_of(place[row], n, self.listing.bins)
            yield scored, Listed(row, n - place[row], bins, n, Texts.of([])), marked[low:high] - words
            words += piece.n_words


def _cut(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Arrays of one length in pieces of at most _SHOWN."""
    for low in range(0, len(arrays[0]), _SHOWN):
        yield tuple(array[low : low + _SHOWN] for array in arrays)


class _Kept:
    """What the first pass leaves on disk for a second: scores, and texts in the order of the corpus."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._done = {"scores": 0, "texts": 0, "sizes": 0}
        self.n_listed = 0

    def _append(self, name: str, array: np.ndarray) -> None:
        if self._folder is not None:
            append_array(array, os.path.join(self._folder, name))

    def _next(self, name: str, dtype: type, n: int) -> np.ndarray:
        assert self._folder is not None
        found: np.ndarray = np.fromfile(os.path.join(self._folder, name), dtype, n, offset=self._done[name])
        self._done[name] += found.nbytes
        return found

    def scores(self, scores: np.ndarray) -> None:
        """Keep the scores of a piece."""
        self._append("scores", scores.astype(np.float64))

    def texts(self, texts: Texts) -> None:
        """Keep texts of a piece."""
        self._append("texts", texts.data)
        self._append("sizes", np.diff(texts.start))

    def next_scores(self, n: int) -> np.ndarray:
        """The next n scores."""
        return self._next("scores", np.float64, n)

    def next_texts(self, n: int) -> Texts:
        """The next n texts."""
        start = starts_of(self._next("sizes", np.int64, n))
        return Texts(self._next("texts", np.uint8, int(start[-1])), start)


class _Buckets:
    """Places in a ranking, put in as they are ranked and got back in the order of the corpus."""

    def __init__(self, folder: str | None, n: int) -> None:
        self._folder, self._n = folder, n
        self._held = np.full(n if folder is None else 0, -1, dtype=np.int64)

    def _path(self, bucket: int) -> str:
        return os.path.join(self._folder or "", f"bucket{bucket}")

    def put(self, row: np.ndarray, place: np.ndarray) -> None:
        """Take in the places of some rows."""
        if self._folder is None:
            self._held[row] = place
            return
        order = np.argsort(row // _BUCKET, kind="stable")
        row, place = row[order], place[order]
        numbers, low = np.unique(row // _BUCKET, return_index=True)
        for bucket, one, other in zip(numbers.tolist(), low, np.append(low, len(row))[1:], strict=True):
            append_array(np.stack([row[one:other], place[one:other]], axis=1), self._path(bucket))

    def places(self) -> Iterator[tuple[int, np.ndarray]]:
        """The first row and the places, -1 for none, of one bucket after the other."""
        if self._folder is None:
            yield 0, self._held
            return
        for low in range(0, self._n, _BUCKET):
            found = np.full(min(_BUCKET, self._n - low), -1, dtype=np.int64)
            if os.path.exists(self._path(low // _BUCKET)):
                row, place = np.fromfile(self._path(low // _BUCKET), np.int64).reshape(-1, 2).T
                found[row - low] = place
            yield low, found
