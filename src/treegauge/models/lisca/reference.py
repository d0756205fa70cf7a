"""The reference: counts of events in a corpus, which add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property

import numpy as np

from treegauge.errors import ModelError, OptionError
from treegauge.models.lisca.features import LEMMA, NONE, RELATION, TAG, Preset, find_preset

# Where the parts of a key lie. Trait events: trait, sentence length, label, value.
TRAIT_AT, LENGTH_AT, LABEL_AT = 60, 48, 24
VALUE = (1 << LABEL_AT) - 1
# Chains, an arc and the arc above it: tag of d, tag of h, relation t, tag of hh, relation th.
D_AT, H_AT, T_AT, HH_AT, TH_AT = 50, 38, 25, 13, 0
TAG_BITS, RELATION_BITS = 12, 13
NO_TAG, ROOT_TAG, FIRST_TAG = 0, 1, 2  # in a chain, tag k of the model is k + 2
NO_RELATION, FIRST_RELATION = 0, 1
# Triplets: form of d, form of h, relation.
FORM_D_AT, FORM_H_AT = 38, 13
FORM_BITS = 25
NO_FORM, FIRST_FORM = 0, 1  # the artificial root has no form

CHAINS, TRIPLETS = "chains", "triplets"


@dataclass(frozen=True, slots=True)
class CountSettings:
    """How a corpus was counted."""

    preset: str = "2020"
    pos: str = "upos"
    subtypes: bool = False
    forms: bool = False  # triplets of word forms are counted too, for the scorers LTR and LPTR

    def __post_init__(self) -> None:
        find_preset(self.preset)
        if self.pos not in ("upos", "xpos"):
            raise OptionError(f"pos {self.pos!r}; expected 'upos' or 'xpos'")


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A corpus that went into a model; bytes of its name that are not UTF-8 become question marks."""

    name: str
    sentences: int
    words: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name.encode(errors="replace").decode())


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each key occurred; keys ascend, counts are positive."""

    keys: np.ndarray
    counts: np.ndarray

    @staticmethod
    def of(keys: np.ndarray, counts: np.ndarray) -> Counts:
        """Counts from keys in any order, some perhaps more than once; keys whose counts add up to 0 are dropped."""
        order = np.argsort(keys)  # not stable, which is faster: counts of equal keys are added up
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
        keys, counts = keys[first], np.add.reduceat(counts, first) if len(first) else counts
        kept = counts != 0
        return Counts(keys[kept], counts[kept])

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The count of each of these keys, 0 for those that are not there."""
        if len(self.keys) == 0:
            return np.zeros(len(keys), dtype=np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.counts[place], 0)


