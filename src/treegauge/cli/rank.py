"""`treegauge rank`: the arcs of a parsed corpus by plausibility."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import LiscaGroup, ScorerGroup, gathered, lisca_settings, scorer_options, some_names
from treegauge.cli.options import (
    Reading,
    Skipped,
    choice,
    cluster,
    message,
    number,
    on_error,
    stages,
    terminal_style,
    text_columns,
)
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.ranking.listing import Listing
    from treegauge.ranking.verdicts import Verdict
    from treegauge.reports.rank_job import RankOrder
    from treegauge.reports.rankings import Shown
    from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True, slots=True)
class ListGroup:
    """Which arcs, in which order, and what is shown of each."""

    order: str | None
    top: int | None
    relation: str | None
    bins: int
    bins_of_all: bool
    explain: bool
    suggest: bool

    def listing(self, form: str) -> Listing:
        """What is listed; people see the worst, programs get everything."""
        from treegauge.ranking.listing import RELIABLE, SUSPICIOUS, Listing

        order = self.order or (SUSPICIOUS if form == "text" else RELIABLE)
        top = self.top if self.top is not None or form != "text" else 20
        return Listing(order, top, some_names(self.relation, "relation"), self.bins, self.bins_of_all)

    def shown(self, coloured: bool) -> Shown:
        """What is shown of each arc."""
        from treegauge.reports.rankings import Shown

        return Shown(self.explain, self.suggest, text_columns(), terminal_style if coloured else None)


@dataclass(frozen=True, slots=True)
class SelfGroup:
    """How a corpus is judged by itself."""

    folds: int | None
    preset: str
    subtypes: bool
    pos: str


@dataclass(frozen=True, slots=True)
class FileGroup:
    """The format, where it goes, and how much memory it may take."""

    form: str
    output: str
    misc_names: str
    mark: int
    memory: int | None
    split: int | None
    cluster: str | None

    def misc(self) -> tuple[str, str]:
        """The names of score and bin in MISC."""
        parts = self.misc_names.split(",")
        if len(parts) != 2 or any(c in self.misc_names for c in "|=\t "):
            raise OptionError(
                f"--misc {self.misc_names!r}; expected two names with a comma between, either of which may be empty"
            )
        return parts[0], parts[1]

    def order(self, paths: tuple[str, ...], listed: ListGroup, unit: str, on_error: str) -> RankOrder:
        """What is to become of these files."""
        from treegauge.reports.rank_job import RankOrder

        shown = listed.shown(coloured=self.output == "-" and sys.stdout.isatty())
        form = unit, self.form, self.output, self.misc(), self.mark
        return RankOrder(paths, listed.listing(self.form), shown, *form, on_error, self.memory, self.split)


@click.command()
@click.argument("target", nargs=-1, required=True)
@scorer_options
@gathered(
    "by_itself",
    SelfGroup,
    click.option("--folds", type=click.IntRange(2), help="Judge each of so many parts of TARGET by the others."),
    choice(("2020", "2013"), "--preset", help="With --self or --folds: which events LISCA counts."),
    click.option("--subtypes", is_flag=True, help="With --self or --folds: LISCA keeps relation subtypes apart."),
    choice(("upos", "xpos"), "--pos", help="With --self or --folds: which tags LISCA looks at."),
)
@choice(
    ("arc", "sentence", "tag"),
    "--unit",
    help="What is ranked: sentences by the mean score of their arcs, words by their tags.",
)
@gathered(
    "files",
    FileGroup,
    choice(("text", "tsv", "json", "conllu"), "-f", "--format", "form"),
    click.option("-o", "--output", default="-", help="A file instead of standard output."),
    click.option("--misc", "misc_names", default="LogScore,Bin", help="conllu: names of score and bin in MISC."),
    number(0, 0, "--mark", help="conllu: put Mark=suspicious on so many arcs."),
    click.option(
        "--memory",
        type=click.IntRange(1),
        metavar="MB",
        help="Sort on disk, within about so much memory.  [default: 1000 for corpora larger than memory]",
    ),
    click.option("--split", type=click.IntRange(1), metavar="N", help="tsv, conllu: a file, FILE-00001 …, per N arcs."),
    cluster,
)
@gathered(
    "listed",
    ListGroup,
    click.option(
        "--order",
        type=click.Choice(["reliable", "suspicious", "corpus"]),
        help="Most reliable first, most suspicious first, or as they stand.  [default: text: suspicious; others: "
        "reliable]",
    ),
    click.option("--top", type=click.IntRange(0), help="Only the first so many.  [default: text: 20; others: all]"),
    click.option("--relation", help="Only these relations, with commas; ranks and bins are then those among them."),
    number(1, 10, "--bins", help="Bin 1 is the most reliable."),
    click.option("--bins-of-all", is_flag=True, help="With --relation: ranks and bins among all arcs."),
    click.option("--explain", is_flag=True, help="Say what speaks against each arc."),
    click.option(
        "--suggest", is_flag=True, help="With choice or --calibration: the most probable other head and relation."
    ),
)
@lisca_settings
@click.option("--features", help="Only these, with commas.  [default: all of the model's preset]")
@click.option("--characteristics", help="Only these of N, P, D (2013: N, P, L), with commas.  [default: all]")
@click.option("--seed", type=int, default=0, help="For --scorer random.")
@click.option("--verdicts", metavar="FILE", help="Leave out the arcs accepted in a file that the page exported.")
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

    The scorer choice asks how probable the head and the relation of each word are against all others in the sentence.
    --scorer lisca is the measure of the papers: the product of how usual each feature of the arc is in the reference
    corpus that the model was built from. `rank` counts from the most reliable arc, 1,
    whatever the order; `log_score` is the natural logarithm of the score (of another scorer, its score).
    """
    from treegauge.arcs.reference import CountSettings
    from treegauge.corpus.files import expand_paths
    from treegauge.reports.rank_job import rank_job

    paths = tuple(expand_paths(target))
    scoring = scoring.fitted(paths)
    order = files.order(paths, listed, unit, on_error)
    make = partial(
        scoring.of(unit).make,
        folds=by_itself.folds,
        settings=CountSettings(by_itself.preset, by_itself.pos, by_itself.subtypes),
        options=lisca.options(features, characteristics),
        seed=seed,
    )
    alone = scoring.by_self or by_itself.folds is not None
    said = None
    if verdicts is not None:
        from treegauge.ranking.verdicts import read_verdicts

        said = read_verdicts(verdicts)
    if files.cluster:
        if alone:
            raise OptionError("--cluster needs a model: a corpus judged by itself is read by one machine")
        _rank_on(files.cluster, order, make(), said)
        return
    with (
        Reading("scoring" if order.passes or order.on_disk else "reading", paths) as reading,
        rank_job(order, make if alone else make(), verdicts=said, met=reading) as job,
    ):
        reading.summary()
        for line in job.notes(said is not None):
            message(line)
        job.write()


def _rank_on(address: str, order: RankOrder, scorer: Scorer, verdicts: list[Verdict] | None) -> None:
    """Rank on the workers of a Dask cluster."""
    from treegauge.reports.cluster_ranking import rank_on
    from treegauge.scale.pool import open_pool

    skipped = Skipped()
    with (
        open_pool(cluster=address) as pool,
        stages("scoring", None) as told,
        rank_on(pool, order, scorer, verdicts=verdicts, skipped=skipped, progress=told) as job,
    ):
        skipped.summary()
        for line in job.notes(verdicts is not None):
            message(line)
        job.write()
