"""Small nets by chance: inference is tested without torch."""

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.models.net.weights import NetSizes, NetWeights, net_shapes, quantised

SIZES = NetSizes(rows=64, features=32, form=8, tag=4, hidden=6, arc=10, relation=8)


def random_net(corpus: Corpus, seed: int = 0, sizes: NetSizes = SIZES) -> NetWeights:
    """A net whose weights are random numbers, for the relations and tags of a corpus."""
    random = np.random.default_rng(seed)
    relations = tuple(sorted({universal(label) for label in corpus.labels["deprel"]}))
    tags = tuple(sorted(corpus.labels["upos"]))
    shapes = net_shapes(sizes, len(relations), len(tags))
    arrays = {name: random.normal(0, 0.7, shape) for name, shape in sorted(shapes.items())}
    arrays["form"][0] = arrays["features"][0] = 0
    return NetWeights(sizes, relations, tags, corpus.n_words, *quantised(arrays))
