"""How hard is a treebank: its grammar, the probabilities of its trees and sentences, ECC and PARSEVAL."""

from treegauge.grammar.bracket_scores import Parseval, ParsevalOptions, parseval
from treegauge.grammar.brackets import BracketTreebank, Leaf, Tree, read_brackets
from treegauge.grammar.cleaning import Cleaning, clean, read_clusters
from treegauge.grammar.derivations import derivation, derivations
from treegauge.grammar.flattening import flat_treebank, flatten
from treegauge.grammar.grammar import TreebankGrammar
from treegauge.grammar.measures import EccResult, EccSettings, ecc, samples_table, sizes_table
from treegauge.grammar.nltk_trees import as_tree, to_nltk
from treegauge.grammar.parsing import BestTree, bracket_tree, inside, n_parses, tree_entropy, viterbi
from treegauge.grammar.samples import LearningCurves, growing, learning_curve, learning_curves
from treegauge.grammar.sentences import (
    TextDifficulty,
    sentence_rows,
    sentences_table,
    text_difficulty,
    text_rows,
    tree_rows,
)

__all__ = [
    "BestTree",
    "BracketTreebank",
    "Cleaning",
    "EccResult",
    "EccSettings",
    "Leaf",
    "LearningCurves",
    "Parseval",
    "ParsevalOptions",
    "TextDifficulty",
    "Tree",
    "TreebankGrammar",
    "as_tree",
    "bracket_tree",
    "clean",
    "derivation",
    "derivations",
    "ecc",
    "flat_treebank",
    "flatten",
    "growing",
    "inside",
    "learning_curve",
    "learning_curves",
    "n_parses",
    "parseval",
    "read_brackets",
    "read_clusters",
    "samples_table",
    "sentence_rows",
    "sentences_table",
    "sizes_table",
    "text_difficulty",
    "text_rows",
    "to_nltk",
    "tree_entropy",
    "tree_rows",
    "viterbi",
]
