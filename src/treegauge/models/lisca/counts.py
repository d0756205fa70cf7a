"""Counting a reference: one pass over its files, in bounded memory, on one core or several."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import local
from typing import BinaryIO

import numpy as np

from treegauge.corpus.columns import ReadingNotes
from treegauge.corpus.conllu import Place, Reader
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import Block, open_bytes, sentence_blocks
from treegauge.corpus.reading_log import FileRead, begin_file, note
from treegauge.corpus.relations import relation_codes
from treegauge.errors import ModelError
from treegauge.models.lisca import counts_kernel as kernel
from treegauge.models.lisca.features import LEMMA, PART_BITS, RELATION, TAG, arc_traits, find_preset
from treegauge.models.lisca.reference import (
    CHAINS,
    FIRST_FORM,
    FIRST_RELATION,
    FORM_BITS,
    LABEL_AT,
    LENGTH_AT,
    RELATION_BITS,
    TAG_BITS,
    TRAIT_AT,
    TRIPLETS,
    Counts,
    CountSettings,
    Reference,
    Source,
    codes_in,
    counted_columns,
    relabel,
    trait_tables,
    triplet_keys,
    without_unused_labels,
)

# How many bits of a trait's second number the dense part of the counts has room for; the first has the others of six.
_DENSE_BITS = {"depth": 6, "leaves": 4, "siblings": 3, "children": 3, "span": 4, "paths": 3}


class TraitCounter:
    """Counts the traits of arcs by one kind of label."""

    def __init__(self, traits: Sequence[str]) -> None:
        bits = np.array([_DENSE_BITS[trait] for trait in traits])
        inside = ((64 >> bits) - 1 << PART_BITS) | ((1 << bits) - 1)
        self.outside = (~inside & (1 << 2 * PART_BITS) - 1).astype(np.int32)
        self.shift = (PART_BITS - bits).astype(np.int32)
        self.dense = kernel.dense_counts()
        self.rest = kernel.Counter()
        self.n_labels = 0  # labels seen: those below this number

    def add(self, start: np.ndarray, traits: np.ndarray, label: np.ndarray, n_labels: int) -> None:
        """Count the arcs of some sentences, whose labels are below `n_labels`."""
        self.n_labels = n_labels
        order = np.argsort(np.diff(start), kind="stable")
        kernel.count_traits(order, start, traits, self.outside, self.shift, label, self.dense, self.rest)

    def _dense_items(self) -> tuple[np.ndarray, np.ndarray]:
        places, counts = kernel.dense_items(self.dense, self.n_labels)
        length, label, trait, at = np.unravel_index(
            places, (kernel.LENGTHS, kernel.LABELS, kernel.TRAITS, kernel.VALUES)
        )
        bits = PART_BITS - self.shift.astype(np.int64)[trait]
        value = at >> bits << PART_BITS | at & (1 << bits) - 1
        return trait << TRAIT_AT | length << LENGTH_AT | label << LABEL_AT | value, counts

    def items(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys of all events, some perhaps twice, and their counts."""
        (keys, counts), (more_keys, more_counts) = self._dense_items(), self.rest.items()
        return np.concatenate([keys, more_keys]), np.concatenate([counts, more_counts])


