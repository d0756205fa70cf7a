"""Judging where gold and the system cut the text into other words: as `eval` aligns them."""

from pathlib import Path

import numpy as np
import pytest

from treegauge.corpus.compare import comparison
from treegauge.corpus.compare.comparison import ELSEWHERE, Unmatched, side_by_side
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.errors import CorpusError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.judging.calibrate import calibrate
from treegauge.evaluation.judging.judge import JudgeOptions, judge
from treegauge.models.bundled_models import load_model
from treegauge.scorers.registry import scorers

DATA = Path(__file__).parents[1] / "data"


def text(*rows: str) -> str:
    """CoNLL-U of sentences given as `form head relation` words with commas between."""
    sentences = []
    for row in rows:
        words = [word.split() for word in row.split(", ")]
        lines = [f"{k}\t{form}\t_\tX\t_\t_\t{head}\t{rel}\t_\t_\n" for k, (form, head, rel) in enumerate(words, 1)]
        sentences.append("".join(lines) + "\n")
    return "".join(sentences)


# "I cannot go . Stop !": the system has cannot in one word and both sentences in one
GOLD = text("I 4 nsubj, can 4 aux, not 4 advmod, go 0 root, . 4 punct", "Stop 0 root, ! 1 punct")
SYSTEM = text("I 3 nsubj, cannot 3 aux, go 0 root, . 3 punct, Stop 3 parataxis, ! 5 punct")


def test_gold_is_laid_over_the_words_that_both_have() -> None:
    gold, system = parse_conllu(GOLD), parse_conllu(SYSTEM)
    over = side_by_side(system, gold)
    assert over.row is not None
    assert over.row.tolist() == [0, -1, 3, 4, 5, 6]
    assert over.overlay.head.tolist() == [3, ELSEWHERE, 0, 3, 0, 5]  # heads by the system's positions
    assert over.unmatched == Unmatched(other=2, corpus=1)
    assert over.matched(over.right).tolist() == [True, True, True, False, True]


def test_a_head_that_the_system_does_not_have_makes_its_arc_wrong() -> None:
    gold = parse_conllu(text("a 2 obj, b 0 root, c 2 obj"))
    system = parse_conllu(text("a 0 root, bc 1 obj"))
    over = side_by_side(system, gold)
    assert over.overlay.head.tolist() == [ELSEWHERE, ELSEWHERE]
    assert not over.right.any()


def test_as_many_arcs_are_right_as_in_eval() -> None:
    gold, system = read_conllu(DATA / "eval_gold.conllu"), read_conllu(DATA / "eval_raw.conllu")
    over, score = side_by_side(system, gold), evaluate(gold, system)["LAS"]
    right = over.matched(over.right)
    assert over.unmatched  # else this says nothing
    assert (int(right.sum()), len(right)) == (score.correct, score.aligned)
    assert over.unmatched == Unmatched(score.gold - len(right), score.system - len(right))


def test_the_same_words_are_neither_aligned_nor_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "aligned_rows", None)
    gold = parse_conllu(GOLD)
    over = side_by_side(parse_conllu(GOLD), gold)
    assert over.overlay is gold
    assert over.row is None
    assert not over.unmatched


@pytest.mark.parametrize("part", [1, 3, 100])
def test_a_ranking_is_judged_by_the_words_that_both_have(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "PART", part)
    (tmp_path / "gold.conllu").write_text(GOLD + text("More 0 root, . 1 punct"))
    (tmp_path / "system.conllu").write_text(SYSTEM + text("More 0 root, . 1 dep"))
    made = scorers(("choice", "length"), load_model("en"))
    found = judge(tmp_path / "gold.conllu", tmp_path / "system.conllu", made, JudgeOptions(samples=0))
    assert found.left_out == Unmatched(2, 1)
    of_all = found.rankings[True][0]
    assert (of_all.n_arcs, of_all.las) == (7, pytest.approx(5 / 7))
    scores = made[0].scores(read_conllu(tmp_path / "system.conllu"))
    assert of_all.by.scores.tolist() == np.delete(scores, 1).tolist()
    assert of_all.truth.sentence.tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_other_texts_are_refused_with_the_place() -> None:
    other = parse_conllu(SYSTEM.replace("Stop", "Halt"))
    with pytest.raises(CorpusError, match=r"they part after 10 characters.*\n.*\[Stop\] !\n.*\[Halt\] !"):
        side_by_side(other, parse_conllu(GOLD))


def test_texts_without_a_word_in_common_are_refused() -> None:
    gold, system = parse_conllu(text("ab 0 root, c 1 obj")), parse_conllu(text("a 0 root, bc 1 obj"))
    with pytest.raises(CorpusError, match="have no word in common"):
        judge(gold, system, scorers(("random",), None))


def test_a_calibration_learns_from_the_words_that_both_have() -> None:
    gold = parse_conllu((GOLD + text("We 2 nsubj, go 0 root, . 2 punct")) * 40)
    system = parse_conllu((SYSTEM + text("We 2 obj, go 0 root, . 2 punct")) * 40)
    found = calibrate(gold, system, "en")
    assert found.left_out == Unmatched(80, 40)
    assert found.calibration.arcs == 40 * 8


@pytest.mark.parametrize(("left_out", "said"), [((1, 2), "1 word of g and 2 words of s"), ((1000, 1), "1,000 words")])
def test_what_was_left_out_is_said_with_its_number(left_out: tuple[int, int], said: str) -> None:
    assert said in Unmatched(*left_out).text("g", "s")
