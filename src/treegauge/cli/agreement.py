"""`treegauge agreement`: how far annotators of one text agree."""

from __future__ import annotations

import click

from treegauge.cli.arguments import Arguments, argument, command, file, flag, group, number, repeated
from treegauge.cli.groups import ON_ERROR, OutputGroup, check_figures, model_option, write_figure
from treegauge.cli.messages import message, progress_of, read_corpus
from treegauge.wording import counted


class AgreementArguments(Arguments):
    """The arguments of `treegauge agreement`."""

    files: tuple[str, ...] = argument(nargs=-1, required=True, metavar="A [B...]")
    names: tuple[str, ...] = repeated("--name", "Name the annotators, in their order.  [default: their files]")
    model_name: str | None = model_option(": say whose arc it finds more plausible where annotators differ")
    subtypes: bool = flag("Compare whole relations (nsubj:pass), not their universal part.")
    samples: int = number(1, 1000, "Draw the sentences N times for the intervals.", rare=True)
    seed: int = number(0, 0, "Seed the random draws.", rare=True)
    top: int = number(0, 10, "Show so many rows of the long tables, and draw so many words, in text.")
    figure: str | None = file("Draw relations and confusions into FILE (.svg, .png, .pdf).")
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(AgreementArguments)
def agreement(args: AgreementArguments) -> None:
    """Compare two or more annotators of the same text: CoNLL-U files, one for each, or one with `# user_id`.

    UAS, LAS, agreement on relations and tags; Cohen's and Fleiss' kappa; Krippendorff's alpha of labels and of whole
    trees (Skjærholt 2014); by relation, with 95 % intervals over sentences drawn at random; relations that are taken
    for each other; sentences and words with most disagreement. Words are aligned by their characters, as in `eval`.

    \b
    Examples:
      treegauge agreement gold.conllu system.conllu
      treegauge agreement gold.conllu system.conllu --model en --figure agreement.svg
      treegauge agreement from-arborator.conllu
    """
    from treegauge.evaluation.agreement.agreement import agreement as compare_annotators
    from treegauge.evaluation.agreement.annotators import by_user
    from treegauge.evaluation.agreement.disagreements import agreement_tables
    from treegauge.reports.agreement_figures import agreement_figure
    from treegauge.reports.agreement_text import agreement_text
    from treegauge.scorers.registry import scorer

    check_figures(args.figure)
    corpora = [corpus for path in args.files for corpus in by_user(read_corpus(path, args.on_error))]
    if len(corpora) < 2:
        raise click.UsageError("expected two or more annotations of the same text, or a file with # user_id")
    by = None if args.model_name is None else scorer(None, args.model_name)
    with progress_of("resampling", "samples", args.samples) as progress:
        result = compare_annotators(
            *corpora,
            by=by,
            names=args.names or None,
            subtypes=args.subtypes,
            samples=args.samples,
            seed=args.seed,
            progress=progress,
        )
        tables = agreement_tables(result)
    if result.annotators.left_out:
        message(f"left out: {counted(result.annotators.left_out, 'word')} of {args.files[0]} that are not in all")
    write_figure(args.figure, agreement_figure, result)
    args.out.write(tables, agreement_text(result, args.top) if args.out.format_name == "text" else None)
