"""Plain Italian text as sentences, tokens and words; tags by the bundled model, without anything downloaded."""

import pytest

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.tokens import multiword_tokens
from treegauge.parsing.italian import conllu_of, sentences, split, text_of
from treegauge.parsing.plain_tagger import PlainTagger

VERBS = {"fare", "dire", "andare", "verificare", "porre", "opporre", "vedere"}


def forms(text: str) -> list[list[str]]:
    return [[token.form for token in sentence] for sentence in sentences(text, VERBS.__contains__)]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("della", "di la"),
        ("Nell'", "In l'"),
        ("DEGLI", "DI GLI"),
        ("col", "con il"),
        ("dirci", "dir ci"),
        ("andarsene", "andar se ne"),
        ("farglielo", "far glie lo"),
        ("opporsi", "oppor si"),  # opporre is known
        ("sottoporlo", "sottopor lo"),  # not known, but it ends so
        ("stemperarsi", "stemperar si"),
        ("dandogli", "dando gli"),
        ("Vedendola", "Vedendo la"),
        ("eccolo", "ecco lo"),
        ("verificatosi", "verificato si"),
        ("dammi", "da mi"),
    ],
)
def test_prepositions_and_verbs_are_split_as_in_ud(form: str, words: str) -> None:
    assert " ".join(split(form, VERBS.__contains__)) == words


@pytest.mark.parametrize(
    "form", ["parla", "Carlo", "certi", "diversi", "merci", "forti", "girandola", "titoli", "patatine", "nervi", "dal3"]
)
def test_words_that_only_look_so_stay_whole(form: str) -> None:
    assert split(form, VERBS.__contains__) == (form,)


def test_tokens_are_cut_at_apostrophes_and_signs() -> None:
    (found,) = forms("C'è un po' d'acqua (forse 3.500 litri, il 12/5) nell’anno '93 e/o ex-post.")
    assert " ".join(found) == "C' è un po' d' acqua ( forse 3.500 litri , il 12/5 ) nell’ anno '93 e/o ex - post ."
    (found,) = forms("Scrivi a a.b@c.it o www.treni.it/orari, via S. Anna n. 5 della S.p.A. Rossi")
    assert found[2] == "a.b@c.it"
    assert found[4:6] == ["www.treni.it/orari", ","]
    assert found[7:11] == ["S.", "Anna", "n.", "5"]
    assert "S.p.A." in found


def test_sentences_end_at_stops_before_capitals() -> None:
    text = 'Il dott. Neri dorme. "Chi è?", chiese Ida... Nessuno! poi silenzio. Fine (ore 9.30)'
    assert [" ".join(sentence) for sentence in forms(text)] == [
        "Il dott. Neri dorme .",
        '" Chi è ? " , chiese Ida ...',
        "Nessuno ! poi silenzio .",
        "Fine ( ore 9.30 )",
    ]


def test_a_sentence_in_conllu_has_its_text_back() -> None:
    text = "L'amico delle sorelle vuole dirtelo."
    (tokens,) = sentences(text, VERBS.__contains__)
    assert text_of(tokens) == text
    corpus = parse_conllu(conllu_of(tokens, text), trees=False)
    assert corpus.forms(0) == ["L'", "amico", "di", "le", "sorelle", "vuole", "dir", "te", "lo", "."]
    assert [(token.first, token.last, token.form) for token in multiword_tokens(corpus)] == [
        (3, 4, "delle"),
        (7, 9, "dirtelo"),
    ]
    assert corpus.sentence_text(0).count(b"SpaceAfter=No") == 2  # L' and dirtelo


def test_the_bundled_model_tags_what_it_never_saw() -> None:
    first, nothing = PlainTagger().parse(["Le leggi dicono che il governo deve parlare della nostra casa.", " "])
    assert nothing == ""
    rows = [line.split("\t") for line in first.split("\n") if line[:1].isdigit() and "-" not in line.split("\t")[0]]
    by_form = {row[1]: row for row in rows}
    tags = {"Le": "DET", "leggi": "NOUN", "di": "ADP", "casa": "NOUN", ".": "PUNCT"}
    assert {form: by_form[form][3] for form in tags} == tags
    assert by_form["dicono"][2:4] == ["dire", "VERB"]
    assert "Number=Plur" in by_form["dicono"][5]
    assert by_form["Le"][2] == "il"
    assert all(row[6:8] == ["_", "_"] for row in rows)
