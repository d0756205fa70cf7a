"""Recall and precision of a partial parse, layer by layer (1998 §4, Table 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge import __version__
from treegauge.chunks.chunker import chunk_sentence, tagged_sentences
from treegauge.chunks.links import CHUNK, FINAL, STRATA
from treegauge.chunks.parse import Chaos, Source
from treegauge.chunks.rules import Rules
from treegauge.chunks.word_graph import Edge, best_edges, word_edges
from treegauge.corpus.conllu import Corpus, read_conllu
from treegauge.corpus.files import expand_paths
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError
from treegauge.tables import Table, Tabular
from treegauge.wording import counted

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


@dataclass(frozen=True, repr=False)
class StrataScores(Tabular):
    """Recall and precision of the strata on one or several corpora."""

    parts: tuple[StratumCounts, ...]
    strata: Sequence[int] = range(len(STRATA))  # those that are shown
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
            for k in self.strata:
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

    def __repr__(self) -> str:
        last = self.table().records()[-1]
        shares = {name: "–" if last[name] is None else f"{100 * last[name]:.2f} %" for name in ("recall", "precision")}
        return f"StrataScores({last['stratum']}: recall {shares['recall']}, precision {shares['precision']})"


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def evaluate_chaos(chaos: Chaos, golds: Sequence[Source], best: bool) -> StrataScores:
    """The parser's own edges against gold trees."""
    parts = tuple(score_chaos(corpus, chaos, corpus.path, best) for corpus in map(_corpus, golds))
    settings = f"{chaos.settings}|best:{'yes' if best else 'no'}"
    return StrataScores(parts, signature=_signature(settings))


def evaluate_system(chaos: Chaos, gold: Source, system: Source) -> StrataScores:
    """The edges of another parse of the gold corpus, in chunks as the rules find them."""
    ours, other = _corpus(gold), _corpus(system, trees=False)
    if (ours.defects or other.defects) and not np.array_equal(ours.start, other.start):
        # a sentence that was left out of one side is left out on the other
        numbers = ours.number, other.number
        ours, other = ours.select(np.isin(*numbers)), other.select(np.isin(*numbers[::-1]))
    counts = score_system(ours, other, chaos.rules, other.path)
    return StrataScores((counts,), (CHUNK, FINAL), _signature(f"system|chunks:{chaos.rules.name}"))


def _corpus(source: Source, trees: bool = True) -> Corpus:
    return source if isinstance(source, Corpus) else read_conllu(*expand_paths([source]), trees=trees)


def _signature(settings: str) -> str:
    return f"{settings}|punct:no|labels:no|v{__version__}"


def score_chaos(corpus: Corpus, chaos: Chaos, name: str, best: bool = False) -> StratumCounts:
    """The parser's edges against the trees of the corpus; best: one edge for each word."""
    edges = (
        list(best_edges(parse, chaos.rules).values()) if best else word_edges(parse, chaos.rules)
        for parse in chaos.parse_corpus(corpus)
    )
    return score_edges(corpus, edges, name)


def score_system(gold: Corpus, system: Corpus, rules: Rules, name: str) -> StratumCounts:
    """Another parse's edges, arcs that are missing (HEAD `_`) left out, against gold.

    An edge belongs to the stratum Chunk if it stays inside a chunk, as the rules chunk the gold tags, else to Final.
    """
    if system.n_sentences != gold.n_sentences or system.n_words != gold.n_words or (system.start != gold.start).any():
        raise CorpusError(
            f"{system.path}: {counted(system.n_sentences, 'sentence')} of {system.n_words} words; expected the "
            f"{counted(gold.n_sentences, 'sentence')} and {counted(gold.n_words, 'word')} of {gold.path}"
        )
    return score_edges(gold, _system_edges(gold, system, rules), name)


def _system_edges(gold: Corpus, system: Corpus, rules: Rules) -> Iterable[list[Edge]]:
    start, head = gold.start.tolist(), system.head.tolist()
    for s, words in enumerate(tagged_sentences(gold, rules)):
        chunks, _ = chunk_sentence(words, rules)
        chunk_of = [-1, *(k for k, chunk in enumerate(chunks) for _ in range(chunk.first, chunk.last + 1))]
        edges = []
        for w, above in enumerate(head[start[s] : start[s + 1]], 1):
            if above >= 0:
                inside = 0 < above <= len(words) and chunk_of[above] == chunk_of[w]
                kind = universal(system.value("deprel", start[s] + w - 1))
                edges.append(Edge(w, above, CHUNK if inside else FINAL, kind, 1.0, inside))
        yield edges


def score_edges(corpus: Corpus, edges: Iterable[Sequence[Edge]], name: str) -> StratumCounts:
    """Edges of each sentence against the trees of the corpus, unlabelled.

        Recall = |edges_correct ∩ edges_found| / |edges_correct|,  Precision = |…| / |edges_found|     (§4)

    The paper prints the two names exchanged. A gold edge is a word with its head, the root's is 0; punctuation is left
    out, on both sides. Every alternative of an ambiguous word is an edge.
    """
    start = corpus.start.tolist()
    heads = corpus.tree_head.tolist()
    punctuation = [label == PUNCTUATION for label in corpus.labels["upos"]]
    skipped = [punctuation[code] for code in corpus.codes["upos"].tolist()]
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
    return StratumCounts("total", gold, found, right, kinds, relations, sum(part.words for part in parts))
