"""Recall and precision of any parser's arcs, layer by layer, several parsers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treegauge import __version__
from treegauge.chunks.links import CERTAIN, CHUNK, FINAL, INTRODUCED, MAIN, NONE, STRATA, VERBAL
from treegauge.chunks.parse import Chaos, Source
from treegauge.chunks.strata import corpus_of, punctuation_of
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.file_names import file_names
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError
from treegauge.tables import Table, Tabular
from treegauge.wording import counted

ALL = "all"
# relations of what the verbal layer links: verbs to their arguments, introducers, copulas, auxiliaries
VERBAL_RELATIONS = frozenset({"root", "nsubj", "csubj", "obj", "iobj", "xcomp", "ccomp", "mark", "cop", "aux", "expl"})


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """Of one system: arcs of each stratum, and which of them are right; the gold arcs, and which of them it has."""

    name: str
    gold: tuple[int, ...]
    had: tuple[int, ...]
    found: tuple[int, ...]
    right: tuple[int, ...]
    relations: dict[str, tuple[int, int]]  # of gold: arcs, and those that it has


@dataclass(frozen=True, repr=False)
class SystemStrata(Tabular):
    """Several systems on one gold corpus."""

    systems: tuple[LayerCounts, ...]
    signature: str = ""

    def table(self) -> Table:
        """Recall and precision in each stratum, and in all together, the systems side by side."""
        columns: list[tuple[str, str]] = [("stratum", "text"), ("gold edges", "count")]
        for name in file_names([one.name for one in self.systems]):
            columns += [(f"{name} recall", "percent"), (f"{name} precision", "percent")]
        rows = []
        for k, stratum in enumerate([*STRATA, ALL]):
            part = slice(None) if stratum == ALL else slice(k, k + 1)
            row: list[str | int | float | None] = [stratum, sum(self.systems[0].gold[part])]
            for one in self.systems:
                row.append(_share(sum(one.had[part]), sum(one.gold[part])))
                row.append(_share(sum(one.right[part]), sum(one.found[part])))
            rows.append(tuple(row))
        return Table("Recall and precision in each stratum", tuple(columns), tuple(rows), self.signature, "systems")

    def relations(self) -> Table:
        """Recall of each relation of gold, the systems side by side."""
        names = file_names([one.name for one in self.systems])
        columns = (("relation", "text"), ("edges", "count"), *((name, "percent") for name in names))
        first = self.systems[0].relations
        rows = [
            (name, edges, *(_share(one.relations[name][1], edges) for one in self.systems))
            for name, (edges, _) in sorted(first.items(), key=lambda item: (-item[1][0], item[0]))
        ]
        return Table("Recall by relation", columns, tuple(rows), self.signature, "relations")


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def evaluate_systems(chaos: Chaos, gold: Source, systems: Sequence[Source]) -> SystemStrata:
    """Parses of a gold corpus by any parsers against its trees; arcs may be missing (HEAD `_`).

    An arc is of the stratum Chunk if it stays inside a chunk, as the rules chunk the gold tags; Verbal if it is the
    root's or its relation is one of VERBAL_RELATIONS; Certain if our own parse has one governor for the word's chunk;
    otherwise Final: we have several, or none. A gold arc has its gold relation, a system's arc that of the system.
    """
    ours = corpus_of(gold)
    others = [corpus_of(system, trees=False) for system in systems]
    for other in others:  # a sentence that was left out of one side is left out on every side
        if (ours.defects or other.defects) and not np.array_equal(ours.start, other.start):
            ours = ours.select(np.isin(ours.number, other.number))
    others = [_matching(other, ours) for other in others]
    place = _places(chaos, ours)
    counts = tuple(_counts(ours, other, place) for other in others)
    settings = f"systems|chunks:{chaos.rules.name}|lexicon:{chaos.lexicon.name or 'none'}"
    return SystemStrata(counts, f"{settings}|punct:no|labels:no|v{__version__}")


def _matching(system: Corpus, gold: Corpus) -> Corpus:
    if (gold.defects or system.defects) and not np.array_equal(gold.start, system.start):
        system = system.select(np.isin(system.number, gold.number))
    if not np.array_equal(system.start, gold.start):
        raise CorpusError(
            f"{system.path}: {counted(system.n_sentences, 'sentence')} of {counted(system.n_words, 'word')}; expected "
            f"the {counted(gold.n_sentences, 'sentence')} and {counted(gold.n_words, 'word')} of {gold.path}"
        )
    return system


def _places(chaos: Chaos, gold: Corpus) -> tuple[list[int], list[bool]]:
    """For each word of the corpus the number of its chunk, none twice, and whether our parse is sure of the chunk."""
    chunk_of: list[int] = []
    sure: list[bool] = []
    number = 0
    for parse in chaos.parse_corpus(gold):
        for k, chunk in enumerate(parse.chunks):
            size = chunk.last + 1 - chunk.first
            chunk_of += [number] * size
            sure += [parse.links.governor[k] != NONE and parse.links.layer[k] != FINAL] * size
            number += 1
    return chunk_of, sure


def _counts(gold: Corpus, system: Corpus, place: tuple[list[int], list[bool]]) -> LayerCounts:
    chunk_of, sure = place
    skipped = punctuation_of(gold)
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
