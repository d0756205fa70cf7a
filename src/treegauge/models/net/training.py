"""Learning the net with torch, on one thread: the same seed gives the same weights on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.models.choice.tags_kernel import MOST_TAGS
from treegauge.models.choice.words import FormParts
from treegauge.models.net.encoder import Vectors, checked_vectors
from treegauge.models.net.torch_net import NetText, TorchNet
from treegauge.models.net.weights import BITS, NetSizes, NetWeights, check_net, quantised
from treegauge.models.net.words import FIRST_TAG, net_words

LONGEST = 100  # words; longer sentences are not learned from
_SMALL, _BATCHES = 30_000, (300, 500)  # words of a step, for references of fewer words than this, and of more
_RATE, _LAST_RATE = 4e-3, 1e-4  # learning rates of the first and the last step, on a line between
_TAG_LOSS = 0.3
_FORM_WITH_ENCODER = 128  # numbers for a form where there is an encoder
_HELD_BACK = 10  # a sentence of so many is not learned from, but tried
_PATIENCE = 4  # passes without a gain
_WORD_PASSES, _PASSES = 2_000_000, (5, 25)  # so many words are read in all, in so many passes


@dataclass(frozen=True)
class NetOptions:
    """How a net is learned."""

    seed: int = 0
    sizes: NetSizes | None = None  # None: by the number of words
    most: int = BITS  # the largest whole number of a weight
    passes: int | None = None  # at most; None: by the number of words
    start: NetWeights | None = None  # weights to go on from, in few passes


def word_passes(words: int, options: NetOptions | None = None) -> int:
    """How many words are learned from at most, each as often as there are passes."""
    learned = words - words // _HELD_BACK
    return learned * _passes(learned, options or NetOptions())


def _passes(words: int, options: NetOptions) -> int:
    """How often a text of so many words is gone through."""
    fewest, most = _PASSES
    passes = options.passes or min(max(_WORD_PASSES // max(words, 1), fewest), most)
    return max(passes // 4, 2) if options.start is not None and options.passes is None else passes


def sizes_for(words: int) -> NetSizes:
    """The usual sizes; the table of forms has more rows for a larger reference."""
    return NetSizes(rows=1 << (12 if words < 30_000 else 13 if words < 150_000 else 14))


def learn_net(
    corpora: Sequence[Corpus],
    options: NetOptions | None = None,
    vectors: Vectors | None = None,
    encoder: tuple[str, str] = ("", ""),
    progress: Callable[[int], None] = lambda words: None,
    told: Callable[[str], None] = lambda line: None,
) -> NetWeights:
    """The net learned from corpora read with `COLUMNS` of words.py.

    vectors: gives each word of a corpus a vector; encoder: name and revision of what does. progress gets the number of
    words that were learned from, `told` a line for each pass.
    """
    return learn_task(net_task(corpora, options, vectors, encoder), progress, told)


@dataclass(frozen=True)
class NetTask:
    """Text and sizes from which a net is learned; it can be sent to another process."""

    text: NetText
    relations: tuple[str, ...]
    tags: tuple[str, ...]
    sizes: NetSizes
    options: NetOptions
    encoder: tuple[str, str]


def net_task(
    corpora: Sequence[Corpus],
    options: NetOptions | None = None,
    vectors: Vectors | None = None,
    encoder: tuple[str, str] = ("", ""),
) -> NetTask:
    """The task to learn a net from corpora: see `learn_net`."""
    options = options or NetOptions()
    relations, tags = _labels(corpora)
    known = [checked_vectors(vectors, corpus) for corpus in corpora] if vectors is not None else []
    words = sum(corpus.n_words for corpus in corpora)
    sizes = options.sizes or sizes_for(words)
    if known:
        sizes = replace(sizes, encoder=known[0].shape[1], form=_FORM_WITH_ENCODER)
    check_net(sizes, relations, tags)
    return NetTask(_joined_text(corpora, relations, tags, sizes, known), relations, tags, sizes, options, encoder)


def learn_task(
    task: NetTask,
    progress: Callable[[int], None] = lambda words: None,
    told: Callable[[str], None] = lambda line: None,
) -> NetWeights:
    """The net that is learned by a task."""
    torch = needed("torch", "net", "the net")
    lengths = np.diff(task.text.start)
    usable = np.flatnonzero((lengths > 0) & (lengths <= LONGEST))
    if len(usable) < 2:
        raise OptionError(f"{len(usable)} sentences of at most {LONGEST} words; the net needs two at least")
    held = usable[_HELD_BACK - 1 :: _HELD_BACK] if len(usable) >= _HELD_BACK else usable[-1:]
    with _one_thread(torch, task.options.seed):
        labels = task.relations, task.tags
        net = TorchNet(torch, task.sizes, labels, task.options.seed, task.options.start)
        trainer = _Trainer(net, task.options)
        arrays = trainer.learn(task.text, np.setdiff1d(usable, held), held, progress, told)
    whole, scale = quantised(arrays, task.options.most)
    known = task.relations, task.tags, task.text.n_words
    return NetWeights(task.sizes, *known, whole, scale, task.encoder, round(trainer.accuracy, 4))


def _labels(corpora: Sequence[Corpus]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The universal relations and the tags of corpora, sorted; of too many tags the commonest."""
    relations: dict[str, int] = {}
    counts: dict[str, int] = {}
    for corpus in corpora:
        relation_codes(corpus.labels["deprel"], False, relations)
        times = np.bincount(corpus.codes["upos"], minlength=len(corpus.labels["upos"])).tolist()
        for tag, n in zip(corpus.labels["upos"], times, strict=True):
            counts[tag] = counts.get(tag, 0) + n
    common = sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TAGS]
    return tuple(sorted(relations)), tuple(sorted(common))