class ArcCounter:
    """Counts the arcs of corpora that share their label tables (pieces of a stream).

    Traits are counted by tag and by relation or lemma. Pairs of a tag and a relation are few, so where both are
    wanted, pairs are counted and both counts are taken from them.
    """

    def __init__(self, settings: CountSettings) -> None:
        self.settings = settings
        self.preset = find_preset(settings.preset)
        self.tables = trait_tables(self.preset)
        self.by_pair = self.tables == (TAG, RELATION)
        self.traits = [TraitCounter(self.preset.traits) for _ in range(1 if self.by_pair else 2)]
        self.pair_code = np.full((64, 64), -1, dtype=np.int32)
        self.pairs = np.empty((0, 2), dtype=np.int32)
        self.n_pairs = 0
        self.chains = kernel.Counter()
        self.triplets = kernel.Counter()
        self.relations: dict[str, int] = {}
        self.labels: dict[str, tuple[str, ...]] = {}

    def add(self, corpus: Corpus) -> None:
        """Count the arcs of a corpus."""
        settings = self.settings
        self.labels = corpus.labels
        of_label = relation_codes(corpus.labels["deprel"], settings.subtypes, self.relations)
        relation = np.take(of_label, corpus.codes["deprel"]) if len(of_label) else corpus.codes["deprel"]
        tag = corpus.codes[settings.pos]
        self._check_sizes(corpus)
        traits = arc_traits(corpus, self.preset)
        if self.by_pair:
            pair = self._pair_codes(tag, relation)
            self.traits[0].add(corpus.start, traits, pair, self.n_pairs)
        else:
            self.traits[0].add(corpus.start, traits, tag, len(self.labels[settings.pos]))
            self.traits[1].add(corpus.start, traits, corpus.codes["lemma"], len(self.labels["lemma"]))
        keys = np.empty(corpus.n_words, dtype=np.int64)
        kernel.chain_keys(corpus.start, corpus.scorable_head, tag, relation, keys)
        self.chains.add_keys(keys)
        if settings.forms:
            self.triplets.add_keys(form_triplets(corpus, corpus.codes["form"], relation))

    def _pair_codes(self, tag: np.ndarray, relation: np.ndarray) -> np.ndarray:
        """A code for each arc's pair of tag and relation, the same from corpus to corpus."""
        sizes = len(self.labels[self.settings.pos]), len(self.relations)
        if sizes[0] > self.pair_code.shape[0] or sizes[1] > self.pair_code.shape[1]:
            shape = [max(2 * size, old) for size, old in zip(sizes, self.pair_code.shape, strict=True)]
            larger = np.full(shape, -1, dtype=np.int32)
            larger[: self.pair_code.shape[0], : self.pair_code.shape[1]] = self.pair_code
            self.pair_code = larger
        more = min(self.n_pairs + len(tag), self.pair_code.size)  # pairs there may be after this
        if more > len(self.pairs):
            self.pairs = np.concatenate([self.pairs, np.empty((more, 2), dtype=np.int32)])
        codes = np.empty(len(tag), dtype=np.int32)
        self.n_pairs = kernel.pair_codes(tag, relation, self.pair_code, self.pairs, self.n_pairs, codes)
        return codes

    def _check_sizes(self, corpus: Corpus) -> None:
        for what, size, bits in (
            ("tags", len(corpus.labels[self.settings.pos]), TAG_BITS),
            ("relations", len(self.relations), RELATION_BITS),
            ("lemmas", len(corpus.labels.get("lemma", ())), LENGTH_AT - LABEL_AT),
            ("word forms", len(corpus.labels.get("form", ())), FORM_BITS),
        ):
            if size > (1 << bits) - 4:
                most = (1 << bits) - 4
                raise ModelError(f"{corpus.path}: {size} different {what}; at most {most} can be counted")

    def _trait_counts(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Keys and counts of both tables, with the labels as they were numbered in reading."""
        if not self.by_pair:
            return {name: counter.items() for name, counter in zip(self.tables, self.traits, strict=True)}
        keys, counts = self.traits[0].items()
        pair = keys >> LABEL_AT & (1 << LENGTH_AT - LABEL_AT) - 1
        return {
            name: (keys ^ (pair ^ self.pairs[pair, k].astype(np.int64)) << LABEL_AT, counts)
            for k, name in enumerate(self.tables)
        }

    def names(self) -> dict[str, tuple[str, ...]]:
        """The labels of each kind that a reference has, as they were numbered in reading."""
        return {
            "tags": self.labels.get(self.settings.pos, ()),
            "relations": tuple(self.relations),
            "lemmas": self.labels.get("lemma", ()) if LEMMA in self.tables else (),
            "forms": self.labels.get("form", ()) if self.settings.forms else (),
        }

    def counted(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Keys, some perhaps twice, and counts of each table."""
        tables = {**self._trait_counts(), CHAINS: self.chains.items()}
        return tables | ({TRIPLETS: self.triplets.items()} if self.settings.forms else {})


def reference_of(
    counters: Sequence[ArcCounter],
    sources: Iterable[Source],
    run: Callable[..., Iterable[dict[str, tuple[np.ndarray, np.ndarray]]]] = map,
) -> Reference:
    """The model of all that some counters of the same settings have counted; run: a `map`, perhaps on threads."""
    kinds = counters[0].names()
    labels = {kind: tuple(sorted(set().union(*(counter.names()[kind] for counter in counters)))) for kind in kinds}

    def relabelled(counter: ArcCounter) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        codes = {kind: codes_in(names, labels[kind]) for kind, names in counter.names().items()}
        return {name: (relabel(name, keys, codes), n) for name, (keys, n) in counter.counted().items()}

    parts = list(run(relabelled, counters))
    tables = {
        name: Counts.of(*(np.concatenate([part[name][k] for part in parts]) for k in range(2))) for name in parts[0]
    }
    reference = Reference(counters[0].settings, **labels, tables=tables, sources=tuple(sorted(sources)))
    return without_unused_labels(reference)


def form_triplets(corpus: Corpus, form: np.ndarray, relation: np.ndarray) -> np.ndarray:
    """The key (form of d, form of h, relation) of every arc, given codes of both."""
    of_head = np.zeros(corpus.n_words, dtype=np.int64)
    has_head = corpus.head > 0
    of_head[has_head] = form[corpus.head_row[has_head]].astype(np.int64) + FIRST_FORM
    return triplet_keys(form.astype(np.int64) + FIRST_FORM, of_head, relation.astype(np.int64) + FIRST_RELATION)


def count_arcs(corpus: Corpus, settings: CountSettings | None = None, name: str = "") -> Reference:
    """The model of one corpus that is in memory."""
    counter = ArcCounter(settings or CountSettings())
    counter.add(corpus)
    name = name or os.path.basename(corpus.path)
    return reference_of([counter], [Source(name, corpus.n_sentences, corpus.n_words)])


@dataclass(frozen=True, slots=True)
class _BlockCounts:
    """The size of one block of text, where it ends, and what was left out."""

    end: Place
    sentences: int
    words: int
    notes: ReadingNotes


def build_reference(
    paths: Sequence[str],
    settings: CountSettings | None = None,
    *,
    on_error: str = "stop",
    threads: int = 1,
    progress: Callable[[int], None] = lambda words: None,
    opened: Callable[[str], AbstractContextManager[BinaryIO]] = open_bytes,
) -> Reference:
    """The model of some files, read in blocks.

    threads: each counts blocks of its own, and the counts are added up; the model is the same however many there
    are. progress is told words as they are counted. opened gives the text of a path, perhaps only a part of it.
    """
    settings = settings or CountSettings()
    own = local()
    counters: list[ArcCounter] = []

    def count(block: Block) -> _BlockCounts:
        if not hasattr(own, "reader"):
            own.reader = Reader(counted_columns(settings), "skip")
            own.counter = ArcCounter(settings)
            counters.append(own.counter)
        corpus, end = own.reader.read(block, Place(""))
        own.counter.add(corpus)
        return _BlockCounts(end, corpus.n_sentences, corpus.n_words, corpus.notes)

    sources = []
    with ThreadPoolExecutor(threads) as pool:  # one for all files: a thread keeps its counter
        for path in paths:
            sentences = words = 0
            place = Place(path)
            begin_file(path)
            for block in _counted(path, opened, count, pool if threads > 1 else None, threads):
                notes = place.notes(block.notes)
                notes.check(path, on_error)
                note(path, FileRead(block.sentences, block.words, notes))
                place += block.end
                sentences += block.sentences
                words += block.words
                progress(block.words)
            sources.append(Source(os.path.basename(path), sentences, words))
        if not counters:
            counters.append(ArcCounter(settings))
            counters[0].labels = dict.fromkeys(counted_columns(settings), ())
        return reference_of(counters, sources, pool.map)


def _counted(
    path: str,
    opened: Callable[[str], AbstractContextManager[BinaryIO]],
    count: Callable[[Block], _BlockCounts],
    pool: ThreadPoolExecutor | None,
    threads: int,
) -> Iterator[_BlockCounts]:
    """The counts of each block of a file, in the order of the file."""
    with opened(path) as stream:
        spare: deque[bytearray] = deque()
        blocks = sentence_blocks(stream, spare=spare)
        if pool is None:
            for block in blocks:
                yield count(block)
                spare.append(block.buffer)
            return
        # each thread keeps its counter from block to block: as many blocks are in flight as keep them busy
        waiting: deque[tuple[Future[_BlockCounts], bytearray]] = deque()

        def first_done() -> _BlockCounts:
            future, buffer = waiting.popleft()
            counted = future.result()
            spare.append(buffer)
            return counted

        for block in blocks:
            waiting.append((pool.submit(count, block), block.buffer))
            if len(waiting) > 2 * threads:
                yield first_done()
        while waiting:
            yield first_done()
