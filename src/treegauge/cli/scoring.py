"""Options that commands about scored arcs share: the model, and how LISCA scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.options import progress_of
from treegauge.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from treegauge.corpus.conllu import Corpus

Command = Callable[..., Any]


def model_option(required: bool) -> Callable[[Command], Command]:
    """The option --model."""
    help_text = "A model file, or the code of a bundled model (`treegauge model list`)."
    return click.option("-m", "--model", "model_name", required=required, help=help_text)


def lisca_settings(command: Command) -> Command:
    """The options --smoothing and --range."""
    for option in (
        click.option(
            "--range",
            "range_",
            type=click.IntRange(0),
            default=2,
            show_default=True,
            help="r: sentences of L−r … L+r words.",
        ),
        click.option("--smoothing", help="`none` as in the papers, or the ALPHA of (F+ALPHA)/(N+2·ALPHA)."),
    ):
        command = option(command)
    return command


def read_parsed(path: str) -> Corpus:
    """A corpus, not empty, with all columns that scorers may need."""
    from treegauge.corpus.conllu import join_pieces, stream_conllu
    from treegauge.corpus.files import expand_paths

    columns = ("form", "lemma", "upos", "xpos", "feats", "deprel")
    pieces = []
    with progress_of("reading") as progress:
        for piece in stream_conllu(*expand_paths([path]), columns=columns):
            pieces.append(piece)
            progress(piece.n_words)
    if not any(piece.n_words for piece in pieces):
        raise CorpusError(f"{path}: no sentences")
    return join_pieces(pieces, columns)


def names_of(text: str, what: str) -> tuple[str, ...]:
    """The names in a list with commas, at least one."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise OptionError(f"{what} {text!r}; expected a name, or several with commas")
    return found


def write_text(text: str | bytes, path: str) -> None:
    """Text or bytes into a file, whole or not at all, or to standard output."""
    from treegauge.corpus.files import write_whole

    with write_whole(path) as stream:
        stream.write(text.encode() if isinstance(text, str) else text)
