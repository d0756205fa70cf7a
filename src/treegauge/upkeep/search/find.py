"""Find the matches of a request in a corpus, or in the pieces of one that is larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.errors import check_type
from treegauge.models.model import Model
from treegauge.scorers.registry import probability_scorer
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

    @property
    def bound(self) -> dict[str, np.ndarray]:
        """The node of each name, as `Nodes` number them: an artificial root is behind all words."""
        roots = self.corpus.n_words + self.sentence
        columns = dict(zip(self.names, self.nodes.T, strict=True))
        for edge, column in zip(self.request.arcs, self.dependents.T, strict=True):
            columns[str(edge.target)] = column
        return {name: np.where(column >= 0, column, roots) for name, column in columns.items()}

    @cached_property
    def words(self) -> list[list[int]]:
        """The rows of each match's words, without the artificial root and each once."""
        return [list(dict.fromkeys(row for row in match if row >= 0)) for match in self.nodes.tolist()]

    def table(self) -> Table:
        """The matches as a table: their places, and each node's id, form, tag, relation and head."""
        return _table(self.request, ((self, k) for k in range(len(self))), self.signature, self.log_prob is not None)

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


def find(corpus: CorpusSource, request: str | Request, scorer: Scorer | Model | str | None = None) -> Matches:
    """The matches of a request (Grew's language) in a corpus, in text order; with a scorer, improbable ones first.

    scorer: a model (an object, a file or a code) stands for its usual scorer.

    found = tg.find("treebank.conllu", "pattern { V [upos=VERB]; V -[obj]-> O; O << V }")
    found.to_polars()
    """
    check_type("request", request, (str, Request), "a request, such as 'pattern { X [upos=NOUN] }'")
    parsed = parse_request(request) if isinstance(request, str) else request
    whole = as_corpus(corpus)
    found = find_in(whole, parsed)
    if scorer is None:
        return found
    found = found.scored(scorer if isinstance(scorer, Scorer) else probability_scorer(scorer))
    assert found.log_prob is not None
    return found[np.argsort(found.log_prob, kind="stable")]


def find_in(corpus: Corpus, request: Request, tables: LabelTables | None = None) -> Matches:
    """The matches in a corpus, in text order. tables: what is known of labels from earlier pieces."""
    nodes = Nodes(corpus, tables)
    names = request.nodes
    targets = [str(edge.target) for edge in request.arcs]
    sentence, rows, dependents = [np.zeros(0, np.int64)], [_none(len(names))], [_none(len(targets))]
    for part in match(nodes, request):
        sentence.append(part[""])
        for columns, wanted in ((rows, names), (dependents, targets)):
            table = np.stack([part[name] for name in wanted], axis=1) if wanted else _none(0, len(part[""]))
            columns.append(np.where(table < corpus.n_words, table, -1))
    joined = [np.concatenate(each) for each in (sentence, rows, dependents)]
    order = np.lexsort([*joined[1].T[::-1], joined[0]])
    in_order = [each[order] for each in joined]
    return Matches(corpus, request, in_order[0], in_order[1], in_order[2], features=frozenset(nodes.tables.found))


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


@dataclass(frozen=True)
class MatchList(Tabular):
    """Matches in several pieces of a corpus, in one order; each piece has only the sentences of its matches."""

    request: Request
    parts: tuple[Matches, ...]
    order: np.ndarray  # places among the matches of all parts, one part after the other

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[tuple[Matches, int]]:
        """Each match: its part, and its row there."""
        ends = np.cumsum([0, *map(len, self.parts)])
        for place in self.order.tolist():
            part = int(np.searchsorted(ends, place, side="right")) - 1
            yield self.parts[part], place - int(ends[part])

    @property
    def signature(self) -> str:
        """The settings behind the matches."""
        return self.parts[0].signature if self.parts else signature("find")

    def first(self, n: int | None) -> MatchList:
        """The first n matches; all if n is None."""
        return replace(self, order=self.order[:n])

    def table(self) -> Table:
        """The matches as a table: their places, and each node's id, form, tag, relation and head."""
        return _table(self.request, self, self.signature, any(part.log_prob is not None for part in self.parts))


def gather(
    pieces: Iterable[Matches], request: Request, scorer: Scorer | None = None, sample: int | None = None, seed: int = 0
) -> MatchList:
    """The matches in the pieces of a corpus: all, or a random sample of so many; with a scorer, improbable ones first.

    Only the sentences of the matches stay in memory.
    """
    random = np.random.default_rng(seed)
    parts: list[Matches] = []
    keys: list[np.ndarray] = []  # a random number for each match; a sample has the smallest
    for found in pieces:
        drawn = random.random(len(found))
        if not len(found):
            continue
        parts, keys = [*parts, found.compact()], [*keys, drawn]
        if sample is not None and sum(map(len, keys)) > 4 * sample + 1000:
            parts, keys = _sampled(parts, keys, sample)
    if sample is not None:
        parts, _ = _sampled(parts, keys, sample)
    if scorer is not None:
        parts = [part.scored(scorer) for part in parts]
    order = np.arange(sum(map(len, parts)))
    if scorer is not None and parts:
        order = np.argsort(
            np.concatenate([part.log_prob for part in parts if part.log_prob is not None]), kind="stable"
        )
    return MatchList(request, tuple(parts), order)


def _sampled(parts: list[Matches], keys: list[np.ndarray], sample: int) -> tuple[list[Matches], list[np.ndarray]]:
    """The matches with the smallest keys, and these."""
    everything = np.concatenate([np.zeros(0), *keys])
    if len(everything) <= sample:
        return parts, keys
    largest = np.sort(everything)[sample - 1] if sample else -1.0
    masks = [key <= largest for key in keys]
    kept = [k for k, mask in enumerate(masks) if mask.any()]
    return [parts[k][masks[k]].compact() for k in kept], [keys[k][masks[k]] for k in kept]


def _table(request: Request, matches: Iterable[tuple[Matches, int]], of: str, is_scored: bool) -> Table:
    columns = _PLACE + (", probability p" if is_scored else "")
    for name in request.nodes:
        columns += f", {name}.id count, {name}.form text, {name}.upos text, {name}.deprel text, {name}.head count"
    rows = tuple((rank, *_cells(found, k)) for rank, (found, k) in enumerate(matches, 1))
    return Table("Matches", column_kinds(columns), rows, of, "matches")


def _cells(found: Matches, k: int) -> list[object]:
    corpus, s = found.corpus, int(found.sentence[k])
    cells: list[object] = [corpus.files[corpus.file[s]], int(corpus.number[s]), corpus.sent_id(s).replace("\t", " ")]
    if found.log_prob is not None:
        cells.append(finite(float(np.exp(found.log_prob[k]))))
    for w in found.nodes[k].tolist():
        if w < 0:
            cells += [0, None, None, None, None]
        else:
            labels = (corpus.value(name, w) for name in ("form", "upos", "deprel"))
            cells += [int(corpus.position[w]), *labels, int(corpus.head[w])]
    return cells
