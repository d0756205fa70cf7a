"""`treegauge ecc`: how hard a constituency treebank is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import ON_ERROR, STYLE, OutputGroup, check_figures, write_figure, write_file
from treegauge.cli.messages import message, progress_of, refuse, refuse_unused, tell_skipped

if TYPE_CHECKING:
    from treegauge.constituency.brackets import BracketTreebank
    from treegauge.constituency.grammar import Sample
    from treegauge.constituency.measures import EccResult, EccSettings
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


class EccArguments(Arguments):
    """The arguments of `treegauge ecc`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, metavar="TREEBANK...")
    tests: tuple[str, ...] = repeated(
        "--test",
        "Measure these trees with the grammar of TREEBANK: one TEST for all, one for each, or several for one.",
        metavar="TEST",
        rare=True,
    )
    together: bool = flag("Take all arguments together as one treebank.", rare=True)
    names: tuple[str, ...] = repeated("--name", "Name a TREEBANK in tables and figures; one for each.", metavar="NAME")
    style: str = STYLE
    out: OutputGroup = group(OutputGroup)
    by_length: bool = flag("Show ECC per tree and per tag, and EMR, by the length of trees, too.", rare=True)
    paired: bool = flag("Compare each treebank, transformed by --transform or --merge-labels, with itself as it is.")
    trees: str | None = file("Write the most probable trees to FILE; `parseval TREEBANK FILE --show 20` shows errors.")
    leave_one_out: bool = flag("Test each tree with the grammar of all the others.")
    growing: int | list[int] | None = option(
        "Measure N nested random samples, or samples of these numbers of trees, with one common test sample.",
        callback=_growing,
        metavar="N|N,N...",
        rare=True,
    )
    curve: bool = flag(
        "--learning-curve", "Show how the mean of Δt settles, tree by tree, in three shuffles.", rare=True
    )
    per_sentence: bool = flag("Write a row for each sentence: Δt, log p, number of parses, tree entropy.", rare=True)
    text: str | None = option(
        "Measure how ambiguous this tagged text is under the grammar of TREEBANK.", metavar="FILE.conllu", rare=True
    )
    pos: str = choice(("xpos", "upos"), "Take the tags of --text from this column.", rare=True)
    transform: str = choice(("none", "parent"), "Add the label of its parent to each label, or nothing.", rare=True)
    merge_labels: str | None = file("Merge labels as FILE says, or ptb-pos, ptb-nt, ptb-all.", rare=True)
    punctuation_tags: str = choice(
        ("none", "wsj"), "Tag punctuation anew by its form, as in the WSJ, or leave it.", rare=True
    )
    max_length: int = number(2, 40, "Measure only trees of fewer tags.", rare=True)
    keep_functions: bool = flag("Keep function labels (NP-SBJ); without it, NP.", rare=True)
    keep_empty: bool = flag("Keep empty elements, as the tag -NONE-; without it, they are left out.", rare=True)
    parseval: str = choice(
        ("plain", "collins"), "Count all brackets but TOP, or those that COLLINS.prm of EVALB counts.", rare=True
    )
    no_parse: bool = flag("Compute ECC only, without LP, LR, F1 and EMR: faster.", rare=True)
    figure: str | None = file("Draw EMR over ECC, or the learning curve (.svg, .png, .pdf).")
    runs: tuple[str, ...] = file(
        "Put earlier results (--format json) into one table and figure. May be repeated.", multiple=True, rare=True
    )
    on_error: str = ON_ERROR
    seed: int = option("Seed the random shuffles of --growing and --learning-curve.", type=int, default=0, rare=True)
    threads: int | None = number(1, None, "Use N threads.  [default: all cores]", rare=True)


@command(EccArguments)
def ecc(args: EccArguments) -> None:
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
    shuffled = bool(args.growing or args.curve), "--growing and --learning-curve"
    from treegauge.constituency.grammar import sample_of
    from treegauge.corpus.files import file_names

    refuse_unused(pos=(args.text is not None, "--text"), seed=shuffled)
    _check(args)
    settings = _settings(args)
    check_figures(args.figure)
    groups = _groups(args)
    if args.names and len(args.names) != len(groups):
        raise click.UsageError(f"{len(args.names)} --name for {len(groups)} treebanks; expected one for each")
    names = args.names or file_names(["+".join(paths[:1] + paths[1:][-1:]) for paths in groups])
    named = zip(groups, names, strict=True)
    treebanks = [replace(_read(paths, args.on_error, settings), name=name) for paths, name in named]
    samples = [sample_of(treebank, settings.cleaning) for treebank in treebanks]
    tests = [_read((path,), args.on_error, settings) for path in args.tests]
    others: list[Sample | None] = [sample_of(test, settings.cleaning) for test in tests]
    several = others[1:] if len(samples) == 1 else []
    tested = others[:1] if several else others if len(others) == len(samples) else (others or [None]) * len(samples)
    pairs: list[Pair] = list(zip(samples, tested, strict=True))
    if args.text:
        tables = _text(samples[0], settings, args)
    elif args.per_sentence:
        tables = _per_sentence(pairs, settings)
    elif args.curve:
        tables = _curves(samples, settings, args)
    else:
        tables = _samples(pairs, settings, args, several, treebanks)
    if tables:
        args.out.write(tables)


