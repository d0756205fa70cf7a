from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.constituency.brackets import parse_brackets, read_brackets
from treegauge.constituency.trees import Leaf, Tree
from treegauge.errors import CorpusError, OptionError


def trees(text, style="penn"):
    return [found for _, found in parse_brackets(text, style)]


def test_a_tree_may_run_over_lines_and_share_one(data):
    treebank = read_brackets(data / "traces_and_functions.mrg")
    assert [line for _, line in treebank.places] == [1, 6, 6, 7, 8]
    assert [tree.label for tree in treebank.trees] == ["", "", "FRAG", "TOP", ""]


def test_a_tree_prints_as_it_is_read():
    text = "(S (NP (PRP I)) (VP (VBP sing)))"
    assert str(trees(text)[0]) == text


words = st.text(st.characters(blacklist_categories=("Z", "C"), blacklist_characters="()"), min_size=1, max_size=4)
any_leaf = st.builds(Leaf, words, words)
any_tree = st.recursive(
    st.builds(Tree, words, st.lists(any_leaf, min_size=1, max_size=3).map(tuple)),
    lambda below: st.builds(Tree, words, st.lists(below | any_leaf, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)


@given(st.lists(any_tree, max_size=4), st.sampled_from([" ", "\n", "\n\n", "\r\n"]))
def test_trees_survive_writing_and_reading(written, between):
    assert trees(between.join(map(str, written))) == written


@settings(max_examples=500)
@given(st.text("()AB- \n*0#1", max_size=60), st.sampled_from(["penn", "cess", "floresta"]))
def test_any_text_gives_trees_or_messages_with_lines(text, style):
    n_lines = text.count("\n") + 1
    for line, found in parse_brackets(text, style):
        assert 1 <= line <= n_lines
        assert isinstance(found, Tree | str)


def test_a_leaf_alone_is_a_tree():
    assert trees("(UH Yes)") == [Tree("", (Leaf("UH", "Yes"),))]


def test_an_empty_text_holds_no_trees():
    assert trees("") == trees(" \n\n") == []


def test_every_malformed_tree_is_named_by_line_and_the_others_are_kept(data):
    treebank = read_brackets(data / "bad_brackets.mrg", on_error="skip")
    assert [line for _, line in treebank.places] == [1, 8, 10]
    assert [defect.line for defect in treebank.defects] == [2, 3, 4, 5, 6, 7, 9]
    messages = [defect.message for defect in treebank.defects]
    for message, word in zip(
        messages,
        (
            "empty node",
            "(-LRB-) lacks",
            "'you'",
            "2 words",
            "without a label",
            "outside any tree",
            "text ends",
        ),
        strict=True,
    ):
        assert word in message
    assert "inside (S (VP (open since line 9)" in messages[-1]


def test_without_skipping_the_first_defect_raises_with_file_line_and_what_is_open(data):
    with pytest.raises(CorpusError, match=r"bad_brackets\.mrg:2: tree 2: an empty node .* inside \(S \(NP"):
        read_brackets(data / "bad_brackets.mrg")


def test_brackets_that_only_open_do_not_exhaust_the_stack():
    (found,) = trees("(S " * 5000)
    assert "nest more than" in found


def test_a_tree_as_deep_as_allowed_is_cleaned_and_printed():
    from treegauge.constituency.cleaning import clean
    from treegauge.constituency.grammar import derivation

    deep = "(S (X x) " * 249 + "(X x)" + ")" * 249
    (tree,) = trees(deep)
    assert len(derivation(clean(tree))) == 250
    assert str(tree) == deep.replace("  ", " ")


def test_cess_leaves_carry_a_lemma_and_a_star_word_is_empty(data):
    (tree,) = read_brackets(data / "leaves_with_lemmas.tbf", style="cess").trees
    assert tree.children[0].children[0] == Tree("sn.e-SUJ", (Leaf("-NONE-", "*0*"),))
    assert tree.children[0].children[1].children[0] == Leaf("vmip3s0", "llueve")


def test_floresta_sentences_stand_between_numbered_lines(data):
    treebank = read_brackets(data / "numbered_sentences.ptb", style="floresta", on_error="skip")
    first, second = treebank.trees
    assert first.children == (
        Leaf("P+v-fin", "Chove"),
        Leaf("ADVL+adv", "hoje"),
        Leaf("H+n", "casa(s)"),
        Leaf(".", "."),
    )
    assert second == Tree("", (Leaf("UTT+n", "Fim"),))
    assert [defect.line for defect in treebank.defects] == [12]


def test_a_directory_stands_for_its_bracket_files(tmp_path):
    (tmp_path / "b.mrg").write_text("(S (X b))")
    (tmp_path / "a.mrg").write_text("(S (X a))")
    (tmp_path / "README").write_text("not a tree")
    assert [tree.children[0].word for tree in read_brackets(tmp_path).trees] == ["a", "b"]


def test_a_directory_without_bracket_files_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match=r"\.mrg"):
        read_brackets(tmp_path)


def test_compressed_files_are_read(tmp_path):
    import lzma

    path = tmp_path / "t.mrg.xz"
    path.write_bytes(lzma.compress(b"(S (X a))"))
    assert len(read_brackets(path)) == 1


def test_a_byte_that_is_not_utf8_is_named_with_its_line(tmp_path):
    path = tmp_path / "t.mrg"
    path.write_bytes(b"(S (X a))\n(S (X caf\xe9))\n")
    with pytest.raises(CorpusError, match=r"t\.mrg:2: byte 0xe9; expected utf-8"):
        read_brackets(path)


def test_unknown_choices_list_the_known_ones(data):
    with pytest.raises(OptionError, match="penn, cess, floresta"):
        read_brackets(data / "toy_ambiguous.mrg", style="negra")
    with pytest.raises(OptionError, match="expected one of stop, skip, strict"):
        read_brackets(data / "toy_ambiguous.mrg", on_error="warn")


@pytest.mark.data
def test_the_eleven_malformed_questions_are_reported_by_line(evaluation_data):
    path = evaluation_data / "const" / "questionbank" / "4000qs.mrg"
    treebank = read_brackets(path, on_error="skip")
    assert len(treebank) == 3989
    # the lines are named in the expected values
    assert [d.line for d in treebank.defects] == [8, 44, 450, 496, 571, 777, 865, 928, 1656, 2560, 3568]


def test_trees_that_stand_in_several_files_are_counted(tmp_path: Path) -> None:
    trees = [f"(S (N n{k}) (V v))\n" for k in range(4)]
    (tmp_path / "all.mrg").write_text("".join(trees))
    (tmp_path / "half.mrg").write_text(trees[0].replace(" (V", "\n   (V") + trees[1] + "(S (N other) (V v))\n")
    (tmp_path / "new.mrg").write_text("(S (X x))\n" + trees[3] + "(S (X y))\n")
    repeats = read_brackets(tmp_path).repeats()
    assert (repeats.count, repeats.trees) == (3, 10)
    assert repeats.files == {(str(tmp_path / "half.mrg"), str(tmp_path / "all.mrg")): 2}
    assert str(repeats) == "3 of 10 trees are repeated (2 of half.mrg are in all.mrg); give each tree once"
    assert not read_brackets(tmp_path / "all.mrg").repeats()


def test_a_tree_that_comes_again_in_its_own_file_blames_no_file(tmp_path: Path) -> None:
    (tmp_path / "one.mrg").write_text("(S (N n))\n(S (N n))\n(S (N m))\n")
    assert str(read_brackets(tmp_path).repeats()) == "1 of 3 trees is repeated"
