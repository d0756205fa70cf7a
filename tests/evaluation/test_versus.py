"""Two systems against each other, counted by hand and against their scores."""

import numpy as np
from click.testing import CliRunner

from tests.evaluation.eval_cases import sentence
from treegauge.cli import cli
from treegauge.corpus.conllu import parse_conllu
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.attachment.versus import Versus

GOLD = sentence(("Dogs", 2, "nsubj"), ("chase", 0, "root"), ("old", 4, "amod"), ("cats", 2, "obj"), sent_id="s1")
FIRST = sentence(("Dogs", 2, "obj"), ("chase", 0, "root"), ("old", 4, "amod"), ("cats", 2, "obj"))  # nsubj is wrong
SECOND = sentence(("Dogs", 2, "nsubj"), ("chase", 0, "root"), ("old", 2, "amod"), ("cats", 3, "obj"))  # amod and obj
JOINED = sentence(("Dogs", 2, "nsubj"), ("chase", 0, "root"), ("oldcats", 2, "obj"))  # has two words of gold not


def versus(first: str, second: str) -> Versus:
    return Versus(*evaluate(*map(parse_conllu, (GOLD, first, second))))


def test_words_are_counted_by_who_is_right() -> None:
    rows = {row[0]: row[1:] for row in versus(FIRST, SECOND).table().rows}
    # words, both, only the first, only the second, neither, difference
    assert rows == {
        "amod": (1, 0, 1, 0, 0, 1),
        "nsubj": (1, 0, 0, 1, 0, -1),
        "obj": (1, 0, 1, 0, 0, 1),
        "root": (1, 1, 0, 0, 0, 0),
        "all": (4, 1, 2, 1, 0, 1),
    }


def test_the_difference_of_all_is_that_of_the_numbers_of_right_arcs() -> None:
    found = versus(FIRST, JOINED)
    first, second = (one["LAS"].correct for one in (found.first, found.second))
    assert found.table().rows[-1][-1] == first - second


def test_a_word_that_a_system_has_not_is_wrong_there() -> None:
    found = versus(FIRST, JOINED)
    rows = found.words_table(found.rows).rows
    assert [row[2:] for row in rows] == [
        (1, "Dogs", found.names[1], "nsubj", 2, "obj", 2, "nsubj", 2),
        (3, "old", found.names[0], "amod", 4, "amod", 4, None, None),
        (4, "cats", found.names[0], "obj", 2, "obj", 2, None, None),
    ]


def test_some_words_are_spread_over_relations_and_systems() -> None:
    twice = versus(FIRST, SECOND)
    many = Versus(*evaluate(*(parse_conllu(text * 3) for text in (GOLD, FIRST, SECOND))))
    chosen = many.chosen(3)
    assert sorted(chosen.tolist()) == [0, 2, 3]  # one of each kind before a second one of any
    assert np.array_equal(np.sort(many.chosen(99)), many.rows)
    assert len(twice.chosen(2)) == 2


def test_the_command_draws_them(tmp_path) -> None:
    paths = [tmp_path / name for name in ("gold.conllu", "first.conllu", "second.conllu")]
    for path, text in zip(paths, (GOLD, FIRST, JOINED), strict=True):
        path.write_text(text)
    result = CliRunner().invoke(cli, ["eval", *map(str, paths), "--versus"])
    assert result.exit_code == 0
    assert "second, as gold: nsubj of 2 'chase', first: obj of 2 'chase'" in result.output
    assert "second does not have this word" in result.output
    alone = CliRunner().invoke(cli, ["eval", *map(str, paths[:2]), "--versus"])
    assert alone.exit_code == 2
    assert "at least two SYSTEMs" in alone.output
