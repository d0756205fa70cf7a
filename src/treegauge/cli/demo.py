"""`treegauge demo`: a first look at treegauge, on sentences that come with it."""

import click

from treegauge.cli.arguments import Arguments, command, file, number
from treegauge.cli.messages import is_coloured, terminal_style, text_columns

NEXT = """Next, on your own parsed corpus (CoNLL-U, plain or compressed):

  treegauge rank my.conllu --model en --explain            the arcs to look at first
  treegauge rank my.conllu --model en --format tsv          all arcs, as a table
  treegauge report my.conllu --model en -o report.html      a page to look at and work through
  treegauge model list                                      the languages that come along
  treegauge model build reference/*.conllu.xz -o my.tgm     a model of your own, the larger the better
  treegauge check treebank.conllu                           the annotation errors of a treebank
"""


class DemoArguments(Arguments):
    """The arguments of `treegauge demo`."""

    top: int = number(1, 6, "Show so many arcs.")
    output: str | None = file("-o", "--output", "Write the page to FILE.  [default: a new temporary folder]")


@command(DemoArguments)
def demo(args: DemoArguments) -> None:
    """See what treegauge does, on a few sentences that come with it, some of them wrong on purpose.

    \b
    Example:
      treegauge demo -o demo.html
    """
    import tempfile
    from pathlib import Path

    from treegauge.corpus.conllu import read_conllu
    from treegauge.models.bundled_models import load_model
    from treegauge.ranking.scored import Listing, score
    from treegauge.ranking.stream import StreamRanking
    from treegauge.reports.arc_text import plain
    from treegauge.reports.page import Page
    from treegauge.reports.ranking_text import Drawings
    from treegauge.scorers.registry import scorer

    corpus = read_conllu(Path(__file__).parents[1] / "demo" / "demo.conllu")
    model = load_model("en")
    ranking = StreamRanking([corpus], scorer(model=model), Listing(top=args.top))
    drawings = Drawings(explain=True, width=text_columns(), style=terminal_style if is_coloured() else plain)
    ranking.run(drawings.texts)
    planted = {row for row in range(corpus.n_words) if b"Wrong=Yes" in corpus.line_text(row)}
    click.echo(
        f"{corpus.n_sentences} sentences, {corpus.n_words} arcs, {len(planted)} of them wrong on purpose. The most "
        f"suspicious, judged by the\nbundled model of English ({model.words:,} words), no gold needed:\n"
    )
    (block,) = ranking.listed()
    usual = score(corpus, scorer("lisca", model=model))
    texts, bins = drawings.lines(block), usual.rank("corpus").bin
    for k, row in enumerate(block.row.tolist()):
        text = texts[k].decode().rstrip("\n")
        if bins[row] == bins.max():  # LISCA, which counts how usual arcs are, suspects the arc, too
            text += f"\n      - LISCA: {usual.explain([row])[0].lines()[0]}"
        click.echo(text + "\n")
    listed = len(planted & set(block.row.tolist()))
    click.echo(
        f"{listed} of the {len(planted)} planted errors are among the first {args.top} of {corpus.n_words} arcs."
    )
    click.echo(f"Settings: {ranking.scorer.about}\n")
    path = args.output or str(Path(tempfile.mkdtemp(prefix="treegauge-")) / "demo.html")
    assert ranking.whole is not None
    Page("Demo", ranking.whole).save(path)
    click.echo(f"The same as a page, with trees, filters and keys; open it in a browser:\n\n  {path}\n")
    click.echo(NEXT, nl=False)
