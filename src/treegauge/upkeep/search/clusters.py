"""Count matches by what they have: a feature of a node, the relation or the length of an arc, a condition, the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treegauge.errors import OptionError
from treegauge.tables import Table
from treegauge.upkeep.search.conditions import numbers, texts
from treegauge.upkeep.search.find import Matches
from treegauge.upkeep.search.matching import extendable
from treegauge.upkeep.search.nodes import Nodes
from treegauge.upkeep.search.parser import RequestScanner, read_key
from treegauge.upkeep.search.request import Filter, Quantity, Request
from treegauge.version import signature

FILE = "file"
MOST_KEYS = 2


@dataclass(frozen=True, slots=True)
class Key:
    """What matches are counted by: its name, and a value of the match, a condition, or None for the file."""

    name: str
    by: Quantity | Filter | None = None


def parse_key(text: str, request: Request) -> Key:
    """The key in a text: `O.upos`, `e.label`, `length(V,O)`, `{ O << V }`, or `file`."""
    if text == FILE:
        return Key(FILE)
    scanner = RequestScanner(text, "--cluster")
    key = Key(text.strip(), read_key(scanner, request))
    if not scanner.is_done:
        raise scanner.error("the end of the key")
    return key


def with_keys(request: Request, keys: Sequence[Key]) -> set[str]:
    """The features that the keys ask for."""
    names = {key.by.name for key in keys if isinstance(key.by, Quantity) and not (key.by.is_edge or key.by.other)}
    blocks = tuple(key.by for key in keys if isinstance(key.by, Filter))
    return names | Request(request.text, request.pattern, blocks).features()


@dataclass
class MatchClusters:
    """How many matches have each combination of values; pieces are added one after the other."""

    request: Request
    keys: Sequence[Key]
    counts: Counter[tuple[str | None, ...]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not 1 <= len(self.keys) <= MOST_KEYS + 1:
            raise OptionError(f"{len(self.keys)} keys; expected one or two, and the file")

    def add(self, found: Matches) -> None:
        """Count the matches in a piece."""
        if not len(found):
            return
        coded = [_coded(key, found) for key in self.keys]
        table = np.stack([codes for codes, _ in coded], axis=1)
        combinations, counts = np.unique(table, axis=0, return_counts=True)
        for combination, count in zip(combinations.tolist(), counts.tolist(), strict=True):
            values = tuple(labels[code] for code, (_, labels) in zip(combination, coded, strict=True))
            self.counts[values] += count

    def table(self) -> Table:
        """The counts, the largest first, and their shares."""
        total = self.counts.total()
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], [value or "" for value in item[0]]))
        columns = (*((key.name, "text") for key in self.keys), ("matches", "count"), ("share", "percent"))
        rows = tuple((*values, count, count / total) for values, count in ordered)
        return Table(
            "Matches by " + " and ".join(key.name for key in self.keys), columns, rows, signature("find"), "clusters"
        )


def _coded(key: Key, found: Matches) -> tuple[np.ndarray, Sequence[str | None]]:
    """The value of each match as a code into labels."""
    if key.by is None:
        return found.corpus.file[found.sentence], found.corpus.files
    nodes, bound = Nodes(found.corpus), found.bound
    if isinstance(key.by, Filter):
        holds = extendable(nodes, key.by.block, found.request.edges, found.sentence, bound)
        return holds.astype(np.int64), ("no", "yes")
    given = numbers(nodes, key.by, bound, found.request.edges)
    if given is None:
        return texts(nodes, key.by, bound, found.request.edges)
    values, codes = np.unique(given, return_inverse=True)
    return codes.ravel(), [str(int(value)) for value in values.tolist()]
