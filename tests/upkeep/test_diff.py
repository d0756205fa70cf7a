"""Two versions of a treebank: what is matched, what is changed, in which order, and how it is written."""

import json
import math
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import treegauge as tg
from treegauge.cli import cli
from treegauge.corpus.compare import versions as matching_versions
from treegauge.corpus.conllu import parse_conllu
from treegauge.upkeep.changes import sentence_counts
from treegauge.upkeep.diff import TreebankDiff, diff

Word = tuple[str, str, int, str]  # form, tag, head, relation


def sentence(words: Sequence[Word], sent_id: str = "", before: dict[int, str] | None = None) -> str:
    """CoNLL-U of a sentence; before: lines that stand before the word of a number (tokens, empty nodes)."""
    lines = [f"# sent_id = {sent_id}"] if sent_id else []
    for k, (form, tag, head, relation) in enumerate(words, 1):
        lines += [before[k]] if before and k in before else []
        lines.append(f"{k}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


def simple(text: str, sent_id: str = "") -> str:
    """A sentence whose words all hang on the first."""
    forms = text.split()
    return sentence(
        [(form, "X", 0 if k == 0 else 1, "root" if k == 0 else "dep") for k, form in enumerate(forms)], sent_id
    )


def token(first: int, last: int, form: str) -> str:
    return f"{first}-{last}\t{form}" + "\t_" * 8


def compared(old: str, new: str, **options: Any) -> TreebankDiff:
    return diff(parse_conllu(old), parse_conllu(new), **options)


def counts(old: str, new: str) -> dict[str, int]:
    """The sentence counts that are not 0."""
    return {name: n for name, n in sentence_counts(compared(old, new).versions).items() if n}


def listed(found: TreebankDiff) -> list[tuple[str, int, str, str, str]]:
    rows = found.to_dict()["rows"]
    return [(row["sent_id"], row["id"], row["what"], row["old"], row["new"]) for row in rows]


SHE: list[Word] = [
    ("She", "PRON", 2, "nsubj"),
    ("saw", "VERB", 0, "root"),
    ("ducks", "NOUN", 2, "obj"),
    (".", "PUNCT", 2, "punct"),
]


def with_word(words: list[Word], k: int, word: Word) -> list[Word]:
    return [*words[: k - 1], word, *words[k:]]


def test_a_relation_a_head_and_a_tag() -> None:
    new = with_word(with_word(SHE, 3, ("ducks", "VERB", 2, "ccomp:x")), 4, (".", "PUNCT", 3, "punct"))
    found = compared(sentence(SHE, "a"), sentence(new, "a"))
    assert listed(found) == [
        ("a", 3, "arc", "2:obj", "2:ccomp:x"),
        ("a", 3, "tag", "NOUN", "VERB"),
        ("a", 4, "arc", "2:punct", "3:punct"),
    ]
    assert found.to_dict()["rows"][0]["line"] == 4
    assert found.relation_pairs().rows == (("obj", "ccomp:x", "same", 1), ("punct", "punct", "other", 1))
    assert found.tag_pairs().rows == (("NOUN", "VERB", 1),)
    assert found.versions.counts == {"xpos": 0, "feats": 0, "lemma": 0}


def test_the_other_columns_are_compared() -> None:
    old = "1\tGo\tgo\tVERB\tVB\tA=B\t0\troot\t_\t_\n\n"
    new = "1\tGo\tgoes\tVERB\tVBZ\tA=C\t0\troot\t_\t_\n\n"
    found = compared(old, new)
    assert found.versions.counts == {"lemma": 1, "xpos": 1, "feats": 1}
    assert [row[2:] for row in listed(found)] == [
        ("feats", "A=B", "A=C"),
        ("lemma", "go", "goes"),
        ("xpos", "VB", "VBZ"),
    ]
    assert ("feats", "A=B", "A=C", 1) in found.value_pairs().rows
    assert counts(old, new) == {"changed": 1}


def test_sentences_added_removed_and_the_same() -> None:
    old = simple("a b", "1") + simple("c d", "2") + simple("e f", "3")
    new = simple("a b", "1") + simple("x y", "4") + simple("e f", "3")
    assert counts(old, new) == {"added": 1, "removed": 1, "unchanged": 2}
    rows = compared(old, new).sentences().rows
    assert [(row[0], row[2], row[4]) for row in rows] == [("removed", "2", None), ("added", None, "4")]


def test_renamed_sentences_are_found_by_their_words() -> None:
    old = simple("a b", "1") + simple("c d", "2") + simple("e f")
    new = simple("x y", "1") + simple("a b", "2") + simple("c d", "3") + simple("e f")
    assert counts(old, new) == {"added": 1, "unchanged": 1, "renamed": 2, "changed elsewhere only": 2}


def test_moved_sentences_are_found() -> None:
    parts = [simple(f"a{k} b{k}", str(k)) for k in range(9)]
    assert counts("".join(parts), "".join(parts[::-1])) == {"unchanged": 9}
    # without names, and cut otherwise
    glued = [simple(f"a{k}b{k}") for k in range(9)]
    plain = [simple(f"a{k} b{k}") for k in range(9)]
    assert counts("".join(plain), "".join(glued[::-1])) == {"retokenised": 9}


def test_the_same_words_under_one_name_go_together_in_order() -> None:
    other = sentence([("a", "X", 2, "dep"), ("b", "X", 0, "root")], "1")
    assert counts(simple("a b", "1") + other, simple("a b", "1") + other) == {"unchanged": 2}


def test_of_sentences_with_the_same_words_those_of_one_name_go_together() -> None:
    one, other = simple("a b", "1"), sentence([("a", "X", 2, "dep"), ("b", "X", 0, "root")], "2")
    assert counts(one + other, other + one) == {"unchanged": 2}


def test_a_comment_a_token_or_an_empty_node_is_a_change_elsewhere() -> None:
    plain = sentence(SHE, "a")
    for new in (
        "# note\n" + plain,
        sentence(SHE, "a", {1: token(1, 2, "Shesaw")}),
        sentence(SHE, "a", {3: "2.1\tnow" + "\t_" * 8}),
    ):
        assert counts(plain, new) == {"changed elsewhere only": 1}
    assert counts(plain, plain.replace("\n", "\r\n")) == {"changed elsewhere only": 1}
    assert counts(plain, plain.rstrip("\n") + "\n") == {"unchanged": 1}


def test_retokenised_words_are_aligned() -> None:
    # "dell' arte" became one token of two words and a word; the head of "arte" is the same word as before
    old = sentence([("Opere", "NOUN", 0, "root"), ("dell'", "ADP", 3, "case"), ("arte", "NOUN", 1, "nmod")], "a")
    new = sentence(
        [("Opere", "NOUN", 0, "root"), ("di", "ADP", 4, "case"), ("l'", "DET", 4, "det"), ("arte", "NOUN", 1, "nmod")],
        "a",
        {2: token(2, 3, "dell'")},
    )
    found = compared(old, new)
    assert counts(old, new) == {"retokenised": 1}
    assert found.versions.old_rows(np.arange(found.versions.new.n_words)).tolist() == [0, -1, -1, 2]
    assert listed(found) == []
    moved = new.replace("arte\tarte\tNOUN\t_\t_\t1\tnmod", "arte\tarte\tNOUN\t_\t_\t1\tobl")
    assert listed(compared(old, moved)) == [("a", 4, "arc", "1:nmod", "1:obl")]


def test_two_sentences_for_one_are_aligned() -> None:
    old = simple("x", "0") + simple("a b c d", "1") + simple("y", "9")
    new = simple("x", "0") + simple("a b", "1a") + simple("c d", "1b") + simple("y", "9")
    found = compared(old, new)
    assert counts(old, new) == {"retokenised": 2, "unchanged": 2}
    assert found.versions.old_rows(np.arange(found.versions.new.n_words)).tolist() == list(range(6))
    assert listed(found) == [("1b", 1, "arc", "1:dep", "0:root"), ("1b", 2, "arc", "1:dep", "1:dep")]
    assert counts(new, old) == {"retokenised": 1, "unchanged": 2}


def test_a_sentence_written_otherwise_keeps_the_words_in_common() -> None:
    old, new = simple("a teh b c", "1"), simple("a the b c !", "1")
    found = compared(old, new)
    assert counts(old, new) == {"rewritten": 1}
    assert found.versions.old_rows(np.arange(found.versions.new.n_words)).tolist() == [0, -1, 2, 3, -1]
    assert counts(simple("a b c", "1"), simple("x y c", "1")) == {"added": 1, "removed": 1}  # two words of six


def test_a_head_without_a_partner_is_another_head() -> None:
    old = sentence([("teh", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 2, "dep")], "1")
    new = sentence([("the", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 2, "dep")], "1")
    assert listed(compared(old, new)) == [("1", 2, "arc", "1:dep", "1:dep")]


def test_a_root_that_hangs_on_a_new_word_has_another_head() -> None:
    old = sentence([("b", "X", 0, "root"), ("c", "X", 1, "dep")], "1")
    new = sentence([("x", "X", 0, "root"), ("b", "X", 1, "dep"), ("c", "X", 2, "dep")], "1")
    found = compared(old, new)
    assert listed(found) == [("1", 2, "arc", "0:root", "1:dep")]
    assert found.versions.head_moved.tolist() == [True]
    assert compared(new, old).versions.head_moved.tolist() == [True]


def test_forms_without_characters_are_no_trouble() -> None:
    blank = "\u00a0"
    old, new = (
        simple("a b c", "1"),
        sentence([("a", "X", 0, "root"), (blank, "X", 1, "dep"), ("c", "X", 1, "dep")], "1"),
    )
    assert counts(old, new) == {"rewritten": 1}
    assert counts(new, new) == {"unchanged": 1}


def test_different_words_with_the_same_print_are_not_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching_versions, "_prints", lambda side, codes: [7] * side.n_sentences)
    assert counts(simple("a b", "1"), simple("c d", "1")) == {"added": 1, "removed": 1}
    assert counts(simple("a b", "1") + simple("c d", "2"), simple("a b", "1") + simple("c d", "2")) == {"unchanged": 2}


