"""`treegauge eval --task`: a whole shared task, all systems on all treebanks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from treegauge.cli.groups import check_figures, tables_content, write_figure, write_file
from treegauge.cli.messages import fail, message, progress_of
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.cli.eval import EvalArguments
    from treegauge.evaluation.task.task import TaskScores
    from treegauge.tables import Table

MEAN = "mean"  # instead of a system's name for --paper: the mean of all
SAMPLES = 2000  # of the intervals of a task, by default
MOST_COLUMNS = 8  # of a matrix that is written as text
MOST_SENTENCES = 5  # of each cell of a page
MOST_NAMED = 5  # files without gold that a message names


def run_task(args: EvalArguments) -> None:
    """Score a task, and write the tables, the page or the picture."""
    from treegauge.corpus.pool import open_pool
    from treegauge.evaluation.task.scoring import TaskSettings
    from treegauge.evaluation.task.submissions import find_submissions, read_treebank_groups
    from treegauge.evaluation.task.task import evaluate_task

    check_figures(args.figure)
    if args.figure and args.against is None:
        raise OptionError("--figure with --task draws ranks by two metrics; expected --against METRIC")
    submissions = find_submissions(*args.files)
    if args.paper not in (None, MEAN, *submissions.systems):
        raise OptionError(f"--paper {args.paper}; expected {MEAN}, or one of {', '.join(submissions.systems)}")
    if submissions.strangers:
        names = ", ".join(submissions.strangers[:MOST_NAMED])
        message(f"left out: {counted(len(submissions.strangers), 'file')} without gold: {names}")
    group_of = read_treebank_groups(args.treebank_groups) if args.treebank_groups else None
    settings = TaskSettings(
        metrics=tuple(dict.fromkeys(filter(None, (args.metric, args.against)))),
        subtypes=args.subtypes,
        enhanced=args.enhanced,
        on_error=args.on_error,
        paper=args.paper is not None,
        samples=args.samples or SAMPLES,
        seed=args.seed,
        cache=cache_folder() if args.cache is None else args.cache or None,
    )
    page = ""
    workers = min(args.workers or os.cpu_count() or 1, len(submissions.gold))
    with (
        open_pool(workers) as pool,
        progress_of("scoring", "treebanks", len(submissions.gold)) as progress,
    ):
        options: dict[str, Any] = {"group_of": group_of, "only_present": args.only_present}
        scores = evaluate_task(submissions, settings=settings, **options, pool=pool, progress=progress)
        if args.format_name == "html":
            from treegauge.reports.task_page import task_page

            page = task_page(scores, min(args.top, MOST_SENTENCES), pool)
    write_file(page or tables_content(_tables(scores, args), args.format_name), args.output)
    if args.figure:
        from treegauge.reports.task_figures import slope_figure

        write_figure(args.figure, slope_figure, scores, tell=True)
    message(*scores.left_out())
    if scores.unreadable():
        message(f"{counted(scores.unreadable(), 'file')} could not be scored, and count 0: see the table of problems")
    averages = {metric: scores.averages(metric).tolist() for metric in args.gates.least}
    fail(*args.gates.reasons({name: {m: averages[m][k] for m in averages} for k, name in enumerate(scores.systems)}))


def _tables(scores: TaskScores, args: EvalArguments) -> list[Table]:
    """The tables asked for: those of the paper, or all; text has the matrix only if it is narrow."""
    if args.paper is not None:
        return scores.paper_tables(None if args.paper == MEAN else args.paper)
    if args.machine:
        return scores.tables()
    rest = scores.tables()[1:]
    narrow = len(scores.treebanks) <= MOST_COLUMNS or args.format_name != "text"
    return [*rest[:1], *([scores.matrix_table()] if narrow else []), *rest[1:]]


def cache_folder() -> str:
    """The folder of the user in which counts are kept, so that a second run is quick."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "treegauge", "task")
