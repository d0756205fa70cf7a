"""Verb frames: learned, written, read, merged."""

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from treegauge.constituency.chaos.lexicon import (
    Frame,
    Lexicon,
    find_lexicon,
    learn_lexicon,
    merge_lexica,
    parse_lexicon,
    trusted_rows,
    write_lexicon,
)
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.errors import ModelError, OptionError

NAMES = st.text(st.characters(categories=["Ll"]), min_size=1, max_size=8)
FRAMES = st.builds(Frame, st.integers(1, 99), st.dictionaries(NAMES, st.integers(1, 99), max_size=4))
LEXICA = st.dictionaries(NAMES, FRAMES, max_size=6).map(Lexicon)

TREE = """1\tMarta\tMarta\tPROPN\t_\t_\t2\tnsubj\t_\t_
2\tpromette\tpromettere\tVERB\t_\tVerbForm=Fin\t0\troot\t_\t_
3\ta\ta\tADP\t_\t_\t4\tcase\t_\t_
4\tLuca\tLuca\tPROPN\t_\t_\t2\tobl\t_\t_
5\tdi\tdi\tADP\t_\t_\t6\tmark\t_\t_
6\tscrivere\tscrivere\tVERB\t_\tVerbForm=Inf\t2\txcomp\t_\t_
7\tdue\tdue\tNUM\t_\t_\t8\tnummod\t_\t_
8\tlettere\tlettera\tNOUN\t_\t_\t6\tobj\t_\t_

1\tDico\tdire\tVERB\t_\tVerbForm=Fin\t0\troot\t_\t_
2\tche\tche\tSCONJ\t_\t_\t3\tmark\t_\t_
3\tpromette\tpromettere\tVERB\t_\tVerbForm=Fin\t1\tccomp\t_\t_

"""


def test_frames_are_counted_by_hand_and_by_code(tmp_path: Path) -> None:
    path = tmp_path / "three.conllu"
    path.write_text(TREE)
    assert learn_lexicon(read_conllu(path)).frames == {
        "promettere": Frame(2, {"Sogg": 1, "a": 1, "di+inf": 1}),
        "scrivere": Frame(1, {"Ogg": 1}),
        "dire": Frame(1, {"che+fin": 1}),
    }


@given(LEXICA)
def test_a_lexicon_is_read_as_it_was_written(lexicon: Lexicon) -> None:
    assert parse_lexicon(write_lexicon(lexicon, "two\nlines"), "x").frames == lexicon.frames


@given(LEXICA, LEXICA)
def test_joined_files_are_merged_lexica(one: Lexicon, two: Lexicon) -> None:
    assert parse_lexicon(write_lexicon(one) + write_lexicon(two), "x").frames == merge_lexica([one, two]).frames


def test_rare_slots_are_not_the_verbs_own() -> None:
    assert Frame(100, {"Ogg": 60, "a": 14, "in": 15}).own() == {"Ogg", "in"}
    assert Frame(2, {"Ogg": 1}).own() == set()
    assert parse_lexicon("avere: Ogg, Sogg", "x").owned["avere"] == {"Ogg", "Sogg"}


@pytest.mark.parametrize(
    "line", ["avere Ogg", "avere x: Ogg", "avere 1: Ogg 1 2", ": Ogg", "avere -1: Ogg", f"avere {10**20}: Ogg"]
)
def test_a_wrong_line_is_named(line: str) -> None:
    with pytest.raises(ModelError, match=r"x:2: .*expected"):
        parse_lexicon(f"# a comment\n{line}\n", "x")


def test_bundled_lexica_are_there() -> None:
    assert "di+inf" in find_lexicon("it").owned["permettere"]
    with pytest.raises(OptionError, match="there are it, it-1998"):
        find_lexicon("xx")


def test_a_doubted_argument_leaves_the_verb_out_and_a_doubted_article_does_not() -> None:
    corpus = parse_conllu(TREE.encode())
    every = np.ones(corpus.n_words, dtype=bool)
    assert learn_lexicon(corpus, trusted=every) == learn_lexicon(corpus)
    doubt = every.copy()
    doubt[[2, 6]] = False  # a case word and a numeral
    assert learn_lexicon(corpus, trusted=doubt) == learn_lexicon(corpus)
    doubt[3] = False  # the complement of the first `promettere`
    assert learn_lexicon(corpus, trusted=doubt).frames["promettere"] == Frame(1, {})
    assert learn_lexicon(corpus).frames["promettere"].count == 2


def test_trusted_rows_are_the_best_share_and_never_those_without_a_score() -> None:
    scores = np.array([-1.0, np.nan, -3.0, -2.0, -4.0])
    assert trusted_rows(scores, 0.5).tolist() == [True, False, False, True, False]
    assert trusted_rows(scores, 1.0).tolist() == [True, False, True, True, True]
    assert not trusted_rows(np.full(3, np.nan), 0.5).any()
