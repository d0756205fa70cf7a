"""Traits against their definitions, on random trees."""

from pathlib import Path

import numpy as np
from hypothesis import given, settings

from tests.trees import heads, interpreted, sentence_text
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.models.lisca import features_kernel
from treegauge.models.lisca.features import PART, PART_BITS, PRESETS, arc_traits


def by_definition(head: list[int]) -> list[dict[str, tuple[int, int]]]:
    """The traits of every word, each worked out on its own."""
    words = range(1, len(head) + 1)

    def path_up(word: int) -> list[int]:
        return [] if word == 0 else [word, *path_up(head[word - 1])]

    def below(word: int) -> list[int]:
        return [other for other in words if word in path_up(other)]

    leaves = [word for word in words if word not in head]
    found = []
    for word in words:
        h = head[word - 1]
        depth = len(path_up(word)) - 1
        down = [path_up(leaf).index(word) for leaf in leaves if leaf in below(word)]
        siblings = [other for other in words if head[other - 1] == h and other != word]
        children = [other for other in words if head[other - 1] == word]
        direction = 0 if h == 0 else 1 if h > word else 2
        found.append(
            {
                "depth": (0, depth),
                "leaves": (min(down), max(down)),
                "siblings": (sum(o < word for o in siblings), sum(o > word for o in siblings)),
                "children": (sum(o < word for o in children), sum(o > word for o in children)),
                "span": (direction, abs(h - word) if h else 0),
                "paths": (depth + min(down), depth + max(down)),
            }
        )
    return found


def corpus_of(text: str):
    return parse_conllu(text, columns=("form", "upos", "deprel"))


@settings(max_examples=200, deadline=None)
@given(head=heads(most=10))
def test_traits_are_what_they_are_said_to_be(head: list[int]) -> None:
    n = len(head)
    corpus = corpus_of(sentence_text(head, ["X"] * n, ["dep"] * n, ["a"] * n))
    expected = by_definition(head)
    for preset in PRESETS.values():
        traits = arc_traits(corpus, preset)
        for k, name in enumerate(preset.traits):
            got = list(zip((traits[:, k] >> PART_BITS).tolist(), (traits[:, k] & PART).tolist(), strict=True))
            assert got == [word[name] for word in expected]


@settings(max_examples=30, deadline=None)
@given(head=heads(most=12))
def test_the_compiled_kernel_equals_its_source(head: list[int]) -> None:
    source = interpreted("models.lisca.features_kernel")
    results = []
    for kernel in (features_kernel, source):
        traits = np.zeros((len(head), 5), dtype=np.int32)
        kernel.arc_traits(np.array(head, dtype=np.int32), np.array([0, len(head)]), traits)
        results.append(traits.tolist())
    assert results[0] == results[1]


def test_several_roots_are_siblings(data: Path) -> None:
    corpus = read_conllu(data / "two_roots.conllu")
    siblings = arc_traits(corpus, PRESETS["2020"])[:, 2]
    assert siblings.tolist() == [0 << PART_BITS | 1, 1 << PART_BITS | 0]
