"""What the net says of arcs and tags, with NumPy alone.

Sentences of about the same length are looked at together, some on each thread; BLAS is held at one thread meanwhile,
because many small products are much slower on several.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.models.choice.words import FormParts
from treegauge.models.net.blas import one_blas_thread
from treegauge.models.net.encoder import Vectors, checked_vectors, vectors_of
from treegauge.models.net.reading import VIEWS, Batch, NetChoices, SentenceReader, batches
from treegauge.models.net.weights import DIRECTIONS, NetWeights
from treegauge.models.net.words import net_words

_AT_A_TIME = 1 << 16  # words that are looked at together


class Net:
    """Gives arcs and tags probabilities by what the net learned.

    A word is the sum of hashed pieces of its form, beside its tag and the sum of its features and XPOS; two layers of
    LSTMs read the sentence from both sides and give each word a state s.

        p(h | d) = softmax_h (D s_d)ᵀ U (H s_h) + u·(H s_h) + bias(h − d)
        p(t | d, h) = softmax_t V [relu(a_d + b_h), a'_d · b'_h],   (a, a') = A s_d, (b, b') = B s_h
        p(tag | d) = softmax T s_d, in the view without tags
    """

    def __init__(self, weights: NetWeights, forms: FormParts | None = None) -> None:
        """forms: shared with others that read the corpus."""
        self.weights = weights
        self._forms = forms or FormParts()

    def __reduce__(self) -> tuple[Any, ...]:
        return Net, (self.weights,)

    @cached_property
    def _vectors(self) -> Vectors:
        return self.weights.vectors or vectors_of(self.weights.encoder)

    @cached_property
    def matrices(self) -> dict[str, np.ndarray]:
        """The weights, transposed for products from the left; gates i, f, o at half size: σ(x) = ½ + ½ tanh(½ x)."""
        arrays = self.weights.arrays
        half = np.repeat([0.5, 0.5, 0.5, 1.0], self.weights.sizes.hidden).astype(np.float32)
        ready = {}
        for name, values in arrays.items():
            gates = name.startswith(DIRECTIONS)
            scaled = values * (half[:, None] if values.ndim == 2 else half) if gates else values
            ready[name] = np.ascontiguousarray(scaled.T)
        for layer in (1, 2):
            for what in ("in", "again", "bias"):
                ready[f"{what} {layer}"] = np.stack([ready.pop(f"{side} {layer} {what}") for side in DIRECTIONS])
        return ready

    def relation_codes(self, corpus: Corpus) -> np.ndarray:
        """The relation of each arc as a code of the weights, -1 for one they do not have."""
        names: dict[str, int] = {name: k for k, name in enumerate(self.weights.relations)}
        of_label = relation_codes(corpus.labels["deprel"], False, names)
        codes = of_label[corpus.codes["deprel"]] if len(of_label) else corpus.codes["deprel"]
        return np.where(codes < len(self.weights.relations), codes, -1).astype(np.int32)

    @property
    def log_unknown(self) -> float:
        """log p of a relation or tag that the weights do not have."""
        return -float(np.log(self.weights.words + 1))

    def choices(self, corpus: Corpus, threads: int | None = None) -> NetChoices:
        """How probable every arc and tag is, and their likeliest rivals; a large corpus is looked at in parts."""
        n = corpus.n_words
        found = NetChoices(
            np.zeros((VIEWS, n)),
            np.full(n, -1, dtype=np.int32),
            np.full(n, -1, dtype=np.int32),
            np.full((VIEWS, n), -np.inf),
            *(np.zeros(n), np.full(n, -1, dtype=np.int32), np.full(n, -np.inf)),
        )
        done = 0
        for part in corpus.parts(_AT_A_TIME):
            rows = slice(done, done := done + part.n_words)
            arcs = part.scorable_head[:, None], self.relation_codes(part)[:, None]
            self._run(part, arcs, found, found.log_prob[:, rows, None], done - part.n_words, threads)
        return found

    def log_probs(
        self, corpus: Corpus, head: np.ndarray, relation: np.ndarray, threads: int | None = None
    ) -> np.ndarray:
        """log p of arcs in both views, [view, word, arc]: heads (-1: none, −inf) and relations, a row for each word."""
        log_prob, done = np.full((VIEWS, *head.shape), -np.inf), 0
        for part in corpus.parts(_AT_A_TIME):
            rows = slice(done, done := done + part.n_words)
            self._run(part, (head[rows], relation[rows]), None, log_prob[:, rows], 0, threads)
        return log_prob

    def _run(
        self,
        corpus: Corpus,
        arcs: tuple[np.ndarray, np.ndarray],
        found: NetChoices | None,
        log_prob: np.ndarray,
        first_row: int,
        threads: int | None,
    ) -> None:
        """Fill in log_prob for arcs, and what else is asked for, for a corpus whose rows begin at first_row there."""
        sizes = self.weights.sizes
        words = net_words(corpus, self.weights.tags, (sizes.rows, sizes.features), self._forms)
        vectors = checked_vectors(self._vectors, corpus, sizes.encoder) if sizes.encoder else None
        reader = SentenceReader(self.matrices, sizes, words, self.log_unknown, vectors)

        def look(batch: Batch) -> None:
            reader.look(batch, arcs, found, log_prob, first_row)

        some = list(batches(corpus.start))
        workers = min(threads or min(os.cpu_count() or 1, 8), len(some)) or 1
        with one_blas_thread():
            if workers == 1:
                list(map(look, some))
                return
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(look, some))
