"""`treegauge accept`: writes down which findings of `check` are right as they are."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, command, file, flag, group, option, repeated
from treegauge.cli.check import WhatGroup
from treegauge.cli.groups import ON_ERROR
from treegauge.cli.messages import message, progress_of, read_corpus
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus
    from treegauge.ranking.verdicts import Verdict


class AcceptArguments(Arguments):
    """The arguments of `treegauge accept`."""

    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    findings: tuple[str, ...] = repeated(
        "--finding",
        "Accept this finding: its code, sentence and word, such as TG101:weblog-12:7. May be repeated.",
        metavar="PLACE",
    )
    verdicts: tuple[str, ...] = repeated(
        "--verdicts", "Take the verdicts that a page exported. May be repeated.", metavar="FILE"
    )
    everything: bool = flag("--all", "Check TREEBANK, and accept all that is found.")
    new_since: str | None = option("Take with --all only what is annotated otherwise than in OLD.", metavar="OLD")
    what: WhatGroup = group(WhatGroup)
    prune: bool = flag("Take out the lines that no word of TREEBANK, the whole treebank, fits any more.")
    note: str = option("Write this note beside what is accepted.", default="", metavar="TEXT")
    accepted: str | None = file("Write into FILE.  [default: .treegauge/accepted.tsv beside TREEBANK or above it]")
    on_error: str = ON_ERROR


@command(AcceptArguments)
def accept(args: AcceptArguments) -> None:
    """Write down that findings of `check` are right as they are: `check` is silent about them from then on.

    A line holds as long as the word has what was accepted; when that changes, the finding comes back. The lines are
    sorted and have a date, so that they are easy to read in a diff: keep the file in the repository. The findings that
    are like accepted ones come later in the list of `check`.

    \b
    Examples:
      treegauge accept treebank.conllu --finding TG102:weblog-12:7 --note "a time expression"
      treegauge accept treebank/ --verdicts anna.verdicts.tsv --verdicts boris.verdicts.tsv
      treegauge accept treebank/ --all --new-since HEAD:./
      treegauge accept treebank/ --prune
    """
    from treegauge.ranking.verdicts import holding, read_verdicts
    from treegauge.upkeep.accept import (
        accepted_file,
        accepted_place,
        finding_place,
        joined,
        new_accepted_file,
        write_accepted,
    )

    if not (args.findings or args.verdicts or args.everything or args.prune):
        raise click.UsageError("nothing to accept; expected --finding, --verdicts, --all or --prune")
    path = args.accepted or accepted_file(args.treebank[0]) or new_accepted_file(args.treebank[0])
    places = [finding_place(text) for text in args.findings]
    corpus = read_corpus(args.treebank, args.on_error)
    today = date.today().isoformat()
    old = read_verdicts(path) if os.path.exists(path) else []
    new = [accepted_place(corpus, place, today, args.note) for place in places]
    new += [verdict for name in args.verdicts for verdict in read_verdicts(name)]
    if args.everything:
        new += _all_findings(args, corpus, old, today)
    lines = joined([*old, *new])
    pruned = len(lines) - len(lines := holding([corpus], lines)) if args.prune else 0
    write_accepted(path, lines)
    gone = f", {counted(pruned, 'line')} taken out" if args.prune else ""
    message(f"{path}: {counted(len(new), 'verdict')} written{gone}; {counted(len(lines), 'line')}")


def _all_findings(args: AcceptArguments, corpus: Corpus, accepted: list[Verdict], today: str) -> list[Verdict]:
    """The lines that accept all that `check` finds."""
    from treegauge.corpus.revisions import read_revision
    from treegauge.upkeep.accept import accepted_word
    from treegauge.upkeep.check import check, words_of_work

    wanted = args.what.filter(corpus)
    since = None if args.new_since is None else read_revision(args.new_since, on_error=args.on_error)
    with progress_of("checking", total=words_of_work(corpus, None, wanted)) as progress:
        found = check(corpus, accepted=accepted, since=since, wanted=wanted, progress=progress)
    pairs = zip(found.row.tolist(), found.code.tolist(), strict=True)
    return [accepted_word(corpus, row, code, today, args.note) for row, code in pairs]