def test_patterns_are_what_changed_arcs_share() -> None:
    old, new = "", ""
    for k in range(5):
        words: list[Word] = [("at", "ADP", 2, "case"), ("least", "ADJ", 3, "obl"), (f"verb{k}", "VERB", 0, "root")]
        old += sentence(words, str(k))
        new += sentence([("at", "ADP", 3, "advmod"), ("least", "ADJ", 1, "fixed"), words[2]], str(k))
    found = compared(old, new)
    assert [(len(pattern.arcs), pattern.shared["old"], pattern.shared["new"]) for pattern in found.patterns] == [
        (5, "case", "advmod"),
        (5, "obl", "fixed"),
    ]
    assert found.patterns[1].shared == {
        "old": "obl",
        "new": "fixed",
        "moved": "yes",
        "lemma": "least",
        "upos": "ADJ",
        "head_lemma": "at",
        "head_upos": "ADP",
        "direction": "head-before",
    }
    assert "head_lemma" not in found.patterns[0].shared  # five verbs
    assert found.pattern_table().rows[1][:4] == (5, "obl", "fixed", "other")


# brute force and properties


@st.composite
def treebanks(draw: st.DrawFn) -> list[tuple[str, list[Word]]]:
    """Sentences of a few words, each with a name of its own or none; no two have the same words."""
    found = []
    for k in range(draw(st.integers(1, 5))):
        n = draw(st.integers(1, 6))
        found.append(
            (draw(st.sampled_from([f"s{k}", ""])), [(f"w{k}.{i}", *draw(annotations(i, n))) for i in range(n)])
        )
    return found


