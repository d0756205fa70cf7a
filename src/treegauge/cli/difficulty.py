"""`treegauge difficulty`: which relations are hard, and which of their instances?"""

from __future__ import annotations

from dataclasses import dataclass
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
from treegauge.cli.options import message, number, on_error, read_told, refuse_unused

if TYPE_CHECKING:
    from treegauge.difficulty.across import TypesAcross
    from treegauge.difficulty.languages import Language
    from treegauge.difficulty.types import Types

FIGURE = click.option("--figure", metavar="FILE", help="Draw the numbers into FILE (.svg, .png, .pdf).")


@click.group()
def difficulty() -> None:
    """Explore what is hard to parse: by relation type, and along the ranking of its instances."""


@dataclass(frozen=True, slots=True)
class LanguageGroup:
    """The files of one language, or of several."""

    gold: str | None
    system: str | None
    model_name: str | None
    name: str
    given: tuple[tuple[str, str, str, str], ...]

    def languages(self, both: bool) -> list[Language]:
        """The languages that options name; both: gold and system are needed."""
        from treegauge.difficulty.languages import Language

        found = [
            Language(name, None if gold == "-" else gold, None if system == "-" else system, model)
            for name, gold, system, model in self.given
        ]
        if self.gold or self.model_name:
            gold, system = (None if path in (None, "-") else path for path in (self.gold, self.system))
            enough = gold and system if both else gold or system
            if not (enough and self.model_name):
                needed = "GOLD and SYSTEM" if both else "GOLD, SYSTEM, or both (`-` for none)"
                raise click.UsageError(f"expected {needed}, and --model")
            found.insert(0, Language(self.name or gold or system or "", gold, system, self.model_name or ""))
        return found


languages = gathered(
    "of",
    LanguageGroup,
    click.argument("gold", required=False, metavar="GOLD"),
    click.argument("system", required=False, metavar="SYSTEM"),
    model_option(required=False),
    click.option("--name", default="", show_default=False, help="Name the language, for titles.  [default: the file]"),
    click.option(
        "--language",
        "given",
        nargs=4,
        multiple=True,
        metavar="NAME GOLD SYSTEM MODEL",
        help="Compare this language with others. May be repeated; in `bins`, `-` stands for no GOLD or no SYSTEM.",
    ),
)


def _read(language: Language, lisca: LiscaGroup, on_error: str) -> tuple[Any, Any, Any]:
    """Gold, the system's output and the scorer of a language."""
    from treegauge.scorers.registry import scorer

    gold, system = (None if path is None else read_told(path, on_error) for path in (language.gold, language.system))
    return gold, system, scorer("lisca", language.model, options=lisca.options())


@difficulty.command()
@languages
@click.option(
    "--languages",
    "languages_file",
    metavar="FILE.toml",
    help="Compare the languages of this file: tables [NAME] with gold, system, model.",
)
@click.option(
    "--types",
    "types_text",
    help="Take these relations, with commas, or `2020`, the 24 of the paper.  [default: those in every gold, not root]",
)
@click.option("--mean-log", is_flag=True, help="Average the logarithms of the scores, not the scores.")
@click.option("--bits", "with_bits", is_flag=True, help="Give the bits per arc of gold, too, in the joined table.")
@FIGURE
@click.option("--figure-across", metavar="FILE", help="Draw all types by languages: hard everywhere, or only there.")
@lisca_settings
@table_output
@on_error
def types(
    of: LanguageGroup,
    languages_file: str | None,
    types_text: str | None,
    mean_log: bool,
    with_bits: bool,
    figure: str | None,
    figure_across: str | None,
    lisca: LiscaGroup,
    out: OutputGroup,
    on_error: str,
) -> None:
    """Rank relation types by F-score, by mean LISCA score in the parser's output and in gold, and by mean length.

    With Spearman's correlations of the four rankings (2020 §4). LISCA's columns are the natural logarithm of the mean
    score of a type's arcs. Several languages are joined into one table: which types are hard everywhere, which only in
    one language.

    \b
    Example:
      treegauge difficulty types gold.conllu system.conllu --model en
    """
    from treegauge.difficulty.languages import check_languages, read_languages
    from treegauge.difficulty.types import compared_types, correlations, named_types
    from treegauge.reports.difficulty_figures import types_figure
    from treegauge.reports.figures import ending_of

    ending = None if figure is None else ending_of(figure)
    found = of.languages(both=True)
    found += read_languages(languages_file) if languages_file is not None else []
    several = len(check_languages(found)) > 1, "several languages"
    refuse_unused(with_bits=several, figure_across=several)
    asked = None if types_text is None else named_types(types_text)
    across_ending = None if figure_across is None else ending_of(figure_across)
    each, across = _measured(found, lisca, on_error, mean_log, with_bits)
    compared = compared_types(each, asked)
    unknown = [name for name in asked or () if not any(name == s.relation for one in each for s in one.scores)]
    if unknown:
        message(f"no arc of {', '.join(unknown)} anywhere")
    tables = [table for one in compared for table in (one.table(), *correlations(one).tables())]
    out.write([*tables, *([across.table()] if across else [])])
    if figure is not None and ending is not None:
        write_file(types_figure(compared, ending), figure)
    if figure_across is not None and across_ending is not None and across is not None:
        from treegauge.reports.difficulty_figures import across_figure
        from treegauge.reports.figures import picture

        write_file(picture(across_figure(across), across_ending), figure_across)


