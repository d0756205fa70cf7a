"""`treegauge check`: what should somebody look at in a treebank?"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.arguments import Arguments, argument, command, file, flag, number, option, repeated
from treegauge.cli.groups import ON_ERROR, OUTPUT, format_option, read_others, with_option, write_file
from treegauge.cli.messages import (
    is_coloured,
    message,
    progress_of,
    read_told,
    refuse_unused,
    tell_skipped,
    terminal_style,
    text_columns,
)
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.ranking.verdicts import Verdict
    from treegauge.upkeep.findings import Findings

ACCEPTED = os.path.join(".treegauge", "accepted.tsv")


class CheckArguments(Arguments):
    """The arguments of `treegauge check`."""

    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    references: tuple[str, ...] = repeated(
        "--with-reference",
        "Judge by this, too: a model (file or code), or another treebank. May be repeated.",
        metavar="REFERENCE",
    )
    others: tuple[str, ...] = with_option("TREEBANK")
    folds: int | None = number(2, None, "Learn from N parts of TREEBANK.  [default: 5]")
    below: float = option(
        "List arcs and tags with a probability below this, where another one is likelier.",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.01,
    )
    form: str = format_option(
        ("text", "tsv", "json", "sarif", "github", "html"),
        "Write text, a table, JSON, SARIF, annotations of GitHub, or a page to work through.",
    )
    output: str = OUTPUT
    top: int | None = number(0, None, "Show only the first N.  [default: text: 20; others: all]")
    patterns: int = number(0, 10, "Show the first N patterns (text and json).")
    new_since: str | None = option(
        "Show only what is annotated otherwise than in OLD: a file, a folder, or REV:path of a git repository.",
        metavar="OLD",
    )
    accepted: str | None = file(
        f"Leave out what is accepted in FILE.  [default: {ACCEPTED} beside TREEBANK or above it]"
    )
    validate: bool = flag("Add what the validator of UD says (extra `validate`).")
    fail_on: int | None = number(0, None, "End with exit code 1 if there are more than N.")
    on_error: str = ON_ERROR

    def written(self, found: Findings) -> str:
        """The findings in the format asked for."""
        from treegauge.reports.annotations import to_github, to_sarif
        from treegauge.reports.arc_text import plain
        from treegauge.reports.check_text import findings_text
        from treegauge.reports.table_text import write_tables

        if self.form == "text":
            style = terminal_style if is_coloured(self.output) else plain
            return findings_text(found, 20 if self.top is None else self.top, self.patterns, text_columns(), style)
        some = replace(found[: self.top], patterns=found.patterns[: self.patterns])
        if self.form == "html":
            return _page(some)
        if self.form in ("sarif", "github"):
            return to_sarif(some) if self.form == "sarif" else to_github(some)
        return write_tables(some.tables() if self.form == "json" else some.tables()[:1], self.form)


@command(CheckArguments)
def check(args: CheckArguments) -> None:
    """Check TREEBANK, CoNLL-U files, for annotation errors: suspicious arcs and tags, and patterns of them.

    Each sentence is judged by what is learned from the others. A finding is an arc or a tag that is improbable, where
    another one is likelier. A pattern is a group of arcs in doubt that share words, tags and relation: often a
    convention that is not followed everywhere. --with-reference adds the judgement of another treebank or model.

    \b
    Examples:
      treegauge check treebank.conllu
      treegauge check treebank.conllu --with-reference en --format sarif -o findings.sarif
      treegauge check new.conllu --new-since old.conllu
    """
    from treegauge.corpus.revisions import read_revision
    from treegauge.scorers.by_itself import FOLDS
    from treegauge.upkeep.check import check as checked
    from treegauge.upkeep.check import reference_scorer, validated

    refuse_unused(patterns=(args.form in ("text", "json"), "--format text and json"))
    corpus = read_told(args.treebank, args.on_error)
    old = None if args.new_since is None else read_revision(args.new_since, on_error=args.on_error)
    tell_skipped(old.defects if old else ())
    judges = [reference_scorer(name, partial(read_told, on_error=args.on_error)) for name in args.references]
    asked: dict[str, Any] = {"folds": args.folds, "below": args.below, "patterns": args.patterns, "since": old}
    asked["accepted"] = _accepted(args.accepted, args.treebank)
    opinions = read_others(corpus, args.others, args.on_error)
    with progress_of("learning", total=((args.folds or FOLDS) - 1) * corpus.n_words) as progress:
        found = checked(corpus, [*judges, *([opinions] if opinions else [])], **asked, progress=progress)
    if args.validate:
        found = replace(found, invalid=validated(corpus.files))
    message(found.scorer.about, *(opinions.notes if opinions else ()))
    write_file(args.written(found), args.output)
    tags = int(found.is_tag.sum())
    message(f"{counted(len(found), 'finding')}: {counted(len(found) - tags, 'arc')}, {counted(tags, 'tag')}")
    if args.fail_on is not None and len(found) > args.fail_on:
        message(f"that is more than --fail-on {args.fail_on}")
        sys.exit(1)


def _accepted(name: str | None, treebank: tuple[str, ...]) -> list[Verdict]:
    """What was accepted, in the file of that name, or in the first that is found beside the treebank or above it."""
    from treegauge.ranking.verdicts import read_verdicts

    path = name or _beside(treebank[0])
    if path is None:
        return []
    verdicts = read_verdicts(path)
    message(f"{path}: {counted(len(verdicts), 'verdict')}; what is accepted there is left out")
    return verdicts


def _beside(treebank: str) -> str | None:
    """The file of accepted annotations in the folder of a treebank, or above, up to the top of its repository."""
    own = Path(os.path.abspath(treebank))
    for folder in (own, *own.parents):
        if (folder / ACCEPTED).is_file():
            return os.path.relpath(folder / ACCEPTED)
        if (folder / ".git").is_dir():
            break
    return None


def _page(found: Findings) -> str:
    """The page of `report` that lists the arcs among the findings, and all tags in doubt."""
    import numpy as np

    from treegauge.ranking.scored import Scored
    from treegauge.reports.page import Page

    arcs, scores = found.row[~found.is_tag], np.full(found.corpus.n_words, np.nan)
    scores[arcs] = found.scorer.scores(found.corpus)[arcs]
    title = os.path.basename(os.path.abspath(found.corpus.path))
    return Page(title, Scored(found.corpus, found.scorer, scores), top=max(len(arcs), 1)).html()