def annotations(i: int, n: int) -> st.SearchStrategy[tuple[str, int, str]]:
    """Tag, head and relation of word i: its head stands before it, so that it is a tree."""
    head = st.just(0) if i == 0 else st.integers(1, i)
    relation = st.just("root") if i == 0 else st.sampled_from(["nsubj", "obj", "obl:x", "obl"])
    return st.tuples(st.sampled_from(["NOUN", "VERB", "X"]), head, relation)


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str]:
    """A treebank and another version of it: sentences left out, added, renamed, in another order, annotated anew."""
    old = draw(treebanks())
    new = []
    for k, (name, words) in enumerate(old):
        if draw(st.booleans()) or not k:
            again = [(word[0], *draw(annotations(i, len(words)))) for i, word in enumerate(words)]
            new.append((draw(st.sampled_from([name, "", f"new{k}"])), draw(st.sampled_from([words, again]))))
    new = draw(st.permutations(new))
    if draw(st.booleans()):
        new = [*new, ("added", [("other", "X", 0, "root")])]
    texts = ["".join(sentence(words, name) for name, words in side) for side in (old, new)]
    return texts[0], texts[1]


@given(versions())
@settings(max_examples=60, deadline=None)
def test_a_treebank_differs_in_nothing_from_itself(both: tuple[str, str]) -> None:
    for text in both:
        found = compared(text, text)
        assert listed(found) == []
        assert counts(text, text) == {"unchanged": found.versions.new.n_sentences}


