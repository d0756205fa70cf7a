"""Find the matches of a request in a corpus, or in the pieces of one that is larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular, column_kinds, finite
from treegauge.upkeep.search.matching import match
from treegauge.upkeep.search.nodes import LabelTables, Nodes
from treegauge.upkeep.search.parser import parse_request
from treegauge.upkeep.search.request import Request
from treegauge.version import signature

_PLACE = "rank count, file text, sentence count, sent_id text"


@dataclass(frozen=True, eq=False)
class Matches(Tabular):
    """Row k of `nodes` is the k-th match; `matches[:10]` and `matches[mask]` are matches, too."""

    corpus: Corpus
    request: Request
    sentence: np.ndarray  # the index of each match's sentence
    nodes: np.ndarray  # a column for each node of the request: its row in the corpus; −1 for the artificial root
    dependents: np.ndarray  # a column for each arc of the request: the row of its dependent
    log_prob: np.ndarray | None = None  # how plausible each match is: log p of its least probable arc
    scorer_signature: str = ""
    features: frozenset[str] = field(default=frozenset())  # the features in the request that some word has

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, wanted: slice | np.ndarray) -> Matches:
        log_prob = None if self.log_prob is None else self.log_prob[wanted]
        some = {name: getattr(self, name)[wanted] for name in ("sentence", "nodes", "dependents")}
        return replace(self, **some, log_prob=log_prob)

    def __repr__(self) -> str:
        return f"Matches({len(self)} in {self.corpus.path!r}, nodes {', '.join(self.names)})"

    @property
    def names(self) -> list[str]:
        """The names of the nodes."""
        return self.request.nodes

    @property
    def signature(self) -> str:
        """The settings behind the matches."""
        return self.scorer_signature or signature("find")

    @cached_property
    def words(self) -> list[list[int]]:
        """The rows of each match's words, without the artificial root and each once."""
        return [list(dict.fromkeys(row for row in match if row >= 0)) for match in self.nodes.tolist()]

    def table(self) -> Table:
        """The matches as a table: their places, and each node's id, form, tag, relation and head."""
        return matches_table([self])

    def scored(self, scorer: Scorer) -> Matches:
        """The same matches with their plausibility: log p of the least probable arc that the request names.

        The arcs are those of the request; if it has none, those of all words of the match.
        """
        log_prob = scorer.scores(self.corpus)
        arcs = self.dependents if self.dependents.shape[1] else self.nodes
        values = np.where(arcs >= 0, log_prob[arcs] if len(log_prob) else 0.0, np.inf)
        least = values.min(axis=1, initial=np.inf)
        return replace(self, log_prob=np.where(np.isinf(least), np.nan, least), scorer_signature=scorer.signature)

    def compact(self) -> Matches:
        """The same matches in a corpus that has only their sentences, with a text of its own."""
        wanted, sentence = np.unique(self.sentence, return_inverse=True)
        part = self.corpus.select(wanted).own_text()
        shift = part.start[:-1] - self.corpus.start[wanted]
        moved = [np.where(rows >= 0, rows + shift[sentence][:, None], -1) for rows in (self.nodes, self.dependents)]
        return replace(self, corpus=part, sentence=sentence.ravel(), nodes=moved[0], dependents=moved[1])


def find(corpus: CorpusSource, request: str | Request, scorer: Scorer | None = None) -> Matches:
    """The matches of a request (Grew's language) in a corpus, in text order; with a scorer, improbable ones first.

    found = tg.find("treebank.conllu", "pattern { V [upos=VERB]; V -[obj]-> O; O << V }")
    found.to_polars()
    """
    parsed = parse_request(request) if isinstance(request, str) else request
    whole = as_corpus(corpus)
    found = find_in(whole, parsed)
    if scorer is None:
        return found
    found = found.scored(scorer)
    assert found.log_prob is not None
    return found[np.argsort(found.log_prob, kind="stable")]


def find_in(corpus: Corpus, request: Request, tables: LabelTables | None = None) -> Matches:
    """The matches in a corpus, in text order. tables: what is known of labels from earlier pieces."""
    nodes = Nodes(corpus, tables)
    names = request.nodes
    targets = [str(edge.target) for edge in request.pattern.edges if edge.target is not None]
    sentence, rows, dependents = [np.zeros(0, np.int64)], [_none(len(names))], [_none(len(targets))]
    for part in match(nodes, request):
        sentence.append(part[""])
        for columns, wanted in ((rows, names), (dependents, targets)):
            table = np.stack([part[name] for name in wanted], axis=1) if wanted else _none(0, len(part[""]))
            columns.append(np.where(table < corpus.n_words, table, -1))
    joined = [np.concatenate(each) for each in (sentence, rows, dependents)]
    order = np.lexsort([*joined[1].T[::-1], joined[0]])
    arrays = (each[order] for each in joined)
    return Matches(corpus, request, *arrays, features=frozenset(nodes.tables.found))


def _none(width: int, n: int = 0) -> np.ndarray:
    return np.zeros((n, width), np.int64)


def find_pieces(pieces: Iterable[Corpus], request: Request) -> Iterator[Matches]:
    """The matches in each piece of a corpus."""
    tables = LabelTables()
    for piece in pieces:
        yield find_in(piece, request, tables)


def count_pieces(pieces: Iterable[Corpus], request: Request) -> int:
    """How many matches the pieces of a corpus have; only a part of them is in memory."""
    tables = LabelTables()
    return sum(len(part[""]) for piece in pieces for part in match(Nodes(piece, tables), request))


def matches_table(parts: Iterable[Matches], order: np.ndarray | None = None) -> Table:
    """Matches in several pieces as one table, in an order of all of them if there is one."""
    rows: list[tuple[object, ...]] = []
    names: list[str] = []
    of, is_scored = signature("find"), False
    for found in parts:
        names, of, is_scored = found.names, found.signature, found.log_prob is not None
        rows += _table_rows(found)
    rows = rows if order is None else [rows[k] for k in order.tolist()]
    columns = _PLACE + (", probability p" if is_scored else "")
    for name in names:
        columns += f", {name}.id count, {name}.form text, {name}.upos text, {name}.deprel text, {name}.head count"
    ranked = tuple((k, *row) for k, row in enumerate(rows, 1))
    return Table("Matches", column_kinds(columns), ranked, of, "matches")


def _table_rows(found: Matches) -> list[tuple[object, ...]]:
    corpus = found.corpus
    log_prob = [None] * len(found) if found.log_prob is None else [finite(float(p)) for p in found.log_prob]
    rows: list[tuple[object, ...]] = []
    for s, nodes, p in zip(found.sentence.tolist(), found.nodes.tolist(), log_prob, strict=True):
        sent_id = corpus.sent_id(s).replace("\t", " ")
        row: list[object] = [corpus.files[corpus.file[s]], int(corpus.number[s]), sent_id]
        if found.log_prob is not None:
            row.append(None if p is None else float(np.exp(p)))
        for w in nodes:
            if w < 0:
                row += [0, None, None, None, None]
            else:
                labels = (corpus.value(name, w) for name in ("form", "upos", "deprel"))
                row += [int(corpus.position[w]), *labels, int(corpus.head[w])]
        rows.append(tuple(row))
    return rows
