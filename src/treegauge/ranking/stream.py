"""A corpus in pieces, scored, sorted and listed: one piece in memory, or many pieces that are sorted on disk.

The result is the same. The text of a listed arc or sentence is made while its piece is in memory.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.fit import Fit
from treegauge.ranking.accuracy import AccuracyCut, AccuracyCutter
from treegauge.ranking.scored import CORPUS, RELIABLE, SUSPICIOUS, Listing, Scored, bin_of, score
from treegauge.ranking.sorter import SortedBlock, Sorter, Texts, append_array, starts_of
from treegauge.ranking.units import Unit
from treegauge.ranking.verdicts import Verdict
from treegauge.scorers.scorer import Scorer

_BUCKET = 1 << 20  # items whose places are put back into the order of the corpus at a time
_BLOCK = 1 << 13  # items whose texts are made at a time

RowTexts = Callable[[Scored, np.ndarray], Texts]  # what shows some rows of a scored piece


@dataclass(frozen=True, slots=True)
class ListingBlock:
    """Items that follow one another in a listing."""

    row: np.ndarray  # in the whole corpus
    rank: np.ndarray  # 1 is the most suspicious
    bin: np.ndarray
    of: int  # how many items are ranked
    texts: Texts


@dataclass
class Tally:
    """What was counted while the pieces passed through."""

    words: int = 0
    items: int = 0
    unranked: int = 0
    accepted: int = 0  # arcs that verdicts accept; they are among the unranked
    fit: Fit | None = None
    relations: set[str] = field(default_factory=set)


def passes(listing: Listing) -> bool:
    """Whether only the first so many items by score are listed, so that no other item has to stay in memory."""
    return listing.top is not None and listing.order != CORPUS and listing.cutter is None


class StreamRanking:
    """The arcs, tags or sentences of a corpus, sorted by their scores, and those of them that a listing wants."""

    def __init__(
        self,
        pieces: Iterable[Corpus],
        scorer: Scorer,
        listing: Listing,
        *,
        unit: Unit = Unit.ARC,
        verdicts: Sequence[Verdict] | None = None,
    ) -> None:
        """verdicts: arcs that they accept are not ranked."""
        self.pieces, self.scorer, self.listing, self.unit, self.verdicts = pieces, scorer, listing, unit, verdicts
        self.tally = Tally()
        self._cutter = listing.cutter
        self.accuracy_cut: AccuracyCut | None = None  # what is kept of all items, if an accuracy is asked for
        self.whole: Scored | None = None  # the one piece, if it stays in memory

    def run(
        self,
        texts: RowTexts | None,
        *,
        folder: Callable[[], str] | None = None,
        room: Callable[[], int] = lambda: 0,
        met: Callable[[Corpus], object] = lambda piece: None,
    ) -> None:
        """Score and sort the pieces: in memory, or if there can be a folder, in it, where they need more room.

        texts: makes the texts of listed items, if they are written in their order. folder: makes a folder when it is
        first needed, and gives its name. room: how many bytes sorting may take, asked when the first piece has been
        scored. met is told each piece as it comes. A list of one piece stays in memory. Without a folder, other pieces
        can pass through only if the listing `passes`.
        """
        self._texts, self._folder = texts, folder
        self._passing = folder is not None or not isinstance(self.pieces, list)
        assert folder is not None or not self._passing or passes(self.listing)
        every = self.listing.bins_of_all or self._cutter is not None
        top = self.listing.top if self._passing and not every else None
        self._at_once = self._passing or (self.listing.top is None and self.listing.order != CORPUS)
        sorter = None
        self._spool = _Spool(folder)
        for piece in self.pieces:
            met(piece)
            scored = self._scored(piece)
            assert self._passing or self.whole is None
            self.whole = None if self._passing else scored
            sorter = sorter or Sorter(self.listing.order == SUSPICIOUS, folder, room(), top=top)
            self._add(scored, sorter)
        self.sorter = sorter or Sorter(self.listing.order == SUSPICIOUS)
        self.accuracy_cut = None if self._cutter is None else self._cutter.cut()

    def _scored(self, piece: Corpus) -> Scored:
        """A piece with its scores, without those of accepted arcs."""
        scored = score(piece, self.scorer)
        if self.verdicts is None:
            return scored
        left = scored.without_accepted(self.verdicts)
        self.tally.accepted += left.unranked - scored.unranked
        return left

    def _add(self, scored: Scored, sorter: Sorter) -> None:
        """Take in a piece."""
        tally, listing, piece = self.tally, self.listing, scored.corpus
        by_arc = self.unit != Unit.SENTENCE
        values = scored.scores if by_arc else scored.sentence_scores
        if self._cutter is not None:
            values = self._add_probabilities(self._cutter, scored, values)
        known = ~np.isnan(values)
        chosen = known & listing.wants(piece) if by_arc else known
        ranked = np.flatnonzero(known if listing.bins_of_all else chosen)
        listed = self._may_be_listed(values, chosen)
        texts = None
        if self._texts is None:
            self._spool.add_scores(scored.scores)
        elif self._at_once:
            of_listed = Texts.joined([self._texts(scored, rows) for (rows,) in _cut(listed)])
            if listing.order == CORPUS:
                self._spool.add_texts(of_listed)
            else:
                sizes = np.zeros(len(values), dtype=np.int64)
                sizes[listed] = np.diff(of_listed.start)
                texts = Texts(of_listed.data, starts_of(sizes[ranked]))
        flagged = np.zeros(len(values), dtype=bool)
        flagged[listed] = True
        row = ranked + tally.items
        sorter.add(values[ranked], np.where(flagged[ranked], row, ~row), texts)
        tally.words += piece.n_words
        tally.items += len(values)
        tally.unranked += scored.unranked
        tally.relations.update(piece.labels["deprel"])
        if scored.fit is not None and piece.n_words:
            tally.fit = scored.fit if tally.fit is None else tally.fit + scored.fit

    def _add_probabilities(self, cutter: AccuracyCutter, scored: Scored, values: np.ndarray) -> np.ndarray:
        """Give the probabilities of a piece to the cutter; the logarithms by which its items are sorted."""
        scored.check_probabilities()
        if self.unit == Unit.SENTENCE:
            values = scored.sentence_log_whole if cutter.wholly else np.log(scored.sentence_probabilities)
            chosen = ~np.isnan(values)
            cutter.add(np.exp(values[chosen]), np.diff(scored.corpus.start)[chosen])
        else:
            cutter.add(np.exp(values[~np.isnan(values) & self.listing.wants(scored.corpus)]))
        return values

    def _may_be_listed(self, values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The rows of a piece that may be among the first of the listing, ascending."""
        rows, top = np.flatnonzero(chosen), self.listing.top
        if top is None or self._cutter is not None or not (self._passing or self.listing.order == CORPUS):
            return rows
        if self.listing.order == CORPUS:
            rows = rows[: max(top - self._spool.n_listed, 0)]
            self._spool.n_listed += len(rows)
            return rows
        order = np.argsort(-values[rows], kind="stable")
        return np.sort(rows[order[:top] if self.listing.order == RELIABLE else order[::-1][:top]])

    def _blocks(self) -> Iterator[tuple[SortedBlock, np.ndarray, np.ndarray]]:
        """Sorted items, which of them are listed, and their places (the most reliable has 0), while any are listed."""
        listing, n, before, taken = self.listing, self.sorter.n, 0, 0
        top = listing.top if listing.order != CORPUS else None
        for block in self.sorter.blocks():
            if top is not None and taken >= top:
                return
            flagged = block.row >= 0
            if self.accuracy_cut is not None:
                score = block.key if listing.order == SUSPICIOUS else -block.key
                flagged = flagged & self.accuracy_cut.has(np.exp(score))
            if top is not None:
                flagged &= np.cumsum(flagged) <= top - taken
            taken += int(flagged.sum())
            place = np.arange(before, before + len(block))
            before += len(block)
            yield block, flagged, n - 1 - place if listing.order == SUSPICIOUS else place

    def listed(self) -> Iterator[ListingBlock]:
        """The items of the listing in its order, each with its text."""
        if self.listing.order == CORPUS:
            for low, place in self._places():
                at = np.flatnonzero(place >= 0)
                for row, place_of in _cut(at + low, place[at]):
                    texts = self._spool.next_texts(len(row)) if self._passing else self._held_texts(row)
                    yield self._block(row, place_of, texts)
            return
        for block, flagged, place in self._blocks():
            at = np.flatnonzero(flagged)
            for k, place_of in _cut(at, place[at]):
                texts = block.texts.take(k) if len(block.texts) else self._held_texts(block.row[k])
                yield self._block(block.row[k], place_of, texts)

    def _block(self, row: np.ndarray, place: np.ndarray, texts: Texts) -> ListingBlock:
        """A block of items; place: from the most reliable, which has 0."""
        n = self.sorter.n
        return ListingBlock(row, n - place, bin_of(place, n, self.listing.bins), n, texts)

    def _held_texts(self, rows: np.ndarray) -> Texts:
        """The texts of some rows of the piece that stays in memory; none if no piece does."""
        if self.whole is None or self._texts is None:
            return Texts.of([])
        return self._texts(self.whole, rows)

    def _places(self) -> Iterator[tuple[int, np.ndarray]]:
        """The place of every item in the order of the corpus, many at a time; -1 for an item that is not listed."""
        buckets = _Buckets(self._folder, self.tally.items)
        for block, flagged, place in self._blocks():
            buckets.put(block.row[flagged], place[flagged])
        yield from buckets.places()

    def in_corpus_order(self, mark: int = 0) -> Iterator[tuple[Scored, ListingBlock, np.ndarray]]:
        """Every piece with its scores, its listed arcs, and the rows to mark: the `mark` most suspicious of all listed.

        Rows are counted from the first of the piece.
        """
        marks: deque[int] = deque(maxlen=mark)
        buckets = _Buckets(self._folder, self.tally.items)
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
            scored = self.whole or Scored(piece, self.scorer, self._spool.next_scores(piece.n_words))
            yield scored, self._block(row, place[row], Texts.of([])), marked[low:high] - words
            words += piece.n_words


