"""`treegauge chaos`: parses text into chunks, clauses and links, stratum by stratum, and scores partial parses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, command, flag, group, number, option, repeated
from treegauge.cli.groups import ON_ERROR, OUTPUT, OutputGroup, find_model, format_option, model_option, write_file
from treegauge.cli.messages import ReadingProgress, SkipLog, message, read_corpus, refuse_unused
from treegauge.constituency import chaos as chaos_room
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.constituency.chaos.comparison import ChunkLink
    from treegauge.constituency.chaos.parse import ChunkParse
    from treegauge.constituency.chaos.parser import Chaos
    from treegauge.corpus.corpus import Corpus
    from treegauge.parsing.parser import Parser
    from treegauge.reports.chunk_svg import ChunkDrawing

RAW_BYTES = 100_000  # how much raw text is tagged at a time
RULES = sorted(name.removesuffix(".toml") for name in os.listdir(os.path.join(chaos_room.__path__[0], "rules")))


@click.group()
def chaos() -> None:
    """Parse tagged text into chunks, clauses and links, and score partial parses layer by layer.

    CHAOS, a stratified and lexicalised parser for Italian (1998): chunks, then clauses and verb arguments, then
    unambiguous links, then ambiguous ones with their plausibility.
    """


class ParserGroup(Arguments):
    """The rules and the lexicon of the parser."""

    rules: str = option(f"Use the rules in this file, or the bundled {', '.join(RULES)}.", default="it", metavar="NAME")
    lexicon: str | None = option(
        "Use the verb frames in this file, or a bundled name.  [default: the rules']", metavar="NAME"
    )
    governors: int | None = number(
        0, None, "Give an ambiguous chunk at most N governors, 0: all that can be reached.  [default: the rules']"
    )
    planar: bool = flag("Take back ambiguous links that cross others, too.")

    def make(self) -> Chaos:
        """The parser."""
        from treegauge.constituency.chaos.parser import Chaos
        from treegauge.constituency.chaos.rules import find_rules

        return Chaos(find_rules(self.rules).changed(self.governors, self.planar), self.lexicon)


def tell_missing(parser: Chaos) -> None:
    """Say which features the input never has, and what the parser looked at instead."""
    if missing := parser.missing():
        message(f"features that the input never has: {missing}")


class ChaosParseArguments(Arguments):
    """The arguments of `treegauge chaos parse`."""

    files: tuple[str, ...] = argument(nargs=-1, required=True, metavar="FILE...")
    format_name: str = format_option(
        ("text", "prolog", "json", "conllu", "svg", "html"),
        "Write drawings, the notation of 1998, one JSON object a line, CoNLL-U, pictures in one file, or a page of "
        "pictures with filters.",
    )
    gold: bool = flag("svg, html: compare with the trees of FILE: links that are right, wrong or missed.")
    width: int = number(20, 100, "Draw text in so many columns.")
    raw: bool = flag("Read raw text, a paragraph on each line, and tag it first.")
    parser: str | None = option(
        "-p",
        "--parser",
        "Tag raw text with udpipe:FILE, spacy:PIPELINE or stanza:LANG.  [default: Italian with what comes along]",
    )
    options: ParserGroup = group(ParserGroup, rare=True)
    output: str = OUTPUT
    on_error: str = ON_ERROR


@command(ChaosParseArguments, of=chaos)
def parse(args: ChaosParseArguments) -> None:
    """Parse tagged CoNLL-U: forms, lemmas, UPOS and features; trees in it are ignored. Or parse raw text.

    conllu: the best link of each word in HEAD and DEPREL, `_` where there is none, and Chunk, Clause and Plaus in MISC.

    \b
    Examples:
      treegauge chaos parse tagged.conllu
      treegauge chaos parse tagged.conllu --format svg -o chunks.svg
      treegauge chaos parse gold.conllu --gold --format html -o chunks.html
      treegauge chaos parse --raw text.txt
      treegauge chaos parse --raw text.txt --parser udpipe:italian.udpipe
    """
    refuse_unused(
        width=(args.format_name == "text", "--format text"),
        parser=(args.raw, "--raw"),
        gold=(args.format_name in ("svg", "html") and not args.raw, "--format svg and html, without --raw"),
    )
    from treegauge.constituency.chaos.notation import surface_forms, to_conllu
    from treegauge.constituency.chaos.parser import tagged_pieces
    from treegauge.corpus.files import write_whole

    parser = args.options.make()
    rules = args.options.rules
    if args.raw and args.parser is None and rules in RULES and not rules.startswith("it"):
        expected = "expected udpipe:FILE, spacy:PIPELINE or stanza:LANG"
        raise click.UsageError(f"--raw --rules {rules} without --parser, and Italian alone comes along; {expected}")
    album = _Album(args.format_name, args.gold)
    with write_whole(args.output) as stream, ReadingProgress("parsing", args.files) as reading:
        pieces = (
            tagged_text(args.files, args.parser)
            if args.raw
            else tagged_pieces(args.files, args.on_error, trees=args.gold)
        )
        for corpus in map(reading, pieces):
            parses = list(parser.parse_corpus(corpus))
            if args.format_name == "conllu":
                stream.write(to_conllu(corpus, parses, parser.rules))
                continue
            for s, (sentence, forms) in enumerate(zip(parses, surface_forms(corpus, parses), strict=True)):
                name = corpus.sent_id(s) or str(corpus.number[s])
                if args.format_name in ("svg", "html"):
                    album.add(corpus, s, sentence, forms, name)
                else:
                    stream.write(_text(sentence, forms, name, args.format_name, args.width).encode() + b"\n")
        reading.check(args.files)
        tell_missing(parser)
        if args.format_name in ("svg", "html"):
            stream.write(album.content(" ".join(args.files)).encode())


class _Album:
    """Pictures of parses, as one SVG file or one page."""

    def __init__(self, format_name: str, beside_gold: bool) -> None:
        self.format_name, self.beside_gold = format_name, beside_gold
        self.drawings: list[ChunkDrawing] = []
        self.links: list[ChunkLink] = []

    def add(self, corpus: Corpus, s: int, parse: ChunkParse, forms: Sequence[str], name: str) -> None:
        """Draw sentence s of a corpus."""
        from treegauge.constituency.chaos.comparison import chunk_links
        from treegauge.palette import LIGHT, VARIABLES
        from treegauge.reports.chunk_svg import draw_svg

        heads, relations = [], []
        if self.beside_gold:
            rows = range(int(corpus.start[s]), int(corpus.start[s + 1]))
            heads, relations = corpus.head[rows.start : rows.stop].tolist(), [corpus.value("deprel", w) for w in rows]
        links = chunk_links(parse, heads, relations)
        self.links += links
        drawing = draw_svg(parse, forms, links, *((name, LIGHT) if self.format_name == "svg" else ("", VARIABLES)))
        self.drawings.append(replace(drawing, name=name))

    def content(self, title: str) -> str:
        """The file, or the page."""
        from treegauge.reports.chunk_svg import html_page, svg_page

        if self.format_name == "svg":
            return svg_page(self.drawings, self.beside_gold)
        return html_page(title, self.drawings, self.links, self.beside_gold)


def _tagger(model: str | None) -> Parser:
    """The parser of a name or file, or the tagger of Italian that comes along."""
    from treegauge.parsing.parser import ParserSpec
    from treegauge.parsing.plain_tagger import PlainTagger

    if model is None:
        return PlainTagger()
    return ParserSpec.of(model).load()


def tagged_text(files: Sequence[str], model: str | None) -> Iterator[Corpus]:
    """Raw text in pieces, tagged; passages that the tagger fails at are left out and listed."""
    from treegauge.corpus.conllu import parse_conllu
    from treegauge.corpus.files import expand_paths
    from treegauge.parsing.parser import PARAGRAPH
    from treegauge.parsing.shard import parse_passages, read_shards

    loaded = _tagger(model)
    message(*(f"{loaded.name}: {note}" for note in loaded.notes))
    skipped = SkipLog("passage")
    for shard in read_shards(expand_paths(files, ".txt"), PARAGRAPH, RAW_BYTES):
        trees = parse_passages(loaded, PARAGRAPH, shard, trees=False)
        for failure in trees.failures:
            skipped(failure)
        if trees.words:
            yield parse_conllu(trees.conllu, trees=False)
    skipped.summary()


def _text(sentence: ChunkParse, forms: Sequence[str], name: str, format_name: str, width: int) -> str:
    from treegauge.constituency.chaos.notation import to_prolog, to_record
    from treegauge.json_fields import json_text
    from treegauge.reports.chunk_drawing import draw_text

    if format_name == "prolog":
        return to_prolog(sentence, forms, name)
    if format_name == "json":
        return json_text(to_record(sentence, forms, name))
    return draw_text(sentence, forms, name, width)


class ChaosEvalArguments(Arguments):
    """The arguments of `treegauge chaos eval`."""

    files: tuple[str, ...] = argument(nargs=-1, required=True, metavar="GOLD...")
    system: tuple[str, ...] = repeated(
        "Score these parses of GOLD instead of our own, side by side; arcs may be missing (HEAD _).", metavar="FILE..."
    )
    tags_from: tuple[str, ...] = repeated(
        "Parse the words and tags of FILE, a tagged version of GOLD's text, instead of GOLD's. May be repeated.",
        metavar="FILE",
    )
    best: bool = flag("Keep only the best link of each chunk, not every alternative.")
    by: tuple[str, ...] = repeated(
        "Show scores by link or relation, too, or those of the clauses. May be repeated.",
        type=click.Choice(["links", "relations", "clauses"]),
    )
    out: OutputGroup = group(OutputGroup)
    options: ParserGroup = group(ParserGroup, rare=True)
    on_error: str = ON_ERROR


@command(ChaosEvalArguments, "eval", of=chaos)
def evaluate(args: ChaosEvalArguments) -> None:
    """Parse the tags of GOLD, UD trees, and score against its trees: recall and precision of the four strata.

    Chunk: inside chunks. Verbal: with main verbs and verb arguments. Certain: with all unambiguous links. Final: with
    the ambiguous ones. Unlabelled, without punctuation.

    With --system, files behind the first are further systems, and each stratum is scored by itself: arcs inside
    chunks, of verbs and their arguments, those that we are sure of, and the rest.

    \b
    Examples:
      treegauge chaos eval gold.conllu --by relations
      treegauge chaos eval gold.conllu --tags-from system.conllu
      treegauge chaos eval gold.conllu --system system.conllu other.conllu
    """
    own = (not args.system, "our own parse, not --system")
    refuse_unused(best=own, governors=own, planar=own, tags_from=own)
    from treegauge.corpus.files import expand_paths

    parser = args.options.make()
    if args.system:
        if other := set(args.by) - {"relations"}:
            raise click.UsageError(f"--by {other.pop()} with --system; expected relations")
        gold, *more_systems = expand_paths(args.files)
        others = [read_corpus(path, args.on_error, trees=False) for path in [*args.system, *more_systems]]
        comparison = parser.evaluate_systems(read_corpus(gold, args.on_error), others)
        tables = [comparison.table(), *([comparison.relations()] if args.by else [])]
    else:
        gold_corpora = [read_corpus(path, args.on_error) for path in expand_paths(args.files)]
        tagged = [read_corpus(path, args.on_error, trees=False) for path in args.tags_from]
        scores = parser.evaluate(gold_corpora, args.best, tagged)
        more = [("links", scores.links), ("relations", scores.relations), ("clauses", scores.clauses)]
        tables = [scores.table(), *(table() for name, table in more if name in args.by)]
    tell_missing(parser)
    args.out.write(tables)


@chaos.group()
def rules() -> None:
    """Write rules for a language."""


class RulesArguments(Arguments):
    """The arguments of `treegauge chaos rules check`."""

    files: tuple[str, ...] = argument(nargs=-1, required=True, metavar="FILE...")


@command(RulesArguments, of=rules)
def check(args: RulesArguments) -> None:
    """Check rule FILEs: sections, keys, types, classes and patterns. The first error is named with its line.

    \b
    Example:
      treegauge chaos rules check it
    """
    from treegauge.constituency.chaos.lexicon import find_lexicon
    from treegauge.constituency.chaos.rules import find_rules

    for name in args.files:
        found = find_rules(name)
        if found.lexicon:
            find_lexicon(found.lexicon)
        searches = sum(map(len, found.searches.values()))
        sizes = f"{len(found.classes)} classes of words, {len(set(found.types))} types of chunks, {searches} searches"
        click.echo(f"{name}: no error ({sizes})")


@chaos.group()
def lexicon() -> None:
    """Learn verb frames from a treebank, and join them.

    A lexicon is a text file, a line for each verb, such as `permettere 11: Sogg 10, di+inf 9, a 3`: how often the verb
    was met, and how often with each slot.
    """


class LexiconArguments(Arguments):
    """The arguments of `treegauge chaos lexicon build`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREEBANK...")
    add: tuple[str, ...] = repeated(
        "Add the counts of this lexicon, a file or bundled name.", metavar="LEXICON", rare=True
    )
    least: int = number(1, 1, "Leave out verbs that were met fewer times.", rare=True)
    trusted: float | None = option(
        "Learn from parsed text: from this share of the arcs, those with the best scores by --model.",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
    )
    model_name: str | None = model_option()
    output: str = OUTPUT
    on_error: str = ON_ERROR


