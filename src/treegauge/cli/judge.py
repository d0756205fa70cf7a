"""`treegauge judge`: does a ranking put wrong arcs last?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.options import message
from treegauge.cli.scoring import lisca_settings, model_option, names_of, read_parsed, write_text
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.judging.judged import Judged, Verdict
    from treegauge.tables import Table

SCORERS = "lisca,choice,length,ptr,ltr,lptr,random"
SAMPLES = 1000
MOST_BARS = 12  # more groups of bars than that are drawn as lines


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
    "--scorers", help=f"With commas.  [default: {SCORERS}, those the model serves; with --pairs also calibrated]"
)
@click.option("--calibration", metavar="FILE", help="Judge its probabilities, too (`treegauge calibrate`).")
@click.option("--preset", type=click.Choice(["2020", "2013"]), default="2020", help="With --pairs: the models' preset.")
@click.option("--verdicts", metavar="FILE", help="Instead of GOLD: what people said in the page; precision at k.")
@click.option("--without-root", is_flag=True, help="Leave out the system's root arcs everywhere.")
@click.option("--step", type=click.IntRange(1), default=500, show_default=True, help="Top lists of so many arcs more.")
@click.option("--groups", "equal", type=click.IntRange(1), help="So many equal groups instead of groups of --step.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    help=f"Resampled corpora for the 95 % intervals, 0 for none.  [default: {SAMPLES}; with --pairs 0]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of `random` and the intervals.")
@click.option("--figure-top", metavar="FILE", help="LAS of top lists, a picture (.svg, .png, .pdf).")
@click.option("--figure-groups", metavar="FILE", help="LAS of groups, a picture.")
@lisca_settings
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json", "markdown", "latex"]),
    default="text",
    show_default=True,
)
@click.option("-o", "--output", default="-", metavar="FILE", help="A file instead of standard output.")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="With --pairs, at a malformed sentence of a reference: stop, or leave it out.",
)
def judge(
    files: tuple[str, ...],
    model_name: str | None,
    pairs_folder: str | None,
    scorers: str | None,
    calibration: str | None,
    preset: str,
    verdicts: str | None,
    without_root: bool,
    step: int,
    equal: int | None,
    samples: int | None,
    seed: int,
    figure_top: str | None,
    figure_groups: str | None,
    smoothing: str | None,
    range_: int,
    form: str,
    output: str,
    on_error: str,
) -> None:
    """Judge rankings of the arcs of SYSTEM, a parser's output, by GOLD, CoNLL-U files of the same words.

    An arc is right if its head and its universal relation are. Given are, for LISCA and its rivals (2013): the share of
    all errors in the worst 10, 20, 30 %, ROC-AUC and average precision, LAS of the top k arcs, LAS and mean length of
    groups of the ranking. People get per cent; TSV and JSON have fractions.
    """
    from treegauge.cli.rank import lisca_options
    from treegauge.reports.figures import ending_of

    for figure in (figure_top, figure_groups):
        if figure is not None:
            ending_of(figure)  # a wrong name is said before the work
    options = lisca_options(smoothing, range_, None, None)
    wanted = None if scorers is None else names_of(scorers, "scorers")
    if pairs_folder is not None:
        if files or model_name or calibration or figure_top or figure_groups or equal:
            raise click.UsageError("--pairs: without GOLD SYSTEM, --model, --calibration, --groups and figures")
        text = _pairs(pairs_folder, wanted, preset, options, without_root, samples or 0, seed, form, on_error)
        write_text(text, output)
        return
    if verdicts is not None:
        from treegauge.cli.judge_verdicts import precision_text

        text = precision_text(files, verdicts, model_name, wanted, SCORERS, options, without_root, seed, form)
        write_text(text, output)
        return
    if len(files) != 2:
        raise click.UsageError("expected GOLD and SYSTEM, or --pairs DIR")
    by_roots, more = _judged(files, model_name, wanted, options, without_root, seed, calibration)
    with _progress("resampling") as advance:
        text = _text(by_roots, more, files, step, equal, SAMPLES if samples is None else samples, seed, form, advance)
    write_text(text, output)
    _figures(by_roots, step, equal, figure_top, figure_groups)


def _judged(
    files: Sequence[str],
    model_name: str | None,
    wanted: tuple[str, ...] | None,
    options: LiscaOptions,
    without_root: bool,
    seed: int,
    calibration: str | None,
) -> tuple[dict[bool, list[Judged]], dict[str, Table]]:
    """The rankings with (True) and without (False) root arcs, or only without; how good suggestions are."""
    from treegauge.calibration.logistic import find_calibration
    from treegauge.judging.judged import judge_scorers, make_scorers, scorers_of_model
    from treegauge.judging.sentences import suggestions_table
    from treegauge.models.bundled_models import find_model
    from treegauge.scorers.calibrated import calibrated_scorer
    from treegauge.scorers.registry import needs_model

    model = None if model_name is None else find_model(model_name)
    if model is None and (wanted is None or any(map(needs_model, wanted))):
        raise OptionError("no reference: give --model FILE or --model CODE (see `treegauge model list`)")
    names = scorers_of_model(SCORERS.split(","), model) if wanted is None else wanted
    if wanted is None and "ltr" not in names:
        message("the model has no word forms (`treegauge model build --forms`): without ltr and lptr")
    if wanted is None and "choice" not in names:
        message("the model has no choice weights (`treegauge model build --choice`): without choice")
    gold, system = map(read_parsed, files)
    scorers = make_scorers(names, model, options, seed)
    if calibration is not None and model is not None:
        scorers.append(calibrated_scorer(find_calibration(calibration), model))
    kinds = (False,) if without_root else (True, False)
    suggestions = suggestions_table(gold, system, scorers)
    more = {} if suggestions is None else {"suggestions": suggestions}
    return {kind: judge_scorers(gold, system, scorers, root_arcs=kind) for kind in kinds}, more


def _tables(
    by_roots: dict[bool, list[Judged]], verdicts: Sequence[Verdict], title: str, step: int, equal: int | None
) -> dict[str, Table]:
    from treegauge.judging import tables
    from treegauge.judging.sentences import sentences_table

    everything = [ranking for judged in by_roots.values() for ranking in judged]
    errors, areas = tables.verdict_tables(title, verdicts, tables.signature_of(everything))
    found = {"errors": errors, "areas": areas}
    for kind, judged in by_roots.items():
        shown = tables.without_length(judged) if kind else judged
        say = tables.roots(kind)
        key = say.replace(" ", "_")
        cut = f"{equal} equal groups" if equal else f"groups of {step}"
        found[f"top_{key}"] = tables.top_table(f"LAS of the top k arcs, {say}", shown, step)
        found[f"groups_{key}"] = tables.groups_table(f"LAS of {cut}, {say}", shown, step, equal)
        found[f"lengths_{key}"] = tables.lengths_table(
            f"Mean arc length of {cut}, ranked {say}; root arcs have no length", shown, step, equal
        )
        found[f"sentences_{key}"] = sentences_table(
            f"LAS of the best sentences by the mean score of their arcs, {say}", shown, tables.signature_of(shown)
        )
    return found


def _text(
    by_roots: dict[bool, list[Judged]],
    more: dict[str, Table],
    files: Sequence[str],
    step: int,
    equal: int | None,
    samples: int,
    seed: int,
    form: str,
    advance: Callable[[int], None],
) -> str:
    from treegauge.judging.judged import LENGTH, verdict
    from treegauge.reports.table_text import write_json, write_tables

    gold, system = files
    verdicts = [
        verdict(ranking, samples, seed, advance)
        for kind, judged in by_roots.items()
        for ranking in judged
        if not (kind and ranking.scorer == LENGTH)  # it comes without root arcs
    ]
    interval = f"; intervals: 95 % of {samples} resampled corpora, seed {seed}" if samples else ""
    tables = _tables(by_roots, verdicts, f"{system} against {gold}{interval}", step, equal) | more
    if form == "json":
        return write_json({name: table.to_dict() for name, table in tables.items()})
    return write_tables(list(tables.values()), form)


def _figures(
    by_roots: dict[bool, list[Judged]], step: int, equal: int | None, figure_top: str | None, figure_groups: str | None
) -> None:
    from treegauge.judging import tables
    from treegauge.reports import figures

    def panels(make: Callable[[str, list[Judged]], Table]) -> list[figures.Panel]:
        found = []
        for kind, judged in by_roots.items():
            table = make(tables.roots(kind), tables.without_length(judged) if kind else judged)
            lines: dict[str, Any] = {name: [row[k] for row in table.rows] for k, name in enumerate(table.names) if k}
            found.append(figures.Panel(table.title, [row[0] for row in table.rows], lines))
        return found

    if figure_top:
        top = panels(lambda title, judged: tables.top_table(title, judged, step))
        drawn = figures.line_figure(top, "k (arcs)", "LAS of the top k arcs (%)")
        write_text(figures.picture(drawn, figures.ending_of(figure_top)), figure_top)
    if figure_groups:
        cut = panels(lambda title, judged: tables.groups_table(title, judged, step, equal))
        name = "tenth" if equal == 10 else f"group ({f'{equal} equal ones' if equal else f'{step} arcs each'})"
        many = any(len(panel.x) > MOST_BARS for panel in cut)
        draw = figures.line_figure if many else figures.bar_figure
        drawn = draw(cut, f"{name}, the most reliable first", "LAS (%)")
        write_text(figures.picture(drawn, figures.ending_of(figure_groups)), figure_groups)


def _pairs(
    folder: str,
    wanted: tuple[str, ...] | None,
    preset: str,
    options: LiscaOptions,
    without_root: bool,
    samples: int,
    seed: int,
    form: str,
    on_error: str,
) -> str:
    """Every pair of a folder, one in memory at a time."""
    from treegauge.arcs.counts import build_model
    from treegauge.arcs.reference import Settings
    from treegauge.choice.learning import train_choice
    from treegauge.judging import tables
    from treegauge.judging.judged import judge_scorers, make_scorers, verdict
    from treegauge.judging.pair_folders import find_pairs
    from treegauge.reports.table_text import write_json, write_tables
    from treegauge.scorers.calibrated import CALIBRATED, calibrate, calibrated_scorer

    pairs, lacking = find_pairs(folder)
    for name, files in lacking.items():
        message(f"{name}: left out, it has no {' and no '.join(files)}")
    names = (*SCORERS.split(","), CALIBRATED) if wanted is None else wanted
    choice = any(name in ("choice", CALIBRATED) for name in names)
    plain = [name for name in names if name != CALIBRATED]
    forms = any(name in ("ltr", "lptr") for name in names)
    found: dict[str, list[Verdict]] = {}
    signatures: list[str] = []
    with _progress("judging", len(pairs)) as advance:
        for pair in pairs:
            threads = min(os.cpu_count() or 1, 8)
            settings = Settings(preset, forms=forms)
            model = build_model([pair.reference], settings, on_error=on_error, threads=threads)
            gold, system = read_parsed(pair.gold), read_parsed(pair.system)
            if choice:
                model = replace(model, choice=train_choice([pair.reference], on_error=on_error))
            scorers = make_scorers(plain, model, options, seed) if plain else []
            if CALIBRATED in names and pair.dev:
                calibration = calibrate(read_parsed(pair.dev[0]), read_parsed(pair.dev[1]), model)
                scorers.append(calibrated_scorer(calibration, model))
            judged = judge_scorers(gold, system, scorers, root_arcs=not without_root)
            found[pair.name] = [verdict(ranking, samples, seed) for ranking in judged]
            signatures.append(tables.signature_of(judged))
            advance(1)
    roots = tables.roots(not without_root)
    if form == "json":
        # folder names come first and alone, so that whoever reads the folders need not know the other keys
        return write_json(tables.pairs_content(found))
    kept = "" if without_root else " (by length: always without)"
    table = tables.pairs_table(f"Rankings of {folder}, {roots}{kept}", found, " ; ".join(dict.fromkeys(signatures)))
    return write_tables([table], form)


@contextmanager
def _progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
