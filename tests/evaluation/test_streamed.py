"""Files read in step are scored as whole corpora are."""

import os
from functools import partial
from pathlib import Path

import pytest

from treegauge.corpus.conllu import stream_conllu
from treegauge.evaluation.attachment import evaluation
from treegauge.evaluation.attachment.evaluation import evaluate, evaluate_files

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[3] / "shared" / "data"))


def word(k: int, form: str, head: int, deps: str = "_") -> str:
    return f"{k}\t{form}\t{form.lower()}\tX\t_\tCase=Nom\t{head}\t{'dep' if head else 'root'}\t{deps}\t_\n"


def sentence(*forms: str, deps: bool = False) -> str:
    """A chain of words."""
    return "".join(word(k, form, k - 1, f"{k - 1}:dep" if deps else "_") for k, form in enumerate(forms, 1)) + "\n"


def same(gold: Path, system: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(evaluation, "stream_conllu", partial(stream_conllu, block=block))
    for subtypes in (False, True):
        whole = evaluate(str(gold), str(system), subtypes=subtypes)
        found = evaluate_files(str(gold), str(system), subtypes=subtypes)
        assert found is not None
        assert (found.counts == whole.counts).all()
        assert found.table() == whole.table()


@pytest.mark.parametrize("block", [1, 90, 200, 1 << 20])
def test_sentences_and_words_may_be_cut_otherwise(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    multiword = "1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_\n"
    gold.write_text(
        sentence("A", "bc", "d")
        + sentence("e", "f")
        + multiword
        + sentence("can", "not", "go")
        + sentence("x", "y", deps=True)
        + sentence("z")
    )
    system.write_text(
        sentence("Ab", "c", "d", "e") + sentence("f", "can", "not", "go") + sentence("xy") + sentence("z", deps=True)
    )
    same(gold, system, monkeypatch, block)


@pytest.mark.parametrize("deps", [(True, False), (False, True), (True, True), (False, False)])
def test_enhanced_arcs_are_counted_if_both_sides_have_any(
    deps: tuple[bool, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(sentence("a", "b") * 3 + sentence("c", "d", deps=deps[0]))
    system.write_text(sentence("a", "b", deps=deps[1]) + sentence("a", "b") * 2 + sentence("c", "d"))
    same(gold, system, monkeypatch, 1)


@pytest.mark.parametrize("more", [sentence("more"), "1\ta\n\n"])
def test_what_does_not_fit_is_left_to_the_whole(more: str, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(sentence("a", "b"))
    system.write_text(sentence("a", "b") + more)
    assert evaluate_files(str(gold), str(system)) is None
    assert evaluate_files(str(system), str(gold)) is None
    system.write_text(sentence("a", "c"))
    assert evaluate_files(str(gold), str(system)) is None


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "conll2018").is_dir(), reason="needs the evaluation data")
@pytest.mark.parametrize("treebank", ["en_ewt", "tr_imst", "ug_udt"])
def test_systems_of_the_shared_task(treebank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = DATA / "conll2018" / treebank
    for system in sorted(folder.glob("*.conllu.xz")):
        if system.name.split(".")[0] in ("HIT-SCIR-18", "conll18-baseline"):
            same(folder / "gold.conllu.xz", system, monkeypatch, 1 << 16)
