"""Enhanced graphs that contradict the basic tree, or what the treebank does elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.corpus.writing import DEPS
from treegauge.upkeep import codes
from treegauge.wording import counted

MOSTLY, OFTEN = 0.9, 20  # what the treebank does in this share of at least so many cases, it should do everywhere
_MARKED = {"obl": ("case",), "nmod": ("case",), "advcl": ("mark",), "acl": ("mark",), "conj": ("cc",)}
_SUBJECTS = ("nsubj", "csubj")
Arc = tuple[str, str]  # head, as DEPS has it, and relation
Found = tuple[int, str, str, float]  # row, code, message, weight


def enhanced_contradictions(corpus: Corpus) -> Iterator[Found]:
    """Row, code, message and weight of every contradiction; none if the corpus has no enhanced graphs."""
    if not corpus.tokens.has_deps:
        return
    graphs = [_graph(corpus, s) for s in range(corpus.n_sentences)]
    lacking: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    total: Counter[tuple[str, str]] = Counter()
    for s, graph in enumerate(graphs):
        if not any(arcs for arcs, _ in graph.values()):
            continue
        yield from _unreachable(corpus, s, graph)
        for row, kind, what, message in _expected(corpus, s, graph):
            total[kind, what] += 1
            if message:
                lacking[kind, what].append((row, message))
    for (kind, what), rows in lacking.items():
        share = 1 - len(rows) / total[kind, what]
        if total[kind, what] >= OFTEN and share >= MOSTLY:
            for row, message in rows:
                yield row, kind, f"{message}, as {100 * share:.1f} % of {total[kind, what]:,} {what} have", share


def _graph(corpus: Corpus, s: int) -> dict[str, tuple[list[Arc], int]]:
    """id of each node -> its arcs, and the row of its word, −1 for an empty node."""
    graph: dict[str, tuple[list[Arc], int]] = {}
    first = int(corpus.start[s])
    for line in corpus.sentence_text(s).decode(errors="replace").split("\n"):
        columns = line.rstrip("\r").split("\t")
        if len(columns) != 10 or "-" in columns[0]:
            continue
        deps = columns[DEPS]
        arcs = [arc.partition(":")[::2] for arc in deps.split("|")] if deps != "_" else []
        graph[columns[0]] = (
            [(head, relation) for head, relation in arcs],
            (-1 if "." in columns[0] else first + int(columns[0]) - 1),
        )
    return graph


def _unreachable(corpus: Corpus, s: int, graph: dict[str, tuple[list[Arc], int]]) -> Iterator[Found]:
    below: dict[str, list[str]] = defaultdict(list)
    for node, (arcs, _) in graph.items():
        for head, _ in arcs:
            below[head].append(node)
    reached, queue = {"0"}, ["0"]
    while queue:
        for node in below[queue.pop()]:
            if node not in reached:
                reached.add(node)
                queue.append(node)
    lost = [row for node, (_, row) in graph.items() if node not in reached and row >= 0]
    if lost:
        others = f", nor to {counted(len(lost) - 1, 'other word')}" if len(lost) > 1 else ""
        yield lost[0], codes.UNREACHABLE, f"no way leads from the root to this word in DEPS{others}", 1.0


def _expected(corpus: Corpus, s: int, graph: dict[str, tuple[list[Arc], int]]) -> Iterator[tuple[int, str, str, str]]:
    """For each thing that DEPS may be expected to have: row, code, what, and what is wrong, empty if it is there."""
    first, last = corpus.start[s : s + 2].tolist()
    below: dict[int, list[int]] = defaultdict(list)
    for row in range(first, last):
        below[int(corpus.head_row[row])].append(row)
    names = {row: universal(corpus.value("deprel", row)) for row in range(first, last)}
    for row in range(first, last):
        arcs, head, name = graph[str(row - first + 1)][0], str(int(corpus.head[row])), names[row]
        if not arcs:
            continue
        of_head = [relation for there, relation in arcs if there == head and universal(relation) == name]
        elsewhere = any(
            "." in there or relation == "ref" for there, relation in arcs
        )  # below an empty node, or a relative
        if not elsewhere:
            missing = "" if of_head else f"DEPS lacks {head}:{name}, the arc of the tree"
            yield row, codes.NO_BASIC_ARC, "words", missing
        markers = [k for k in below[row] if names[k] in _MARKED.get(name, ()) and corpus.value("lemma", k).isalpha()]
        if of_head and markers:
            bare = all(relation in (name, corpus.value("deprel", row)) for relation in of_head)
            lemma = corpus.value("lemma", markers[0])
            yield (
                row,
                codes.NO_MARKER,
                f"{name} with {names[markers[0]]}",
                f"{name} in DEPS lacks '{lemma}'" if bare else "",
            )
        if name == "conj" and of_head:
            yield row, codes.NOT_SHARED, "conjuncts", "" if len(arcs) > 1 else "DEPS has no arc but conj"
        if name == "xcomp" and corpus.head_row[row] >= 0:
            yield from _control(graph, row, first, below[int(corpus.head_row[row])], names)


def _control(
    graph: dict[str, tuple[list[Arc], int]], row: int, first: int, siblings: list[int], names: dict[int, str]
) -> Iterator[tuple[int, str, str, str]]:
    """Whether an object or subject beside an xcomp has an arc to it; the message is at the subject."""
    candidates = [k for k in siblings if names[k] in ("obj", "iobj", *_SUBJECTS)]
    if not candidates or any(relation == "ref" for k in candidates for _, relation in graph[str(k - first + 1)][0]):
        return
    here = str(row - first + 1)
    shared = any(head == here for k in candidates for head, _ in graph[str(k - first + 1)][0])
    subject = candidates[0]
    missing = "" if shared else f"DEPS lacks {here}:nsubj, the subject of the xcomp"
    yield subject, codes.NO_CONTROL, "words beside an xcomp", missing
