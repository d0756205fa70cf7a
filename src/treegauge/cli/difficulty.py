"""`treegauge difficulty`: the relations that are hard, and the hard arcs of each relation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.arguments import Arguments, argument, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import (
    AUTO,
    ON_ERROR,
    LiscaGroup,
    OutputGroup,
    check_figures,
    found_code,
    model_option,
    some_names,
    write_figure,
)
from treegauge.cli.messages import message, progress_of, read_corpus, refuse_unused

if TYPE_CHECKING:
    from treegauge.difficulty.across import TypesAcross
    from treegauge.difficulty.languages import Language
    from treegauge.difficulty.types import Types
    from treegauge.tables import Table

FIGURE = file("Draw the numbers into FILE (.svg, .png, .pdf).")


@click.group()
def difficulty() -> None:
    """Explore what is hard to parse: by relation type, and along the ranking of its instances.

    The rankings are by LISCA, the measure of the papers, because its score is a product of features that can be read
    one by one; `rank` and the other commands ask choice, which finds more errors.
    """


class LanguageGroup(Arguments):
    """The files of one language, or of several."""

    gold: str | None = argument(required=False, metavar="GOLD")
    system: str | None = argument(required=False, metavar="SYSTEM")
    model_name: str | None = model_option()
    name: str = option("Name the language, for titles.  [default: the file]", default="", show_default=False, rare=True)
    given: tuple[tuple[str, str, str, str], ...] = repeated(
        "--language",
        "Compare this language with others. May be repeated; `-` stands for no GOLD or no SYSTEM.",
        nargs=4,
        metavar="NAME GOLD SYSTEM MODEL",
        rare=True,
    )

    def languages(self) -> list[Language]:
        """The languages that the options name."""
        from treegauge.difficulty.languages import Language

        languages = [
            Language(name, None if gold == "-" else gold, None if system == "-" else system, model)
            for name, gold, system, model in self.given
        ]
        if self.gold or self.model_name:
            gold, system = (None if path in (None, "-") else path for path in (self.gold, self.system))
            first = gold or system
            if first is None:
                raise click.UsageError("expected GOLD, SYSTEM, or both (`-` for none)")
            model = found_code((first,)) if self.model_name in (None, AUTO) else self.model_name
            languages.insert(0, Language(self.name or first, gold, system, model))
        return languages


def _read(language: Language, lisca: LiscaGroup, on_error: str) -> tuple[Any, Any, Any]:
    """The gold, the system's output and the scorer of a language; None for a side that it does not have."""
    from treegauge.scorers.registry import scorer

    gold, system = (None if path is None else read_corpus(path, on_error) for path in (language.gold, language.system))
    return gold, system, scorer("lisca", language.model, options=lisca.options())


