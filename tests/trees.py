"""Random trees as CoNLL-U, and kernels as plain Python."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from hypothesis import strategies as st

import treegauge

TAGS = ("NOUN", "VERB", "ADJ", "PUNCT")
RELATIONS = ("nsubj", "nsubj:pass", "obj", "amod", "punct")
LEMMAS = ("dog", "sée", "red", ".", "überlang-und-weit")


@st.composite
def heads(draw: st.DrawFn, most: int = 8) -> list[int]:
    """Heads of a random tree, one or several roots."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, n + 1)))
    above = [draw(st.integers(0, k)) for k in range(n)]  # which of the words before it, 0 for the root
    head = [0] * n
    for k, word in enumerate(order):
        head[word - 1] = 0 if above[k] == 0 else order[above[k] - 1]
    return head


def sentence_text(head: list[int], tags: list[str], relations: list[str], lemmas: list[str], sent_id: str = "") -> str:
    """A sentence in CoNLL-U."""
    lines = [f"# sent_id = {sent_id}\n"] if sent_id else []
    for k, h in enumerate(head):
        relation = "root" if h == 0 else relations[k]
        lines.append(f"{k + 1}\t{lemmas[k]}\t{lemmas[k]}\t{tags[k]}\t{tags[k][0]}\t_\t{h}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


@st.composite
def sentences(draw: st.DrawFn, most: int = 8) -> str:
    """A random sentence in CoNLL-U."""
    head = draw(heads(most))
    return sentence_text(
        head,
        [draw(st.sampled_from(TAGS)) for _ in head],
        [draw(st.sampled_from(RELATIONS)) for _ in head],
        [draw(st.sampled_from(LEMMAS)) for _ in head],
    )


def corpora(least: int = 1, most: int = 12, words: int = 8) -> st.SearchStrategy[str]:
    """Random corpora in CoNLL-U."""
    return st.lists(sentences(words), min_size=least, max_size=most).map("".join)


def interpreted(module: str) -> ModuleType:
    """A kernel's source run as plain Python, as without Cython, whatever was compiled."""
    path = Path(treegauge.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    name = f"interpreted_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, {"cython": None}):
        spec.loader.exec_module(loaded)
    assert loaded.cython.__name__ == "treegauge.plain_cython"
    return loaded


def tool(name: str) -> ModuleType:
    """A script of the folder tools, as a module."""
    path = Path(__file__).parents[1] / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, {name: module}):
        spec.loader.exec_module(module)
    return module
