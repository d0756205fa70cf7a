"""A ranking of a corpus larger than memory: scored piece by piece, sorted on disk, read again where trees are wanted.

What comes out is what `rank_arcs` gives for the whole corpus. Scorers are asked for one piece after the other.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treegauge.corpus.conllu import Corpus, Defect, Place, Reader, join_pieces
from treegauge.corpus.files import open_bytes, sentence_blocks
from treegauge.models.fit import Fit, add_fits, model_fit
from treegauge.ranking.ranking import CORPUS, SUSPICIOUS, Ranking, bin_of, check_relations, has_relation
from treegauge.ranking.sorter import ScoreSorter
from treegauge.scorers.registry import Scorer, columns_for

_PIECE = 8 << 20  # bytes read and scored at a time: arcs are scored by sentence length, and want company
_MOST_LABELS = 200_000  # forms that a reader may know before another takes over: a vocabulary never ends
_BUCKET = 1 << 20  # arcs whose places are put back into the order of the corpus at a time


def stream_pieces(
    paths: Sequence[str], columns: Sequence[str], on_error: str = "stop"
) -> Iterator[tuple[Corpus, bytes]]:
    """Pieces of the files, sentences numbered through, each with the bytes that are missing behind it.

    As `join_pieces` does, blank lines are put between files that do not end with one. Codes may change their meaning
    from piece to piece.
    """
    reader = Reader(columns, on_error)
    last: Corpus | None = None
    earlier = met = 0  # sentences of the files before, and of this one so far
    for path in paths:
        place = Place(path)
        with open_bytes(path) as stream:
            for buffer, length in sentence_blocks(stream, _PIECE):
                if len(reader.labels["form"]) > _MOST_LABELS:
                    reader = Reader(columns, on_error)
                piece, place = reader.read(buffer, length, place)
                if last is not None:
                    yield last, b"\n" * (0 if last.path == path else _missing(last))
                    earlier += 0 if last.path == path else met
                met = place.sentences
                last = replace(piece, number=piece.number + earlier)
    if last is not None:
        yield last, b""


def _missing(piece: Corpus) -> int:
    end = piece.text[-2:].tobytes()
    return 0 if end == b"\n\n" else 2 - end.endswith(b"\n")


@dataclass(frozen=True)
class Wanted:
    """Which arcs are wanted, and in which order; as for `rank_arcs`."""

    order: str
    top: int | None = None
    relations: Sequence[str] | None = None
    bins: int = 10
    bins_of_all: bool = False


@dataclass
class Pass:
    """What the first pass found, beside the scores it sorted."""

    words: int = 0
    unranked: int = 0
    fit: Fit | None = None
    relations: set[str] = field(default_factory=set)


class ExternalRanking:
    """The arcs of files by a scorer, within about `memory` bytes and as much disk as `folder` has."""

    def __init__(
        self,
        paths: Sequence[str],
        scorer: Scorer,
        wanted: Wanted,
        folder: str,
        memory: int,
        *,
        on_error: str = "stop",
        with_lines: bool = False,
        progress: Callable[[int], None] = lambda words: None,
        skipped: Callable[[Defect], None] = lambda defect: None,
    ) -> None:
        """The first pass: every arc is scored and sorted, with its line of the table if `with_lines`."""
        self.paths, self.wanted, self.on_error = paths, wanted, on_error
        self.columns, self.probabilities = columns_for(scorer.name), scorer.probabilities
        self._folder, self._memory = folder, memory
        self._sorter = ScoreSorter(folder, memory, wanted.order == SUSPICIOUS)
        judged = scorer.lisca if not scorer.leave_out else None
        self.found = Pass(fit=Fit(0, {}, {}, {}, 0.0) if judged else None)
        taken = 0
        with open(os.path.join(folder, "scores"), "wb") as kept:
            for piece, _ in self._pieces():
                for defect in piece.defects:
                    skipped(defect)
                scores = scorer.scores(piece)
                scores.astype(np.float64).tofile(kept)
                has_score = ~np.isnan(scores)
                chosen = has_score if wanted.relations is None else has_score & has_relation(piece, wanted.relations)
                flagged = chosen
                if wanted.order == CORPUS and wanted.top is not None:  # the first ones are known already
                    flagged = chosen & (np.cumsum(chosen) <= wanted.top - taken)
                    taken += int(flagged.sum())
                ranked = np.flatnonzero(has_score if wanted.bins_of_all else chosen)
                lines = table_lines(piece, scores, ranked, flagged, self.probabilities) if with_lines else ()
                row = ranked + self.found.words
                self._sorter.add(scores[ranked], np.where(flagged[ranked], row, ~row), lines)
                self.found.words += piece.n_words
                self.found.unranked += int((~has_score).sum())
                self.found.relations.update(piece.labels["deprel"])
                if judged and self.found.fit:
                    self.found.fit = add_fits(self.found.fit, model_fit(piece, judged))
                progress(piece.n_words)
        if wanted.relations is not None and self.found.words:
            check_relations(self.found.relations, wanted.relations)

    def _pieces(self) -> Iterator[tuple[Corpus, bytes]]:
        return stream_pieces(self.paths, self.columns, self.on_error)

    def _blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, Sequence[bytes]]]:
        """Rows, which of them are wanted, places from the most reliable, and lines, in order, while any are wanted."""
        wanted, n, before, taken = self.wanted, self._sorter.n, 0, 0
        for block in self._sorter.blocks():
            if wanted.top is not None and wanted.order != CORPUS and taken >= wanted.top:
                return
            flagged = block.row >= 0
            if wanted.top is not None and wanted.order != CORPUS:
                flagged &= np.cumsum(flagged) <= wanted.top - taken
            taken += int(flagged.sum())
            place = np.arange(before, before + len(block))
            if wanted.order == SUSPICIOUS:
                place = n - 1 - place
            before += len(block)
            yield np.where(block.row < 0, ~block.row, block.row), flagged, place, block.lines

    def table(self) -> Iterator[list[bytes]]:
        """The lines of the table, in the order asked for, without a header."""
        n, bins = self._sorter.n, self.wanted.bins
        for _, flagged, place, lines in self._blocks():
            at = np.flatnonzero(flagged)
            bin_ = bin_of(place[at], n, bins).tolist()
            yield [
                b"%d\t%b\t%d\n" % (rank + 1, lines[k], b)
                for k, rank, b in zip(at.tolist(), place[at].tolist(), bin_, strict=True)
            ]

    def first(self, signature: str) -> Ranking:
        """The arcs asked for as a ranking over a corpus of their sentences alone."""
        rows, places = [], []
        for row, flagged, place, _ in self._blocks():
            rows.append(row[flagged])
            places.append(place[flagged])
        row, place = np.concatenate(rows), np.concatenate(places)
        if self.wanted.order == CORPUS:
            order = np.argsort(row)
            row, place = row[order], place[order]
        ascending = np.sort(row)
        at: dict[int, int] = {}  # row -> row among those kept
        pieces, words, kept = [], 0, 0
        for piece, _ in self._pieces():
            low, high = np.searchsorted(ascending, [words, words + piece.n_words])
            if low < high:
                own = ascending[low:high] - words
                part, inside = piece.around(own)
                at.update(zip((own + words).tolist(), (kept + inside).tolist(), strict=True))
                pieces.append(part)
                kept += part.n_words
            words += piece.n_words
        corpus = _one_corpus(pieces, self.columns)
        scores = np.memmap(os.path.join(self._folder, "scores"), np.float64, "r") if len(row) else np.empty(0)
        return Ranking(
            corpus,
            signature,
            np.array([at[r] for r in row.tolist()], dtype=np.int64),
            np.array(scores[row]),
            place + 1,
            bin_of(place, self._sorter.n, self.wanted.bins),
            self.found.unranked,
            self.probabilities,
        )

    def in_corpus_order(self, mark: int = 0) -> Iterator[tuple[Corpus, bytes, Ranking, np.ndarray]]:
        """Every piece, what is missing behind it, the ranking of its arcs that are asked for, and rows to mark.

        Marked are the `mark` most suspicious of all that are asked for.
        """
        marks: deque[int] = deque(maxlen=mark)
        buckets = _Buckets(self._folder)
        for row, flagged, place, _ in self._blocks():
            if self.wanted.order == SUSPICIOUS:
                marks.extend(row[flagged][: mark - len(marks)].tolist())
            else:
                marks.extend(row[flagged][-mark:].tolist() if mark else ())
            buckets.put(row[flagged], place[flagged])
        marked = np.sort(np.fromiter(marks, dtype=np.int64))
        words, n = 0, self._sorter.n
        place_of = buckets.places(self.found.words)
        with open(os.path.join(self._folder, "scores"), "rb") as stream:
            for piece, missing in self._pieces():
                scores = np.fromfile(stream, np.float64, piece.n_words)
                place = place_of(piece.n_words)
                row = np.flatnonzero(place >= 0)
                bin_ = bin_of(place[row], n, self.wanted.bins)
                low, high = np.searchsorted(marked, [words, words + piece.n_words])
                yield (
                    piece,
                    missing,
                    Ranking(piece, "", row, scores[row], place[row] + 1, bin_, probabilities=self.probabilities),
                    marked[low:high] - words,
                )
                words += piece.n_words


def table_lines(
    piece: Corpus, scores: np.ndarray, ranked: np.ndarray, flagged: np.ndarray, probabilities: bool
) -> list[bytes]:
    """The line of the table of every arc, between its rank and its bin; empty for those that are not wanted."""
    lines = [b""] * len(ranked)
    at = np.flatnonzero(flagged[ranked])
    row = ranked[at]
    none = np.zeros(len(row), dtype=np.int64)
    columns = Ranking(piece, "", row, scores[row], none, none, probabilities=probabilities).columns()
    del columns["rank"], columns["bin"]
    columns["sent_id"] = [sent_id.replace("\t", " ") for sent_id in columns["sent_id"]]
    for k, values in zip(at.tolist(), zip(*columns.values(), strict=True), strict=True):
        lines[k] = "\t".join(map(str, values)).encode()
    return lines


def _one_corpus(pieces: list[Corpus], columns: Sequence[str]) -> Corpus:
    """Some sentences of pieces as one corpus over their text alone, with the numbers that they had."""
    if not pieces:
        return join_pieces([], columns)
    reader = Reader(columns, "skip")
    text = b"".join(piece.sentence_text(s) + b"\n\n" for piece in pieces for s in range(piece.n_sentences))
    return replace(reader.parse(text, pieces[0].path), number=np.concatenate([piece.number for piece in pieces]))


class _Buckets:
    """Places in a ranking, put in as they are ranked and got back in the order of the corpus."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def _path(self, bucket: int) -> str:
        return os.path.join(self._folder, f"bucket{bucket}")

    def put(self, row: np.ndarray, place: np.ndarray) -> None:
        """Take in the places of some rows."""
        order = np.argsort(row // _BUCKET, kind="stable")
        row, place = row[order], place[order]
        numbers, low = np.unique(row // _BUCKET, return_index=True)
        for bucket, one, other in zip(numbers.tolist(), low, np.append(low, len(row))[1:], strict=True):
            with open(self._path(bucket), "ab") as stream:
                np.stack([row[one:other], place[one:other]], axis=1).tofile(stream)

    def places(self, n: int) -> Callable[[int], np.ndarray]:
        """A function that gives the places of the next so many of n rows, -1 where a row has none."""
        held = np.empty(0, dtype=np.int64)
        bucket = 0

        def following(many: int) -> np.ndarray:
            nonlocal held, bucket
            while len(held) < many:
                more = np.full(min(_BUCKET, n - bucket * _BUCKET), -1, dtype=np.int64)
                if os.path.exists(self._path(bucket)):
                    row, place = np.fromfile(self._path(bucket), np.int64).reshape(-1, 2).T
                    more[row - bucket * _BUCKET] = place
                held = np.concatenate([held, more])
                bucket += 1
            taken, held = held[:many], held[many:]
            return taken

        return following
