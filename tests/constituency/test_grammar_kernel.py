"""The compiled kernel against its own source, run by the interpreter."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import numpy as np
import pytest

import treegauge.constituency.chart_kernel as compiled
from treegauge.constituency.automaton import automaton, best_chains, weights
from treegauge.constituency.brackets import parse_brackets
from treegauge.constituency.grammar import TreebankGrammar

SOURCE = Path(compiled.__file__).with_name("chart_kernel.py")
TEXT = """
(S (NP (DT the) (NN owl)) (VP (VBD saw) (NP (DT a) (NN mouse))) (. .))
(S (NP (PRP she)) (VP (VBD saw) (NP (NP (DT a) (NN mouse)) (PP (IN in) (NP (DT the) (NN barn))))) (. .))
(S (NP (S (VP (VBD ate) (NP (DT the) (NN mouse)) (PP (IN in) (NP (S (NP (NN may)))))))) (VP (VBD do)) (. .))
"""
SENTENCES = ["PRP VBD DT NN IN DT NN IN NN .", "NN VBD NN .", "DT NN VBD .", "VBD", "NN NN"]


def interpreted(source=None):
    """The kernel as plain Python; `source` to run something else than what is there."""

    class Loader(SourceFileLoader):
        def get_data(self, path):
            return source.encode() if source is not None and path.endswith(".py") else super().get_data(path)

        def path_stats(self, path):
            raise OSError("no cache")

    loader = Loader("interpreted_chart_kernel", str(SOURCE))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def everything(kernel, mode):
    grammar = TreebankGrammar.from_trees([tree for _, tree in parse_brackets(TEXT)])
    auto = automaton(grammar)
    chart = kernel.Chart(auto, grammar.start, mode)
    chain, step = best_chains(auto, grammar.prob)
    weighed = weights(auto, grammar.prob, chain if mode == compiled.MAX else None)
    chart.weigh(weighed, weights(auto, grammar.prob, chain).closure)
    chart.trace(grammar.prob, chain, step)
    found = []
    for sentence in SENTENCES:
        codes = grammar.tag_codes(sentence.split())
        if mode & compiled.MAX:
            brackets = np.zeros((200, 3), dtype=np.int32)
            found.append((*chart.best(codes, 8.0, brackets), brackets.tolist()))
        else:
            found.append(chart.fill(codes, 8.0))
    return found


@pytest.mark.parametrize("mode", [compiled.SUM, compiled.MAX, compiled.BOTH, compiled.EXPECT])
def test_the_compiled_kernel_equals_its_source(mode):
    assert everything(compiled, mode) == everything(interpreted(), mode)
    assert any(row[0] > 0 if isinstance(row[0], float) else row[0] > 1 for row in everything(compiled, mode))


def test_sum_and_best_tree_side_by_side_are_what_each_is_alone():
    both, total, best = (everything(compiled, mode) for mode in (compiled.BOTH, compiled.SUM, compiled.MAX))
    for (n, (s, _, b), brackets), one, other in zip(both, total, best, strict=True):
        assert s == one[0]
        assert (n, b, brackets) == (other[0], other[1][2], other[2])


def test_a_broken_kernel_is_noticed():
    source = SOURCE.read_text()
    right = "self.rows[there + j] += w * self.spans[here + j]\n"
    assert source.count(right) == 3
    broken = interpreted(source.replace(right, right.replace("w * ", "0.5 * w * ")))
    assert everything(compiled, compiled.SUM) != everything(broken, compiled.SUM)


def test_too_little_room_for_brackets_is_told():
    grammar = TreebankGrammar.from_trees([tree for _, tree in parse_brackets(TEXT)])
    auto = automaton(grammar)
    chart = compiled.Chart(auto, grammar.start, compiled.MAX)
    chain, step = best_chains(auto, grammar.prob)
    chart.weigh(weighed := weights(auto, grammar.prob, chain), weighed.closure)
    chart.trace(grammar.prob, chain, step)
    codes = grammar.tag_codes(SENTENCES[0].split())
    assert chart.best(codes, 8.0, np.zeros((2, 3), dtype=np.int32))[0] == -2


def test_the_compiled_chains_equal_their_source():
    lhs, child = np.array([0, 1, 2, 0], dtype=np.int32), np.array([1, 2, 0, 2], dtype=np.int32)
    weight = np.array([0.9, 0.9, 0.5, 0.1])
    found = []
    for kernel in (compiled, interpreted()):
        best, first = np.eye(3), np.full((3, 3), -1, dtype=np.int32)
        kernel.best_chains(lhs, child, weight, best, first)
        found.append((best.tolist(), first.tolist()))
    assert found[0] == found[1]
    # from 0 to 2 by way of 1: 0.81, not 0.1 at once
    assert found[0][0][0][2] == pytest.approx(0.81)
    assert found[0][1][0][2] == 1
