"""Recall and precision of any parser's arcs, layer by layer, several parsers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from treegauge.constituency.chaos.links import CERTAIN, CHUNK, FINAL, INTRODUCED, MAIN, NONE, STRATA, VERBAL
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.constituency.chaos.strata import is_punctuation, share
from treegauge.corpus.compare.comparison import ROOT_ROW, Comparison, side_by_side
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.corpus.relations import universal
from treegauge.tables import Table, Tabular

ALL = "all"
# relations of what the verbal layer links: verbs to their arguments, introducers, copulas, auxiliaries
VERBAL_RELATIONS = frozenset({"root", "nsubj", "csubj", "obj", "iobj", "xcomp", "ccomp", "mark", "cop", "aux", "expl"})


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """The arcs of one system and of gold, a number for each stratum."""

    name: str
    gold: tuple[int, ...]  # arcs of gold
    had: tuple[int, ...]  # how many of them the system has
    found: tuple[int, ...]  # arcs of the system
    right: tuple[int, ...]  # how many of them gold has
    relations: dict[str, tuple[int, int]]  # relation in gold -> its arcs, and how many of them the system has


@dataclass(frozen=True, repr=False)
class SystemStrata(Tabular):
    """Several systems on one gold corpus."""

    systems: tuple[LayerCounts, ...]
    signature: str = ""

    def table(self) -> Table:
        """Recall and precision in each stratum, and in all together, the systems side by side."""
        columns = [("stratum", "text"), ("gold edges", "count")]
        for name in self._names():
            columns += [(f"{name} recall", "percent"), (f"{name} precision", "percent")]
        rows = []
        for k, stratum in enumerate([*STRATA, ALL]):
            part = slice(None) if stratum == ALL else slice(k, k + 1)
            row: list[str | int | float | None] = [stratum, sum(self.systems[0].gold[part])]
            for system in self.systems:
                row.append(share(sum(system.had[part]), sum(system.gold[part])))
                row.append(share(sum(system.right[part]), sum(system.found[part])))
            rows.append(tuple(row))
        return Table("Recall and precision in each stratum", tuple(columns), tuple(rows), self.signature, "systems")

    def relations(self) -> Table:
        """Recall of each relation of gold, the systems side by side."""
        columns = (("relation", "text"), ("edges", "count"), *((name, "percent") for name in self._names()))
        first = self.systems[0].relations
        rows = [
            (name, edges, *(share(system.relations[name][1], edges) for system in self.systems))
            for name, (edges, _) in sorted(first.items(), key=lambda item: (-item[1][0], item[0]))
        ]
        return Table("Recall by relation", columns, tuple(rows), self.signature, "relations")

    def _names(self) -> list[str]:
        return file_names([system.name for system in self.systems])


def score_systems(
    gold: Corpus, systems: Sequence[Corpus], parse: Callable[[Corpus], Iterable[ChunkParse]]
) -> tuple[LayerCounts, ...]:
    """The arcs of systems against the trees of a gold corpus; arcs may be missing (HEAD `_`).

    An arc is of the stratum Chunk if it stays inside a chunk, as the rules chunk the gold tags; Verbal if it is the
    root's or its relation is one of VERBAL_RELATIONS; Certain if our own parse has one governor for the word's chunk;
    otherwise Final: we have several, or none. A gold arc has its gold relation, a system's arc the system's. Words are
    aligned by characters if they are not the same; arcs of words that gold does not have are found and not right.
    parse: gives our own parse of each sentence of a corpus.
    """
    place = _places(parse(gold))
    return tuple(_counts(side_by_side(system, gold), place) for system in systems)


def _places(parses: Iterable[ChunkParse]) -> tuple[list[int], list[bool]]:
    """For each word of the corpus the number of its chunk in the corpus, and whether our parse is sure of the chunk."""
    chunk_of: list[int] = []
    sure: list[bool] = []
    chunks = ((chunk, k, parse.links) for parse in parses for k, chunk in enumerate(parse.chunks))
    for number, (chunk, k, links) in enumerate(chunks):
        size = chunk.last + 1 - chunk.first
        chunk_of += [number] * size
        sure += [links.governor[k] != NONE and links.layer[k] != FINAL] * size
    return chunk_of, sure


def _counts(comparison: Comparison, place: tuple[list[int], list[bool]]) -> LayerCounts:
    chunk_of, sure = place
    gold, system = comparison.other, comparison.corpus
    gold_head, head = gold.head_row.tolist(), comparison.head_in_other.tolist()
    gold_relation, relation = _relations(gold), _relations(system)
    totals = [[0] * len(STRATA) for _ in range(4)]
    edges: Counter[str] = Counter()
    have: Counter[str] = Counter()

    def stratum(row: int, above: int, name: str) -> int:
        """The stratum of the arc of a word of gold; row: -1 for a word that gold does not have."""
        if row >= 0 and above >= 0 and chunk_of[above] == chunk_of[row]:
            return CHUNK
        if above == ROOT_ROW or name in VERBAL_RELATIONS or name in (MAIN, INTRODUCED) or name.startswith("G_V_"):
            return VERBAL
        return CERTAIN if row >= 0 and sure[row] else FINAL

    skipped, partner = is_punctuation(gold), comparison.partner.tolist()
    for row in range(gold.n_words):
        if skipped[row]:
            continue
        right = partner[row] >= 0 and head[partner[row]] == gold_head[row]
        k = stratum(row, gold_head[row], gold_relation[row])
        totals[0][k] += 1
        totals[1][k] += right
        edges[gold_relation[row]] += 1
        have[gold_relation[row]] += right
    own = range(system.n_words) if comparison.row is None else comparison.row.tolist()
    own_skipped, has_head = is_punctuation(system), (system.head >= 0).tolist()
    for word, row in enumerate(own):
        if has_head[word] and not (skipped[row] if row >= 0 else own_skipped[word]):
            k = stratum(row, head[word], relation[word])
            totals[2][k] += 1
            totals[3][k] += row >= 0 and head[word] == gold_head[row]
    by_relation = {name: (n, have[name]) for name, n in edges.items()}
    of_gold, had, found, correct = (tuple(counts) for counts in totals)
    return LayerCounts(system.path, of_gold, had, found, correct, by_relation)


def _relations(corpus: Corpus) -> list[str]:
    names = [universal(label) for label in corpus.labels["deprel"]]
    return [names[code] for code in corpus.codes["deprel"].tolist()]
