"""`treegauge rank`: the arcs of a parsed corpus by plausibility."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, share
from treegauge.cli.groups import (
    BUNDLED,
    CLUSTER,
    OUTPUT,
    SCORING_ON_ERROR,
    LiscaGroup,
    ScorerGroup,
    format_option,
    read_others,
    some_names,
)
from treegauge.cli.messages import (
    ReadingProgress,
    is_coloured,
    message,
    read_corpus,
    refuse_unused,
    stages,
    terminal_style,
    text_columns,
)
from treegauge.errors import OptionError
from treegauge.ranking.units import Unit
from treegauge.scorers.registry import Folding

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from treegauge.ranking.job import RankRequest
    from treegauge.ranking.output_formats import MiscAnnotation, RowFormat
    from treegauge.ranking.verdicts import Verdict
    from treegauge.scorers.scorer import Scorer


class RankArguments(Arguments):
    """The arguments of `treegauge rank`."""

    target: tuple[str, ...] = argument(nargs=-1, required=True)
    scoring: ScorerGroup = group(ScorerGroup)
    folds: int | None = number(2, None, "Cut TARGET into N parts and judge each by the others.", rare=True)
    net: bool = flag(
        "Learn a net in every fold, too, with --self or --folds (extra `net`): minutes for each, kept in the cache.",
        rare=True,
    )
    preset: str = choice(("2020", "2013"), "lisca with --self or --folds: count the events of this paper.", rare=True)
    subtypes: bool = flag("lisca with --self or --folds: keep subtypes of relations apart (nsubj:pass).", rare=True)
    pos: str = choice(("upos", "xpos"), "lisca with --self or --folds: look at these tags.", rare=True)
    unit: str = choice(
        tuple(unit.value for unit in Unit),
        "Rank arcs, sentences (by the mean score of their arcs), the tags of words, one of their other columns, or "
        "words by the worst of all their columns.",
    )
    format_name: str = format_option(
        ("text", "tsv", "json", "jsonl", "parquet", "conllu"),
        "Write drawings (text), a table (tsv; parquet, extra `tables`), JSON, or the corpus with scores in MISC.",
    )
    output: str = OUTPUT
    misc_names: str = option(
        "--misc",
        "conllu: use these names in MISC; an empty one leaves its value out.",
        default="LogScore,Bin,Probability",
        rare=True,
    )
    mark: int = number(0, 0, "conllu: put Mark=suspicious on the N most suspicious arcs.", rare=True)
    memory: int | None = option(
        "Use about so much memory and sort on disk what does not fit.  [default: tables: about 200]",
        type=click.IntRange(1),
        metavar="MB",
        rare=True,
    )
    split: int | None = number(1, None, "tsv, conllu: write files of N arcs: FILE-00001 …", rare=True)
    cluster: str | None = CLUSTER
    order: str = choice(
        ("suspicious", "reliable", "corpus"),
        "List in this order: the most suspicious first, the most reliable first, or arcs as they stand in the corpus.",
    )
    top: int | None = number(0, None, "List only the first N.  [default: text: 20; others: all]")
    relation: str | None = option("Rank only arcs with these relations (with commas), among themselves.")
    bins: int = number(1, 10, "Cut the ranking into N equal parts; bin 1 is the most reliable.", rare=True)
    bins_of_all: bool = flag("Count ranks and bins of --relation among all arcs.", rare=True)
    accuracy: float | None = share(
        "Keep only the most reliable, as many as are right at this rate (0.96, or 96) by their probabilities; in "
        "conllu they have Kept=Yes. Without --calibration, `any` is used.",
    )
    wholly_right: float | None = share(
        "Keep only sentences that are right in every arc with this probability or a higher one (--unit sentence).",
    )
    explain: bool = flag("Say what speaks against each arc (not for sentences).")
    suggest: bool = flag(
        "Show the likeliest other head and relation of each word (choice, --calibration), or the likeliest other value."
    )
    all_columns: bool = flag(
        "Write all properties of each arc, too: tags, features of LISCA and their weights (tables).", rare=True
    )
    gold: str | None = file(
        "Say of each arc whether it is right by this gold (column `right`), of each sentence its LAS (tables).",
        rare=True,
    )
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    seed: int = option("Seed the scores of --scorer random.", type=int, default=0, rare=True)
    verdicts: str | None = file("Leave out arcs that were accepted in FILE, exported by the page.", rare=True)
    on_error: str = SCORING_ON_ERROR

    def request(self, paths: tuple[str, ...]) -> RankRequest:
        """The request to rank these files; people see the first arcs, programs get all."""
        from treegauge.ranking.job import RankRequest
        from treegauge.ranking.scored import Listing

        top = self.top if self.top is not None or self.format_name != "text" else 20
        relations = some_names(self.relation, "relation")
        listing = Listing(self.order, top, relations, self.bins, self.bins_of_all, self.accuracy, self.wholly_right)
        verdict = None if self.gold is None else _verdict(paths, self.gold, self.on_error)
        return RankRequest(paths, listing, self._format(verdict), self.output, self.on_error, self.memory, self.split)

    def _format(self, verdict: np.ndarray | None) -> RowFormat | MiscAnnotation:
        """The format of the output; verdict: whether each arc is right, if gold tells."""
        from treegauge.ranking.output_formats import ROW_FORMATS, MiscAnnotation

        names = self.misc_names.split(",")
        if len(names) != 3 or any(c in self.misc_names for c in "|=\t "):
            raise OptionError(
                f"--misc {self.misc_names!r}; expected three names with commas between, any of which may be empty"
            )
        content = Unit(self.unit), self.explain, self.suggest
        if self.format_name == "text":
            from treegauge.reports.arc_text import plain
            from treegauge.reports.ranking_text import Drawings

            style = terminal_style if is_coloured(self.output) else plain
            return Drawings(*content, width=text_columns(), style=style)
        if self.is_annotated:
            misc = dict(zip(("log_score", "bin", "probability"), names, strict=True))
            return MiscAnnotation(*content, names=misc, mark=self.mark)
        return ROW_FORMATS[self.format_name](*content, self.all_columns, verdict)

    @property
    def is_annotated(self) -> bool:
        """Whether the output is the corpus as it stands, with scores in MISC."""
        return self.format_name == "conllu" and self.unit != Unit.SENTENCE

    @property
    def is_table(self) -> bool:
        """Whether the output is a table."""
        return self.format_name in ("tsv", "json", "jsonl", "parquet")

    @property
    def alone(self) -> bool:
        """Whether the corpus is judged by itself."""
        return self.scoring.by_self or self.folds is not None


@command(RankArguments)
def rank(args: RankArguments) -> None:
    """Rank the arcs of TARGET, parsed CoNLL-U (files, folders, globs; `-`), by plausibility.

    Rank 1 is the arc to look at first. The scorer choice tells how probable the head and the relation of each word are,
    against all others in the sentence; where the model has a net, a small neural network, both are asked together.
    --scorer lisca is the measure of the papers: it multiplies how usual each
    feature of the arc is in the corpus that the model was built from. `log_score` is the logarithm of the score.

    \b
    Examples:
      treegauge rank parsed.conllu --explain
      treegauge rank parsed.conllu --model en --format tsv -o arcs.tsv
      treegauge rank treebank.conllu --self --suggest
      treegauge rank parsed.conllu --unit sentence --accuracy 95 -f conllu -o trusted.conllu
      treegauge rank parsed.conllu --unit sentence --top 100 -f conllu -o annotate_next.conllu
    """
    from treegauge.corpus.treebanks import corpus_files
    from treegauge.models.lisca.reference import CountSettings
    from treegauge.ranking.job import rank_job
    from treegauge.ranking.verdicts import read_verdicts

    _refuse_unused(args)
    if (args.accuracy or args.wholly_right) and args.scoring.calibration is None:
        args.scoring.calibration = BUNDLED
        message("--calibration any: the bundled one; `treegauge calibrate` makes a better one from a little gold")
    paths = tuple(corpus_files(args.target))
    if not args.alone:
        args.scoring.load_model(paths)
    request = args.request(paths)
    if args.unit not in (Unit.ARC, Unit.SENTENCE):
        args.scoring.score_column(args.unit)
    make = partial(
        args.scoring.make,
        folding=Folding(args.folds, CountSettings(args.preset, args.pos, args.subtypes), args.net, stages),
        options=args.lisca.options(),
        seed=args.seed,
        others=read_others(paths, args.scoring.others, args.on_error),
        target=None if args.alone else paths,
    )
    accepted = None if args.verdicts is None else read_verdicts(args.verdicts)
    if args.cluster:
        if args.format_name == "parquet":
            raise OptionError("--cluster writes no parquet; expected tsv or jsonl")
        if args.alone or args.scoring.others:
            raise OptionError("--cluster needs a model alone: not --self, --folds or --with, which one machine reads")
        _rank_on(args.cluster, request, make(), accepted)
        return
    with (
        ReadingProgress("scoring" if request.reads_once or request.on_disk else "reading", paths) as reading,
        rank_job(request, make if args.alone else make(), verdicts=accepted, met=reading) as job,
    ):
        reading.close()
        message(*job.notes())
        job.write()


def _verdict(paths: Sequence[str], gold: str, on_error: str) -> np.ndarray:
    """For each word of some files whether its arc is right by gold; both are in memory for it."""
    import numpy as np

    from treegauge.corpus.compare.comparison import side_by_side
    from treegauge.ranking.columns import UNKNOWN

    comparison = side_by_side(read_corpus(paths, on_error), read_corpus(gold, on_error))
    return np.where(comparison.present, comparison.right, UNKNOWN).astype(np.int8)


def _refuse_unused(args: RankArguments) -> None:
    """Refuse options that would change nothing."""
    scoring = args.scoring
    lisca = args.unit in (Unit.ARC, Unit.SENTENCE) and scoring.scorer in (None, "lisca") and scoring.calibration is None
    counted = lisca and args.alone, "the scorer lisca with --self or --folds; a model has its own"
    annotated = args.is_annotated, "--format conllu, but not with --unit sentence"
    tables = "--format tsv, json, jsonl, parquet"
    in_order = not args.is_annotated, "formats but conllu, which has all arcs as they stand"
    refuse_unused(
        **dict.fromkeys(("preset", "subtypes", "pos"), counted),
        **dict.fromkeys(("smoothing", "range_", "features", "characteristics"), (lisca, "the scorer lisca")),
        **dict.fromkeys(("misc_names", "mark"), annotated),
        **dict.fromkeys(("top", "order", "explain"), in_order),
        seed=(scoring.scorer == "random", "--scorer random"),
        all_columns=(args.is_table and args.unit == Unit.ARC, f"{tables}, --unit arc"),
        gold=(args.is_table and args.unit != Unit.TAG, f"{tables}, --unit arc or sentence"),
        bins_of_all=(args.relation is not None, "--relation"),
        net=(args.alone, "--self and --folds; a model has its net already, or gets it by `model build --net`"),
        fast=(not args.alone, "models, which may have a net"),
        accuracy=(not args.alone, "models: what is learned from the corpus itself has no calibration"),
        wholly_right=(not args.alone and args.unit == Unit.SENTENCE, "--unit sentence and a model"),
    )


def _rank_on(address: str, request: RankRequest, scorer: Scorer, verdicts: list[Verdict] | None) -> None:
    """Rank on the workers of a Dask cluster."""
    from treegauge.corpus.pool import open_pool
    from treegauge.ranking.cluster import rank_on

    with (
        open_pool(cluster=address) as pool,
        stages("scoring", None) as progress,
        rank_on(pool, request, scorer, verdicts=verdicts, progress=progress) as job,
    ):
        message(*job.notes())
        job.write()
