"""Recall and precision of any parser's arcs, layer by layer, several parsers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treegauge.constituency.chaos.links import CERTAIN, CHUNK, FINAL, INTRODUCED, MAIN, NONE, STRATA, VERBAL
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.constituency.chaos.strata import is_punctuation, share
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError
from treegauge.tables import Table, Tabular
from treegauge.wording import counted

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
    otherwise Final: we have several, or none. A gold arc has its gold relation, a system's arc the system's. parse:
    gives our own parse of each sentence of a corpus.
    """
    for system in systems:  # a sentence that was left out of one corpus is left out of all
        gold = _common(gold, system)
    place = _places(parse(gold))
    return tuple(_counts(gold, _matching(system, gold), place) for system in systems)


def _common(corpus: Corpus, other: Corpus) -> Corpus:
    """The sentences that the other corpus has too, if one of the two lacks malformed sentences."""
    if (corpus.defects or other.defects) and not np.array_equal(corpus.start, other.start):
        return corpus.select(np.isin(corpus.number, other.number))
    return corpus


def _matching(system: Corpus, gold: Corpus) -> Corpus:
    system = _common(system, gold)
    if not np.array_equal(system.start, gold.start):
        raise CorpusError(
            f"{system.path}: {counted(system.n_sentences, 'sentence')} of {counted(system.n_words, 'word')}; expected "
            f"the {counted(gold.n_sentences, 'sentence')} and {counted(gold.n_words, 'word')} of {gold.path}"
        )
    return system


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


def _counts(gold: Corpus, system: Corpus, place: tuple[list[int], list[bool]]) -> LayerCounts:
    chunk_of, sure = place
    skipped = is_punctuation(gold)
    gold_head, head = gold.tree_head.tolist(), system.head.tolist()
    gold_relation, relation = _relations(gold), _relations(system)
    totals = [[0] * len(STRATA) for _ in range(4)]
    edges: Counter[str] = Counter()
    have: Counter[str] = Counter()

    def stratum(row: int, low: int, above: int, name: str) -> int:
        if above and chunk_of[low + above - 1] == chunk_of[row]:
            return CHUNK
        if above == 0 or name in VERBAL_RELATIONS or name in (MAIN, INTRODUCED) or name.startswith("G_V_"):
            return VERBAL
        return CERTAIN if sure[row] else FINAL

    for low, high in pairwise(gold.start.tolist()):
        for row in range(low, high):
            if skipped[row]:
                continue
            right = head[row] == gold_head[row]
            k = stratum(row, low, gold_head[row], gold_relation[row])
            totals[0][k] += 1
            totals[1][k] += right
            edges[gold_relation[row]] += 1
            have[gold_relation[row]] += right
            if 0 <= head[row] <= high - low:
                k = stratum(row, low, head[row], relation[row])
                totals[2][k] += 1
                totals[3][k] += right
    by_relation = {name: (n, have[name]) for name, n in edges.items()}
    of_gold, had, found, correct = (tuple(counts) for counts in totals)
    return LayerCounts(system.path, of_gold, had, found, correct, by_relation)


def _relations(corpus: Corpus) -> list[str]:
    names = [universal(label) for label in corpus.labels["deprel"]]
    return [names[code] for code in corpus.codes["deprel"].tolist()]