def _measured(
    found: list[Language], lisca: LiscaGroup, on_error: str, mean_log: bool, with_bits: bool
) -> tuple[list[Types], TypesAcross | None]:
    """The types of each language, and all together if there are several."""
    from treegauge.difficulty.across import types_across
    from treegauge.difficulty.bits import dependency_bits
    from treegauge.difficulty.types import difficulty_types

    each, bits = [], []
    for one in found:
        gold, system, scorer = _read(one, lisca, on_error)
        each.append(difficulty_types(gold, system, scorer, mean_log=mean_log, name=one.name))
        if with_bits:
            bits.append(dependency_bits(gold, name=one.name))
    return each, types_across(each, bits) if len(each) > 1 else None


@dataclass(frozen=True, slots=True)
class BinGroup:
    """Which arcs, in how many bins."""

    relation: str | None
    n_bins: int
    bins_of_all: bool
    without_root: bool

    def options(self) -> dict[str, Any]:
        """The same for the library."""
        return {
            "relations": some_names(self.relation, "relation"),
            "bins": self.n_bins,
            "root_arcs": not self.without_root,
            "bins_of_all": self.bins_of_all,
        }


@difficulty.command()
@languages
@gathered(
    "binned",
    BinGroup,
    click.option("--relation", help="Rank only arcs with these relations (with commas), among themselves."),
    number(1, 10, "--bins", "n_bins", help="Cut the ranking into N equal parts; bin 1 is the easiest."),
    click.option("--bins-of-all", is_flag=True, help="Count the bins of --relation among all arcs."),
    click.option("--without-root", is_flag=True, help="Leave out root arcs from every ranking."),
)
@click.option(
    "--by",
    help="Show how a property is distributed over the bins: length, direction, signed_length, children, relation, "
    "deprel, upos, or a feature of LISCA.",
)
@number(1, 10, "--most", help="Put values of --by above N (or below -N) into one class.")
@click.option(
    "--ranking",
    type=click.Choice(["gold", "parsed", "length"]),
    help="Take the bins of this ranking for --by.  [default: gold, or parsed if there is no gold]",
)
@FIGURE
@lisca_settings
@table_output
@on_error
def bins(
    of: LanguageGroup,
    binned: BinGroup,
    by: str | None,
    most: int,
    ranking: str | None,
    figure: str | None,
    lisca: LiscaGroup,
    out: OutputGroup,
    on_error: str,
) -> None:
    """Cut rankings of arcs into equal bins: the parser's accuracy in each, or how a property is distributed.

    Rankings are by LISCA of the parser's output, by LISCA of gold, and by length in gold (2020 §5). Without --by: the
    accuracy of each bin, if both gold and a parser's output are given; else arcs, mean scores and lengths. `-` stands
    for a GOLD that there is not.

    \b
    Examples:
      treegauge difficulty bins gold.conllu system.conllu --model en
      treegauge difficulty bins gold.conllu --model en --by length
    """
    refuse_unused(
        most=(by is not None, "--by"),
        ranking=(by is not None, "--by"),
        bins_of_all=(binned.relation is not None, "--relation"),
    )
    from treegauge.difficulty.bins import difficulty_bins
    from treegauge.difficulty.distributions import distribution
    from treegauge.reports.difficulty_figures import accuracy_figure, distribution_figure
    from treegauge.reports.figures import ending_of

    ending = None if figure is None else ending_of(figure)
    given = of.languages(both=False)
    if not given:
        raise click.UsageError("expected GOLD, SYSTEM or both (`-` for none) with --model, or --language")
    found = [difficulty_bins(*_read(one, lisca, on_error), name=one.name, **binned.options()) for one in given]
    for one, each in zip(given, found, strict=True):
        if each.left_out:
            message(each.left_out.text(one.gold or "gold", one.system or "the parser's output"))
    if by is None:
        drawn = None if ending is None else accuracy_figure(found, ending)
        tables = [table for each in found for table in each.tables()]
    else:
        parts = [distribution(each.chosen(ranking), by, most=most, title=f"{each.title}: {by}") for each in found]
        drawn = None if ending is None else distribution_figure(parts, ending)
        tables = [table for part in parts for table in part.tables()]
    out.write(tables)
    if figure is not None and drawn is not None:
        write_file(drawn, figure)
