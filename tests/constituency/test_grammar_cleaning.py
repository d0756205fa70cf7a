import pytest

from treegauge.constituency.brackets import parse_brackets, read_brackets
from treegauge.constituency.cleaning import Cleaning, clean, parse_clusters, read_clusters
from treegauge.errors import OptionError


def cleaned(text, **options):
    (_, tree), *_ = parse_brackets(text, options.get("style", "penn"))
    return str(clean(tree, Cleaning(**options)))


def test_traces_functions_and_doubled_nodes_go(data):
    trees = [clean(tree) for tree in read_brackets(data / "traces_and_functions.mrg").trees]
    assert [str(tree) for tree in trees] == [
        "(TOP (S (NP (NP (DT The) (NN owl)) (PP (IN in) (NP (DT the) (NN barn)))) "
        "(VP (VBD seemed) (S (VP (TO to) (VP (VB sleep))))) (. .)))",
        "(TOP (S (NP (PRP We)) (VP (VBP wait)) (. .)))",
        "(TOP (FRAG (NP (NN Silence)) (-LRB- -LRB-) (. .)))",
        "(TOP (NP (NNP Rome)))",
        "None",
    ]


def test_functions_and_empty_elements_stay_on_request():
    text = "(S (NP-SBJ (-NONE- *)) (VP (VB go)))"
    assert cleaned(text, keep_functions=True) == "(TOP (S (VP (VB go))))"
    assert cleaned(text, keep_empty=True) == "(TOP (S (NP (-NONE- *)) (VP (VB go))))"


def test_cleaning_twice_changes_nothing(data):
    for tree in read_brackets(data / "traces_and_functions.mrg").trees:
        once = clean(tree)
        assert once is None or clean(once) == once


def test_the_parent_is_written_on_nonterminals_only():
    text = "(S (NP (PRP I)) (VP (VBP hear) (NP (PRP you))))"
    assert cleaned(text, transform="parent") == ("(TOP (S^TOP (NP^S (PRP I)) (VP^S (VBP hear) (NP^VP (PRP you)))))")


def test_the_papers_clusters_are_bundled():
    text = "(S (WHNP (NNS owls)) (VP (VBZ is) (ADJP (JJR older))))"
    assert cleaned(text, clusters=read_clusters("ptb-pos")) == (
        "(TOP (S (WHNP (NN owls)) (VP (VB is) (ADJP (JJ older)))))"
    )
    assert cleaned(text, clusters=read_clusters("ptb-nt")) == (
        "(TOP (S (NP (NNS owls)) (VP (VBZ is) (ADJ (JJR older)))))"
    )
    assert cleaned(text, clusters=read_clusters("ptb-all")) == (
        "(TOP (S (NP (NN owls)) (VP (VB is) (ADJ (JJ older)))))"
    )


def test_a_cluster_file_is_read_and_checked(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# mine\nNT X: NP VP\n")
    assert cleaned("(S (NP (A a)) (VP (B b)))", clusters=read_clusters(str(path))) == "(TOP (S (X (A a)) (X (B b))))"
    with pytest.raises(OptionError, match=r"c:1: 'NT X NP'; expected"):
        parse_clusters("NT X NP", "c", "c")
    with pytest.raises(OptionError, match="already in X"):
        parse_clusters("NT X: NP\nNT Y: NP", "c", "c")
    with pytest.raises(OptionError, match="ptb-pos, ptb-nt, ptb-all"):
        read_clusters("nowhere")


def test_punctuation_takes_the_journals_tags():
    text = '(S (P ") (X a) (P ,) (P ") (P -LRB-) (P ;) (P ?))'
    assert cleaned(text, punctuation_tags="wsj") == ("(TOP (S (`` \") (X a) (, ,) ('' \") (-LRB- -LRB-) (: ;) (. ?)))")


def test_floresta_labels_keep_the_form_behind_the_plus():
    assert cleaned("#1 a\n(STA+fcl (SUBJ+np (>N+art O) (H+n fim)) (P+v-fin vem) (.))", style="floresta") == (
        "(TOP (fcl (np (art O) (n fim)) (v-fin vem) (. .)))"
    )


def test_an_unknown_transform_is_refused():
    with pytest.raises(OptionError, match="none, parent"):
        Cleaning(transform="child")
