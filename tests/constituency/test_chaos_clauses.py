"""Clauses: frames say which stay open behind a comma; their scores against trees."""

import pytest

from tests.constituency.test_chaos_parser import make_tag
from treegauge.constituency.chaos.chunker import Word
from treegauge.constituency.chaos.lexicon import Frame, Lexicon
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.strata import ClauseCounts, clause_counts

# ha visto un libro scritto a Roma , promettendo una copia
PARTICIPLE = """vedere VERB VerbForm=Fin|un DET|libro NOUN|scrivere VERB VerbForm=Part|a ADP|Roma PROPN|, PUNCT
|{opener}|un DET|copia NOUN"""


def parsed(text: str, lexicon: Lexicon) -> ChunkParse:
    chaos = Chaos("it", lexicon)
    words = []
    for word in text.replace("\n", "").split("|"):
        lemma, upos, *feats = word.split()
        words.append(Word(lemma, make_tag(lemma, upos, (feats or ["_"])[0], chaos.rules)))
    return chaos.parse(words)


def takes(slot: str) -> Lexicon:
    return Lexicon({"scrivere": Frame(4, {slot: 4})})


@pytest.mark.parametrize(
    ("opener", "slot"),
    [
        ("fare VERB VerbForm=Inf", "inf"),
        ("se SCONJ|fare VERB VerbForm=Fin", "se+fin"),
        ("che PRON PronType=Rel", "Ogg"),
    ],
)
def test_behind_a_comma_a_clause_leaves_a_participle_unless_its_frame_takes_it(opener: str, slot: str) -> None:
    text = PARTICIPLE.format(opener=opener)
    above = [clause.above for clause in parsed(text, Lexicon({})).clauses]
    assert above == [-1, 0, 0]  # the participle's, then the new one in that of `vedere`
    assert [clause.above for clause in parsed(text, takes(slot)).clauses] == [-1, 0, 1]
    assert [clause.above for clause in parsed(text.replace(", PUNCT", "e CCONJ"), Lexicon({})).clauses][2] == 1


def test_clause_scores_compare_words_places_and_boundaries() -> None:
    """Worked out by hand: words 2 and 3 stand under 1, words 5 and 6 under 4; 8 under 1 with 9 and 10 below it."""
    parse = parsed(PARTICIPLE.format(opener="fare VERB VerbForm=Inf"), Lexicon({}))
    skipped = [False] * 6 + [True] + [False] * 3
    right = [0, 3, 1, 3, 6, 4, 8, 1, 10, 8]
    assert clause_counts(parse, right, skipped) == ClauseCounts(6, 6, 2, 2, 2)
    nested = [0, 3, 1, 3, 6, 4, 8, 4, 10, 8]  # the infinitive belongs to the participle
    assert clause_counts(parse, nested, skipped) == ClauseCounts(6, 6, 2, 1, 1)
    outside = [0, 3, 1, 3, 6, 1, 8, 1, 10, 8]  # `a Roma` belongs to the main verb
    assert clause_counts(parse, outside, skipped) == ClauseCounts(6, 4, 2, 2, 1)
