"""The net as torch learns it: the formulas of `inference.Net`, with the parameters by the names of `net_shapes`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.models.choice.words import PARTS
from treegauge.models.net.weights import DIRECTIONS, FARTHEST, NetSizes, NetWeights, net_shapes
from treegauge.models.net.words import FIRST_TAG, MASKED

_DROPPED = 0.33  # the share of numbers that are set to 0 while learning
_NO_WORD = 0.15  # so often a word is known by its pieces only


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


class TorchNet:
    """The parameters of a net, and the scores that they give."""

    def __init__(
        self,
        torch: Any,
        sizes: NetSizes,
        labels: tuple[tuple[str, ...], tuple[str, ...]],
        seed: int = 0,
        start: NetWeights | None = None,
    ) -> None:
        """labels: relations and tags. start: weights to begin with, where they have the same sizes."""
        self.torch, self.sizes = torch, sizes
        self.shapes = net_shapes(sizes, len(labels[0]), len(labels[1]))
        self.p = {name: self._initial(name, shape) for name, shape in sorted(self.shapes.items())}
        if start is not None and start.sizes == sizes:
            self._go_on_from(start, labels)
        for values in self.p.values():
            values.requires_grad_(True)
        self.random = np.random.default_rng(seed)

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
