"""Breakdowns, groups, exclusions and confusions against their definitions written out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from tests.evaluation.eval_cases import ours, sentence
from tests.evaluation.eval_strategies import UD, pair
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.relations import CONTENT, FUNCTIONAL, GROUPS, group_of, read_groups
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import NO_VALUE, PROPERTIES, breakdown, depths, is_projective, leave_out
from treegauge.evaluation.attachment.confusion import confused_words, confusion
from treegauge.evaluation.attachment.evaluation import select
from treegauge.reports.two_arcs import draw_word

GOLD = sentence(
    ("the", 2, "det", {"upos": "DET"}),
    ("dog", 3, "nsubj", {"upos": "NOUN"}),
    ("saw", 0, "root", {"upos": "VERB"}),
    ("a", 5, "det", {"upos": "DET"}),
    ("cat", 3, "obj", {"upos": "NOUN"}),
    (".", 3, "punct", {"upos": "PUNCT"}),
    sent_id="dog",
)
SYSTEM = sentence(
    ("the", 2, "det", {"upos": "DET"}),
    ("dog", 3, "obj", {"upos": "NOUN"}),
    ("saw", 0, "root", {"upos": "NOUN"}),
    ("a", 3, "det", {"upos": "DET"}),
    ("cat", 3, "obj", {"upos": "NOUN"}),
    (".", 5, "punct", {"upos": "PUNCT"}),
    sent_id="dog",
)


def by(result, *names, **options):
    """Class -> (support, system, correct)."""
    return {k: (s.gold, s.system, s.correct) for k, s in breakdown(result, names, **options).scores().items()}


def test_by_relation():
    # det: one of two right; nsubj: taken for obj; obj: one right of two given; punct: wrong head
    assert by(ours(GOLD, SYSTEM), "relation") == {
        ("det",): (2, 2, 1),
        ("nsubj",): (1, 0, 0),
        ("obj",): (1, 2, 1),
        ("punct",): (1, 1, 0),
        ("root",): (1, 1, 1),
    }


def test_by_group_length_direction_depth_upos_and_sentence_length():
    result = ours(GOLD, SYSTEM)
    assert by(result, "group") == {
        ("CORE",): (2, 2, 1),
        ("NON-CORE",): (1, 1, 1),
        ("FUN",): (2, 2, 1),
        ("PUNCT",): (1, 1, 0),
    }
    # gold lengths 1 1 root 1 2 3; system 1 1 root 1 2 1
    assert by(result, "length") == {
        ("root",): (1, 1, 1),
        ("1",): (3, 4, 1),
        ("2",): (1, 1, 1),
        ("3",): (1, 0, 0),
    }
    assert by(result, "direction") == {("root",): (1, 1, 1), ("head-after",): (3, 2, 1), ("head-before",): (2, 3, 1)}
    assert by(result, "depth") == {("0",): (1, 1, 1), ("1",): (3, 3, 1), ("2",): (2, 2, 1)}
    # the right root arc is one arc: it counts in gold's class, VERB
    assert by(result, "upos") == {
        ("DET",): (2, 2, 1),
        ("NOUN",): (2, 2, 1),
        ("PUNCT",): (1, 1, 0),
        ("VERB",): (1, 1, 1),
    }
    assert by(result, "sentence_length") == {("6-10",): (6, 6, 3)}


def test_by_deprel_has_the_subtypes_whatever_is_right():
    gold = sentence(("a", 0, "root"), ("b", 1, "obl:tmod"), ("c", 1, "obl"))
    system = sentence(("a", 0, "root"), ("b", 1, "obl"), ("c", 1, "obl"))
    # both obl are right without subtypes, and a right arc is in gold's class
    assert by(ours(gold, system), "deprel") == {("obl",): (1, 1, 1), ("obl:tmod",): (1, 1, 1), ("root",): (1, 1, 1)}
    with_subtypes = by(ours(gold, system, subtypes=True), "deprel")
    assert with_subtypes == {("obl",): (1, 2, 1), ("obl:tmod",): (1, 0, 0), ("root",): (1, 1, 1)}


def test_crossed_with_relation_and_own_bins():
    result = ours(GOLD, SYSTEM)
    crossed = by(result, "relation", "direction")
    assert crossed[("det", "head-after")] == (2, 1, 1)
    assert crossed[("det", "head-before")] == (0, 1, 0)
    assert by(result, "length", bins=[2]) == {("root",): (1, 1, 1), ("1-2",): (4, 5, 2), ("3+",): (1, 0, 0)}


@settings(max_examples=60, deadline=None)
@given(pair())
def test_every_breakdown_adds_up_to_las(texts):
    result = ours(*texts)
    las = result["LAS"]
    for names in [*((name,) for name in (*PROPERTIES, "Case")), ("relation", "length"), ("upos", "direction", "group")]:
        table = breakdown(result, names, known=["a"])
        assert table.gold.sum() == las.gold
        assert table.system.sum() == las.system
        assert table.correct.sum() == las.correct
        assert (table.correct <= table.gold).all()
        assert (table.correct <= table.system).all()
        assert table.heads.sum() == result["UAS"].correct


@settings(max_examples=60, deadline=None)
@given(pair())
def test_relation_counts_are_those_of_a_loop_over_words(texts):
    result = ours(*texts)
    words = result.words
    right = Counter()
    for w, g in enumerate(result.comparison.row.tolist()):
        if g < 0 or words.relations[words.gold_relation[g]] != words.relations[words.relation[w]]:
            continue
        head, gold_head = result.system.head_row[w], result.gold.head_row[g]
        if (head < 0 and gold_head < 0) or (head >= 0 and gold_head >= 0 and result.comparison.row[head] == gold_head):
            right[words.relations[words.relation[w]]] += 1
    support = Counter(words.relations[code] for code in words.gold_relation)
    system = Counter(words.relations[code] for code in words.relation)
    for (relation,), counts in by(result, "relation").items():
        assert counts == (support[relation], system[relation], right[relation])


@settings(max_examples=100, deadline=None)
@given(pair(relations=UD))
def test_las_without_fun_and_punct_is_clas(texts):
    result = ours(*texts)
    las, clas = select(result, ["FUN", "PUNCT"], without=True).las, result["CLAS"]
    assert (las.gold, las.system, las.correct, las.aligned) == (
        clas.gold,
        clas.system,
        clas.correct,
        clas.aligned,
    )
    assert las.f1 == clas.f1


@settings(max_examples=60, deadline=None)
@given(pair())
def test_a_group_and_the_rest_make_up_las(texts):
    result = ours(*texts)
    for group in GROUPS:
        inside, outside = select(result, [group]).las, select(result, [group], without=True).las
        for field in ("gold", "system", "correct"):
            assert getattr(inside, field) + getattr(outside, field) == getattr(result["LAS"], field)


def test_groups_are_those_of_the_paper_and_disjoint():
    everything = [relation for group in GROUPS.values() for relation in group]
    assert len(everything) == len(set(everything)) == 37
    assert len(CONTENT) == 29
    assert len(FUNCTIONAL) == 7
    assert group_of("aux:pass", GROUPS) == "FUN"
    assert group_of("xyz", GROUPS) == "OTHER"


def test_leaving_out_changes_las_as_counted_by_hand():
    # LAS 3 of 6. Without punct: 3 of 5. Without FUN: 2 of 4. Without FUN and PUNCT: 2 of 3. No MWE, no clf.
    rows = {row[0]: row[1:] for row in leave_out(ours(GOLD, SYSTEM)).rows}
    assert rows["PUNCT"] == (3 / 5, 3 / 5 - 0.5)
    assert rows["FUN"] == (0.5, 0.0)
    assert rows["FUN+PUNCT"] == (2 / 3, 2 / 3 - 0.5)
    assert rows["det"] == rows["FUN"]
    assert rows["MWE"] == rows["clf"] == (0.5, 0.0)


def test_exclusions_are_scores_of_their_own():
    result = ours(GOLD, SYSTEM, exclude=[["FUN", "punct"], ["det"]])
    assert result["LAS without FUN+punct"].f1 == result["CLAS"].f1
    assert result["UAS without FUN+punct"].f1 == 1
    assert result["LAS without det"].f1 == 0.5
    with pytest.raises(OptionError, match=r"'nsbuj'; expected a relation or one of the groups CORE"):
        select(result, ["nsbuj"])


def test_own_groups_and_their_errors(tmp_path):
    file = tmp_path / "groups"
    file.write_text("# mine\nARG: nsubj obj\nAUX: aux:pass, cop\n")
    groups = read_groups(file)
    assert groups == {"ARG": ("nsubj", "obj"), "AUX": ("aux:pass", "cop")}
    result = ours(GOLD, SYSTEM, groups=groups)
    assert by(result, "group") == {("ARG",): (2, 2, 1), ("OTHER",): (4, 4, 2)}
    assert [row[0] for row in leave_out(result).rows] == ["(nothing)", "ARG", "AUX"]
    assert result.signature.startswith("eval|subtypes:no|groups:ARG+AUX|v")
    for text, message in [
        ("ARG nsubj\n", "groups:1: .*expected NAME: relation"),
        ("A: nsubj\nB: nsubj\n", "groups:2: 'nsubj' is in A already"),
        ("A: nsubj\nA: obj\n", "groups:2: group 'A' again"),
        ("", "no group"),
    ]:
        file.write_text(text)
        with pytest.raises(OptionError, match=message):
            read_groups(file)
    with pytest.raises(OptionError, match="No such file"):
        read_groups(tmp_path / "nowhere")


def test_unknown_properties_list_the_known_ones():
    with pytest.raises(OptionError, match="'lenght'; expected relation, deprel, group, upos"):
        breakdown(ours(GOLD, SYSTEM), "lenght")
    with pytest.raises(OptionError, match="expected each once"):
        breakdown(ours(GOLD, SYSTEM), ["length", "length"])
    with pytest.raises(OptionError, match="expected numbers that grow"):
        breakdown(ours(GOLD, SYSTEM), "length", bins=[3, 2])


def test_projectivity_is_that_of_its_definition():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 9))
        order = rng.permutation(n) + 1
        head = {int(order[0]): 0} | {int(order[k]): int(order[rng.integers(0, k)]) for k in range(1, n)}
        side = parse_conllu(sentence(*((f"w{k}", head[k], "dep") for k in range(1, n + 1))))
        below = {k: {k} for k in head}
        for k in head:
            above = k
            while above:
                below[above].add(k)
                above = head[above]
        expected = []
        for k, h in sorted(head.items()):
            between = set(range(min(h, k) + 1, max(h, k))) if h else set()
            expected.append(between <= below.get(h, set()))
        assert is_projective(side).tolist() == expected


def test_features_known_words_and_how_often_the_class_is_the_same():
    gold = sentence(
        ("a", 2, "det", {"feats": "Case=Nom"}), ("b", 0, "root", {"feats": "Case=Acc|Number=Sing"}), ("c", 2, "obj")
    )
    system = gold.replace("Case=Acc", "Case=Nom")
    rows = {row["Case"]: row for row in breakdown(ours(gold, system), "Case").table().records()}
    assert {name: (row["support"], row["system"], row["same_class"]) for name, row in rows.items()} == {
        "Nom": (1, 1, 1.0),  # an arc that is right counts in the class of gold
        "Acc": (1, 1, 0.0),
        NO_VALUE: (1, 1, 1.0),
    }
    assert by(ours(gold, system), "known", known=["a", "c"]) == {("known",): (2, 2, 2), ("unknown",): (1, 1, 1)}
    with pytest.raises(OptionError, match="a training text"):
        breakdown(ours(gold, system), "known")


def test_confusions_of_other_columns():
    gold = sentence(("a", 2, "det", {"upos": "DET", "feats": "Case=Nom"}), ("b", 0, "root", {"upos": "NOUN"}))
    result = ours(gold, gold.replace("DET", "PRON").replace("Case=Nom", "Case=Acc"))
    for column, expected in (("upos", ("DET", "PRON", 1)), ("Case", ("Nom", "Acc", 1))):
        (row,) = confusion(result, column).table(right_ones=False).rows
        assert row[:3] == expected
    with pytest.raises(OptionError, match="confusion of 'form'; expected relation"):
        confusion(result, "form")


def test_depths_count_arcs_up_to_the_root():
    assert depths(ours(GOLD, GOLD).gold).tolist() == [2, 1, 0, 2, 1, 1]


def test_confusions_and_their_words():
    result = ours(GOLD, SYSTEM)
    found = confusion(result)
    assert found.words.sum() == result["Words"].correct
    assert found.table(right_ones=False).rows == (("nsubj", "obj", 1, 1.0, 1.0),)
    assert confused_words(result, "nsubj", "obj").tolist() == [1]
    assert confused_words(result, "det", "det").tolist() == [3]  # the label is right, the head is not
    assert confused_words(result, "obj", "nsubj").tolist() == []
    assert confused_words(result, "iobj", "obj").tolist() == []  # one of UD's, though not here
    assert confused_words(result, "nsubj").tolist() == confused_words(result, "nsubj", "*").tolist() == [1]
    assert confused_words(result, "*", "obj").tolist() == [1]
    assert confused_words(result, "punct").tolist() == [5]
    assert confused_words(result, "punct", "*").tolist() == []
    with pytest.raises(OptionError, match="'ibj'; expected one of det, nsubj, obj"):
        confused_words(result, "ibj", "obj")


def test_both_arcs_are_drawn():
    assert draw_word(ours(GOLD, SYSTEM), 1) == (
        "sentence 1 (dog), word 2 'dog': gold nsubj of 3 'saw', system obj of 3 'saw'\n"
        "       ▼───╮ nsubj\n"
        "  the dog saw a cat .\n"
        "       ▲───╯ obj\n"
    )
    drawn = draw_word(ours(GOLD, SYSTEM), 5).splitlines()
    assert drawn[1] == "           ╭────────▼ punct"
    assert drawn[3] == "                 ╰──▲ punct"


def test_arcs_of_the_root_of_other_tokens_and_of_far_words_are_drawn():
    far = sentence(("a", 0, "root"), *[("x", 1, "dep")] * 60, ("b", 1, "obj"))
    near = sentence(("a", 0, "root"), *[("x", 1, "dep")] * 60, ("b", 61, "nmod"))
    drawn = draw_word(ours(far, near), 61).splitlines()
    assert drawn[2] == "  a x x x x … x x x x x b"
    assert drawn[1] == "  ╭──────── obj ────────▼"
    split = sentence(("a", 2, "dep"), ("bc", 0, "root"))
    other = sentence(("a", 0, "root"), ("b", 1, "dep"), ("c", 1, "dep"))
    assert draw_word(ours(split, other), 0).splitlines()[1:] == [
        "  ▼─╮ dep",
        "  a bc",
        "  a b c",
        "  ▲ root",
    ]
