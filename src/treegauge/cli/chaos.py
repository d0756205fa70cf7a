"""`treegauge chaos`: chunks, clauses and links, by a stratified partial parser, and scoring partial parses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import OUTPUT, OutputGroup, gathered, model_option, table_output, write_file
from treegauge.cli.options import Reading, Skipped, choice, message, number, on_error, read_told, refuse_unused
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.constituency.chaos.parse import ChunkParse
    from treegauge.constituency.chaos.parser import Chaos
    from treegauge.corpus.corpus import Corpus
    from treegauge.reports.chunk_drawing import ChunkDrawing

RAW_BYTES = 100_000  # how much raw text is tagged at a time
_RULE_FILES = package_files("treegauge.constituency.chaos").joinpath("rules")
RULES = sorted(file.name.removesuffix(".toml") for file in _RULE_FILES.iterdir())


@click.group()
def chaos() -> None:
    """Parse tagged text into chunks, clauses and links, and score partial parses layer by layer.

    CHAOS, a stratified and lexicalised parser for Italian (1998): chunks, then clauses and verb arguments, then
    unambiguous links, then ambiguous ones with their plausibility.
    """


@dataclass(frozen=True, slots=True)
class ParserGroup:
    """Which rules and which lexicon."""

    rules: str
    lexicon: str | None
    governors: int | None
    planar: bool

    def make(self) -> Chaos:
        """The parser."""
        from treegauge.constituency.chaos.parser import Chaos
        from treegauge.constituency.chaos.rules import find_rules

        return Chaos(find_rules(self.rules).changed(self.governors, self.planar), self.lexicon)


parser_options = gathered(
    "options",
    ParserGroup,
    click.option(
        "--rules",
        default="it",
        metavar="NAME",
        help=f"Use the rules in this file, or the bundled {', '.join(RULES)}.",
    ),
    click.option(
        "--lexicon", metavar="NAME", help="Use the verb frames in this file, or a bundled name.  [default: the rules']"
    ),
    click.option(
        "--governors",
        type=click.IntRange(0),
        metavar="N",
        help="Give an ambiguous chunk at most N governors, 0: all that can be reached.  [default: the rules']",
    ),
    click.option("--planar", is_flag=True, help="Take back ambiguous links that cross others, too."),
)


def tell_missing(parser: Chaos) -> None:
    """Say which features the input never has, and what was looked at instead."""
    if missing := parser.missing():
        message(f"features that the input never has: {missing}")


@chaos.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@choice(
    ("text", "prolog", "json", "conllu", "svg"),
    *("-f", "--format", "format_name"),
    help="Write drawings, the notation of 1998, one JSON object a line, CoNLL-U, or pictures on one page.",
)
@number(20, 100, "--width", help="Draw text in so many columns.")
@click.option("--raw", is_flag=True, help="Read raw text, a paragraph on each line, which --model tags first.")
@click.option(
    "-m", "--model", metavar="FILE", help="Tag raw text with this UDPipe model, spacy:PIPELINE or stanza:LANG."
)
@parser_options
@OUTPUT
@on_error
def parse(
    files: tuple[str, ...],
    format_name: str,
    width: int,
    raw: bool,
    model: str | None,
    options: ParserGroup,
    output: str,
    on_error: str,
) -> None:
    """Parse tagged CoNLL-U: forms, lemmas, UPOS and features; trees in it are ignored. Or parse raw text.

    conllu: the best link of each word in HEAD and DEPREL, `_` where there is none, and Chunk, Clause and Plaus in MISC.

    \b
    Examples:
      treegauge chaos parse tagged.conllu
      treegauge chaos parse tagged.conllu --format svg -o chunks.svg
      treegauge chaos parse --raw text.txt --model italian.udpipe
    """
    refuse_unused(width=(format_name == "text", "--format text"), model=(raw, "--raw"))
    if raw and model is None:
        raise click.UsageError("--raw without --model; expected a UDPipe model, spacy:PIPELINE or stanza:LANG")
    from treegauge.constituency.chaos.notation import to_conllu
    from treegauge.constituency.chaos.parser import tagged_pieces
    from treegauge.corpus.files import write_whole
    from treegauge.reports.chunk_drawing import draw_svg, svg_page

    parser = options.make()
    drawings: list[ChunkDrawing] = []
    with write_whole(output) as stream, Reading("parsing", files) as reading:
        pieces = tagged_pieces(files, on_error) if model is None else tagged_text(files, model)
        for corpus in map(reading, pieces):
            parses = list(parser.parse_corpus(corpus))
            if format_name == "conllu":
                stream.write(to_conllu(corpus, parses, parser.rules))
                continue
            for s, sentence in enumerate(parses):
                name, forms = corpus.sent_id(s) or str(corpus.number[s]), corpus.forms(s)
                if format_name == "svg":
                    drawings.append(draw_svg(sentence, forms, name))
                else:
                    stream.write(_text(sentence, forms, name, format_name, width).encode() + b"\n")
        reading.summary()
        reading.check(files)
        tell_missing(parser)
        if format_name == "svg":
            stream.write(svg_page(drawings).encode())


def tagged_text(files: Sequence[str], model: str) -> Iterator[Corpus]:
    """Raw text in pieces, tagged by a model; passages that it fails at are left out and listed."""
    from treegauge.corpus.conllu import parse_conllu
    from treegauge.corpus.files import expand_paths
    from treegauge.parsing.parser import PARAGRAPH, PARSERS, ParserSpec
    from treegauge.parsing.shard import parse_passages, read_shards

    named = model.partition(":")[0] in PARSERS and ":" in model
    loaded = (ParserSpec.of(model) if named else ParserSpec.of("udpipe", model)).load()
    for note in loaded.notes:
        message(f"{loaded.name}: {note}")
    skipped = Skipped("passage")
    for shard in read_shards(expand_paths(files, ".txt"), PARAGRAPH, RAW_BYTES):
        trees = parse_passages(loaded, PARAGRAPH, shard)
        for failure in trees.failures:
            skipped(failure)
        if trees.words:
            yield parse_conllu(trees.conllu, trees=False)
    skipped.summary()


def _text(sentence: ChunkParse, forms: Sequence[str], name: str, format_name: str, width: int) -> str:
    import json

    from treegauge.constituency.chaos.notation import to_prolog, to_record
    from treegauge.reports.chunk_drawing import draw_text

    if format_name == "prolog":
        return to_prolog(sentence, forms, name)
    if format_name == "json":
        return json.dumps(to_record(sentence, forms, name), ensure_ascii=False)
    return draw_text(sentence, forms, name, width)


@chaos.command("eval")
@click.argument("files", nargs=-1, required=True, metavar="GOLD...")
@click.option(
    "--system",
    multiple=True,
    metavar="FILE...",
    help="Score these parses of GOLD instead of our own, side by side; arcs may be missing (HEAD _).",
)
@click.option("--best", is_flag=True, help="Keep only the best link of each chunk, not every alternative.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["links", "relations", "clauses"]),
    help="Show scores by link or relation, too, or those of the clauses. May be repeated.",
)
@table_output
@parser_options
@on_error
def evaluate(
    files: tuple[str, ...],
    system: tuple[str, ...],
    best: bool,
    by: tuple[str, ...],
    options: ParserGroup,
    out: OutputGroup,
    on_error: str,
) -> None:
    """Parse the tags of GOLD, UD trees, and score against its trees: recall and precision of the four strata.

    Chunk: inside chunks. Verbal: with main verbs and verb arguments. Certain: with all unambiguous links. Final: with
    the ambiguous ones. Unlabelled, without punctuation.

    With --system, files behind the first are further systems, and each stratum is scored by itself: arcs inside
    chunks, of verbs and their arguments, those that we are sure of, and the rest.

    \b
    Examples:
      treegauge chaos eval gold.conllu --by relations
      treegauge chaos eval gold.conllu --system system.conllu other.conllu
    """
    own = (not system, "our own parse, not --system")
    refuse_unused(best=own, governors=own, planar=own)
    from treegauge.corpus.files import expand_paths

    parser = options.make()
    if system:
        if other := set(by) - {"relations"}:
            raise click.UsageError(f"--by {other.pop()} with --system; expected relations")
        gold, *more_systems = expand_paths(files)
        others = [read_told(path, on_error, trees=False) for path in [*system, *more_systems]]
        comparison = parser.evaluate_systems(read_told(gold, on_error), others)
        tables = [comparison.table(), *([comparison.relations()] if by else [])]
    else:
        scores = parser.evaluate([read_told(path, on_error) for path in expand_paths(files)], best)
        more = [("links", scores.links), ("relations", scores.relations), ("clauses", scores.clauses)]
        tables = [scores.table(), *(table() for name, table in more if name in by)]
    tell_missing(parser)
    out.write(tables)


@chaos.group()
def lexicon() -> None:
    """Learn verb frames from a treebank, and join them.

    A lexicon is a text file, a line for each verb, such as `permettere 11: Sogg 10, di+inf 9, a 3`: how often the verb
    was met, and how often with each slot.
    """


@lexicon.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option("--add", multiple=True, metavar="LEXICON", help="Add the counts of this lexicon, a file or bundled name.")
@number(1, 1, "--least", help="Leave out verbs that were met fewer times.")
@click.option(
    "--trusted",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Learn from parsed text: from this share of the arcs, those with the best scores by --model.",
)
@model_option(required=False)
@OUTPUT
@on_error
def build(
    treebanks: tuple[str, ...],
    add: tuple[str, ...],
    least: int,
    trusted: float | None,
    model_name: str | None,
    output: str,
    on_error: str,
) -> None:
    """Learn verb frames from UD trees; several treebanks are added up.

    With --trusted the trees may come from a parser: an occurrence of a verb counts only if all arcs of its arguments
    are trusted.

    \b
    Examples:
      treegauge chaos lexicon build treebank.conllu -o verbs.lex
      treegauge chaos lexicon build parsed.conllu --trusted 0.8 --model it -o verbs.lex
    """
    refuse_unused(model_name=(trusted is not None, "--trusted"))
    if trusted is not None and model_name is None:
        raise click.UsageError("--trusted without --model; expected the model that scores the arcs")
    from treegauge.constituency.chaos.lexicon import (
        Lexicon,
        find_lexicon,
        learn_lexicon,
        merge_lexica,
        trusted_rows,
        write_lexicon,
    )
    from treegauge.corpus.files import expand_paths

    scorer = None
    if trusted is not None:
        from treegauge.scorers.registry import scorer as make_scorer

        scorer = make_scorer(model=model_name)

    def learn(path: str) -> Lexicon:
        corpus = read_told(path, on_error)
        rows = None if scorer is None else trusted_rows(scorer.scores(corpus), trusted or 1.0)
        return learn_lexicon(corpus, trusted=rows)

    merged = merge_lexica([*map(learn, expand_paths(treebanks)), *map(find_lexicon, add)])
    frames = {verb: frame for verb, frame in merged.frames.items() if frame.count >= least}
    comment = f"verb frames of {', '.join([*treebanks, *add])}"
    write_file(write_lexicon(Lexicon(frames), comment), output)
    message(counted(len(frames), "verb"))
