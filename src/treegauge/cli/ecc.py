"""`treegauge ecc`: how hard a constituency treebank is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from treegauge.errors import CorpusError

if TYPE_CHECKING:
    from treegauge.grammar.grammar import Derivation
    from treegauge.grammar.measures import EccResult, EccSettings

# Choices are repeated here so that help needs no heavy import; a test holds them against the library's.
STYLES = ("penn", "cess", "floresta")
FORMATS = ("text", "tsv", "json", "markdown", "latex")
PLOTS = ("ecc-emr", "learning-curve")

Sample = tuple["list[Derivation]", list[str]]  # trees and where each stands


@click.command()
@click.argument("treebanks", nargs=-1, metavar="TREEBANK...")
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Test sample; once for all treebanks, or once for each.",
)
@click.option("--together", is_flag=True, help="All arguments are one treebank.")
@click.option(
    "--input",
    "style",
    type=click.Choice(STYLES),
    default="penn",
    show_default=True,
    help="Habits of the brackets.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Of the tables.")
@click.option("--leave-one-out", is_flag=True, help="Test each tree with the grammar of all the others.")
@click.option("--growing", type=click.IntRange(1), metavar="N", help="N nested random samples, one common test sample.")
@click.option("--learning-curve", "curve", is_flag=True, help="Running mean of Δt in three shuffles.")
@click.option("--per-sentence", is_flag=True, help="One row per sentence: Δt, log p, number of parses, tree entropy.")
@click.option("--text", metavar="FILE.conllu", help="Tree entropy of tagged text under the grammar of TREEBANK.")
@click.option(
    "--tags", type=click.Choice(("xpos", "upos")), default="xpos", show_default=True, help="Column of --text."
)
@click.option(
    "--transform",
    type=click.Choice(("none", "parent")),
    default="none",
    show_default=True,
    help="Annotate labels with their parent's.",
)
@click.option("--cluster", metavar="FILE", help="Merge labels: a file, or ptb-pos, ptb-nt, ptb-all.")
@click.option(
    "--punctuation-tags",
    type=click.Choice(("none", "wsj")),
    default="none",
    show_default=True,
    help="Retag punctuation by its form.",
)
@click.option(
    "--max-length",
    type=click.IntRange(2),
    default=40,
    show_default=True,
    help="Evaluate trees of fewer tags.",
)
@click.option("--keep-functions", is_flag=True, help="NP-SBJ stays NP-SBJ.")
@click.option("--keep-empty", is_flag=True, help="Empty elements stay, as the tag -NONE-.")
@click.option(
    "--parseval",
    type=click.Choice(("plain", "collins")),
    default="plain",
    show_default=True,
    help="All brackets but TOP, or EVALB's COLLINS.prm.",
)
@click.option("--no-parse", is_flag=True, help="ECC only, without LP, LR, F1 and EMR: faster.")
@click.option("--plot", type=click.Choice(PLOTS), help="Also draw a picture.")
@click.option("--plot-file", metavar="FILE", help="Of the picture: .png .svg .pdf.  [default: the plot's name .png]")
@click.option("--runs", multiple=True, metavar="FILE", help="Also plot results of earlier runs (--format json).")
@click.option(
    "--on-error",
    type=click.Choice(("stop", "skip")),
    default="stop",
    show_default=True,
    help="At bad brackets.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of shuffles.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Threads.  [default: all cores]")
def ecc(
    treebanks: tuple[str, ...], tests: tuple[str, ...], style: str, on_error: str, form: str, **options: Any
) -> None:
    """How hard each TREEBANK is: ECC, the expected conditional cross-entropy, and PARSEVAL.

    A TREEBANK is a file of bracketed trees, a directory of them or a quoted glob. Its grammar is read off
    the trees, over POS tags, and the trees under 40 tags are measured with it: HD and HS, cross-entropies of
    trees and of tag sequences, in bits; ECC = HD − HS, the bits still missing for the tree once the sentence
    is known; LP LR F1 EMR of the most probable trees. Intervals are at 99 %. --test measures other trees
    with the same grammar, those that it covers.

    \b
    treegauge ecc wsj/                             # on the trees the grammar was read off
    treegauge ecc train.mrg --test test.mrg --format markdown
    treegauge ecc wsj/ --leave-one-out
    treegauge ecc wsj/ --text tagged.conllu --per-sentence --format tsv
    """
    _check(treebanks, tests, options)
    settings = _settings(style, options)
    if options["plot"]:
        from treegauge.grammar.figures import check_picture

        options["plot_file"] = options["plot_file"] or f"{options['plot']}.png"
        check_picture(options["plot_file"])
    groups = [treebanks] if options["together"] and treebanks else [(path,) for path in treebanks]
    samples = [_read(paths, style, on_error, settings) for paths in groups]
    others = [_read((path,), style, on_error, settings) for path in tests]
    names = [paths[0] if len(paths) == 1 else f"{paths[0]} … {paths[-1]}" for paths in groups]
    if len(others) == 1:
        others *= len(samples)
    if options["text"]:
        _text(samples[0], settings, form, on_error, options)
    elif options["per_sentence"]:
        _per_sentence(samples, others, settings, form)
    elif options["curve"]:
        _curve(names, samples, settings, form, options)
    else:
        _tables(names, samples, others, settings, form, options)


def _check(treebanks: tuple[str, ...], tests: tuple[str, ...], options: dict[str, Any]) -> None:
    """What options cannot say one by one."""
    if not treebanks and not (options["runs"] and options["plot"] == "ecc-emr"):
        raise click.UsageError("no TREEBANK; expected at least one (or --runs with --plot ecc-emr)")
    n = 1 if options["together"] else len(treebanks)
    if len(tests) > 1 and len(tests) != n:
        raise click.UsageError(f"{len(tests)} --test for {n} treebanks; expected one, or one for each")
    if options["leave_one_out"] and tests:
        raise click.UsageError("--leave-one-out with --test; expected one of them")
    exclusive = [name for name in ("leave_one_out", "growing", "curve", "per_sentence") if options[name]]
    if len(exclusive) > 1:
        names = ["learning-curve" if name == "curve" else name.replace("_", "-") for name in exclusive]
        raise click.UsageError(f"--{' with --'.join(names)}; expected one of them")
    if options["text"] and n != 1:
        raise click.UsageError(f"--text with {n} treebanks; expected one, whose grammar is used")
    if options["text"] and (tests or options["growing"] or options["curve"] or options["leave_one_out"]):
        raise click.UsageError("--text measures tagged text; expected it without --test, --growing and the like")
    if options["plot"] == "ecc-emr" and (options["no_parse"] or options["curve"] or options["per_sentence"]):
        raise click.UsageError("--plot ecc-emr needs EMR; expected it without --no-parse and other tables")
    if options["plot"] and (options["plot"] == "learning-curve") != options["curve"]:
        raise click.UsageError("--plot learning-curve goes with --learning-curve")
    if options["runs"] and options["plot"] != "ecc-emr":
        raise click.UsageError("--runs goes with --plot ecc-emr")
    if options["plot_file"] and not options["plot"]:
        raise click.UsageError("--plot-file without --plot")


def _settings(style: str, options: dict[str, Any]) -> EccSettings:
    from treegauge.grammar.bracket_scores import parseval_options
    from treegauge.grammar.cleaning import Cleaning, Clusters, read_clusters
    from treegauge.grammar.measures import EccSettings

    cleaning = Cleaning(
        style,
        options["keep_functions"],
        options["keep_empty"],
        read_clusters(options["cluster"]) if options["cluster"] else Clusters(),
        options["transform"],
        options["punctuation_tags"],
    )
    wanted = not (options["no_parse"] or options["curve"])
    return EccSettings(
        cleaning, options["max_length"], parseval_options(options["parseval"]), wanted, options["workers"]
    )


def _read(paths: tuple[str, ...], style: str, on_error: str, settings: EccSettings) -> Sample:
    """The trees of one treebank, cleaned; what was left out is told."""
    from treegauge.grammar.brackets import read_brackets
    from treegauge.grammar.grammar import treebank_derivations

    treebank = read_brackets(*paths, style=style, on_error=on_error)
    for defect in treebank.defects:
        click.echo(f"treegauge: left out: {defect}", err=True)
    if treebank.defects:
        click.echo(f"treegauge: {paths[0]}: {len(treebank.defects)} malformed trees left out", err=True)
    sample = treebank_derivations(treebank, settings.cleaning)
    if not sample[0]:
        raise CorpusError(f"{paths[0]}: no trees; expected at least one")
    return sample


def _tables(
    treebanks: Sequence[str],
    samples: list[Sample],
    others: list[Sample],
    settings: EccSettings,
    form: str,
    options: dict[str, Any],
) -> None:
    from treegauge.grammar.figures import plot_ecc_emr, points, read_runs, signatures
    from treegauge.grammar.measures import ecc as measured
    from treegauge.grammar.samples import growing
    from treegauge.grammar.tables import ecc_table

    runs = read_runs(options["runs"])
    results: list[EccResult] = []
    total = sum(_short(trees, settings) for trees, _ in [*samples, *others])
    with _progress("trees", total * (options["growing"] or 1 + options["leave_one_out"])) as progress:
        for at, (name, (trees, _)) in enumerate(zip(treebanks, samples, strict=True)):
            test = others[at][0] if others else None
            if options["growing"]:
                results += growing(
                    trees,
                    test,
                    settings,
                    parts=options["growing"],
                    seed=options["seed"],
                    name=name,
                    progress=progress,
                )
            else:
                loo = options["leave_one_out"]
                results.append(measured(trees, test, settings, leave_one_out=loo, name=name, progress=progress))
    if options["plot"]:
        shown: list[EccResult | dict[str, Any]] = [*runs, *results]
        plot_ecc_emr(points(shown), options["plot_file"], signatures(shown))
        click.echo(f"treegauge: wrote {options['plot_file']}", err=True)
    if results:
        click.echo(ecc_table(results, form, settings.max_length), nl=False)


def _per_sentence(samples: list[Sample], others: list[Sample], settings: EccSettings, form: str) -> None:
    """Rows of the test sample where there is one, else of the treebank itself."""
    from treegauge.grammar.grammar import TreebankGrammar
    from treegauge.grammar.sentences import tree_rows
    from treegauge.grammar.tables import sentence_table

    rows = []
    shown = others or samples
    with _progress("sentences", sum(_short(trees, settings) for trees, _ in shown)) as progress:
        for (trees, _), (tested, names) in zip(samples, shown, strict=True):
            grammar = TreebankGrammar.from_derivations(trees, settings.cleaning)
            rows += tree_rows(grammar, tested, settings, names=names, progress=progress)
    click.echo(sentence_table(rows, form, settings.signature), nl=False)


def _text(sample: Sample, settings: EccSettings, form: str, on_error: str, options: dict[str, Any]) -> None:
    from treegauge.corpus.conllu import read_conllu
    from treegauge.grammar.grammar import TreebankGrammar
    from treegauge.grammar.measures import with_parts
    from treegauge.grammar.sentences import text_figures, text_rows
    from treegauge.grammar.tables import figures_table, sentence_table

    column = options["tags"]
    corpus = read_conllu(options["text"], columns=(column,), trees=False, on_error=on_error)
    labels, codes, start = corpus.labels[column], corpus.codes[column].tolist(), corpus.start.tolist()
    sentences = [[labels[code] for code in codes[low:high]] for low, high in pairwise(start)]
    grammar = TreebankGrammar.from_derivations(sample[0], settings.cleaning)
    unknown = sorted(set(labels) - set(grammar.tags))
    if unknown:
        shown = " ".join(unknown[:8]) + (" …" if len(unknown) > 8 else "")
        click.echo(
            f"treegauge: {options['text']}: {len(unknown)} of {len(labels)} tags in {column} are not the "
            f"treebank's: {shown}; sentences with them have no tree",
            err=True,
        )
    names = [corpus.sent_id(s) or f"{options['text']}: {s + 1}" for s in range(corpus.n_sentences)]
    with _progress("sentences", len(sentences)) as progress:
        rows = text_rows(grammar, sentences, settings, names=names, progress=progress)
    signature = with_parts(settings, f"tags:{column}").signature
    if options["per_sentence"]:
        click.echo(sentence_table(rows, form, signature), nl=False)
    else:
        figures = {"text": options["text"], **text_figures(rows, corpus.n_sentences)}
        click.echo(figures_table(figures, form, signature), nl=False)


def _curve(
    treebanks: Sequence[str], samples: list[Sample], settings: EccSettings, form: str, options: dict[str, Any]
) -> None:
    from treegauge.grammar.figures import plot_learning_curves
    from treegauge.grammar.measures import ecc as measured
    from treegauge.grammar.measures import with_parts
    from treegauge.grammar.samples import learning_curve
    from treegauge.grammar.tables import curve_table

    signature = with_parts(settings, f"seed:{options['seed']}").signature
    curves = {}
    with _progress("trees", sum(_short(trees, settings) for trees, _ in samples)) as progress:
        for name, (trees, _) in zip(treebanks, samples, strict=True):
            result = measured(trees, None, settings, name=name, progress=progress)
            curves[name] = learning_curve(result.train_measured.delta, seed=options["seed"])
    if options["plot"]:
        plot_learning_curves(curves, options["plot_file"], signature)
        click.echo(f"treegauge: wrote {options['plot_file']}", err=True)
    for name, lines in curves.items():
        click.echo(curve_table(name, lines, form, signature), nl=False)


def _short(trees: Sequence[Derivation], settings: EccSettings) -> int:
    return sum(len(tree) < settings.max_length for tree in trees)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(what, total=total)
        yield lambda n: bars.advance(bar, n)
