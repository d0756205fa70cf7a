"""How the net reads sentences: LSTMs, scores of heads and relations; NumPy alone.

Sentences of about the same length are read together. What a batch needs grows with the square of the length; rows of
pairs of words are looked at in parts, so that memory stays bounded for sentences of any length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.models.net.weights import FARTHEST, NetSizes
from treegauge.models.net.words import FIRST_TAG, MASKED, NetWords

VIEWS = 2  # with the given tags, and without any
_SENTENCES, _CELLS = 96, 1 << 21  # of a batch: the most sentences, and pairs of words in both views
_WORDS = 1 << 12  # of a batch, unless one sentence has more
_OTHERS = 2  # so many other heads of a word are tried as its rivals


@dataclass(frozen=True)
class NetChoices:
    """What the net finds of every arc, in both views, and of every tag without seeing the tags.

    log_prob: log p(head, relation) of the given arcs. The rival is the arc, another than the given one, with the
    highest mean log p of both views; head -1: there is none.
    """

    log_prob: np.ndarray  # [view, word]
    other_head: np.ndarray
    other_relation: np.ndarray  # code into relations
    log_other: np.ndarray  # [view, word]
    log_tag: np.ndarray
    other_tag: np.ndarray  # code into tags, -1: there is none
    log_other_tag: np.ndarray


@dataclass(frozen=True)
class Batch:
    """Some sentences of about the same length; words are [sentence, place], padded at the end."""

    rows: np.ndarray  # the row of each word in the corpus, -1 where a sentence is over
    length: np.ndarray

    @property
    def inside(self) -> np.ndarray:
        """Which places have a word."""
        return np.asarray(self.rows >= 0)


def batches(start: np.ndarray) -> Iterator[Batch]:
    """The sentences in batches of about the same length, the longest first."""
    lengths = np.diff(start)
    order = np.argsort(-lengths, kind="stable")
    low = 0
    while low < len(order):
        longest = int(lengths[order[low]])
        if not longest:
            return
        most = min(_SENTENCES, max(_CELLS // (VIEWS * longest * (longest + 1)), 1), max(_WORDS // longest, 1))
        some = order[low : low + most]
        some = some[lengths[some] > 0]
        place = np.arange(longest)
        rows = np.where(place < lengths[some][:, None], start[some][:, None] + place, -1)
        yield Batch(rows, lengths[some])
        low += most


class SentenceReader:
    """Reads the sentences of one corpus."""

    def __init__(
        self, m: dict[str, np.ndarray], sizes: NetSizes, words: NetWords, log_unknown: float, vectors: np.ndarray | None
    ) -> None:
        """m: matrices of the net, as `Net.matrices` has them. log_unknown: of a relation or tag that the net does not
        have. vectors: of the words, from an encoder."""
        self.m, self.sizes, self.words, self.log_unknown = m, sizes, words, log_unknown
        self.forms = _summed(m["form"].T, words.pieces)
        self.feats = _summed(m["features"].T, words.feats_places)
        self.xpos = m["features"].T[words.xpos_place]
        self.vectors = None if vectors is None else vectors @ m["encoder"]

    def look(
        self,
        batch: Batch,
        arcs: tuple[np.ndarray, np.ndarray],
        found: NetChoices | None,
        log_prob: np.ndarray,
        first_row: int,
    ) -> None:
        """What the net says of the words of a batch."""
        states = self._states(batch)
        rows, inside = np.maximum(batch.rows, 0), batch.inside
        n, width = rows.shape
        root = np.zeros((VIEWS * n, 1, 1), dtype=np.float32)
        sides = {}
        for what in ("arc", "relation"):
            for side in ("dependent", "head"):
                sides[what, side] = states @ self.m[f"{what} {side}"] + self.m[f"{what} {side} bias"]
            of_root = self.m[f"{what} root"] + root
            sides[what, "head"] = np.concatenate([of_root, sides[what, "head"]], axis=1)
        dependent, head = (np.maximum(sides["arc", side], 0) for side in ("dependent", "head"))
        pair = dependent @ self.m["arc pair"]
        prior = head @ self.m["arc prior"]
        heads, relations = (np.where(inside[:, :, None], values[rows], -1) for values in arcs)
        step = max(_CELLS // (VIEWS * n * (width + 1)), 1)
        for low in range(0, width, step):
            part = slice(low, min(low + step, width))
            scores = self._head_scores(pair[:, part], head, prior, batch.length, part)
            self._arcs(
                scores, sides, (heads[:, part], relations[:, part]), (rows, inside, part), log_prob, found, first_row
            )
        if found is not None:
            self._tags(states[n:], batch, found, first_row)

    def _states(self, batch: Batch) -> np.ndarray:
        """The state of every word, [view · sentence, place, number]."""
        rows, words, sizes = np.maximum(batch.rows, 0), self.words, self.sizes
        form = self.forms[words.form[rows]]
        if self.vectors is not None:
            form = form + self.vectors[rows]
        entry = np.zeros((VIEWS, *rows.shape, sizes.form + 2 * sizes.tag), dtype=np.float32)
        entry[..., : sizes.form] = form
        tags = slice(sizes.form, sizes.form + sizes.tag)
        table = self.m["tag"].T
        entry[0, ..., tags] = table[words.tag[rows]]
        entry[1, ..., tags] = table[MASKED]
        entry[0, ..., sizes.form + sizes.tag :] = self.xpos[words.xpos[rows]] + self.feats[words.feats[rows]]
        x = np.ascontiguousarray(entry.reshape(VIEWS * len(rows), rows.shape[1], -1).transpose(1, 0, 2))
        turned = _turned(np.tile(batch.length, VIEWS), rows.shape[1])
        for layer in (1, 2):
            x = self._layer(x, layer, turned)
        return np.ascontiguousarray(x.transpose(1, 0, 2))

    def _layer(self, x: np.ndarray, layer: int, turned: np.ndarray) -> np.ndarray:
        """A layer of LSTMs, one in each direction, over [place, sentence, number]."""
        steps, n, width = x.shape
        hidden, column = self.sizes.hidden, np.arange(n)
        gates = np.empty((steps, 2, n, 4 * hidden), dtype=np.float32)
        for side in range(2):
            of_side = x.reshape(-1, width) @ self.m[f"in {layer}"][side] + self.m[f"bias {layer}"][side]
            of_side = of_side.reshape(steps, n, -1)
            gates[:, side] = of_side[turned, column] if side else of_side
        again = self.m[f"again {layer}"]
        state, memory = np.zeros((2, 2, n, hidden), dtype=np.float32)
        states = np.empty((steps, 2, n, hidden), dtype=np.float32)
        room, product = np.empty_like(memory), np.empty((2, n, 4 * hidden), dtype=np.float32)
        for t in range(steps):
            gate = gates[t]
            np.matmul(state, again, out=product)
            gate += product
            np.tanh(gate, out=gate)
            gate[..., : 3 * hidden] *= 0.5
            gate[..., : 3 * hidden] += 0.5
            memory *= gate[..., hidden : 2 * hidden]
            np.multiply(gate[..., :hidden], gate[..., 3 * hidden :], out=room)
            memory += room
            np.tanh(memory, out=room)
            state = np.multiply(gate[..., 2 * hidden : 3 * hidden], room, out=states[t])
        out = np.empty((steps, n, 2 * hidden), dtype=np.float32)
        out[..., :hidden] = states[:, 0]
        out[..., hidden:] = states[:, 1][turned, column]
        return out

    def _head_scores(
        self, pair: np.ndarray, head: np.ndarray, prior: np.ndarray, length: np.ndarray, part: slice
    ) -> np.ndarray:
        """log p of every head, 0 the root, of the words in some places: [view, sentence, place, head]."""
        width = head.shape[1] - 1
        scores = pair @ head.transpose(0, 2, 1)
        scores += prior[:, None, :]
        place, heads = np.arange(part.start, part.stop)[:, None], np.arange(width + 1)
        apart = np.clip(heads - 1 - place, -FARTHEST, FARTHEST)
        apart[:, 0] = 0  # no word is its own head: 0 is free for the root
        bias = self.m["distance"][apart + FARTHEST]
        bias[(heads - 1 == place) & (heads > 0)] = -np.inf
        scores += bias
        scores = scores.reshape(VIEWS, len(length), *scores.shape[1:])
        scores += np.where(heads > length[:, None], -np.inf, 0.0).astype(np.float32)[:, None, :]
        return _log_softmax(scores)

    def _relation_scores(
        self, sides: dict[tuple[str, str], np.ndarray], at: tuple[np.ndarray, np.ndarray], head: np.ndarray
    ) -> np.ndarray:
        """log p of every relation of some words (sentence, place) to the given heads: [view, word, relation]."""
        sentence, place = at
        half, n = self.sizes.relation // 2, len(sides["relation", "head"]) // VIEWS
        both = np.concatenate([sentence, sentence + n])
        a = sides["relation", "dependent"][both, np.tile(place, VIEWS)]
        b = sides["relation", "head"][both, np.tile(head, VIEWS)]
        hidden = np.concatenate([np.maximum(a[:, :half] + b[:, :half], 0), a[:, half:] * b[:, half:]], axis=1)
        scores = hidden @ self.m["relation out"] + self.m["relation out bias"]
        return _log_softmax(scores.reshape(VIEWS, len(place), -1))

    def _arcs(
        self,
        scores: np.ndarray,
        sides: dict[tuple[str, str], np.ndarray],
        given: tuple[np.ndarray, np.ndarray],
        where: tuple[np.ndarray, np.ndarray, slice],
        log_prob: np.ndarray,
        found: NetChoices | None,
        first_row: int,
    ) -> None:
        """log p of the given arcs of the words in some places, and their rivals if `found` asks for them."""
        rows, inside, part = where
        sentence, place = np.nonzero(inside[:, part])
        row, of_word = rows[:, part][sentence, place], scores[:, sentence, place]
        word = np.arange(len(row))
        at = sentence, place + part.start
        known = self.log_unknown
        for k in range(given[0].shape[2]):
            head, relation = given[0][sentence, place, k], given[1][sentence, place, k]
            log_relation = self._relation_scores(sides, at, np.maximum(head, 0))
            of_relation = np.where(relation >= 0, log_relation[:, word, np.maximum(relation, 0)], known)
            value = of_word[:, word, np.maximum(head, 0)] + of_relation
            log_prob[:, row, k] = np.where(head >= 0, value, -np.inf)
        if found is not None:  # there is one given arc then
            row = row + first_row
            self._rivals(of_word, sides, at, (head, relation, log_relation), row, found)

    def _rivals(
        self,
        of_word: np.ndarray,
        sides: dict[tuple[str, str], np.ndarray],
        at: tuple[np.ndarray, np.ndarray],
        own: tuple[np.ndarray, np.ndarray, np.ndarray],
        row: np.ndarray,
        found: NetChoices,
    ) -> None:
        """The likeliest other arc of each word: another relation to its head, or another of the likeliest heads."""
        head, relation, log_relation = own
        word = np.arange(len(row))
        mean = of_word.mean(axis=0)
        best = np.full(len(row), -np.inf)
        mean[word, head] = -np.inf
        candidates = [(head, of_word[:, word, head], log_relation)]
        for _ in range(min(_OTHERS, mean.shape[1] - 1)):
            other = mean.argmax(axis=1)
            log_head = np.where(np.isfinite(mean[word, other]), of_word[:, word, other], -np.inf)
            candidates.append((other, log_head, self._relation_scores(sides, at, other)))
            mean[word, other] = -np.inf
        for k, (other, log_head, log_relations) in enumerate(candidates):
            log_arc = log_relations + log_head[:, :, None]
            total = log_arc.mean(axis=0)
            if not k:
                total[word, np.maximum(relation, 0)] = np.where(relation >= 0, -np.inf, total[word, 0])
            first = total.argmax(axis=1)
            value = total[word, first]
            better = (value > best) & np.isfinite(value)
            best = np.where(better, value, best)
            where = row[better]
            found.other_head[where], found.other_relation[where] = other[better], first[better]
            found.log_other[:, where] = log_arc[:, word, first][:, better]

    def _tags(self, states: np.ndarray, batch: Batch, found: NetChoices, first_row: int) -> None:
        """log p of the tag of each word, and of its likeliest other tag, in the view without tags."""
        inside = batch.inside
        row = batch.rows[inside]
        log_tag = _log_softmax(states[inside] @ self.m["tag out"] + self.m["tag out bias"])
        tag, word = self.words.tag[row] - FIRST_TAG, np.arange(len(row))
        row = row + first_row
        found.log_tag[row] = np.where(tag >= 0, log_tag[word, np.maximum(tag, 0)], self.log_unknown)
        log_tag[word[tag >= 0], tag[tag >= 0]] = -np.inf
        other = log_tag.argmax(axis=1)
        value = log_tag[word, other]
        found.other_tag[row] = np.where(np.isfinite(value), other, -1)
        found.log_other_tag[row] = value


def _summed(table: np.ndarray, places: np.ndarray) -> np.ndarray:
    """For each row of places the sum of these rows of a table."""
    total = table[places[:, 0]].copy()
    for k in range(1, places.shape[1]):
        total += table[places[:, k]]
    return total


def _turned(length: np.ndarray, width: int) -> np.ndarray:
    """[place, sentence]: the place of each word if its sentence is read backwards; padding stays where it is."""
    place = np.arange(width)[:, None]
    return np.where(place < length, length - 1 - place, place)


def _log_softmax(scores: np.ndarray) -> np.ndarray:
    scores = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))
