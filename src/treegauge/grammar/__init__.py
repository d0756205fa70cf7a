"""How hard is a treebank: its grammar, the probabilities of its trees and sentences, ECC and PARSEVAL."""

from treegauge.grammar.bracket_scores import Parseval, ParsevalOptions, parseval
from treegauge.grammar.brackets import BracketTreebank, Leaf, Tree, read_brackets
from treegauge.grammar.cleaning import Cleaning, clean, read_clusters
from treegauge.grammar.grammar import TreebankGrammar, derivation, derivations
from treegauge.grammar.measures import EccResult, EccSettings, ecc
from treegauge.grammar.nltk_trees import as_tree, to_nltk
from treegauge.grammar.parsing import BestTree, bracket_tree, inside, n_parses, tree_entropy, viterbi
from treegauge.grammar.samples import growing, learning_curve
from treegauge.grammar.sentences import text_rows, tree_rows

__all__ = [
    "BestTree",
    "BracketTreebank",
    "Cleaning",
    "EccResult",
    "EccSettings",
    "Leaf",
    "Parseval",
    "ParsevalOptions",
    "Tree",
    "TreebankGrammar",
    "as_tree",
    "bracket_tree",
    "clean",
    "derivation",
    "derivations",
    "ecc",
    "growing",
    "inside",
    "learning_curve",
    "n_parses",
    "parseval",
    "read_brackets",
    "read_clusters",
    "text_rows",
    "to_nltk",
    "tree_entropy",
    "tree_rows",
    "viterbi",
]
