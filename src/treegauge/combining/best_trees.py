"""The best tree of each sentence, given a score of every arc."""

from __future__ import annotations

import numpy as np

from treegauge.combining.spanning_kernel import SpanningTrees


def best_columns(head: np.ndarray, score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """For each word the column of its arc in the tree with one root whose scores have the largest sum.

    head, score: a row for each word, a column for each arc it may have, several to one head if need be; no arc where
    the score is -inf or nan, or the head is no other word of the sentence and not 0. start: where each sentence
    starts, and where the last one ends. A sentence without such a tree has -1.
    """
    best = np.full(len(head), -1, dtype=np.int32)
    room = SpanningTrees(int(np.diff(start).max(initial=0)), head.shape[1])
    arcs = np.ascontiguousarray(head, dtype=np.int32), np.ascontiguousarray(score, dtype=np.float64)
    room.find(*arcs, np.ascontiguousarray(start, dtype=np.int64), 0, len(start) - 1, best)
    return best


def best_or_given(head: np.ndarray, score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The same, but column 0 of all words of a sentence without such a tree."""
    return np.asarray(np.maximum(best_columns(head, score, start), 0))


def best_tree(scores: np.ndarray) -> np.ndarray:
    """The heads of one sentence, from scores[head, word - 1], a row for the root first; -1 where there is no tree."""
    heads, words = scores.shape
    of = np.tile(np.arange(heads, dtype=np.int32), (words, 1))
    return best_columns(of, scores.T, np.array([0, words]))
