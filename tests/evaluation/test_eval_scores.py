"""Every score is udtools' own, to the last digit."""

import pytest
from hypothesis import given, settings
from udtools.udeval import UDError, load_conllu_file
from udtools.udeval import evaluate as udtools_evaluate

from tests.evaluation.eval_cases import assert_same_scores, line, ours, sentence, theirs
from tests.evaluation.eval_strategies import pair
from treegauge.errors import CorpusError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.attachment.metrics import COLUMNS, METRICS, Score


def mwt(number, form):
    return line(number, form) + "\n"


def words(*forms, start=1, head=None):
    """Words in a chain, the first of the sentence its root."""
    return "".join(line(n, form, n - 1, "dep" if n > 1 else "root") + "\n" for n, form in enumerate(forms, start))


NASTY = {
    "one word": (words("a") + "\n", words("a") + "\n"),
    "a token cut in three": (words("abc") + "\n", words("a", "b", "c") + "\n"),
    "two sentences against one": (words("a") + "\n" + words("b") + "\n", words("a", "b") + "\n"),
    "multiword token against words": (mwt("1-2", "ab") + words("a", "b") + "\n", words("a", "b") + "\n"),
    "multiword token of one word": (mwt("1-1", "ab") + words("a") + "\n", words("ab") + "\n"),
    "multiword tokens that overlap": (
        mwt("1-3", "abc") + words("a", "b", "c") + mwt("4-5", "de") + words("d", "e", start=4) + "\n",
        words("a") + mwt("2-4", "bcd") + words("b", "c", "d", start=2) + words("e", start=5) + "\n",
    ),
    "forms alike but for case": (
        mwt("1-2", "abC") + words("AB", "c") + "\n",
        mwt("1-2", "abC") + words("ab", "C") + "\n",
    ),
    "final sigma": (mwt("1-2", "ΑΣΑ") + words("ΑΣ", "Α") + "\n", mwt("1-2", "ΑΣΑ") + words("ας", "α") + "\n"),
    "no common subsequence": (
        mwt("1-2", "du") + words("de", "le") + "\n",
        mwt("1-2", "du") + words("x", "y") + "\n",
    ),
    "several longest subsequences": (
        mwt("1-4", "abab") + words("a", "b", "a", "b") + "\n",
        mwt("1-4", "abab") + words("b", "a", "b", "a") + "\n",
    ),
    "no-break space in a token": (words("10\u00a0000", "b") + "\n", words("10", "000", "b") + "\n"),
    "space in a word of a multiword token": (
        mwt("1-2", "abc") + words("a b", "c") + "\n",
        mwt("1-2", "abc") + words("ab", "c") + "\n",
    ),
    "words that lag behind a multiword token of the next sentence": (
        words("abc") + "\n" + mwt("1-2", "bd") + words("b", "d") + "\n",
        words("a", "b", "c") + "\n" + mwt("1-2", "bd") + words("x", "y") + "\n",
    ),
    "one word that lags behind a multiword token": (
        words("ab") + mwt("2-2", "c") + words("a", start=2) + "\n",
        words("a", "b", "c") + "\n",
    ),
    "empty node inside a multiword token": (
        mwt("1-2", "ab") + words("a") + line("1.1", "x") + "\n" + words("b", start=2) + "\n",
        words("a", "b") + "\n",
    ),
    "empty node before the first word": (line("0.1", "x") + "\n" + words("a") + "\n", words("a") + "\n"),
    "several roots": (
        sentence(("a", 0, "root"), ("b", 0, "root"), ("c", 2, "obj")),
        sentence(("a", 0, "root"), ("b", 1, "nsubj"), ("c", 0, "root")),
    ),
    "lemmas that gold does not give": (
        sentence(("a", 0, "root", {"lemma": "_"}), ("b", 1, "obj", {"lemma": "b"})),
        sentence(("a", 0, "root", {"lemma": "x"}), ("b", 1, "obj", {"lemma": "_"})),
    ),
    "features in another order, and some not universal": (
        sentence(("a", 0, "root", {"feats": "Number=Sing|Case=Nom|Foo=1"})),
        sentence(("a", 0, "root", {"feats": "Case=Nom|Foo=2|Number=Sing"})),
    ),
    "a function word on another head": (
        sentence(("the", 2, "det"), ("a", 0, "root"), ("b", 2, "obj")),
        sentence(("the", 3, "det"), ("a", 0, "root"), ("b", 2, "obj")),
    ),
    "a function word more": (
        sentence(("x", 2, "nmod"), ("a", 0, "root")),
        sentence(("x", 2, "case"), ("a", 0, "root")),
    ),
    "a function word with another tag": (
        sentence(("the", 2, "det", {"upos": "DET"}), ("a", 0, "root")),
        sentence(("the", 2, "det", {"upos": "PRON"}), ("a", 0, "root")),
    ),
    "subtypes, unknown relations, none": (
        sentence(("a", 0, "root"), ("b", 1, "nsubj:pass"), ("c", 1, "xyz"), ("d", 1, "_")),
        sentence(("a", 0, "root"), ("b", 1, "nsubj"), ("c", 1, "xyz"), ("d", 1, "dep")),
    ),
    "enhanced arcs": (
        sentence(
            ("a", 0, "root", {"deps": "0:root|2:conj:en>obl:voor"}),
            ("b", 1, "obj", {"deps": "1:obj|1:obj|1.1:x"}),
        ),
        sentence(("a", 0, "root", {"deps": "0:root|2:conj>obl"}), ("b", 1, "obj", {"deps": "1:obj|1:obj:x|0:obj"})),
    ),
    "another root in the enhanced graph": (
        sentence(("a", 0, "root", {"deps": "2:obj"}), ("b", 1, "obj", {"deps": "0:root"})),
        sentence(("a", 2, "obj", {"deps": "0:root"}), ("b", 0, "root", {"deps": "0:root|1:dep"})),
    ),
    "lines that end in carriage returns": (
        words("a", "b").replace("\n", "\r\n") + "\r\n",
        words("a", "b") + "\n",
    ),
    "a byte order mark": ("\ufeff# text\n" + words("a") + "\n", words("a") + "\n"),
}
NASTY["enhanced arcs, swapped"] = NASTY["enhanced arcs"][::-1]


