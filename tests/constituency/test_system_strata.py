"""Any parser's arcs by stratum, against a plain definition."""

from pathlib import Path

import pytest

from tests.trees import sentence_text
from treegauge.constituency.chaos.links import FINAL, NONE
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.system_strata import VERBAL_RELATIONS
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError

CHAOS = Chaos("en")


@pytest.fixture
def gold(data: Path) -> Corpus:
    return read_conllu(data / "eval_gold.conllu")


def by_definition(gold: Corpus, system: Corpus) -> dict[str, list[int]]:
    """Gold arcs, those had, arcs found, those right, of each stratum."""
    totals = {name: [0, 0, 0, 0] for name in ("Chunk", "Verbal", "Certain", "Final")}
    for s, parse in enumerate(CHAOS.parse_corpus(gold)):
        low, high = int(gold.start[s]), int(gold.start[s + 1])
        for w in range(low, high):
            if gold.value("upos", w) == "PUNCT":
                continue
            for corpus, at in ((gold, 0), (system, 2)):
                head, relation = int(corpus.head[w]), corpus.value("deprel", w).split(":")[0]
                if head < 0:
                    continue
                chunks = [
                    k for k, c in enumerate(parse.chunks) for word in (w - low, head - 1) if c.first <= word <= c.last
                ]
                own = next(k for k, c in enumerate(parse.chunks) if c.first <= w - low <= c.last)
                if head and chunks[0] == chunks[-1]:
                    name = "Chunk"
                elif head == 0 or relation in VERBAL_RELATIONS:
                    name = "Verbal"
                else:
                    unsure = parse.links.governor[own] == NONE or parse.links.layer[own] == FINAL
                    name = "Final" if unsure else "Certain"
                totals[name][at] += 1
                totals[name][at + 1] += int(gold.head[w]) == int(system.head[w])
    return totals


def test_strata_of_a_system_are_those_of_the_definition(gold: Corpus, data: Path) -> None:
    system = read_conllu(data / "eval_system.conllu")
    (counts,) = CHAOS.evaluate_systems(gold, [system]).systems
    found = zip(counts.gold, counts.had, counts.found, counts.right, strict=True)
    assert [list(row) for row in found] == list(by_definition(gold, system).values())
    assert sum(counts.had) == sum(counts.right)
    assert sum(n for n, _ in counts.relations.values()) == sum(counts.gold)


def test_missing_arcs_cost_recall_and_not_precision(gold: Corpus, data: Path, tmp_path: Path) -> None:
    rows = [line.split("\t") for line in (data / "eval_gold.conllu").read_text().split("\n")]
    partial = tmp_path / "partial.conllu"
    text = "\n".join("\t".join("_" if row[0] == "2" and k == 6 else v for k, v in enumerate(row)) for row in rows)
    partial.write_text(text)
    last = CHAOS.evaluate_systems(gold, [partial, data / "eval_gold.conllu"]).table().records()[-1]
    assert last["partial recall"] < 1
    assert last["partial precision"] == last["eval_gold recall"] == 1


def test_another_text_is_refused(gold: Corpus, data: Path) -> None:
    with pytest.raises(CorpusError, match="the texts are not the same"):
        CHAOS.evaluate_systems(gold, [data / "plain.conllu"])


def split_in_two(text: str) -> str:
    """The same text with each sentence cut behind its third word, every word tagged as before."""
    parts = []
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        for piece in (rows[:3], rows[3:]):
            parts.append(
                "\n".join("\t".join([str(k), *row[1:6], "_", "_", *row[8:]]) for k, row in enumerate(piece, 1))
            )
    return "\n\n".join(part for part in parts if part) + "\n\n"


def test_other_sentences_are_aligned_and_lose_only_what_crosses_the_cut(data: Path, tmp_path: Path) -> None:
    gold = read_conllu(data / "plain.conllu")
    cut = tmp_path / "cut.conllu"
    cut.write_text(split_in_two((data / "plain.conllu").read_text()))
    own = CHAOS.evaluate(gold).table().records()[-1]
    same = CHAOS.evaluate(gold, tags_from=[data / "plain.conllu"]).table().records()[-1]
    other = CHAOS.evaluate(gold, tags_from=[cut]).table().records()[-1]
    assert {**same, "corpus": ""} == {**own, "corpus": ""}
    assert (other["corpus"], other["words"], other["sentences"]) == ("cut", own["words"], own["sentences"])
    assert 0 < other["right"] < own["right"]


def test_edges_of_words_that_gold_does_not_have_are_found_and_wrong() -> None:
    tags, relations = ["VERB", "ADP", "PROPN"], ["root", "case", "obl"]
    gold = parse_conllu(sentence_text([0, 3, 1], tags, relations, ["go", "to", "Rome"]))
    system = parse_conllu(sentence_text([0, 1, 1], ["VERB", "X", "X"], ["root", "dep", "dep"], ["go", "toRo", "me"]))
    (counts,) = CHAOS.evaluate_systems(gold, [system]).systems
    assert (sum(counts.gold), sum(counts.had), sum(counts.found), sum(counts.right)) == (3, 1, 3, 1)
    strata = CHAOS.evaluate(gold, tags_from=[system]).table().records()[-1]
    assert (strata["words"], strata["right"]) == (3, 1)
    assert strata["edges"] > strata["right"]
