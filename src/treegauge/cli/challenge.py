"""`treegauge challenge`: sentences that are hard to parse, or easy, as a set of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import OUTPUT, LiscaGroup, gathered, lisca_settings, model_option, some_names, write_file
from treegauge.cli.options import choice, message, number, on_error, read_told, refuse_unused
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.difficulty.challenge_choice import ChallengeOptions


@dataclass(frozen=True, slots=True)
class ChallengeGroup:
    """Which sentences are chosen."""

    unit: str
    easy: bool
    relation: str | None
    bins_text: str | None
    bins: int
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
        from treegauge.difficulty.challenge_choice import ChallengeOptions, parse_bins

        return ChallengeOptions(
            self.unit,
            self.easy,
            some_names(self.relation, "relation"),
            None if self.bins_text is None else parse_bins(self.bins_text),
            self.bins,
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
        ("arc", "sentence"),
        "--unit",
        help="Choose by how hard arcs are, or whole sentences (the mean log score of their arcs).",
    ),
    click.option("--easy", is_flag=True, help="Choose the easiest instead of the hardest."),
    click.option("--relation", help="Rank only arcs with these relations (with commas), among themselves."),
    click.option(
        "--from-bins",
        "bins_text",
        metavar="9-10",
        help="Choose from these bins; the last is the hardest.  [default: the hardest (easiest) fifth]",
    ),
    number(1, 10, "--bins", help="Cut the ranking into N equal parts; bin 1 is the easiest."),
    click.option("--bins-of-all", is_flag=True, help="Count the bins of --relation among all arcs."),
    click.option(
        "--direction", type=click.Choice(["head-before", "head-after"]), help="Choose arcs whose head is on this side."
    ),
    click.option(
        "--where",
        "conditions",
        multiple=True,
        metavar="CONDITION",
        help="Choose arcs with 'length>5', 'children=0', 'upos=PRON' … May be repeated; all must hold.",
    ),
    click.option("--every-arc", is_flag=True, help="Choose sentences in which all arcs are such, not only one."),
    click.option(
        "-n",
        "--sentences",
        "n",
        metavar="N",
        type=click.IntRange(1),
        help="Choose so many sentences.  [default: all that there are]",
    ),
    choice(("random", "extreme"), "--pick", help="Draw the -n sentences by chance, or take the hardest (easiest)."),
    click.option(
        "--balance",
        type=click.Choice(["bin", "relation", "direction", "upos"]),
        help="Choose as many sentences of each.",
    ),
    number(0, 0, "--seed", help="Seed the draw of --pick random."),
)
@click.option(
    "--misc", "mark", default="Challenge", help="Mark chosen arcs by this name in MISC; the value is the bin."
)
@click.option("--from-manifest", metavar="FILE", help="Make the set of this manifest again, from the same CORPUS.")
@click.option(
    "--other-annotation",
    is_flag=True,
    help="Take the sentences of --from-manifest from another annotation of its corpus; no arc is marked.",
)
@click.option(
    "--manifest",
    "manifest_path",
    metavar="FILE",
    help="Write the manifest to FILE.  [default: OUTPUT.manifest.json; none for stdout]",
)
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

    \b
    Example:
      treegauge challenge treebank.conllu --model en --relation nsubj -n 2 -o hard.conllu
    """
    refuse_unused(
        bins_of_all=(asked.relation is not None, "--relation"),
        pick=(asked.n is not None or asked.balance is not None, "--sentences or --balance"),
        manifest_path=(from_manifest is None, "a new set, not --from-manifest"),
        mark=(not other_annotation, "arcs of the source itself, without --other-annotation"),
    )
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
    n, there, words, arcs = (found[name] for name in ("sentences", "available_sentences", "words", "chosen_arcs"))
    message(f"chose {n:,} of {counted(there, 'sentence')}, {counted(words, 'word')}, {counted(arcs, 'chosen arc')}")
    if asked.n is not None and n < asked.n:
        why = "as many of each class" if asked.balance else "there are no more"
        message(f"that is fewer than {asked.n:,}: {why}")
    message(by.signature)
