"""`treegauge judge`: does a ranking put wrong arcs last?"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import (
    LiscaGroup,
    OutputGroup,
    gathered,
    lisca_settings,
    model_option,
    read_others,
    some_names,
    table_output,
    with_option,
    write_file,
)
from treegauge.cli.options import Skipped, choice, message, number, on_error, read_told, refuse_unused, stages
from treegauge.scorers.registry import LPTR, USUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treegauge.corpus.corpus import Corpus
    from treegauge.evaluation.judging.judge import Judgements, JudgeOptions
    from treegauge.scorers.scorer import Scorer
    from treegauge.tables import Table

SAMPLES = 1000  # a test holds it against the library's


@dataclass(frozen=True, slots=True)
class JudgeGroup:
    """How rankings are judged."""

    without_root: bool
    step: int
    bins: int | None
    samples: int | None
    seed: int

    def options(self, samples: int) -> JudgeOptions:
        """The same for the library; samples: how many where none were asked for."""
        from treegauge.evaluation.judging.judge import JudgeOptions

        wanted = samples if self.samples is None else self.samples
        return JudgeOptions(self.without_root, wanted, self.seed, self.step, self.bins)


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Pictures to draw."""

    figure_top: str | None
    figure_groups: str | None
    figure_risk: str | None


@click.command()
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM")
@model_option(required=False)
@click.option(
    "--pairs",
    "pairs_folder",
    metavar="DIR",
    help="Judge every folder of DIR that has test.gold.conllu, test.system.conllu and reference.parsed.conllu (plain "
    "or compressed): models are built from the reference, `calibrated` is learned from dev.gold and dev.system.",
)
@click.option(
    "--scorers",
    help=f"Judge these, with commas.  [default: {','.join(USUAL)}, those the model serves; with --pairs also "
    "calibrated]",
)
@click.option(
    "--lptr",
    "readings",
    multiple=True,
    type=click.Choice(tuple(LPTR)),
    help="Read LPTR as the product that is printed, as a sum, or as a product of both from 0 to 1. May be repeated.",
)
@click.option(
    "--calibration", metavar="FILE", help="Judge the probabilities of this file of `treegauge calibrate`, too."
)
@with_option("SYSTEM")
@choice(("2020", "2013"), "--preset", help="Build the models of --pairs with this preset.")
@click.option(
    "--verdicts", metavar="FILE", help="Judge by what people said in the page, instead of GOLD: precision at k."
)
@gathered(
    "how",
    JudgeGroup,
    click.option("--without-root", is_flag=True, help="Leave out the root arcs of SYSTEM."),
    number(1, 500, "--step", help="Make each top list N arcs longer than the one before."),
    click.option(
        "--bins",
        metavar="N",
        type=click.IntRange(1),
        help="Cut the ranking into N equal groups, not into groups of --step arcs.",
    ),
    click.option(
        "--samples",
        metavar="N",
        type=click.IntRange(0),
        help=f"Draw so many corpora for the 95 % intervals; 0 for none.  [default: {SAMPLES}; with --pairs 0]",
    ),
    number(0, 0, "--seed", help="Seed the scorer `random` and the intervals."),
)
@gathered(
    "figures",
    FigureGroup,
    click.option("--figure-top", metavar="FILE", help="Draw LAS of the top lists (.svg, .png, .pdf)."),
    click.option("--figure-groups", metavar="FILE", help="Draw LAS of the groups (.svg, .png, .pdf)."),
    click.option(
        "--figure-risk", metavar="FILE", help="Draw how many arcs are wrong among those kept (.svg, .png, .pdf)."
    ),
)
@lisca_settings
@table_output
@on_error
def judge(
    files: tuple[str, ...],
    model_name: str | None,
    pairs_folder: str | None,
    scorers: str | None,
    readings: tuple[str, ...],
    calibration: str | None,
    others: tuple[str, ...],
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
    those that only one side has are left out. For every scorer it shows the share of all errors in the worst 10, 20,
    30 %, ROC-AUC and average precision, LAS of the top k arcs, LAS and mean length of groups of the ranking, and how
    many arcs and sentences can be kept so that 90, 95, 96 or 98 % are right. Text has per cent; TSV and JSON have
    fractions.

    \b
    Examples:
      treegauge judge gold.conllu system.conllu --model en
      treegauge judge gold.conllu system.conllu --model en --scorers choice,lisca --samples 0
    """
    from treegauge.evaluation.judging.judge import chosen_scorers
    from treegauge.reports.figures import ending_of
    from treegauge.reports.judge_figures import groups_figure, risk_figure, top_figure

    pictures = zip(astuple(figures), (top_figure, groups_figure, risk_figure), strict=True)
    wanted = [(path, draw, ending_of(path)) for path, draw in pictures if path]  # a wrong name is said before the work
    names, options = _read_as(some_names(scorers, "scorers"), readings), lisca.options()
    of_gold = verdicts is None, "GOLD, not --verdicts"
    refuse_unused(preset=(pairs_folder is not None, "--pairs; a model has its own"), step=of_gold, samples=of_gold)
    if pairs_folder is not None:
        if files or model_name or calibration or wanted or how.bins or others:
            raise click.UsageError("--pairs: without GOLD SYSTEM, --model, --calibration, --with, --bins and figures")
        _judge_pairs(out, pairs_folder, names, how.options(0), lisca=options, preset=preset, on_error=on_error)
        return
    if len(files) != (1 if verdicts else 2):
        raise click.UsageError(
            "--verdicts: expected SYSTEM alone" if verdicts else "expected GOLD and SYSTEM, or --pairs"
        )
    opinions = read_others(files[-1], others, on_error)
    made, notes = chosen_scorers(names, model_name, options, how.seed, calibration, opinions)
    for note in notes:
        message(note)
    if verdicts is not None:
        out.write([_by_verdicts(read_told(files[0], on_error), verdicts, made, not how.without_root)])
        return
    result = _judge_files(files, made, how.options(SAMPLES), on_error)
    for note in opinions.notes if opinions else ():
        message(note)
    out.write(result.tables())
    for path, draw, ending in wanted:
        write_file(draw(result, ending), path)


def _read_as(names: tuple[str, ...] | None, readings: tuple[str, ...]) -> tuple[str, ...] | None:
    """The scorers asked for, with the readings of LPTR that are asked for in its place."""
    if not readings:
        return names
    printed = LPTR["printed"]
    if names is not None and printed not in names:
        raise click.UsageError(f"--lptr; expected {printed} among --scorers")
    chosen = tuple(LPTR[reading] for reading in dict.fromkeys(readings))
    return tuple(each for name in names or USUAL for each in (chosen if name == printed else (name,)))


def _judge_files(files: tuple[str, ...], made: Sequence[Scorer], options: JudgeOptions, on_error: str) -> Judgements:
    """Judge scorers by gold and a system; words that were left out are said."""
    from treegauge.evaluation.judging.judge import judge as judged

    gold, system = files if on_error == "stop" else [read_told(path, on_error) for path in files]
    result = judged(gold, system, made, options, stages=partial(stages, paths=files))
    if result.left_out:
        message(result.left_out.text(*files))
    return result


def _judge_pairs(out: OutputGroup, *given: Any, **options: Any) -> None:
    """Judge the pairs of a folder; which folders, sentences and words were left out is said."""
    from treegauge.evaluation.judging.judge import judge_pairs

    skipped = Skipped()
    pairs = judge_pairs(*given, **options, skipped=skipped, stages=stages)
    skipped.summary()
    for name, missing in pairs.lacking.items():
        message(f"{name}: left out, it has no {' and no '.join(missing)}")
    for name, left_out in pairs.left_out.items():
        if left_out:
            message(f"{name}: {left_out.text('gold', 'the system')}")
    out.write([pairs.table()])


def _by_verdicts(system: Corpus, verdicts: str, made: Sequence[Scorer], root_arcs: bool) -> Table:
    """How many of the first arcs people called errors."""
    from treegauge.evaluation.judging.verdict_precision import judge_by_verdicts
    from treegauge.ranking.verdicts import read_verdicts

    found = judge_by_verdicts(system, read_verdicts(verdicts), made, root_arcs=root_arcs)
    if found.strangers:
        message(f"{found.strangers:,} of {found.verdicts:,} verdicts are about arcs that {system.path} has not")
    return found.table()
