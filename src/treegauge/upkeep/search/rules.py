"""Own rules of a treebank: requests with a name and a message. Each match is a finding of `check`.

    % two subjects of one verb
    rule two-subjects "a verb has one subject" at S2 {
      pattern { V -[1=nsubj]-> S1; V -[1=nsubj]-> S2; S1 << S2 }
    }

The finding is at the word of the node behind `at`, or of the first node of the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import read_text
from treegauge.ranking.verdicts import ACCEPT, Verdict, matched
from treegauge.upkeep.codes import OWN_RULE
from treegauge.upkeep.contradictions import Contradiction
from treegauge.upkeep.search.find import find_in
from treegauge.upkeep.search.nodes import LabelTables
from treegauge.upkeep.search.parser import RequestScanner, read_blocks
from treegauge.upkeep.search.request import Request

_NAME = re.compile(r"[\w.\-]+")
_MESSAGE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WEIGHT = 2.0  # a rule was written for this treebank: its findings come before what only contradicts the rest


@dataclass(frozen=True, slots=True)
class Rule:
    """A request, and what is wrong where it matches."""

    name: str
    message: str
    request: Request
    node: str  # the finding is at its word


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The rules of a treebank; `check` takes them among its references."""

    rules: tuple[Rule, ...]

    def findings(self, corpus: Corpus, accepted: Iterable[Verdict] = ()) -> Iterator[Contradiction]:
        """The findings of all rules, each word once for each rule, without those that somebody accepted.

        A verdict with the code of rules accepts the rule that its value names, or all if it has none.
        """
        silent = {
            (row, verdict.value)
            for row, verdict in matched(corpus, [one for one in accepted if one.code == OWN_RULE])
            if verdict.verdict == ACCEPT
        }
        tables = LabelTables()
        for rule in self.rules:
            found = find_in(corpus, rule.request, tables)
            column = found.names.index(rule.node)
            for row in dict.fromkeys(found.nodes[:, column].tolist()):
                if row >= 0 and (row, rule.name) not in silent:
                    yield Contradiction(row, OWN_RULE, f"{rule.name}: {rule.message}", _WEIGHT)


def read_rules(path: str) -> OwnRules:
    """The rules of a file; raises RequestError with file, line and column."""
    return parse_rules(read_text(path), path)


def parse_rules(text: str, source: str = "rules") -> OwnRules:
    """The rules in a text."""
    scanner = RequestScanner(text, source)
    rules: dict[str, Rule] = {}
    while not scanner.is_done:
        scanner.need("rule", 'rule NAME "message" { pattern { … } }')
        scanner.sees("")
        at = scanner.at
        name = scanner.need(_NAME, "the name of the rule")
        if name in rules:
            raise scanner.error(f"another name than {name!r}, which a rule has already", at)
        message = scanner.match(_MESSAGE)
        if not message:
            raise scanner.error('the message of the rule, in "…"')
        node = scanner.word() if scanner.has("at ") else ""
        scanner.need("{", "at NODE, or {")
        at = scanner.at
        request = read_blocks(scanner)
        scanner.need("}", "pattern, with, without, global, or the } of the rule")
        if not request.nodes or (node and node not in request.nodes):
            known = ", ".join(request.nodes) or "a pattern with a node"
            raise scanner.error(f"a node of the request behind `at`: {known}", at)
        rules[name] = Rule(name, message[1].replace('\\"', '"'), request, node or request.nodes[0])
    if not rules:
        raise scanner.error('rule NAME "message" { pattern { … } }')
    return OwnRules(tuple(rules.values()))
