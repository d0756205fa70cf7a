"""A ranking from files to files: read, scored, sorted and written, at once or within bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from treegauge.corpus.conllu import COLUMNS, Corpus
from treegauge.corpus.files import STDIN, is_remote, write_whole
from treegauge.corpus.leftovers import temporary_folder
from treegauge.errors import CorpusError, OptionError, OutputError
from treegauge.ranking.listing import CORPUS, Listing
from treegauge.ranking.pieces import larger_than_memory, open_pieces
from treegauge.ranking.scored import Scored
from treegauge.ranking.stream import ARC, SENTENCE, TAG, Found, Listed, StreamRanking, passes
from treegauge.reports.rankings import RowFormat, Shown, annotated, check_shown, row_format
from treegauge.scorers.scorer import Scorer
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.ranking.verdicts import Verdict

CONLLU = "conllu"
MEMORY = 1_000  # MB
_BESIDE = 24  # MB that the next piece takes beside what one took, and writing
_LEAST = 16  # MB to sort in
_TIMES, _TIMES_CONLLU = 6, 18  # memory that ranking at once takes, as a multiple of the text


@dataclass(frozen=True, slots=True)
class RankOrder:
    """What is to be ranked, and what is to become of it."""

    paths: tuple[str, ...]
    listing: Listing
    shown: Shown = field(default_factory=Shown)
    unit: str = ARC
    form: str = "text"
    output: str = STDIN
    misc: tuple[str, str, str] = ("LogScore", "Bin", "Probability")  # names in CoNLL-U; empty for none
    mark: int = 0  # of the most suspicious arcs, in CoNLL-U
    on_error: str = "stop"
    memory: int | None = None  # MB: sort on disk
    split: int | None = None  # arcs of an output file

    def __post_init__(self) -> None:
        if self.unit == SENTENCE and (self.shown.explain or self.shown.suggest or self.listing.relations or self.mark):
            raise OptionError("--unit sentence excludes --explain, --suggest, --relation and --mark")
        if self.unit == TAG and self.shown.suggest:
            raise OptionError("--unit tag shows other tags anyway; --suggest is for arcs")
        if self.listing.accuracy is not None and self.unit == TAG:
            raise OptionError("--accuracy is for arcs and sentences, not for tags")
        if self.listing.accuracy is not None and self.listing.order == CORPUS and self.on_disk:
            raise OptionError("--accuracy with --memory or --split excludes --order corpus")
        if self.split is not None and (self.output == STDIN or self.form not in ("tsv", CONLLU)):
            raise OptionError("--split is for --format tsv or conllu, with -o FILE")

    def check_found(self, found: Found) -> None:
        """CorpusError where nothing was read; OptionError where no arc has a relation that is asked for."""
        if not found.words:
            raise CorpusError(f"{', '.join(self.paths)}: no sentences")
        self.listing.check_relations(found.relations)

    @property
    def on_disk(self) -> bool:
        """Whether the corpus passes through in pieces that are sorted on disk."""
        times = _TIMES_CONLLU if self.form == CONLLU else _TIMES
        return bool(self.memory or self.split) or larger_than_memory(self.paths, times)

    @property
    def passes(self) -> bool:
        """Whether what is listed of each piece is all that must be kept."""
        return passes(self.listing) and (self.unit == SENTENCE or self.form != CONLLU)


class RankJob:
    """An order, scored; `notes` says what is worth knowing, `write` writes it."""

    def __init__(
        self, order: RankOrder, ranking: StreamRanking, rows: RowFormat, accepted: int, least: int = 0
    ) -> None:
        self.order, self.ranking, self.rows, self.accepted = order, ranking, rows, accepted
        self.least = least  # MB that it takes at the least, where fewer were asked for

    def notes(self, verdicts: bool) -> Iterator[str]:
        """Settings, the fit of the model, and arcs that are not ranked."""
        scorer, found = self.ranking.scorer, self.ranking.found
        yield scorer.about
        yield from scorer.notes
        if self.least and self.order.memory:
            yield f"--memory {self.order.memory}: the program, its model and a piece of text take {self.least} MB"
        if self.order.unit == ARC:
            yield from found.fit.lines() if found.fit else ()
        if self.ranking.kept is not None:
            yield self.ranking.kept.text(self.order.unit)
        if verdicts:
            yield f"{self.accepted:,} accepted arc{'' if self.accepted == 1 else 's'} left out"
        if self.order.unit == ARC and (unranked := found.unranked - self.accepted):
            yield f"not ranked, without a {scorer.name}: {counted(unranked, 'arc')}"

    def write(self) -> None:
        """The listing in its format, to its file or files."""
        order = self.order
        if order.form == CONLLU and order.unit != SENTENCE:
            pieces = annotated(self.ranking, order.misc, order.mark, suggest=order.shown.suggest)
            _write(pieces, order.output, order.split, b"")
            return
        header = self.rows.header(self.ranking.scorer, self.ranking.found)
        if order.split is not None:
            pieces = ((1, text[k]) for text in map(self.rows.lines, self.ranking.listed()) for k in range(len(text)))
            _write(pieces, order.output, order.split, header)
            return
        with write_whole(order.output) as stream:
            stream.write(header)
            between = b""
            for listed in self.ranking.listed():
                stream.write(between + self._joined(listed))
                between = self.rows.between
            stream.write(self.rows.footer)

    def _joined(self, listed: Listed) -> bytes:
        texts = self.rows.lines(listed)
        if not self.rows.between:
            return texts.data[texts.start[0] : texts.start[-1]].tobytes()
        return self.rows.between.join(texts[k] for k in range(len(texts)))


@contextmanager
def rank_job(
    order: RankOrder,
    make_scorer: Callable[[Callable[[], Iterable[Corpus]]], Scorer] | Scorer,
    *,
    verdicts: Iterable[Verdict] | None = None,
    met: Callable[[Corpus], object] = lambda piece: None,
) -> Iterator[RankJob]:
    """Read, score and sort what is ordered; it can be written until the context ends.

    make_scorer: a scorer, or what makes one of the corpus's own pieces. verdicts: accepted arcs are left out. met is
    told pieces as they are read.
    """
    columns = tuple(COLUMNS) if callable(make_scorer) else make_scorer.columns
    passing = order.passes and not callable(make_scorer)  # a corpus judged by itself is gone through twice
    on_disk = order.on_disk and not passing
    streamed = passing or on_disk
    pieces = open_pieces(order.paths, columns, order.on_error, streamed=streamed, once=passing, met=met)
    scorer = make_scorer(lambda: pieces) if callable(make_scorer) else make_scorer
    check_shown(scorer, order.shown)
    accepted = Accepted(verdicts)
    ranking = StreamRanking(pieces, scorer, order.listing, unit=order.unit)
    rows = row_format(order.form, order.unit, order.shown)
    shown = rows.texts if order.unit == SENTENCE or order.form != CONLLU else None
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(order.output)) if on_disk else None
        room = _Room(order.memory or MEMORY)
        told: Callable[[Corpus], object] = met if streamed else lambda piece: None
        ranking.run(shown, folder=folder, room=room, prepare=accepted, met=told)
        order.check_found(ranking.found)
        yield RankJob(order, ranking, rows, accepted.n, room.least)


class Accepted:
    """Leaves the arcs that verdicts accept out of scored pieces; n says how many they were."""

    def __init__(self, verdicts: Iterable[Verdict] | None) -> None:
        self._said, self.n = None if verdicts is None else list(verdicts), 0

    def __call__(self, scored: Scored) -> Scored:
        """A piece without them."""
        if self._said is None:
            return scored
        left = scored.without_accepted(self._said)
        self.n += left.unranked - scored.unranked
        return left


class _Room:
    """How many bytes there are to sort in: what may be taken but for what the process has taken so far."""

    def __init__(self, megabytes: int) -> None:
        self._asked, self.least = megabytes, 0

    def __call__(self) -> int:
        """The bytes; `least` says how many MB it would take where too few were asked for."""
        taken = _peak() // 1_000_000 + _BESIDE
        self.least = taken + _LEAST if taken + _LEAST > self._asked else 0
        return max(self._asked - taken, _LEAST) * 1_000_000


def _peak() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not say."""
    try:
        with open("/proc/self/status") as stream:  # elsewhere, what the parent had counts too
            return next(1024 * int(line.split()[1]) for line in stream if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


@contextmanager
def _folder(output: str) -> Iterator[str]:
    """A folder for what does not fit into memory, beside the output if that is a file here."""
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
        if stream is None:  # nothing is something too
            stack.enter_context(write_whole(f"{stem}-00001{ending}" if split else output)).write(header)
