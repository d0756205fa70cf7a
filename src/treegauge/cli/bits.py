"""`treegauge bits`: how hard dependency treebanks are, in bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import OutputGroup, table_output, write_file
from treegauge.cli.options import choice, message, number, on_error, progress_of, read_told, refuse_unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from treegauge.difficulty.bits import DependencyBits
    from treegauge.tables import Table


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Measure TEST by what is learned from TREEBANK: one TEST for all, or one for each.",
)
@number(0, 0, "--folds", help="Judge each of N folds by what is learned from the others; 0: predict, then learn.")
@choice(("gold", "predicted"), "--tags", help="Look at the given tags, or at tags predicted from the forms.")
@click.option("--unlexicalised", is_flag=True, help="Look at tags and features only, not at words and lemmas.")
@click.option(
    "--words", type=click.IntRange(1), metavar="N", help="Measure random samples of N words, to compare sizes."
)
@number(1, 1, "--samples", help="Take N random orders, or samples of --words, and give their mean.")
@choice(("treebank", "relation", "length", "genre"), "--by", help="Give a row for each treebank, or for each of these.")
@click.option("--learning-curve", "curve", is_flag=True, help="Show how the bits fall as words are learned.")
@click.option("--per-sentence", is_flag=True, help="Write a row for each sentence, to be joined by sent_id.")
@table_output
@click.option("--figure", metavar="FILE", help="Draw the treebanks, --by relation or the curve (.svg, .png, .pdf).")
@on_error
@click.option("--seed", type=int, default=0, help="Seed the random orders and samples.")
def bits(treebanks: tuple[str, ...], tests: tuple[str, ...], out: OutputGroup, on_error: str, **options: Any) -> None:
    """Measure how hard each TREEBANK is: the bits that its trees take once their words are known.

    A learner (`choice`, without a look at the tree) goes through the treebank once, in a random order. It predicts the
    head and the relation of each word of a sentence before it learns from that sentence. −log2 of the probability of
    an arc is what a code for it takes: 0 bits if it was certain, 1 bit if the odds were even. The mean needs no
    held-out text and no parser. Intervals are at 95 %, over sentences.

    \b
    Examples:
      treegauge bits treebank.conllu
      treegauge bits treebank.conllu other.conllu --words 15 --samples 5
      treegauge bits treebank.conllu --by relation
      treegauge bits treebank.conllu --test gold.conllu --per-sentence --format tsv
    """
    from treegauge.difficulty.bits import BitsSettings, dependency_bits
    from treegauge.reports.figures import ending_of, picture

    _check(treebanks, tests, options)
    figure = options["figure"]
    if figure:
        ending_of(figure)
    own = {name: options[name] for name in ("tags", "folds", "words", "samples", "seed")}
    settings = BitsSettings(lexical=not options["unlexicalised"], **own)
    found: list[DependencyBits] = []
    others = [read_told(path, on_error) for path in tests]
    for k, path in enumerate(treebanks):
        corpus = read_told(path, on_error)
        test = (others[k] if len(others) > 1 else others[0]) if others else None
        with progress_of(f"learning {path}", "words", corpus.n_words * settings.samples) as progress:
            found.append(dependency_bits(corpus, test, settings, name=_name(path, tests, k), progress=progress))
    if figure:
        write_file(picture(_drawn(found, options), ending_of(figure)), figure)
        message(f"wrote {figure}")
    out.write([_table(found, options)])


def _check(treebanks: Sequence[str], tests: Sequence[str], options: dict[str, Any]) -> None:
    """What options cannot say one by one."""
    shown = [name for name in ("curve", "per_sentence") if options[name]]
    prequential = not tests and not options["folds"]
    shuffled = prequential or options["folds"] or options["words"] or options["samples"] > 1
    refuse_unused(seed=(bool(shuffled or tests), "random orders"))
    for wrong, problem in (
        (
            1 < len(tests) != len(treebanks),
            f"{len(tests)} --test for {len(treebanks)} treebanks; expected one for each",
        ),
        (tests and options["folds"], "--test with --folds; expected one of them"),
        (len(shown) > 1, "--learning-curve with --per-sentence; expected one of them"),
        (shown and options["by"] != "treebank", f"--by {options['by']} with a row for each of something else"),
        (options["curve"] and not prequential, "--learning-curve; expected it without --test and --folds"),
        (options["figure"] and options["per_sentence"], "--figure; expected it without --per-sentence"),
        (options["figure"] and options["by"] in ("length", "genre"), "--figure draws treebanks, relations and curves"),
    ):
        if wrong:
            raise click.UsageError(problem)


def _name(path: str, tests: Sequence[str], k: int) -> str:
    from treegauge.difficulty.typology.families import treebank_name

    own = treebank_name(path)
    return f"{own} → {treebank_name(tests[k] if len(tests) > 1 else tests[0])}" if len(tests) == 1 else own


def _table(found: Sequence[DependencyBits], options: dict[str, Any]) -> Table:
    from treegauge.difficulty.bits import bits_table
    from treegauge.difficulty.bits_breakdowns import curve_table, grouped_table, sentences_table

    if options["curve"]:
        return curve_table(found)
    if options["per_sentence"]:
        return sentences_table(found)
    return bits_table(found) if options["by"] == "treebank" else grouped_table(found, options["by"])


def _drawn(found: Sequence[DependencyBits], options: dict[str, Any]) -> Figure:
    from treegauge.reports.bits_figures import bits_curve_figure, bits_figure, relations_figure

    if options["curve"]:
        return bits_curve_figure(found)
    return relations_figure(found) if options["by"] == "relation" else bits_figure(found)
