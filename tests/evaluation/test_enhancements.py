"""Enhanced arcs without some types of enhancements: ELAS and EULAS are those of udtools with the same levels."""

import io
import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools.udeval import evaluate as udtools_evaluate
from udtools.udeval import load_conllu

from tests.evaluation.eval_cases import FIELDS, line, ours, sentence
from treegauge import evaluate_task, read_conllu
from treegauge.cli import cli
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.enhancements import LEVELS, without_levels
from treegauge.evaluation.task.scoring import TaskSettings

TYPES = "gapping shared_parents_in_coordination shared_dependents_in_coordination control"
TYPES += " external_arguments_of_relative_clauses case_info"
NAMES = dict(zip(LEVELS, (f"no_{name}" for name in TYPES.split()), strict=True))  # as udtools has them
TREE = ["nsubj", "nsubj:pass", "xcomp", "acl", "acl:relcl", "conj", "obl", "nmod:of"]
PATHS = [*TREE, "ref", "conj:and", "conj>nsubj", "conj:and>obl:in", "obl:in", "nmod:of:x", "nsubj:xsubj", "advcl:pass"]


def theirs(gold: str, system: str, levels: str):
    """The scores of udtools 0.2.9 with some levels."""
    kind = {"multiple_roots_okay": True} | {NAMES[level]: 1 for level in levels if level in NAMES}
    return udtools_evaluate(*(load_conllu(io.StringIO(text), "text", kind) for text in (gold, system)))


def assert_same_enhanced(gold: str, system: str, levels: str) -> None:
    found, expected = ours(gold, system, enhanced=levels), theirs(gold, system, levels)
    for metric in ("ELAS", "EULAS"):
        if metric in found.scores:
            assert [getattr(found[metric], f) for f in FIELDS[:3]] == [getattr(expected[metric], f) for f in FIELDS[:3]]
        else:
            assert expected[metric].gold_total == 0 or expected[metric].system_total == 0
    assert found["LAS"].f1 == expected["LAS"].f1


@st.composite
def graph(draw, n):
    """A sentence of n words, a tree and a graph."""
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:k]])) for k, word in enumerate(order)}
    arcs = st.lists(st.tuples(st.integers(0, n), st.sampled_from(PATHS)), max_size=4)
    lines = []
    for word in range(1, n + 1):
        relation = draw(st.sampled_from(TREE))
        of_word = draw(arcs) + [(heads[word], relation)] * draw(st.integers(0, 2))
        deps = "|".join(f"{head}:{path}" for head, path in of_word) or "_"
        lines.append(line(word, "abcdef"[word - 1], heads[word], relation, deps=deps))
    return "\n".join(lines) + "\n\n"


@settings(max_examples=400, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: st.tuples(graph(n), graph(n))), st.text("0123456", min_size=1, max_size=6))
def test_made_up_graphs_score_as_in_udtools_with_the_same_levels(pair, levels):
    assert_same_enhanced(*pair, levels)
    assert_same_enhanced(pair[0], pair[0], levels)


# for each level a word whose arcs it changes, and what is left: (head, path)
CASES = {
    "1": ("1:conj>obl|1:obj", [(1, "dep"), (1, "obj")]),
    "2": ("1:conj:and|3:obj", [(1, "conj:and")]),
    "3": ("1:obj|3:obj", [(1, "obj"), (3, "obj")]),
    "4": ("4:nsubj:xsubj|1:obj", [(1, "obj")]),
    "5": ("3:ref|5:nsubj|1:obj", [(1, "dep"), (1, "obj")]),
    "6": ("1:obl:in|1:obl:pass|1:obj:in", [(1, "obl"), (1, "obl:pass"), (1, "obj:in")]),
}


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_leaves_what_its_rule_says(level, tmp_path):
    deps, expected = CASES[level]
    # the second word is the one that is looked at; the fifth is an acl of the word before it
    text = sentence(
        ("a", 0, "root"), ("b", 1, "dep", {"deps": deps}), ("c", 1, "obj"), ("d", 1, "xcomp"), ("e", 1, "acl:relcl")
    )
    (tmp_path / "t.conllu").write_text(text)
    arcs = without_levels(read_conllu(tmp_path / "t.conllu"), level)
    paths = [arcs.paths[a:b].tobytes().decode() for a, b in zip(arcs.path_start[:-1], arcs.path_start[1:], strict=True)]
    assert list(zip(arcs.head.tolist(), paths, strict=True)) == expected
    assert arcs.start.tolist() == [0, 0, *[len(expected)] * 4]


@pytest.mark.parametrize("levels", ["", "7", "no_gapping", "1,2", "١"])
def test_levels_that_do_not_exist_are_refused(levels):
    text = sentence(("a", 0, "root"))
    with pytest.raises(OptionError, match=r"expected 0 \(all\), or digits among 1 \(no gapping\)"):
        ours(text, text, enhanced=levels)


@pytest.fixture
def files(tmp_path):
    """Gold without cases behind relations, and a system with them."""
    words = ("a", 0, "root", {"deps": "0:root"}), ("b", 1, "obl", {"deps": "1:obl"})
    gold, system = sentence(*words), sentence(*words).replace("1:obl", "1:obl:in")
    for name, text in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.conllu").write_text(text)
    return gold, system, tmp_path


def test_every_way_to_score_knows_the_levels(files):
    folder = files[2]
    paths = [str(folder / "gold.conllu"), str(folder / "system.conllu")]
    for more in ([], ["--by", "relation"], ["--name", "s"], ["--on-error", "skip"]):
        for levels, elas in (("0", 0.5), ("6", 1.0), ("16", 1.0)):
            result = CliRunner().invoke(cli, ["eval", *paths, "--enhancements", levels, *more, "-f", "json"])
            table = json.loads(result.stdout)
            assert {row["metric"]: row["f1"] for row in table["rows"]}["ELAS"] == elas
            assert (f"|enhancements:{levels}|" in table["signature"]) == (levels != "0")
    refused = CliRunner().invoke(cli, ["eval", *paths, "--enhancements", "8"])
    assert "expected 0 (all)" in str(refused.exception)
    unused = CliRunner().invoke(cli, ["eval", *paths, "--enhancements", "1", "--no-enhanced"])
    assert "without --no-enhanced" in str(unused.exception)


def test_a_task_knows_the_levels(files):
    folder = files[2] / "task"
    (folder / "tb").mkdir(parents=True)
    for name, text in zip(("gold", "system"), files, strict=False):
        (folder / "tb" / f"{name}.conllu").write_text(text)
    for levels, elas in ((True, 0.5), ("6", 1.0)):
        scores = evaluate_task(folder, settings=TaskSettings(enhanced=levels, samples=10))
        assert scores.averages("ELAS").tolist() == [elas]
        assert ("enhancements:6" in scores.signature) == (levels == "6")


@pytest.mark.data
@pytest.mark.slow
def test_enhanced_treebanks_score_as_in_udtools_with_the_same_levels(evaluation_data):
    text = (evaluation_data / "ud" / "en_ewt" / "dev.conllu").read_text()
    system = text.replace(":conj:and", ":conj").replace("nsubj:xsubj", "nsubj").replace(":ref", ":nsubj")
    for levels in ("0", "1", "2", "3", "4", "5", "6", "123456"):
        assert_same_enhanced(text, system, levels)