@st.composite
def cut_versions(draw: st.DrawFn) -> tuple[str, str]:
    """Two versions in which, moreover, some neighbouring words of NEW were made one word, or one token."""
    old, new = draw(versions())
    if draw(st.booleans()):
        old, new = new, old
    texts = []
    for block in new.strip("\n").split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        comments = [line for line in block.split("\n") if line.startswith("#")]
        forms = [line[1] for line in lines]
        at = draw(st.integers(0, len(forms)))
        if at + 1 < len(forms):
            forms[at : at + 2] = [forms[at] + forms[at + 1]]
        words = [(form, *draw(annotations(i, len(forms)))) for i, form in enumerate(forms)]
        tokens = {1: token(1, 2, forms[0] + forms[1])} if len(forms) > 1 and draw(st.booleans()) else {}
        texts.append("".join(f"{comment}\n" for comment in comments) + sentence(words, "", tokens))
    return old, "".join(texts)


def characters(text: str) -> dict[tuple[str, int, int], int]:
    """Of each word of a text without multiword tokens: its sentence's characters, its own place in them, its row."""
    found, side = {}, parse_conllu(text)
    for s in range(side.n_sentences):
        forms, at = side.forms(s), 0
        for k, form in enumerate(forms):
            found["".join(forms), at, at + len(form)] = int(side.start[s]) + k
            at += len(form)
    return found


@given(cut_versions())
@settings(max_examples=100, deadline=None)
def test_words_are_the_same_that_have_the_same_characters(both: tuple[str, str]) -> None:
    ours, theirs = characters(both[0]), characters(both[1])
    found = compared(*both).versions
    word = np.full(found.new.n_words, -1)
    for place, row in theirs.items():
        word[row] = ours.get(place, -1)
    rewritten = (found.matching.new_state == matching_versions.REWRITTEN)[found.new.sentence]
    assert np.array_equal(found.old_rows(np.arange(found.new.n_words))[~rewritten], word[~rewritten])


@given(cut_versions())
@settings(max_examples=100, deadline=None)
def test_the_two_directions_mirror_each_other(both: tuple[str, str]) -> None:
    there, back = compared(*both), compared(*both[::-1])
    swapped = {(c.old_row, c.row, c.what) for c in back.changes}
    assert {(c.row, c.old_row, c.what) for c in there.changes} == swapped
    ours, theirs = sentence_counts(there.versions), sentence_counts(back.versions)
    assert (ours.pop("added"), ours.pop("removed")) == (theirs.pop("removed"), theirs.pop("added"))
    assert ours == theirs


@given(versions())
@settings(max_examples=60, deadline=None)
def test_the_changes_make_the_new_heads_of_the_old(both: tuple[str, str]) -> None:
    found = compared(*both).versions
    tables = [{}, {}]  # of each side, by their words: head, relation and tag of each word
    for table, side in zip(tables, (found.old, found.new), strict=True):
        for s in range(side.n_sentences):
            rows = range(*side.start[s : s + 2].tolist())
            table[tuple(side.forms(s))] = [
                [int(side.head[w]), side.value("deprel", w), side.value("upos", w)] for w in rows
            ]
    for row in TreebankDiff(found).to_dict()["rows"]:
        words = next(words for words in tables[0] if row["form"] in words)
        word = tables[0][words][row["id"] - 1]
        if row["what"] == "tag":
            assert word[2] == row["old"] != row["new"]
            word[2] = row["new"]
        else:
            assert f"{word[0]}:{word[1]}" == row["old"] != row["new"]
            head, _, relation = row["new"].partition(":")
            word[:2] = int(head), relation
    assert {words: tables[0][words] for words in tables[1] if words in tables[0]} == {
        words: here for words, here in tables[1].items() if words in tables[0]
    }


