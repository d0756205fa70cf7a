"""How hard each sentence is: Δt, probabilities, number of trees and tree entropy, with one row for each sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge.constituency.bracket_scores import fraction, interval99
from treegauge.constituency.grammar import Derivation, TreebankGrammar, sample_of
from treegauge.constituency.measures import DEFAULT, EccSettings, Progress, grammar_of, with_parts
from treegauge.constituency.parsing import each, parser_of, tree_probability
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.tables import Table, Tabular, column_kinds


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """The values of one sentence; nan for a value that is not defined."""

    sentence: int  # in its sample, from 1
    name: str  # its place
    tags: int
    covered: bool  # whether its tree has only rules of the grammar; for text: whether it has any tree
    delta: float  # Δt, bits
    log_prob: float  # log2 p(t)
    log_prob_yield: float  # log2 p(w)
    parses: float  # number of trees of w; inf if unary cycles make it infinite
    tree_entropy: float  # H(T|w), bits


def sentences_table(rows: Sequence[SentenceRow], signature: str) -> Table:
    """A row for each sentence; parses are None if their number is infinite."""
    kinds = {"name": "text", "covered": "text", "sentence": "count", "tags": "count", "parses": "count"}
    columns = tuple((name, kinds.get(name, "number")) for name in SentenceRow.__slots__)
    whole = (replace(row, parses=int(row.parses)) if row.parses < 2**53 else row for row in rows)
    return Table("Sentences", columns, tuple(map(astuple, whole)), signature, "sentences")


def sentence_rows(
    train: Any, test: Any = None, settings: EccSettings = DEFAULT, *, progress: Progress | None = None
) -> list[SentenceRow]:
    """Each tree of `test`, or of `train`, under the grammar of the treebank `train`; treebanks as for `ecc`."""
    sample, grammar = grammar_of(train, settings.cleaning)
    if test is not None:
        sample = sample_of(test, settings.cleaning)
    return grammar_rows(grammar, sample.trees, settings, names=sample.places, progress=progress)


def grammar_rows(
    grammar: TreebankGrammar,
    sentences: Sequence[Derivation | Sequence[str]],
    settings: EccSettings = DEFAULT,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[SentenceRow]:
    """One row per sentence under the length limit; a sentence is a tree, covered or not, or only its tags.

    The paper's H(T|w) (§3.2, after Hwa 2004) needs only the grammar; it is nan for a sentence that has no tree.
    """
    parser = parser_of(grammar)

    def row(k: int) -> SentenceRow:
        sentence, log_prob, delta = sentences[k], math.nan, math.nan
        codes = grammar.tag_codes(sentence.tags if isinstance(sentence, Derivation) else sentence)
        log_prob_yield, entropy = parser.expectation(codes)
        covered = parsed = log_prob_yield > -math.inf
        if isinstance(sentence, Derivation):
            rules = grammar.rule_codes(sentence)
            covered = bool((rules >= 0).all())
            if covered:
                log_prob = tree_probability(grammar.prob[rules]).log2
                delta = max(0.0, log_prob_yield - log_prob)
        log_prob_yield, parses = (log_prob_yield, parser.n_parses(codes)) if parsed else (math.nan, 0.0)
        name = names[k] if names else ""
        return SentenceRow(k + 1, name, len(codes), covered, delta, log_prob, log_prob_yield, parses, entropy)

    wanted = [k for k, sentence in enumerate(sentences) if 0 < len(sentence) < settings.max_length]
    return each(row, wanted, settings.workers, progress)


@dataclass(frozen=True, repr=False)
class TextDifficulty(Tabular):
    """How hard a tagged text is under a treebank's grammar."""

    name: str
    rows: list[SentenceRow]  # the sentences under the length limit
    n_sentences: int
    tags: tuple[str, ...]  # all tags of the text
    unknown: tuple[str, ...]  # tags that the grammar does not have; a sentence with one has no tree
    signature: str

    def table(self) -> Table:
        """One row: means over the sentences that have a tree."""
        parsed = [row for row in self.rows if row.covered]
        entropy = np.array([row.tree_entropy for row in parsed])
        n, words = len(parsed), sum(row.tags for row in parsed)
        cross_entropy = fraction(-math.fsum(row.log_prob_yield for row in parsed), n)
        mean, per_word = float(entropy.mean()) if n else math.nan, fraction(float(entropy.sum()), words)
        covered = fraction(n, len(self.rows))
        sizes = self.name, self.n_sentences, len(self.rows), n, covered
        row = (*sizes, cross_entropy, mean, interval99(entropy), per_word)
        columns = "text text, sentences count, sentences_used count, covered count, covered_share percent"
        columns += ", sentential_cross_entropy number, tree_entropy number, tree_entropy_ci interval"
        kinds = column_kinds(columns + ", tree_entropy_per_word number")
        return Table("Tree entropy of tagged text, in bits", kinds, (row,), self.signature, "text")

    def sentences(self) -> Table:
        """One row per sentence."""
        return sentences_table(self.rows, self.signature)

    def __repr__(self) -> str:
        covered = sum(row.covered for row in self.rows)
        return f"TextDifficulty({self.name!r}, {covered} of {self.n_sentences} sentences have a tree)"


def text_difficulty(
    train: Any,
    text: Corpus | str | os.PathLike[str],
    settings: EccSettings = DEFAULT,
    *,
    tags: str = "xpos",
    progress: Progress | None = None,
) -> TextDifficulty:
    """How hard tagged text (CoNLL-U) is under the grammar of the treebank `train`; tags: the column of the tags."""
    corpus = text if isinstance(text, Corpus) else read_conllu(text, columns=(tags,), trees=False)
    _, grammar = grammar_of(train, settings.cleaning)
    labels, codes = corpus.labels[tags], corpus.codes[tags].tolist()
    sentences = [[labels[code] for code in codes[low:high]] for low, high in pairwise(corpus.start.tolist())]
    names = [sent_id or f"{corpus.path}: {s}" for s, sent_id in enumerate(corpus.sent_ids, 1)]
    rows = grammar_rows(grammar, sentences, settings, names=names, progress=progress)
    unknown = tuple(sorted(set(labels) - set(grammar.tags)))
    signature = with_parts(settings, f"tags:{tags}").signature
    return TextDifficulty(corpus.path, rows, corpus.n_sentences, labels, unknown, signature)
