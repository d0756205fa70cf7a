"""`treegauge rank` for corpora larger than memory, and for output in several files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from treegauge.cli.options import Skipped, message, progress_of
from treegauge.errors import OptionError, OutputError

if TYPE_CHECKING:
    from treegauge.ranking.stream import ExternalRanking, Wanted
    from treegauge.ranking.verdicts import Accepted
    from treegauge.scorers.registry import Scorer

MEMORY = 1_000  # MB
_TIMES, _TIMES_CONLLU = 6, 18  # memory that ranking at once takes, as a multiple of the text
_UNPACKED = 7  # text that a compressed file holds, as a multiple of its size


def larger_than_memory(paths: Sequence[str], output_format: str) -> bool:
    """Whether ranking these files at once would take more than half of the machine's memory, by their sizes."""
    from treegauge.corpus.files import COMPRESSED

    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return False
    files = [path for path in paths if os.path.isfile(path)]
    text = sum(os.path.getsize(path) * (_UNPACKED if path.endswith(COMPRESSED) else 1) for path in files)
    return text * (_TIMES_CONLLU if output_format == "conllu" else _TIMES) > memory / 2


def rank_large(
    paths: Sequence[str],
    scorer: Scorer,
    wanted: Wanted,
    *,
    output_format: str,
    output: str,
    memory: int,
    split: int | None,
    explain: bool,
    names: tuple[str, str],
    mark: int,
    on_error: str,
    accepted: Accepted | None = None,
) -> None:
    """Rank in two passes over the files, within about `memory` MB beside the model, and write."""
    import tempfile

    from treegauge.corpus.files import STDIN, is_remote
    from treegauge.ranking.stream import ExternalRanking

    by_table = output_format == "tsv" and not explain
    if STDIN in paths:
        raise OptionError("standard input cannot be read twice, as --memory and --split need; give files")
    if split is not None and (output == STDIN or not (by_table or output_format == "conllu")):
        raise OptionError("--split is for --format tsv (without --explain) or conllu, with -o FILE")
    if not by_table and output_format != "conllu" and wanted.top is None:
        what = "--explain" if explain else f"--format {output_format}"
        raise OptionError(f"{what} of a corpus larger than memory needs --top; --format tsv and conllu do not")
    home = None if output == STDIN or is_remote(output) else os.path.dirname(os.path.abspath(output))
    skipped = Skipped()
    try:
        folder = tempfile.TemporaryDirectory(prefix=".treegauge-rank-", dir=home)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror}") from error
    with folder as name:
        with progress_of("scoring") as progress:
            ranking = ExternalRanking(
                paths,
                accepted.left_out(scorer) if accepted else scorer,
                wanted,
                name,
                memory * 1_000_000,
                on_error=on_error,
                with_lines=by_table and wanted.order != "corpus",
                progress=progress,
                skipped=skipped,
            )
        skipped.summary()
        message(scorer.signature)
        for line in ranking.found.fit.lines() if ranking.found.fit else ():
            message(line)
        if accepted:
            message(accepted.line())
        if unranked := ranking.found.unranked - (accepted.count if accepted else 0):
            message(f"{unranked:,} arcs have no {scorer.name} and are not ranked")
        if by_table:
            _write(_table(ranking, split is None), output, split, _header(scorer.probabilities))
        elif output_format == "conllu":
            _write(_trees(ranking, names, mark), output, split, b"")
        else:
            _write_first(ranking, scorer, output_format, output, explain)


def _header(probabilities: bool) -> bytes:
    import numpy as np

    from treegauge.corpus.conllu import join_pieces
    from treegauge.ranking.ranking import Ranking

    columns = ("form", "deprel")
    none = np.empty(0, dtype=np.int64)
    empty = Ranking(join_pieces([], columns), "", none, none, none, none, probabilities=probabilities)
    return "\t".join(empty.columns()).encode() + b"\n"


def _table(ranking: ExternalRanking, in_blocks: bool) -> Iterator[tuple[int, bytes]]:
    """Arcs and their lines, one by one or many at a time."""
    if ranking.wanted.order != "corpus":
        for lines in ranking.table():
            yield from ((len(lines), b"".join(lines)),) if in_blocks else ((1, line) for line in lines)
        return
    from treegauge.reports.rankings import tsv

    for _, _, part, _ in ranking.in_corpus_order():
        lines = "".join(tsv(part)).encode().split(b"\n")[1:-1]
        yield from ((1, line + b"\n") for line in lines)


def _trees(ranking: ExternalRanking, names: tuple[str, str], mark: int) -> Iterator[tuple[int, bytes]]:
    """Words and the text of each piece."""
    from treegauge.reports.rankings import annotated

    for piece, missing, part, marked in ranking.in_corpus_order(mark):
        text = annotated(piece, part.row, part.score, part.bin, marked, (*names, "Mark"))
        yield piece.n_words, text + missing


def _write(pieces: Iterator[tuple[int, bytes]], output: str, split: int | None, header: bytes) -> None:
    """Write pieces to one file, or a new one whenever `split` arcs are in it: `arcs-00001.tsv` …"""
    from treegauge.corpus.files import write_whole

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


def _write_first(ranking: ExternalRanking, scorer: Scorer, output_format: str, output: str, explain: bool) -> None:
    """The few arcs that were asked for, in the forms that hold them all at once."""
    from treegauge.cli.rank import terminal_style, text_columns
    from treegauge.corpus.files import write_whole
    from treegauge.reports import rankings

    first = ranking.first(scorer.signature)
    explanations = scorer.explain(first.corpus, first.row) if explain else None
    with write_whole(output) as stream:
        if output_format == "json":
            stream.write(rankings.to_json(first, ranking.found.fit, explanations).encode())
        elif output_format == "tsv":
            stream.writelines(lines.encode() for lines in rankings.tsv(first, explanations))
        else:
            style = terminal_style if output == "-" and sys.stdout.isatty() else None
            lines = rankings.text(first, explanations, text_columns(), style)
            stream.writelines(line.encode() for line in lines)