# plausibility


def grown(n: int, wrong: Sequence[int] = ()) -> str:
    """Sentences alike, so that a model learns them; in those of `wrong` the object is the subject's dependent."""
    chance = random.Random(0)
    text = ""
    for k in range(n):
        words = [
            (chance.choice(["She", "He", "It"]), "PRON", 2, "nsubj"),
            (chance.choice(["saw", "had", "ate"]), "VERB", 0, "root"),
            (chance.choice(["ducks", "bread", "him"]), "NOUN", 2, "obj"),
        ]
        if k in wrong:
            words[2] = (words[2][0], "NOUN", 1, "nmod")
        text += sentence(words, str(k))
    return text


def test_changes_for_the_worse_come_first() -> None:
    found = compared(grown(60, wrong=[3]), grown(60, wrong=[40, 50]), by_itself=True)
    assert [row["sent_id"] for row in found.to_dict()["rows"]] in (["40", "50", "3"], ["50", "40", "3"])
    assert [change.is_worse for change in found.changes] == [True, True, False]
    assert found.worse == 2
    last = found.changes[-1]
    assert last.before < 0.5 < last.after
    assert dict(found.summary().rows)["changes that made it better"] == 1


def test_both_versions_are_judged_by_one_model() -> None:
    old, new = parse_conllu(grown(40, wrong=[3, 5])), parse_conllu(grown(40, wrong=[5, 7]))
    model = tg.build_model(parse_conllu(grown(60)))
    found = diff(old, new, model)
    scorer = tg.scorer("choice", model)
    for change in found.changes:
        assert change.before == pytest.approx(math.exp(scorer.scores(old)[change.old_row]))
        assert change.after == pytest.approx(math.exp(scorer.scores(new)[change.row]))
    assert [int(change.row) // 3 for change in found.changes] == [7, 3]


def test_what_was_cut_otherwise_has_no_probability_before() -> None:
    old = grown(30) + sentence([("Itate", "VERB", 0, "root"), ("him", "NOUN", 1, "obj")], "x")
    new = grown(30) + sentence(
        [("It", "PRON", 2, "nsubj"), ("ate", "VERB", 0, "root"), ("him", "NOUN", 1, "nmod")], "x"
    )
    (change,) = compared(old, new, by_itself=True).changes
    assert math.isnan(change.before)
    assert 0 < change.after < 1
    assert not change.is_worse


# the command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["diff", *arguments])


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "old.conllu", tmp_path / "new.conllu"
    paths[0].write_text(grown(40, wrong=[3]))
    paths[1].write_text(grown(40, wrong=[30, 31]))
    return str(paths[0]), str(paths[1])


def test_text_has_tables_and_drawings(files: tuple[str, str]) -> None:
    shown = run(*files).stdout
    assert "sentences changed                     3\n" in shown
    assert "3 of 3 changes, in the order of the corpus" in shown
    assert f"{files[1]}:19: sentence 4 (3), word 3" in shown
    assert "new obj of 2" in shown
    assert "▼" in shown
    assert "probability" not in shown
    assert "1 of 3 changes, those that made it worse first" in run(*files, "--self", "--top", "1").stdout


def test_tsv_and_json(files: tuple[str, str]) -> None:
    lines = run(*files, "-f", "tsv").stdout.splitlines()
    assert lines[1].split("\t") == ["file", "line", "sent_id", "id", "form", "what", "old", "new", "before", "after"]
    assert lines[2].split("\t")[1:] == ["19", "3", "3", lines[2].split("\t")[4], "arc", "1:nmod", "2:obj", "", ""]
    content = json.loads(run(*files, "-f", "json", "--self").stdout)
    assert [content["name"], *(table["name"] for table in content["more"])] == [
        *("changes", "summary", "relation_pairs", "tag_pairs", "value_pairs", "patterns", "sentences")
    ]
    assert len(content["rows"]) == 3


def test_the_page_escapes_words_and_names(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    words: list[Word] = [(evil, "X", 0, "root"), ("b", "X", 1, "dep")]
    old, new = tmp_path / "old.conllu", tmp_path / "&lt;.conllu"
    old.write_text(sentence(words, evil))
    new.write_text(sentence(with_word(words, 2, ("b", evil, 1, evil)), evil))
    page = run(str(old), str(new), "-f", "html").stdout
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&amp;lt;.conllu" in page
    assert "default-src 'none'" in page
    assert page.count("<svg") == 2


def test_the_page_draws_the_old_arc_below_the_new_one(files: tuple[str, str]) -> None:
    page = run(*files, "-f", "html").stdout
    assert page.count('stroke="var(--other)" stroke-width="2" stroke-dasharray="2 3"') == 3
    assert page.count('stroke="var(--suspect)" stroke-width="2.5"') == 3
    assert "→ obj of" in page


def test_the_gate(files: tuple[str, str]) -> None:
    assert run(*files, "--self", "--fail-on", "2").exit_code == 0
    failed = run(*files, "--self", "--fail-on", "1")
    assert failed.exit_code == 1
    assert "2 changes made it worse; at most 1 may" in failed.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--fail-on", "1"], "--fail-on would change nothing here"),
        (["-f", "tsv", "--top", "3"], "--top would change nothing here"),
        (["--self", "--model", "en"], "exclude each other"),
        (["--model", "xx"], "no model file and no bundled model 'xx'"),
    ],
)
def test_what_is_refused(files: tuple[str, str], arguments: list[str], why: str) -> None:
    result = run(*files, *arguments)
    assert isinstance(result.exception, tg.TreegaugeError)
    assert why in str(result.exception)