class TypesArguments(Arguments):
    """The arguments of `treegauge difficulty types`."""

    of: LanguageGroup = group(LanguageGroup)
    languages_file: str | None = option(
        "--languages",
        "Compare the languages of this file: tables [NAME] with gold, system, model.",
        metavar="FILE.toml",
    )
    types_text: str | None = option(
        "--types",
        "Take these relations, with commas, or `2020`, the 24 of the paper.  [default: those in every gold, not root]",
    )
    least: int = number(1, 1, "Leave out types of fewer than N arcs in gold or in the parser's output.", rare=True)
    samples: int = number(
        0, 500, "Draw the sentences N times for intervals of ranks and correlations; 0: none.", rare=True
    )
    seed: int = number(0, 1, "Seed the random draws.", rare=True)
    mean_log: bool = flag("Average the logarithms of the scores, not the scores.", rare=True)
    with_bits: bool = flag("--bits", "Give the bits per arc of gold, too, in the joined table.", rare=True)
    figure: str | None = FIGURE
    figure_across: str | None = file("Draw all types by languages: hard everywhere, or only there.", rare=True)
    figure_languages: str | None = file("Draw how alike each two languages rank their types.", rare=True)
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(TypesArguments, of=difficulty)
def types(args: TypesArguments) -> None:
    """Rank relation types by F-score, by mean LISCA score in the parser's output and in gold, and by mean length.

    With Spearman's correlations of the rankings, and intervals over sentences. LISCA's columns are the natural
    logarithm of the mean score of a type's arcs: how reliable a type is can be told without gold, too (`-` stands for
    no GOLD or no SYSTEM). Several languages are joined into one table: which types are hard everywhere, which only in
    one language, and how alike languages rank them.

    \b
    Example:
      treegauge difficulty types gold.conllu system.conllu --model en
      treegauge difficulty types - parsed.conllu --model en
    """
    from treegauge.difficulty.languages import check_languages, read_languages
    from treegauge.difficulty.type_intervals import LanguageAgreement, type_intervals
    from treegauge.difficulty.types import check_types, compared_types, correlations, named_types
    from treegauge.reports.difficulty_figures import across_figure, languages_figure, types_figure

    check_figures(args.figure)
    languages = args.of.languages()
    languages += read_languages(args.languages_file) if args.languages_file is not None else []
    several = len(check_languages(languages)) > 1, "several languages"
    refuse_unused(with_bits=several, figure_across=several, figure_languages=several)
    relations = None if args.types_text is None else named_types(args.types_text)
    check_figures(args.figure_across, args.figure_languages)
    measured, across = _measured(languages, args)
    compared = compared_types(measured, relations)
    absent = check_types(relations or (), measured)
    if absent:
        message(f"no arc of {', '.join(absent)} anywhere")
    for types in compared:
        _tell_unseen(types)
    intervals = [type_intervals(types, args.samples, args.seed) for types in compared] if args.samples else []
    tables = [
        t for types in compared for t in _of(types.language, compared, types.table(), *correlations(types).tables())
    ]
    for types, of_type in zip(compared, intervals, strict=False):  # there may be no intervals
        tables += _of(types.language, compared, of_type.table(), of_type.rho_table())
    alike = LanguageAgreement(tuple(compared), tuple(intervals)) if len(compared) > 1 else None
    args.out.write([*tables, *([across.table()] if across else []), *([alike.table()] if alike else [])])
    write_figure(args.figure, types_figure, compared)
    write_figure(args.figure_across, across_figure, across)
    write_figure(args.figure_languages, languages_figure, alike)


def _of(language: str, languages: Sequence[object], *tables: Table) -> list[Table]:
    """The tables of one language; if there are several languages, with a column that names it."""
    return [table.labelled("language", language) if len(languages) > 1 else table for table in tables]


def _tell_unseen(types: Types) -> None:
    """Say that types have no finite mean score, so that their ranks and correlations mean little."""
    for name, where in (("lisca_gold", "gold"), ("lisca_parsed", "the parser's output")):
        unseen = [score.relation for score in types.scores if getattr(score, name) == -math.inf]
        if unseen:
            shown = ", ".join(unseen[:5]) + ", …" * (len(unseen) > 5)
            message(
                f"{types.language}: the mean score in {where} is 0 for {len(unseen)} of {len(types.scores)} types "
                f"({shown}), because the model never saw a value of their arcs; with --smoothing it is above 0"
            )


def _measured(languages: list[Language], args: TypesArguments) -> tuple[list[Types], TypesAcross | None]:
    """The types of each language, and the types across languages if there are several."""
    from treegauge.difficulty.across import types_across
    from treegauge.difficulty.bits import dependency_bits
    from treegauge.difficulty.types import difficulty_types

    measured, bits = [], []
    for language in languages:
        gold, system, scorer = _read(language, args.lisca, args.on_error)
        types = difficulty_types(gold, system, scorer, mean_log=args.mean_log, name=language.name)
        measured.append(types.frequent(args.least))
        if args.with_bits:
            bits.append(dependency_bits(gold or system, name=language.name))
    return measured, types_across(measured, bits) if len(measured) > 1 else None


