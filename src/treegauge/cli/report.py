"""`treegauge report`: a ranking as one HTML page, to look at and to work through."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from treegauge.cli.arguments import Arguments, argument, command, file, flag, group, number, option
from treegauge.cli.groups import SCORING_ON_ERROR, LiscaGroup, ScorerGroup, read_others
from treegauge.cli.messages import message, read_corpus, refuse_unused
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus
    from treegauge.scorers.other_columns import ColumnScorer
    from treegauge.scorers.scorer import Scorer

LARGE = 20_000_000  # bytes; a browser opens a larger page slowly


class ReportArguments(Arguments):
    """The arguments of `treegauge report`."""

    target: tuple[str, ...] = argument(nargs=-1, required=True)
    scoring: ScorerGroup = group(ScorerGroup)
    gold: str | None = file("Show which arcs are wrong by FILE, gold trees of the same text, and accuracies.")
    compare: str | None = option(
        "Show what another model (file or code), or another parse of the text (CoNLL-U), ranks otherwise.",
        metavar="OTHER",
    )
    verdicts: str | None = file("Begin with the verdicts in FILE, which a page exported.", rare=True)
    output: str = option(
        "-o", "--output", "Write the page to FILE; `-` is standard output.", required=True, metavar="FILE"
    )
    title: str | None = option(
        "Set the title; a browser keeps verdicts under it.  [default: the name of TARGET]", rare=True
    )
    top: int | None = number(1, None, "Show only the N most suspicious arcs.  [default: all]")
    reasons: int = number(0, 500, "Give reasons for the N most suspicious arcs.", rare=True)
    bins: int = number(1, 10, "Cut the ranking into N equal parts; bin 1 is the most reliable.", rare=True)
    all_columns: bool = flag("Add tabs of lemmas, XPOS, features and subtypes, and keys to correct them.")
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    on_error: str = SCORING_ON_ERROR


@command(ReportArguments)
def report(args: ReportArguments) -> None:
    """Make a page of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin): its arcs by plausibility.

    One HTML file that loads nothing else and opens in any browser: the ranked arcs with filters, each drawn in its tree
    with the reasons for its score, bins and relations, and keys to accept arcs or call them errors.

    \b
    Examples:
      treegauge report parsed.conllu --model en -o page.html
      treegauge report treebank.conllu --self -o page.html
    """
    lisca_scores = args.scoring.scorer in (None, "lisca") and args.scoring.calibration is None, "the scorer lisca"
    refuse_unused(smoothing=lisca_scores, range_=lisca_scores)
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.reports.page import report as make_page

    args.scoring.load_model(args.target)
    corpus = read_corpus(args.target, args.on_error)
    make = partial(
        args.scoring.make,
        options=args.lisca.options(),
        others=read_others(corpus, args.scoring.others, args.on_error),
        target=corpus,
    )
    scorer = None if args.scoring.by_self else make()
    page = make_page(
        corpus,
        scorer or make(lambda: [corpus]),
        gold=None if args.gold is None else read_corpus(args.gold, args.on_error),
        compare=args.compare,
        on_error=args.on_error,
        rescore=partial(_rescored, args.scoring, make, scorer),
        title=args.title or _name(args.target),
        bins=args.bins,
        top=args.top,
        reasons=args.reasons,
        verdicts=read_verdicts(args.verdicts) if args.verdicts is not None else [],
        columns=_columns(args.scoring, corpus) if args.all_columns else (),
        estimated="" if args.gold or scorer is None else _estimated(corpus, args.scoring.model_name, scorer),
    )
    message(page.scored.scorer.about, *page.scored.scorer.notes)
    message(*(page.scored.fit.lines() if page.scored.fit else ()))
    for path, left_out in page.left_out.items():
        message(left_out.text(path, "TARGET"))
    size = page.save(args.output)
    message(f"{args.output}: {counted(page.n_arcs, 'arc')}, {size / 1e6:.1f} MB; open it in a browser")
    if size > LARGE:
        message("a page of that size opens slowly; --top N makes it smaller")


def _estimated(corpus: Corpus, model: object, scorer: Scorer) -> str:
    """The estimated LAS of the parse, in words; nothing where the model allows no estimate."""
    from treegauge.models.model import Model
    from treegauge.scorers.estimate import estimate_beside

    las = estimate_beside(scorer, corpus, model) if isinstance(model, Model) else None
    return "" if las is None else f"estimated LAS {100 * las.value:.0f} % ({100 * las.low:.0f}–{100 * las.high:.0f})"


def _columns(scoring: ScorerGroup, corpus: Corpus) -> list[ColumnScorer]:
    """The scorers of the other columns, by the model or by the corpus itself."""
    from treegauge.models.model import Model
    from treegauge.scorers.other_columns import columns_by_itself, columns_of_model

    model = scoring.model_name
    return columns_of_model(model) if isinstance(model, Model) else columns_by_itself(lambda: [corpus], None)


def _rescored(
    scoring: ScorerGroup, make: Callable[..., Scorer], scorer: Scorer | None, corpus: Corpus, model: str | None
) -> Scorer:
    """The scorer of --compare: of another parse of the same words (a corpus), or of another model (its name)."""
    if model is None:
        return scorer or make(lambda: [corpus])
    if scoring.by_self:
        raise OptionError(f"--compare {model}: with --self, expected CoNLL-U of the same text")
    return make(model=model)


def _name(target: tuple[str, ...]) -> str:
    """The title of a page: the name of the first file, and how many more there are."""
    name = os.path.basename(target[0].rstrip("/")) if target[0] != "-" else "stdin"
    return name if len(target) == 1 else f"{name} and {len(target) - 1} more"
