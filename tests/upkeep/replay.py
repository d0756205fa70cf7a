"""What the maintainers of a treebank corrected, as corrections of it."""

import csv
import io
import lzma
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from treegauge.upkeep.corrections import Correction

FEW = 20  # arcs of a commit that corrects errors; larger ones change conventions


def commits(folder: Path, most: int = FEW) -> Iterator[list[dict[str, str]]]:
    """The changes of each commit of few arcs, in order; those to no head, slips of the history, are left out."""
    with lzma.open(folder / "changes.tsv.xz", "rt", encoding="utf-8") as stream:
        rows = csv.DictReader(io.StringIO(stream.read()), delimiter="\t", quoting=csv.QUOTE_NONE)
        kept = [row for row in rows if int(row["arcs_of_commit"]) <= most and row["new_head"].isdigit()]
    for _, changes in groupby(kept, key=lambda row: row["commit"]):
        yield list(changes)


def words(sentence: bytes) -> list[list[str]]:
    """The columns of each word of a sentence, read without treegauge."""
    lines = [line.split("\t") for line in sentence.decode().split("\n") if line and not line.startswith("#")]
    return [columns for columns in lines if columns[0].isdigit()]


def correction(row: dict[str, str], sentence: bytes | None) -> Correction | None:
    """A change as a correction of the sentence as it stands; None if it changes only what the history does not have.

    The history has no subtypes: a relation that stays keeps its own, one that does not fit is as in the history.
    """
    found = words(sentence) if sentence is not None else []
    at = int(row["id"]) - 1
    has = found[at][7] if at < len(found) else ""
    old = has if has.split(":")[0] == row["old_deprel"] else row["old_deprel"]
    new = {
        "new_head": int(row["new_head"]) if row["new_head"] != row["old_head"] else None,
        "new_deprel": row["new_deprel"] if row["new_deprel"] != row["old_deprel"] else None,
        "new_upos": row["new_upos"] if row["new_upos"] != row["old_upos"] else None,
    }
    if all(value is None for value in new.values()) or not row["old_head"].isdigit():
        return None
    return Correction(
        row["sent_id"],
        1,
        at + 1,
        row["form"],
        int(row["old_head"]),
        old,
        row["old_upos"],
        **new,  # type: ignore[arg-type]
    )
