"""A logistic regression over the evidence for each arc, or tag, and its file."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from treegauge.corpus.files import read_at_most, write_whole
from treegauge.errors import CorpusError, ModelError, OptionError
from treegauge.json_fields import Fields, parse_json
from treegauge.models.bundled_models import FOLDER
from treegauge.scorers.evidence import NET_NUMBERS, TAGS, ArcEvidence, Evidence, Kinds, arc_kinds
from treegauge.scorers.trust import Trust
from treegauge.statistics import maximum_likelihood

FORMAT = 1
_WHAT = "treegauge calibration"
_LONGEST, _MOST_NAMES, _MOST_PARSES = 1 << 26, 100_000, 1000  # bytes of a file, kinds of evidence, other parses
_LARGEST = 1e30  # numbers in a file are at most so large, so that no sum of them is infinite
BUNDLED = "any"
PENALTY = 10.0  # on half the sum of the squared weights; all evidence is scaled to variance 1
LEAST = 20  # a label gets a weight of its own if so many arcs have it
FEWEST_SENTENCES = 200
_ROWS = 1 << 12  # arcs whose evidence is in memory at a time, as a row of numbers for each


@dataclass(frozen=True)
class Calibration:
    """p(right) = 1 / (1 + exp −(intercept + Σ_k weight_k · (evidence_k − mean_k) / scale_k))."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    intercept: float
    made_from: str  # gold and system
    made_with: str  # the model
    arcs: int  # that it was learned from; in a calibration of tags, words
    las: float  # the share of right arcs among them; in a calibration of tags, of right tags
    parses: int = 0  # other parses of the text that it has learned from
    trust: Trust | None = None  # how much the parser, and other parses, are to be trusted where choice disagrees
    tags: Calibration | None = None  # the calibration of tags, if enough tags were wrong to learn it

    @property
    def uses_net(self) -> bool:
        """Whether it was learned from models with nets, and can be used with such models only."""
        return any(name in NET_NUMBERS for name in self.names)

    def log_probs(self, arcs: ArcEvidence) -> np.ndarray:
        """log p(right) of every arc, given the evidence for it; the other arcs do not change a digit of it."""
        mean, scale, weight, total = *map(np.array, (self.mean, self.scale, self.weight)), np.empty(len(arcs.numbers))
        for low in range(0, len(total), _ROWS):
            rows = slice(low, low + _ROWS)
            evidence = np.ascontiguousarray((arcs.columns(self.names, rows) - mean) / scale)
            total[rows] = np.einsum("ij,j->i", evidence, weight)  # `@` would round by the number of rows
        return -np.logaddexp(0.0, -(self.intercept + total))

    @property
    def signature(self) -> str:
        """What it was made from, for a signature."""
        return f"calibrated|on:{self.made_from}|with:{self.made_with}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibration to a file, whole or not at all: JSON, one number or name a line."""
        with write_whole(path) as stream:
            stream.write(calibration_bytes(self))


def fit_calibration(known: Evidence, made_from: str, made_with: str, rows: np.ndarray | None = None) -> Calibration:
    """The calibration that maximises Σ log p − PENALTY/2 · Σ weight² (Newton's method; the intercept is free).

    rows: learn only from these arcs.
    """
    rows = np.arange(len(known.right)) if rows is None else rows
    right = known.right[rows]
    if not 0 < right.sum() < len(right):
        raise OptionError(f"{made_from}: {int(right.sum())} of {len(right)} arcs are right; expected some of each kind")
    kinds = known.arcs.kinds
    names = list(kinds.numbers)
    for kind, values in known.arcs.labels.items():
        names += [f"{kind}={value}" for value, n in sorted(Counter(values[rows].tolist()).items()) if n >= LEAST]
    label, numbers = kinds.crossed
    names += [f"{name} × {number}" for number in numbers for name in names if name.startswith(f"{label}=")]

    def blocks() -> Iterator[np.ndarray]:
        for low in range(0, len(rows), _ROWS):
            yield known.arcs.columns(names, rows[low : low + _ROWS])

    mean = np.sum([evidence.sum(axis=0) for evidence in blocks()], axis=0) / len(rows)
    scale = np.sqrt(np.sum([((evidence - mean) ** 2).sum(axis=0) for evidence in blocks()], axis=0) / len(rows))
    scale[scale == 0] = 1.0
    penalty = np.full(len(names) + 1, PENALTY)
    penalty[0] = 1e-9

    def scaled() -> Iterator[np.ndarray]:
        for evidence in blocks():
            yield np.column_stack([np.ones(len(evidence)), (evidence - mean) / scale])

    weight = maximum_likelihood(scaled, right, penalty)
    return Calibration(
        tuple(names),
        tuple(mean.tolist()),
        tuple(scale.tolist()),
        tuple(weight[1:].tolist()),
        float(weight[0]),
        made_from,
        made_with,
        len(right),
        float(right.mean()),
        kinds.parses,
    )


