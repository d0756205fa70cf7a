"""Word classes where features or tags are missing: the next way that fits, and what is said about it."""

from pathlib import Path

import pytest

from treegauge.constituency.chaos.chunker import known_tag
from treegauge.constituency.chaos.parse import word_edges
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.rules import TaggedForm, find_rules, make_rules, make_ways
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.files import open_bytes
from treegauge.errors import CorpusError, OptionError

IT = find_rules("it")
FULL = """\
1	Il	il	DET	RD	Definite=Def|Gender=Masc|Number=Sing|PronType=Art	2	det	_	_
2	libro	libro	NOUN	S	Gender=Masc|Number=Sing	8	nsubj	_	_
3	che	che	PRON	PR	PronType=Rel	6	obj	_	_
4	non	non	ADV	BN	PronType=Neg	6	advmod	_	_
5	hai	avere	AUX	VA	Mood=Ind|VerbForm=Fin	6	aux	_	_
6	letto	leggere	VERB	V	Tense=Past|VerbForm=Part	2	acl:relcl	_	_
7	ci	ci	PRON	PC	Clitic=Yes|PronType=Prs	8	expl	_	_
8	aiuta	aiutare	VERB	V	Mood=Ind|VerbForm=Fin	0	root	_	_
9	a	a	ADP	E	_	10	mark	_	_
10	capire	capire	VERB	V	VerbForm=Inf	8	advcl	_	_
11	sperando	sperare	VERB	V	VerbForm=Ger	8	advcl	_	_

"""


def class_of(form: str, lemma: str, upos: str, feats: str = "_", xpos: str = "_") -> tuple[str, int]:
    return known_tag(form, lemma, upos, feats, IT, xpos)[1]


def without(*columns: int) -> str:
    rows = [line.split("\t") for line in FULL.splitlines() if line]
    return "".join("\t".join("_" if k in columns else v for k, v in enumerate(row)) + "\n" for row in rows) + "\n"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (("che", "che", "PRON", "PronType=Rel", "PR"), ("rel", 0)),
        (("che", "che", "PRON", "_", "PR"), ("rel", 1)),
        (("che", "che", "PRON"), ("rel", 2)),
        (("che", "che", "PRON", "PronType=Int", "PQ"), ("pron", 0)),  # the feature speaks against it
        (("andrebbe", "andare", "VERB", "Mood=Cnd"), ("fin", 1)),
        (("andato", "andare", "VERB", "Tense=Past"), ("part", 1)),
        (("andato", "andare", "VERB"), ("part", 2)),
        (("letto", "leggere", "VERB"), ("part", 2)),
        (("metto", "mettere", "VERB"), ("verb", 0)),  # the stem with -o is finite
        (("disse", "dire", "VERB"), ("verb", 0)),
        (("corre", "correre", "VERB"), ("verb", 0)),
        (("far", "fare", "VERB"), ("inf", 2)),
        (("lavarsi", "lavare", "VERB"), ("inf", 2)),
        (("sparsi", "spargere", "VERB"), ("part", 2)),
        (("Dormendo", "dormire", "VERB"), ("ger", 2)),
        (("lo", "lo", "PRON"), ("clitic", 2)),
        (("lo", "lo", "PRON", "PronType=Prs"), ("pron", 0)),
        (("stato", "essere", "AUX"), ("auxpart", 2)),
        (("ehi", "ehi", "INTJ"), ("other", 0)),
    ],
)
def test_a_class_is_known_by_the_first_way_that_fits(word: tuple[str, ...], expected: tuple[str, int]) -> None:
    assert class_of(*word) == expected


@pytest.mark.parametrize("columns", [(5,), (4, 5), (4,)])
def test_the_parse_is_the_same_without_features_and_xpos(columns: tuple[int, ...]) -> None:
    chaos = Chaos("it")

    def edges(text: str) -> list[tuple[int, int]]:
        (parse,) = chaos.parse_corpus(parse_conllu(text.replace("aiuta\taiutare", "serve\tservire").encode()))
        return [edge[:2] for edge in word_edges(parse, chaos.rules)]

    assert edges(without(*columns)) == edges(FULL)


def test_what_a_corpus_never_has_is_named_with_what_replaces_it() -> None:
    chaos = Chaos("it")
    list(chaos.parse_corpus(parse_conllu(FULL.encode())))
    assert chaos.missing() == ""
    chaos = Chaos("it")
    list(chaos.parse_corpus(parse_conllu(without(5).encode())))
    said = chaos.missing()
    assert "PronType=Neg (by XPOS)" in said
    assert "VerbForm=Inf (by ending)" in said


@pytest.mark.parametrize("tag", ["_", "NN"])
def test_a_corpus_without_upos_is_refused(tag: str) -> None:
    text = f"1\tIl\til\t{tag}\tRD\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(CorpusError, match=r"no .*UPOS tag.*expected UPOS tags"):
        list(Chaos("it").parse_corpus(parse_conllu(text.encode())))


@pytest.mark.data
@pytest.mark.parametrize(
    ("path", "columns", "recall", "precision"),
    [
        ("it_isdt/dev.conllu", (5,), 0.84, 0.81),
        ("it_vit/dev.conllu", (5,), 0.84, 0.81),
        ("it_isdt/dev.conllu", (4, 5), 0.80, 0.78),
        ("it_vit/dev.conllu", (4, 5), 0.80, 0.78),
        ("it_markit/dev.conllu.xz", (), 0.84, 0.83),
        ("pud/it_pud.conllu.xz", (), 0.85, 0.82),
    ],
)
def test_blank_columns_cost_little(
    evaluation_data: Path, path: str, columns: tuple[int, ...], recall: float, precision: float
) -> None:
    with open_bytes(str(evaluation_data / "ud" / path)) as stream:
        rows = [line.split("\t") for line in stream.read().decode().split("\n")]
    text = "\n".join(
        "\t".join("_" if len(row) == 10 and k in columns else v for k, v in enumerate(row)) for row in rows
    )
    last = Chaos("it").evaluate(parse_conllu(text.encode())).table().records()[-1]
    assert last["recall"] >= recall
    assert last["precision"] >= precision


def test_first_ways_come_before_second_ones_and_texts_last() -> None:
    ways = make_ways({"a": ["NOUN F=1", "NOUN end=x"], "rest": "NOUN", "b": ["NOUN G=1", "NOUN form=yx"]}, "other", str)

    def name(form: str, **feats: str) -> tuple[str, int]:
        return ways.of(TaggedForm(form, form, "NOUN", "_", feats))

    assert name("x", F="1") == ("a", 0)
    assert name("yx", G="1") == ("b", 0)
    assert name("yx") == ("a", 1)
    assert name("yx", F="2") == ("b", 1)
    assert name("z") == ("rest", 0)


def test_a_wrong_way_says_what_is_expected() -> None:
    with pytest.raises(OptionError, match=r"x\.toml: \[words\] a: 'F=1'; expected UPOS tags"):
        make_rules({"words": {"a": ["F=1"]}, "chunks": {}, "links": {}}, "x.toml")
