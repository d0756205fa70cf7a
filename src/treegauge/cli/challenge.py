"""`treegauge challenge`: sentences that are hard to parse, or easy, as a set of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import OUTPUT, LiscaGroup, gathered, lisca_settings, model_option, some_names, write_file
from treegauge.cli.options import choice, message, number, on_error, read_told

if TYPE_CHECKING:
    from treegauge.difficulty.choosing import ChallengeOptions


@dataclass(frozen=True, slots=True)
class ChallengeGroup:
    """Which sentences are chosen."""

    by: str
    easy: bool
    relation: str | None
    bins_text: str | None
    n_bins: int
    bins_of_all: bool
    direction: str | None
    conditions: tuple[str, ...]
    every_arc: bool
    n: int | None
    pick: str
    balance: str | None
    seed: int

    def options(self) -> ChallengeOptions:
        """The same for the library."""
        from treegauge.difficulty.choosing import ChallengeOptions, parse_bins

        return ChallengeOptions(
            self.by,
            self.easy,
            some_names(self.relation, "relation"),
            None if self.bins_text is None else parse_bins(self.bins_text),
            self.n_bins,
            self.bins_of_all,
            (*([f"direction={self.direction}"] if self.direction else []), *self.conditions),
            self.every_arc,
            self.n,
            self.pick,
            self.balance,
            self.seed,
        )


@click.command()
@click.argument("corpus")
@model_option(required=False)
@gathered(
    "asked",
    ChallengeGroup,
    choice(
        ("arcs", "sentences"),
        "--by",
        help="Difficulty of arcs, or of whole sentences (the mean log score of their arcs).",
    ),
    click.option("--easy", is_flag=True, help="The contrary: the easiest."),
    click.option("--relation", help="Arcs with these relations, with commas; bins are then those among them."),
    click.option(
        "--bins", "bins_text", metavar="9-10", help="Bins to choose from.  [default: the hardest (easiest) fifth]"
    ),
    number(1, 10, "--n-bins", help="Equal bins of the ranking."),
    click.option("--bins-of-all", is_flag=True, help="With --relation: bins among all arcs."),
    click.option("--direction", type=click.Choice(["head-before", "head-after"]), help="Where the head is."),
    click.option(
        "--where",
        "conditions",
        multiple=True,
        metavar="CONDITION",
        help="Such as 'length>5', 'children=0', 'upos=PRON'; may be repeated, and all must hold.",
    ),
    click.option("--every-arc", is_flag=True, help="Sentences all of whose ranked arcs are such, not one at least."),
    click.option("-n", "n", type=click.IntRange(1), help="So many sentences.  [default: all there are]"),
    choice(("random", "extreme"), "--pick", help="Which n: drawn with --seed, or the hardest (easiest)."),
    click.option(
        "--balance", type=click.Choice(["bin", "relation", "direction", "upos"]), help="As many sentences of each."
    ),
    number(0, 0, "--seed"),
)
@click.option("--mark", default="Challenge", help="Name in MISC of chosen arcs; the value is the bin.")
@click.option("--from-manifest", metavar="FILE", help="The set of a manifest again, from the same CORPUS.")
@click.option(
    "--other-annotation",
    is_flag=True,
    help="With --from-manifest: CORPUS is not its source, but say a parser's output on it; no arc is marked.",
)
@click.option("--manifest", "manifest_path", metavar="FILE", help="[default: OUTPUT.manifest.json; none for stdout]")
@lisca_settings
@OUTPUT
@on_error
def challenge(
    corpus: str,
    model_name: str | None,
    asked: ChallengeGroup,
    mark: str,
    from_manifest: str | None,
    other_annotation: bool,
    manifest_path: str | None,
    lisca: LiscaGroup,
    output: str,
    on_error: str,
) -> None:
    """Choose sentences of CORPUS, gold or parsed CoNLL-U, that hold hard arcs, are hard, or are easy.

    Written as CoNLL-U, the chosen arcs marked in MISC, with a manifest: settings, hashes of model and source, and for
    each sentence why it was chosen.
    """
    from treegauge.difficulty.challenge import challenge as made
    from treegauge.difficulty.challenge import read_manifest, rebuild, same_sentences
    from treegauge.scorers.registry import scorer

    if from_manifest is not None:
        if model_name is not None:
            raise click.UsageError("--from-manifest needs no --model")
        make = same_sentences if other_annotation else rebuild
        write_file(make(read_told(corpus, on_error), read_manifest(from_manifest)), output)
        return
    if other_annotation:
        raise click.UsageError("--other-annotation goes with --from-manifest")
    options, by = asked.options(), scorer("lisca", model_name, options=lisca.options())
    chosen = made(read_told(corpus, on_error), by, options, mark=mark)
    write_file(chosen.content, output)
    if manifest_path is None and output != "-":
        manifest_path = f"{output}.manifest.json"
    if manifest_path is not None:
        write_file(chosen.manifest_bytes(), manifest_path)
    found = chosen.manifest["set"]
    message(
        f"{found['sentences']:,} of {found['available_sentences']:,} sentences that fulfil this, {found['words']:,} "
        f"words, {found['chosen_arcs']:,} chosen arcs"
    )
    if asked.n is not None and found["sentences"] < asked.n:
        why = "as many of each class" if asked.balance else "there are no more"
        message(f"that is fewer than {asked.n:,}: {why}")
    message(by.signature)
