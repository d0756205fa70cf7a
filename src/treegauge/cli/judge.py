"""`treegauge judge`: does a ranking put wrong arcs last?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import (
    LiscaGroup,
    OutputGroup,
    gathered,
    lisca_settings,
    model_option,
    some_names,
    table_output,
    write_file,
)
from treegauge.cli.options import Skipped, choice, message, number, on_error, read_told, stages
from treegauge.scorers.registry import NAMES

if TYPE_CHECKING:
    from treegauge.judging.judge import JudgeOptions

SAMPLES = 1000  # a test holds it against the library's


@dataclass(frozen=True, slots=True)
class JudgeGroup:
    """How rankings are judged."""

    without_root: bool
    step: int
    groups: int | None
    samples: int | None
    seed: int

    def options(self, samples: int) -> JudgeOptions:
        """The same for the library; samples: how many where none were asked for."""
        from treegauge.judging.judge import JudgeOptions

        wanted = samples if self.samples is None else self.samples
        return JudgeOptions(self.without_root, wanted, self.seed, self.step, self.groups)


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Pictures to draw."""

    figure_top: str | None
    figure_groups: str | None


@click.command()
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM")
@model_option(required=False)
@click.option(
    "--pairs",
    "pairs_folder",
    metavar="DIR",
    help="Every folder of DIR with test.gold.conllu, test.system.conllu, reference.parsed.conllu (plain or "
    "compressed); the model is built from the reference. `calibrated` is learned from dev.gold, dev.system.",
)
@click.option(
    "--scorers",
    help=f"With commas.  [default: {','.join(NAMES)}, those the model serves; with --pairs also calibrated]",
)
@click.option("--calibration", metavar="FILE", help="Judge its probabilities, too (`treegauge calibrate`).")
@choice(("2020", "2013"), "--preset", help="With --pairs: the models' preset.")
@click.option("--verdicts", metavar="FILE", help="Instead of GOLD: what people said in the page; precision at k.")
@gathered(
    "how",
    JudgeGroup,
    click.option("--without-root", is_flag=True, help="Leave out the system's root arcs everywhere."),
    number(1, 500, "--step", help="Top lists of so many arcs more."),
    click.option("--groups", type=click.IntRange(1), help="So many equal groups instead of groups of --step."),
    click.option(
        "--samples",
        type=click.IntRange(0),
        help=f"Resampled corpora for the 95 % intervals, 0 for none.  [default: {SAMPLES}; with --pairs 0]",
    ),
    number(0, 0, "--seed", help="Of `random` and the intervals."),
)
@gathered(
    "figures",
    FigureGroup,
    click.option("--figure-top", metavar="FILE", help="LAS of top lists, a picture (.svg, .png, .pdf)."),
    click.option("--figure-groups", metavar="FILE", help="LAS of groups, a picture."),
)
@lisca_settings
@table_output
@on_error
def judge(
    files: tuple[str, ...],
    model_name: str | None,
    pairs_folder: str | None,
    scorers: str | None,
    calibration: str | None,
    preset: str,
    verdicts: str | None,
    how: JudgeGroup,
    figures: FigureGroup,
    lisca: LiscaGroup,
    out: OutputGroup,
    on_error: str,
) -> None:
    """Judge rankings of the arcs of SYSTEM, a parser's output, by GOLD, CoNLL-U files of the same text.

    An arc is right if its head and its universal relation are. Words are aligned by their characters, as in `eval`;
    those that only one side has are left out. Given are, for LISCA and its rivals (2013): the share of
    all errors in the worst 10, 20, 30 %, ROC-AUC and average precision, LAS of the top k arcs, LAS and mean length of
    groups of the ranking. People get per cent; TSV and JSON have fractions.
    """
    from treegauge.judging.judge import chosen_scorers
    from treegauge.judging.judge import judge as judged
    from treegauge.judging.verdict_precision import judge_by_verdicts
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.reports.figures import ending_of
    from treegauge.reports.judge_figures import groups_figure, top_figure

    pictures = [(figures.figure_top, top_figure), (figures.figure_groups, groups_figure)]
    wanted = [(path, draw, ending_of(path)) for path, draw in pictures if path]  # a wrong name is said before the work
    names, options = some_names(scorers, "scorers"), lisca.options()
    if pairs_folder is not None:
        if files or model_name or calibration or wanted or how.groups:
            raise click.UsageError("--pairs: without GOLD SYSTEM, --model, --calibration, --groups and figures")
        _judge_pairs(out, pairs_folder, names, how.options(0), lisca=options, preset=preset, on_error=on_error)
        return
    if len(files) != (1 if verdicts else 2):
        raise click.UsageError(
            "--verdicts: expected SYSTEM alone" if verdicts else "expected GOLD and SYSTEM, or --pairs"
        )
    made, notes = chosen_scorers(names, model_name, options, how.seed, calibration)
    for note in notes:
        message(note)
    if verdicts is not None:
        found = judge_by_verdicts(
            read_told(files[0], on_error), read_verdicts(verdicts), made, root_arcs=not how.without_root
        )
        if found.strangers:
            message(f"{found.strangers:,} of {found.verdicts:,} verdicts are about arcs that {files[0]} has not")
        out.write([found.table()])
        return
    gold, system = files
    ours, theirs = files if on_error == "stop" else [read_told(path, on_error) for path in files]
    result = judged(ours, theirs, made, how.options(SAMPLES), stages=partial(stages, paths=files))
    if result.left_out:
        message(result.left_out.text(gold, system))
    out.write(result.tables())
    for path, draw, ending in wanted:
        write_file(draw(result, ending), path)


def _judge_pairs(out: OutputGroup, *given: Any, **options: Any) -> None:
    """Judge the pairs of a folder; which folders, sentences and words were left out is said."""
    from treegauge.judging.judge import judge_pairs

    skipped = Skipped()
    pairs = judge_pairs(*given, **options, skipped=skipped, stages=stages)
    skipped.summary()
    for name, missing in pairs.lacking.items():
        message(f"{name}: left out, it has no {' and no '.join(missing)}")
    for name, left_out in pairs.left_out.items():
        if left_out:
            message(f"{name}: {left_out.text('gold', 'the system')}")
    out.write([pairs.table()])
