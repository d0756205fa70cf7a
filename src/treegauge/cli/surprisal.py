"""`treegauge surprisal`: how surprising each tag or word is."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.ecc import first_names, read_tagged, read_trees
from treegauge.cli.groups import FORMATS, OUTPUT, write_file
from treegauge.cli.options import choice, message, number, on_error, progress_of, refuse_unused, style

if TYPE_CHECKING:
    from treegauge.constituency.brackets import BracketTreebank
    from treegauge.constituency.surprisal import Surprisal
    from treegauge.corpus.corpus import Corpus

CONLLU = "conllu"


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option(
    "--text", metavar="FILE", help="Read this text: tagged CoNLL-U, or bracketed trees.  [default: TREEBANK itself]"
)
@choice(("xpos", "upos"), "--pos", help="Take the tags of a CoNLL-U text from this column.")
@choice(("tag", "word"), "--unit", help="Read tags, or words: the tags of words are then summed over.")
@number(1, 1, "--rare", help="words: read words that TREEBANK has fewer than N times, and unknown ones, as one.")
@style
@click.option(
    "-f", "--format", "format_name", type=click.Choice((*FORMATS, CONLLU)), default="text", help="Write in this format."
)
@OUTPUT
@click.option("--summary", is_flag=True, help="Write the means over the text only.")
@choice(("none", "parent"), "--transform", help="Add the label of its parent to each label, or nothing.")
@click.option("--merge-labels", metavar="FILE", help="Merge labels as FILE says, or ptb-pos, ptb-nt, ptb-all.")
@click.option("--keep-functions", is_flag=True, help="Keep function labels (NP-SBJ); without it, NP.")
@click.option("--figure", metavar="FILE", help="Draw one sentence (.svg, .png, .pdf).")
@click.option("--sentence", metavar="NAME", help="figure: draw the sentence of this name.  [default: the first]")
@on_error
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Use N threads.  [default: all cores]")
def surprisal(
    treebanks: tuple[str, ...], style: str, format_name: str, output: str, on_error: str, **options: Any
) -> None:
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
    from treegauge.reports.figures import ending_of, picture, surprisal_figure

    path, figure = options["text"], options["figure"]
    of_conllu = path is not None and is_conllu(path)
    refuse_unused(
        pos=(of_conllu and options["unit"] == "tag", "tags of a CoNLL-U text"),
        rare=(options["unit"] == "word", "--unit word"),
        sentence=(figure is not None, "--figure"),
    )
    if format_name == CONLLU and (not of_conllu or options["summary"]):
        raise click.UsageError("--format conllu; expected it with --text of that format, and without --summary")
    if figure:
        ending_of(figure)
    own = {name: options[name] for name in ("keep_functions", "transform")}
    cleaning = Cleaning(style, clusters=read_clusters(options["merge_labels"]), **own)
    reader = ReadingUnits(cleaning, options["unit"], options["rare"])
    treebank = read_trees(treebanks, style, on_error)
    text: Corpus | BracketTreebank = treebank
    if path:
        text = read_tagged(path, on_error) if of_conllu else read_trees([path], style, on_error)
    total = len(text) if isinstance(text, Sized) else text.n_sentences
    with progress_of("reading", "sentences", total) as progress:
        more = {"column": options["pos"], "workers": options["threads"], "progress": progress}
        result = measure(treebank, text, reader, **more)
    _tell(result, options["unit"])
    if figure:
        sentence = result.sentence(options["sentence"])
        prefixes = sentence.prefixes
        bits = {"surprisal": prefixes.surprisal, "entropy reduction": prefixes.entropy_reduction}
        drawing = surprisal_figure(sentence.name, sentence.labels(), bits, result.signature)
        write_file(picture(drawing, ending_of(figure)), figure)
        message(f"wrote {figure}")
    write_file(_text(result, format_name, options["summary"]), output)


def _tell(result: Surprisal, unit: str) -> None:
    """Say which tags or words are unknown, and how many sentences have no tree."""
    if result.unknown:
        names = list(dict.fromkeys(unknown for _, unknown in result.unknown))
        place = result.unknown[0][0]
        message(f"{len(names)} {unit}s are not the treebank's, the first in {place}: {first_names(names)}")
    if result.n_impossible:
        message(f"{result.n_impossible} of {len(result.sentences)} sentences have no tree under the grammar")


def _text(result: Surprisal, format_name: str, summary: bool) -> str | bytes:
    from treegauge.corpus.writing import with_misc
    from treegauge.reports.table_text import write_tables

    if format_name != CONLLU:
        return write_tables([result.summary() if summary else result.table()], format_name)
    assert result.corpus is not None
    values: dict[str, list[str | None]] = {"Surprisal": [], "EntropyReduction": []}
    for sentence in result.sentences:
        for _, _, _, _, bits, reduction, *_ in sentence.rows()[:-1]:
            values["Surprisal"].append(_number(bits))
            values["EntropyReduction"].append(_number(reduction))
    return with_misc(result.corpus, values)


def _number(value: float) -> str | None:
    return f"{value:.4f}" if value == value else None
