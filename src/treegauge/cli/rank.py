"""`treegauge rank`: the arcs of a parsed corpus by plausibility."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from treegauge.cli.options import Skipped, message, on_error, progress_of_words
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.arcs.model import Model


def names(text: str | None) -> tuple[str, ...] | None:
    """The names in a list with commas."""
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


@click.command()
@click.argument("target", nargs=-1, required=True)
@click.option(
    "-m",
    "--model",
    "model_name",
    help="A model file, or the code of a bundled model (`treegauge model list`).",
)
@click.option("--self", "by_self", is_flag=True, help="Judge each sentence by all the others of TARGET.")
@click.option("--folds", type=click.IntRange(2), help="Judge each of so many parts of TARGET by the others.")
@click.option("--preset", type=click.Choice(["2020", "2013"]), default="2020", help="With --self or --folds.")
@click.option("--subtypes", is_flag=True, help="With --self or --folds: keep relation subtypes apart.")
@click.option("--pos", type=click.Choice(["upos", "xpos"]), default="upos", help="With --self or --folds.")
@click.option("--scorer", default="lisca", show_default=True, help="lisca, random, length, ptr, ltr or lptr (2013 §3).")
@click.option(
    "-f",
    "--format",
    "output_format",
    type=click.Choice(["text", "tsv", "json", "conllu"]),
    default="text",
    show_default=True,
)
@click.option("-o", "--output", default="-", help="A file instead of standard output.")
@click.option(
    "--order",
    type=click.Choice(["reliable", "suspicious", "corpus"]),
    help="Most reliable first, most suspicious first, or as they stand.  [default: text: suspicious; others: reliable]",
)
@click.option("--top", type=click.IntRange(0), help="Only the first so many.  [default: text: 20; others: all]")
@click.option("--relation", help="Only these relations, with commas; ranks and bins are then those among them.")
@click.option("--bins", type=click.IntRange(1), default=10, show_default=True, help="Bin 1 is the most reliable.")
@click.option("--bins-of-all", is_flag=True, help="With --relation: ranks and bins among all arcs.")
@click.option("--smoothing", help="`none` as in the papers, or the ALPHA of (F+ALPHA)/(N+2·ALPHA).  [default: 0.03]")
@click.option(
    "--range",
    "range_",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="r: sentences of L−r … L+r words.",
)
@click.option("--features", help="Only these, with commas.  [default: all of the model's preset]")
@click.option("--characteristics", help="Only these of N, P, D (2013: N, P, L), with commas.  [default: all]")
@click.option("--explain", is_flag=True, help="Say what speaks against each arc.")
@click.option("--seed", type=int, default=0, show_default=True, help="For --scorer random.")
@click.option(
    "--misc",
    "misc_names",
    default="LogScore,Bin",
    show_default=True,
    help="conllu: names of score and bin in MISC.",
)
@click.option("--mark", type=click.IntRange(0), default=0, help="conllu: put Mark=suspicious on so many arcs.")
@click.option("--verdicts", metavar="FILE", help="Leave out the arcs accepted in a file that the page exported.")
@on_error
def rank(
    target: tuple[str, ...],
    model_name: str | None,
    by_self: bool,
    folds: int | None,
    preset: str,
    subtypes: bool,
    pos: str,
    scorer: str,
    output_format: str,
    output: str,
    order: str | None,
    top: int | None,
    relation: str | None,
    bins: int,
    bins_of_all: bool,
    smoothing: str | None,
    range_: int,
    features: str | None,
    characteristics: str | None,
    explain: bool,
    seed: int,
    misc_names: str,
    mark: int,
    verdicts: str | None,
    on_error: str,
) -> None:
    """Rank the arcs of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin), by plausibility.

    Every arc gets the LISCA score: the product of how usual each of its features is in the reference corpus that
    the model was built from. `rank` counts from the most reliable arc, 1, whatever the order; `log_score` is the
    natural logarithm of the score (of another scorer, its score).
    """
    from treegauge.arcs.fit import model_fit
    from treegauge.arcs.ranking import rank_arcs
    from treegauge.arcs.scorers import make_scorer
    from treegauge.corpus.conllu import join_pieces, stream_conllu
    from treegauge.corpus.files import expand_paths, write_whole
    from treegauge.report import rankings

    options = lisca_options(smoothing, range_, features, characteristics)
    model = chosen_model(model_name, by_self or folds is not None, scorer)
    score_name, bin_name = two_names(misc_names)

    skipped = Skipped()
    columns = ("form", "lemma", "upos", "xpos", "deprel")
    pieces = []
    with progress_of_words("reading") as progress:
        for piece in stream_conllu(*expand_paths(target), columns=columns, on_error=on_error):
            pieces.append(piece)
            progress(piece.n_words)
            for defect in piece.defects:
                skipped(defect)
    skipped.summary()
    corpus = join_pieces(pieces, columns)

    if by_self or folds is not None:
        from treegauge.arcs.leave_out import self_scorer
        from treegauge.arcs.model import Settings

        made = self_scorer(corpus, Settings(preset, pos, subtypes), options, folds)
    else:
        made = make_scorer(scorer, model, options, seed)
    scores, accepted = made.scores(corpus), 0
    if verdicts is not None:
        from treegauge.arcs.verdicts import read_verdicts, without_accepted

        scores, accepted = without_accepted(corpus, scores, read_verdicts(verdicts))
        message(f"{accepted:,} accepted arcs are left out")
    ranking = rank_arcs(
        corpus,
        scores,
        made.signature,
        order=order or ("suspicious" if output_format == "text" else "reliable"),
        top=top if top is not None or output_format != "text" else 20,
        relations=names(relation),
        bins=bins,
        bins_of_all=bins_of_all,
    )
    explanations = made.explain(corpus, ranking.row) if explain else None
    fit = model_fit(corpus, made.lisca) if made.lisca and not made.leave_out else None
    message(made.signature)
    for line in fit.lines() if fit else ():
        message(line)
    if ranking.unranked > accepted:
        message(f"{ranking.unranked - accepted:,} arcs have no {scorer} and are not ranked")
    with write_whole(output) as stream:
        if output_format == "tsv":
            stream.writelines(lines.encode() for lines in rankings.tsv(ranking, explanations))
        elif output_format == "json":
            stream.write(rankings.to_json(ranking, fit, explanations).encode())
        elif output_format == "conllu":
            stream.write(rankings.conllu(ranking, scores, score_name, bin_name, mark))
        else:
            style = terminal_style if output == "-" and sys.stdout.isatty() else None
            lines = rankings.text(ranking, explanations, text_columns(), style)
            stream.writelines(line.encode() for line in lines)


def lisca_options(
    smoothing: str | None, range_: int, features: str | None, characteristics: str | None
) -> LiscaOptions:
    """The options of LISCA from those of the command line."""
    from treegauge.arcs.lisca import LiscaOptions, Smoothing

    chosen: Smoothing | None = Smoothing()
    if smoothing == "none":
        chosen = None
    elif smoothing is not None:
        try:
            chosen = Smoothing(float(smoothing))
        except ValueError as error:
            raise OptionError(f"--smoothing {smoothing!r}; expected `none` or a number above 0") from error
    return LiscaOptions(range_, chosen, names(features), names(characteristics))


def chosen_model(name: str | None, by_itself: bool, scorer: str) -> Model | None:
    """The model asked for; None where none is needed."""
    from treegauge.arcs.bundled import find_model
    from treegauge.arcs.scorers import needs_model

    needed = needs_model(scorer)
    if by_itself:
        if name is not None:
            raise OptionError("--model and --self (or --folds) exclude each other")
        if scorer != "lisca":
            raise OptionError("--self and --folds are for --scorer lisca")
        return None
    if name is None and needed:
        raise OptionError("no reference: give --model FILE, --model CODE (see `treegauge model list`), or --self")
    return None if name is None else find_model(name)


def two_names(text: str) -> tuple[str, str]:
    """The names of score and bin in MISC."""
    parts = text.split(",")
    if len(parts) != 2 or any(c in text for c in "|=\t "):
        raise OptionError(f"--misc {text!r}; expected two names with a comma between, either of which may be empty")
    return parts[0], parts[1]


def text_columns() -> int:
    """Columns of the terminal, 100 where there is none."""
    import shutil

    return min(shutil.get_terminal_size((100, 24)).columns, 160)


def terminal_style(text: str, role: str) -> str:
    """Colours for a drawing on a terminal; shape carries the same information."""
    if role == "title":
        return click.style(text, dim=True)
    return click.style(text, fg="red" if role != "head" else "blue", bold=role != "arc")
