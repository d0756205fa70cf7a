"""Constituency trees and partial parses: how hard is this treebank, and how good is each layer of a parser?"""
