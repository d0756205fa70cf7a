"""`treegauge model`: builds, merges and shows reference models."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option
from treegauge.cli.groups import CLUSTER, ON_ERROR, OutputGroup
from treegauge.cli.messages import interruptible, message, progress_of, refuse_unused, stages, tell_skipped
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.version import __version__
from treegauge.wording import corpus_size, counted

if TYPE_CHECKING:
    from treegauge.models.choice.weights import ChoiceWeights
    from treegauge.models.lisca.reference import Reference
    from treegauge.models.model import Model


@click.group()
def model() -> None:
    """Build, merge and look at reference models."""


class ModelBuildArguments(Arguments):
    """The arguments of `treegauge model build`."""

    reference: tuple[str, ...] = argument(nargs=-1, required=True)
    output: str = file("-o", "--output", "Write the model to FILE (.tgm).", required=True)
    gold: tuple[str, ...] = file("Learn from this gold treebank, too. May be repeated.", multiple=True)
    pipeline: str | None = option(
        "--from-spacy",
        "Read REFERENCE as raw text, and parse it with this pipeline of spaCy first.",
        metavar="PIPELINE",
    )
    preset: str = choice(
        ("2020", "2013"), "Count tags only (Alzetta et al. 2020), or lemmas, too (Dell'Orletta et al. 2013)."
    )
    subtypes: bool = flag("Keep subtypes of relations apart (nsubj:pass).")
    pos: str = choice(("upos", "xpos"), "Count by these tags.")
    forms: bool = flag("Count word forms too, for the scorers ltr and lptr.")
    counts_only: bool = flag("Leave out the weights of the scorer choice: much faster.")
    net: bool = flag("Learn a net, too: a second opinion beside choice. Takes minutes, and torch (extra `net`).")
    encoder: str | None = option(
        "Give the net the word vectors of this encoder of Hugging Face, too (extra `encoder`).", metavar="NAME_OR_PATH"
    )
    seed: int = option("Seed the random numbers of --net.", type=int, default=0)
    threads: int | None = number(1, None, "Use N threads.  [default: as there are cores, at most 8]")
    workers: int | None = number(1, None, "Use N processes instead of threads: for many compressed files.")
    cluster: str | None = CLUSTER
    on_error: str = ON_ERROR


@command(ModelBuildArguments, of=model)
def build(args: ModelBuildArguments) -> None:
    """Build a model of REFERENCE: parsed CoNLL-U files, directories or globs, compressed or not.

    Arcs are counted, for the scorer lisca, and weights are learned, for the scorer choice, which reads REFERENCE once
    more. Standard input, `-`, can be read once only: with --counts-only.

    With --net, a small neural network is learned after that. On one thread this takes two to four minutes for 200,000
    words. `rank` then asks both, unless --fast or --scorer choice is given.

    With --gold, counts are of both; weights are learned from REFERENCE first and from gold last. REFERENCE should be
    of the kind of text and the parser that you want to judge, and large: the papers take 10 to 40 million words.

    \b
    Examples:
      treegauge model build parsed.conllu --gold gold.conllu -o mine.tgm
      treegauge model build treebank.conllu --net -o mine.tgm
      treegauge model build --from-spacy en_core_web_sm texts/ -o mine.tgm
    """
    from treegauge.corpus.files import is_remote, write_whole
    from treegauge.corpus.pool import open_pool
    from treegauge.corpus.treebanks import corpus_files
    from treegauge.models.building import Workers, build_model
    from treegauge.models.lisca.counts import build_reference
    from treegauge.models.lisca.reference import CountSettings
    from treegauge.models.many_files import build_reference_on, learn_choice_on
    from treegauge.models.model import model_bytes
    from treegauge.models.net.training import NetOptions

    _check_net(args)
    if (args.cluster and (args.threads or args.pipeline)) or (args.threads and args.workers):
        raise OptionError("--threads excludes --workers and --cluster, and --from-spacy excludes --cluster")
    count: Callable[..., Reference] = partial(build_reference, threads=args.threads or min(os.cpu_count() or 1, 8))
    learn: Callable[..., ChoiceWeights] | None = None
    with (
        interruptible(lambda: f"{args.output} was not written, and what was there before is unchanged"),
        ExitStack() as stack,
        write_whole(args.output) as stream,  # opened first: a wrong name should be found before an hour of counting
    ):
        parsed = [_parsed(args.reference, args.pipeline, args.workers or 1, stack)] if args.pipeline else args.reference
        paths, gold = corpus_files(parsed), corpus_files(args.gold)
        if args.workers or args.cluster:
            pool = stack.enter_context(open_pool(args.workers or 1, args.cluster))
            count, learn = partial(build_reference_on, pool), partial(learn_choice_on, pool) if args.cluster else None
        if args.cluster:  # workers start in other folders
            paths, gold = ([p if is_remote(p) else os.path.abspath(p) for p in names] for names in (paths, gold))
        settings = CountSettings(args.preset, args.pos, args.subtypes, args.forms)
        net = NetOptions(args.seed) if args.net else False
        build = partial(
            build_model, *paths, gold=gold, choice=not args.counts_only, settings=settings, on_error=args.on_error
        )
        shown = partial(stages, paths=[*paths, *gold])
        built = build(net=net, encoder=args.encoder, stages=shown, workers=Workers(count, learn))
        stream.write(model_bytes(built))
    message(*(f"learned {origin}" for origin in _learned_from(built)))
    message(*([f"net: {_about_net(built)}"] if built.net else []))
    size = f"{corpus_size(built.words, built.sentences)}, {built.reference.events:,} distinct events"
    message(f"{args.output}: {size}, hash {built.hash[:8]}")


def _check_net(args: ModelBuildArguments) -> None:
    """Refuse what is wrong about --net before an hour of counting: torch or the encoder is missing."""
    refuse_unused(encoder=(args.net, "--net"), seed=(args.net, "--net"))
    if args.net:
        needed("torch", "net", "--net")
    if args.encoder:
        from treegauge.models.net.encoder import encoder_of

        encoder_of(args.encoder)  # loaded once, and kept


def _parsed(texts: Sequence[str], pipeline: str, workers: int, stack: ExitStack) -> str:
    """A folder with the trees that a pipeline of spaCy gives raw texts; closing the stack deletes it."""
    from treegauge.corpus.files import expand_paths
    from treegauge.corpus.pool import open_pool
    from treegauge.parsing.many_texts import parse_files
    from treegauge.parsing.parser import ParserSpec

    model = os.path.abspath(pipeline) if os.path.exists(pipeline) else pipeline
    spec = ParserSpec.of(f"spacy:{model}")
    name = spec.load().name
    paths = expand_paths(texts, ".txt")
    folder = stack.enter_context(TemporaryDirectory())
    with open_pool(workers, None) as pool, progress_of("parsing", "bytes", None) as advance:
        summary = parse_files(paths, spec, name, folder, pool, shard_bytes=1_000_000, progress=advance)
    tell_skipped(summary.failures, "passage")
    message(f"parsed {corpus_size(summary.words, summary.sentences)} with {name}")
    return folder


class ModelMergeArguments(Arguments):
    """The arguments of `treegauge model merge`."""

    models: tuple[str, ...] = argument(nargs=-1, required=True)
    output: str = file("-o", "--output", "Write the model to FILE (.tgm).", required=True)


@command(ModelMergeArguments, of=model)
def merge(args: ModelMergeArguments) -> None:
    """Add up MODELS: the result is the model of all their corpora together, in whatever order they are given.

    Counts add up exactly. Weights are averaged. Nets are left out.

    \b
    Example:
      treegauge model merge mine.tgm yours.tgm -o both.tgm
    """
    from treegauge.models.bundled_models import load_model
    from treegauge.models.model import merge_models

    parts = [load_model(name) for name in args.models]
    merged = merge_models(parts)
    merged.save(args.output)
    learned = sum(part.weights is not None for part in parts)
    if learned == len(parts):
        message("choice weights were averaged, by words: near to, but not, what training on all corpora would give")
    elif learned:
        message(f"{len(parts) - learned} of {len(parts)} models have no choice weights: left out")
    if any(part.net is not None for part in parts):
        message("nets cannot be added up: left out; build the model of all corpora with --net")
    if any(part.columns for part in parts):
        message("lemmas, features and other columns were left out: they cannot be averaged; build the model again")
    message(f"{args.output}: {corpus_size(merged.words, merged.sentences)}, hash {merged.hash[:8]}")


class ModelInfoArguments(Arguments):
    """The arguments of `treegauge model info`."""

    name: str = argument(metavar="MODEL")
    out: OutputGroup = group(OutputGroup)


@command(ModelInfoArguments, of=model)
def info(args: ModelInfoArguments) -> None:
    """Say what is in MODEL, a file or the code of a bundled model.

    \b
    Example:
      treegauge model info en
    """
    from treegauge.models.bundled_models import load_model
    from treegauge.tables import Table

    model = load_model(args.name)
    reference, settings = model.reference, model.settings
    tags = f"{' '.join(reference.tags[:40])}{' …' * (len(reference.tags) > 40)}"
    relations = f"{len(reference.relations)}{' with subtypes' * settings.subtypes}: {' '.join(reference.relations)}"
    rows = [
        ("hash", reference.hash),
        ("preset", settings.preset),
        ("tags", f"{len(reference.tags)} of {settings.pos}: {tags}"),
        ("relations", relations),
        *([("lemmas", f"{len(reference.lemmas):,}")] if reference.lemmas else []),
        *([("forms", f"{len(reference.forms):,}")] if reference.forms else []),
        ("sentences", f"{reference.sentences:,}"),
        ("words", f"{reference.words:,}"),
        ("events", f"{reference.events:,} distinct"),
        *([("choice", f"hash {model.weights.hash[:8]}")] if model.weights else []),
        *([("net", _about_net(model))] if model.net else []),
        *(("learned", line) for line in _learned_from(model)),
        *(("column", line) for line in _columns_of(model)),
        *(("source", f"{s.name}: {corpus_size(s.words, s.sentences)}") for s in reference.sources),
    ]
    args.out.write(
        [Table(f"Model {args.name}", (("property", "text"), ("value", "text")), tuple(rows), model.signature)]
    )


def _about_net(model: Model) -> str:
    """A line on the net of a model that has one."""
    assert model.net is not None
    numbers = sum(values.size for values in model.net.whole.values())
    encoder = f", with vectors of {' '.join(filter(None, model.net.encoder))}" if model.net.encoder[0] else ""
    learned = f"{numbers:,} weights, learned from {counted(model.net.words, 'word')}{encoder}"
    first = f"{100 * model.net.first_choice:.1f} % of the arcs held back are its first choice"
    return f"hash {model.net.hash[:8]}, {learned}; {first}"


def _learned_from(model: Model) -> list[str]:
    """A line on the parsed text and gold that a model learned from, and on their schemes; none if there was no gold."""
    weights = model.weights
    if weights is None or not weights.gold_words:
        return []
    from treegauge.models.choice.two_references import of_same_scheme

    parsed, gold = weights.words - weights.gold_words, f"{counted(weights.gold_words, 'word')} of gold"
    if not parsed:
        return [f"from {gold}; it has all sentences of the parsed text"]
    scheme = "the same scheme" if of_same_scheme(weights) else "another scheme"
    share = f"{100 * weights.gold_differing / weights.gold_words:.1f} %"
    text = f"{counted(parsed, 'word')} of parsed text"
    return [f"from {text} and {gold}, of {scheme}: {share} of it is surely otherwise there"]


def _columns_of(model: Model) -> list[str]:
    """A line on each other column that a model knows: how many values and weights it has, and its size in the file."""
    from treegauge.models.model import columns_section

    lines = []
    for weights in model.columns:
        size = len(columns_section([weights], level=19)[1])
        values, kept = sum(map(len, weights.classes.values())), int((weights.weight != 0).sum())
        lines.append(f"{weights.column}: {counted(values, 'value')}, {counted(kept, 'weight')}, {size / 1000:.1f} kB")
    return lines


class ModelListArguments(Arguments):
    """The arguments of `treegauge model list`."""

    out: OutputGroup = group(OutputGroup)


@command(ModelListArguments, "list", of=model)
def list_models(args: ModelListArguments) -> None:
    """List the bundled models. Their codes can be given wherever a model is asked for.

    `first` is how often the treebank's own arc is the one that choice finds most probable, in per cent, learned from
    the other folds of the treebank. `net` is the same for the net of the model: learned from nine tenths of the text,
    tried on the rest, the mean of what it finds with tags and without; empty if the model has no net. Models with test
    sets in them (`with_test`) are of languages that have next to nothing else: do not judge those test sets by them.

    \b
    Example:
      treegauge model list
    """
    from treegauge.models.bundled_models import bundled_models
    from treegauge.tables import Table, column_kinds

    models = bundled_models()
    columns = column_kinds(
        "code text, language text, words count, first percent, net percent, with_test text, hash text"
    )
    columns += column_kinds("licence text, treebanks text")
    rows = tuple(
        (
            *(bundled.code, bundled.language, bundled.words, bundled.first_choice, bundled.net or None),
            *("yes" if bundled.has_test else "", bundled.hash[:8], bundled.licence, ", ".join(bundled.treebanks)),
        )
        for bundled in models
    )
    title = f"{len(models)} bundled models; choice, net: how often their first choice is the treebank's arc, per cent"
    headers = {"first": "choice", "with_test": "test sets"}
    details = frozenset({"hash", "licence", "treebanks"})
    table = Table(title, columns, rows, f"treegauge {__version__}", details=details, headers=headers)
    args.out.write([table])
    message(
        "test sets: the model has learned from them, too; do not judge them by it. -f tsv has licences and treebanks"
    )
