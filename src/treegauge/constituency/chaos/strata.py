"""Recall and precision of a partial parse, layer by layer, and of its clauses (1998 §4, Table 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treegauge.constituency.chaos.links import STRATA
from treegauge.constituency.chaos.parse import ChunkParse, Edge, best_edges, word_edges, word_heads
from treegauge.constituency.chaos.rules import Rules
from treegauge.corpus.compare.comparison import Comparison, side_by_side
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.tables import Table, Tabular, column_kinds

INSIDE, BETWEEN = "inside chunks", "between chunks"


class ClauseCounts(NamedTuple):
    """The clauses of a parse against trees (1998 §2.1, the clause hierarchy): counts that add up over sentences."""

    words: int = 0  # without punctuation and verbs of clauses
    at_home: int = 0  # of these words, how many are in the clause of the verb that they stand under in the tree
    clauses: int = 0  # with a verb, without the outermost
    placed: int = 0  # of these clauses, how many are in the clause of the verb that they stand under
    bounded: int = 0  # of these clauses, how many have the first and the last word of the verb's subtree


NO_CLAUSES = ClauseCounts()


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """Edges of a parser on a corpus, by the stratum that added them; sums over strata give Table 1."""

    name: str
    gold: np.ndarray  # edges of each sentence
    found: np.ndarray  # sentence × stratum: edges of the parser
    right: np.ndarray  # sentence × stratum: how many of them are in gold
    kinds: dict[tuple[str, str], tuple[int, int]]  # (inside or between chunks, kind of link) -> found, right
    relations: dict[str, tuple[int, ...]]  # relation in gold -> its edges, then how many of them each stratum has
    words: int
    clauses: ClauseCounts = NO_CLAUSES


@dataclass(frozen=True, repr=False)
class StrataScores(Tabular):
    """Recall and precision of the strata on one or several corpora."""

    parts: tuple[StratumCounts, ...]
    signature: str = ""

    @property
    def total(self) -> StratumCounts:
        """The counts of all corpora together."""
        return total_counts(self.parts) if len(self.parts) > 1 else self.parts[0]

    @property
    def rows(self) -> tuple[StratumCounts, ...]:
        """The counts of each corpus; for several corpora, of all together too, unless they are versions of one text."""
        versions = "|tags:given" in self.signature
        return (*self.parts, self.total) if len(self.parts) > 1 and not versions else self.parts

    def table(self) -> Table:
        """Table 1: recall and precision of the strata, each with those before it; for several corpora, in total too."""
        columns = "corpus text, sentences count, words count, stratum text, edges count, right count"
        kinds = column_kinds(columns + ", recall percent, precision percent")
        rows = []
        for name, part in zip(self._names(), self.rows, strict=True):
            gold = int(part.gold.sum())
            found, right = (np.cumsum(counts.sum(axis=0)).tolist() for counts in (part.found, part.right))
            for k, stratum in enumerate(STRATA):
                scores = share(right[k], gold), share(right[k], found[k])
                rows.append((name, len(part.gold), part.words, stratum, found[k], right[k], *scores))
        return Table("Recall and precision by stratum", kinds, tuple(rows), self.signature, "strata")

    def _names(self) -> list[str]:
        """The names of the rows: files without their folders, if that tells them apart."""
        return [*file_names([part.name for part in self.parts]), *(part.name for part in self.rows[len(self.parts) :])]

    def links(self) -> Table:
        """Precision of each kind of link, and what share of the gold edges it gives."""
        columns = column_kinds("edges text, kind text, found count, right count, precision percent, of gold percent")
        part, rows = self.total, []
        gold = int(part.gold.sum())
        for place in (INSIDE, BETWEEN):
            kinds = [(kind, *counts) for (where, kind), counts in part.kinds.items() if where == place]
            kinds.sort(key=lambda row: (-row[1], row[0]))
            for kind, found, right in [("all", sum(row[1] for row in kinds), sum(row[2] for row in kinds)), *kinds]:
                rows.append((place, kind, found, right, share(right, found), share(right, gold)))
        return Table(f"Links of {part.name} by kind", columns, tuple(rows), self.signature, "links")

    def relations(self) -> Table:
        """For each relation of the treebank the share of its edges that the strata have, and how many are missed."""
        strata = (f"{stratum} percent" for stratum in STRATA)
        columns = column_kinds(", ".join(["relation text, edges count", *strata, "missed count"]))
        part, rows = self.total, []
        for name, (edges, *right) in sorted(part.relations.items(), key=lambda item: (-item[1][0], item[0])):
            sums = np.cumsum(right).tolist()
            rows.append((name, edges, *(share(value, edges) for value in sums), edges - sums[-1]))
        return Table(f"Recall of {part.name} by relation", columns, tuple(rows), self.signature, "relations")

    def clauses(self) -> Table:
        """Words in the right clause, clauses in the right clause, and clauses with the right first and last word."""
        columns = "corpus text, words count, right clause percent, clauses count, right place percent"
        kinds = column_kinds(columns + ", right boundaries percent")
        rows = []
        for name, part in zip(self._names(), self.rows, strict=True):
            words, at_home, clauses, placed, bounded = part.clauses
            shares = share(placed, clauses), share(bounded, clauses)
            rows.append((name, words, share(at_home, words), clauses, *shares))
        return Table("Clauses", kinds, tuple(rows), self.signature, "clauses")

    def __repr__(self) -> str:
        last = self.table().records()[-1]
        shares = {name: "–" if last[name] is None else f"{100 * last[name]:.2f} %" for name in ("recall", "precision")}
        return f"StrataScores({last['stratum']}: recall {shares['recall']}, precision {shares['precision']})"


def share(part: float, whole: float) -> float | None:
    """A fraction; None if the whole is empty."""
    return float(part / whole) if whole else None


def score_parses(
    gold: Corpus, parses: Iterable[ChunkParse], rules: Rules, best: bool = False, tagged: Corpus | None = None
) -> StratumCounts:
    """The edges and clauses of parses against gold trees; best: one edge for each word.

    tagged: the corpus that was parsed, if it is not gold itself. Its words are aligned with those of gold by characters
    if they are not the same; then clauses are not compared.
    """
    parses = list(parses)
    edges = [list(best_edges(parse, rules).values()) if best else word_edges(parse, rules) for parse in parses]
    comparison = None if tagged is None else side_by_side(tagged, gold)
    if comparison is not None and comparison.row is not None:
        return replace(score_edges(gold, aligned_edges(comparison, edges)), name=comparison.corpus.path)
    heads, skipped = gold.tree_head.tolist(), is_punctuation(gold)
    clauses = [
        clause_counts(parse, heads[low:high], skipped[low:high])
        for (low, high), parse in zip(pairwise(gold.start.tolist()), parses, strict=True)
    ]
    name = gold.path if tagged is None else tagged.path
    return replace(score_edges(gold, edges), clauses=_sum([NO_CLAUSES, *clauses]), name=name)


def aligned_edges(comparison: Comparison, edges: Iterable[Sequence[Edge]]) -> list[list[Edge]]:
    """Edges between the words of a corpus as edges between the words of the other, sentence by sentence.

    The word of an edge is 0 if the other does not have it; these edges of punctuation are left out. The head is -1 if
    the other does not have it in the same sentence.
    """
    corpus, other = comparison.corpus, comparison.other
    row = comparison.present.nonzero()[0] if comparison.row is None else comparison.row
    partner, sentence = row.tolist(), comparison.other_sentence.tolist()
    position, home = other.position.tolist(), other.sentence.tolist()
    skipped = is_punctuation(corpus)
    moved: list[list[Edge]] = [[] for _ in range(other.n_sentences)]
    for low, own in zip(corpus.start.tolist(), edges, strict=False):  # the last offset begins no sentence
        for edge in own:
            word = low + edge.word - 1
            at = partner[word]
            if at < 0 and skipped[word]:
                continue
            s = home[at] if at >= 0 else sentence[word]
            above = partner[low + edge.head - 1] if edge.head else -1
            head = 0 if edge.head == 0 else position[above] if above >= 0 and home[above] == s else -1
            moved[s].append(edge._replace(word=position[at] if at >= 0 else 0, head=head))
    return moved


def is_punctuation(corpus: Corpus) -> list[bool]:
    """For each word whether it is punctuation."""
    labels = [label == "PUNCT" for label in corpus.labels["upos"]]
    return [labels[code] for code in corpus.codes["upos"].tolist()]


def score_edges(corpus: Corpus, edges: Iterable[Sequence[Edge]]) -> StratumCounts:
    """The edges of each sentence against the trees of the corpus, unlabelled.

        Recall = |edges_correct ∩ edges_found| / |edges_correct|,  Precision = |…| / |edges_found|     (§4)

    The paper prints the two names exchanged. A gold edge is a word with its head; the head of the root is 0.
    Punctuation is left out on both sides. Every alternative of an ambiguous word is an edge.
    """
    heads, skipped = corpus.tree_head.tolist(), is_punctuation(corpus)
    relations = corpus.relations()
    relation = [relations.names[code] for code in relations.codes.tolist()]
    n = corpus.n_sentences
    gold, found, right = np.zeros(n, int), np.zeros((n, len(STRATA)), int), np.zeros((n, len(STRATA)), int)
    kinds: Counter[tuple[str, str, bool]] = Counter()
    by_relation: dict[str, list[int]] = {}
    for row, name in enumerate(relation):
        if not skipped[row]:
            by_relation.setdefault(name, [0] * (1 + len(STRATA)))[0] += 1
    for s, ((low, high), own) in enumerate(zip(pairwise(corpus.start.tolist()), edges, strict=True)):
        gold[s] = high - low - sum(skipped[low:high])
        lost = [edge for edge in own if edge.word == 0]  # of words that gold does not have
        for word, head, stratum, kind, _, inside in [*{e[:2]: e for e in reversed(own) if e.word}.values(), *lost]:
            row = low + word - 1
            if word and skipped[row]:
                continue
            correct = bool(word) and heads[row] == head
            found[s, stratum] += 1
            right[s, stratum] += correct
            kinds[INSIDE if inside else BETWEEN, kind, correct] += 1
            if word:
                by_relation[relation[row]][1 + stratum] += correct
    pairs = dict.fromkeys((place, kind) for place, kind, _ in kinds)
    of_kind = {(p, k): (kinds[p, k, True] + kinds[p, k, False], kinds[p, k, True]) for p, k in pairs}
    named = {key: tuple(values) for key, values in by_relation.items()}
    return StratumCounts(corpus.path, gold, found, right, of_kind, named, corpus.n_words)


def total_counts(parts: Sequence[StratumCounts]) -> StratumCounts:
    """The counts of several corpora together."""
    kinds: dict[tuple[str, str], tuple[int, int]] = {}
    relations: dict[str, tuple[int, ...]] = {}
    for part in parts:
        for key, (n_found, n_right) in part.kinds.items():
            before = kinds.get(key, (0, 0))
            kinds[key] = (before[0] + n_found, before[1] + n_right)
        for name, values in part.relations.items():
            relations[name] = tuple(a + b for a, b in zip(relations.get(name, (0,) * 5), values, strict=True))
    gold, found, right = (
        np.concatenate(arrays) for arrays in zip(*((p.gold, p.found, p.right) for p in parts), strict=True)
    )
    clauses = _sum([part.clauses for part in parts])
    return StratumCounts("total", gold, found, right, kinds, relations, sum(p.words for p in parts), clauses)


def _sum(counts: Sequence[ClauseCounts]) -> ClauseCounts:
    return ClauseCounts(*map(sum, zip(*counts, strict=True)))


def clause_counts(parse: ChunkParse, heads: Sequence[int], skipped: Sequence[bool]) -> ClauseCounts:
    """The clauses of a sentence against its tree.

    heads: the head of each word, from 1, 0 for the root; skipped: which words are punctuation. A clause is known by the
    word that stands for its verb in UD (the predicate of a copula). A word stands under the first such word above it.
    """
    clauses = parse.clauses
    verb_word = list(map(word_heads(parse), (clause.verb for clause in clauses)))
    is_verb = set(verb_word) - {0}
    gold = [_above(w, heads, is_verb) for w in range(1, len(heads) + 1)]
    around = [_around(parse, k) for k in range(len(clauses))]
    ours = [0] * len(heads)
    for chunk, clause in zip(parse.chunks, parse.home, strict=True):
        ours[chunk.first : chunk.last + 1] = [verb_word[clause]] * (chunk.last + 1 - chunk.first)
    seen = [w for w in range(len(heads)) if not skipped[w]]
    free = [w for w in seen if w + 1 not in is_verb]
    inner = [k for k, clause in enumerate(clauses) if clause.verb >= 0 and around[k] >= 0]
    placed = sum(gold[verb_word[k] - 1] == verb_word[around[k]] for k in inner)
    mine = {k: _span([w for w in seen if _under(ours[w], k, verb_word, around)]) for k in inner}
    trees = {k: _span([w for w in seen if _reaches(w + 1, verb_word[k], heads)]) for k in inner}
    bounded = sum(mine[k] == trees[k] for k in inner)
    return ClauseCounts(len(free), sum(gold[w] == ours[w] for w in free), len(inner), placed, bounded)


def _around(parse: ChunkParse, k: int) -> int:
    """The clause with a verb in which clause k stands: its partner's clause if it is joined to one; −1 for none."""
    clauses = parse.clauses
    if clauses[k].joined >= 0:
        return next(j for j, clause in enumerate(clauses) if clause.verb == clauses[k].joined)
    above = clauses[k].above
    while above >= 0 and clauses[above].verb < 0:
        above = clauses[above].above
    return above


def _above(word: int, heads: Sequence[int], wanted: set[int]) -> int:
    """The first of the wanted words above a word; 0 if there is none."""
    above = heads[word - 1]
    while above and above not in wanted:
        above = heads[above - 1]
    return above


def _reaches(word: int, target: int, heads: Sequence[int]) -> bool:
    while word and word != target:
        word = heads[word - 1]
    return word == target


def _under(verb: int, k: int, verb_word: Sequence[int], around: Sequence[int]) -> bool:
    """Whether the clause of a verb's word is clause k or stands in it."""
    at = verb_word.index(verb) if verb in verb_word else -1
    for _ in verb_word:
        if at < 0 or at == k:
            break
        at = around[at]
    return at == k


def _span(words: Sequence[int]) -> tuple[int, int]:
    return (words[0], words[-1]) if words else (-1, -1)
