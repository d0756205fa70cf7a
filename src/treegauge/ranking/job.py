"""A ranking from files to files: reads, scores, sorts and writes, in one go or within bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from shutil import copyfileobj
from typing import IO

from treegauge.corpus.columns import COLUMNS
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN, is_remote, write_whole
from treegauge.corpus.pieces import larger_than_memory, open_pieces
from treegauge.corpus.temporary_files import temporary_folder
from treegauge.errors import CorpusError, OptionError, OutputError
from treegauge.ranking.output_formats import CONLLU, MiscAnnotation, ParquetTable, RowFormat, TsvTable
from treegauge.ranking.scored import CORPUS, Listing
from treegauge.ranking.stream import StreamRanking, Tally, passes
from treegauge.ranking.units import Unit
from treegauge.ranking.verdicts import Verdict
from treegauge.scorers.scorer import Scorer
from treegauge.wording import counted

_SORTED = 64  # MB to sort in where no memory is asked for: more would hardly be faster
_BESIDE = 24  # MB that the next piece takes beside what one took, and writing
_LEAST = 16  # MB to sort in
_TIMES, _TIMES_CONLLU = 6, 18  # memory that ranking at once takes, as a multiple of the text


@dataclass(frozen=True, slots=True)
class RankRequest:
    """What is to be ranked, how it is written, and where."""

    paths: tuple[str, ...]
    listing: Listing
    output_format: RowFormat | MiscAnnotation = field(default_factory=TsvTable)
    output: str = STDIN
    on_error: str = "stop"
    memory: int | None = None  # MB: sort on disk
    split: int | None = None  # arcs of an output file

    def __post_init__(self) -> None:
        output_format, unit = self.output_format, self.unit
        if unit == Unit.SENTENCE and (output_format.explain or output_format.suggest or self.listing.relations):
            raise OptionError("--unit sentence excludes --explain, --suggest, --relation and --mark")
        if unit == Unit.TAG and output_format.suggest:
            raise OptionError("--unit tag shows other tags anyway; --suggest is for arcs")
        if self.listing.accuracy is not None and unit not in (Unit.ARC, Unit.SENTENCE):
            raise OptionError("--accuracy is for arcs and sentences, not for tags and other columns")
        if self.listing.wholly_right is not None and unit != Unit.SENTENCE:
            raise OptionError("--wholly-right is for sentences: expected --unit sentence")
        if self.listing.cutter is not None and self.listing.order == CORPUS and self.on_disk:
            raise OptionError("--accuracy and --wholly-right with --memory or --split exclude --order corpus")
        if self.split is not None and (self.output == STDIN or output_format.name not in ("tsv", CONLLU)):
            raise OptionError("--split is for --format tsv or conllu, with -o FILE")

    @property
    def unit(self) -> Unit:
        """What is ranked."""
        return self.output_format.unit

    def check_tally(self, tally: Tally) -> None:
        """CorpusError if nothing was read; OptionError if no arc has a relation that is asked for."""
        if not tally.words:
            raise CorpusError(f"{', '.join(self.paths)}: no sentences")
        self.listing.check_relations(tally.relations)

    @property
    def on_disk(self) -> bool:
        """Whether the corpus passes through in pieces that are sorted on disk."""
        times = _TIMES_CONLLU if self.output_format.name == CONLLU else _TIMES
        return bool(self.memory or self.split) or larger_than_memory(self.paths, times)

    @property
    def reads_once(self) -> bool:
        """Whether the texts of a piece are made when it is read, so that it is not needed again."""
        return isinstance(self.output_format, RowFormat) and self.listing.order != CORPUS

    @property
    def passes(self) -> bool:
        """Whether no more than the listed items of each piece has to stay in memory."""
        return passes(self.listing) and self.reads_once


class RankJob:
    """A request that was scored and sorted; `notes` says what is worth knowing, `write` writes it."""

    def __init__(self, request: RankRequest, ranking: StreamRanking, least: int = 0) -> None:
        self.request, self.ranking = request, ranking
        self.least = least  # MB that it takes at the least, if fewer were asked for; else 0

    def notes(self) -> Iterator[str]:
        """Settings, the fit of the model, and arcs that are not ranked."""
        scorer, tally, request = self.ranking.scorer, self.ranking.tally, self.request
        yield scorer.about
        yield from scorer.notes
        if self.least and request.memory:
            yield f"--memory {request.memory}: the program, its model and a piece of text take {self.least} MB"
        if request.unit == Unit.ARC:
            yield from tally.fit.lines() if tally.fit else ()
        if self.ranking.accuracy_cut is not None:
            yield self.ranking.accuracy_cut.text(request.unit)
        if self.ranking.verdicts is not None:
            yield f"{counted(tally.accepted, 'accepted arc')} left out"
        if request.unit == Unit.ARC and (unranked := tally.unranked - tally.accepted):
            yield f"not ranked, without a {scorer.name}: {counted(unranked, 'arc')}"

    def write(self) -> None:
        """The listing in its format, to its file or files."""
        request, output_format = self.request, self.request.output_format
        if isinstance(output_format, MiscAnnotation):
            pieces, header = output_format.pieces(self.ranking), b""
        else:
            pieces = self._lines(output_format)
            header = output_format.header(self.ranking.scorer, self.ranking.tally)
        if isinstance(output_format, ParquetTable):
            self._write_parquet(output_format, pieces, header)
        else:
            _write(pieces, request.output, request.split, header)

    def _write_parquet(self, table: ParquetTable, pieces: Iterable[tuple[int, bytes]], header: bytes) -> None:
        """The lines into a temporary file, and the columns made of them into the output."""
        with _folder(self.request.output) as folder:
            lines, columns = os.path.join(folder, "lines"), os.path.join(folder, "columns")
            _write(pieces, lines, None, header)
            table.write(self.ranking.scorer, lines, columns)
            with write_whole(self.request.output) as stream, open(columns, "rb") as made:
                copyfileobj(made, stream)

    def _lines(self, rows: RowFormat) -> Iterator[tuple[int, bytes]]:
        """How many items, and their text: one by one with --split, many at a time without."""
        between = b""
        for block in self.ranking.listed():
            if self.request.split is not None:
                lines = rows.lines(block)
                yield from ((1, lines[k]) for k in range(len(lines)))
            else:
                yield len(block.row), between + rows.joined(block)
                between = rows.between
        if self.request.split is None:
            yield 0, rows.footer


@contextmanager
def rank_job(
    request: RankRequest,
    make_scorer: Callable[[Callable[[], Iterable[Corpus]]], Scorer] | Scorer,
    *,
    verdicts: Sequence[Verdict] | None = None,
    met: Callable[[Corpus], object] = lambda piece: None,
) -> Iterator[RankJob]:
    """Read, score and sort what is requested; the job can be written until the context ends.

    make_scorer: a scorer, or a function that makes one from the corpus's own pieces. verdicts: accepted arcs are left
    out. met is told pieces as they are read.
    """
    columns = tuple(COLUMNS) if callable(make_scorer) else make_scorer.columns
    once = request.reads_once and not callable(make_scorer)  # a corpus scored by itself is read twice
    streamed = once or request.on_disk
    pieces = open_pieces(request.paths, columns, request.on_error, streamed=streamed, once=once, met=met)
    scorer = make_scorer(lambda: pieces) if callable(make_scorer) else make_scorer
    request.output_format.check(scorer)
    ranking = StreamRanking(pieces, scorer, request.listing, unit=request.unit, verdicts=verdicts)
    texts = request.output_format.texts if isinstance(request.output_format, RowFormat) else None
    with ExitStack() as stack:
        sorting = streamed and not (once and request.passes)
        folder = cache(lambda: stack.enter_context(_folder(request.output))) if sorting else None
        room = _Room(request.memory)
        told: Callable[[Corpus], object] = met if streamed else lambda piece: None
        ranking.run(texts, folder=folder, room=room, met=told)
        request.check_tally(ranking.tally)
        yield RankJob(request, ranking, room.least)


class _Room:
    """How many bytes sorting may take: what the process may take in all, less what it has taken so far."""

    def __init__(self, megabytes: int | None) -> None:
        """megabytes: None if no more than _SORTED should be used, whatever the process has taken."""
        self._asked, self.least = megabytes, 0

    def __call__(self) -> int:
        """The bytes; `least` becomes the MB that ranking takes at the least, if fewer were asked for."""
        if self._asked is None:
            return _SORTED * 1_000_000
        taken = _peak() // 1_000_000 + _BESIDE
        self.least = taken + _LEAST if taken + _LEAST > self._asked else 0
        return max(self._asked - taken, _LEAST) * 1_000_000


def _peak() -> int:
    """The most memory that this process has had, in bytes; 0 if the system does not say."""
    try:
        with open("/proc/self/status") as stream:  # elsewhere, what the parent had counts too
            return next(1024 * int(line.split()[1]) for line in stream if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


@contextmanager
def _folder(output: str) -> Iterator[str]:
    """A folder for what does not fit into memory, beside the output if that is a file of this machine."""
    if output == STDIN or is_remote(output):
        from tempfile import gettempdir

        home = gettempdir()
    else:
        home = os.path.dirname(os.path.abspath(output))
    with ExitStack() as stack:
        try:
            name = stack.enter_context(temporary_folder(home, ".treegauge-rank"))
        except OSError as error:
            raise OutputError(f"{output}: cannot be written: {error.strerror}") from error
        yield name


def _write(pieces: Iterable[tuple[int, bytes]], output: str, split: int | None, header: bytes) -> None:
    """Write pieces to one file, or a new one whenever `split` arcs are in it: `arcs-00001.tsv` …"""
    stem, ending = os.path.splitext(output)
    with ExitStack() as stack:
        stream: IO[bytes] | None = None
        number = arcs = 0
        for n, text in pieces:
            if stream is None or (split is not None and arcs >= split):
                stack.close()
                number, arcs = number + 1, 0
                stream = stack.enter_context(write_whole(f"{stem}-{number:05d}{ending}" if split else output))
                stream.write(header)
            stream.write(text)
            arcs += n
        if stream is None:  # no arcs: a file with the header alone
            stack.enter_context(write_whole(f"{stem}-00001{ending}" if split else output)).write(header)
