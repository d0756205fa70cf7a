"""`treegauge diff`: the changes between two versions of a treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treegauge.cli.arguments import Arguments, argument, command, flag, number
from treegauge.cli.groups import (
    ALLOW_SKIPPED,
    ON_ERROR,
    OUTPUT,
    format_option,
    model_option,
    tables_content,
    write_file,
)
from treegauge.cli.messages import fail, progress_of, refuse_unused, too_much_skipped

if TYPE_CHECKING:
    from treegauge.upkeep.diff import TreebankDiff


class DiffArguments(Arguments):
    """The arguments of `treegauge diff`."""

    old: str = argument(metavar="OLD")
    new: str = argument(metavar="NEW")
    model_name: str | None = model_option(": say how plausible each change was before and is after")
    by_self: bool = flag("--self", "Judge changes by NEW itself, without a model: by its other sentences.")
    fail_on: int | None = number(
        0, None, "End with exit code 1 if more than N changes made it worse (with --model or --self)."
    )
    top: int = number(1, 20, "Show so many rows of each table, and draw so many changes.")
    format_name: str = format_option(
        ("text", "tsv", "json", "jsonl", "parquet", "html"),
        "Write text; a page; one row for each change (tsv, jsonl, parquet); or every table (json).",
    )
    output: str = OUTPUT
    allow_skipped: float = ALLOW_SKIPPED
    on_error: str = ON_ERROR


@command(DiffArguments)
def diff(args: DiffArguments) -> None:
    """Compare two versions of a treebank: sentences, and every column that was changed.

    OLD and NEW are CoNLL-U files, folders or globs, or REV:path, a file or folder as it was in a revision of the git
    repository around the current folder (a tag, a branch, a hash, HEAD~3). Sentences are matched by sent_id and by
    their words. With --model or --self, the changes that made the treebank less plausible come first.

    \b
    Examples:
      treegauge diff old.conllu new.conllu
      treegauge diff old.conllu new.conllu --self --format html -o changes.html
    """
    from treegauge.upkeep.diff import STEPS
    from treegauge.upkeep.diff import diff as compare_versions

    judged = args.model_name is not None or args.by_self
    refuse_unused(
        fail_on=(judged, "--model and --self, which say what is worse"),
        top=(args.format_name in ("text", "html"), "--format text and html; the others have everything"),
    )
    with progress_of("comparing", "steps", STEPS if judged else 3) as progress:
        result = compare_versions(
            args.old, args.new, args.model_name, by_itself=args.by_self, on_error=args.on_error, progress=progress
        )
    write_file(_text(result, args.format_name, args.top), args.output)
    if args.fail_on is not None:
        worse = f"{result.worse:,} changes made it worse; at most {args.fail_on:,} may"
        fail(*([worse] if result.worse > args.fail_on else []), *too_much_skipped(args.allow_skipped))


def _text(result: TreebankDiff, format_name: str, top: int) -> str | bytes:
    """The changes in a format."""
    from treegauge.reports.diff_page import diff_html
    from treegauge.reports.diff_text import diff_text

    if format_name in ("text", "html"):
        return (diff_text if format_name == "text" else diff_html)(result, top)
    tables = [result.table()]
    if format_name == "json":
        tables += [
            result.summary(),
            result.relation_pairs(),
            result.tag_pairs(),
            result.value_pairs(),
            result.pattern_table(),
            result.sentences(),
        ]
    return tables_content(tables, format_name)
