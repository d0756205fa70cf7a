"""`treegauge apply`: makes the corrections of a page in the treebank."""

from __future__ import annotations

import os
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from treegauge.cli import GateError
from treegauge.cli.arguments import Arguments, argument, command, option
from treegauge.cli.groups import is_strict, skipping
from treegauge.cli.messages import message
from treegauge.corpus.files import STDIN, expand_paths, packed, write_whole
from treegauge.errors import OptionError, OutputError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.upkeep.corrections import CorrectedTreebank


class ApplyArguments(Arguments):
    """The arguments of `treegauge apply`."""

    corrections: str = argument()
    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    output: str = option(
        "-o",
        "--output",
        "Write the corrected treebank to FIXED, a directory if there are several files. `-` is standard output.",
        required=True,
        metavar="FIXED",
    )
    accepted: bool = option(
        "--accept/--no-accept",
        "Write what was corrected down as accepted (`.treegauge/accepted.tsv`), so that `check` is silent about it.",
        default=True,
    )
    on_error: str = skipping(
        "Stop at a malformed sentence, or leave it as it is and say so.",
        "Refuse empty columns, and end with exit code 1 if a correction was refused.",
    )


@command(ApplyArguments)
def apply(args: ApplyArguments) -> None:
    """Make the CORRECTIONS that a page exported (JSON) in TREEBANK, CoNLL-U, and change no other byte.

    Give the files that the page was made of, in the same order. A correction is refused if the word or its annotation
    has changed since, or if the sentence would be no tree; standard error lists those. DEPS follows where it repeated
    the basic arc; other lines are listed. What was corrected is written down as accepted beside FIXED.

    \b
    Examples:
      treegauge apply corrections.json treebank.conllu -o fixed.conllu
      treegauge apply corrections.json treebank.conllu -o treebank.conllu
    """
    from treegauge.corpus.conllu import no_sentences
    from treegauge.upkeep.corrections import apply_corrections, read_corrections, read_whole
    from treegauge.upkeep.unusual import unusual_arcs

    corrections = read_corrections(args.corrections)
    paths = expand_paths(args.treebank)
    targets = _targets(args.treebank, paths, args.output)
    files = [read_whole(path, args.on_error) for path in paths]
    defects = [defect for file in files for defect in file.defects]
    message(*(f"left as it is: {defect}" for defect in defects))
    if not any(file.n_words for file in files):
        raise no_sentences(paths, len(defects))
    applied = apply_corrections(corrections, *files)
    for target, content in zip(targets, applied.contents, strict=True):
        with write_whole(target) as stream:
            stream.write(packed(content, target))
    message(*(f"refused: {refused}" for refused in applied.refused))
    message(*(f"unusual: {said}" for said in unusual_arcs(files, applied.done)))
    if args.accepted and applied.done and args.output != STDIN:
        _accept(applied, targets, args.on_error)
    message(*applied.deps_kept)
    unchanged = f", {counted(len(applied.deps_kept), 'line')} whose DEPS did not follow" if applied.deps_kept else ""
    message(
        f"{args.output}: {counted(len(applied.done), 'correction')} made, {len(applied.refused):,} refused{unchanged}"
    )
    if is_strict() and applied.refused:
        raise GateError(f"--strict: {counted(len(applied.refused), 'correction')} refused")


def _accept(applied: CorrectedTreebank, targets: list[str], on_error: str) -> None:
    """Write the words that were corrected down as accepted."""
    from treegauge.corpus.conllu import parse_conllu
    from treegauge.upkeep.accept import accepted_corrections, accepted_file, add_accepted, new_accepted_file

    files = [parse_conllu(content.decode(), on_error=on_error) for content in applied.contents]
    verdicts = accepted_corrections(files, applied.done, date.today().isoformat())
    path = accepted_file(targets[0]) or new_accepted_file(targets[0])
    add_accepted(path, verdicts)
    message(f"{path}: {counted(len(verdicts), 'word')} written down as accepted")


def _targets(treebank: tuple[str, ...], paths: list[str], output: str) -> list[str]:
    """The path that each file is written to."""
    if len(paths) == 1 and not os.path.isdir(treebank[0]) and not os.path.isdir(output):
        return [output]
    if output == STDIN:
        raise OptionError(f"-o -: {counted(len(paths), 'file')}; expected a directory to write to")
    names = [os.path.basename(path) if path != STDIN else "stdin.conllu" for path in paths]
    ((name, times),) = Counter(names).most_common(1)
    if times > 1:
        raise OptionError(f"-o {output}: {times} files are named {name}; expected different names")
    try:
        os.makedirs(output, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be made: {error.strerror}") from error
    return [os.path.join(output, name) for name in names]
