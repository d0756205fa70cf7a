"""What is usual instead of an arc: the relations between two tags, the tags of heads of a tag under a relation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.arcs.reference import CHAINS, FIRST_RELATION, FIRST_TAG, ROOT_TAG, Reference, chain_parts

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