def _cut(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Arrays of one length in pieces of at most _BLOCK."""
    for low in range(0, len(arrays[0]), _BLOCK):
        yield tuple(array[low : low + _BLOCK] for array in arrays)


class _Spool:
    """Scores, and texts in the order of the corpus, that the first pass writes to disk and a second pass reads."""

    def __init__(self, folder: Callable[[], str] | None) -> None:
        self._folder = folder
        self._done = {"scores": 0, "texts": 0, "sizes": 0}
        self.n_listed = 0

    def _append(self, name: str, array: np.ndarray) -> None:
        if self._folder is not None:
            append_array(array, os.path.join(self._folder(), name))

    def _next(self, name: str, dtype: type, n: int) -> np.ndarray:
        assert self._folder is not None
        array: np.ndarray = np.fromfile(os.path.join(self._folder(), name), dtype, n, offset=self._done[name])
        self._done[name] += array.nbytes
        return array

    def add_scores(self, scores: np.ndarray) -> None:
        """Write the scores of a piece."""
        self._append("scores", scores.astype(np.float64))

    def add_texts(self, texts: Texts) -> None:
        """Write texts of a piece."""
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
    """Places in a ranking: they come in the order of the ranking, and are given back in the order of the corpus."""

    def __init__(self, folder: Callable[[], str] | None, n: int) -> None:
        self._folder, self._n = folder, n
        self._held = np.full(n if folder is None else 0, -1, dtype=np.int64)

    def _path(self, bucket: int) -> str:
        return os.path.join(self._folder() if self._folder else "", f"bucket{bucket}")

    def put(self, row: np.ndarray, place: np.ndarray) -> None:
        """Take in the places of some rows."""
        if self._folder is None:
            self._held[row] = place
            return
        order = np.argsort(row // _BUCKET, kind="stable")
        row, place = row[order], place[order]
        numbers, low = np.unique(row // _BUCKET, return_index=True)
        for bucket, begin, end in zip(numbers.tolist(), low, np.append(low, len(row))[1:], strict=True):
            append_array(np.stack([row[begin:end], place[begin:end]], axis=1), self._path(bucket))

    def places(self) -> Iterator[tuple[int, np.ndarray]]:
        """For each bucket its first row, and the place of every row in it, -1 for none."""
        if self._folder is None:
            yield 0, self._held
            return
        for low in range(0, self._n, _BUCKET):
            places = np.full(min(_BUCKET, self._n - low), -1, dtype=np.int64)
            if os.path.exists(self._path(low // _BUCKET)):
                row, place = np.fromfile(self._path(low // _BUCKET), np.int64).reshape(-1, 2).T
                places[row - low] = place
            yield low, places
