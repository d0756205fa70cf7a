"""What `check` finds in a treebank, in which order, and what it leaves out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import corpora
from tests.upkeep.made_up import MISTAGGED, WRONG, treebank
from treegauge import build_model
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import OptionError
from treegauge.ranking.verdicts import Verdict
from treegauge.reports.annotations import to_github, to_sarif
from treegauge.reports.check_text import findings_text
from treegauge.scorers.registry import scorer
from treegauge.upkeep.changes import compare_versions
from treegauge.upkeep.check import check, unchanged
from treegauge.upkeep.codes import ARCS, HEAD, KINDS, chosen_codes
from treegauge.upkeep.codes import TAG as TAG_CODE
from treegauge.upkeep.findings import PER_SENTENCE, Findings, _turn
from treegauge.upkeep.patterns import FEWEST
from treegauge.upkeep.treebank_scorer import LEAST_REFERENCE, LEAST_TAG, REFERENCE, TAG, OrderBy

ARCS_AND_TAGS = chosen_codes(("arc", "tag"))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return parse_conllu(treebank())


@pytest.fixture(scope="module")
def found(corpus: Corpus) -> Findings:
    return check(corpus, wanted=ARCS_AND_TAGS)


def places(found: Findings) -> list[tuple[str, int, str]]:
    return [(record["sent_id"], record["id"], record["what"]) for record in found.records()]


def test_a_wrong_arc_and_a_wrong_tag_are_found_with_what_they_should_be(found: Findings) -> None:
    by_place = {(record["sent_id"], record["id"]): record for record in found.records()}
    arc = by_place[WRONG, 1]
    assert (arc["what"], arc["head"], arc["other_head"], arc["other_deprel"]) == ("arc", 3, 2, "det")
    assert arc["probability"] < 0.01 < arc["other_probability"]
    tag = by_place[MISTAGGED, 3]
    assert (tag["upos"], tag["other_upos"]) == ("NOUN", "VERB")
    assert len(by_place) == len(found)  # a word is found once


def test_a_pattern_is_found_with_both_sides(found: Findings, corpus: Corpus) -> None:
    pattern = next(one for one in found.patterns if {one.relation, one.rather} == {"case", "mark"})
    assert dict(pattern.shared)["lemma"] == "of"
    of = np.array([corpus.value("form", w) == "of" for w in range(corpus.n_words)])
    relation = np.array([corpus.value("deprel", w) for w in range(corpus.n_words)])
    assert pattern.n_relation == int((of & (relation == pattern.relation)).sum())
    assert pattern.n_rather == int((of & (relation == pattern.rather)).sum())
    assert set(relation[pattern.rows]) == {pattern.relation}
    assert set(relation[pattern.other_rows]) == {pattern.rather}
    assert pattern.same_head
    assert pattern.text.startswith("'of' ADP")
    assert pattern.grew == f'pattern {{ D [lemma="of", upos="ADP"]; H -[1={pattern.relation}]-> D }}'
    assert "'of' ADP" in found.tables()[1].rows[found.patterns.index(pattern)][1]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    text = treebank().replace("1\tthe\tthe", "# a comment\n1-2\tthen\t_\t_\t_\t_\t_\t_\t_\t_\n1\tthe\tthe")
    path.write_text(text)
    corpus = read_conllu(path)
    lines = text.split("\n")
    for row in range(0, corpus.n_words, 37):
        assert lines[corpus.line_number(row) - 1].startswith(f"{corpus.position[row]}\t{corpus.value('form', row)}\t")


def test_one_sentence_does_not_fill_the_list() -> None:
    sentence = np.array([4, 4, 2, 4, 4, 2, 9])
    assert _turn(sentence).tolist() == [0, 1, 0, 2, 3, 1, 0]
    assert _turn(sentence[:0]).tolist() == []
    first, name, rest = treebank().partition("# sent_id = s9\n")
    odd, blank, rest = rest.partition("\n\n")
    for relation in ("nsubj", "det", "obj", "nmod", "punct"):
        odd = odd.replace(f"\t{relation}\t", "\tvocative\t")
    found = check(parse_conllu(first + name + odd + blank + rest), below=0.9, wanted=ARCS_AND_TAGS)
    tiers = _turn(found.corpus.sentence[found.row]) // PER_SENTENCE
    assert tiers.max() > 0
    assert (np.diff(tiers) >= 0).all()


def test_what_was_accepted_is_silent_until_it_changes(corpus: Corpus, found: Findings) -> None:
    accepted = [Verdict(WRONG, 0, 1, 3, "det", "accept")]
    assert (WRONG, 1, "arc") in places(found)
    assert WRONG not in [
        place[0] for place in places(check(corpus, accepted=accepted, wanted=ARCS_AND_TAGS)) if place[1] == 1
    ]
    other = [
        replace(accepted[0], deprel="amod"),
        replace(accepted[0], upos="PRON"),
        replace(accepted[0], verdict="error"),
    ]
    assert (WRONG, 1, "arc") in places(check(corpus, accepted=other, wanted=ARCS_AND_TAGS))


def test_only_what_a_change_brought_is_new(corpus: Corpus, found: Findings) -> None:
    assert len(check(corpus, since=corpus)) == 0
    old = treebank()
    before = old.replace(
        f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t3", f"# sent_id = {WRONG}\n1\tthe\tthe\tDET\t_\t_\t2"
    )
    assert before != old
    assert places(check(corpus, since=parse_conllu(before), wanted=ARCS_AND_TAGS)) == [(WRONG, 1, "arc")]
    renamed = parse_conllu(old.replace("# sent_id = s", "# sent_id = t"))
    assert unchanged(compare_versions(renamed, corpus).matching.words, HEAD).all()
    shorter = parse_conllu(old.partition("# sent_id = s3\n")[0])
    assert np.unique(corpus.sentence[unchanged(compare_versions(shorter, corpus).matching.words, HEAD)]).tolist()[
        :2
    ] == [0, 1]


def test_the_score_is_that_of_the_formula(corpus: Corpus) -> None:
    other = parse_conllu(treebank(60, seed=8))
    found = check(corpus, [build_model(other)])
    scorer = found.scorer
    tags, reference = scorer.tag_choices(corpus), scorer.references[0]
    assert tags is not None
    for w in range(0, corpus.n_words, 101):
        expected = (
            scorer.by_itself.scores(corpus)[w]
            + TAG * max(tags.log_prob[w], LEAST_TAG)
            + REFERENCE * max(reference.scores(corpus)[w], LEAST_REFERENCE)
        )
        assert scorer.scores(corpus)[w] == pytest.approx(expected)


def test_a_reference_may_be_a_treebank(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "other.conllu"
    path.write_text(treebank(60, seed=8))
    assert "ref:other.conllu@" in check(corpus, [path]).scorer.signature


@settings(max_examples=40, deadline=None)
@given(text=corpora(least=2), below=st.sampled_from([0.01, 0.5, 1.0]))
def test_any_treebank_can_be_checked_and_written(text: str, below: float) -> None:
    corpus = parse_conllu(text)
    found = check(corpus, below=below)
    assert len(set(zip(found.row.tolist(), found.code.tolist(), strict=True))) == len(found)
    for record in found.records():
        assert record["message"] or record["probability"] < below
        changed = record["other_head"], record["other_deprel"]
        assert changed != (record["head"], record["deprel"])
        assert record["code"] != TAG_CODE or record["other_upos"] not in (None, record["upos"])
        assert (record["code"] in ARCS) == (record["other_head"] is not None)
        assert KINDS[record["code"]].what == record["what"]
    for pattern in found.patterns:
        assert len(np.unique(pattern.rows)) == len(pattern.rows) >= FEWEST
    assert findings_text(found, 5, 5, 80).startswith("<text>: ")
    assert len(json.loads(to_sarif(found))["runs"][0]["results"]) == len(found) == to_github(found).count("::warning ")


def test_the_order_may_be_that_of_lisca_whose_last_bin_is_suspicious(corpus: Corpus) -> None:
    lisca = scorer("lisca", by_itself=corpus)
    findings, scores = check(corpus, [OrderBy(lisca)], wanted=("TG101", "TG102", "TG201")), lisca.scores(corpus)
    position = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    last_bin = np.flatnonzero(position * 10 // len(scores) == 9)
    arcs = findings.row[np.isin(findings.code, ARCS)]
    assert len(arcs)
    assert set(arcs.tolist()) <= set(last_bin.tolist())
    assert (np.diff(scores[arcs[_turn(corpus.sentence[arcs]) < PER_SENTENCE]]) >= 0).all()
    assert "lisca:2020" in findings.scorer.signature
    with pytest.raises(OptionError, match="scorer 3; expected a scorer"):
        OrderBy(3)  # type: ignore[arg-type]
