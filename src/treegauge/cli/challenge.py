"""`treegauge challenge`: chooses sentences that are hard to parse, or easy, as a set of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import ON_ERROR, OUTPUT, LiscaGroup, find_model, model_option, some_names, write_file
from treegauge.cli.messages import message, read_corpus, refuse_unused
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.difficulty.challenge_choice import ChallengeOptions


class ChallengeArguments(Arguments):
    """The arguments of `treegauge challenge`."""

    corpus: str = argument()
    model_name: str | None = model_option()
    unit: str = choice(
        ("arc", "sentence"), "Choose by how hard arcs are, or whole sentences (the mean log score of their arcs)."
    )
    easy: bool = flag("Choose the easiest instead of the hardest.")
    match_length: bool = flag("Compare each sentence with those of about its length (--unit sentence).", rare=True)
    relation: str | None = option("Rank only arcs with these relations (with commas), among themselves.")
    bins_text: str | None = option(
        "--from-bins",
        "Choose from these bins; the last is the hardest.  [default: the hardest (easiest) fifth]",
        metavar="9-10",
    )
    bins: int = number(1, 10, "Cut the ranking into N equal parts; bin 1 is the easiest.")
    bins_of_all: bool = flag("Count the bins of --relation among all arcs.", rare=True)
    direction: str | None = option(
        "Choose arcs whose head is on this side.", type=click.Choice(["head-before", "head-after"])
    )
    conditions: tuple[str, ...] = repeated(
        "--where",
        "Choose arcs with 'length>5', 'children=0', 'upos=PRON' … May be repeated; all must hold.",
        metavar="CONDITION",
    )
    every_arc: bool = flag("Choose sentences in which all arcs are such, not only one.", rare=True)
    n: int | None = number(1, None, "-n", "--sentences", "Choose so many sentences.  [default: all that there are]")
    pick: str = choice(
        ("random", "extreme"), "Draw the -n sentences by chance, or take the hardest (easiest).", rare=True
    )
    balance: str | None = option(
        "Choose as many sentences of each.", type=click.Choice(["bin", "relation", "direction", "upos"]), rare=True
    )
    seed: int = number(0, 0, "Seed the draw of --pick random.", rare=True)
    mark: str = option(
        "--misc", "Mark chosen arcs by this name in MISC; the value is the bin.", default="Challenge", rare=True
    )
    from_manifest: str | None = file("Make the set of this manifest again, from the same CORPUS.", rare=True)
    other_annotation: bool = flag(
        "Take the sentences of --from-manifest from another annotation of its corpus; no arc is marked.", rare=True
    )
    manifest_path: str | None = file(
        "--manifest", "Write the manifest to FILE.  [default: OUTPUT.manifest.json; none for stdout]", rare=True
    )
    lisca: LiscaGroup = group(LiscaGroup, rare=True)
    output: str = OUTPUT
    on_error: str = ON_ERROR

    def options(self) -> ChallengeOptions:
        """The options of the library."""
        from treegauge.difficulty.challenge_choice import ChallengeOptions, parse_bins

        conditions = (*([f"direction={self.direction}"] if self.direction else []), *self.conditions)
        from_bins = None if self.bins_text is None else parse_bins(self.bins_text)
        arcs = some_names(self.relation, "relation"), from_bins, self.bins, self.bins_of_all, conditions, self.every_arc
        return ChallengeOptions(
            self.unit, self.easy, *arcs, self.n, self.pick, self.balance, self.seed, self.match_length
        )


@command(ChallengeArguments)
def challenge(args: ChallengeArguments) -> None:
    """Choose sentences of CORPUS, gold or parsed CoNLL-U, that hold hard arcs, are hard, or are easy.

    Written as CoNLL-U, the chosen arcs marked in MISC, with a manifest: settings, hashes of model and source, and for
    each sentence why it was chosen.

    \b
    Example:
      treegauge challenge treebank.conllu --model en --relation nsubj -n 2 -o hard.conllu
    """
    refuse_unused(
        bins_of_all=(args.relation is not None, "--relation"),
        match_length=(args.unit == "sentence", "--unit sentence"),
        pick=(args.n is not None or args.balance is not None, "--sentences or --balance"),
        manifest_path=(args.from_manifest is None, "a new set, not --from-manifest"),
        mark=(not args.other_annotation, "arcs of the source itself, without --other-annotation"),
    )
    from treegauge.difficulty.challenge import challenge as choose_sentences
    from treegauge.difficulty.challenge import read_manifest, rebuild, same_sentences
    from treegauge.scorers.registry import scorer

    if args.from_manifest is not None:
        if args.model_name is not None:
            raise click.UsageError("--from-manifest needs no --model")
        make = same_sentences if args.other_annotation else rebuild
        write_file(make(read_corpus(args.corpus, args.on_error), read_manifest(args.from_manifest)), args.output)
        return
    if args.other_annotation:
        raise click.UsageError("--other-annotation goes with --from-manifest")
    options, by = (
        args.options(),
        scorer("lisca", find_model(args.model_name, (args.corpus,)), options=args.lisca.options()),
    )
    chosen = choose_sentences(read_corpus(args.corpus, args.on_error), by, options, mark=args.mark)
    write_file(chosen.content, args.output)
    manifest_path = args.manifest_path or (None if args.output == "-" else f"{args.output}.manifest.json")
    if manifest_path is not None:
        chosen.save_manifest(manifest_path)
    sizes = chosen.summary["set"]
    n, available, words, arcs = (sizes[name] for name in ("sentences", "available_sentences", "words", "chosen_arcs"))
    mean = f"{counted(words, 'word')}, {words / max(n, 1):.1f} a sentence"
    message(f"chose {n:,} of {counted(available, 'sentence')}, {mean}, {counted(arcs, 'chosen arc')}")
    if args.n is not None and n < args.n:
        why = "as many of each class" if args.balance else "there are no more"
        message(f"that is fewer than {args.n:,}: {why}")
    message(by.signature)
