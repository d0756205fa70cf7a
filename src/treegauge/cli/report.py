"""`treegauge report`: a ranking as one HTML page, to look at and to work through."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from treegauge.cli.options import Skipped, message, on_error, progress_of
from treegauge.cli.scoring import lisca_settings, model_option, write_text
from treegauge.errors import CorpusError, ModelError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.arcs.reference import Model
    from treegauge.corpus.conllu import Corpus
    from treegauge.reports.page import Comparison
    from treegauge.scorers.registry import Scorer

LARGE = 20_000_000  # bytes of a page that browsers begin to feel


@click.command()
@click.argument("target", nargs=-1, required=True)
@model_option(required=False)
@click.option("--self", "by_self", is_flag=True, help="Judge each sentence by all the others of TARGET.")
@click.option("--scorer", "scorer_name", default="lisca", show_default=True, help="As for `treegauge rank`.")
@click.option("--calibration", metavar="FILE", help="As for `treegauge rank`: how probable it is that an arc is right.")
@click.option(
    "--gold", metavar="FILE", help="CoNLL-U of the same words: accuracy, F-scores, gold's arc beside a wrong one."
)
@click.option(
    "--compare",
    metavar="OTHER",
    help="A second model (file or code) for TARGET, or the same words parsed otherwise (CoNLL-U): what moved most.",
)
@click.option("--verdicts", metavar="FILE", help="Verdicts that the page begins with, as it exports them.")
@click.option("-o", "--output", required=True, metavar="FILE", help="The page; - for standard output.")
@click.option("--title", help="Its heading, under which a browser keeps verdicts.  [default: the name of TARGET]")
@click.option("--top", type=click.IntRange(1), help="Only so many of the most suspicious arcs.  [default: all]")
@click.option(
    "--reasons",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="Reasons for so many of the most suspicious arcs.",
)
@click.option("--bins", type=click.IntRange(1), default=10, show_default=True, help="Bin 1 is the most reliable.")
@lisca_settings
@on_error
def report(
    target: tuple[str, ...],
    model_name: str | None,
    by_self: bool,
    scorer_name: str,
    calibration: str | None,
    gold: str | None,
    compare: str | None,
    verdicts: str | None,
    output: str,
    title: str | None,
    top: int | None,
    reasons: int,
    bins: int,
    smoothing: str | None,
    range_: int,
    on_error: str,
) -> None:
    """Make a page of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin): its arcs by plausibility.

    One HTML file that loads nothing else and opens in any browser: the ranked arcs with filters, each drawn in its tree
    with the reasons for its score, bins and relations, and keys to accept arcs or call them errors.
    """
    from treegauge.cli.rank import chosen_model, lisca_options
    from treegauge.models.fit import model_fit
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.reports.page import Page

    if calibration is not None:
        scorer_name = "choice"  # what it rests on
    scoring = Scoring(scorer_name, lisca_options(smoothing, range_, None, None), calibration, by_self)
    model = chosen_model(model_name, by_self, scorer_name)
    said = read_verdicts(verdicts) if verdicts is not None else []
    corpus = _read(target, on_error)
    made = scoring.scorer(corpus, model)
    name = os.path.basename(target[0].rstrip("/")) if target[0] != "-" else "stdin"
    if len(target) > 1:
        name += f" and {len(target) - 1} more"
    page = Page(
        title or name,
        corpus,
        made,
        made.scores(corpus),
        None if gold is None else _read((gold,), "stop"),
        bins=bins,
        top=top,
        reasons=reasons,
        verdicts=said,
    )
    if compare is not None:
        page = replace(page, other=_comparison(compare, corpus, made, scoring))
    message(made.signature)
    if made.lisca and not made.leave_out:
        lines = model_fit(corpus, made.lisca).lines()
        page = replace(page, notes=[("Fit of the model", "; ".join(lines))])
        for line in lines:
            message(line)
    text = page.html().encode()
    write_text(text, output)
    arcs = corpus.n_words if top is None else min(top, corpus.n_words)
    message(f"{output}: {arcs:,} arcs, {len(text) / 1e6:.1f} MB; open it in a browser")
    if len(text) > LARGE:
        message("a page of that size opens slowly; --top N makes it smaller")


def _read(paths: Sequence[str], on_error: str) -> Corpus:
    """A corpus, not empty; sentences left out are said."""
    from treegauge.corpus.conllu import COLUMNS, join_pieces, stream_conllu
    from treegauge.corpus.files import expand_paths

    skipped, pieces = Skipped(), []
    with progress_of("reading") as progress:
        for piece in stream_conllu(*expand_paths(paths), columns=tuple(COLUMNS), on_error=on_error):
            pieces.append(piece)
            progress(piece.n_words)
            for defect in piece.defects:
                skipped(defect)
    skipped.summary()
    if not any(piece.n_words for piece in pieces):
        raise CorpusError(f"{paths[0]}: no sentences")
    return join_pieces(pieces, tuple(COLUMNS))


@dataclass(frozen=True)
class Scoring:
    """How arcs are to be scored."""

    name: str
    options: LiscaOptions
    calibration: str | None
    by_self: bool

    def scorer(self, corpus: Corpus, model: Model | None) -> Scorer:
        """The scorer for a corpus: by a model, or by the rest of the corpus."""
        if self.by_self and self.name == "choice":
            from treegauge.scorers.choice_by_itself import FOLDS, choice_self_scorer

            return choice_self_scorer(corpus, FOLDS)
        if self.by_self:
            from treegauge.arcs.reference import Settings
            from treegauge.scorers.by_itself import self_scorer

            return self_scorer(corpus, Settings(), self.options)
        from treegauge.cli.rank import made_scorer

        return made_scorer(self.name, model, self.options, 0, self.calibration)


def _comparison(name: str, corpus: Corpus, scorer: Scorer, scoring: Scoring) -> Comparison:
    """What --compare names: a model, or a corpus of the same words."""
    from treegauge.models.bundled_models import find_model
    from treegauge.reports.page import Comparison

    title = os.path.basename(name)
    try:
        model = find_model(name)
    except ModelError as error:
        if "not a treegauge model" not in str(error):
            raise
        other = _read((name,), "stop")
        by = scoring.scorer(other, None) if scoring.by_self else scorer
        return Comparison(title, by.signature, other, by.scores(other))
    if scoring.by_self:
        raise OptionError(f"--compare {name}: with --self, expected CoNLL-U of the same words")
    made = scoring.scorer(corpus, model)
    return Comparison(title, made.signature, corpus, made.scores(corpus))
