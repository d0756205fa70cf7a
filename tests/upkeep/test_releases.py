"""Two releases of a treebank, compared word by word in plain Python."""

from pathlib import Path

import pytest

from treegauge.upkeep.diff import diff

Rows = list[list[str]]


def sentences(folder: Path) -> dict[str, Rows]:
    """The word lines of each sentence, by its sent_id."""
    found: dict[str, Rows] = {}
    for path in sorted(folder.glob("*.conllu")):
        for block in path.read_text().strip().split("\n\n"):
            lines = block.split("\n")
            name = next(line.split(" = ")[1] for line in lines if line.startswith("# sent_id"))
            found[name] = [line.split("\t") for line in lines if line.split("\t")[0].isdigit()]
    return found


@pytest.mark.data
def test_arcs_and_tags_are_those_that_a_plain_comparison_finds(evaluation_data: Path) -> None:
    paths = evaluation_data / "ud" / "it_isdt_r22", evaluation_data / "ud" / "it_isdt"
    old, new = map(sentences, paths)
    arcs, tags, same = set(), set(), set()
    for name, rows in new.items():
        if [row[1] for row in rows] != [row[1] for row in old[name]]:
            continue
        same.add(name)
        for before, after in zip(old[name], rows, strict=True):
            place = name, int(after[0])
            arcs |= (
                {(*place, f"{before[6]}:{before[7]}", f"{after[6]}:{after[7]}")} if before[6:8] != after[6:8] else set()
            )
            tags |= {(*place, before[3], after[3])} if before[3] != after[3] else set()
    assert len(arcs) > 100 < len(same)
    rows = [row for row in diff(*paths).to_dict()["rows"] if row["sent_id"] in same]
    for what, expected in (("arc", arcs), ("tag", tags)):
        found = {(row["sent_id"], row["id"], row["old"], row["new"]) for row in rows if row["what"] == what}
        assert found == expected
