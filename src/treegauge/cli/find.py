"""`treegauge find`: search trees by a request, count what is found, and change it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from treegauge.cli.arguments import Arguments, argument, command, file, flag, number, option, repeated
from treegauge.cli.groups import (
    AUTO,
    ON_ERROR,
    OUTPUT,
    find_model,
    format_option,
    model_option,
    tables_content,
    write_file,
)
from treegauge.cli.messages import (
    ReadingProgress,
    is_coloured,
    message,
    refuse,
    refuse_unused,
    terminal_style,
    text_columns,
)
from treegauge.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from treegauge.corpus.corpus import Corpus
    from treegauge.scorers.scorer import Scorer
    from treegauge.upkeep.search.clusters import Key
    from treegauge.upkeep.search.find import MatchList
    from treegauge.upkeep.search.request import Request

_SHOWN = ("form", "upos", "deprel")
_TOP = {"text": 20, "html": 200}
_TABLES = ("tsv", "csv", "json", "jsonl", "parquet")


class FindArguments(Arguments):
    """The arguments of `treegauge find`."""

    request: str = argument()
    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    count: bool = flag("Print the number of matches alone.")
    cluster: tuple[str, ...] = repeated(
        "Count matches by this: O.upos, e.label, e.length, length(V,O), {O << V}. May be given twice.", metavar="KEY"
    )
    by: str | None = option("Count matches for each file.", metavar="file")
    sample: int | None = number(1, None, "Take a random sample of N matches.")
    seed: int = number(0, 0, "Seed of the random sample.")
    model_name: str | None = model_option(f"; `{AUTO}` finds the language. The improbable matches come first")
    assignments: tuple[str, ...] = repeated(
        "--set",
        "Make corrections: O.deprel=iobj, O.head=V, O.Number=Plur. They are shown and written, not applied. "
        "May be repeated.",
        metavar="NODE.COLUMN=VALUE",
    )
    corrections: str = file("Write the corrections of --set here, for `treegauge apply`.", default="corrections.json")
    top: int | None = number(0, None, "Show only the first N.  [default: text: 20; html: 200; others: all]")
    format_name: str = format_option(
        ("text", "conllu", *_TABLES, "html"),
        "Write the matches drawn as text; their sentences; a table of their nodes; or a page.",
    )
    output: str = OUTPUT
    on_error: str = ON_ERROR

    @property
    def shown(self) -> int | None:
        """How many matches are shown; None for all."""
        return _TOP.get(self.format_name) if self.top is None else self.top


@command(FindArguments)
def find(args: FindArguments) -> None:
    """Find what a REQUEST describes in TREEBANK, CoNLL-U files: words, arcs, their order, what is absent.

    REQUEST is written as for Grew, or is a file that has it. A `pattern` block names nodes and says what holds for
    them; `without` blocks take matches away, `with` blocks keep them, `global` asks about the sentence.

    \b
    Examples:
      treegauge find 'pattern { V [upos=VERB]; V -[obj]-> O; O << V }' treebank.conllu
      treegauge find 'pattern { e: N -> A; A [upos=ADJ] }' treebank.conllu --cluster e.label --cluster '{A << N}'
      treegauge find 'pattern { V -[1=nsubj]-> S } without { V -[obj]-> * }' treebank.conllu --model en
      treegauge find 'pattern { V [lemma=give]; V -[obj]-> O; O [upos=PRON] }' treebank.conllu --set O.deprel=iobj
    """
    from treegauge.upkeep.search.clusters import FILE, parse_key

    refuse(
        (args.count and (args.cluster or args.by or args.assignments), "--count prints a number alone"),
        (args.assignments and (args.cluster or args.by), "--set excludes --cluster and --by"),
        (args.by not in (None, FILE), f"--by {args.by}; expected file"),
    )
    counting = args.count or bool(args.cluster) or args.by is not None
    refuse_unused(
        seed=(args.sample is not None, "--sample"),
        corrections=(bool(args.assignments), "--set"),
        model_name=(not counting, "lists of matches"),
        sample=(not counting, "lists of matches"),
        top=(not counting, "lists of matches"),
    )
    request = _read_request(args.request)
    if args.count:
        write_file(f"{_count(args, request)}\n", args.output)
        return
    if counting:
        keys = [*([parse_key(FILE, request)] if args.by else []), *(parse_key(key, request) for key in args.cluster)]
        write_file(_counted(args, request, keys), args.output)
        return
    matches, total = _gathered(args, request)
    write_file(_with_corrections(args, matches) if args.assignments else _listed(args, matches, total), args.output)
    message(counted(total, "match") + (f", a sample of {len(matches):,}" if len(matches) < total else ""))


def _read_request(text: str) -> Request:
    """The request of the command line, or of the file that it names."""
    from treegauge.corpus.files import read_text
    from treegauge.upkeep.search.parser import parse_request

    if "{" not in text and os.path.isfile(text):
        return parse_request(read_text(text), text)
    return parse_request(text)


def _pieces(args: FindArguments, columns: Iterable[str], progress: ReadingProgress) -> Iterator[Corpus]:
    """The pieces of the treebank, read with these columns."""
    from treegauge.corpus.pieces import open_pieces
    from treegauge.corpus.treebanks import corpus_files

    paths = corpus_files(args.treebank)
    for piece in open_pieces(paths, tuple(dict.fromkeys(columns)), args.on_error, streamed=True, once=True):
        yield progress(piece)
    progress.check(paths)


def _count(args: FindArguments, request: Request) -> int:
    from treegauge.upkeep.search.find import count_pieces
    from treegauge.upkeep.search.nodes import needed_columns

    with ReadingProgress("searching", args.treebank) as progress:
        return count_pieces(_pieces(args, needed_columns(request.features()), progress), request)


def _counted(args: FindArguments, request: Request, keys: Sequence[Key]) -> bytes:
    """The table of clusters."""
    from treegauge.upkeep.search.clusters import MatchClusters, with_keys
    from treegauge.upkeep.search.find import find_pieces
    from treegauge.upkeep.search.nodes import needed_columns

    clusters = MatchClusters(request, keys)
    columns = needed_columns(request.features() | with_keys(request, keys))
    refuse((args.format_name in ("conllu", "html"), f"--format {args.format_name} is for lists of matches"))
    with ReadingProgress("searching", args.treebank) as progress:
        for found in find_pieces(_pieces(args, columns, progress), request):
            clusters.add(found)
    message(counted(clusters.counts.total(), "match"))
    return tables_content([clusters.table()], args.format_name)


def _gathered(args: FindArguments, request: Request) -> tuple[MatchList, int]:
    """The matches, in the order in which they are listed, and how many there are without a sample."""
    from treegauge.corpus.columns import COLUMNS
    from treegauge.upkeep.search.find import find_pieces, gather
    from treegauge.upkeep.search.nodes import needed_columns

    scorer = _scorer(args)
    columns = [*needed_columns(request.features()), *_SHOWN, *(scorer.columns if scorer else ())]
    total, missing = 0, request.features() - set(COLUMNS)

    def counted_matches() -> Iterator[object]:
        nonlocal total, missing
        for found in find_pieces(_pieces(args, [*columns, *(COLUMNS if args.assignments else ())], progress), request):
            total, missing = total + len(found), missing - found.features
            yield found

    with ReadingProgress("searching", args.treebank) as progress:
        matches = gather(counted_matches(), request, scorer, args.sample, args.seed)  # type: ignore[arg-type]
    message(*(f"no word has the feature {name}, which the request asks for" for name in sorted(missing)))
    message(*([scorer.about] if scorer else []))
    return matches, total


def _scorer(args: FindArguments) -> Scorer | None:
    from treegauge.scorers.registry import probability_scorer

    return probability_scorer(find_model(args.model_name, args.treebank)) if args.model_name else None


def _listed(args: FindArguments, matches: MatchList, total: int) -> str | bytes:
    """The matches in the format asked for."""
    from treegauge.reports.arc_text import plain
    from treegauge.reports.find_text import matches_conllu, matches_page, matches_text

    shown = matches.first(args.shown)
    if args.format_name == "text":
        return matches_text(shown, total, text_columns(), terminal_style if is_coloured(args.output) else plain)
    if args.format_name == "conllu":
        return matches_conllu(shown)
    if args.format_name == "html":
        return matches_page(shown, total, " ".join(args.treebank))
    return tables_content([shown.table()], args.format_name)


def _with_corrections(args: FindArguments, matches: MatchList) -> str | bytes:
    """What the corrections would change; they are written to their own file."""
    from treegauge.reports.arc_text import plain
    from treegauge.reports.find_text import corrections_table, corrections_text
    from treegauge.upkeep.corrections import corrections_json
    from treegauge.upkeep.search.assignments import corrections_of, parse_assignment

    refuse((args.format_name in ("conllu", "html"), f"--set: --format {args.format_name}; expected text or a table"))
    assignments = [parse_assignment(text, matches.request) for text in args.assignments]
    made, clashes = [], []
    for part in matches.parts:
        corrections, refused = corrections_of(part, assignments)
        made += [(part, row, correction) for row, correction in corrections]
        clashes += refused
    message(*(f"left out: {clash.correction}: {clash.text}" for clash in clashes))
    write_file(corrections_json([one for _, _, one in made], " ".join(args.treebank)), args.corrections)
    make = f"; make them: treegauge apply {args.corrections} {' '.join(args.treebank)} -o FIXED" if made else ""
    message(f"{args.corrections}: {counted(len(made), 'correction')}{make}")
    if args.format_name == "text":
        style = terminal_style if is_coloured(args.output) else plain
        return corrections_text(made, args.shown, text_columns(), style)
    return tables_content([corrections_table(made, matches.signature)], args.format_name)
