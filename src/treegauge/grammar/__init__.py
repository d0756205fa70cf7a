"""How hard is a treebank: its grammar, the probabilities of its trees and sentences, ECC and PARSEVAL."""
