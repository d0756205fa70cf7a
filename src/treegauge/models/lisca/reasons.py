"""Why an arc has a low score: the features that cost most compared with what is usual for its relation, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Explanation, Reason
from treegauge.models.lisca.chains import ARCPOS_FACTORS, CodedArcs
from treegauge.models.lisca.features import ARCPOS, HEAD_AFTER, NONE, PART, PART_BITS, RELATION, TAG, Feature
from treegauge.models.lisca.reference import (
    CHAINS,
    FIRST_RELATION,
    FIRST_TAG,
    LABEL_AT,
    ROOT_TAG,
    VALUE,
    Reference,
    chain_parts,
)
from treegauge.models.lisca.score import Factors, Lisca, Smoothing, log_ratio
from treegauge.wording import counted


def _number(n: int, what: str) -> str:
    plural = {"child": "children"}.get(what, f"{what}s")
    return f"{n or 'no'} {what if n == 1 else plural}"


def _sides(value: int, what: str) -> str:
    return f"{_number(value >> PART_BITS, what)} on the left, {value & PART or 'none'} on the right"


def _direction(value: int) -> str:
    return "head after it" if value == HEAD_AFTER else "head before it" if value else "root"


_AT_A_TIME = 1 << 12  # arcs whose factors are in memory together

# The words for a value of a feature.
_SAY: dict[str, Callable[[int], str]] = {
    "depth": lambda v: f"depth {v}",
    "nearest_leaf": lambda v: f"nearest leaf {v} below" if v else "a leaf itself",
    "farthest_leaf": lambda v: f"farthest leaf {v} below" if v else "nothing below it",
    "left_siblings": lambda v: f"{_number(v, 'sibling')} on the left",
    "right_siblings": lambda v: f"{_number(v, 'sibling')} on the right",
    "left_children": lambda v: f"{_number(v, 'child')} on the left",
    "right_children": lambda v: f"{_number(v, 'child')} on the right",
    "length": lambda v: f"length {v}",
    "direction": _direction,
    "paths": lambda v: f"paths of {v >> PART_BITS} and {v & PART} arcs from the root through it to its leaves",
    "children": lambda v: _sides(v, "child"),
    "siblings": lambda v: _sides(v, "sibling"),
    "signed_length": lambda v: f"length {v & PART}" + (f", {_direction(v >> PART_BITS)}" if v else ""),
}


class Explainer:
    """Explains the scores of a Lisca; what is usual for a relation is worked out once."""

    def __init__(self, lisca: Lisca) -> None:
        self.lisca = lisca
        self.reference = lisca.reference
        self.smoothing = lisca.options.smoothing or Smoothing()
        self.peers = RELATION if RELATION in self.reference.preset.characteristics else TAG
        self._usual = cache(self._usual_uncached)

    def __reduce__(self) -> tuple[type[Explainer], tuple[Lisca]]:
        return Explainer, (self.lisca,)  # the cache does not go to another process

    def explain(self, corpus: Corpus, rows: np.ndarray, *, most: int = 3, leave_out: bool = False) -> list[Explanation]:
        """The explanations of the arcs in some rows, each with at most `most` reasons."""
        parts = np.array_split(np.asarray(rows), max(len(rows) // _AT_A_TIME, 1))
        return [one for some in parts for one in self._explain(corpus, some, most, leave_out)]

    def _explain(self, corpus: Corpus, rows: np.ndarray, most: int, leave_out: bool) -> list[Explanation]:
        """The explanations of so few arcs that all their factors fit into memory."""
        lisca, given = self.lisca, np.asarray(rows).tolist()
        corpus, rows = corpus.around(rows)
        arcs = CodedArcs.of(corpus, self.reference)
        factors = lisca.factors(corpus, rows, arcs=arcs, leave_out=leave_out)
        logs = factors.log_ratios(self.smoothing)
        scores = factors.log_ratios(lisca.options.smoothing).sum(axis=0)
        lengths = np.diff(corpus.start)[corpus.sentence[rows]]
        explanations = []
        for k, row in enumerate(rows.tolist()):
            length = int(lengths[k])
            reasons = [
                *self._feature_reasons(arcs, row, length, factors, logs, k, length if leave_out else 0),
                *(self._arcpos_reason(arcs, row, factors, logs, k) if lisca.with_arcpos else ()),
            ]
            costly = sorted((r for r in reasons if r.cost > 0), key=lambda r: -r.cost)[:most]
            notes = tuple(self._notes(corpus, arcs, row, length, int(factors.widened[k])))
            explanations.append(Explanation(given[k], float(scores[k]), tuple(costly), notes))
        return explanations

    def _feature_reasons(
        self, arcs: CodedArcs, row: int, length: int, factors: Factors, logs: np.ndarray, k: int, minus: int
    ) -> list[Reason]:
        lisca = self.lisca
        width = len(lisca.characteristics)
        reasons = []
        tag, peer = int(arcs.labels[TAG][row]), int(arcs.labels[self.peers][row])
        for f, feature in enumerate(lisca.features):
            mine = slice(f * width, (f + 1) * width)
            usual, mode, mode_share = self._usual(feature, length, minus, tag, peer)
            value = int(feature.values(arcs.trait(feature.trait)[row]))
            if self.peers in lisca.characteristics:
                at = f * width + lisca.characteristics.index(self.peers)
                count, of = int(factors.F[at, k]), int(factors.N[at, k])
            else:
                here = lisca.range(length, minus)
                count = int(here.lookup(feature, self.peers, np.array([peer]), np.array([value]))[0])
                of = int(here.total(self.peers, np.array([peer]))[0])
            r = int(factors.widened[k])
            text = (
                f"{_SAY[feature.name](value)}: {share_of(count, of, f'{self._peer_name(peer)} arc')} "
                f"in sentences of {max(length - r, 1)}–{length + r} words"
            )
            if of and mode != value:
                text += f" (usual: {_SAY[feature.name](mode)}, {percent(mode_share)})"
            reasons.append(Reason(feature.name, usual - float(logs[mine, k].sum()), count, of, text))
        return reasons

    def _usual_uncached(
        self, feature: Feature, length: int, minus: int, tag: int, peer: int
    ) -> tuple[float, int, float]:
        """The mean log weight of a feature over the values that the peers have; their most frequent value, its share.

        Only over characteristics that do not tell the peers apart from this arc: not lemmas.
        """
        here = self.lisca.range(length, minus)
        table = here.counts(feature, self.peers)
        span = slice(*np.searchsorted(table.keys, [peer << LABEL_AT, peer + 1 << LABEL_AT]))
        values, counts = table.keys[span] & VALUE, table.counts[span]
        if len(values) == 0:
            return 0.0, 0, 0.0
        total = np.zeros(len(values))
        for c in self.lisca.characteristics:
            label = np.full(len(values), {NONE: 0, TAG: tag, self.peers: peer}.get(c, -1))
            if c in (NONE, TAG, self.peers):
                F, N = here.lookup(feature, c, label, values), here.total(c, label)
                total += log_ratio(F, N, self.smoothing)
        share = counts / counts.sum()
        mode = int(np.argmax(counts))
        return float((share * total).sum()), int(values[mode]), float(share[mode])

    @cached_property
    def _usual_arcpos(self) -> np.ndarray:
        """The mean log of each ArcPOS factor over the reference arcs of each relation; 0 for one it does not have."""
        table = self.reference.tables[CHAINS]
        logs = log_ratio(*self.lisca.chains.factors(table.keys), self.smoothing)
        relation = chain_parts(table.keys)[2] - FIRST_RELATION
        size = len(self.reference.relations) + 1
        arcs = np.bincount(relation, table.counts, size)
        sums = np.stack([np.bincount(relation, table.counts * log, size) for log in logs])
        return sums / np.maximum(arcs, 1)

    def _arcpos_reason(self, arcs: CodedArcs, row: int, factors: Factors, logs: np.ndarray, k: int) -> list[Reason]:
        relation = int(arcs.labels[RELATION][row])
        first = len(factors.names) - len(ARCPOS_FACTORS)
        costs = self._usual_arcpos[:, relation] - logs[first:, k]
        worst = int(np.argmax(costs))
        F, N = int(factors.F[first + worst, k]), int(factors.N[first + worst, k])
        return [Reason(ARCPOS, float(costs.sum()), F, N, self._say_arcpos(int(arcs.chains[row]), worst, F, N))]

    def _say_arcpos(self, chain: int, factor: int, F: int, N: int) -> str:
        tags = ("nothing", "the root", *self.reference.tags, "an unknown tag")
        relations = ("nothing", *self.reference.relations, "an unknown relation")
        d, h, t, hh, th = (int(part[0]) for part in chain_parts(np.array([chain])))
        arc = f"{tags[d]} –{relations[t]}→ {tags[h]}"
        above = f"–{relations[th]}→ {tags[hh]}" if th else "(the root)"
        name = ARCPOS_FACTORS[factor].partition("|")[2]
        if name == "d":
            return f"{arc}: {share_of(F, N, f'{tags[d]} –{relations[t]}→ arc')}"
        if name == "h":
            return f"{arc}: {share_of(F, N, f'–{relations[t]}→ {tags[h]} arc')}"
        if name == "above":
            return f"{arc} {above}: {share_of(F, N, f'{arc} arc')}"
        if name == "per_head":
            rate = "never seen" if F == 0 else f"{_two_digits(F / max(N, 1))} for each {tags[h]} {above} arc"
            return f"{arc} {above}: {rate}"
        return f"{arc} {above}: {share_of(F, N, 'arc')} {tags[d]} –{relations[t]}→ · {above} go through {tags[h]}"

    def _peer_name(self, peer: int) -> str:
        labels = (*self.reference.labels_of(self.peers), "unknown")
        return labels[peer]

    def _notes(self, corpus: Corpus, arcs: CodedArcs, row: int, length: int, r: int) -> list[str]:
        notes = []
        for c, column in ((TAG, self.reference.settings.pos), (RELATION, "deprel")):
            if arcs.labels[c][row] == len(self.reference.labels_of(c)):
                notes.append(f"{column} {corpus.value(column, row)!r} is not in the model")
        if r != self.lisca.options.range:
            asked = self.lisca.options.range
            notes.append(
                f"no reference sentence of {max(length - asked, 1)}–{length + asked} words: "
                f"judged by those of {max(length - r, 1)}–{length + r}"
            )
        return notes


def percent(share: float) -> str:
    """A share to two digits."""
    return f"{_two_digits(100 * share)} %" if share < 0.995 else f"{100 * share:.3g} %"


def _two_digits(value: float) -> str:
    """A number with two digits and no exponent: 0.5, 12, 4,300."""
    if 0 < value < 0.0001:
        return "below 0.0001"
    return f"{float(f'{value:.2g}'):,.5f}".rstrip("0").rstrip(".")


def share_of(count: int, of: int, what: str) -> str:
    """'0.3 % of det arcs', 'none of 523 det arcs'."""
    if of == 0:
        return f"there are no {what}s"
    return f"none of {counted(of, what)}" if count == 0 else f"{percent(count / of)} of {what}s"


ROOT = "ROOT"


@dataclass(frozen=True, slots=True)
class Usual:
    """Shares of the reference arcs, the most frequent first.

    relations: of the arcs from tag h to tag d, by (d, h); heads: of the arcs of tag d under relation t, by (d, t).
    """

    relations: dict[tuple[str, str], tuple[tuple[str, float], ...]]
    heads: dict[tuple[str, str], tuple[tuple[str, float], ...]]


def usual_arcs(reference: Reference, most: int = 3) -> Usual:
    """The `most` usual relations of every two tags, and head tags of every tag and relation, in the reference.

        F(d,h,t) / F(d,h,·)   and   F(d,h,t) / F(d,·,t)

    over the tags and relations of the model, in sentences of any length, as in ArcPOS (2020 §2.1.2).
    """
    chains = reference.tables[CHAINS]
    d, h, t, *_ = chain_parts(chains.keys)
    arcs: dict[tuple[str, str, str], int] = {}
    for tag, head, relation, n in zip(d.tolist(), h.tolist(), t.tolist(), chains.counts.tolist(), strict=True):
        above = ROOT if head == ROOT_TAG else reference.tags[head - FIRST_TAG]
        arc = (reference.tags[tag - FIRST_TAG], above, reference.relations[relation - FIRST_RELATION])
        arcs[arc] = arcs.get(arc, 0) + n
    relations: dict[tuple[str, str], dict[str, int]] = {}
    heads: dict[tuple[str, str], dict[str, int]] = {}
    for (tag_d, tag_h, name), n in arcs.items():
        relations.setdefault((tag_d, tag_h), {})[name] = n
        heads.setdefault((tag_d, name), {})[tag_h] = n
    return Usual(
        {key: _largest(counts, most) for key, counts in relations.items()},
        {key: _largest(counts, most) for key, counts in heads.items()},
    )


def _largest(counts: dict[str, int], most: int) -> tuple[tuple[str, float], ...]:
    total = np.sum(list(counts.values()))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    return tuple((name, float(n / total)) for name, n in ranked)
