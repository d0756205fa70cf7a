"""`treegauge eval`: how many words of a parser's output are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import click

from treegauge.cli import LOG_KEY
from treegauge.cli.arguments import (
    Arguments,
    argument,
    choice,
    command,
    file,
    flag,
    group,
    number,
    option,
    repeated,
    share,
)
from treegauge.cli.groups import (
    ALLOW_SKIPPED,
    FORMATS,
    ON_ERROR,
    OUTPUT,
    format_option,
    signed,
    tables_content,
    write_file,
)
from treegauge.cli.messages import fail, message, progress_of, refuse_unused, too_much_skipped
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN
from treegauge.corpus.relations import read_groups
from treegauge.errors import CorpusError
from treegauge.evaluation.attachment.breakdown import PROPERTIES, breakdown, known_forms, leave_out, systems_breakdown
from treegauge.evaluation.attachment.confusion import CONFUSED, confused_table, confused_words, confusion
from treegauge.evaluation.attachment.enhancements import LEVELS, enhancement_levels
from treegauge.evaluation.attachment.evaluation import (
    AttachmentScores,
    Evaluation,
    Evaluations,
    evaluate,
    evaluate_files,
    read_side,
)
from treegauge.evaluation.attachment.metrics import METRICS
from treegauge.evaluation.attachment.treebank_table import Pair, paper_tables, read_pairs, row_of, treebanks_table
from treegauge.evaluation.attachment.versus import Versus, compare_pairs, pairs_to_test
from treegauge.reports.table_text import MACHINES, write_tables
from treegauge.reports.two_arcs import draw_versus, draw_word
from treegauge.statistics import SAMPLES, SEED
from treegauge.tables import Table
from treegauge.wording import counted, printable

TASK_METRICS = tuple(sorted(METRICS, key=lambda name: name != "LAS"))  # LAS is the default
ENHANCEMENTS = ", ".join(f"{digit} {name}" for digit, (name, _) in LEVELS.items())


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


def _cell(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str | None]]:
    cells = []
    for value in values:
        gold, comma, system = value.partition(",")
        if not gold or "," in system or (comma and not system):
            raise click.BadParameter(f"{value!r}; expected a relation, or gold's and the system's: nsubj,obj")
        cells.append((gold, system or None))
    return cells


class Gates(Arguments):
    """Options that end a command with exit code 1: --min-las, and the same for every metric."""

    @property
    def least(self) -> dict[str, float]:
        """The least score of each metric that has a gate."""
        values = {metric: vars(self)[f"min_{metric.lower()}"] for metric in METRICS}
        return {metric: value for metric, value in values.items() if value is not None}

    def reasons(self, scores: Mapping[str, Mapping[str, float]]) -> list[str]:
        """Why gates do not pass. scores: the scores of each system."""
        return [
            f"{name}: {metric} {100 * of_metric.get(metric, 0.0):.2f} is below {100 * least:g}"
            for name, of_metric in scores.items()
            for metric, least in self.least.items()
            if of_metric.get(metric, 0.0) < least
        ]


for _metric in METRICS:
    _help = "End with exit code 1 if a LAS is below this. The same for every metric: --min-uas, --min-clas …"
    setattr(Gates, f"min_{_metric.lower()}", share(_help, hidden=_metric != "LAS"))


class EvalArguments(Arguments):
    """The arguments of `treegauge eval`."""

    files: tuple[str, ...] = argument(nargs=-1, metavar="GOLD SYSTEM [SYSTEM...]")
    by: list[list[str]] = repeated(
        f"Show LAS by a property of arcs ({', '.join(PROPERTIES)}, or a feature such as Case), or by several crossed. "
        "May be repeated.",
        callback=_names,
        metavar="PROPERTY[,PROPERTY]",
    )
    class_ends: list[int] | None = option(
        "Put the numbers of a --by property into classes that end at these.",
        callback=_numbers,
        metavar="N,N...",
        rare=True,
    )
    train: str | None = file("Take the words of this training text as known, for --by known.", rare=True)
    confusions: tuple[str, ...] = repeated(
        "--confusion",
        f"Show which relation is taken for which; COLUMN: {', '.join(CONFUSED[1:])}, or a feature such as Case.",
        is_flag=False,
        flag_value=CONFUSED[0],
        metavar="[COLUMN]",
        rare=True,
    )
    show: list[tuple[str, str | None]] = repeated(
        "Draw words of this relation whose arc is wrong, or words with these relations in gold and system; `*`: any "
        "other.",
        callback=_cell,
        metavar="GOLD[,SYSTEM]",
    )
    versus: bool = flag(
        "Show where only the first SYSTEM or only another one is right, by relation, and draw such words.", rare=True
    )
    top: int = number(
        1, 20, "Show so many words of --show, and in text so many of --confusion and --versus.", rare=True
    )
    format_name: str = format_option((*FORMATS, "html"), "Write tables in this format; html: a page, with --task.")
    names: tuple[str, ...] = repeated(
        "--name", "Use this name for a system instead of its file's; one for each, in their order.", rare=True
    )
    baseline: str | None = option(
        "Test each system against the one of this name (--significance).", metavar="NAME", rare=True
    )
    subtypes: bool = flag("Compare whole relations (nsubj:pass), not their universal part.", rare=True)
    groups_file: str | None = file(
        "--groups", "Use the groups of relations in FILE, lines `NAME: relation ...`.", rare=True
    )
    exclude: list[list[str]] = repeated(
        "Show UAS and LAS without these relations or groups, too.", callback=_names, metavar="NAME,...", rare=True
    )
    table_file: str | None = option(
        "--table",
        "Score the treebanks listed in a TSV file (columns name, gold, system, family) in one table.",
        metavar="PAIRS.tsv",
        rare=True,
    )
    pair_files: tuple[tuple[str, str], ...] = repeated(
        "--pair", "Add this pair to the table of --table. May be repeated.", nargs=2, metavar="GOLD SYSTEM", rare=True
    )
    task: bool = flag(
        "Score a shared task: GOLD/TREEBANK.conllu and SYSTEMS/SYSTEM/TREEBANK.conllu, or one folder with "
        "TREEBANK/gold.conllu and TREEBANK/SYSTEM.conllu."
    )
    metric: str = choice(TASK_METRICS, "Rank the systems of a task by this metric.", rare=True)
    against: str | None = option(
        "Compare the ranks of --metric with those by this metric.",
        type=click.Choice(TASK_METRICS),
        metavar="METRIC",
        rare=True,
    )
    treebank_groups: str | None = file(
        "Average a task by the groups in FILE, lines `treebank<TAB>group`.  [default: language families]", rare=True
    )
    only_present: bool = flag(
        "Average a task over the files that a system handed in; without it, others count 0.", rare=True
    )
    paper: str | None = option(
        "Write Tables 2 and 3 of Nivre and Fang (2017) for a system of a task, or for the `mean` of all.",
        metavar="SYSTEM",
        rare=True,
    )
    workers: int | None = number(
        1, None, "Score a task by N processes.  [default: as many as there are cores]", rare=True
    )
    cache: str | None = option(
        "Keep the counts of a task in this folder, so that a second run is quick; '' for none.",
        metavar="FOLDER",
        rare=True,
    )
    figure: str | None = file("Draw the ranks of a task by --metric and by --against (.svg, .png, .pdf).", rare=True)
    significance: bool = flag("Test each system against the first, by bootstrap and by randomisation.")
    samples: int | None = number(
        1, None, f"Draw so many samples in each test.  [default: {SAMPLES:,}; with --task 2,000]", rare=True
    )
    seed: int = number(0, SEED, "Seed the random samples.", rare=True)
    gates: Gates = group(Gates)
    not_worse_than: str | None = file(
        "End with exit code 1 if a LAS is below that of this other parse of the text.", rare=True
    )
    tolerance: float = share(
        "Take a LAS that is lower by this as not worse (--not-worse-than).", default=0.0, rare=True
    )
    allow_skipped: float = ALLOW_SKIPPED
    without_gold: bool = flag(
        "Estimate LAS, UAS and CLAS of all files, parses of one text, without gold: `treegauge estimate`."
    )
    model_name: str | None = option(
        "-m", "--model", "Use this model with --without-gold.  [default: finds the language]"
    )
    partial: bool = flag("Score partial trees: words of SYSTEM without a head (HEAD _) count as not attached.")
    no_enhanced: bool = flag("Ignore enhanced dependencies, the column DEPS.", rare=True)
    enhancements: str = option(
        f"Leave out enhancements that gold does not have, as udtools does: digits among {ENHANCEMENTS}; 0: none.",
        default="0",
        metavar="DIGITS",
        rare=True,
    )
    output: str = OUTPUT
    on_error: str = ON_ERROR

    @property
    def enhanced(self) -> bool | str:
        """Which enhanced arcs count, as `evaluate` takes it."""
        return not self.no_enhanced and (self.enhancements if enhancement_levels(self.enhancements) else True)

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
    _refuse_unused(args)
    if args.without_gold:
        _without_gold(args)
        return
    if args.task:
        from treegauge.cli.eval_task import run_task

        run_task(args)
        return
    settings: dict[str, Any] = {
        "subtypes": args.subtypes,
        "groups": read_groups(args.groups_file) if args.groups_file else None,
        "exclude": args.exclude,
        "enhanced": args.enhanced,
    }
    if args.table_file or args.pair_files:
        if args.files or args.tables or args.significance:
            raise click.UsageError("--table, --pair: without GOLD SYSTEM and options that show more than scores")
        pairs = read_pairs(args.table_file) if args.table_file else []
        pairs += [Pair(system, gold, system) for gold, system in args.pair_files]
        text: str | bytes
        text, low = _many(pairs, settings, args)
    else:
        if len(args.files) < 2:
            raise click.UsageError("expected GOLD and at least one SYSTEM, or --table PAIRS.tsv")
        if (args.significance or args.versus) and len(args.files) < 3:
            raise click.UsageError("--significance, --versus compare systems: expected GOLD and at least two SYSTEMs")
        evaluations = _evaluations(args, settings)
        shown = evaluations[: len(args.files) - 1]
        tests = _tests(shown, args) if args.significance else []
        text = written(shown, args, tests)
        low = _failures(evaluations, args)
    write_file(text, args.output)
    fail(*low)


def _without_gold(args: EvalArguments) -> None:
    """Write what `treegauge estimate` tells of the parses."""
    from treegauge.cli.estimate import METRICS as ESTIMATED
    from treegauge.cli.estimate import estimates_of, too_low

    no_estimate = sorted(set(args.gates.least) - set(ESTIMATED))
    if not args.files or no_estimate:
        gates = ", ".join(f"--min-{name.lower()}" for name in no_estimate)
        raise click.UsageError(
            f"--without-gold estimates {', '.join(ESTIMATED)}, not {gates}" if gates else "expected PARSE"
        )
    estimates = estimates_of(args.files, args.model_name, args.names, args.on_error)
    write_file(tables_content([estimates.table(), estimates.evidence()], args.format_name), args.output)
    fail(*too_low(estimates, args.gates.least))


def _refuse_unused(args: EvalArguments) -> None:
    """Refuse options that would change nothing, or that do not go together."""
    of_task = dict.fromkeys(
        ("metric", "against", "treebank_groups", "only_present", "paper", "workers", "cache", "figure"),
        (args.task, "--task"),
    )
    refuse_unused(
        **of_task,
        **dict.fromkeys(("samples", "seed"), (args.significance or args.task, "--significance and --task")),
        baseline=(args.significance, "--significance"),
        enhancements=(not args.no_enhanced, "scores of enhanced dependencies, without --no-enhanced"),
        tolerance=(args.not_worse_than is not None, "--not-worse-than"),
        class_ends=(bool(args.by), "--by"),
        train=(any("known" in names for names in args.by), "--by known"),
        model_name=(args.without_gold, "--without-gold"),
        top=(bool(args.show or args.confusions or args.versus or args.task), "--show, --confusion and --versus"),
    )
    of_tables = args.tables, args.task, args.table_file, args.pair_files, args.significance
    of_scores = args.partial, args.subtypes, args.exclude, args.groups_file, args.not_worse_than, args.no_enhanced
    if args.without_gold and any((*of_tables, *of_scores)):
        raise click.UsageError("--without-gold: only with --model, --name, --format, --output and --min-METRIC")
    if args.format_name == "html" and not args.task:
        raise click.UsageError("--format html is for --task; `treegauge report --gold` makes a page of one system")
    wrong = not 1 <= len(args.files) <= 2 or args.tables or args.table_file or args.pair_files or args.significance
    if args.task and wrong:
        raise click.UsageError("--task: expected GOLD SYSTEMS, or one folder, and options of --task only")


def _failures(evaluations: Sequence[AttachmentScores], args: EvalArguments) -> list[str]:
    """Why gates do not pass: a score is too low, or too much was left out."""
    if not args.gates.least and args.not_worse_than is None:
        return []
    compared, other = list(evaluations), None
    if args.not_worse_than is not None:
        other = compared.pop()
    f1 = {one.name: {metric: score.f1 for metric, score in one.scores.items()} for one in compared}
    reasons = args.gates.reasons(f1)
    if other is not None:
        least = other["LAS"].f1 - args.tolerance
        than = f"{100 * other['LAS'].f1:.2f} of {args.not_worse_than}"
        worse = [name for name, scores in f1.items() if scores["LAS"] < least]
        reasons += [f"{name}: LAS {100 * f1[name]['LAS']:.2f} is worse than {than}" for name in worse]
    skipped = min(one.coverage.share for one in compared)
    return [*reasons, *too_much_skipped(args.allow_skipped, skipped)]


def _evaluations(args: EvalArguments, settings: dict[str, Any]) -> Evaluations[Any]:
    """Each system against gold, at the end the parse of --not-worse-than; a single system is read in step with gold."""
    files = (*args.files, *([args.not_worse_than] if args.not_worse_than else []))
    on_error, counts_only = args.on_error, not (args.tables or args.significance)
    if args.names and len(args.names) != len(args.files) - 1:
        raise click.UsageError(f"{len(args.names)} --name for {len(args.files) - 1} systems; expected one for each")
    settings |= {"names": (*args.names, *files[len(args.files) :])} if args.names else {}
    with progress_of("reading", paths=files) as progress:
        in_step = counts_only and len(files) == 2 and STDIN not in files and on_error != "skip" and not args.partial
        if in_step and not settings["exclude"]:
            options = {name: value for name, value in settings.items() if name != "exclude"}
            evaluation = evaluate_files(*files, **options, on_error=on_error, progress=progress)
            if evaluation is not None:
                return Evaluations((evaluation,))
        try:
            sides = [_side(path, settings, on_error, progress, args.partial and k > 0) for k, path in enumerate(files)]
        except CorpusError as error:
            if args.partial or "head '_'" not in str(error):
                raise
            raise CorpusError(f"{error}; --partial scores trees with missing arcs") from error
    result = evaluate(*sides, **settings)
    for side in sides[1:] if args.partial else ():
        bare = counted(int((side.head < 0).sum()), "word")
        message(f"{side.path}: {bare} of {side.n_words:,} without a head count as not attached")
    if click.get_current_context().meta[LOG_KEY].joined:
        message("the scores are of all words together, not a mean over files; --task compares treebanks")
    return result if isinstance(result, Evaluations) else Evaluations((result,))


def _side(
    path: str, settings: dict[str, Any], on_error: str, progress: Callable[[int], None], partial: bool = False
) -> Corpus:
    """The corpus of gold or of a system."""
    return read_side(path, enhanced=bool(settings["enhanced"]), partial=partial, on_error=on_error, progress=progress)


def _many(pairs: Sequence[Pair], settings: dict[str, Any], args: EvalArguments) -> tuple[bytes, list[str]]:
    """The table of many treebanks, and why gates do not pass; one pair is in memory at a time."""
    rows, low, signature = [], [], ""
    with progress_of("evaluating", paths=[path for pair in pairs for path in (pair.gold, pair.system)]) as progress:
        for pair in pairs:
            evaluation = evaluate(
                *(_side(path, settings, args.on_error, progress) for path in (pair.gold, pair.system)), **settings
            )
            rows.append(row_of(pair, evaluation))
            signature = evaluation.signature
            low += _failures([evaluation], args)
    tables = [treebanks_table(rows, signature)] if args.machine else paper_tables(rows, signature)
    return tables_content(tables, args.format_name), low


def _tests(evaluations: Evaluations[Any], args: EvalArguments) -> list[Table]:
    """The tests of all pairs of systems, or of each against --baseline."""
    samples, pairs = args.samples or SAMPLES, pairs_to_test(evaluations, args.baseline)
    with progress_of("testing", "samples", 2 * samples * len(pairs)) as progress:  # two tests of each
        return compare_pairs(pairs, samples=samples, seed=args.seed, progress=progress)


def written(evaluations: Evaluations[Any], args: EvalArguments, tests: Sequence[Table]) -> str | bytes:
    """The scores, and the other tables asked for."""
    tables = [*_scores(evaluations, args), *_by(evaluations, args), *_confusions(evaluations, args), *tests]
    shown = [_words(evaluation, cell, args) for evaluation in evaluations for cell in args.show]
    for other in evaluations[1:] if args.versus else ():
        versus = Versus(evaluations[0], other)
        tables.append(versus.table())
        shown.append(_versus_words(versus, args))
    if args.format_name != "text":
        return tables_content([*tables, *(table for table, _ in shown)], args.format_name)
    parts = [write_tables(list(map(signed, tables)), "text")]
    parts += [
        "\n".join([printable(table.title) + "\n", *drawn, printable(table.signature) + "\n"]) for table, drawn in shown
    ]
    return "\n".join(parts)


def _scores(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """The table of scores."""
    single = len(evaluations) == 1
    yield evaluations[0].table() if single else evaluations.long_table() if args.machine else evaluations.table()


def _by(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """The tables of --by, for people with several systems side by side; for groups also what leaving them out does."""
    options: dict[str, Any] = {"bins": args.class_ends, "known": known_forms(args.train) if args.train else None}
    for names in args.by:
        if len(evaluations) > 1 and not args.machine:
            yield systems_breakdown(evaluations, names, **options)
        else:
            yield from (breakdown(evaluation, names, **options).table() for evaluation in evaluations)
        if names == ["group"]:
            yield from map(leave_out, evaluations)


def _confusions(evaluations: Evaluations[Any], args: EvalArguments) -> Iterator[Table]:
    """People see the largest wrong cells, machines all cells."""
    for evaluation, column in product(evaluations, args.confusions):
        table = confusion(evaluation, column).table(right_ones=args.machine)
        if len(table.rows) > args.top and not args.machine:
            title = f"{table.title} (the first {args.top} of {len(table.rows)})"
            table = replace(table, title=title, rows=table.rows[: args.top])
        yield table


def _words(evaluation: Evaluation, cell: tuple[str, str | None], args: EvalArguments) -> tuple[Table, list[str]]:
    """The words of a cell as a table, and their drawings; in JSON the table has the drawings."""
    rows = confused_words(evaluation, *cell)
    shown = rows[: args.top]
    what = f"gold {cell[0]}, {f'system {cell[1]}' if cell[1] else 'wrong arc'}"
    number = f"{len(shown)} of {counted(len(rows), 'word')}"
    title = f"{evaluation.name} against {evaluation.gold.path}: {what}: {number}"
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