@dataclass(frozen=True)
class Reference:
    """Counts of trait events (by tag; by relation or lemma), of chains, and of form triplets where asked for.

    Labels are sorted, so that a label's code does not depend on the order in which corpora were read.
    """

    settings: CountSettings
    tags: tuple[str, ...]
    relations: tuple[str, ...]
    lemmas: tuple[str, ...]
    forms: tuple[str, ...]
    tables: dict[str, Counts] = field(repr=False)
    sources: tuple[Source, ...]

    @property
    def preset(self) -> Preset:
        """What was counted, and in which sets of arcs."""
        return find_preset(self.settings.preset)

    @property
    def words(self) -> int:
        """Words of the reference, each with its arc."""
        return sum(source.words for source in self.sources)

    @property
    def sentences(self) -> int:
        """Sentences of the reference."""
        return sum(source.sentences for source in self.sources)

    @property
    def events(self) -> int:
        """Distinct events counted."""
        return sum(len(table.keys) for table in self.tables.values())

    def labels_of(self, characteristic: str) -> tuple[str, ...]:
        """The labels that the arcs of a characteristic are told apart by."""
        return {NONE: ("",), TAG: self.tags, RELATION: self.relations, LEMMA: self.lemmas}[characteristic]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the settings, labels and counts: equal for equal statistics."""
        import hashlib
        import json

        digest = hashlib.sha256()
        labels = [self.tags, self.relations, self.lemmas, self.forms]
        digest.update(json.dumps([asdict(self.settings), labels], sort_keys=True).encode())
        for name, table in sorted(self.tables.items()):
            digest.update(f"{name} {len(table.keys)}\n".encode())
            digest.update(table.keys.astype("<i8").tobytes())
            digest.update(table.counts.astype("<i8").tobytes())
        return digest.hexdigest()

    @property
    def signature(self) -> str:
        """The model in a signature: what it was built from, and the start of its hash."""
        names = "+".join(source.name for source in self.sources[:3]) + ("+…" if len(self.sources) > 3 else "")
        return f"{names}@{self.hash[:8]}"


def trait_tables(preset: Preset) -> tuple[str, str]:
    """The two characteristics by which trait events are counted; counts of all arcs are their sums."""
    first, second = (c for c in preset.characteristics if c != NONE)
    return first, second


def merge_references(references: Iterable[Reference]) -> Reference:
    """The reference of all corpora together, whatever the order: counts add up."""
    return _combine(list(references), None)


def subtract_reference(whole: Reference, part: Reference) -> Reference:
    """The reference of the text of `whole` without the text of `part`, which must be in it."""
    return _combine([whole], part)


def _combine(references: list[Reference], minus: Reference | None) -> Reference:
    everything = references if minus is None else [*references, minus]
    if not references:
        raise ModelError("no model to merge")
    settings = references[0].settings
    for reference in everything:
        if reference.settings != settings:
            raise ModelError(f"models of different settings: {reference.settings} and {settings}")
    labels = {
        kind: tuple(sorted(set().union(*(getattr(reference, kind) for reference in everything))))
        for kind in ("tags", "relations", "lemmas", "forms")
    }
    tables = {}
    for name in references[0].tables:
        parts = []
        for reference in everything:
            sign = -1 if reference is minus else 1
            codes = {kind: codes_in(getattr(reference, kind), labels[kind]) for kind in labels}
            parts.append((relabel(name, reference.tables[name].keys, codes), sign * reference.tables[name].counts))
        tables[name] = Counts.of(np.concatenate([k for k, _ in parts]), np.concatenate([c for _, c in parts]))
        if len(tables[name].counts) and tables[name].counts.min() < 0:
            raise ModelError("cannot subtract: the part has events that the whole does not have")
    sources = sorted(source for reference in references for source in reference.sources)
    if minus is not None:
        sources.append(Source("less " + "+".join(s.name for s in minus.sources), -minus.sentences, -minus.words))
    reference = Reference(settings, **labels, tables=tables, sources=tuple(sources))
    return reference if minus is None else without_unused_labels(reference)


def codes_in(labels: tuple[str, ...], among: tuple[str, ...]) -> np.ndarray:
    """For each label its place in a longer sorted tuple."""
    place = {label: k for k, label in enumerate(among)}
    return np.array([place[label] for label in labels], dtype=np.int64)


def relabel(table: str, keys: np.ndarray, codes: dict[str, np.ndarray]) -> np.ndarray:
    """Keys with the labels of `tags`, `relations`, `lemmas`, `forms` replaced by other codes for them."""
    if table == CHAINS:
        tag = np.concatenate([[NO_TAG, ROOT_TAG], codes["tags"] + FIRST_TAG]).astype(np.int64)
        relation = np.concatenate([[NO_RELATION], codes["relations"] + FIRST_RELATION]).astype(np.int64)
        d, h, t, hh, th = chain_parts(keys)
        return chain_keys(tag[d], tag[h], relation[t], tag[hh], relation[th])
    if table == TRIPLETS:
        form = np.concatenate([[NO_FORM], codes["forms"] + FIRST_FORM]).astype(np.int64)
        relation = np.concatenate([[NO_RELATION], codes["relations"] + FIRST_RELATION]).astype(np.int64)
        d, h, t = triplet_parts(keys)
        return triplet_keys(form[d], form[h], relation[t])
    kind = {TAG: "tags", RELATION: "relations", LEMMA: "lemmas"}[table]
    label = keys >> LABEL_AT & (1 << LENGTH_AT - LABEL_AT) - 1
    return keys ^ (label ^ codes[kind][label]) << LABEL_AT


def chain_parts(keys: np.ndarray) -> tuple[np.ndarray, ...]:
    """d, h, t, hh, th of chain keys."""
    tag, relation = (1 << TAG_BITS) - 1, (1 << RELATION_BITS) - 1
    return (
        keys >> D_AT & tag,
        keys >> H_AT & tag,
        keys >> T_AT & relation,
        keys >> HH_AT & tag,
        keys >> TH_AT & relation,
    )


def chain_keys(d: np.ndarray, h: np.ndarray, t: np.ndarray, hh: np.ndarray, th: np.ndarray) -> np.ndarray:
    """The keys of chains; any of the parts may be left 0."""
    return d << D_AT | h << H_AT | t << T_AT | hh << HH_AT | th << TH_AT


def triplet_parts(keys: np.ndarray) -> tuple[np.ndarray, ...]:
    """Form of d, form of h, and relation of triplet keys."""
    form = (1 << FORM_BITS) - 1
    return keys >> FORM_D_AT & form, keys >> FORM_H_AT & form, keys & (1 << RELATION_BITS) - 1


def triplet_keys(d: np.ndarray, h: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The keys of triplets."""
    return d << FORM_D_AT | h << FORM_H_AT | t


def without_unused_labels(reference: Reference) -> Reference:
    """The same model without labels that none of its events has."""
    used = {
        kind: np.zeros(len(getattr(reference, kind)), dtype=bool) for kind in ("tags", "relations", "lemmas", "forms")
    }
    d, _, t, _, _ = chain_parts(reference.tables[CHAINS].keys)
    used["tags"][d - FIRST_TAG] = True
    used["relations"][t - FIRST_RELATION] = True
    if LEMMA in reference.tables:
        keys = reference.tables[LEMMA].keys
        used["lemmas"][keys >> LABEL_AT & (1 << LENGTH_AT - LABEL_AT) - 1] = True
    if TRIPLETS in reference.tables:
        used["forms"][triplet_parts(reference.tables[TRIPLETS].keys)[0] - FIRST_FORM] = True
    if all(flags.all() for flags in used.values()):
        return reference
    labels = {
        kind: tuple(label for label, flag in zip(getattr(reference, kind), flags, strict=True) if flag)
        for kind, flags in used.items()
    }
    codes = {kind: np.cumsum(flags) - 1 for kind, flags in used.items()}
    tables = {name: Counts(relabel(name, table.keys, codes), table.counts) for name, table in reference.tables.items()}
    return Reference(reference.settings, **labels, tables=tables, sources=reference.sources)


def counted_columns(settings: CountSettings) -> tuple[str, ...]:
    """The CoNLL-U columns that counting needs."""
    lemma = ("lemma",) if LEMMA in find_preset(settings.preset).characteristics else ()
    return (settings.pos, "deprel", *lemma, *(("form",) if settings.forms else ()))
