"""The parser on any input: every word in one chunk, planar graphs, plausibilities, no look at trees, no crash."""

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from treegauge.constituency.chaos.chunker import Tag, Word, chunk_sentence, inside_heads, known_tag
from treegauge.constituency.chaos.links import FINAL, NONE, VERBAL, Links, without_crossings
from treegauge.constituency.chaos.notation import (
    ClauseNode,
    clause_hierarchy,
    link_rows,
    to_conllu,
    to_prolog,
    to_record,
)
from treegauge.constituency.chaos.parse import ChunkParse, best_edges, word_edges
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.rules import Rules, find_rules, make_rules
from treegauge.corpus.conllu import read_conllu
from treegauge.errors import OptionError

PARSERS = {name: Chaos(name) for name in ("it", "it-1998", "en")}
LEMMAS = ["di", "a", "che", "e", ",", "fare", "dire", "anche", "non", "to", "of", "casa"]
UPOS = [
    "NOUN",
    "VERB",
    "AUX",
    "ADP",
    "DET",
    "ADJ",
    "ADV",
    "PRON",
    "CCONJ",
    "SCONJ",
    "PUNCT",
    "NUM",
    "PROPN",
    "PART",
    "X",
    "SYM",
    "INTJ",
    "NOSUCHTAG",
    "_",
]
FEATS = ["_", "VerbForm=Fin", "VerbForm=Inf", "VerbForm=Ger", "VerbForm=Part", "PronType=Rel", "Clitic=Yes", "Odd"]
TOKENS = st.tuples(st.sampled_from(LEMMAS), st.sampled_from(UPOS), st.sampled_from(FEATS))
SENTENCES = st.lists(TOKENS, max_size=25)


def make_tag(lemma: str, upos: str, feats: str, rules: Rules) -> Tag:
    return known_tag(lemma, lemma, upos, feats, rules)[0]


def parsed(name: str, tokens: list[tuple[str, str, str]]) -> ChunkParse:
    chaos = PARSERS[name]
    return chaos.parse([Word(lemma, make_tag(lemma, upos, feats, chaos.rules)) for lemma, upos, feats in tokens])


def crossing(spans: list[tuple[int, int]]) -> bool:
    """By definition: some two links share no end, and just one end of one stands between the ends of the other."""
    return any(a < c < b < d for a, b in spans for c, d in spans)


def spans_of(links: Links) -> list[tuple[int, int]]:
    return [(min(i, g), max(i, g)) for i, g in enumerate(links.governor) if g >= 0 and links.layer[i] != FINAL]


@settings(max_examples=400, deadline=None)
@given(SENTENCES, st.sampled_from(sorted(PARSERS)))
def test_any_tags_give_a_parse(tokens: list[tuple[str, str, str]], name: str) -> None:
    parse = parsed(name, tokens)
    rules = PARSERS[name].rules
    assert [w for chunk in parse.chunks for w in range(chunk.first, chunk.last + 1)] == list(range(len(tokens)))
    assert all(chunk.first <= chunk.head <= chunk.last for chunk in parse.chunks)
    assert not crossing(spans_of(parse.links))
    best = best_edges(parse, rules)
    for word in best:  # from each word up: the root, or a word without head, never a circle
        seen, at = set(), word
        while at in best:
            assert at not in seen
            seen.add(at)
            at = best[at].head
    shares: dict[int, float] = {}
    for edge in word_edges(parse, rules):
        assert 0 <= edge.head <= len(tokens)
        assert edge.word != edge.head
        shares[edge.word] = shares.get(edge.word, 0) + edge.share
    assert all(total == pytest.approx(1) for total in shares.values())
    assert sum(edge.head == 0 for edge in best.values()) == bool(tokens)
    forms = [lemma for lemma, _, _ in tokens]
    to_prolog(parse, forms)
    assert len(to_record(parse, forms)["chunks"]) == len(parse.chunks)


@settings(max_examples=200, deadline=None)
@given(SENTENCES)
def test_boundaries_nest_and_hold_their_heads(tokens: list[tuple[str, str, str]]) -> None:
    def check(clause: ClauseNode) -> None:
        assert clause.first <= clause.last or not tokens
        for inner in clause.inner:
            assert inner.first <= inner.head <= inner.last <= len(tokens)
            check(inner)

    check(clause_hierarchy(parsed("it", tokens)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-1, 9), min_size=10, max_size=10), st.lists(st.integers(1, 3), min_size=10, max_size=10))
def test_crossing_links_are_taken_back_and_no_others(governors: list[int], layers: list[int]) -> None:
    governor = [NONE if g == i else g for i, g in enumerate(governors)]
    links = Links(list(governor), ["x"] * 10, list(layers))
    before = spans_of(links)
    without_crossings(links, False)
    assert not crossing(spans_of(links))
    if not crossing(before):
        assert links.governor == governor


def all_spans(parse: ChunkParse) -> list[tuple[int, int]]:
    links = parse.links
    pairs = [(i, g) for i, g in enumerate(links.governor) if g >= 0]
    pairs += [(i, g) for i, found in links.others.items() for g, _ in found]
    return [(min(pair), max(pair)) for pair in pairs]


@settings(max_examples=200, deadline=None)
@given(SENTENCES, st.sampled_from([0, 2, 3, 5]))
def test_planar_rules_leave_no_crossing_and_every_governor_has_its_part(
    tokens: list[tuple[str, str, str]], most: int
) -> None:
    chaos = Chaos(PARSERS["it"].rules.changed(most, planar=True))
    parse = chaos.parse([Word(lemma, make_tag(lemma, upos, feats, chaos.rules)) for lemma, upos, feats in tokens])
    assert not crossing(all_spans(parse))
    for i, found in parse.links.others.items():
        governors = [parse.links.governor[i], *(g for g, _ in found)]
        assert len(set(governors)) == len(governors) > 1
        assert not most or len(governors) <= most
        rows = [row for row in link_rows(parse, FINAL) if row[1] == i + 1]
        assert [share for *_, share in rows] == [1 / len(governors)] * len(governors)


