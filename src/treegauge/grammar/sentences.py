"""Which sentences are hard: Δt, probabilities, number of trees and tree entropy, one row per sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge.corpus.conllu import Corpus, read_conllu
from treegauge.grammar.bracket_scores import interval99
from treegauge.grammar.derivations import Derivation, sample_of
from treegauge.grammar.grammar import TreebankGrammar
from treegauge.grammar.measures import DEFAULT, EccSettings, Progress, grammar_of, with_parts
from treegauge.grammar.parsing import each, parser_of, tree_probability
from treegauge.tables import Table, Tabular


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """One sentence; nan for what is not defined."""

    sentence: int  # in its sample, from 1
    name: str  # where it stands
    tags: int
    covered: bool  # whether its tree has only rules of the grammar; for text: whether it has any tree
    delta: float  # Δt, bits
    log_prob: float  # log2 p(t)
    log_prob_yield: float  # log2 p(w)
    parses: float  # trees of w; inf where unary cycles make them endless
    tree_entropy: float  # H(T|w), bits


def sentences_table(rows: Sequence[SentenceRow], signature: str) -> Table:
    """A row for each sentence; parses are None where there is no end of them."""
    kinds = {"name": "text", "covered": "text", "sentence": "count", "tags": "count", "parses": "count"}
    columns = tuple((name, kinds.get(name, "number")) for name in SentenceRow.__slots__)
    whole = (replace(row, parses=int(row.parses)) if row.parses < 2**53 else row for row in rows)
    return Table("Sentences", columns, tuple(map(astuple, whole)), signature, "sentences")


def sentence_rows(
    train: Any, test: Any = None, settings: EccSettings = DEFAULT, *, progress: Progress | None = None
) -> list[SentenceRow]:
    """Each tree under the grammar of the treebank `train`: the trees of `test`, or its own. Given as to `ecc`."""
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
    """One row per sentence under the length limit: a tree, covered or not, or its tags alone, with no tree at hand.

    The paper's H(T|w) (§3.2, after Hwa 2004) needs only the grammar. Sentences without a tree have none.
    """
    parser = parser_of(grammar)

    def row(at: int) -> SentenceRow:
        sentence, log_prob, delta = sentences[at], math.nan, math.nan
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
        name = names[at] if names else ""
        return SentenceRow(at + 1, name, len(codes), covered, delta, log_prob, log_prob_yield, parses, entropy)

    wanted = [at for at, sentence in enumerate(sentences) if 0 < len(sentence) < settings.max_length]
    return each(row, wanted, settings.workers, progress)


@dataclass(frozen=True, repr=False)
class TextDifficulty(Tabular):
    """How hard a tagged text is under a treebank's grammar."""

    name: str
    rows: list[SentenceRow]  # of the sentences under the length limit
    n_sentences: int
    tags: tuple[str, ...]  # all tags of the text
    unknown: tuple[str, ...]  # those that the grammar has not; a sentence with one has no tree
    signature: str

    def table(self) -> Table:
        """One row: means over the sentences that have a tree."""
        parsed = [row for row in self.rows if row.covered]
        entropy = np.array([row.tree_entropy for row in parsed])
        words = sum(row.tags for row in parsed)
        cross_entropy = -math.fsum(row.log_prob_yield for row in parsed) / len(parsed) if parsed else math.nan
        figures = (
            ("text", "text", self.name),
            ("sentences", "count", self.n_sentences),
            ("sentences_used", "count", len(self.rows)),
            ("covered", "count", len(parsed)),
            ("covered_share", "percent", len(parsed) / len(self.rows) if self.rows else math.nan),
            ("sentential_cross_entropy", "number", cross_entropy),
            ("tree_entropy", "number", float(entropy.mean()) if parsed else math.nan),
            ("tree_entropy_ci", "interval", interval99(entropy)),
            ("tree_entropy_per_word", "number", float(entropy.sum()) / words if words else math.nan),
        )
        columns = tuple((name, kind) for name, kind, _ in figures)
        row = tuple(value for *_, value in figures)
        return Table("Tree entropy of tagged text, in bits", columns, (row,), self.signature, "text")

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
    """How hard tagged text (CoNLL-U) is under the grammar of the treebank `train`; `tags`: the column of its tags."""
    corpus = text if isinstance(text, Corpus) else read_conllu(text, columns=(tags,), trees=False)
    _, grammar = grammar_of(train, settings.cleaning)
    labels, codes, start = corpus.labels[tags], corpus.codes[tags].tolist(), corpus.start.tolist()
    sentences = [[labels[code] for code in codes[low:high]] for low, high in pairwise(start)]
    names = [sent_id or f"{corpus.path}: {s}" for s, sent_id in enumerate(corpus.sent_ids, 1)]
    rows = grammar_rows(grammar, sentences, settings, names=names, progress=progress)
    unknown = tuple(sorted(set(labels) - set(grammar.tags)))
    signature = with_parts(settings, f"tags:{tags}").signature
    return TextDifficulty(corpus.path, rows, corpus.n_sentences, labels, unknown, signature)
