"""`treegauge agreement`: do annotators of one text agree?"""

from __future__ import annotations

import click

from treegauge.cli.groups import OutputGroup, model_option, table_output, write_file
from treegauge.cli.options import message, number, on_error, progress_of, read_told
from treegauge.wording import counted


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="A B [C...]")
@click.option("--name", "names", multiple=True, help="Name the annotators, in their order.  [default: their files]")
@model_option(required=False, more=": say whose arc it finds more plausible where annotators differ")
@click.option("--subtypes", is_flag=True, help="Compare whole relations (nsubj:pass), not their universal part.")
@number(1, 1000, "--samples", help="Draw the sentences N times for the intervals.")
@number(0, 0, "--seed", help="Seed the random draws.")
@number(0, 10, "--top", help="Show so many rows of the long tables, and draw so many words, in text.")
@click.option("--figure", metavar="FILE", help="Draw relations and confusions into FILE (.svg, .png, .pdf).")
@table_output
@on_error
def agreement(
    files: tuple[str, ...],
    names: tuple[str, ...],
    model_name: str | None,
    subtypes: bool,
    samples: int,
    seed: int,
    top: int,
    figure: str | None,
    out: OutputGroup,
    on_error: str,
) -> None:
    """Compare two or more annotators of the same text: CoNLL-U files, one for each.

    UAS, LAS, agreement on relations and tags; Cohen's and Fleiss' kappa; Krippendorff's alpha of labels and of whole
    trees (Skjærholt 2014); by relation, with 95 % intervals over sentences drawn at random; relations that are taken
    for each other; sentences and words with most disagreement. Words are aligned by their characters, as in `eval`.

    \b
    Examples:
      treegauge agreement gold.conllu system.conllu
      treegauge agreement gold.conllu system.conllu --model en --figure agreement.svg
    """
    from treegauge.evaluation.agreement.agreement import agreement as compared
    from treegauge.evaluation.agreement.disagreements import agreement_tables
    from treegauge.reports.agreement_figures import agreement_figure
    from treegauge.reports.agreement_text import agreement_text
    from treegauge.reports.figures import ending_of, picture
    from treegauge.scorers.registry import scorer

    if len(files) < 2:
        raise click.UsageError("expected two or more annotations of the same text")
    ending = None if figure is None else ending_of(figure)
    by = None if model_name is None else scorer(None, model_name)
    corpora = [read_told(path, on_error) for path in files]
    with progress_of("resampling", "samples", samples) as progress:
        found = compared(
            *corpora, by=by, names=names or None, subtypes=subtypes, samples=samples, seed=seed, progress=progress
        )
        tables = agreement_tables(found)
    if found.annotators.left_out:
        message(f"left out: {counted(found.annotators.left_out, 'word')} of {files[0]} that are not in all")
    if figure is not None and ending is not None:
        write_file(picture(agreement_figure(found), ending), figure)
    out.write(tables, agreement_text(found, top) if out.form == "text" else None)
