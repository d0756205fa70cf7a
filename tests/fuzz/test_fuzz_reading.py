"""For any bytes: compiled and interpreted kernels give the same sentences or the same error, and nothing worse."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import treegauge as tg
from tests.fuzz.mutations import CASES, damaged_files
from tests.trees import interpreted
from treegauge.corpus import conllu, tokens
from treegauge.corpus.columns import MOST_DEFECTS, NO_NOTES
from treegauge.errors import TreegaugeError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.models.lisca.counts import count_arcs


def everything(content: bytes, **options: object) -> object:
    """All that reading gives, or the error."""
    try:
        corpus = tg.parse_conllu(content, **options)
        columns = {name: [corpus.value(name, w) for w in range(corpus.n_words)] for name in corpus.codes}
        places = (corpus.start.tolist(), corpus.line.tolist(), corpus.begin.tolist(), corpus.number.tolist())
        found = (
            corpus.head.tolist(),
            columns,
            places,
            corpus.sent_ids,
            [str(defect) for defect in corpus.defects],
            corpus.notes,
        )
    except TreegaugeError as error:
        return str(error)
    try:
        layer = corpus.tokens
        arrays = [layer.chars, layer.edge, layer.line, layer.multiword, layer.start, layer.of_word, layer.no_space]
        arcs = corpus.enhanced
        arrays += [arcs.start, arcs.head, arcs.path_start, arcs.paths] if arcs else []
    except TreegaugeError as error:
        return *found, str(error)
    return *found, [array.tolist() for array in arrays]


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """`everything`, by interpreted kernels."""
    scanner = interpreted("corpus.conllu_kernel").Scanner
    layers = interpreted("corpus.tokens_kernel")

    def everything_plainly(content: bytes, **options: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(conllu, "Scanner", scanner)
            patch.setattr(tokens, "scan_tokens", layers.scan_tokens)
            patch.setattr(tokens, "scan_enhanced", layers.scan_enhanced)
            return everything(content, **options)

    return everything_plainly


@pytest.mark.parametrize(
    "options", [{"on_error": "skip"}, {"on_error": "skip", "trees": False}, {}, {"on_error": "strict"}]
)
def test_compiled_and_interpreted_readers_agree_on_any_bytes(
    data: Path, plainly: Callable[..., object], options: dict[str, str]
) -> None:
    for content in damaged_files(data, CASES // 3):
        assert everything(content, **options) == plainly(content, **options), content


def test_whatever_was_read_can_be_used_or_is_refused(data: Path) -> None:
    model = tg.build_model(data / "plain.conllu")
    lisca, choice = tg.scorer("lisca", model), tg.scorer("choice", model)
    used = refused = 0
    for content in damaged_files(data):
        for trees in (True, False):
            corpus = tg.parse_conllu(content, on_error="skip", trees=trees)
            uses = [partial(count_arcs, corpus), partial(evaluate, corpus, corpus)]
            uses += [partial(tg.score, corpus, scorer) for scorer in (lisca, choice)]
            for use in uses:
                try:
                    use()
                    used += 1
                except TreegaugeError:
                    refused += 1
    assert used > CASES
    assert refused > CASES // 20


def test_a_block_may_end_anywhere(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.conllu"
    for content in damaged_files(data, CASES // 5):
        path.write_bytes(content)
        whole = tg.read_conllu(path, on_error="skip")
        pieces = list(conllu.stream_conllu(path, on_error="skip", block=64))
        assert np.array_equal(np.concatenate([np.zeros(0, np.int32), *(piece.head for piece in pieces)]), whole.head)
        defects = [str(defect) for piece in pieces for defect in piece.defects]
        assert defects[:MOST_DEFECTS] == [str(defect) for defect in whole.defects], content
        assert sum((piece.notes for piece in pieces), NO_NOTES) == whole.notes