def test_malformed_sentences_are_left_out_and_told(tmp_path: Path, files: tuple[str, str]) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\ta\t_\tX\t_\t_\t9\tdep\t_\t_\n\n" + grown(40))
    assert isinstance(run(files[0], str(bad)).exception, tg.TreegaugeError)
    result = run(files[0], str(bad), "--on-error", "skip")
    assert result.exit_code == 0
    assert "left out: 1 malformed sentence" in result.stderr


def test_a_treebank_without_sentences_is_refused(tmp_path: Path, files: tuple[str, str]) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    assert "no sentences" in str(run(str(empty), files[1]).exception)


def test_a_git_revision_against_the_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bank.conllu").write_text(grown(10))
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run(["git", *name, *arguments], check=True, capture_output=True)
    Path("bank.conllu").write_text(grown(10, wrong=[4]))
    lines = run("HEAD:bank.conllu", "bank.conllu", "-f", "tsv").stdout.splitlines()
    assert [line.split("\t")[6:8] for line in lines[2:]] == [["2:obj", "1:nmod"]]


def test_words_without_a_partner_are_counted_on_both_sides() -> None:
    found = compared(simple("a teh b c", "1"), simple("a the b c !", "1"))
    summary = dict(found.summary().rows)
    assert (summary["words of OLD that are not in NEW"], summary["words of NEW that are not in OLD"]) == (1, 2)


def test_many_random_changes_are_found_by_comparing_word_by_word() -> None:
    chance = np.random.default_rng(0)
    old, new, changed = "", "", 0
    for k in range(200):
        words: list[Word] = [(f"{k}.{i}", "X", i, "dep" if i else "root") for i in range(int(chance.integers(1, 9)))]
        again = [
            (form, tag, int(chance.integers(1, i + 1)) if i else 0, rel) for i, (form, tag, _, rel) in enumerate(words)
        ]
        changed += sum(one[2] != other[2] for one, other in zip(words, again, strict=True))
        old, new = old + sentence(words, str(k)), new + sentence(again, str(k))
    assert len(compared(old, new).changes) == changed > 100
