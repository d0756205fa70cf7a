"""Requests: the examples of Grew's documentation, and errors that name the place."""

import numpy as np
import pytest

from tests.trees import interpreted
from tests.upkeep.search.made_up import treebank
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.upkeep.findings import Findings
from treegauge.upkeep.search import misc_kernel
from treegauge.upkeep.search.find import Matches, find
from treegauge.upkeep.search.parser import RequestError, parse_request
from treegauge.upkeep.search.request import LabelTest, Test


def words(found: Matches) -> list[tuple[str, ...]]:
    """The forms of each match."""
    corpus = found.corpus
    return [tuple(corpus.value("form", row) if row >= 0 else "root" for row in rows) for rows in found.nodes.tolist()]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return parse_conllu(treebank())


@pytest.mark.parametrize(
    ("test", "found"),
    [  # the table of complex edges: comp, comp:obl, comp:obl@agent, comp:aux, comp:obj@lvc
        ("1=comp", (1, 1, 1, 1, 1)),
        ("1=comp, 2=obl|aux", (0, 1, 1, 1, 0)),
        ("1=comp, 2<>obl|aux", (0, 0, 0, 0, 1)),
        ("1=comp, !deep", (1, 1, 0, 1, 0)),
        ("1=comp, 2=*", (0, 1, 1, 1, 1)),
        ("comp", (1, 0, 0, 0, 0)),
    ],
)
def test_relations_are_matched_by_parts_as_grew_documents_it(test: str, found: tuple[int, ...]) -> None:
    (edge,) = parse_request(f"pattern {{ X -[{test}]-> Y }}").pattern.edges
    labels = ("comp", "comp:obl", "comp:obl@agent", "comp:aux", "comp:obj@lvc")
    assert tuple(edge.label.holds(label) for label in labels) == found


def test_a_feature_that_differs_must_be_there() -> None:
    (clause,) = parse_request(
        'pattern { X [upos = VERB, Mood = Ind|Imp, Tense <> Fut, Number, Case=*, !Person, lemma = re"s.*"] }'
    ).pattern.nodes
    (tests,) = clause.alternatives
    assert [test.holds(None) for test in tests] == [False, False, False, False, False, True, False]
    by_name = {test.feature: test for test in tests}
    assert [by_name["Mood"].holds(value) for value in ("Ind", "Imp", "Sub")] == [True, True, False]
    assert [by_name["Tense"].holds(value) for value in ("Fut", "Past")] == [False, True]
    assert [by_name["lemma"].holds(value) for value in ("see", "use")] == [True, False]
    assert by_name["Case"] == Test("Case", "=")


def test_regular_expressions_are_those_of_ocaml_or_perl() -> None:
    def fits(expression: str, text: str) -> bool:
        (clause,) = parse_request(f"pattern {{ X [form={expression}] }}").pattern.nodes
        return clause.alternatives[0][0].holds(text)

    assert fits(r're"\(un\|re\)do"', "undo")
    assert not fits(r're"(un|re)do"', "undo")
    assert fits(r're"(un|re)do"', "(un|re)do")
    assert fits("/(un|re)do/", "redo")
    assert fits("/.*POSS.*/i", "3poss.pl")
    assert not fits("/POSS/i", "3poss.pl")
    assert fits(r'"a\"b"', 'a"b')


def test_undeclared_ends_of_arcs_are_nodes(corpus: Corpus) -> None:
    short, long = (find(corpus, f"pattern {{ {nodes} X -[nsubj]-> Y }}") for nodes in ("", "X[]; Y[];"))
    assert words(short) == words(long) == [("wrote", "Ada"), ("gave", "she"), ("sang", "that"), ("old", "he")]


def test_the_artificial_root_is_a_node(corpus: Corpus) -> None:
    assert len(find(corpus, "pattern { X [] }")) == corpus.n_words + corpus.n_sentences
    assert len(find(corpus, "pattern { X [upos=*] }")) == corpus.n_words
    assert words(find(corpus, "pattern { H -[root]-> V; V [upos=ADJ] }")) == [("root", "old")]
    assert words(find(corpus, 'pattern { A [form="__0__"]; A -> X; X [upos=ADJ] }')) == [("root", "old")]
    assert words(find(corpus, "pattern { A < B; A [!upos]; B [lemma=give] }")) == [("root", "give")]


def test_nodes_are_different_unless_a_name_ends_in_a_dollar(corpus: Corpus) -> None:
    assert words(find(corpus, "pattern { X [lemma=give]; Y [lemma=give] }")) == []
    assert words(find(corpus, "pattern { X [lemma=give]; Y$ [lemma=give] }")) == [("give", "give"), ("gave", "gave")]
    assert len(find(corpus, "pattern { V [form=give]; V -[obj]-> A; V -[obj]-> B }")) == 2  # them book, book them
    assert len(find(corpus, "pattern { V [form=give]; V -[obj]-> A; V -[obj]-> B; A.__id__ < B.__id__ }")) == 1


def test_several_filters_are_asked_one_by_one(corpus: Corpus) -> None:
    both = find(corpus, "pattern { V [upos=VERB] } without { V -[obj]-> O; V -[1=nsubj]-> S }")
    each = find(corpus, "pattern { V [upos=VERB] } without { V -[obj]-> O } without { V -[1=nsubj]-> S }")
    assert [form for (form,) in words(both)] == ["lost", "found", "give", "sang", "scheduled"]
    assert words(each) == []
    assert words(find(corpus, "pattern { V [upos=VERB] } with { V -[iobj]-> * }")) == [("gave",)]