@command(LexiconArguments, of=lexicon)
def build(args: LexiconArguments) -> None:
    """Learn verb frames from UD trees; several treebanks are added up.

    With --trusted the trees may come from a parser: an occurrence of a verb counts only if all arcs of its arguments
    are trusted.

    \b
    Examples:
      treegauge chaos lexicon build treebank.conllu -o verbs.lex
      treegauge chaos lexicon build parsed.conllu --trusted 0.8 --model it -o verbs.lex
    """
    refuse_unused(model_name=(args.trusted is not None, "--trusted"))
    from treegauge.constituency.chaos.lexicon import (
        Lexicon,
        find_lexicon,
        learn_lexicon,
        merge_lexica,
        trusted_rows,
        write_lexicon,
    )
    from treegauge.corpus.files import expand_paths
    from treegauge.scorers.registry import scorer as make_scorer

    scorer = None if args.trusted is None else make_scorer(model=find_model(args.model_name, args.treebanks))

    def learn(path: str) -> Lexicon:
        corpus = read_corpus(path, args.on_error)
        rows = None if scorer is None else trusted_rows(scorer.scores(corpus), args.trusted or 1.0)
        return learn_lexicon(corpus, trusted=rows)

    merged = merge_lexica([*map(learn, expand_paths(args.treebanks)), *map(find_lexicon, args.add)])
    frames = {verb: frame for verb, frame in merged.frames.items() if frame.count >= args.least}
    comment = f"verb frames of {', '.join([*args.treebanks, *args.add])}"
    write_file(write_lexicon(Lexicon(frames), comment), args.output)
    message(counted(len(frames), "verb"))
