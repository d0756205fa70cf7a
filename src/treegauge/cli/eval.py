"""`treegauge eval`: how right are parsers?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from treegauge.cli.eval_output import Asked, written, written_pairs
from treegauge.cli.groups import FORMAT, OUTPUT, gathered, write_file
from treegauge.cli.options import message, number, on_error, progress_of, refuse_unused, tell_skipped
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN
from treegauge.corpus.relations import read_groups
from treegauge.evaluation.attachment.breakdown import PROPERTIES
from treegauge.evaluation.attachment.evaluation import Evaluations, below, evaluate, evaluate_files, read_side
from treegauge.evaluation.attachment.treebank_table import Pair, read_pairs, row_of
from treegauge.evaluation.attachment.versus import compare
from treegauge.statistics import SAMPLES, SEED
from treegauge.tables import Table


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[list[str]]:
    """Names that commas or pluses separate, of an option that may be repeated."""
    entries = [[name for name in value.replace("+", ",").split(",") if name] for value in values]
    if [] in entries:
        raise click.BadParameter("expected a name, or several separated by commas")
    return entries


def _numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    try:
        return [int(number) for number in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}; expected whole numbers separated by commas") from None


def _cell(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    cells = []
    for value in values:
        gold, comma, system = value.partition(",")
        if not comma or not gold or not system or "," in system:
            raise click.BadParameter(f"{value!r}; expected two relations, gold's and the system's: nsubj,obj")
        cells.append((gold, system))
    return cells


@click.command(short_help="Score parsers against gold.")
@click.argument("files", nargs=-1, metavar="GOLD SYSTEM [SYSTEM...]")
@gathered(
    "asked",
    Asked,
    click.option(
        "--by",
        multiple=True,
        callback=_names,
        metavar="PROPERTY[,PROPERTY]",
        help=f"Show LAS by a property of arcs ({', '.join(PROPERTIES)}), or by several crossed. May be repeated.",
    ),
    click.option(
        "--class-ends",
        callback=_numbers,
        metavar="N,N...",
        help="Put the numbers of a --by property into classes that end at these.",
    ),
    click.option(
        "--confusion",
        "confusions",
        is_flag=True,
        help="Show which relation is taken for which, the most frequent first.",
    ),
    click.option(
        "--show",
        multiple=True,
        callback=_cell,
        metavar="GOLD,SYSTEM",
        help="Draw words with these relations in gold and system; if they are equal, words with a wrong head.",
    ),
    click.option(
        "--versus",
        is_flag=True,
        help="Show where only the first SYSTEM or only another one is right, by relation, and draw such words.",
    ),
    number(1, 20, "--top", help="Show so many words of --show, and in text so many of --confusion and --versus."),
    FORMAT,
)
@click.option("--subtypes", is_flag=True, help="Compare whole relations (nsubj:pass), not their universal part.")
@click.option(
    "--groups", "groups_file", metavar="FILE", help="Use the groups of relations in FILE, lines `NAME: relation ...`."
)
@click.option(
    "--exclude",
    multiple=True,
    callback=_names,
    metavar="NAME,...",
    help="Show UAS and LAS without these relations or groups, too.",
)
@click.option(
    "--table",
    "table_file",
    metavar="PAIRS.tsv",
    help="Score the treebanks listed in a TSV file (columns name, gold, system, family) in one table.",
)
@click.option(
    "--pair",
    "pair_files",
    nargs=2,
    multiple=True,
    metavar="GOLD SYSTEM",
    help="Add this pair to the table of --table. May be repeated.",
)
@click.option(
    "--significance", is_flag=True, help="Test each system against the first, by bootstrap and by randomisation."
)
@number(1, SAMPLES, "--samples", help="Draw so many samples in each test of --significance.")
@number(0, SEED, "--seed", help="Seed the random samples of --significance.")
@click.option("--min-las", type=float, metavar="PERCENT", help="End with exit code 1 if a LAS is below this.")
@click.option("--no-enhanced", is_flag=True, help="Ignore enhanced dependencies, the column DEPS.")
@OUTPUT
@on_error
def eval(
    files: tuple[str, ...],
    asked: Asked,
    subtypes: bool,
    groups_file: str | None,
    exclude: list[list[str]],
    table_file: str | None,
    pair_files: tuple[tuple[str, str], ...],
    significance: bool,
    samples: int,
    seed: int,
    min_las: float | None,
    no_enhanced: bool,
    output: str,
    on_error: str,
) -> None:
    """Score one or several parsers' output (SYSTEM) against GOLD, CoNLL-U files of the same text.

    Tokens, words and sentences may differ: words are aligned by their characters, as in the CoNLL 2018 shared
    task, whose scores are given: precision, recall, F1, and accuracy on aligned words. Text has per cent;
    TSV and JSON have fractions.

    \b
    Examples:
      treegauge eval gold.conllu system.conllu
      treegauge eval gold.conllu system.conllu --by relation --confusion
      treegauge eval gold.conllu system.conllu other.conllu --significance --versus
    """
    refuse_unused(
        samples=(significance, "--significance"),
        seed=(significance, "--significance"),
        class_ends=(bool(asked.by), "--by"),
        top=(bool(asked.show or asked.confusions or asked.versus), "--show, --confusion and --versus"),
    )
    settings: dict[str, Any] = {
        "subtypes": subtypes,
        "groups": read_groups(groups_file) if groups_file else None,
        "exclude": exclude,
        "enhanced": not no_enhanced,
    }
    if table_file or pair_files:
        if files or asked.tables or significance:
            raise click.UsageError("--table, --pair: without GOLD SYSTEM and options that show more than scores")
        pairs = read_pairs(table_file) if table_file else []
        pairs += [Pair(system, gold, system) for gold, system in pair_files]
        text, low = _many(pairs, settings, on_error, min_las, asked.form)
    else:
        if len(files) < 2:
            raise click.UsageError("expected GOLD and at least one SYSTEM, or --table PAIRS.tsv")
        if (significance or asked.versus) and len(files) < 3:
            raise click.UsageError("--significance, --versus compare systems: expected GOLD and at least two SYSTEMs")
        evaluations = _evaluations(files, settings, on_error, counts_only=not (asked.tables or significance))
        tests = _tests(evaluations, samples, seed) if significance else []
        text = written(evaluations, asked, tests)
        low = below(evaluations, min_las) if min_las is not None else []
    write_file(text, output)
    for line in low:
        message(line)
    if low:
        sys.exit(1)


def _evaluations(
    files: tuple[str, ...], settings: dict[str, Any], on_error: str, *, counts_only: bool
) -> Evaluations[Any]:
    """Each system against gold; where counts are enough, one system is read in step with gold."""
    with progress_of("reading", paths=files) as progress:
        in_step = counts_only and len(files) == 2 and STDIN not in files and on_error == "stop"
        if in_step and not settings["exclude"]:
            wanted = {name: value for name, value in settings.items() if name != "exclude"}
            found = evaluate_files(*files, **wanted, progress=progress)
            if found is not None:
                return Evaluations((found,))
        sides = [_side(path, settings, on_error, progress) for path in files]
    found = evaluate(*sides, **settings)
    return found if isinstance(found, Evaluations) else Evaluations((found,))


def _side(path: str, settings: dict[str, Any], on_error: str, progress: Callable[[int], None]) -> Corpus:
    """One side; which sentences were left out is said."""
    corpus = read_side(path, enhanced=settings["enhanced"], on_error=on_error, progress=progress)
    tell_skipped(corpus.defects)
    return corpus


def _many(
    pairs: Sequence[Pair], settings: dict[str, Any], on_error: str, min_las: float | None, form: str
) -> tuple[str, list[str]]:
    """The table of many treebanks, and what to say about those below the gate; one pair in memory at a time."""
    rows, low = [], []
    signature = ""
    with progress_of("evaluating", paths=[path for pair in pairs for path in (pair.gold, pair.system)]) as progress:
        for pair in pairs:
            evaluation = evaluate(
                *(_side(path, settings, on_error, progress) for path in (pair.gold, pair.system)), **settings
            )
            rows.append(row_of(pair, evaluation))
            signature = evaluation.signature
            low += below([evaluation], min_las) if min_las is not None else []
    return written_pairs(rows, signature, form), low


def _tests(evaluations: Evaluations[Any], samples: int, seed: int) -> list[Table]:
    """Each system against the first."""
    first, *others = evaluations
    with progress_of("testing", "samples", 2 * samples * len(others)) as progress:  # two tests of each
        found = [compare(first, other, samples=samples, seed=seed, progress=progress) for other in others]
    return [differences.table() for differences in found]