def _check(args: EccArguments) -> None:
    """Refuse options that do not go together."""
    tests, n = args.tests, 1 if args.together else len(args.treebanks)
    kinds = ("leave-one-out", args.leave_one_out), ("growing", args.growing), ("learning-curve", args.curve)
    chosen = [name for name, is_chosen in (*kinds, ("per-sentence", args.per_sentence)) if is_chosen]
    own_sample = tests or args.growing or args.curve or args.leave_one_out
    refuse(
        (not args.treebanks and not args.runs, "no TREEBANK; expected at least one (or --runs)"),
        (1 < len(tests) != n > 1, f"{len(tests)} --test for {n} treebanks; expected one, or one for each"),
        (
            len(tests) > 1 == n and (args.growing or args.per_sentence),
            "several --test for one treebank; expected them without --growing and --per-sentence",
        ),
        (
            args.paired and args.transform == "none" and args.merge_labels is None,
            "--paired without a transformation; expected --transform or --merge-labels",
        ),
        (
            (args.paired or args.by_length or args.trees) and (chosen or args.text),
            "--paired, --by-length and --trees look at the trees of TREEBANK; expected them without "
            "--leave-one-out, --growing and the like",
        ),
        (args.trees and (n != 1 or args.no_parse), "--trees: expected one treebank, and no --no-parse"),
        (args.leave_one_out and tests, "--leave-one-out with --test; expected one of them"),
        (len(chosen) > 1, f"--{' with --'.join(chosen)}; expected one of them"),
        (args.text and n != 1, f"--text with {n} treebanks; expected one, whose grammar is used"),
        (args.text and own_sample, "--text measures tagged text; expected it without --test, --growing and the like"),
        (args.figure and (args.per_sentence or args.text), "--figure without --per-sentence and --text"),
        (args.figure and args.no_parse and not args.curve, "--figure needs EMR; expected it without --no-parse"),
        (
            args.runs and (args.curve or args.text or args.per_sentence),
            "--runs; expected it without --learning-curve and the like",
        ),
    )


def _settings(args: EccArguments) -> EccSettings:
    """The settings of the library from the options."""
    from treegauge.constituency.bracket_scores import PARSEVAL_OPTIONS
    from treegauge.constituency.cleaning import Cleaning, read_clusters
    from treegauge.constituency.measures import EccSettings

    labels = args.style, args.keep_functions, args.keep_empty, read_clusters(args.merge_labels)
    cleaning = Cleaning(*labels, args.transform, args.punctuation_tags)
    parseval = PARSEVAL_OPTIONS[args.parseval]
    return EccSettings(cleaning, args.max_length, parseval, not args.no_parse, args.threads, bool(args.trees))


def read_trees(paths: Sequence[str], style: str, on_error: str) -> BracketTreebank:
    """The bracketed trees of files; says which trees were left out."""
    from treegauge.constituency.brackets import read_brackets

    treebank = read_brackets(paths, style=style, on_error=on_error)
    tell_skipped(treebank.defects, "malformed tree")
    return treebank


def read_tagged(path: str, on_error: str, **columns: Any) -> Corpus:
    """A tagged text in CoNLL-U."""
    from treegauge.corpus.conllu import no_sentences, read_conllu

    corpus = read_conllu(path, trees=False, on_error=on_error, **columns)
    if not corpus.n_words:
        raise no_sentences([path], corpus.notes.n_sentences)
    return corpus


def _read(paths: tuple[str, ...], on_error: str, settings: EccSettings) -> BracketTreebank:
    """The trees of one treebank; says which trees were left out, and how many come more than once."""
    treebank = read_trees(paths, settings.cleaning.style, on_error)
    if repeats := treebank.repeats():
        message(f"{treebank.name}: {repeats}")
    return treebank


