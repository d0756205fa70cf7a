"""Where annotators do not agree: confused relations, sentences, words, and whose arc a model prefers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from treegauge.errors import OptionError
from treegauge.evaluation.agreement.agreement import Agreement
from treegauge.statistics import drawn_sentences, percentile_interval
from treegauge.tables import Table, column_kinds


def confusions_table(between: Agreement) -> Table:
    """The pairs of relations that annotators confuse, the most frequent first; how often the head is the same."""
    counts: Counter[tuple[int, int]] = Counter()
    heads: Counter[tuple[int, int]] = Counter()
    relation = between.annotators.relation
    for (first, second), same in zip(between.annotators.pairs, between.same_head, strict=True):
        for k in np.flatnonzero(relation[first] != relation[second]).tolist():
            cell = int(relation[first, k]), int(relation[second, k])
            cell = min(cell, cell[::-1], key=lambda pair: between.annotators.relations[pair[0]])
            counts[cell] += 1
            heads[cell] += bool(same[k])
    names = between.annotators.relations
    rows = [
        (names[a], names[b], n, n / counts.total(), heads[a, b] / n)
        for (a, b), n in sorted(counts.items(), key=lambda item: (-item[1], names[item[0][0]], names[item[0][1]]))
    ]
    columns = column_kinds("relation text, other text, words count, share percent, same_head percent")
    title = "Relations taken for each other (over all pairs of annotators)"
    return Table(title, columns, tuple(rows), between.signature, "confusions", headers={"same_head": "same head"})


def sentences_table(between: Agreement) -> Table:
    """Sentences with different arcs (the mean over pairs of annotators), most arcs first."""
    corpus = between.annotators.corpora[0]
    n = corpus.n_sentences
    words = np.bincount(between.annotators.sentence, minlength=n)
    arcs = np.bincount(between.annotators.sentence, between.differing.mean(axis=0), minlength=n)
    distance = np.full(n, np.nan)
    distance[between.trees.sentence] = between.trees.distance.mean(axis=1)
    rows = []
    for s in sorted(np.flatnonzero(arcs > 0).tolist(), key=lambda s: (-arcs[s], -arcs[s] / words[s], s)):
        text = " ".join(corpus.forms(s))
        share = float(arcs[s] / words[s])
        place = int(corpus.number[s]), corpus.sent_id(s)
        rows.append((*place, int(words[s]), float(arcs[s]), share, float(distance[s]), text))
    columns = column_kinds(
        "sentence count, sent_id text, words count, arcs number, share percent, tree_distance number, text text"
    )
    headers = {"arcs": "arcs that differ", "tree_distance": "tree distance"}
    title = "Sentences with most disagreement"
    return Table(title, columns, tuple(rows), between.signature, "sentences", headers=headers)


def words_table(between: Agreement) -> Table:
    """Words with different arcs: the arc of each annotator and, with a model, whose arc is the most plausible."""
    annotators, corpus = between.annotators, between.annotators.corpora[0]
    rows = []
    for k in between.words.tolist():
        row, s = int(annotators.row[0, k]), int(between.annotators.sentence[k])
        place = int(corpus.number[s]), corpus.sent_id(s), int(corpus.position[row]), corpus.value("form", row)
        arcs = [annotators.arc(a, k) for a in range(len(annotators.names))]
        values = [] if between.scores is None else between.scores[:, k].tolist()
        best = [name for name, value in zip(annotators.names, values, strict=False) if value == max(values)]
        rows.append((*place, *arcs, *values, *([" = ".join(best)] if values else [])))
    kinds = [(name, "text") for name in annotators.names]
    if between.scores is not None:
        kinds += [*((f"score {name}", "number") for name in annotators.names), ("likelier", "text")]
    columns = (*column_kinds("sentence count, sent_id text, word count, form text"), *kinds)
    return Table("Words with different arcs (head:relation)", columns, tuple(rows), between.signature, "words")


def plausible_table(between: Agreement) -> Table:
    """Whose arc the model finds more plausible, among the words to which two annotators give different arcs.

    The share is that of the first annotator, among the words where the two scores differ; its 95 % interval is over
    sentences drawn with replacement.
    """
    if between.scores is None:
        raise OptionError("no model was asked; expected a scorer in agreement(…, by=…)")
    rng = np.random.default_rng(between.seed)
    n = between.annotators.corpora[0].n_sentences
    weights = np.concatenate(list(drawn_sentences(n, between.samples, rng)))
    rows = []
    for (first, second), differs in zip(between.annotators.pairs, between.differing, strict=True):
        gap = np.where(differs, between.scores[first] - between.scores[second], np.nan)
        won, lost = (np.bincount(between.annotators.sentence, side, n) for side in (gap > 0, gap < 0))
        drawn_won, drawn = weights @ won, weights @ (won + lost)
        low, high = percentile_interval(drawn_won[drawn > 0] / drawn[drawn > 0])
        decided = won.sum() + lost.sum()
        share = float(won.sum() / decided) if decided else float("nan")
        names = between.annotators.names[first], between.annotators.names[second]
        sides = int(differs.sum()), int(won.sum()), int(lost.sum())
        rows.append((*names, *sides, share, float(low), float(high)))
    columns = column_kinds(
        "first text, second text, words count, first_likelier count, second_likelier count, share percent, "
        "low percent, high percent"
    )
    headers = {"first_likelier": "first likelier", "second_likelier": "second likelier", "share": "first (%)"}
    title = "Words with different arcs: whose arc the model finds more plausible"
    return Table(title, columns, tuple(rows), between.signature, "plausible", headers=headers)


def agreement_tables(between: Agreement) -> list[Table]:
    """Every table of an agreement."""
    several = [between.pairs_table()] if len(between.annotators.names) > 2 else []
    judged = [plausible_table(between)] if between.scores is not None else []
    details = [between.relations_table(), confusions_table(between), *judged]
    return [between.table(), *several, *details, sentences_table(between), words_table(between)]
