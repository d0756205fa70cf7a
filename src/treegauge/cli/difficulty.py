"""`treegauge difficulty`: which relations are hard, and which of their instances?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.options import message
from treegauge.cli.scoring import lisca_settings, model_option, names_of, read_parsed, write_text
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.difficulty.bins import BinnedRanking
    from treegauge.difficulty.distributions import Distribution
    from treegauge.difficulty.languages import Language
    from treegauge.difficulty.types import Types
    from treegauge.tables import Table

FORMS = click.Choice(["text", "tsv", "json", "markdown", "latex"])


@click.group()
def difficulty() -> None:
    """Explore what is hard to parse: by relation type, and along the ranking of its instances."""


@difficulty.command()
@click.option("-g", "--gold", help="Gold trees, CoNLL-U.")
@click.option("-s", "--system", help="A parser's output on the same text.")
@model_option(required=False)
@click.option("--name", default="", help="Of the language, for titles.  [default: the gold file]")
@click.option(
    "--language",
    "given",
    nargs=4,
    multiple=True,
    metavar="NAME GOLD SYSTEM MODEL",
    help="A language; several are compared over the types they share. May be repeated.",
)
@click.option("--languages", "languages_file", metavar="FILE.toml", help="Tables [NAME] with gold, system, model.")
@click.option(
    "--types",
    "types_text",
    help="Relations with commas, or `2020` for the paper's 24.  [default: those in every gold, without root]",
)
@click.option("--mean-log", is_flag=True, help="Mean of the logarithms of the scores, not of the scores.")
@click.option("--figure", metavar="FILE", help="Ranks side by side, shaded, and their correlations (.svg, .png, .pdf).")
@lisca_settings
@click.option("-f", "--format", "form", type=FORMS, default="text", show_default=True)
@click.option("-o", "--output", default="-", metavar="FILE", help="A file instead of standard output.")
def types(
    gold: str | None,
    system: str | None,
    model_name: str | None,
    name: str,
    given: tuple[tuple[str, str, str, str], ...],
    languages_file: str | None,
    types_text: str | None,
    mean_log: bool,
    figure: str | None,
    smoothing: str | None,
    range_: int,
    form: str,
    output: str,
) -> None:
    """Rank relation types by F-score, by mean LISCA score in the parser's output and in gold, and by mean length.

    With Spearman's correlations of the four rankings (2020 §4). LISCA's columns are the natural logarithm of the mean
    score of a type's arcs.
    """
    from treegauge.cli.rank import lisca_options
    from treegauge.difficulty.languages import Language, check_languages, read_languages
    from treegauge.difficulty.types import correlations, named_types
    from treegauge.reports.figures import ending_of
    from treegauge.reports.table_text import write_json, write_tables

    if figure is not None:
        ending_of(figure)
    languages = [Language(*entry) for entry in given]
    if languages_file is not None:
        languages += read_languages(languages_file)
    if gold or system or model_name:
        if not (gold and system and model_name):
            raise click.UsageError("expected --gold, --system and --model together")
        languages.insert(0, Language(name or gold, gold, system, model_name))
    asked = None if types_text is None else named_types(types_text)
    found = compared_types(check_languages(languages), asked, lisca_options(smoothing, range_, None, None), mean_log)
    tables = [table for each in found for table in (each.table(), *correlations(each).tables())]
    write_text(write_json([t.to_dict() for t in tables]) if form == "json" else write_tables(tables, form), output)
    if figure is not None:
        write_text(types_picture(found, figure), figure)


def compared_types(
    languages: Sequence[Language], asked: Sequence[str] | None, options: LiscaOptions, mean_log: bool
) -> list[Types]:
    """The types of each language, restricted to those asked for or shared by all."""
    from treegauge.arcs.lisca import Lisca
    from treegauge.difficulty.types import shared_types, type_scores
    from treegauge.models.bundled_models import find_model

    found = []
    for language in languages:
        lisca = Lisca(find_model(language.model), options)
        gold, system = read_parsed(language.gold), read_parsed(language.system)
        found.append(type_scores(language.name, gold, system, lisca, mean_log=mean_log))
    chosen = shared_types(found) if asked is None else list(asked)
    if not chosen:
        raise OptionError("no type is in every gold file")
    known = {score.relation for each in found for score in each.scores}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        message(f"no arc of {', '.join(unknown)} anywhere")
    return [each.restricted(chosen) for each in found]


def types_picture(found: Sequence[Types], path: str) -> bytes:
    """The picture of ranks and correlations, for a file of that name."""
    from treegauge.difficulty.types import MEASURES, correlations
    from treegauge.reports.figures import RankPanel, ending_of, picture, rank_figure

    shown = {"f_score": "F-score", "length": "length", "lisca_gold": "LISCA\ngold", "lisca_parsed": "LISCA\nparsed"}
    panels = []
    for each in found:
        rho = correlations(each).rho
        panels.append(
            RankPanel(
                each.language,
                [each.scores[k].relation for k in each.order],
                [shown[measure] for measure in MEASURES],
                [[each.ranks[measure][k] for measure in MEASURES] for k in each.order],
                [[rho.get((a, b)) for b in MEASURES] for a in MEASURES],
            )
        )
    return picture(rank_figure(panels), ending_of(path))


@difficulty.command()
@click.option("-g", "--gold", help="Gold trees, CoNLL-U.")
@click.option("-s", "--system", help="A parser's output on the same words.")
@model_option(required=False)
@click.option("--name", default="", help="Of the language, for titles.  [default: the file]")
@click.option(
    "--language",
    "given",
    nargs=4,
    multiple=True,
    metavar="NAME GOLD SYSTEM MODEL",
    help="A language; `-` instead of GOLD or SYSTEM for none. May be repeated.",
)
@click.option("--relation", help="Only these relations, with commas; bins are then those among them.")
@click.option("--bins", "n_bins", type=click.IntRange(1), default=10, show_default=True, help="Bin 1 is the easiest.")
@click.option("--bins-of-all", is_flag=True, help="With --relation: bins among all arcs.")
@click.option("--without-root", is_flag=True, help="Leave out root arcs from every ranking.")
@click.option(
    "--by",
    help="How a property is distributed over the bins: length, direction, signed_length, children, relation, upos, or "
    "a feature of LISCA.",
)
@click.option(
    "--most", type=click.IntRange(1), default=10, show_default=True, help="With --by: larger numbers are one."
)
@click.option(
    "--ranking",
    type=click.Choice(["gold", "parsed", "length"]),
    help="With --by: whose bins.  [default: gold, or parsed if there is no gold]",
)
@click.option("--figure", metavar="FILE", help="A picture of the numbers (.svg, .png, .pdf).")
@lisca_settings
@click.option("-f", "--format", "form", type=FORMS, default="text", show_default=True)
@click.option("-o", "--output", default="-", metavar="FILE", help="A file instead of standard output.")
def bins(
    gold: str | None,
    system: str | None,
    model_name: str | None,
    name: str,
    given: tuple[tuple[str, str, str, str], ...],
    relation: str | None,
    n_bins: int,
    bins_of_all: bool,
    without_root: bool,
    by: str | None,
    most: int,
    ranking: str | None,
    figure: str | None,
    smoothing: str | None,
    range_: int,
    form: str,
    output: str,
) -> None:
    """Cut rankings of arcs into equal bins: the parser's accuracy in each, or how a property is distributed.

    Rankings are by LISCA of the parser's output, by LISCA of gold, and by length in gold (2020 §5). Without --by: the
    accuracy of each bin, if both gold and a parser's output are given; else arcs, mean scores and lengths.
    """
    from treegauge.cli.rank import lisca_options
    from treegauge.difficulty.distributions import distribution
    from treegauge.reports.figures import ending_of
    from treegauge.reports.table_text import write_json, write_tables

    if figure is not None:
        ending_of(figure)
    languages = list(given)
    if gold or system or model_name:
        if not ((gold or system) and model_name):
            raise click.UsageError("expected --model and at least one of --gold and --system")
        languages.insert(0, (name or gold or system or "", gold or "-", system or "-", model_name))
    if not languages:
        raise click.UsageError("expected --model and at least one of --gold and --system, or --language")
    relations = None if relation is None else names_of(relation, "relation")
    options = lisca_options(smoothing, range_, None, None)
    keep = {"relations": relations, "bins": n_bins, "root_arcs": not without_root, "bins_of_all": bins_of_all}
    what = "all arcs" if relations is None else ", ".join(relations)
    found = {language[0]: binned_language(language, options, keep) for language in languages}
    if by is None:
        tables = [table for title, rankings in found.items() for table in accuracy_tables(f"{title}, {what}", rankings)]
        drawn = None if figure is None else accuracy_picture(found, what, figure)
    else:
        kept = [(title, chosen_ranking(rankings, ranking)) for title, rankings in found.items()]
        parts = [distribution(each, by, most=most, title=f"{title}, {what}: {by}") for title, each in kept]
        tables = [table for part in parts for table in part.tables()]
        drawn = None if figure is None else distribution_picture(parts, figure)
    write_text(write_json([t.to_dict() for t in tables]) if form == "json" else write_tables(tables, form), output)
    if figure is not None and drawn is not None:
        write_text(drawn, figure)


def binned_language(language: Sequence[str], options: LiscaOptions, keep: dict[str, Any]) -> list[BinnedRanking]:
    """The rankings of one language: its name, gold, system, model; `-` for what there is not."""
    from treegauge.arcs.lisca import Lisca
    from treegauge.difficulty.bins import binned_rankings
    from treegauge.models.bundled_models import find_model

    _, gold, system, model = language
    lisca = Lisca(find_model(model), options)
    corpora = [None if path == "-" else read_parsed(path) for path in (gold, system)]
    return binned_rankings(lisca, *corpora, **keep)


def accuracy_tables(title: str, rankings: Sequence[BinnedRanking]) -> list[Table]:
    """Bins, and whether accuracy falls over them, where that is known."""
    from treegauge.difficulty.bins import bins_table, trend_table

    signature = f"bins:{rankings[0].bins}|{rankings[0].signature}"
    tables = [bins_table(f"{title}: bins", rankings, signature)]
    if any(ranking.right is not None for ranking in rankings):
        tables.append(trend_table(f"{title}: accuracy over bins", rankings, signature))
    return tables


def accuracy_picture(found: dict[str, list[BinnedRanking]], what: str, path: str) -> bytes:
    """Accuracy over bins, a panel for each language."""
    from treegauge.reports.figures import Panel, ending_of, line_figure, picture

    names = {"lisca_parsed": "LISCA, parsed", "lisca_gold": "LISCA, gold", "length": "length"}
    panels = []
    for title, rankings in found.items():
        if any(ranking.right is None for ranking in rankings):
            raise OptionError(f"{title}: accuracy needs gold and a system's output; --by shows what one of them can")
        lines = {names[ranking.name]: ranking.accuracy for ranking in rankings}
        panels.append(Panel(f"{title}, {what}", list(range(1, rankings[0].bins + 1)), lines))
    return picture(line_figure(panels, "bin (1: the easiest)", "accuracy (%)"), ending_of(path))


def chosen_ranking(rankings: Sequence[BinnedRanking], asked: str | None) -> BinnedRanking:
    """The ranking asked for; else that of gold, or the one there is."""
    by_name = {each.name.removeprefix("lisca_"): each for each in rankings}
    name = asked or ("gold" if "gold" in by_name else "parsed")
    if name not in by_name:
        raise OptionError(f"ranking {name!r}; what is given allows {', '.join(by_name)}")
    return by_name[name]


def distribution_picture(parts: Sequence[Distribution], path: str) -> bytes:
    """Stacked bars over bins, a panel for each language."""
    from treegauge.difficulty.properties import NUMBERS, UNITS
    from treegauge.reports.figures import StackPanel, ending_of, picture, stack_figure

    panels = [StackPanel(part.title, part.columns, part.classes, part.shares) for part in parts]
    name = parts[0].name
    drawn = stack_figure(panels, "bin (1: the easiest)", UNITS.get(name, name), numbers=name in NUMBERS)
    return picture(drawn, ending_of(path))
