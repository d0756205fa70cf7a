"""Compiled kernels give what their sources give, interpreted; and a broken one is caught."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.evaluation.eval_cases import HERE, assert_same_scores, interpreted, ours, theirs
from tests.evaluation.eval_strategies import pair
from tests.evaluation.test_eval_scores import NASTY
from treegauge.corpus import tokens, tokens_kernel
from treegauge.corpus.compare import align, align_kernel
from treegauge.evaluation.attachment import scores, scores_kernel

KERNELS = {
    "tokens_kernel": "corpus",
    "align_kernel": "corpus/compare",
    "scores_kernel": "evaluation/attachment",
}


@pytest.fixture(scope="module")
def sources():
    return {name: interpreted(f"{folder.replace('/', '.')}.{name}") for name, folder in KERNELS.items()}


def use(monkeypatch, kernels):
    """Let attachment run these kernels."""
    for scan in ("scan_tokens", "scan_enhanced"):
        monkeypatch.setattr(tokens, scan, getattr(kernels["tokens_kernel"], scan))
    monkeypatch.setattr(align, "align_kernel", kernels["align_kernel"])
    monkeypatch.setattr(scores, "scores_kernel", kernels["scores_kernel"])


def test_kernels_are_compiled():
    for kernel in (tokens_kernel, align_kernel, scores_kernel):
        assert not kernel.__file__.endswith(".py"), "not compiled: python setup.py build_ext --inplace"


def test_interpreted_kernels_count_as_the_compiled_ones(sources):
    @settings(max_examples=60, deadline=None)
    @given(pair())
    def check(texts):
        compiled = ours(*texts)
        with pytest.MonkeyPatch.context() as patch:
            use(patch, sources)
            plain = ours(*texts)
        assert np.array_equal(plain.counts, compiled.counts)
        assert np.array_equal(plain.words.right, compiled.words.right)
        assert np.array_equal(plain.comparison.row, compiled.comparison.row)
        assert np.array_equal(plain.gold.tokens.line, compiled.gold.tokens.line)
        assert np.array_equal(plain.gold.tokens.no_space, compiled.gold.tokens.no_space)

    check()


def test_the_bits_of_the_kernel_have_their_names(sources):
    bits = {name[1:].lower(): value for name, value in vars(sources["scores_kernel"]).items() if name[:1] == "_"}
    assert [scores_kernel.ALIGNED, scores_kernel.LABEL, scores_kernel.HEAD] == [1, 32, 64]
    assert [bits[name] for name in ("aligned", "lemma", "head", "kids")] == [1, 16, 64, 128]
    assert bits["same_kid"] == scores_kernel.LABEL | scores_kernel.UPOS | scores_kernel.FEATS


def broken(tmp_path, name, old, new):
    """The source of a kernel, one thing in it changed."""
    source = (HERE.parents[1] / "src/treegauge" / KERNELS[name] / f"{name}.py").read_text()
    assert source.count(old) == 1, old
    path = tmp_path / f"{name}.py"
    path.write_text(source.replace(old, new))
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"broken_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tokens_kernel", "if c == 0xC2:", "if c == 0xC3:"),
        ("align_kernel", "if not multiword[b] and edge[b] < gold_edge[a]:", "if False:"),
        ("align_kernel", "elif longest[g * columns + w] == longest[(g + 1) * columns + w]:", "elif True:"),
        ("scores_kernel", "and kids[g] == system_kids[w]", ""),
        ("scores_kernel", "if gold_labels[3, g] == no_lemma:", "if False:"),
        ("scores_kernel", "if i < i_end and a[i] == 58:", "if False:"),
    ],
)
def test_a_broken_kernel_does_not_score_as_udtools(sources, monkeypatch, tmp_path, name, old, new):
    use(monkeypatch, sources | {name: broken(tmp_path, name, old, new)})
    wrong = []
    for case, texts in NASTY.items():
        if "carriage" in case or "byte order" in case:
            continue
        try:
            assert_same_scores(ours(*texts), theirs(*texts))
        except (AssertionError, ValueError):
            wrong.append(case)
    assert wrong
