"""`treegauge surprisal`: words as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import FORMATS, OUTPUT, write_file
from treegauge.cli.options import choice, message, number, on_error, progress_of, refuse_unused, style, tell_skipped

if TYPE_CHECKING:
    from treegauge.grammar.surprisal import Surprisal

CONLLU = "conllu"
_SHOWN = 8  # unknown tags or words that are named


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
    "-f", "--format", "form", type=click.Choice((*FORMATS, CONLLU)), default="text", help="Write in this format."
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
def surprisal(treebanks: tuple[str, ...], style: str, form: str, output: str, on_error: str, **options: Any) -> None:
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
    from treegauge.grammar.brackets import read_brackets
    from treegauge.grammar.surprisal import is_conllu
    from treegauge.grammar.surprisal import surprisal as measured
    from treegauge.reports.figures import ending_of, picture

    text, figure = options["text"], options["figure"]
    of_conllu = text is not None and is_conllu(text)
    refuse_unused(
        pos=(of_conllu and options["unit"] == "tag", "tags of a CoNLL-U text"),
        rare=(options["unit"] == "word", "--unit word"),
        sentence=(figure is not None, "--figure"),
    )
    if form == CONLLU and (not of_conllu or options["summary"]):
        raise click.UsageError("--format conllu; expected it with --text of that format, and without --summary")
    if figure:
        ending_of(figure)
    reader = _reader(style, options)
    treebank = read_brackets(treebanks, style=style, on_error=on_error)
    tell_skipped(treebank.defects, "malformed tree")
    other = _read(text, style, on_error) if text else None
    total = len(treebank) if other is None else other.n_sentences if of_conllu else len(other)
    with progress_of("reading", "sentences", total) as progress:
        more = {"column": options["pos"], "workers": options["threads"], "progress": progress}
        found = measured(treebank, other, reader, **more)
    _tell(found, options["unit"])
    if figure:
        from treegauge.reports.surprisal_figure import surprisal_figure

        drawn = surprisal_figure(found.sentence(options["sentence"]), found.signature)
        write_file(picture(drawn, ending_of(figure)), figure)
        message(f"wrote {figure}")
    write_file(_written(found, form, options["summary"]), output)


def _reader(style: str, options: dict[str, Any]) -> Any:
    from treegauge.grammar.cleaning import Cleaning, Clusters, read_clusters
    from treegauge.grammar.surprisal import ReadingUnits

    clusters = read_clusters(options["merge_labels"]) if options["merge_labels"] else Clusters()
    own = {name: options[name] for name in ("keep_functions", "transform")}
    return ReadingUnits(Cleaning(style, clusters=clusters, **own), options["unit"], options["rare"])


def _read(path: str, style: str, on_error: str) -> Any:
    """The text: a corpus, or bracketed trees."""
    from treegauge.corpus.conllu import no_sentences, read_conllu
    from treegauge.grammar.brackets import read_brackets
    from treegauge.grammar.surprisal import is_conllu

    if not is_conllu(path):
        trees = read_brackets([path], style=style, on_error=on_error)
        tell_skipped(trees.defects, "malformed tree")
        return trees
    corpus = read_conllu(path, trees=False, on_error=on_error)
    tell_skipped(corpus.defects)
    if not corpus.n_words:
        raise no_sentences([path], len(corpus.defects))
    return corpus


def _tell(found: Surprisal, unit: str) -> None:
    if found.unknown:
        names = dict.fromkeys(unknown for _, unknown in found.unknown)
        shown = " ".join(list(names)[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
        place = found.unknown[0][0]
        message(f"{len(names)} {unit}s are not the treebank's, the first in {place}: {shown}")
    if found.n_impossible:
        message(f"{found.n_impossible} of {len(found.sentences)} sentences have no tree under the grammar")


def _written(found: Surprisal, form: str, summary: bool) -> str | bytes:
    from treegauge.corpus.lines import with_misc
    from treegauge.reports.table_text import write_tables

    if form != CONLLU:
        return write_tables([found.summary() if summary else found.table()], form)
    assert found.corpus is not None
    values: dict[str, list[str | None]] = {"Surprisal": [], "EntropyReduction": []}
    for sentence in found.sentences:
        for _, _, _, _, bits, reduction, *_ in sentence.rows()[:-1]:
            values["Surprisal"].append(_number(bits))
            values["EntropyReduction"].append(_number(reduction))
    return with_misc(found.corpus, values)


def _number(value: float) -> str | None:
    return f"{value:.4f}" if value == value else None