@pytest.mark.parametrize("case", [c for c in NASTY if c != "a byte order mark"])
def test_nasty_cases_score_as_in_udtools(case):
    gold, system = NASTY[case]
    assert_same_scores(ours(gold, system), theirs(gold.replace("\r\n", "\n"), system))
    assert_same_scores(ours(system, gold), theirs(system, gold.replace("\r\n", "\n")))


def test_a_byte_order_mark_is_no_character():
    gold, system = NASTY["a byte order mark"]
    assert ours(gold, system)["Tokens"].f1 == 1


@settings(max_examples=400, deadline=None)
@given(pair())
def test_made_up_pairs_score_as_in_udtools(texts):
    gold, system = texts
    assert_same_scores(ours(gold, system), theirs(gold, system))


@pytest.mark.data
@pytest.mark.slow
def test_every_pair_of_the_evaluation_data_scores_as_in_udtools(evaluation_data):
    golds = sorted((evaluation_data / "pairs").glob("*/test.gold.conllu"))
    assert golds
    for gold in golds:
        system = gold.with_name("test.system.conllu")
        kind = {"multiple_roots_okay": True}
        expected = udtools_evaluate(load_conllu_file(str(gold), kind), load_conllu_file(str(system), kind))
        assert_same_scores(evaluate(gold, system), expected)


@pytest.mark.data
@pytest.mark.slow
def test_swapped_pairs_and_dev_sets_score_as_in_udtools(evaluation_data):
    kind = {"multiple_roots_okay": True}
    for gold in sorted((evaluation_data / "pairs").glob("*/*.gold.conllu")):
        system = gold.with_name(gold.name.replace("gold", "system"))
        sides = load_conllu_file(str(gold), kind), load_conllu_file(str(system), kind)
        assert_same_scores(evaluate(gold, system), udtools_evaluate(*sides))
        assert_same_scores(evaluate(system, gold), udtools_evaluate(*sides[::-1]))
        assert_same_scores(evaluate(gold, gold), udtools_evaluate(sides[0], sides[0]))


@settings(max_examples=100, deadline=None)
@given(pair())
def test_gold_against_itself_is_perfect(texts):
    result = ours(texts[0], texts[0])
    for metric, score in result.scores.items():
        if metric in ("ELAS", "EULAS"):  # an arc written twice is right four times, as in udtools
            continue
        if score.gold:
            assert (score.precision, score.recall, score.f1) == (1, 1, 1)
            assert score.aligned_accuracy in (1, None)


