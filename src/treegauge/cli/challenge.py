"""`treegauge challenge`: sentences that are hard to parse, or easy, as a set of their own."""

from __future__ import annotations

import click

from treegauge.cli.options import message
from treegauge.cli.scoring import lisca_settings, model_option, names_of, read_parsed, write_text
from treegauge.errors import OptionError


@click.command()
@click.argument("corpus")
@model_option(required=False)
@click.option(
    "--by",
    type=click.Choice(["arcs", "sentences"]),
    default="arcs",
    show_default=True,
    help="Difficulty of arcs, or of whole sentences (the mean log score of their arcs).",
)
@click.option("--easy", is_flag=True, help="The contrary: the easiest.")
@click.option("--relation", help="Arcs with these relations, with commas; bins are then those among them.")
@click.option(
    "--bins", "bins_text", metavar="9-10", help="Bins to choose from.  [default: the hardest (easiest) fifth]"
)
@click.option("--n-bins", type=click.IntRange(1), default=10, show_default=True, help="Equal bins of the ranking.")
@click.option("--bins-of-all", is_flag=True, help="With --relation: bins among all arcs.")
@click.option("--direction", type=click.Choice(["head-before", "head-after"]), help="Where the head is.")
@click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Such as 'length>5', 'children=0', 'upos=PRON'; may be repeated, and all must hold.",
)
@click.option("--every-arc", is_flag=True, help="Sentences all of whose ranked arcs are such, not one at least.")
@click.option("-n", "n", type=click.IntRange(1), help="So many sentences.  [default: all there are]")
@click.option(
    "--pick",
    type=click.Choice(["random", "extreme"]),
    default="random",
    show_default=True,
    help="Which n: drawn with --seed, or the hardest (easiest).",
)
@click.option(
    "--balance",
    type=click.Choice(["bin", "relation", "direction", "upos"]),
    help="As many sentences of each.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--mark", default="Challenge", show_default=True, help="Name in MISC of chosen arcs; the value is the bin."
)
@click.option("--from-manifest", metavar="FILE", help="The set of a manifest again, from the same CORPUS.")
@click.option(
    "--other-annotation",
    is_flag=True,
    help="With --from-manifest: CORPUS is not its source, but say a parser's output on it; no arc is marked.",
)
@click.option("--manifest", "manifest_path", metavar="FILE", help="[default: OUTPUT.manifest.json; none for stdout]")
@lisca_settings
@click.option("-o", "--output", default="-", metavar="FILE", help="A file instead of standard output.")
def challenge(
    corpus: str,
    model_name: str | None,
    by: str,
    easy: bool,
    relation: str | None,
    bins_text: str | None,
    n_bins: int,
    bins_of_all: bool,
    direction: str | None,
    conditions: tuple[str, ...],
    every_arc: bool,
    n: int | None,
    pick: str,
    balance: str | None,
    seed: int,
    mark: str,
    from_manifest: str | None,
    other_annotation: bool,
    manifest_path: str | None,
    smoothing: str | None,
    range_: int,
    output: str,
) -> None:
    """Choose sentences of CORPUS, gold or parsed CoNLL-U, that hold hard arcs, are hard, or are easy.

    Written as CoNLL-U, the chosen arcs marked in MISC, with a manifest: settings, hashes of model and source, and for
    each sentence why it was chosen.
    """
    from treegauge.arcs.lisca import Lisca
    from treegauge.cli.rank import lisca_options
    from treegauge.difficulty.challenge import make_challenge, read_manifest, rebuild, same_sentences
    from treegauge.difficulty.choosing import Choice, parse_bins
    from treegauge.models.bundled_models import find_model
    from treegauge.reports.table_text import write_json

    if from_manifest is not None:
        if model_name is not None:
            raise click.UsageError("--from-manifest needs no --model")
        make = same_sentences if other_annotation else rebuild
        write_text(make(read_parsed(corpus), read_manifest(from_manifest)), output)
        return
    if other_annotation:
        raise click.UsageError("--other-annotation goes with --from-manifest")
    if model_name is None:
        raise OptionError("no reference: give --model FILE or --model CODE (see `treegauge model list`)")
    choice = Choice(
        by,
        easy,
        None if relation is None else names_of(relation, "relation"),
        None if bins_text is None else parse_bins(bins_text),
        n_bins,
        bins_of_all,
        (*([f"direction={direction}"] if direction else []), *conditions),
        every_arc,
        n,
        pick,
        balance,
        seed,
    )
    lisca = Lisca(find_model(model_name), lisca_options(smoothing, range_, None, None))
    content, manifest = make_challenge(read_parsed(corpus), lisca, choice, mark)
    found = manifest["set"]
    write_text(content, output)
    if manifest_path is None and output != "-":
        manifest_path = f"{output}.manifest.json"
    if manifest_path is not None:
        write_text(write_json(manifest), manifest_path)
    message(
        f"{found['sentences']:,} of {found['available_sentences']:,} sentences that fulfil this, {found['words']:,} "
        f"words, {found['chosen_arcs']:,} chosen arcs"
    )
    if n is not None and found["sentences"] < n:
        message(f"that is fewer than {n:,}: {'as many of each class' if balance else 'there are no more'}")
    message(lisca.signature)
