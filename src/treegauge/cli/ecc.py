"""`treegauge ecc`: how hard a constituency treebank is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import OutputGroup, table_output, write_file
from treegauge.cli.options import choice, message, number, on_error, progress_of, refuse_unused, style, tell_skipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from treegauge.constituency.brackets import BracketTreebank
    from treegauge.constituency.grammar import Sample
    from treegauge.constituency.measures import EccSettings
    from treegauge.corpus.corpus import Corpus
    from treegauge.tables import Table

    Pair = tuple[Sample, Sample | None]  # a treebank and its test sample


def _growing(ctx: click.Context, param: click.Parameter, value: str | None) -> int | list[int] | None:
    """The value of --growing: how many samples, or their sizes."""
    if value is None:
        return None
    try:
        sizes = [int(size) for size in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}; expected a number of samples, or sizes separated by commas") from None
    if min(sizes) < 1:
        raise click.BadParameter(f"{value!r}; expected 1 or more")
    return sizes[0] if len(sizes) == 1 else sizes


@click.command()
@click.argument("treebanks", nargs=-1, metavar="TREEBANK...")
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Measure these trees with the grammar of TREEBANK: one TEST for all, one for each, or several for one.",
)
@click.option("--together", is_flag=True, help="Take all arguments together as one treebank.")
@style
@table_output
@click.option("--leave-one-out", is_flag=True, help="Test each tree with the grammar of all the others.")
@click.option(
    "--growing",
    callback=_growing,
    metavar="N|N,N...",
    help="Measure N nested random samples, or samples of these numbers of trees, with one common test sample.",
)
@click.option(
    "--learning-curve", "curve", is_flag=True, help="Show how the mean of Δt settles, tree by tree, in three shuffles."
)
@click.option(
    "--per-sentence", is_flag=True, help="Write a row for each sentence: Δt, log p, number of parses, tree entropy."
)
@click.option(
    "--text", metavar="FILE.conllu", help="Measure how ambiguous this tagged text is under the grammar of TREEBANK."
)
@choice(("xpos", "upos"), "--pos", help="Take the tags of --text from this column.")
@choice(("none", "parent"), "--transform", help="Add the label of its parent to each label, or nothing.")
@click.option("--merge-labels", metavar="FILE", help="Merge labels as FILE says, or ptb-pos, ptb-nt, ptb-all.")
@choice(("none", "wsj"), "--punctuation-tags", help="Tag punctuation anew by its form, as in the WSJ, or leave it.")
@number(2, 40, "--max-length", help="Measure only trees of fewer tags.")
@click.option("--keep-functions", is_flag=True, help="Keep function labels (NP-SBJ); without it, NP.")
@click.option(
    "--keep-empty", is_flag=True, help="Keep empty elements, as the tag -NONE-; without it, they are left out."
)
@choice(
    ("plain", "collins"), "--parseval", help="Count all brackets but TOP, or those that COLLINS.prm of EVALB counts."
)
@click.option("--no-parse", is_flag=True, help="Compute ECC only, without LP, LR, F1 and EMR: faster.")
@click.option("--figure", metavar="FILE", help="Draw EMR over ECC, or the learning curve (.svg, .png, .pdf).")
@click.option(
    "--runs",
    multiple=True,
    metavar="FILE",
    help="Put earlier results (--format json) into one table and figure. May be repeated.",
)
@on_error
@click.option("--seed", type=int, default=0, help="Seed the random shuffles of --growing and --learning-curve.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Use N threads.  [default: all cores]")
def ecc(
    treebanks: tuple[str, ...], tests: tuple[str, ...], style: str, on_error: str, out: OutputGroup, **options: Any
) -> None:
    """Measure how hard each TREEBANK is: ECC, the expected conditional cross-entropy, and PARSEVAL.

    A TREEBANK is a file of bracketed trees, a directory of them or a quoted glob. Its grammar is read off
    the trees, over POS tags, and the trees under 40 tags are measured with it: HD and HS, cross-entropies of
    trees and of tag sequences, in bits; ECC = HD − HS, the bits still missing for the tree once the sentence
    is known; LP LR F1 EMR of the most probable trees. Intervals are at 99 %. --test measures other trees
    with the same grammar, those that it covers.

    \b
    Examples:
      treegauge ecc trees.mrg
      treegauge ecc trees.mrg --test test.mrg --format markdown
      treegauge ecc trees.mrg --leave-one-out
      treegauge ecc trees.mrg --text tagged.conllu --per-sentence --format tsv
    """
    from treegauge.reports.figures import ending_of, picture

    shuffled = bool(options["growing"] or options["curve"]), "--growing and --learning-curve"
    refuse_unused(pos=(options["text"] is not None, "--text"), seed=shuffled)
    _check(treebanks, tests, options)
    settings = _settings(style, options)
    if figure := options["figure"]:
        ending_of(figure)  # an error in the name is told before the work
    groups = [treebanks] if options["together"] and treebanks else [(path,) for path in treebanks]
    samples = [_read(paths, on_error, settings) for paths in groups]
    others: list[Sample | None] = [_read((path,), on_error, settings) for path in tests]
    several = others[1:] if len(samples) == 1 else []
    tested = others[:1] if several else others if len(others) == len(samples) else (others or [None]) * len(samples)
    pairs: list[Pair] = list(zip(samples, tested, strict=True))
    drawing = None
    if options["text"]:
        tables = _text(samples[0], settings, on_error, options)
    elif options["per_sentence"]:
        tables = _per_sentence(pairs, settings)
    elif options["curve"]:
        tables, drawing = _curves(samples, settings, out.form, options)
    else:
        tables, drawing = _samples(pairs, settings, out.form, options | {"more_tests": several})
    if figure and drawing is not None:
        write_file(picture(drawing, ending_of(figure)), figure)
        message(f"wrote {figure}")
    if tables:
        out.write(tables)


def _check(treebanks: tuple[str, ...], tests: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    n = 1 if options["together"] else len(treebanks)
    figure, text, curve, runs = (options[name] for name in ("figure", "text", "curve", "runs"))
    names = ("leave_one_out", "growing", "curve", "per_sentence")
    several = ["learning-curve" if name == "curve" else name.replace("_", "-") for name in names if options[name]]
    own_sample = tests or options["growing"] or curve or options["leave_one_out"]
    for wrong, problem in (
        (not treebanks and not runs, "no TREEBANK; expected at least one (or --runs)"),
        (1 < len(tests) != n > 1, f"{len(tests)} --test for {n} treebanks; expected one, or one for each"),
        (
            len(tests) > 1 == n and (options["growing"] or options["per_sentence"]),
            "several --test for one treebank; expected them without --growing and --per-sentence",
        ),
        (options["leave_one_out"] and tests, "--leave-one-out with --test; expected one of them"),
        (len(several) > 1, f"--{' with --'.join(several)}; expected one of them"),
        (text and n != 1, f"--text with {n} treebanks; expected one, whose grammar is used"),
        (text and own_sample, "--text measures tagged text; expected it without --test, --growing and the like"),
        (figure and (options["per_sentence"] or text), "--figure without --per-sentence and --text"),
        (figure and options["no_parse"] and not curve, "--figure needs EMR; expected it without --no-parse"),
        (
            runs and (curve or text or options["per_sentence"]),
            "--runs; expected it without --learning-curve and the like",
        ),
    ):
        if wrong:
            raise click.UsageError(problem)


def _settings(style: str, options: dict[str, Any]) -> EccSettings:
    from treegauge.constituency.bracket_scores import PARSEVAL_OPTIONS
    from treegauge.constituency.cleaning import Cleaning, read_clusters
    from treegauge.constituency.measures import EccSettings

    own = {name: options[name] for name in ("keep_functions", "keep_empty", "transform", "punctuation_tags")}
    cleaning = Cleaning(style, clusters=read_clusters(options["merge_labels"]), **own)
    parseval = PARSEVAL_OPTIONS[options["parseval"]]
    return EccSettings(cleaning, options["max_length"], parseval, not options["no_parse"], options["threads"])


def read_trees(paths: Sequence[str], style: str, on_error: str) -> BracketTreebank:
    """The bracketed trees of paths; trees that were left out are told."""
    from treegauge.constituency.brackets import read_brackets

    treebank = read_brackets(paths, style=style, on_error=on_error)
    tell_skipped(treebank.defects, "malformed tree")
    return treebank


def read_tagged(path: str, on_error: str, **columns: Any) -> Corpus:
    """A tagged text in CoNLL-U; sentences that were left out are told."""
    from treegauge.corpus.conllu import no_sentences, read_conllu

    corpus = read_conllu(path, trees=False, on_error=on_error, **columns)
    tell_skipped(corpus.defects)
    if not corpus.n_words:
        raise no_sentences([path], len(corpus.defects))
    return corpus


def _read(paths: tuple[str, ...], on_error: str, settings: EccSettings) -> Sample:
    """The clean trees of one treebank; trees that were left out, and repeated ones, are told."""
    from treegauge.constituency.grammar import sample_of

    treebank = read_trees(paths, settings.cleaning.style, on_error)
    if repeats := treebank.repeats():
        message(f"{treebank.name}: {repeats}")
    return sample_of(treebank, settings.cleaning)


def _samples(
    pairs: Sequence[Pair], settings: EccSettings, format_name: str, options: dict[str, Any]
) -> tuple[list[Table], Figure | None]:
    from treegauge.constituency.measures import ecc, samples_table, sizes_table
    from treegauge.constituency.samples import growing, measured_samples, runs_tables
    from treegauge.reports.figures import ecc_figure
    from treegauge.reports.table_text import read_samples

    runs = [read_samples(path) for path in options["runs"]]
    results = []
    growing_samples = options["growing"] if isinstance(options["growing"], int) else len(options["growing"] or ())
    times = growing_samples or 1 + options["leave_one_out"]
    total = times * _used(settings, [side for pair in pairs for side in pair]) + _used(settings, options["more_tests"])
    with progress_of("measuring", "trees", total) as progress:
        for train, test in pairs:
            if options["growing"]:
                parts = {"parts": options["growing"], "seed": options["seed"]}
                results += growing(train, test, settings, **parts, progress=progress)
            else:
                more = {name: options[name] for name in ("leave_one_out", "more_tests")}
                results.append(ecc(train, test, settings, **more, progress=progress))
    tables = [samples_table(results), sizes_table(results)] if results else []
    everything = [*runs, *(table.to_dict() for table in tables[:1])]
    signatures = sorted({table["signature"] for table in everything})
    drawing = ecc_figure(measured_samples(everything), signatures) if options["figure"] else None
    if runs:
        tables = runs_tables(everything)
    return tables[:1] if format_name == "tsv" else tables, drawing  # a row of TSV has the sizes, too


def _per_sentence(pairs: Sequence[Pair], settings: EccSettings) -> list[Table]:
    """The rows of the test sample if there is one, otherwise of the treebank itself."""
    from treegauge.constituency.sentences import sentence_rows, sentences_table

    with progress_of("measuring", "sentences", _used(settings, [test or train for train, test in pairs])) as progress:
        rows = [row for pair in pairs for row in sentence_rows(*pair, settings, progress=progress)]
    return [sentences_table(rows, settings.signature)]


def _text(train: Sample, settings: EccSettings, on_error: str, options: dict[str, Any]) -> list[Table]:
    from treegauge.constituency.sentences import text_difficulty

    path, column = options["text"], options["pos"]
    corpus = read_tagged(path, on_error, columns=(column,))
    with progress_of("measuring", "sentences", corpus.n_sentences) as progress:
        text = text_difficulty(train, corpus, settings, tags=column, progress=progress)
    if text.unknown:
        message(
            f"{path}: {len(text.unknown)} of {len(text.tags)} tags in {column} are not the treebank's: "
            f"{first_names(text.unknown)}; sentences with them have no tree"
        )
    return [text.sentences() if options["per_sentence"] else text.table()]


def first_names(names: Sequence[str]) -> str:
    """The first eight names."""
    return " ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _curves(
    samples: Sequence[Sample], settings: EccSettings, format_name: str, options: dict[str, Any]
) -> tuple[list[Table], Figure | None]:
    from treegauge.constituency.samples import learning_curves
    from treegauge.reports.figures import curve_figure

    with progress_of("measuring", "trees", _used(settings, samples)) as progress:
        result = learning_curves(samples, settings, seed=options["seed"], progress=progress)
    drawing = curve_figure(result.curves, result.signature) if options["figure"] else None
    return [result.table(points=None if format_name in ("tsv", "json") else 20)], drawing


def _used(settings: EccSettings, samples: Sequence[Sample | None]) -> int:
    return sum(settings.n_used(sample.trees) for sample in samples if sample is not None)