def test_three_nouns_and_a_verb_share_a_chunk_when_all_alternatives_are_asked_for() -> None:
    words = [
        "vedere VERB VerbForm=Fin",
        "casa NOUN",
        "di ADP",
        "amico NOUN",
        "di ADP",
        "zio NOUN",
        "con ADP",
        "vela NOUN",
    ]
    tokens = [(lemma, upos, *(rest or ["_"])) for lemma, upos, *rest in map(str.split, words)]
    rules = PARSERS["it"].rules
    tagged = [Word(lemma, make_tag(lemma, upos, feats, rules)) for lemma, upos, feats in tokens]
    shares = {
        most: [row[3] for row in link_rows(Chaos(rules.changed(most)).parse(tagged), FINAL)] for most in (2, 3, 0)
    }
    assert shares == {2: [1 / 2] * 2, 3: [1 / 3] * 3, 0: [1 / 4] * 4}


def blanked(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdigit():
            columns[6:9] = ["_"] * 3
        lines.append("\t".join(columns))
    return "\n".join(lines)


def same_without_trees(source: Path, tmp_path: Path, chaos: Chaos) -> int:
    copy = tmp_path / "blank.conllu"
    copy.write_text(blanked(source.read_text()))
    one, other = read_conllu(source), read_conllu(copy, trees=False)
    with_trees, without = list(chaos.parse_corpus(one)), list(chaos.parse_corpus(other))
    assert with_trees == without
    assert to_conllu(one, with_trees, chaos.rules) == to_conllu(other, without, chaos.rules)
    return len(with_trees)


def test_the_parser_never_looks_at_trees(data: Path, tmp_path: Path) -> None:
    assert same_without_trees(data / "eval_gold.conllu", tmp_path, PARSERS["en"]) > 0


@pytest.mark.data
def test_the_parser_never_looks_at_the_trees_of_a_treebank(evaluation_data: Path, tmp_path: Path) -> None:
    assert same_without_trees(evaluation_data / "ud" / "it_isdt" / "dev.conllu", tmp_path, PARSERS["it"]) == 564


def test_no_words_no_verb_and_unknown_tags() -> None:
    assert parsed("it", []).chunks == []
    alone = parsed("it", [("casa", "NOUN", "_"), (",", "PUNCT", "_"), ("di", "ADP", "_"), ("casa", "NOUN", "_")])
    assert [chunk.kind for chunk in alone.chunks] == ["Nom", "CongCo", "Prep"]
    assert alone.links.kind[0] == "MainClause"
    odd = parsed("it", [("x", "FOO", "_"), (",", "PUNCT", "_")])
    assert odd.chunks[0].kind == "X"


def test_a_copula_hangs_on_its_predicate_and_an_introducer_on_its_verb() -> None:
    tokens = [("che", "SCONJ", "_"), ("casa", "NOUN", "_"), ("essere", "AUX", "VerbForm=Fin"), ("bello", "ADJ", "_")]
    best = best_edges(parsed("it", tokens), PARSERS["it"].rules)
    assert best[3].head == 4  # è ← bella
    assert best[2].head == 4  # casa ← bella: the predicate stands for the copula
    assert best[1].head == 4  # che ← (è →) bella


def test_words_of_a_unit_are_one_preposition() -> None:
    words = [("prima", "ADV"), ("di", "ADP"), ("il", "DET"), ("casa", "NOUN")]
    rules = PARSERS["it"].rules
    chunks, letters = chunk_sentence([Word(form, make_tag(form, upos, "_", rules)) for form, upos in words], rules)
    assert [(chunk.kind, chunk.first, chunk.last, chunk.head) for chunk in chunks] == [("Prep", 0, 3, 3)]
    assert inside_heads(chunks[0], letters, rules) == [(0, 3), (1, 0), (2, 3)]


def test_without_features_verbs_are_finite() -> None:
    parse = parsed("it", [("Anna", "PROPN", "_"), ("dorme", "VERB", "_")])
    assert [(g, d, kind) for g, d, kind, _ in link_rows(parse, VERBAL)] == [(2, 1, "G_V_Sogg"), (0, 2, "MainClause")]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "no part [words]"),
        ({"words": {"n": "NOUN"}, "chunks": {"Nom": "n"}, "links": {}}, "expected one head in < >"),
        ({"words": {"n": "NOUN"}, "chunks": {"Nom": "<m>"}, "links": {}}, "class 'm'; expected one of n, other"),
        ({"words": {"n": "NOUN"}, "chunks": {"Nom": "<n> %"}, "links": {}}, "'%' in pattern"),
        ({"words": {"n": "Number=Sing"}, "chunks": {}, "links": {}}, "expected UPOS tags"),
        ({"words": {}, "chunks": {}, "links": {"frames": "some"}}, "expected first or only"),
        ({"words": {"n": "NOUN"}, "chunks": {"Nom": "(n <n>"}, "links": {}}, "pattern '(n <n>': missing )"),
    ],
)
def test_a_wrong_rule_file_says_what_is_wrong(table: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        make_rules(table, "mine")
    assert message in str(error.value)


def test_rules_that_are_not_there_name_those_that_are() -> None:
    with pytest.raises(OptionError, match="there are en, es, fr, it, it-1998, pt"):
        find_rules("xx")