def _samples(
    pairs: Sequence[Pair],
    settings: EccSettings,
    args: EccArguments,
    more_tests: Sequence[Sample | None],
    treebanks: Sequence[BracketTreebank],
) -> list[Table]:
    """The tables of the samples of each treebank, or of earlier results; draws them, too."""
    from treegauge.constituency.cleaning import Clusters
    from treegauge.constituency.measures import ecc, lengths_table, paired_table, samples_table, sizes_table
    from treegauge.constituency.samples import growing, measured_samples, runs_tables
    from treegauge.reports.figures import ecc_figure
    from treegauge.reports.table_text import read_samples

    runs = [read_samples(path) for path in args.runs]
    results = []
    growing_samples = args.growing if isinstance(args.growing, int) else len(args.growing or ())
    times = growing_samples or 1 + args.leave_one_out
    total = times * _used(settings, [side for pair in pairs for side in pair]) + _used(settings, more_tests)
    with progress_of("measuring", "trees", total) as progress:
        for train, test in pairs:
            if args.growing:
                results += growing(train, test, settings, parts=args.growing, seed=args.seed, progress=progress)
            else:
                more: dict[str, Any] = {"leave_one_out": args.leave_one_out, "more_tests": more_tests}
                results.append(ecc(train, test, settings, **more, progress=progress))
    tables = [samples_table(results), sizes_table(results)] if results else []
    more_tables = [lengths_table(results, [train for train, _ in pairs])] if args.by_length else []
    if args.paired:
        cleaning = replace(settings.cleaning, transform="none", clusters=Clusters())
        plain_settings = replace(settings, cleaning=cleaning, parse=False)
        plain = [ecc(treebank, None, plain_settings) for treebank in treebanks]
        more_tables.append(paired_table(plain, results))
    if args.trees:
        write_file(_best_trees(treebanks[0], settings, results[0]), args.trees)
    everything = [*runs, *(table.to_dict() for table in tables[:1])]
    signatures = sorted({table["signature"] for table in everything})
    if args.figure:
        write_figure(args.figure, ecc_figure, measured_samples(everything), signatures, tell=True)
    if runs:
        tables = runs_tables(everything)
    return (
        [*tables[:1], *more_tables] if args.out.format_name in ("tsv", "parquet") else [*tables, *more_tables]
    )  # a row of TSV has the sizes, too


def _groups(args: EccArguments) -> list[tuple[str, ...]]:
    """The files of each treebank."""
    return [args.treebanks] if args.together and args.treebanks else [(path,) for path in args.treebanks]


def _best_trees(treebank: BracketTreebank, settings: EccSettings, result: EccResult) -> str:
    """The most probable trees in brackets, with the words of the treebank and without labels of parents.

    A tree that is too long stands as the treebank has it, so that both files have the same trees.
    """
    from treegauge.constituency.grammar import clean_trees
    from treegauge.constituency.parsing import bracket_tree
    from treegauge.constituency.trees import leaves

    best = dict(zip(result.train_measured.trees, result.train_measured.best, strict=True))
    lines = []
    for k, (tree, _) in enumerate(clean_trees(treebank, replace(settings.cleaning, transform="none"))):
        tags, words = zip(*leaves(tree), strict=True)
        brackets = [(label.partition("^")[0], first, last) for label, first, last in best.get(k, ())]
        lines.append(f"{bracket_tree(brackets, tags, words) if brackets else tree}\n")
    return "".join(lines)


def _per_sentence(pairs: Sequence[Pair], settings: EccSettings) -> list[Table]:
    """A row for each sentence of the test sample, or of the treebank itself if there is no test sample."""
    from treegauge.constituency.sentences import sentence_rows, sentences_table

    with progress_of("measuring", "sentences", _used(settings, [test or train for train, test in pairs])) as progress:
        rows = [row for pair in pairs for row in sentence_rows(*pair, settings, progress=progress)]
    return [sentences_table(rows, settings.signature)]


def _text(train: Sample, settings: EccSettings, args: EccArguments) -> list[Table]:
    """The difficulty of the tagged text under the grammar of a treebank."""
    from treegauge.constituency.sentences import text_difficulty

    path, column = args.text or "", args.pos
    corpus = read_tagged(path, args.on_error, columns=(column,))
    with progress_of("measuring", "sentences", corpus.n_sentences) as progress:
        text = text_difficulty(train, corpus, settings, tags=column, progress=progress)
    if text.unknown:
        message(
            f"{path}: {len(text.unknown)} of {len(text.tags)} tags in {column} are not the treebank's: "
            f"{first_names(text.unknown)}; sentences with them have no tree"
        )
    return [text.sentences() if args.per_sentence else text.table()]


def first_names(names: Sequence[str]) -> str:
    """The first eight names, with … if there are more."""
    return " ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _curves(samples: Sequence[Sample], settings: EccSettings, args: EccArguments) -> list[Table]:
    """The table of the learning curves; draws them, too."""
    from treegauge.constituency.samples import learning_curves
    from treegauge.reports.figures import curve_figure
    from treegauge.reports.table_text import MACHINES

    with progress_of("measuring", "trees", _used(settings, samples)) as progress:
        result = learning_curves(samples, settings, seed=args.seed, progress=progress)
    write_figure(args.figure, curve_figure, result.curves, result.signature, tell=True)
    return [result.table(points=None if args.out.format_name in MACHINES else 20)]


def _used(settings: EccSettings, samples: Sequence[Sample | None]) -> int:
    """How many trees of the samples are measured."""
    return sum(settings.n_used(sample.trees) for sample in samples if sample is not None)
