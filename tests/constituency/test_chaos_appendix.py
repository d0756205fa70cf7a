"""The appendix of 1998 comes out as printed, and so do sentences of the same structure with other words."""

from pathlib import Path

import pytest

from treegauge.constituency.chaos.links import CERTAIN, FINAL, VERBAL
from treegauge.constituency.chaos.notation import ClauseNode, chunk_text, clause_hierarchy, link_rows, to_prolog
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.constituency.chaos.parser import Chaos
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus

# 7.1, with the two slips of the print mended: `uncerto budget`, and the slash that ACE s.p.a. lacks
CHUNKS = """Supponendo/VerGer di avere/VerInf a disposizione/Prep un certo budget/Nom economico/Agg relativo/Agg
ad un intervento/Prep di risanamento/Prep ambientale/Agg ,/CongCo ACE s.p.a./Nom intende/VerFin programmare/VerInf
e/CongCo coordinare/VerInf le fasi/Nom successive/Agg di lavoro/Prep che/NomRel permetteranno/VerFin ,/CongCo
infine/Avv ,/CongCo di elaborare/VerInf un progetto/Nom esecutivo/Agg d' intervento/Prep ./CongCo"""


def leaf(head: int, first: int, last: int, *inner: ClauseNode) -> ClauseNode:
    return ClauseNode(head, first, last, inner)


HIERARCHY = leaf(
    0,
    0,
    28,
    leaf(12, 0, 28, leaf(13, 13, 28, leaf(15, 15, 28, leaf(20, 19, 28, leaf(24, 24, 28))))),
    leaf(1, 1, 6, leaf(2, 2, 6)),
)
VERBAL_LINKS = {
    (0, 12, "MainClause"),
    (2, 4, "G_V_Ogg"),
    (12, 11, "G_V_Sogg"),
    (12, 13, "G_V_Fras"),
    (15, 16, "G_V_Ogg"),
    (19, 20, "Clausole"),
    (20, 24, "G_V_Fras"),
    (24, 25, "G_V_Ogg"),
}
CERTAIN_LINKS = {(4, 5, "G_Nom_Agg"), (4, 6, "G_Nom_Agg"), (16, 17, "G_Nom_Agg"), (25, 26, "G_Nom_Agg")}
AMBIGUOUS_LINKS = {
    (6, 7, "G_Agg_Prep"),
    (4, 7, "G_Nom_Prep"),
    (17, 18, "G_Agg_Prep"),
    (16, 18, "G_Nom_Prep"),
    (20, 22, "G_Ver_Avv"),
    (24, 22, "G_Ver_Avv"),
    (25, 27, "G_Nom_Prep"),
    (26, 27, "G_Agg_Prep"),
}


@pytest.fixture(scope="module")
def corpus(data: Path) -> Corpus:
    return read_conllu(data / "chaos" / "appendix.conllu", trees=False)


@pytest.fixture(scope="module")
def parses(corpus: Corpus) -> list[ChunkParse]:
    return list(Chaos("it-1998").parse_corpus(corpus))


def pairs(parse: ChunkParse, stratum: int) -> set[tuple[int, int, str]]:
    return {row[:3] for row in link_rows(parse, stratum)}


def test_the_28_chunks_are_the_printed_ones(parses: list[ChunkParse], corpus: Corpus) -> None:
    forms = [corpus.value("form", w) for w in range(int(corpus.start[1]))]
    found = [f"{chunk_text(parses[0], k, forms)}/{chunk.kind}" for k, chunk in enumerate(parses[0].chunks)]
    assert len(found) == 28
    assert " ".join(found) == " ".join(CHUNKS.split())


@pytest.mark.parametrize("sentence", range(4))
def test_clauses_and_links_are_the_printed_ones(parses: list[ChunkParse], sentence: int) -> None:
    parse = parses[sentence]
    assert [chunk.kind for chunk in parse.chunks] == [chunk.kind for chunk in parses[0].chunks]
    assert clause_hierarchy(parse) == HIERARCHY
    assert pairs(parse, VERBAL) == VERBAL_LINKS
    assert pairs(parse, CERTAIN) == CERTAIN_LINKS
    assert pairs(parse, FINAL) == AMBIGUOUS_LINKS
    assert {row[3] for row in link_rows(parse, CERTAIN)} == {1.0}
    assert {row[3] for row in link_rows(parse, FINAL)} == {0.5}


def test_the_paraphrases_share_no_content_word_with_the_appendix(corpus: Corpus) -> None:
    lemmas = [
        {
            corpus.value("lemma", w)
            for w in range(int(corpus.start[s]), int(corpus.start[s + 1]))
            if corpus.value("upos", w) in ("NOUN", "VERB", "ADJ", "PROPN")
        }
        for s in range(4)
    ]
    assert all(not lemmas[0] & other - {"permettere"} for other in lemmas[1:])


def test_without_a_frame_the_verb_takes_no_object(corpus: Corpus, tmp_path: Path) -> None:
    lexicon = tmp_path / "few.txt"
    lexicon.write_text("intendere: inf\n")
    parse = next(Chaos("it-1998", str(lexicon)).parse_corpus(corpus))
    assert pairs(parse, VERBAL) == {
        (0, 12, "MainClause"),
        (12, 11, "G_V_Sogg"),
        (12, 13, "G_V_Fras"),
        (19, 20, "Clausole"),
    }


def test_the_default_profile_links_what_the_print_leaves_out(corpus: Corpus) -> None:
    parse = next(Chaos("it").parse_corpus(corpus))
    found = {(g, d) for stratum in (VERBAL, CERTAIN, FINAL) for g, d, _ in pairs(parse, stratum)}
    assert {(1, 2), (2, 3), (7, 8), (8, 9), (13, 15)} <= found
    assert {(g, d) for g, d, _ in VERBAL_LINKS | CERTAIN_LINKS} <= found


def test_the_notation_is_the_appendixs_with_balanced_brackets(parses: list[ChunkParse], corpus: Corpus) -> None:
    text = to_prolog(parses[0], [corpus.value("form", w) for w in range(int(corpus.start[1]))])
    assert "[a disposizione /Prep/3]" in text
    assert "clause(head(NO_ONE),boundaries(0,28),[" in text
    assert "link(0,12,MainClause)." in text
    assert "link(6,7,G_Agg_Prep,plaus('0.500'))." in text
    terms = text[text.index("clause(") : text.index("link(")]
    assert terms.count("(") == terms.count(")")
    assert terms.count("[") == terms.count("]")