def test_an_arc_to_anything_is_asked_for_once(corpus: Corpus) -> None:
    assert words(find(corpus, "pattern { V -[obj]-> *; V [form=give] }")) == [("give",)]
    assert len(find(corpus, "pattern { e: V -[obj]-> *; V [form=give] }")) == 2  # the arc has a name, so each counts


def test_sentences_are_asked_for_structure_and_comments(corpus: Corpus) -> None:
    assert len(find(corpus, "global { is_not_projective }")) == 1
    assert len(find(corpus, "global { is_projective; is_tree; is_not_cyclic }")) == corpus.n_sentences - 1
    assert len(find(corpus, 'global { sent_id = "passive"|"agent" } pattern { X [upos=AUX] }')) == 2
    assert len(find(corpus, 'global { sent_id = re".*ing" }')) == 1
    assert len(find(corpus, "global { text }")) == 0
    assert len(find(corpus, "global { !text }")) == corpus.n_sentences


def test_features_of_misc_are_found_where_feats_does_not_have_them() -> None:
    text = treebank().replace(
        "Number=Sing\t4\tnsubj:pass\t_\t_", "Number=Sing\t4\tnsubj:pass\t_\tX=1|Number=Dual|Ref=7"
    )
    assert words(find(parse_conllu(text), "pattern { X [Ref=7, Number=Sing] }")) == [("letter",), ("hearing",)]
    assert words(find(parse_conllu(text), "pattern { X [Ref]; X.Ref > 6.5; Y [!Ref]; X < Y; Y [lemma=be] }")) == [
        ("letter", "was"),
        ("hearing", "is"),
    ]


def test_the_kernel_finds_the_same_features_as_plain_python() -> None:
    text = b"1\ta\tb\tc\td\te\t0\tf\tg\tRef=1|Re=2\r\n2\ta\tb\tc\td\tRe=0\t1\tf\tg\tA=Re=3|Re=\n"
    text += b"3\ta\tb\tc\td\te\t1\tf\tRe=5\t_"
    array = np.frombuffer(bytearray(text), np.uint8)
    line = np.array([0, text.index(b"2\ta"), text.index(b"3\ta")], np.int64)
    values = []
    for kernel in (misc_kernel, interpreted("upkeep.search.misc_kernel")):
        span = np.zeros((3, 2), np.int64)
        kernel.feature_spans(array, line, np.frombuffer(bytearray(b"Re="), np.uint8), span)
        values.append([text[low:high] if low >= 0 else None for low, high in span.tolist()])
    assert values == [[b"2", b"", None]] * 2


@pytest.mark.parametrize(
    ("request_text", "message"),
    [
        ("pattern { V [upos=VERB; V -[obj]-> O }", "request:1:23: '; V -[obj]-> O }'; expected , or ]"),
        ("patern { V [] }", "request:1:1: 'patern { V [] }'; expected a request, such as pattern { V"),
        ("pattern {\n  V -[obj->> O }", "request:2:11: '>> O }'; expected ]->"),
        ("pattern { V [] } x", "request:1:18: 'x'; expected pattern, with, without or global"),
        ("pattern { Vb -> S; V << S }", "request:1:20: 'V << S }'; expected a name that a node or an arc has: Vb"),
        ("pattern { V =[x]=> S }", "other arrows"),
        ("global { is_round }", "request:1:10: 'is_round }'; expected is_projective, is_tree"),
        ("pattern { V [form=/(/] }", "expected a regular expression (missing )"),
        ("pattern { X []; X.upos = VERB|AUX }", "expected one value: alternatives stand in a node"),
        ("pattern { X -[1=a, x=2]-> Y }", "expected one of the parts 1, 2, 3, deep; 'x' is not supported"),
        ("pattern { X [textform=a] }", "expected 'form' instead of 'textform'"),
        ("pattern { X -[E:nsubj]-> Y }", "enhanced arcs are not supported"),
        ("pattern { e: X -> Y; e.upos = a }", "expected one of label, length, delta"),
        ("pattern { e: X -> Y; e: Y -> Z }", "expected another name than 'e'"),
        ("pattern { * -> * }", "expected a name on at least one side"),
        ("pattern { X [] ", "the end; expected ; or }"),
        ("pattern { X -[a, b]-> Y }", "with commas, each part has a value"),
        ("", "the end; expected a request"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(request_text: str, message: str) -> None:
    expected = "other arcs are not supported" if message == "other arrows" else message
    with pytest.raises(RequestError) as error:
        parse_request(request_text)
    assert expected in str(error.value)


def test_an_arc_without_conditions_is_any_arc() -> None:
    assert parse_request("pattern { X -> Y }").pattern.edges[0].label == LabelTest()


def test_the_patterns_of_check_are_requests_that_find_their_arcs() -> None:
    from tests.upkeep.made_up import treebank as odd
    from treegauge.upkeep.check import check

    for text in (odd(), odd().replace("of\tof", "of\t_").replace("the\tthe", "the\t_")):
        findings: Findings = check(parse_conllu(text))
        assert findings.patterns
        for pattern in findings.patterns:
            assert len(find(findings.corpus, pattern.grew)) == pattern.n_relation, pattern.grew
