"""The nodes that a request is matched with: the words of a corpus, and an artificial root for each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.columns import COLUMNS
from treegauge.corpus.corpus import Corpus
from treegauge.upkeep.search.misc_kernel import feature_spans
from treegauge.upkeep.search.request import LabelTest, Test

ROOT_FORM = "__0__"  # the form of the artificial root
ID = "__id__"  # a number that every node has, another one for each


@dataclass(frozen=True, slots=True)
class Values:
    """The value of each node as a code into labels; the label None stands for no value."""

    codes: np.ndarray
    labels: Sequence[str | None]


def needed_columns(features: Iterable[str]) -> list[str]:
    """The columns that a corpus must be read with to know these features."""
    features = set(features) - {ID}
    columns = [name for name in COLUMNS if name in features]
    if features - set(COLUMNS):
        columns.append("feats")
    return list(dict.fromkeys([*columns, "deprel"]))


class LabelTables:
    """What is known of the labels of a stream of corpora: which pass a test, and their features. It grows with them."""

    def __init__(self) -> None:
        self._truths: dict[Test | LabelTest, tuple[Sequence[str | None], np.ndarray]] = {}
        self._features: dict[str, tuple[Sequence[str], np.ndarray, dict[str | None, int]]] = {}
        self.found: set[str] = set()  # the features that some word has

    def truth(self, test: Test | LabelTest, labels: Sequence[str | None]) -> np.ndarray:
        """Whether each label passes a test."""
        known, truth = self._truths.get(test, ((), np.zeros(0, bool)))
        if len(labels) < len(known) or tuple(labels[: len(known)]) != tuple(known):
            known, truth = (), np.zeros(0, bool)
        new = [test.holds(label) for label in labels[len(known) :]]  # type: ignore[arg-type]
        truth = np.concatenate([truth, np.array(new, dtype=bool)])
        self._truths[test] = labels, truth
        return truth

    def feature(self, name: str, feats: Sequence[str]) -> tuple[np.ndarray, list[str | None]]:
        """The value of a feature in each label of FEATS, as a code into values; the first value is None."""
        known, codes, values = self._features.get(name, ((), np.zeros(0, np.int32), {None: 0}))
        if len(feats) < len(known) or feats[: len(known)] != known:
            known, codes = (), np.zeros(0, np.int32)
        new = [values.setdefault(_feature(label, name), len(values)) for label in feats[len(known) :]]
        codes = np.concatenate([codes, np.array(new, dtype=np.int32)])
        self._features[name] = feats, codes, values
        return codes, list(values)


def _feature(feats: str, name: str) -> str | None:
    """The value of a feature in FEATS."""
    at = f"|{feats}".find(f"|{name}=")
    return feats[at + len(name) + 1 :].partition("|")[0] if at >= 0 else None


class Nodes:
    """The words of a corpus, then the artificial root of each sentence: node n_words + s is that of sentence s."""

    def __init__(self, corpus: Corpus, tables: LabelTables | None = None) -> None:
        self.corpus, self.tables = corpus, tables or LabelTables()
        self.n_words, self.n = corpus.n_words, corpus.n_words + corpus.n_sentences
        self._values: dict[str, Values] = {}

    @cached_property
    def sentence(self) -> np.ndarray:
        """The sentence of each node."""
        return np.concatenate([self.corpus.sentence, np.arange(self.corpus.n_sentences)])

    @cached_property
    def position(self) -> np.ndarray:
        """The position of each node in its sentence; 0 for the artificial root, which is before all words."""
        return np.concatenate([self.corpus.position, np.zeros(self.corpus.n_sentences, np.int64)])

    @cached_property
    def head(self) -> np.ndarray:
        """The node above each node; −1 above an artificial root."""
        row = self.corpus.head_row.astype(np.int64)
        row = np.where(row < 0, self.n_words + self.corpus.sentence, row)
        return np.concatenate([row, np.full(self.corpus.n_sentences, -1, np.int64)])

    def values(self, name: str) -> Values:
        """The values of a feature: of a column, of FEATS, or where FEATS does not have it, of MISC."""
        if name not in self._values:
            self._values[name] = self._column(name) if name in COLUMNS else self._feature_values(name)
        return self._values[name]

    def _with_roots(self, codes: np.ndarray, code: int) -> np.ndarray:
        return np.concatenate([codes, np.full(self.corpus.n_sentences, code, np.int32)])

    def _column(self, name: str) -> Values:
        labels: list[str | None] = list(self.corpus.labels[name])
        if name not in ("form", "deprel"):
            labels = [None if label == "_" else label for label in labels]
        codes = self._with_roots(self.corpus.codes[name], len(labels))
        return Values(codes, [*labels, ROOT_FORM if name == "form" else None])

    def _feature_values(self, name: str) -> Values:
        corpus = self.corpus
        of_label, values = self.tables.feature(name, corpus.labels["feats"])
        codes = of_label[corpus.codes["feats"]]
        in_misc = self._of_misc(name, codes)
        if in_misc:
            table = {value: code for code, value in enumerate(values)}
            codes = codes.copy()
            for row, value in in_misc.items():
                codes[row] = table.setdefault(value, len(table))
            values = list(table)
        if codes.any():
            self.tables.found.add(name)
        return Values(self._with_roots(codes, 0), values)

    def _of_misc(self, name: str, codes: np.ndarray) -> dict[int, str]:
        """The values that MISC has for words whose FEATS do not have the feature."""
        corpus = self.corpus
        if corpus.layers is not None or not corpus.n_words:
            return {}
        span = np.empty((corpus.n_words, 2), np.int64)
        feature_spans(corpus.text, corpus.line, np.frombuffer(bytearray(f"{name}=".encode()), np.uint8), span)
        rows = np.flatnonzero((span[:, 0] >= 0) & (codes == 0))
        text = corpus.text.data
        spans = zip(rows.tolist(), span[rows].tolist(), strict=True)
        return {row: bytes(text[low:high]).decode(errors="replace") for row, (low, high) in spans}

    def passes(self, test: Test) -> np.ndarray:
        """Whether each node passes a test."""
        values = self.values(test.feature)
        if test.feature in (
            "form",
            "lemma",
            "upos",
            "xpos",
            "feats",
            "deprel",
        ):  # labels of a column grow with the stream
            truth = self.tables.truth(test, values.labels[:-1])
            return np.append(truth, test.holds(values.labels[-1]))[values.codes]
        return np.array([test.holds(label) for label in values.labels], dtype=bool)[values.codes]

    def arc_passes(self, test: LabelTest) -> np.ndarray | None:
        """Whether the arc above each word has a relation that passes; None if every relation does."""
        if not test.labels and not test.parts:
            return None
        truth = self.tables.truth(test, self.corpus.labels["deprel"])
        return np.asarray(truth[self.corpus.codes["deprel"]])


def comment_values(corpus: Corpus, name: str) -> list[str | None]:
    """The value of a comment `# name = value` of each sentence."""
    if name == "sent_id":
        return [sent_id or None for sent_id in corpus.sent_ids]
    pattern = re.compile(rb"^#[ \t]*" + re.escape(name.encode()) + rb"[ \t]*=[ \t]*([^\r\n]*)", re.MULTILINE)
    first = corpus.line[corpus.start[:-1]].tolist()
    values: list[str | None] = []
    for low, high in zip(corpus.begin.tolist(), first, strict=True):
        found = pattern.search(corpus.text[low:high].tobytes())
        values.append(found[1].decode().rstrip() if found else None)
    return values
