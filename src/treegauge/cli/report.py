"""`treegauge report`: a ranking as one HTML page, to look at and to work through."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import LiscaGroup, ScorerGroup, lisca_settings, scorer_options
from treegauge.cli.options import message, number, on_error, read_told, refuse_unused, tell_skipped
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus
    from treegauge.scorers.scorer import Scorer

LARGE = 20_000_000  # bytes; a browser opens a larger page slowly


@click.command()
@click.argument("target", nargs=-1, required=True)
@scorer_options
@click.option(
    "--gold", metavar="FILE", help="Show which arcs are wrong by FILE, gold trees of the same text, and accuracies."
)
@click.option(
    "--compare",
    metavar="OTHER",
    help="Show what another model (file or code), or another parse of the text (CoNLL-U), ranks otherwise.",
)
@click.option("--verdicts", metavar="FILE", help="Begin with the verdicts in FILE, which a page exported.")
@click.option("-o", "--output", required=True, metavar="FILE", help="Write the page to FILE; `-` is standard output.")
@click.option("--title", help="Set the title; a browser keeps verdicts under it.  [default: the name of TARGET]")
@click.option(
    "--top", metavar="N", type=click.IntRange(1), help="Show only the N most suspicious arcs.  [default: all]"
)
@number(0, 500, "--reasons", help="Give reasons for the N most suspicious arcs.")
@number(1, 10, "--bins", help="Cut the ranking into N equal parts; bin 1 is the most reliable.")
@lisca_settings
@on_error
def report(
    target: tuple[str, ...],
    scoring: ScorerGroup,
    gold: str | None,
    compare: str | None,
    verdicts: str | None,
    output: str,
    title: str | None,
    top: int | None,
    reasons: int,
    bins: int,
    lisca: LiscaGroup,
    on_error: str,
) -> None:
    """Make a page of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin): its arcs by plausibility.

    One HTML file that loads nothing else and opens in any browser: the ranked arcs with filters, each drawn in its tree
    with the reasons for its score, bins and relations, and keys to accept arcs or call them errors.

    \b
    Examples:
      treegauge report parsed.conllu --model en -o page.html
      treegauge report treebank.conllu --self -o page.html
    """
    lisca_scores = scoring.scorer in (None, "lisca") and scoring.calibration is None, "the scorer lisca"
    refuse_unused(smoothing=lisca_scores, range_=lisca_scores, strict=(not scoring.by_self, "--model"))
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.reports.page import report as make_page

    scoring = scoring.fitted(target)
    corpus = read_told(target, on_error)
    make = partial(scoring.make, options=lisca.options(), others=scoring.opinions(corpus, on_error))
    scorer = None if scoring.by_self else make()
    page = make_page(
        corpus,
        scorer or make(lambda: [corpus]),
        gold=None if gold is None else read_told(gold, on_error),
        compare=compare,
        on_error=on_error,
        rescore=partial(_rescored, scoring, make, scorer),
        title=title or _name(target),
        bins=bins,
        top=top,
        reasons=reasons,
        verdicts=read_verdicts(verdicts) if verdicts is not None else [],
    )
    for line in (page.scored.scorer.about, *page.scored.scorer.notes):
        message(line)
    for line in page.scored.fit.lines() if page.scored.fit else ():
        message(line)
    if page.other is not None and page.other.scored.corpus is not corpus:
        tell_skipped(page.other.scored.corpus.defects)
    for path, left_out in page.left_out.items():
        message(left_out.text(path, "TARGET"))
    size = page.save(output)
    message(f"{output}: {counted(page.n_arcs, 'arc')}, {size / 1e6:.1f} MB; open it in a browser")
    if size > LARGE:
        message("a page of that size opens slowly; --top N makes it smaller")


def _rescored(
    scoring: ScorerGroup, make: Callable[..., Scorer], scorer: Scorer | None, corpus: Corpus, model: str | None
) -> Scorer:
    """The scorer of what TARGET is compared with: another parse of the same words, or another model."""
    if model is None:
        return scorer or make(lambda: [corpus])
    if scoring.by_self:
        raise OptionError(f"--compare {model}: with --self, expected CoNLL-U of the same text")
    return make(model=model)


def _name(target: tuple[str, ...]) -> str:
    """The title of a page of these files."""
    name = os.path.basename(target[0].rstrip("/")) if target[0] != "-" else "stdin"
    return name if len(target) == 1 else f"{name} and {len(target) - 1} more"