@settings(max_examples=200, deadline=None)
@given(pair(multiword=False))  # the official alignment of multiword tokens prefers gold's order
def test_swapping_exchanges_precision_and_recall(texts):
    there, back = ours(*texts), ours(*texts[::-1])
    for metric in there.scores:
        if metric in ("Lemmas", "BLEX"):  # a lemma `_` is right only where gold has it
            continue
        a, b = there[metric], back[metric]
        assert (a.precision, a.recall, a.f1) == (b.recall, b.precision, b.f1)


@settings(max_examples=100, deadline=None)
@given(pair())
def test_counts_per_sentence_are_those_of_the_gold_sentence(texts):
    result = ours(*texts)
    assert result.counts.shape[0] == result.gold.n_sentences
    assert (result.counts >= 0).all()
    assert result.counts[:, COLUMNS.index("gold_sentences")].tolist() == [1] * result.gold.n_sentences
    assert result["Words"].system == result.system.n_words


def test_a_score_with_no_denominator_is_zero():
    score = Score(0, 0, 0, 0)
    assert (score.precision, score.recall, score.f1, score.aligned_accuracy) == (0, 0, 0, 0)


def test_enhanced_scores_are_left_out_where_a_side_has_no_deps():
    gold = sentence(("a", 0, "root", {"deps": "0:root"}))
    assert "ELAS" in ours(gold, gold).scores
    assert "ELAS" not in ours(gold, gold, enhanced=False).scores
    assert "ELAS" not in ours(gold, sentence(("a", 0, "root"))).scores


def test_subtypes_make_a_relation_wrong_only_when_asked_for():
    gold, system = (
        sentence(("a", 0, "root"), ("b", 1, "obl:arg")),
        sentence(("a", 0, "root"), ("b", 1, "obl")),
    )
    assert ours(gold, system)["LAS"].f1 == 1
    result = ours(gold, system, subtypes=True)
    assert (result["LAS"].f1, result["CLAS"].gold) == (0.5, 2)
    assert result.signature.startswith("eval|subtypes:yes|v")


def test_where_texts_part_is_named_with_both_contexts():
    gold = sentence(("one", 2, "nsubj"), ("two", 0, "root"), sent_id="g1") + sentence(
        ("three", 0, "root"), sent_id="g2"
    )
    system = sentence(("one", 2, "nsubj"), ("two", 0, "root")) + sentence(("threw", 0, "root"))
    with pytest.raises(UDError):
        theirs(gold, system)
    with pytest.raises(CorpusError) as error:
        ours(gold, system)
    message = str(error.value)
    assert "part after 10 characters" in message
    assert "gold.conllu:6: sentence 2 (g2): one two [three]" in message
    assert "system.conllu:4: sentence 2: one two [threw]" in message


def test_a_text_that_ends_early_is_named():
    with pytest.raises(CorpusError, match=r"system\.conllu:1: sentence 1: one \[end of file\]"):
        ours(sentence(("one", 2, "nsubj"), ("two", 0, "root")), sentence(("one", 0, "root")))


@pytest.mark.parametrize(
    ("deps", "message"),
    [
        ("root", "expected head:relation"),
        ("x:root", "expected a number"),
        ("7:obj", "expected a word of the sentence"),
    ],
)
def test_bad_enhanced_arcs_are_named(deps, message):
    bad = sentence(("a", 0, "root"), ("b", 1, "obj", {"deps": deps}), sent_id="s9")
    with pytest.raises(CorpusError, match=rf"gold\.conllu:3: sentence 1 \(s9\): .*{message}"):
        ours(bad, bad)
    assert ours(bad, bad, enhanced=False)["LAS"].f1 == 1


def test_a_form_of_spaces_only_is_an_error():
    bad = sentence(("a", 0, "root"), ("\u00a0", 1, "obj"))
    with pytest.raises(CorpusError, match=r"gold\.conllu:2: sentence 1: form .* expected a character that is no space"):
        ours(bad, bad)


def test_a_file_without_sentences_is_an_error():
    with pytest.raises(CorpusError, match="no sentence"):
        ours("\n", words("a") + "\n")


def test_what_udtools_refuses_and_we_read():
    doubled = words("a") + "\n\n" + words("b") + "\n"
    unfinished = words("a") + "\n" + words("b")
    deep = sentence(*[("a", n + 2, "dep") for n in range(1500)], ("a", 0, "root"))
    for text, error in ((doubled, UDError), (unfinished, UDError), (deep, RecursionError)):
        with pytest.raises(error):
            theirs(text, text)
        assert ours(text, text)["LAS"].f1 == 1


def test_every_metric_is_in_the_registry_once():
    assert list(METRICS)[:13] == (
        [
            *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
            *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
        ]
    )
