"""`treegauge judge`: how well a ranking puts wrong arcs last."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import (
    ON_ERROR,
    LiscaGroup,
    OutputGroup,
    check_figures,
    found_code,
    read_others,
    some_names,
    with_option,
    write_figure,
)
from treegauge.cli.messages import message, read_corpus, refuse_unused, stages
from treegauge.scorers.registry import LPTR, REGISTRY, USUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treegauge.corpus.corpus import Corpus
    from treegauge.evaluation.judging.judge import Judgements, JudgeOptions
    from treegauge.models.lisca.score import LiscaOptions
    from treegauge.scorers.scorer import Scorer
    from treegauge.tables import Table

SAMPLES = 1000  # a test checks that the library has the same


class JudgeArguments(Arguments):
    """The arguments of `treegauge judge`."""

    files: tuple[str, ...] = argument(nargs=-1, metavar="GOLD SYSTEM")
    models: tuple[str, ...] = repeated(
        "-m",
        "--model",
        "Use this model, a file or a code such as en (`treegauge model list`). Several models are compared.  [default: "
        "finds the language]",
    )
    pairs_folder: str | None = option(
        "--pairs",
        "Judge every folder of DIR that has test.gold.conllu, test.system.conllu and reference.parsed.conllu (plain "
        "or compressed): models are built from the reference, `calibrated` is learned from dev.gold and dev.system.",
        metavar="DIR",
        rare=True,
    )
    scorers: str | None = option(
        f"Judge these, with commas.  [default: {','.join(USUAL)}, if the model serves them; --pairs: calibrated, too]",
        rare=True,
    )
    readings: tuple[str, ...] = repeated(
        "--lptr",
        "Read LPTR as the product that is printed, as a sum, or as a product of both from 0 to 1. May be repeated.",
        type=click.Choice(tuple(LPTR)),
        rare=True,
    )
    calibration: str | None = file("Judge the probabilities of this file of `treegauge calibrate`, too.")
    others: tuple[str, ...] = with_option("SYSTEM")
    preset: str = choice(("2020", "2013"), "Build the models of --pairs with this preset.", rare=True)
    verdicts: str | None = file("Judge by what people said in the page, instead of GOLD: precision at k.", rare=True)
    without_root: bool = flag("Leave out the root arcs of SYSTEM.", rare=True)
    step: int = number(1, 500, "Make each top list N arcs longer than the one before.", rare=True)
    bins: int | None = number(
        1, None, "Cut the ranking into N equal groups, not into groups of --step arcs.", rare=True
    )
    samples: int | None = number(
        0,
        None,
        f"Draw so many corpora for the 95 % intervals; 0 for none.  [default: {SAMPLES}; with --pairs 0]",
        rare=True,
    )
    seed: int = number(0, 0, "Seed the scorer `random` and the intervals.", rare=True)
    figure_top: str | None = file("Draw LAS of the top lists (.svg, .png, .pdf).", rare=True)
    figure_groups: str | None = file("Draw LAS of the groups (.svg, .png, .pdf).", rare=True)
    figure_risk: str | None = file("Draw how many arcs are wrong among those kept (.svg, .png, .pdf).")
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR

    def options(self, samples: int) -> JudgeOptions:
        """The options of the library; samples: the number of samples if the user gives none."""
        from treegauge.evaluation.judging.judge import JudgeOptions

        samples = samples if self.samples is None else self.samples
        return JudgeOptions(self.without_root, samples, self.seed, self.step, self.bins)


@command(JudgeArguments)
def judge(args: JudgeArguments) -> None:
    """Judge rankings of the arcs of SYSTEM, a parser's output, by GOLD, CoNLL-U files of the same text.

    An arc is right if its head and its universal relation are. Words are aligned by their characters, as in `eval`;
    those that only one side has are left out. For every scorer it shows the share of all errors in the worst 10, 20,
    30 %, ROC-AUC and average precision, tests of each two scorers, LAS of the top k arcs, LAS and mean length of groups
    of the ranking, and how many arcs and sentences can be kept so that 90, 95, 96 or 98 % are right. Text has per cent;
    TSV and JSON have fractions.

    \b
    Examples:
      treegauge judge gold.conllu system.conllu --model en
      treegauge judge gold.conllu system.conllu --model en --scorers choice,lisca --samples 0
    """
    from treegauge.evaluation.judging.judge import scorers_of_models
    from treegauge.reports.judge_figures import groups_figure, risk_figure, top_figure

    figures = args.figure_top, args.figure_groups, args.figure_risk
    check_figures(*figures)
    names, options = _read_as(some_names(args.scorers, "scorers"), args.readings), args.lisca.options()
    of_gold = args.verdicts is None, "GOLD, not --verdicts"
    refuse_unused(preset=(args.pairs_folder is not None, "--pairs; a model has its own"), step=of_gold, samples=of_gold)
    if args.pairs_folder is not None:
        if args.files or args.models or args.calibration or any(figures) or args.bins or args.others:
            raise click.UsageError("--pairs: without GOLD SYSTEM, --model, --calibration, --with, --bins and figures")
        _judge_pairs(args, args.pairs_folder, names, options)
        return
    if len(args.files) != (1 if args.verdicts else 2):
        raise click.UsageError(
            "--verdicts: expected SYSTEM alone" if args.verdicts else "expected GOLD and SYSTEM, or --pairs"
        )
    opinions = read_others(args.files[-1], args.others, args.on_error)
    needed = names is None or any(name in REGISTRY and REGISTRY[name].needs for name in names)
    models = args.models or ((found_code(args.files[-1:]),) if needed else ())
    scorers, notes = scorers_of_models(names, models, options, args.seed, args.calibration, opinions)
    message(*notes)
    if args.verdicts is not None:
        args.out.write([_by_verdicts(read_corpus(args.files[0], args.on_error), args.verdicts, scorers, args)])
        return
    result = _judge_files(args, scorers)
    message(*(opinions.notes if opinions else ()))
    args.out.write(result.tables())
    for path, draw in zip(figures, (top_figure, groups_figure, risk_figure), strict=True):
        write_figure(path, draw, result)


def _read_as(names: tuple[str, ...] | None, readings: tuple[str, ...]) -> tuple[str, ...] | None:
    """The scorers asked for; the readings of LPTR that are asked for stand in its place."""
    if not readings:
        return names
    printed = LPTR["printed"]
    if names is not None and printed not in names:
        raise click.UsageError(f"--lptr; expected {printed} among --scorers")
    read = tuple(LPTR[reading] for reading in dict.fromkeys(readings))
    return tuple(each for name in names or USUAL for each in (read if name == printed else (name,)))


def _judge_files(args: JudgeArguments, scorers: Sequence[Scorer]) -> Judgements:
    """The judgements of scorers by gold and a system; says how many words were left out."""
    from treegauge.evaluation.judging.judge import judge as judge_scorers

    files, on_error = args.files, args.on_error
    gold, system = files if on_error == "stop" else [read_corpus(path, on_error) for path in files]
    result = judge_scorers(gold, system, scorers, args.options(SAMPLES), stages=partial(stages, paths=files))
    if result.left_out:
        message(result.left_out.text(*files))
    return result


def _judge_pairs(args: JudgeArguments, folder: str, names: tuple[str, ...] | None, lisca: LiscaOptions) -> None:
    """Judge the pairs of a folder; says which folders, sentences and words were left out."""
    from treegauge.evaluation.judging.judge import judge_pairs

    more = {"preset": args.preset, "on_error": args.on_error}
    pairs = judge_pairs(folder, names, args.options(0), lisca=lisca, **more, stages=stages)
    for name, missing in pairs.lacking.items():
        message(f"{name}: left out, it has no {' and no '.join(missing)}")
    for name, left_out in pairs.left_out.items():
        if left_out:
            message(f"{name}: {left_out.text('gold', 'the system')}")
    args.out.write([pairs.table()])


def _by_verdicts(system: Corpus, verdicts: str, scorers: Sequence[Scorer], args: JudgeArguments) -> Table:
    """The table of how many of the first arcs people called errors."""
    from treegauge.evaluation.judging.verdict_precision import judge_by_verdicts
    from treegauge.ranking.verdicts import read_verdicts

    precision = judge_by_verdicts(system, read_verdicts(verdicts), scorers, root_arcs=not args.without_root)
    if precision.strangers:
        share = f"{precision.strangers:,} of {precision.verdicts:,}"
        message(f"{share} verdicts are about arcs that {system.path} does not have")
    return precision.table()