class BinsArguments(Arguments):
    """The arguments of `treegauge difficulty bins`."""

    of: LanguageGroup = group(LanguageGroup)
    relation: str | None = option("Rank only arcs with these relations (with commas), among themselves.")
    n_bins: int = number(1, 10, "--bins", "Cut the ranking into N equal parts; bin 1 is the easiest.")
    bins_of_all: bool = flag("Count the bins of --relation among all arcs.", rare=True)
    without_root: bool = flag("Leave out root arcs from every ranking.", rare=True)
    by: str | None = option(
        "Show how a property is distributed over the bins: length, direction, signed_length, children, relation, "
        "deprel, upos, or a feature of LISCA."
    )
    most: int = number(1, 10, "Put values of --by above N (or below -N) into one class.", rare=True)
    rankings: tuple[str, ...] = repeated(
        "--ranking",
        "Show this ranking only; may be repeated. With --by, take its bins.  [default: all; with --by gold, or parsed]",
        type=click.Choice(["gold", "parsed", "length"]),
        rare=True,
    )
    figure: str | None = FIGURE
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(BinsArguments, of=difficulty)
def bins(args: BinsArguments) -> None:
    """Cut rankings of arcs into equal bins: the parser's accuracy in each, or how a property is distributed.

    Rankings are by LISCA of the parser's output, by LISCA of gold, and by length in gold (2020 §5). Without --by: the
    accuracy of each bin, if both gold and a parser's output are given; else arcs, mean scores and lengths. `-` stands
    for no GOLD.

    \b
    Examples:
      treegauge difficulty bins gold.conllu system.conllu --model en
      treegauge difficulty bins gold.conllu --model en --by length
    """
    refuse_unused(
        most=(args.by is not None, "--by"),
        bins_of_all=(args.relation is not None, "--relation"),
    )
    from treegauge.difficulty.bins import difficulty_bins
    from treegauge.difficulty.distributions import distribution
    from treegauge.reports.difficulty_figures import accuracy_figure, distribution_figure

    check_figures(args.figure)
    languages = args.of.languages()
    if not languages:
        raise click.UsageError("expected GOLD, SYSTEM or both (`-` for none) with --model, or --language")
    options: dict[str, Any] = {
        "relations": some_names(args.relation, "relation"),
        "bins": args.n_bins,
        "root_arcs": not args.without_root,
        "bins_of_all": args.bins_of_all,
    }
    results = [
        difficulty_bins(*_read(language, args.lisca, args.on_error), name=language.name, **options)
        for language in languages
    ]
    for language, result in zip(languages, results, strict=True):
        if result.left_out:
            message(result.left_out.text(language.gold or "gold", language.system or "the parser's output"))
    if args.by is None:
        results = [result.only(args.rankings) for result in results] if args.rankings else results
        write_figure(args.figure, accuracy_figure, results)
        tables = [
            t
            for each, result in zip(languages, results, strict=True)
            for t in _of(each.name, languages, *result.tables())
        ]
    else:
        parts = [
            distribution(
                result.chosen(args.rankings[0] if args.rankings else None),
                args.by,
                most=args.most,
                title=f"{result.title}: {args.by}",
            )
            for result in results
        ]
        write_figure(args.figure, distribution_figure, parts)
        tables = [
            t for each, part in zip(languages, parts, strict=True) for t in _of(each.name, languages, *part.tables())
        ]
    args.out.write(tables)


