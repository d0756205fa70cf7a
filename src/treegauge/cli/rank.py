"""`treegauge rank`: the arcs of a parsed corpus by plausibility."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import OUTPUT, LiscaGroup, ScorerGroup, gathered, lisca_settings, scorer_options, some_names
from treegauge.cli.options import (
    Reading,
    Skipped,
    choice,
    cluster,
    is_coloured,
    message,
    number,
    on_error,
    refuse_unused,
    stages,
    terminal_style,
    text_columns,
)
from treegauge.errors import OptionError
from treegauge.ranking.units import Unit
from treegauge.scorers.registry import Folding

if TYPE_CHECKING:
    from treegauge.ranking.job import RankRequest
    from treegauge.ranking.output_formats import MiscAnnotation, RowFormat
    from treegauge.ranking.scored import Listing
    from treegauge.ranking.verdicts import Verdict
    from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True, slots=True)
class ListGroup:
    """Which arcs are listed, in which order, and what is shown of each."""

    order: str
    top: int | None
    relation: str | None
    bins: int
    bins_of_all: bool
    accuracy: float | None
    explain: bool
    suggest: bool

    def listing(self, format_name: str) -> Listing:
        """Which arcs are listed; people see the first ones, programs get all."""
        from treegauge.ranking.scored import Listing

        top = self.top if self.top is not None or format_name != "text" else 20
        relations = some_names(self.relation, "relation")
        return Listing(self.order, top, relations, self.bins, self.bins_of_all, self.accuracy)


@dataclass(frozen=True, slots=True)
class SelfGroup:
    """How a corpus is scored by itself."""

    folds: int | None
    preset: str
    subtypes: bool
    pos: str

    def folding(self) -> Folding:
        """The options as the library takes them."""
        from treegauge.models.lisca.reference import CountSettings

        return Folding(self.folds, CountSettings(self.preset, self.pos, self.subtypes))


@dataclass(frozen=True, slots=True)
class FileGroup:
    """The format, where it goes, and how much memory it may take."""

    format_name: str
    output: str
    misc_names: str
    mark: int
    memory: int | None
    split: int | None
    cluster: str | None

    def misc(self) -> dict[str, str]:
        """The names of score, bin and probability in MISC."""
        parts = self.misc_names.split(",")
        if len(parts) != 3 or any(c in self.misc_names for c in "|=\t "):
            raise OptionError(
                f"--misc {self.misc_names!r}; expected three names with commas between, any of which may be empty"
            )
        return dict(zip(("log_score", "bin", "probability"), parts, strict=True))

    def request(self, paths: tuple[str, ...], listed: ListGroup, unit: Unit, on_error: str) -> RankRequest:
        """What is to be done with these files."""
        from treegauge.ranking.job import RankRequest

        listing, output_format = listed.listing(self.format_name), self._format(unit, listed.explain, listed.suggest)
        return RankRequest(paths, listing, output_format, self.output, on_error, self.memory, self.split)

    def _format(self, unit: Unit, explain: bool, suggest: bool) -> RowFormat | MiscAnnotation:
        from treegauge.ranking.output_formats import MiscAnnotation, Records, SentenceTrees, TsvTable

        names = self.misc()
        if self.format_name == "text":
            from treegauge.reports.arc_text import plain
            from treegauge.reports.ranking_text import Drawings

            style = terminal_style if is_coloured(self.output) else plain
            return Drawings(unit, explain, suggest, text_columns(), style)
        if self.format_name == "conllu" and unit != Unit.SENTENCE:
            return MiscAnnotation(unit, explain, suggest, names, self.mark)
        formats: dict[str, type[RowFormat]] = {"tsv": TsvTable, "json": Records, "conllu": SentenceTrees}
        return formats[self.format_name](unit, explain, suggest)


@click.command()
@click.argument("target", nargs=-1, required=True)
@scorer_options
@gathered(
    "by_itself",
    SelfGroup,
    click.option(
        "--folds", metavar="N", type=click.IntRange(2), help="Cut TARGET into N parts and judge each by the others."
    ),
    choice(("2020", "2013"), "--preset", help="lisca with --self or --folds: count the events of this paper."),
    click.option(
        "--subtypes", is_flag=True, help="lisca with --self or --folds: keep subtypes of relations apart (nsubj:pass)."
    ),
    choice(("upos", "xpos"), "--pos", help="lisca with --self or --folds: look at these tags."),
)
@choice(
    tuple(unit.value for unit in Unit),
    "--unit",
    help="Rank arcs, sentences (by the mean score of their arcs), or the tags of words.",
)
@gathered(
    "files",
    FileGroup,
    choice(
        ("text", "tsv", "json", "conllu"),
        *("-f", "--format", "format_name"),
        help="Write drawings (text), a table (tsv), JSON, or the corpus with the scores in MISC (conllu).",
    ),
    OUTPUT,
    click.option(
        "--misc",
        "misc_names",
        default="LogScore,Bin,Probability",
        help="conllu: use these names in MISC; an empty one leaves its value out.",
    ),
    number(0, 0, "--mark", help="conllu: put Mark=suspicious on the N most suspicious arcs."),
    click.option(
        "--memory",
        type=click.IntRange(1),
        metavar="MB",
        help="Sort on disk and use about so much memory.  [default: 1000 for corpora larger than memory]",
    ),
    click.option(
        "--split", type=click.IntRange(1), metavar="N", help="tsv, conllu: write files of N arcs: FILE-00001 …"
    ),
    cluster,
)
@gathered(
    "listed",
    ListGroup,
    choice(
        ("suspicious", "reliable", "corpus"),
        "--order",
        help="List the most suspicious first, the most reliable first, or arcs as they stand in the corpus.",
    ),
    click.option(
        "--top", metavar="N", type=click.IntRange(0), help="List only the first N.  [default: text: 20; others: all]"
    ),
    click.option("--relation", help="Rank only arcs with these relations (with commas), among themselves."),
    number(1, 10, "--bins", help="Cut the ranking into N equal parts; bin 1 is the most reliable."),
    click.option("--bins-of-all", is_flag=True, help="Count ranks and bins of --relation among all arcs."),
    click.option(
        "--accuracy",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="Keep only the most reliable, as many as are right at this rate (0.96) by --calibration; in conllu they "
        "have Kept=Yes.",
    ),
    click.option("--explain", is_flag=True, help="Say what speaks against each arc (not for sentences)."),
    click.option(
        "--suggest",
        is_flag=True,
        help="Show the likeliest other head and relation of each word (choice, --calibration).",
    ),
)
@lisca_settings
@click.option("--features", help="lisca: use only these features, with commas.  [default: all of the model's preset]")
@click.option(
    "--characteristics", help="lisca: use only these of N, P, D (2013: N, P, L), with commas.  [default: all]"
)
@click.option("--seed", type=int, default=0, help="Seed the scores of --scorer random.")
@click.option("--verdicts", metavar="FILE", help="Leave out arcs that were accepted in FILE, exported by the page.")
@on_error
def rank(
    target: tuple[str, ...],
    scoring: ScorerGroup,
    by_itself: SelfGroup,
    unit: str,
    files: FileGroup,
    listed: ListGroup,
    lisca: LiscaGroup,
    features: str | None,
    characteristics: str | None,
    seed: int,
    verdicts: str | None,
    on_error: str,
) -> None:
    """Rank the arcs of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin), by plausibility.

    Rank 1 is the arc to look at first. The scorer choice tells how probable the head and the relation of each word are,
    against all others in the sentence. --scorer lisca is the measure of the papers: it multiplies how usual each
    feature of the arc is in the corpus that the model was built from. `log_score` is the logarithm of the score.

    \b
    Examples:
      treegauge rank parsed.conllu --model en --explain
      treegauge rank parsed.conllu --model en --format tsv -o arcs.tsv
      treegauge rank parsed.conllu --model en --with other.conllu --explain
      treegauge rank treebank.conllu --self --suggest
      treegauge rank parsed.conllu --model en --calibration any --accuracy 0.9 -f conllu -o kept.conllu
    """
    from treegauge.corpus.files import expand_paths
    from treegauge.ranking.job import rank_job
    from treegauge.ranking.verdicts import read_verdicts

    alone = scoring.by_self or by_itself.folds is not None
    _refuse_unused(scoring, alone, unit, files, listed)
    paths = tuple(expand_paths(target))
    scoring = scoring.fitted(paths)
    request = files.request(paths, listed, Unit(unit), on_error)
    make = partial(
        scoring.of(unit).make,
        folding=by_itself.folding(),
        options=lisca.options(features, characteristics),
        seed=seed,
        others=scoring.opinions(paths, on_error),
    )
    accepted = None if verdicts is None else read_verdicts(verdicts)
    if files.cluster:
        if alone or scoring.others:
            raise OptionError("--cluster needs a model alone: not --self, --folds or --with, which one machine reads")
        _rank_on(files.cluster, request, make(), accepted)
        return
    with (
        Reading("scoring" if request.passes or request.on_disk else "reading", paths) as reading,
        rank_job(request, make if alone else make(), verdicts=accepted, met=reading) as job,
    ):
        reading.summary()
        for line in job.notes():
            message(line)
        job.write()


def _refuse_unused(scoring: ScorerGroup, alone: bool, unit: str, files: FileGroup, listed: ListGroup) -> None:
    """Refuse options that would change nothing."""
    lisca = unit != Unit.TAG and scoring.scorer in (None, "lisca") and scoring.calibration is None
    of_lisca = lisca, "the scorer lisca"
    counted = lisca and alone, "the scorer lisca with --self or --folds; a model has its own"
    annotated = files.format_name == "conllu" and unit != Unit.SENTENCE
    in_order = not annotated, "--format text, tsv and json; conllu has all arcs as they stand"
    refuse_unused(
        preset=counted,
        subtypes=counted,
        pos=counted,
        smoothing=of_lisca,
        range_=of_lisca,
        features=of_lisca,
        characteristics=of_lisca,
        seed=(scoring.scorer == "random", "--scorer random"),
        strict=(not alone, "--model"),
        misc_names=(annotated, "--format conllu with --unit arc or tag"),
        mark=(annotated, "--format conllu with --unit arc or tag"),
        top=in_order,
        order=in_order,
        explain=in_order,
        bins_of_all=(listed.relation is not None, "--relation"),
        accuracy=(scoring.calibration is not None, "--calibration"),
    )


def _rank_on(address: str, request: RankRequest, scorer: Scorer, verdicts: list[Verdict] | None) -> None:
    """Rank on the workers of a Dask cluster."""
    from treegauge.corpus.pool import open_pool
    from treegauge.ranking.cluster import rank_on

    skipped = Skipped()
    with (
        open_pool(cluster=address) as pool,
        stages("scoring", None) as told,
        rank_on(pool, request, scorer, verdicts=verdicts, skipped=skipped, progress=told) as job,
    ):
        skipped.summary()
        for line in job.notes():
            message(line)
        job.write()