def calibration_bytes(calibration: Calibration) -> bytes:
    """A calibration as the content of a file: JSON, one number or name a line."""
    content = {_WHAT: FORMAT} | asdict(calibration)
    for part in (content, content["tags"] or {}):
        for name in ("tags", "parses", "trust"):
            if not part.get(name):
                part.pop(name, None)
    return (json.dumps(content, indent=0) + "\n").encode()


def find_calibration(name: str, net: bool = False) -> Calibration:
    """The calibration in a file, or the bundled one, `any`; net: the one for models that have a net."""
    bundled = os.path.join(FOLDER, f"{BUNDLED}{'-net' * net}.tgc")
    return load_calibration(bundled if name == BUNDLED else name)


def load_calibration(path: str) -> Calibration:
    """The calibration in a file."""
    try:
        content = read_at_most(path, _LONGEST)
    except CorpusError as error:
        raise ModelError(str(error)) from error
    return parse_calibration(content, path)


def parse_calibration(content: bytes, path: str) -> Calibration:
    """The calibration that is the content of a file; everything is checked, so that every arc gets a probability."""
    given = Fields(parse_json(content, path, ModelError, "a treegauge calibration"), path, ModelError)
    version = given.take(_WHAT)
    if type(version) is not int or version != FORMAT:
        raise ModelError(f"{path}: calibration format {version!r:.80}; this treegauge reads format {FORMAT}")
    tags = _calibration(given.object("tags"), TAGS) if "tags" in given else None
    parses = given.whole_or_none("parses", 1, _MOST_PARSES) or 0
    trust = _trust(given.object("trust")) if "trust" in given else None
    return replace(_calibration(given, arc_kinds(parses, net=True)), tags=tags, parses=parses, trust=trust)


def _trust(given: Fields) -> Trust:
    """The trust in parses that is part of a calibration file."""
    trust = Trust(
        given.number("scale", 1 / _LARGEST, _LARGEST),
        given.number("least", 0.0, 1.0),
        given.number("own", 1 / _LARGEST, _LARGEST),
        given.number("intercept", -_LARGEST, _LARGEST),
        given.number("slope", 0.0, _LARGEST),
    )
    given.end()
    return trust


def _calibration(given: Fields, kinds: Kinds) -> Calibration:
    """The calibration of arcs or of tags that is part of a calibration file."""
    names = given.texts("names", _MOST_NAMES)
    made = Calibration(
        names,
        given.numbers("mean", -_LARGEST, _LARGEST),
        given.numbers("scale", 1 / _LARGEST, _LARGEST),
        given.numbers("weight", -_LARGEST, _LARGEST),
        given.number("intercept", -_LARGEST, _LARGEST),
        given.text("made_from"),
        given.text("made_with"),
        given.whole("arcs"),
        given.number("las", 0.0, 1.0),
    )
    given.end()
    if len({len(made.names), len(made.mean), len(made.scale), len(made.weight)}) != 1:
        raise ModelError(f"{given.where}: damaged: names, mean, scale and weight have different lengths")
    for name in names:
        if not kinds.has(name):
            raise ModelError(f"{given.where}: evidence {name!r:.80} is not known")
    return made
