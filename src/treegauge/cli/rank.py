"""`treegauge rank`: the arcs of a parsed corpus by plausibility."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from treegauge.cli.large_rank import MEMORY, larger_than_memory, rank_large
from treegauge.cli.options import Skipped, message, on_error, progress_of
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.arcs.reference import Model
    from treegauge.scorers.registry import Scorer


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
@click.option("--scorer", default="lisca", show_default=True, help="lisca, choice, random, length, ptr, ltr or lptr.")
@click.option(
    "--calibration",
    metavar="FILE",
    help="Rank by the probability that an arc is right: a file of `treegauge calibrate`, or `any`.",
)
@click.option(
    "--unit",
    type=click.Choice(["arc", "sentence"]),
    default="arc",
    show_default=True,
    help="What is ranked: sentences go by the mean score of their arcs.",
)
@click.option(
    "--suggest", is_flag=True, help="With choice or --calibration: the most probable other head and relation."
)
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
@click.option(
    "--memory",
    type=click.IntRange(1),
    metavar="MB",
    help="Sort on disk, within about so much memory.  [default: 1000 for corpora larger than memory]",
)
@click.option("--split", type=click.IntRange(1), metavar="N", help="tsv, conllu: a file, FILE-00001 …, per N arcs.")
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
    calibration: str | None,
    unit: str,
    suggest: bool,
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
    memory: int | None,
    split: int | None,
    verdicts: str | None,
    on_error: str,
) -> None:
    """Rank the arcs of TARGET, parsed CoNLL-U (files, directories, globs; `-` for stdin), by plausibility.

    Every arc gets the LISCA score: the product of how usual each of its features is in the reference corpus that
    the model was built from. --scorer choice finds more errors: how probable this head and this relation are against
    all others in the sentence (a model of `model build --choice`). `rank` counts from the most reliable arc, 1,
    whatever the order; `log_score` is the natural logarithm of the score (of another scorer, its score).
    """
    from treegauge.corpus.conllu import join_pieces, stream_conllu
    from treegauge.corpus.files import expand_paths, write_whole
    from treegauge.models.fit import model_fit
    from treegauge.ranking.ranking import rank_arcs
    from treegauge.ranking.verdicts import Accepted, read_verdicts
    from treegauge.reports import rankings
    from treegauge.scorers.registry import columns_for

    if calibration is not None:
        if by_self or folds is not None:
            raise OptionError("--calibration needs --model: it was made with one")
        scorer = "choice"  # what it rests on
    options = lisca_options(smoothing, range_, features, characteristics)
    model = chosen_model(model_name, by_self or folds is not None, scorer)
    score_name, bin_name = two_names(misc_names)
    accepted = None if verdicts is None else Accepted(read_verdicts(verdicts))

    order = order or ("suspicious" if output_format == "text" else "reliable")
    top = top if top is not None or output_format != "text" else 20
    paths = expand_paths(target)
    if memory or split or larger_than_memory(paths, output_format):
        from treegauge.ranking.stream import Wanted

        if by_self or folds is not None:
            raise OptionError("--self and --folds need the corpus in memory: leave out --memory and --split")
        if unit == "sentence" or suggest:
            raise OptionError("--unit sentence and --suggest need the corpus in memory: leave out --memory and --split")
        rank_large(
            paths,
            made_scorer(scorer, model, options, seed, calibration),
            Wanted(order, top, names(relation), bins, bins_of_all),
            output_format=output_format,
            output=output,
            memory=memory or MEMORY,
            split=split,
            explain=explain,
            names=(score_name, bin_name),
            mark=mark,
            on_error=on_error,
            accepted=accepted,
        )
        return

    skipped = Skipped()
    columns = columns_for(scorer)
    pieces = []
    with progress_of("reading") as progress:
        for piece in stream_conllu(*paths, columns=columns, on_error=on_error):
            pieces.append(piece)
            progress(piece.n_words)
            for defect in piece.defects:
                skipped(defect)
    skipped.summary()
    corpus = join_pieces(pieces, columns)

    if (by_self or folds is not None) and scorer == "choice":
        from treegauge.scorers.choice_by_itself import FOLDS, choice_self_scorer

        made = choice_self_scorer(corpus, folds or FOLDS)
    elif by_self or folds is not None:
        from treegauge.arcs.reference import Settings
        from treegauge.scorers.by_itself import self_scorer

        made = self_scorer(corpus, Settings(preset, pos, subtypes), options, folds)
    else:
        made = made_scorer(scorer, model, options, seed, calibration)
    scores = (accepted.left_out(made) if accepted else made).scores(corpus)
    if accepted:
        message(accepted.line())
    if unit == "sentence":
        if explain or suggest or relation or mark:
            raise OptionError("--unit sentence excludes --explain, --suggest, --relation and --mark")
        from treegauge.ranking.sentences import rank_sentences

        message(made.signature)
        sentences = rank_sentences(corpus, scores, made.signature, order=order, top=top, bins=bins)
        with write_whole(output) as stream:
            stream.writelines(rankings.sentences(sentences, output_format, text_columns()))
        return
    ranking = rank_arcs(
        corpus,
        scores,
        made.signature,
        order=order,
        top=top,
        relations=names(relation),
        bins=bins,
        bins_of_all=bins_of_all,
        probabilities=made.probabilities,
    )
    if suggest:
        from treegauge.choice.suggestions import with_suggestions

        ranking = with_suggestions(ranking, made)
    explanations = made.explain(corpus, ranking.row) if explain else None
    fit = model_fit(corpus, made.lisca) if made.lisca and not made.leave_out else None
    message(made.signature)
    for line in fit.lines() if fit else ():
        message(line)
    if unranked := ranking.unranked - (accepted.count if accepted else 0):
        message(f"{unranked:,} arcs have no {scorer} and are not ranked")
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


def made_scorer(name: str, model: Model | None, options: LiscaOptions, seed: int, calibration: str | None) -> Scorer:
    """The scorer asked for, calibrated if that is."""
    from treegauge.scorers.registry import make_scorer

    if calibration is None:
        return make_scorer(name, model, options, seed)
    from treegauge.calibration.logistic import find_calibration
    from treegauge.scorers.calibrated import calibrated_scorer

    made = find_calibration(calibration)
    assert model is not None
    if made.made_with != model.signature:
        message(f"{calibration} was made from {made.made_from} with other models: less to be trusted")
    return calibrated_scorer(made, model)


def chosen_model(name: str | None, by_itself: bool, scorer: str) -> Model | None:
    """The model asked for; None where none is needed."""
    from treegauge.models.bundled_models import find_model
    from treegauge.scorers.registry import needs_model

    needed = needs_model(scorer)
    if by_itself:
        if name is not None:
            raise OptionError("--model and --self (or --folds) exclude each other")
        if scorer not in ("lisca", "choice"):
            raise OptionError("--self and --folds are for --scorer lisca and choice")
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
