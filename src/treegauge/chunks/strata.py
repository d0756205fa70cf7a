"""Recall and precision of a partial parse, layer by layer (1998 §4, Table 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treegauge import __version__
from treegauge.chunks.clause_scores import NO_CLAUSES, ClauseCounts, clause_counts, sum_of_counts
from treegauge.chunks.links import STRATA
from treegauge.chunks.parse import Chaos, Source
from treegauge.chunks.word_graph import Edge, best_edges, word_edges
from treegauge.corpus.conllu import Corpus, read_conllu
from treegauge.corpus.files import expand_paths
from treegauge.tables import Table, Tabular

PUNCTUATION = "PUNCT"
Columns = tuple[tuple[str, str], ...]
INSIDE, BETWEEN = "inside chunks", "between chunks"


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """What was found and right in a corpus, by the stratum that added it; sums over strata give Table 1."""

    name: str
    gold: np.ndarray  # edges of each sentence
    found: np.ndarray  # sentence × stratum
    right: np.ndarray  # sentence × stratum
    kinds: dict[tuple[str, str], tuple[int, int]]  # (inside or between chunks, kind of link) -> found, right
    relations: dict[str, tuple[int, ...]]  # relation in gold -> edges, then those found by each stratum
    words: int
    clauses: ClauseCounts = NO_CLAUSES


@dataclass(frozen=True, repr=False)
class StrataScores(Tabular):
    """Recall and precision of the strata on one or several corpora."""

    parts: tuple[StratumCounts, ...]
    signature: str = ""

    @property
    def total(self) -> StratumCounts:
        """Of all corpora together."""
        return total_counts(self.parts) if len(self.parts) > 1 else self.parts[0]

    def table(self) -> Table:
        """Table 1: recall and precision of the strata, each with those before it; for several corpora, in total too."""
        columns: Columns = (("corpus", "text"), ("sentences", "count"), ("words", "count"), ("stratum", "text"))
        columns += (("edges", "count"), ("right", "count"), ("recall", "percent"), ("precision", "percent"))
        rows = []
        for part in [*self.parts, self.total] if len(self.parts) > 1 else self.parts:
            gold = int(part.gold.sum())
            found, right = (np.cumsum(counts.sum(axis=0)).tolist() for counts in (part.found, part.right))
            for k in range(len(STRATA)):
                scores = (_ratio(right[k], gold), _ratio(right[k], found[k]))
                rows.append((part.name, len(part.gold), part.words, STRATA[k], found[k], right[k], *scores))
        return Table("Recall and precision by stratum", columns, tuple(rows), self.signature, "strata")

    def links(self) -> Table:
        """Precision of each kind of link, and what share of the gold edges it gives."""
        columns: Columns = (("edges", "text"), ("kind", "text"), ("found", "count"), ("right", "count"))
        columns += (("precision", "percent"), ("of gold", "percent"))
        part, rows = self.total, []
        gold = int(part.gold.sum())
        for place in (INSIDE, BETWEEN):
            here = {kind: counts for (where, kind), counts in part.kinds.items() if where == place}
            here = dict(sorted(here.items(), key=lambda item: (-item[1][0], item[0])))
            everything = (sum(found for found, _ in here.values()), sum(right for _, right in here.values()))
            for kind, (found, right) in {"all": everything, **here}.items():
                rows.append((place, kind, found, right, _ratio(right, found), _ratio(right, gold)))
        return Table(f"Links of {part.name} by kind", columns, tuple(rows), self.signature, "links")

    def relations(self) -> Table:
        """For each relation of the treebank the share of its edges that the strata find, and how many none finds."""
        columns: Columns = (("relation", "text"), ("edges", "count"), *((stratum, "percent") for stratum in STRATA))
        part, rows = self.total, []
        for name, (edges, *right) in sorted(part.relations.items(), key=lambda item: (-item[1][0], item[0])):
            sums = np.cumsum(right).tolist()
            rows.append((name, edges, *(_ratio(value, edges) for value in sums), edges - sums[-1]))
        columns += (("missed", "count"),)
        return Table(f"Recall of {part.name} by relation", columns, tuple(rows), self.signature, "relations")

    def clauses(self) -> Table:
        """Words in the right clause, clauses in the right clause, and clauses with the right first and last word."""
        columns: Columns = (("corpus", "text"), ("words", "count"), ("right clause", "percent"), ("clauses", "count"))
        columns += (("right place", "percent"), ("right boundaries", "percent"))
        rows = []
        for part in [*self.parts, self.total] if len(self.parts) > 1 else self.parts:
            words, at_home, clauses, placed, bounded = part.clauses
            shares = (_ratio(placed, clauses), _ratio(bounded, clauses))
            rows.append((part.name, words, _ratio(at_home, words), clauses, *shares))
        return Table("Clauses", columns, tuple(rows), self.signature, "clauses")

    def __repr__(self) -> str:
        last = self.table().records()[-1]
        shares = {name: "–" if last[name] is None else f"{100 * last[name]:.2f} %" for name in ("recall", "precision")}
        return f"StrataScores({last['stratum']}: recall {shares['recall']}, precision {shares['precision']})"


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def evaluate_chaos(chaos: Chaos, golds: Sequence[Source], best: bool) -> StrataScores:
    """The parser's own edges against gold trees."""
    parts = tuple(score_chaos(corpus, chaos, corpus.path, best) for corpus in map(corpus_of, golds))
    settings = f"{chaos.settings}|best:{'yes' if best else 'no'}"
    return StrataScores(parts, signature=_signature(settings))


