"""Learning the net with torch, on one thread: the same seed gives the same weights on one machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.models.choice.tags_kernel import MOST_TAGS
from treegauge.models.choice.words import PARTS, FormParts
from treegauge.models.net.encoder import Vectors, checked_vectors
from treegauge.models.net.weights import BITS, DIRECTIONS, FARTHEST, NetSizes, NetWeights, check_net, net_shapes, quantised
from treegauge.models.net.words import FIRST_TAG, MASKED, net_words

LONGEST = 100  # words; longer sentences are not learned from
_SMALL, _BATCHES = 30_000, (300, 500)  # words of a step, for references of fewer words than this, and of more
_RATE, _LAST_RATE = 4e-3, 1e-4  # learning rates of the first and the last step, on a line between
_DROPPED = 0.33
_NO_WORD = 0.15  # so often a word is known by its pieces only
_TAG_LOSS = 0.3
_HELD_BACK = 10  # a sentence of so many is not learned from, but tried
_PATIENCE = 4  # passes without a gain
_WORD_PASSES, _PASSES = 2_000_000, (5, 25)  # so many words are read in all, in so many passes


@dataclass(frozen=True)
class NetText:
    """A text as the net reads it: a row for each word."""

    pieces: np.ndarray  # [word, PARTS]
    tag: np.ndarray
    features: np.ndarray  # [word, n]: places of XPOS and FEATS, 0 where there are no more
    head: np.ndarray
    relation: np.ndarray
    start: np.ndarray
    vectors: np.ndarray | None = None

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return len(self.tag)


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
    """All that a net is learned from; it can be sent to another process."""

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
    sizes = replace(options.sizes or sizes_for(words), encoder=known[0].shape[1] if known else 0)
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
        trainer = _Trainer(torch, task.sizes, (task.relations, task.tags), task.options)
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
        parts.append((words.pieces[words.form], words.tag, features, corpus.scorable_head, relation, np.diff(corpus.start)))
    pieces, tag, features_of, head, relation_of, lengths = zip(*parts, strict=True)
    width = max(features.shape[1] for features in features_of)
    padded = [np.pad(features, ((0, 0), (0, width - features.shape[1]))) for features in features_of]
    start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    joined = (np.concatenate(each).astype(np.int64) for each in (pieces, tag, padded, head, relation_of))
    return NetText(*joined, start, np.concatenate(vectors) if vectors else None)


class _one_thread:  # noqa: N801
    """Within, torch uses one thread and the seed; afterwards as many threads as before, and its own random numbers."""

    def __init__(self, torch: Any, seed: int) -> None:
        self.torch, self.seed = torch, seed

    def __enter__(self) -> None:
        self.threads, self.state = self.torch.get_num_threads(), self.torch.get_rng_state()
        self.torch.set_num_threads(1)
        self.torch.manual_seed(self.seed)

    def __exit__(self, *_: object) -> None:
        self.torch.set_num_threads(self.threads)
        self.torch.set_rng_state(self.state)


class _Trainer:
    """The net as torch has it: parameters by the names of `net_shapes`."""

    def __init__(
        self, torch: Any, sizes: NetSizes, labels: tuple[tuple[str, ...], tuple[str, ...]], options: NetOptions
    ) -> None:
        self.torch, self.sizes, self.options = torch, sizes, options
        self.shapes = net_shapes(sizes, len(labels[0]), len(labels[1]))
        self.p = {name: self._initial(name, shape) for name, shape in sorted(self.shapes.items())}
        if options.start is not None:
            self._go_on_from(options.start, labels)
        for values in self.p.values():
            values.requires_grad_(True)
        self.random = np.random.default_rng(options.seed)

    def _initial(self, name: str, shape: tuple[int, ...]) -> Any:
        torch = self.torch
        if len(shape) == 1:
            values = torch.zeros(shape)
            if name.startswith(DIRECTIONS):  # the gate that forgets begins open
                values[self.sizes.hidden : 2 * self.sizes.hidden] = 1.0
            if name.endswith("root"):
                values = 0.1 * torch.randn(shape)
            return values
        if name in ("form", "tag", "features"):
            values = torch.randn(shape) * (0.25 if name == "form" else 0.3)
            if name != "tag":
                values[0] = 0.0
            return values
        values = torch.empty(shape)
        if name == "arc pair":
            return values.normal_(0.0, 0.02)
        torch.nn.init.xavier_uniform_(values)
        return values

    def _go_on_from(self, start: NetWeights, labels: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        """Take over the weights of another net of these sizes; those of new relations and tags stay as they begin."""
        if start.sizes != self.sizes:
            return
        place = {
            "relation out": [labels[0].index(name) if name in labels[0] else -1 for name in start.relations],
            "tag out": [labels[1].index(name) if name in labels[1] else -1 for name in start.tags],
        }
        place |= {f"{name} bias": rows for name, rows in place.items()}
        place["tag"] = [*range(FIRST_TAG), *(row + FIRST_TAG if row >= 0 else -1 for row in place["tag out"])]
        for name, values in start.arrays.items():
            given = self.torch.from_numpy(np.ascontiguousarray(values))
            if name not in place:
                self.p[name] = given.clone()
                continue
            rows = np.array(place[name])
            self.p[name][rows[rows >= 0]] = given[rows >= 0]

    def learn(
        self,
        text: NetText,
        learned: np.ndarray,
        held: np.ndarray,
        progress: Callable[[int], None],
        told: Callable[[str], None],
    ) -> dict[str, np.ndarray]:
        """Learn from some sentences of a text, until those held back are judged no better; the best arrays."""
        torch, n = self.torch, int(np.diff(text.start)[learned].sum())
        passes = _passes(n, self.options)
        rate = _RATE / 3 if self.options.start is not None else _RATE
        used = np.unique(text.pieces)
        optimizer = torch.optim.Adam(list(self.p.values()), lr=rate, betas=(0.9, 0.95), fused=True)
        steps = passes * len(self._batches(text, learned, shuffled=False))
        step, best, since, kept = 0, -1.0, 0, self._arrays(used)
        for k in range(passes):
            for sentences in self._batches(text, learned, shuffled=True):
                for group in optimizer.param_groups:
                    group["lr"] = max(rate * (1 - step / steps), _LAST_RATE)
                loss, words = self._loss(text, sentences)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(self.p.values()), 5.0)
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
        arrays = {name: values.detach().numpy().copy() for name, values in self.p.items()}
        unused = np.ones(self.sizes.rows, dtype=bool)
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

    def states(self, text: NetText, rows: np.ndarray, lengths: np.ndarray, masked: np.ndarray, learning: bool) -> Any:
        """The states of the words in these rows [sentence, place]; masked: sentences that are read without tags."""
        torch, functional, at = self.torch, self.torch.nn.functional, np.maximum(rows, 0)
        pieces = text.pieces[at]
        if learning:
            pieces = pieces.copy()
            pieces[..., 0][self.random.random(at.shape) < _NO_WORD] = 0
        n, width = at.shape
        bag = torch.from_numpy(pieces.reshape(-1, PARTS))
        form = functional.embedding_bag(bag, self.p["form"], mode="sum", padding_idx=0).reshape(n, width, -1)
        if text.vectors is not None:
            form = form + torch.from_numpy(text.vectors[at]) @ self.p["encoder"].T
        tag = torch.from_numpy(np.where(masked[:, None], MASKED, text.tag[at]))
        places = np.where(masked[:, None, None], 0, text.features[at])
        bag = torch.from_numpy(places.reshape(n * width, -1))
        features = functional.embedding_bag(bag, self.p["features"], mode="sum", padding_idx=0).reshape(n, width, -1)
        entry = torch.cat([form, functional.embedding(tag, self.p["tag"]), features], dim=2)
        place = np.arange(width)
        turned = torch.from_numpy(np.where(place < lengths[:, None], lengths[:, None] - 1 - place, place))[:, :, None]
        for layer in (1, 2):
            entry = self._dropped(entry, learning)
            backwards = torch.gather(entry, 1, turned.expand(-1, -1, entry.shape[2]))
            read = [self._lstm(x, f"{side} {layer}") for side, x in zip(DIRECTIONS, (entry, backwards), strict=True)]
            read[1] = torch.gather(read[1], 1, turned.expand(-1, -1, read[1].shape[2]))
            entry = torch.cat(read, dim=2)
        return self._dropped(entry, learning)

    def _dropped(self, x: Any, learning: bool) -> Any:
        """x with some of its numbers set to 0, the same ones for all words of a sentence."""
        if not learning:
            return x
        kept = self.torch.rand(x.shape[0], 1, x.shape[2]) >= _DROPPED
        return x * kept / (1 - _DROPPED)

    def _lstm(self, x: Any, name: str) -> Any:
        """An LSTM over the words of sentences; gates are in the order i, f, o, g, torch wants i, f, g, o."""
        torch, hidden = self.torch, self.sizes.hidden
        i, f, o, g = range(4)
        weights = []
        for part in ("in", "again", "bias"):
            gates = self.p[f"{name} {part}"].split(hidden)
            weights.append(torch.cat([gates[i], gates[f], gates[g], gates[o]]))
        zero = torch.zeros(1, x.shape[0], hidden)
        no_bias = torch.zeros_like(weights[2])
        out, _, _ = torch.lstm(x, (zero, zero), [*weights, no_bias], True, 1, 0.0, False, False, True)
        return out

    def scores(self, states: Any, lengths: np.ndarray) -> tuple[Any, Callable[[Any], Any]]:
        """The scores of heads [sentence, place, head], and what gives those of relations to heads [sentence, place]."""
        torch, p = self.torch, self.p
        n, width, _ = states.shape
        sides = {}
        for what in ("arc", "relation"):
            for side in ("dependent", "head"):
                sides[what, side] = states @ p[f"{what} {side}"].T + p[f"{what} {side} bias"]
            root = p[f"{what} root"].expand(n, 1, -1)
            sides[what, "head"] = torch.cat([root, sides[what, "head"]], dim=1)
        head = torch.relu(sides["arc", "head"])
        scores = torch.relu(sides["arc", "dependent"]) @ p["arc pair"].T @ head.transpose(1, 2)
        scores = scores + (head @ p["arc prior"])[:, None, :]
        heads, place = np.arange(width + 1), np.arange(width)[:, None]
        apart = np.clip(heads - 1 - place, -FARTHEST, FARTHEST)
        apart[:, 0] = 0
        scores = scores + p["distance"][torch.from_numpy(apart + FARTHEST)]
        no = (heads[None, None] > lengths[:, None, None]) | ((heads - 1 == place) & (heads > 0))[None]
        scores = scores.masked_fill(torch.from_numpy(no), -1e9)

        def relations(given: Any) -> Any:
            half = self.sizes.relation // 2
            a, b = sides["relation", "dependent"], sides["relation", "head"]
            b = torch.gather(b, 1, given[:, :, None].expand(-1, -1, b.shape[2]))
            hidden = torch.cat([torch.relu(a[..., :half] + b[..., :half]), a[..., half:] * b[..., half:]], dim=2)
            return hidden @ p["relation out"].T + p["relation out bias"]

        return scores, relations

    def _loss(self, text: NetText, sentences: np.ndarray) -> tuple[Any, int]:
        """The mean loss of the words of some sentences, half of them read without tags, and how many words these are."""
        torch, cross = self.torch, self.torch.nn.functional.cross_entropy
        rows, lengths = self._padded(text, sentences)
        masked = self.random.random(len(sentences)) < 0.5
        states = self.states(text, rows, lengths, masked, learning=True)
        scores, relations = self.scores(states, lengths)
        inside = torch.from_numpy(rows >= 0)
        head = torch.from_numpy(text.head[np.maximum(rows, 0)].astype(np.int64)) * inside
        relation = torch.from_numpy(text.relation[np.maximum(rows, 0)].astype(np.int64))
        loss = cross(scores[inside], head[inside]) + cross(relations(head)[inside], relation[inside])
        tag = text.tag[np.maximum(rows, 0)] - FIRST_TAG
        blind = torch.from_numpy((rows >= 0) & masked[:, None] & (tag >= 0))
        if blind.any():
            of_tags = states[blind] @ self.p["tag out"].T + self.p["tag out bias"]
            loss = loss + _TAG_LOSS * cross(of_tags, torch.from_numpy(tag.astype(np.int64))[blind])
        return loss, int(lengths.sum())

    def _accuracy(self, text: NetText, sentences: np.ndarray) -> float:
        """The share of arcs, of both views, that are the net's first choice."""
        right = words = 0
        with self.torch.no_grad():
            for some in self._batches(text, sentences, shuffled=False):
                rows, lengths = self._padded(text, some)
                inside, at = rows >= 0, np.maximum(rows, 0)
                for view in (False, True):
                    states = self.states(text, rows, lengths, np.full(len(some), view), learning=False)
                    scores, relations = self.scores(states, lengths)
                    head = scores.argmax(dim=2)
                    relation = relations(head).argmax(dim=2).numpy()
                    right += int(((head.numpy() == text.head[at]) & (relation == text.relation[at]) & inside).sum())
                    words += int(inside.sum())
        return right / max(words, 1)
