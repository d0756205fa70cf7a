"""`treegauge difficulty`: which relations are hard, and which of their instances?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from treegauge.cli.options import message, on_error
from treegauge.cli.scoring import lisca_settings, model_option, read_parsed, write_text
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.difficulty.languages import Language
    from treegauge.difficulty.types import Types

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
@on_error
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
    on_error: str,
) -> None:
    """Rank relation types by F-score, by mean LISCA score in the parser's output and in gold, and by mean length.

    With Spearman's correlations of the four rankings (2020 §4). LISCA's columns are the natural logarithm of the mean
    score of a type's arcs.
    """
    from treegauge.cli.rank import lisca_options
    from treegauge.difficulty.languages import Language, check_languages, read_languages
    from treegauge.difficulty.types import correlations, named_types
    from treegauge.report.figures import ending_of
    from treegauge.tables import write_json, write_tables

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
    from treegauge.arcs.bundled import find_model
    from treegauge.arcs.lisca import Lisca
    from treegauge.difficulty.types import shared_types, type_scores

    found = []
    for language in languages:
        lisca = Lisca(find_model(language.model), options)
        gold, system = read_parsed(language.gold, "stop"), read_parsed(language.system, "stop")
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
    from treegauge.report.figures import RankPanel, ending_of, picture, rank_figure

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