def corpus_of(source: Source, trees: bool = True) -> Corpus:
    """A corpus, read if it is not yet."""
    return source if isinstance(source, Corpus) else read_conllu(*expand_paths([source]), trees=trees)


def _signature(settings: str) -> str:
    return f"{settings}|punct:no|labels:no|v{__version__}"


def score_chaos(corpus: Corpus, chaos: Chaos, name: str, best: bool = False) -> StratumCounts:
    """The parser's edges against the trees of the corpus; best: one edge for each word."""
    start, heads = corpus.start.tolist(), corpus.tree_head.tolist()
    skipped = punctuation_of(corpus)
    clauses = [NO_CLAUSES]

    def edges() -> Iterator[Sequence[Edge]]:
        for s, parse in enumerate(chaos.parse_corpus(corpus)):
            sentence = slice(start[s], start[s + 1])
            clauses.append(clause_counts(parse, heads[sentence], skipped[sentence]))
            yield list(best_edges(parse, chaos.rules).values()) if best else word_edges(parse, chaos.rules)

    counts = score_edges(corpus, edges(), name)
    return replace(counts, clauses=sum_of_counts(clauses))


def punctuation_of(corpus: Corpus) -> list[bool]:
    """For each word whether it is punctuation."""
    labels = [label == PUNCTUATION for label in corpus.labels["upos"]]
    return [labels[code] for code in corpus.codes["upos"].tolist()]


def score_edges(corpus: Corpus, edges: Iterable[Sequence[Edge]], name: str) -> StratumCounts:
    """Edges of each sentence against the trees of the corpus, unlabelled.

        Recall = |edges_correct ∩ edges_found| / |edges_correct|,  Precision = |…| / |edges_found|     (§4)

    The paper prints the two names exchanged. A gold edge is a word with its head, the root's is 0; punctuation is left
    out, on both sides. Every alternative of an ambiguous word is an edge.
    """
    start = corpus.start.tolist()
    heads = corpus.tree_head.tolist()
    skipped = punctuation_of(corpus)
    relations = corpus.relations()
    relation = [relations.names[code] for code in relations.codes.tolist()]
    n = corpus.n_sentences
    gold, found, right = np.zeros(n, int), np.zeros((n, len(STRATA)), int), np.zeros((n, len(STRATA)), int)
    kinds: Counter[tuple[str, str, bool]] = Counter()
    by_relation: dict[str, list[int]] = {}
    for row, name_of in enumerate(relation):
        if not skipped[row]:
            by_relation.setdefault(name_of, [0] * (1 + len(STRATA)))[0] += 1
    for s, given in enumerate(edges):
        low = start[s]
        gold[s] = start[s + 1] - low - sum(skipped[low : start[s + 1]])
        for word, head, stratum, kind, _, inside in {edge[:2]: edge for edge in reversed(given)}.values():
            row = low + word - 1
            if skipped[row]:
                continue
            correct = heads[row] == head
            found[s, stratum] += 1
            right[s, stratum] += correct
            kinds[INSIDE if inside else BETWEEN, kind, correct] += 1
            by_relation[relation[row]][1 + stratum] += correct
    pairs = dict.fromkeys((place, kind) for place, kind, _ in kinds)
    of_kind = {(p, k): (kinds[p, k, True] + kinds[p, k, False], kinds[p, k, True]) for p, k in pairs}
    named = {key: tuple(values) for key, values in by_relation.items()}
    return StratumCounts(name, gold, found, right, of_kind, named, corpus.n_words)


def total_counts(parts: Sequence[StratumCounts]) -> StratumCounts:
    """Of several corpora together."""
    kinds: dict[tuple[str, str], tuple[int, int]] = {}
    relations: dict[str, tuple[int, ...]] = {}
    for part in parts:
        for key, (n_found, n_right) in part.kinds.items():
            sums = kinds.get(key, (0, 0))
            kinds[key] = (sums[0] + n_found, sums[1] + n_right)
        for name, values in part.relations.items():
            relations[name] = tuple(a + b for a, b in zip(relations.get(name, (0,) * 5), values, strict=True))
    gold, found, right = (
        np.concatenate(arrays) for arrays in zip(*((p.gold, p.found, p.right) for p in parts), strict=True)
    )
    clauses = sum_of_counts([part.clauses for part in parts])
    return StratumCounts("total", gold, found, right, kinds, relations, sum(p.words for p in parts), clauses)
