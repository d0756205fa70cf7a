"""How right the clauses of a parse are, by the trees of a treebank (1998 §2.1, the clause hierarchy)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treegauge.chunks.parse import ChunkParse
from treegauge.chunks.word_graph import word_heads


class ClauseCounts(NamedTuple):
    """Counts that add up over sentences."""

    words: int = 0  # outside punctuation, verbs of clauses left out
    at_home: int = 0  # of them, in the clause of the verb that they stand under in the tree
    clauses: int = 0  # with a verb, the outermost left out
    placed: int = 0  # of them, in the clause of the verb that they stand under
    bounded: int = 0  # of them, with the first and the last word of the verb's subtree


NO_CLAUSES = ClauseCounts()


def sum_of_counts(counts: Sequence[ClauseCounts]) -> ClauseCounts:
    """Of all together."""
    return ClauseCounts(*map(sum, zip(*counts, strict=True)))


def clause_counts(parse: ChunkParse, heads: Sequence[int], skipped: Sequence[bool]) -> ClauseCounts:
    """The clauses of a sentence against its tree.

    heads: of each word, from 1, 0 for the root; skipped: the words that are punctuation. A clause is known by the word
    that its verb is in UD (the predicate of a copula). A word stands under the first such word above it.
    """
    clauses = parse.clauses
    top = word_heads(parse)
    verb_word = [top(clause.verb) if clause.verb >= 0 else 0 for clause in clauses]
    is_verb = set(verb_word) - {0}
    gold = [_above(w, heads, is_verb) for w in range(1, len(heads) + 1)]
    around = [_around(parse, k) for k in range(len(clauses))]
    ours = [0] * len(heads)
    for k, chunk in enumerate(parse.chunks):
        clause = parse.home[k]
        ours[chunk.first : chunk.last + 1] = [verb_word[clause]] * (chunk.last + 1 - chunk.first)
    free = [w for w in range(len(heads)) if not skipped[w] and w + 1 not in is_verb]
    inner = [k for k, clause in enumerate(clauses) if clause.verb >= 0 and around[k] >= 0]
    placed = sum(gold[verb_word[k] - 1] == verb_word[around[k]] for k in inner)
    seen = [w for w in range(len(heads)) if not skipped[w]]
    mine = {k: _span([w for w in seen if _under(ours[w], k, verb_word, around)]) for k in inner}
    trees = {k: _span([w for w in seen if _reaches(w + 1, verb_word[k], heads)]) for k in inner}
    bounded = sum(mine[k] == trees[k] for k in inner)
    return ClauseCounts(len(free), sum(gold[w] == ours[w] for w in free), len(inner), placed, bounded)


def _around(parse: ChunkParse, k: int) -> int:
    """The clause with a verb in which a clause stands: that of its partner if it is joined to one; −1 if none."""
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
