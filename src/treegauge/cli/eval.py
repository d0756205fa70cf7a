"""`treegauge eval`: how many words of a parser's output are right."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from treegauge.cli.arguments import Arguments, argument, command, file, flag, number, option, repeated
from treegauge.cli.groups import FORMAT, ON_ERROR, OUTPUT, write_file
from treegauge.cli.messages import message, progress_of, refuse_unused, tell_skipped
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN
from treegauge.corpus.relations import read_groups
from treegauge.evaluation.attachment.breakdown import PROPERTIES, breakdown, leave_out, systems_breakdown
from treegauge.evaluation.attachment.confusion import confused_table, confused_words, confusion
from treegauge.evaluation.attachment.evaluation import (
    Evaluation,
    Evaluations,
    below,
    evaluate,
    evaluate_files,
    read_side,
)
from treegauge.evaluation.attachment.treebank_table import Pair, paper_tables, read_pairs, row_of, treebanks_table
from treegauge.evaluation.attachment.versus import Versus, compare
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import draw_versus, draw_word
from treegauge.statistics import SAMPLES, SEED
from treegauge.tables import Table
from treegauge.wording import counted

MACHINES = ("tsv", "json")  # formats that have everything, for programs; the others are for people


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[list[str]]:
    """The names in each value of an option that may be repeated; commas or pluses separate them."""
    entries = [[name for name in value.replace("+", ",").split(",") if name] for value in values]
    if [] in entries:
        raise click.BadParameter("expected a name, or several separated by commas")
    return entries


def _numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    try:
        return [int(number) for number in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}; expected whole numbers separated by commas") from None


def _cell(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    cells = []
    for value in values:
        gold, comma, system = value.partition(",")
        if not comma or not gold or not system or "," in system:
            raise click.BadParameter(f"{value!r}; expected two relations, gold's and the system's: nsubj,obj")
        cells.append((gold, system))
    return cells


class EvalArguments(Arguments):
    """The arguments of `treegauge eval`."""

    files: tuple[str, ...] = argument(nargs=-1, metavar="GOLD SYSTEM [SYSTEM...]")
    by: list[list[str]] = repeated(
        f"Show LAS by a property of arcs ({', '.join(PROPERTIES)}), or by several crossed. May be repeated.",
        callback=_names,
        metavar="PROPERTY[,PROPERTY]",
    )
    class_ends: list[int] | None = option(
        "Put the numbers of a --by property into classes that end at these.", callback=_numbers, metavar="N,N..."
    )
    confusions: bool = flag("--confusion", "Show which relation is taken for which, the most frequent first.")
    show: list[tuple[str, str]] = repeated(
        "Draw words with these relations in gold and system; if they are equal, words with a wrong head.",
        callback=_cell,
        metavar="GOLD,SYSTEM",
    )
    versus: bool = flag(
        "Show where only the first SYSTEM or only another one is right, by relation, and draw such words."
    )
    top: int = number(1, 20, "Show so many words of --show, and in text so many of --confusion and --versus.")
    format_name: str = FORMAT
    subtypes: bool = flag("Compare whole relations (nsubj:pass), not their universal part.")
    groups_file: str | None = file("--groups", "Use the groups of relations in FILE, lines `NAME: relation ...`.")
    exclude: list[list[str]] = repeated(
        "Show UAS and LAS without these relations or groups, too.", callback=_names, metavar="NAME,..."
    )
    table_file: str | None = option(
        "--table",
        "Score the treebanks listed in a TSV file (columns name, gold, system, family) in one table.",
        metavar="PAIRS.tsv",
    )
    pair_files: tuple[tuple[str, str], ...] = repeated(
        "--pair", "Add this pair to the table of --table. May be repeated.", nargs=2, metavar="GOLD SYSTEM"
    )
    significance: bool = flag("Test each system against the first, by bootstrap and by randomisation.")
    samples: int = number(1, SAMPLES, "Draw so many samples in each test of --significance.")
    seed: int = number(0, SEED, "Seed the random samples of --significance.")
    min_las: float | None = option("End with exit code 1 if a LAS is below this.", type=float, metavar="PERCENT")
    no_enhanced: bool = flag("Ignore enhanced dependencies, the column DEPS.")
    output: str = OUTPUT
    on_error: str = ON_ERROR

    @property
    def tables(self) -> bool:
        """Whether tables besides the scores are asked for."""
        return bool(self.by or self.confusions or self.show or self.versus)

    @property
    def machine(self) -> bool:
        """Whether a program reads what is written."""
        return self.format_name in MACHINES


@command(EvalArguments, short_help="Score parsers against gold.")
def eval(args: EvalArguments) -> None:
    """Score one or several parsers' output (SYSTEM) against GOLD, CoNLL-U files of the same text.

    Tokens, words and sentences may differ: words are aligned by their characters, as in the CoNLL 2018 shared
    task, whose scores are given: precision, recall, F1, and accuracy on aligned words. Text has per cent;
    TSV and JSON have fractions.

    \b
    Examples:
      treegauge eval gold.conllu system.conllu
      treegauge eval gold.conllu system.conllu --by relation --confusion
      treegauge eval gold.conllu system.conllu other.conllu --significance --versus
    """
    refuse_unused(
        samples=(args.significance, "--significance"),
        seed=(args.significance, "--significance"),
        class_ends=(bool(args.by), "--by"),
        top=(bool(args.show or args.confusions or args.versus), "--show, --confusion and --versus"),
    )
    settings: dict[str, Any] = {
        "subtypes": args.subtypes,
        "groups": read_groups(args.groups_file) if args.groups_file else None,
        "exclude": args.exclude,
        "enhanced": not args.no_enhanced,
    }
    if args.table_file or args.pair_files:
        if args.files or args.tables or args.significance:
            raise click.UsageError("--table, --pair: without GOLD SYSTEM and options that show more than scores")
        pairs = read_pairs(args.table_file) if args.table_file else []
        pairs += [Pair(system, gold, system) for gold, system in args.pair_files]
        text, low = _many(pairs, settings, args.on_error, args.min_las, args.format_name)
    else:
        if len(args.files) < 2:
            raise click.UsageError("expected GOLD and at least one SYSTEM, or --table PAIRS.tsv")
        if (args.significance or args.versus) and len(args.files) < 3:
            raise click.UsageError("--significance, --versus compare systems: expected GOLD and at least two SYSTEMs")
        evaluations = _evaluations(
            args.files, settings, args.on_error, counts_only=not (args.tables or args.significance)
        )
        tests = _tests(evaluations, args.samples, args.seed) if args.significance else []
        text = written(evaluations, args, tests)
        low = below(evaluations, args.min_las) if args.min_las is not None else []
    write_file(text, args.output)
    message(*low)
    if low:
        sys.exit(1)


def _evaluations(
    files: tuple[str, ...], settings: dict[str, Any], on_error: str, *, counts_only: bool
) -> Evaluations[Any]:
    """Each system against gold; if counts are enough, a single system is read in step with gold."""
    with progress_of("reading", paths=files) as progress:
        in_step = counts_only and len(files) == 2 and STDIN not in files and on_error == "stop"
        if in_step and not settings["exclude"]:
            options = {name: value for name, value in settings.items() if name != "exclude"}
            evaluation = evaluate_files(*files, **options, progress=progress)
            if evaluation is not None:
                return Evaluations((evaluation,))
        sides = [_side(path, settings, on_error, progress) for path in files]
    result = evaluate(*sides, **settings)
    return result if isinstance(result, Evaluations) else Evaluations((result,))


def _side(path: str, settings: dict[str, Any], on_error: str, progress: Callable[[int], None]) -> Corpus:
    """The corpus of gold or of a system; says which sentences were left out."""
    corpus = read_side(path, enhanced=settings["enhanced"], on_error=on_error, progress=progress)
    tell_skipped(corpus.defects)
    return corpus


def _many(
    pairs: Sequence[Pair], settings: dict[str, Any], on_error: str, min_las: float | None, format_name: str
) -> tuple[str, list[str]]:
    """The table of many treebanks, and a line for each LAS below --min-las; one pair is in memory at a time."""
    rows, low, signature = [], [], ""
    with progress_of("evaluating", paths=[path for pair in pairs for path in (pair.gold, pair.system)]) as progress:
        for pair in pairs:
            evaluation = evaluate(
                *(_side(path, settings, on_error, progress) for path in (pair.gold, pair.system)), **settings
            )
            rows.append(row_of(pair, evaluation))
            signature = evaluation.signature
            low += below([evaluation], min_las) if min_las is not None else []
    tables = [treebanks_table(rows, signature)] if format_name in MACHINES else paper_tables(rows, signature)
    return write_tables(tables, format_name), low


def _tests(evaluations: Evaluations[Any], samples: int, seed: int) -> list[Table]:
    """The tests of each system against the first."""
    first, *others = evaluations
    with progress_of("testing", "samples", 2 * samples * len(others)) as progress:  # two tests of each
        return [compare(first, other, samples=samples, seed=seed, progress=progress).table() for other in others]


def written(evaluations: Evaluations[Any], args: EvalArguments, tests: Sequence[Table]) -> str:
    """The tables asked for; if there are none, the scores. JSON always begins with the scores."""
    tables = [*_scores(evaluations, args), *_by(evaluations, args), *_confusions(evaluations, args), *tests]
    shown = [_words(evaluation, cell, args) for evaluation in evaluations for cell in args.show]
    for other in evaluations[1:] if args.versus else ():
        versus = Versus(evaluations[0], other)
        tables.append(versus.table())
        shown.append(_versus_words(versus, args))
    if args.format_name != "text":
        return write_tables([*tables, *(table for table, _ in shown)], args.format_name)
    parts = [write_tables(tables, "text")] if tables else []
    parts += ["\n".join([table.title + "\n", *drawn, table.signature + "\n"]) for table, drawn in shown]
    return "\n".join(parts)


def _scores(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """The table of scores, unless other tables are asked for; JSON always has it."""
    if args.format_name == "json" or not args.tables:
        single = len(evaluations) == 1
        yield evaluations[0].table() if single else evaluations.long_table() if args.machine else evaluations.table()


def _by(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """The tables of --by, for people with several systems side by side; for groups also what leaving them out does."""
    for names in args.by:
        if len(evaluations) > 1 and not args.machine:
            yield systems_breakdown(evaluations, names, bins=args.class_ends)
        else:
            yield from (breakdown(evaluation, names, bins=args.class_ends).table() for evaluation in evaluations)
        if names == ["group"]:
            yield from map(leave_out, evaluations)


def _confusions(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """People see the largest wrong cells, machines all cells."""
    for evaluation in evaluations if args.confusions else ():
        table = confusion(evaluation).table(right_ones=args.machine)
        if len(table.rows) > args.top and not args.machine:
            title = f"{table.title} (the first {args.top} of {len(table.rows)})"
            table = replace(table, title=title, rows=table.rows[: args.top])
        yield table


def _words(evaluation: Evaluation, cell: tuple[str, str], args: EvalArguments) -> tuple[Table, list[str]]:
    """The words of a cell as a table, and their drawings; in JSON the table has the drawings."""
    rows = confused_words(evaluation, *cell)
    shown = rows[: args.top]
    title = (
        f"{evaluation.system.path} against {evaluation.gold.path}: "
        f"gold {cell[0]}, system {cell[1]}: {len(shown)} of {counted(len(rows), 'word')}"
    )
    table = confused_table(evaluation, shown, title)
    return _with_drawings(table, lambda: [draw_word(evaluation, row) for row in shown.tolist()], args)


def _versus_words(versus: Versus, args: EvalArguments) -> tuple[Table, list[str]]:
    """The words where only one of two systems is right; people see some of each relation, programs get all."""
    rows = versus.rows if args.machine else versus.chosen(args.top)
    return _with_drawings(versus.words_table(rows), lambda: [draw_versus(versus, row) for row in rows.tolist()], args)


def _with_drawings(table: Table, draw: Callable[[], list[str]], args: EvalArguments) -> tuple[Table, list[str]]:
    """A table of words, and their drawings; in JSON the table has the drawings."""
    drawn = draw() if args.format_name in ("text", "json") else []
    if args.format_name == "json":
        rows_drawn = tuple((*row, drawing) for row, drawing in zip(table.rows, drawn, strict=True))
        table = replace(table, columns=(*table.columns, ("drawing", "text")), rows=rows_drawn)
    return table, drawn