def _joined_text(
    corpora: Sequence[Corpus],
    relations: Sequence[str],
    tags: tuple[str, ...],
    sizes: NetSizes,
    vectors: Sequence[np.ndarray],
) -> NetText:
    """All corpora as one text."""
    forms, parts = FormParts(), []
    for corpus in corpora:
        words = net_words(corpus, tags, (sizes.rows, sizes.features), forms)
        codes = {name: k for k, name in enumerate(relations)}
        relation = relation_codes(corpus.labels["deprel"], False, codes)[corpus.codes["deprel"]]
        features = np.column_stack([words.xpos_place[words.xpos], words.feats_places[words.feats]])
        parts.append(
            (words.pieces[words.form], words.tag, features, corpus.scorable_head, relation, np.diff(corpus.start))
        )
    pieces, tag, features_of, head, relation_of, lengths = zip(*parts, strict=True)
    width = max(features.shape[1] for features in features_of)
    padded = [np.pad(features, ((0, 0), (0, width - features.shape[1]))) for features in features_of]
    start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    given = (np.concatenate(each).astype(np.int64) for each in (pieces, tag, padded, head, relation_of))
    columns = dict(zip(("pieces", "tag", "features", "head", "relation"), given, strict=True))
    return NetText(**columns, start=start, vectors=np.concatenate(vectors) if vectors else None)


@contextmanager
def _one_thread(torch: Any, seed: int) -> Iterator[None]:
    """Within, torch uses one thread and the seed; afterwards as many threads as before, and its own random numbers."""
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)


