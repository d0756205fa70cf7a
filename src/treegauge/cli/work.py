"""`treegauge work`: the desk, a page on this machine whose corrections are written to the treebank at once."""

from __future__ import annotations

import webbrowser
from functools import partial

from treegauge.cli.arguments import Arguments, argument, command, file, flag, group, number, repeated
from treegauge.cli.check import WhatGroup
from treegauge.cli.groups import ON_ERROR
from treegauge.cli.messages import message, progress_of, read_corpus
from treegauge.corpus.files import STDIN, expand_paths, is_remote
from treegauge.errors import OptionError, OutputError
from treegauge.wording import counted


class WorkArguments(Arguments):
    """The arguments of `treegauge work`."""

    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    references: tuple[str, ...] = repeated(
        "--with-reference",
        "Judge by this, too: a model (file or code), or another treebank. May be repeated.",
        metavar="REFERENCE",
    )
    what: WhatGroup = group(WhatGroup)
    accepted: str | None = file("Write verdicts into FILE.  [default: .treegauge/accepted.tsv, as `check` finds it]")
    read_only: bool = flag("Show everything, and write nothing.")
    port: int = number(0, 0, "Use port N; 0 is any free one.")
    no_browser: bool = flag("Print the address, and do not open it in a browser.")
    on_error: str = ON_ERROR


@command(WorkArguments)
def work(args: WorkArguments) -> None:
    """Open TREEBANK, CoNLL-U files, at a desk in the browser: what you correct there is written to the files at once.

    The page is that of `check`. It is served on this machine only, at an address with a random token, until Ctrl-C.
    Corrections are made as by `apply`, verdicts are written down as by `accept`. Files that something else changes
    meanwhile are never overwritten.

    \b
    Examples:
      treegauge work treebank.conllu
      treegauge work treebank/ --select TG1,nsubj --validate
      treegauge work treebank/ --read-only
    """
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.reports.desk_server import DeskServer
    from treegauge.upkeep.check import check, reference_scorer, words_of_work
    from treegauge.upkeep.desk import Desk

    paths = expand_paths(args.treebank)
    for path in paths:
        if path == STDIN or is_remote(path):
            raise OptionError(f"{path}: cannot be written to; expected files of this machine")
    desk = Desk(paths, accepted=args.accepted, read_only=args.read_only, on_error=args.on_error)
    corpus = read_corpus(args.treebank, args.on_error)
    wanted = args.what.filter(corpus)
    judges = [reference_scorer(name, partial(read_corpus, on_error=args.on_error)) for name in args.references]
    accepted = read_verdicts(desk.accepted) if desk.has_accepted else []
    with progress_of("checking", total=words_of_work(corpus, None, wanted)) as progress:
        findings = check(corpus, judges, accepted=accepted, wanted=wanted, progress=progress)
    try:
        server = DeskServer(desk, findings, wanted, args.port)
    except OSError as error:
        raise OutputError(f"port {args.port}: cannot be listened on: {error.strerror}") from error
    message(f"{counted(len(findings), 'finding')}; the desk is at", server.address, "Ctrl-C ends it")
    if not args.no_browser:
        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        message(f"closed; {counted(desk.n_steps, 'change')} written")
    finally:
        server.server_close()
