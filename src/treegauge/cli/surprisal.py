"""`treegauge surprisal`: how surprising each tag or word is after those before it."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, number, option
from treegauge.cli.ecc import first_names, read_tagged, read_trees
from treegauge.cli.groups import (
    FORMATS,
    ON_ERROR,
    OUTPUT,
    STYLE,
    check_figures,
    format_option,
    tables_content,
    write_figure,
    write_file,
)
from treegauge.cli.messages import message, progress_of, refuse_unused

if TYPE_CHECKING:
    from treegauge.constituency.brackets import BracketTreebank
    from treegauge.constituency.surprisal import Surprisal
    from treegauge.corpus.corpus import Corpus

CONLLU = "conllu"


class SurprisalArguments(Arguments):
    """The arguments of `treegauge surprisal`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREEBANK...")
    text: str | None = file("Read this text: tagged CoNLL-U, or bracketed trees.  [default: TREEBANK itself]")
    pos: str = choice(("xpos", "upos"), "Take the tags of a CoNLL-U text from this column.")
    unit: str = choice(("tag", "word"), "Read tags, or words: the tags of words are then summed over.")
    rare: int = number(
        1, 1, "words: read words that TREEBANK has fewer than N times, and unknown ones, as one.", rare=True
    )
    style: str = STYLE
    format_name: str = format_option((*FORMATS, CONLLU), "Write in this format.")
    output: str = OUTPUT
    summary: bool = flag("Write the means over the text only.")
    transform: str = choice(("none", "parent"), "Add the label of its parent to each label, or nothing.", rare=True)
    merge_labels: str | None = file("Merge labels as FILE says, or ptb-pos, ptb-nt, ptb-all.", rare=True)
    keep_functions: bool = flag("Keep function labels (NP-SBJ); without it, NP.", rare=True)
    figure: str | None = file("Draw one sentence (.svg, .png, .pdf).")
    sentence: str | None = option(
        "figure: draw the sentence of this name.  [default: the first]", metavar="NAME", rare=True
    )
    on_error: str = ON_ERROR
    threads: int | None = number(1, None, "Use N threads.  [default: all cores]", rare=True)


@command(SurprisalArguments)
def surprisal(args: SurprisalArguments) -> None:
    """Measure how surprising each tag or word is after those before it, under the grammar of TREEBANK.

    The grammar is read off the bracketed trees of TREEBANK as `ecc` does. For every beginning of a sentence it gives
    the probability that a sentence begins so, over all trees and whatever follows, exactly. Surprisal is −log2 of
    p(tag | tags before); entropy is that of all trees that are still possible; a word reduces it, or does not. After
    a tag that the grammar does not allow, nothing is defined.

    \b
    Examples:
      treegauge surprisal trees.mrg --text tagged.conllu
      treegauge surprisal trees.mrg --text test.mrg --unit word --rare 2 --format tsv
      treegauge surprisal trees.mrg --text tagged.conllu --format conllu -o read.conllu
    """
    from treegauge.constituency.cleaning import Cleaning, read_clusters
    from treegauge.constituency.surprisal import ReadingUnits, is_conllu
    from treegauge.constituency.surprisal import surprisal as measure
    from treegauge.reports.figures import surprisal_figure

    path = args.text
    of_conllu = path is not None and is_conllu(path)
    refuse_unused(
        pos=(of_conllu and args.unit == "tag", "tags of a CoNLL-U text"),
        rare=(args.unit == "word", "--unit word"),
        sentence=(args.figure is not None, "--figure"),
    )
    if args.format_name == CONLLU and (not of_conllu or args.summary):
        raise click.UsageError("--format conllu; expected it with --text of that format, and without --summary")
    check_figures(args.figure)
    clusters = read_clusters(args.merge_labels)
    cleaning = Cleaning(args.style, args.keep_functions, transform=args.transform, clusters=clusters)
    reader = ReadingUnits(cleaning, args.unit, args.rare)
    treebank = read_trees(args.treebanks, args.style, args.on_error)
    text: Corpus | BracketTreebank = treebank
    if path:
        text = read_tagged(path, args.on_error) if of_conllu else read_trees([path], args.style, args.on_error)
    total = len(text) if isinstance(text, Sized) else text.n_sentences
    with progress_of("reading", "sentences", total) as progress:
        result = measure(treebank, text, reader, column=args.pos, workers=args.threads, progress=progress)
    _tell(result, args.unit)
    if args.figure:
        sentence = result.sentence(args.sentence)
        prefixes = sentence.prefixes
        bits = {"surprisal": prefixes.surprisal, "entropy reduction": prefixes.entropy_reduction}
        results = sentence.name, sentence.labels(), bits, result.signature
        write_figure(args.figure, surprisal_figure, *results, tell=True)
    write_file(_text(result, args.format_name, args.summary), args.output)


def _tell(result: Surprisal, unit: str) -> None:
    """Say which tags or words are unknown, and how many sentences have no tree."""
    if result.unknown:
        names = list(dict.fromkeys(unknown for _, unknown in result.unknown))
        place = result.unknown[0][0]
        message(f"{len(names)} {unit}s are not the treebank's, the first in {place}: {first_names(names)}")
    if result.n_impossible:
        message(f"{result.n_impossible} of {len(result.sentences)} sentences have no tree under the grammar")


def _text(result: Surprisal, format_name: str, summary: bool) -> str | bytes:
    """The result in a format."""
    from treegauge.corpus.writing import with_misc

    if format_name != CONLLU:
        return tables_content([result.summary() if summary else result.table()], format_name)
    assert result.corpus is not None
    values: dict[str, list[str | None]] = {"Surprisal": [], "EntropyReduction": []}
    for sentence in result.sentences:
        for _, _, _, _, bits, reduction, *_ in sentence.rows()[:-1]:
            values["Surprisal"].append(_number(bits))
            values["EntropyReduction"].append(_number(reduction))
    return with_misc(result.corpus, values)


def _number(value: float) -> str | None:
    return f"{value:.4f}" if value == value else None
