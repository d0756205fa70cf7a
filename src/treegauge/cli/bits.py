"""`treegauge bits`: how hard dependency treebanks are, in bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import ON_ERROR, OutputGroup, check_figures, write_figure
from treegauge.cli.messages import progress_of, read_corpus, read_treebanks, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from treegauge.difficulty.bits import DependencyBits
    from treegauge.tables import Table


class BitsArguments(Arguments):
    """The arguments of `treegauge bits`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREEBANK...")
    tests: tuple[str, ...] = repeated(
        "--test",
        "Measure TEST by what is learned from TREEBANK: one TEST for all, or one for each.",
        metavar="TEST",
        rare=True,
    )
    folds: int = number(
        0, 0, "Judge each of N folds by what is learned from the others; 0: predict, then learn.", rare=True
    )
    tags: str = choice(("gold", "predicted"), "Look at the given tags, or at tags predicted from the forms.")
    unlexicalised: bool = flag("Look at tags and features only, not at words and lemmas.", rare=True)
    words: int | None = number(1, None, "Measure random samples of N words, to compare sizes.")
    samples: int = number(1, 1, "Take N random orders, or samples of --words, and give their mean.", rare=True)
    by: str = choice(("treebank", "relation", "length", "genre"), "Give a row for each treebank, or for each of these.")
    curve: bool = flag("--learning-curve", "Show how the bits fall as words are learned.")
    per_sentence: bool = flag("Write a row for each sentence, to be joined by sent_id.", rare=True)
    out: OutputGroup = group(OutputGroup)
    figure: str | None = file("Draw the treebanks, --by relation or the curve (.svg, .png, .pdf).")
    on_error: str = ON_ERROR
    seed: int = option("Seed the random orders and samples.", type=int, default=0, rare=True)


@command(BitsArguments)
def bits(args: BitsArguments) -> None:
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

    _check(args, args.tests)
    check_figures(args.figure)
    settings = BitsSettings(args.tags, not args.unlexicalised, args.folds, args.words, args.samples, args.seed)
    measured: list[DependencyBits] = []
    others = [read_corpus(path, args.on_error) for path in args.tests]
    for k, corpus in enumerate(read_treebanks(args.treebanks, args.on_error)):
        refuse((1 < len(others) <= k, f"{len(others)} --test for more treebanks; expected one for each"))
        test = (others[k] if len(others) > 1 else others[0]) if others else None
        with progress_of(f"learning {corpus.path}", "words", corpus.n_words * settings.samples) as progress:
            measured.append(
                dependency_bits(corpus, test, settings, name=_name(corpus.path, args.tests), progress=progress)
            )
    write_figure(args.figure, _draw, measured, args, tell=True)
    args.out.write([_table(measured, args)])


def _check(args: BitsArguments, tests: Sequence[str]) -> None:
    """Refuse options that do not go together."""
    each, rows = len(args.treebanks), args.curve or args.per_sentence
    refuse(
        (1 < len(tests) != each, f"{len(tests)} --test for {each} treebanks; expected one for each"),
        (tests and args.folds, "--test with --folds; expected one of them"),
        (args.curve and args.per_sentence, "--learning-curve with --per-sentence; expected one of them"),
        (rows and args.by != "treebank", f"--by {args.by} with a row for each of something else"),
        (args.curve and (tests or args.folds), "--learning-curve; expected it without --test and --folds"),
        (args.figure and args.per_sentence, "--figure; expected it without --per-sentence"),
        (args.figure and args.by in ("length", "genre"), "--figure draws treebanks, relations and curves"),
    )


def _name(path: str, tests: Sequence[str]) -> str:
    from treegauge.corpus.treebanks import treebank_name

    return " → ".join(map(treebank_name, [path, *(tests if len(tests) == 1 else ())]))


def _table(measured: Sequence[DependencyBits], args: BitsArguments) -> Table:
    from treegauge.difficulty.bits import bits_table
    from treegauge.difficulty.bits_breakdowns import curve_table, grouped_table, sentences_table

    if args.curve:
        return curve_table(measured)
    if args.per_sentence:
        return sentences_table(measured)
    return bits_table(measured) if args.by == "treebank" else grouped_table(measured, args.by)


def _draw(measured: Sequence[DependencyBits], args: BitsArguments) -> Figure:
    from treegauge.reports.bits_figures import bits_curve_figure, bits_figure, relations_figure

    if args.curve:
        return bits_curve_figure(measured)
    return relations_figure(measured) if args.by == "relation" else bits_figure(measured)
