"""`treegauge model`: build, merge and look at reference models."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.options import Skipped, interruptible, message, on_error, progress_of
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.reference import Model


@click.group()
def model() -> None:
    """Build, merge and look at reference models."""


@model.command()
@click.argument("reference", nargs=-1, required=True)
@click.option("-o", "--output", required=True, help="The model file to write.")
@click.option(
    "--preset",
    type=click.Choice(["2020", "2013"]),
    default="2020",
    show_default=True,
    help="What is counted: delexicalised (Alzetta et al. 2020), or with lemmas (Dell'Orletta et al. 2013).",
)
@click.option("--subtypes", is_flag=True, help="Keep relation subtypes (nsubj:pass) apart.")
@click.option(
    "--pos",
    type=click.Choice(["upos", "xpos"]),
    default="upos",
    show_default=True,
    help="The tags to count by.",
)
@click.option("--forms", is_flag=True, help="Count word forms too, for the scorers ltr and lptr.")
@click.option("--choice", is_flag=True, help="Learn the scorer choice, too; reads REFERENCE once more.")
@click.option("--threads", type=click.IntRange(1), default=None, help="Default: as many as there are cores, at most 8.")
@click.option(
    "--workers", type=click.IntRange(1), help="Processes instead of threads: better for many compressed files."
)
@click.option(
    "--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://…: its workers count (extra `distributed`)."
)
@on_error
def build(
    reference: tuple[str, ...],
    output: str,
    preset: str,
    subtypes: bool,
    pos: str,
    forms: bool,
    choice: bool,
    threads: int | None,
    workers: int | None,
    cluster: str | None,
    on_error: str,
) -> None:
    """Count the arcs of REFERENCE: parsed CoNLL-U files, directories or globs, compressed or not, `-` for stdin.

    The reference should be of the kind of text and the parser that you want to judge, and large: the papers
    take 10 to 40 million words.
    """
    from treegauge.arcs.counts import build_model
    from treegauge.arcs.reference import Settings
    from treegauge.corpus.files import STDIN, expand_paths, is_remote, write_whole
    from treegauge.models.model_file import model_bytes

    if threads and (workers or cluster):
        raise OptionError("--threads excludes --workers and --cluster")
    if choice and STDIN in reference:
        raise OptionError("--choice reads REFERENCE a second time: give files, not standard input")
    settings = Settings(preset, pos, subtypes, forms)
    skipped = Skipped()
    count: Callable[..., Model]
    with (
        interruptible(lambda: f"{output} was not written, and what was there before is unchanged"),
        ExitStack() as stack,
        write_whole(output) as stream,  # opened first: an hour of counting should not end at a wrong name
    ):
        if workers or cluster:
            from treegauge.scale.counting import build_model_on
            from treegauge.scale.pool import open_pool

            count = partial(build_model_on, stack.enter_context(open_pool(workers or 1, cluster)))
        else:
            count = partial(build_model, threads=threads or min(os.cpu_count() or 1, 8))
        with progress_of("counting") as progress:
            paths = expand_paths(reference)
            if cluster:  # workers start elsewhere
                paths = [path if is_remote(path) else os.path.abspath(path) for path in paths]
            built = count(paths, settings, on_error=on_error, progress=progress, skipped=skipped)
        if choice:
            from treegauge.choice.learning import train_choice

            with progress_of("learning") as progress:
                built = replace(built, choice=train_choice(paths, on_error=on_error, progress=progress))
        stream.write(model_bytes(built))
    skipped.summary()
    message(
        f"{output}: {built.words:,} words in {built.sentences:,} sentences, {built.events:,} distinct events, "
        f"hash {built.hash[:8]}"
    )


@model.command()
@click.argument("models", nargs=-1, required=True)
@click.option("-o", "--output", required=True, help="The model file to write.")
def merge(models: tuple[str, ...], output: str) -> None:
    """Add up MODELS: the result is the model of all their corpora together, in whatever order they are given.

    Counts add up exactly. Weights of `model build --choice` are averaged.
    """
    from treegauge.arcs.reference import merge_models
    from treegauge.models.bundled_models import find_model
    from treegauge.models.model_file import save_model

    parts = [find_model(name) for name in models]
    merged = merge_models(parts)
    save_model(merged, output)
    learned = sum(part.choice is not None for part in parts)
    if learned == len(parts):
        message("choice weights were averaged, by words: near to, but not, what training on all corpora would give")
    elif learned:
        message(f"{len(parts) - learned} of {len(parts)} models have no choice weights: left out")
    message(f"{output}: {merged.words:,} words in {merged.sentences:,} sentences, hash {merged.hash[:8]}")


@model.command()
@click.argument("name", metavar="MODEL")
def info(name: str) -> None:
    """Say what is in MODEL, a file or the code of a bundled model."""
    from treegauge.models.bundled_models import find_model

    shown = find_model(name)
    settings = shown.settings
    rows = [
        ("hash", shown.hash),
        ("preset", settings.preset),
        (
            "tags",
            f"{len(shown.tags)} of {settings.pos}: {' '.join(shown.tags[:40])}{' …' * (len(shown.tags) > 40)}",
        ),
        (
            "relations",
            f"{len(shown.relations)}{' with subtypes' * settings.subtypes}: {' '.join(shown.relations)}",
        ),
        *([("lemmas", f"{len(shown.lemmas):,}")] if shown.lemmas else []),
        *([("forms", f"{len(shown.forms):,}")] if shown.forms else []),
        ("sentences", f"{shown.sentences:,}"),
        ("words", f"{shown.words:,}"),
        ("events", f"{shown.events:,} distinct"),
        *([("choice", f"hash {shown.choice.hash[:8]}")] if shown.choice else []),
        *(("source", f"{s.name}: {s.words:,} words in {s.sentences:,} sentences") for s in shown.sources),
    ]
    for label, value in rows:
        click.echo(f"{label:10} {value}")


@model.command("list")
def list_models() -> None:
    """List the bundled models: delexicalised, preset 2020. Their codes can be given wherever a model is asked for."""
    from treegauge.models.bundled_models import bundled_models

    click.echo(f"{'code':7} {'words':>8}  {'hash':8}  {'language':27} treebanks (licence)")
    for entry in bundled_models():
        click.echo(
            f"{entry.code:7} {entry.words:>8,}  {entry.hash[:8]}  {entry.language:27} "
            f"{', '.join(entry.treebanks)} ({entry.licence})"
        )