class FeaturesArguments(Arguments):
    """The arguments of `treegauge difficulty features`."""

    of: LanguageGroup = group(LanguageGroup)
    relation: str | None = option("Look at the arcs of this relation.  [default: a row for each relation]")
    n_bins: int = number(1, 10, "--bins", "Cut the ranking into N equal parts; bin 1 has the most plausible arcs.")
    interaction: str | None = option(
        "--by",
        "Show the mean score for each pair of values of two properties, such as length,children.",
        metavar="PROPERTY,PROPERTY",
    )
    most: int = number(1, 8, "Put values of --by above N into one class.", rare=True)
    samples: int = number(0, 500, "Draw the sentences N times for the intervals of the ablation; 0: none.", rare=True)
    seed: int = number(0, 1, "Seed the random draws.", rare=True)
    figure: str | None = FIGURE
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(FeaturesArguments, of=difficulty)
def features(args: FeaturesArguments) -> None:
    """Show what weighs in the score of LISCA: the share of each feature in its variance, by relation and by bin.

    The log score is a sum over features. The share of a feature is the covariance of its part with the sum, divided by
    the variance of the sum; shares add up to 1. With GOLD and SYSTEM, also what the score loses without each feature:
    its ROC-AUC, with 95 % intervals. Shares are of the arcs of GOLD, or of SYSTEM if there is no GOLD. Root arcs are
    left out.

    \b
    Examples:
      treegauge difficulty features gold.conllu system.conllu --model en
      treegauge difficulty features gold.conllu --model en --relation nsubj --by length,children
    """
    from treegauge.difficulty.feature_weights import feature_weights, shares_across
    from treegauge.reports.difficulty_figures import interaction_figure, shares_figure

    refuse_unused(most=(args.interaction is not None, "--by"))
    check_figures(args.figure)
    pair = None if args.interaction is None else some_names(args.interaction, "properties")
    if pair is not None and len(pair) != 2:
        raise click.UsageError(f"--by {args.interaction}; expected two properties, such as length,children")
    tables, drawn, measured = [], [], []
    languages = args.of.languages()
    for language in languages:
        gold, system, scorer = _read(language, args.lisca, args.on_error)
        weights = feature_weights(gold or system, scorer.lisca, name=language.name)
        measured.append(weights)
        if pair is not None:
            drawn.append(weights.interaction(*pair, args.relation, args.most))
            tables += _of(language.name, languages, drawn[-1].table())
            continue
        tables += _of(language.name, languages, weights.table(), weights.bins_table(args.n_bins, args.relation))
        if gold is not None and system is not None:
            judged = feature_weights(system, scorer.lisca, gold=gold, name=language.name)
            with progress_of("leaving out", "features", len(judged.features) + 1) as progress:
                tables += _of(language.name, languages, judged.ablation(args.samples, args.seed, progress))
    if not measured:
        raise click.UsageError("expected GOLD, SYSTEM or both (`-` for none) with --model, or --language")
    if len(measured) > 1 and pair is None:
        tables.append(shares_across(measured, args.relation or "all"))
    args.out.write(tables)
    write_figure(args.figure, shares_figure if pair is None else interaction_figure, drawn or measured, tell=True)


class SentencesArguments(Arguments):
    """The arguments of `treegauge difficulty sentences`."""

    of: LanguageGroup = group(LanguageGroup)
    samples: int = number(0, 500, "Draw the sentences N times for the intervals; 0: none.", rare=True)
    seed: int = number(0, 1, "Seed the random draws.", rare=True)
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(SentencesArguments, of=difficulty)
def sentences(args: SentencesArguments) -> None:
    """Show whether the score of a sentence tells how hard it is to parse, beyond what its length tells.

    The score of a sentence is the mean log score of its arcs. With GOLD and SYSTEM: Spearman's correlations of score,
    length and LAS over sentences, and the partial ones: score and LAS with length held constant, length and LAS with
    the score held constant. With one of them: score and length. `rank --unit sentence` lists the sentences themselves.

    \b
    Example:
      treegauge difficulty sentences gold.conllu system.conllu --model en
    """
    from treegauge.difficulty.sentences import difficulty_sentences

    languages = args.of.languages()
    if not languages:
        raise click.UsageError("expected GOLD, SYSTEM or both (`-` for none) with --model, or --language")
    options: dict[str, Any] = {"samples": args.samples, "seed": args.seed}
    tables = []
    for language in languages:
        files = _read(language, args.lisca, args.on_error)
        tables += _of(language.name, languages, difficulty_sentences(*files, name=language.name, **options).table())
    args.out.write(tables)