class _Trainer:
    """Learns a net."""

    def __init__(self, net: TorchNet, options: NetOptions) -> None:
        self.net, self.options, self.random = net, options, net.random
        self.accuracy = 0.0

    def learn(
        self,
        text: NetText,
        learned: np.ndarray,
        held: np.ndarray,
        progress: Callable[[int], None],
        told: Callable[[str], None],
    ) -> dict[str, np.ndarray]:
        """Learn from some sentences of a text, until those held back are judged no better; the best arrays."""
        torch, n = self.net.torch, int(np.diff(text.start)[learned].sum())
        passes = _passes(n, self.options)
        rate = _RATE / 3 if self.options.start is not None else _RATE
        used = np.unique(text.pieces)
        optimizer = torch.optim.Adam(list(self.net.p.values()), lr=rate, betas=(0.9, 0.95), fused=True)
        steps = passes * len(self._batches(text, learned, shuffled=False))
        step, best, since, kept = 0, -1.0, 0, self._arrays(used)
        for k in range(passes):
            for sentences in self._batches(text, learned, shuffled=True):
                for group in optimizer.param_groups:
                    group["lr"] = max(rate * (1 - step / steps), _LAST_RATE)
                loss, words = self._loss(text, sentences)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(self.net.p.values()), 5.0)
                optimizer.step()
                step += 1
                progress(words)
            accuracy = self._accuracy(text, held)
            told(f"pass {k + 1} of at most {passes}: {100 * accuracy:.1f} % of the arcs held back")
            if accuracy > best:
                best, since, kept = accuracy, 0, self._arrays(used)
            else:
                since += 1
            if since >= _PATIENCE:
                break
        self.accuracy = best
        return kept

    def _arrays(self, used: np.ndarray) -> dict[str, np.ndarray]:
        """The parameters as arrays; rows of forms that nothing was learned about are 0."""
        arrays = {name: values.detach().numpy().copy() for name, values in self.net.p.items()}
        unused = np.ones(self.net.sizes.rows, dtype=bool)
        unused[used] = False
        arrays["form"][unused] = 0.0
        arrays["form"][0] = arrays["features"][0] = 0.0
        return arrays

    def _batches(self, text: NetText, sentences: np.ndarray, *, shuffled: bool) -> list[np.ndarray]:
        """Sentences of about the same length together, about so many words as _BATCHES says, in an order by chance."""
        lengths = np.diff(text.start)[sentences].astype(float)
        noise = self.random.uniform(0, 1.5, len(sentences)) if shuffled else 0.0
        order = sentences[np.argsort(lengths + noise, kind="stable")]
        lengths = np.diff(text.start)[order]
        batches, low, most = [], 0, _BATCHES[text.n_words >= _SMALL]
        for high in range(1, len(order) + 1):
            if high == len(order) or lengths[high] * (high + 1 - low) > most:
                batches.append(order[low:high])
                low = high
        return [batches[k] for k in self.random.permutation(len(batches))] if shuffled else batches

    def _padded(self, text: NetText, sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lengths = np.diff(text.start)[sentences]
        place = np.arange(lengths.max())
        return np.where(place < lengths[:, None], text.start[sentences][:, None] + place, -1), lengths

    def _loss(self, text: NetText, sentences: np.ndarray) -> tuple[Any, int]:
        """The mean loss of the words of some sentences, half of them read without tags, and how many these are."""
        torch, cross = self.net.torch, self.net.torch.nn.functional.cross_entropy
        rows, lengths = self._padded(text, sentences)
        masked = self.random.random(len(sentences)) < 0.5
        states = self.net.states(text, rows, lengths, masked, learning=True)
        scores, relations = self.net.scores(states, lengths)
        inside = torch.from_numpy(rows >= 0)
        head = torch.from_numpy(text.head[np.maximum(rows, 0)].astype(np.int64)) * inside
        relation = torch.from_numpy(text.relation[np.maximum(rows, 0)].astype(np.int64))
        loss = cross(scores[inside], head[inside]) + cross(relations(head)[inside], relation[inside])
        tag = text.tag[np.maximum(rows, 0)] - FIRST_TAG
        blind = torch.from_numpy((rows >= 0) & masked[:, None] & (tag >= 0))
        if blind.any():
            of_tags = states[blind] @ self.net.p["tag out"].T + self.net.p["tag out bias"]
            loss = loss + _TAG_LOSS * cross(of_tags, torch.from_numpy(tag.astype(np.int64))[blind])
        return loss, int(lengths.sum())

    def _accuracy(self, text: NetText, sentences: np.ndarray) -> float:
        """The share of arcs, of both views, that are the net's first choice."""
        right = words = 0
        with self.net.torch.no_grad():
            for some in self._batches(text, sentences, shuffled=False):
                rows, lengths = self._padded(text, some)
                inside, at = rows >= 0, np.maximum(rows, 0)
                for view in (False, True):
                    states = self.net.states(text, rows, lengths, np.full(len(some), view), learning=False)
                    scores, relations = self.net.scores(states, lengths)
                    head = scores.argmax(dim=2)
                    relation = relations(head).argmax(dim=2).numpy()
                    right += int(((head.numpy() == text.head[at]) & (relation == text.relation[at]) & inside).sum())
                    words += int(inside.sum())
        return right / max(words, 1)
