"""Bits of dependency treebanks: the code, its breakdowns, the learning curve."""

import math
from pathlib import Path

import numpy as np
import pytest

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.families import family
from treegauge.corpus.genres import genres
from treegauge.corpus.treebanks import treebank_name
from treegauge.difficulty.bits import BitsSettings, dependency_bits, mean_interval
from treegauge.difficulty.bits_breakdowns import GROUPS, curve_table, grouped_table, sentences_table
from treegauge.errors import OptionError
from treegauge.models.choice.choice_kernel import Chooser
from treegauge.models.choice.prequential import Follower, hashed_text
from treegauge.statistics import fit_power_law

NOUNS, VERBS = ("dogs", "cats", "birds", "fish"), ("see", "hear", "chase")


def sentence(name: str, subject: str, verb: str, thing: str, swapped: bool = False) -> str:
    """`dogs see cats`; swapped, the object comes first and is the subject."""
    first, last = ("obj", "nsubj") if swapped else ("nsubj", "obj")
    rows = [(subject, "NOUN", 2, first), (verb, "VERB", 0, "root"), (thing, "NOUN", 2, last)]
    lines = [f"{k}\t{w}\t{w}\t{t}\t_\t_\t{h}\t{r}\t_\t_" for k, (w, t, h, r) in enumerate(rows, 1)]
    return "\n".join([f"# sent_id = {name}", *lines]) + "\n\n"


def treebank(n: int, *, noise: float = 0.0) -> Corpus:
    rng = np.random.default_rng(1)
    text = [
        sentence(
            f"{'news' if k % 2 else 'blog'}-{k}",
            *(rng.choice(of) for of in (NOUNS, VERBS, NOUNS)),
            rng.random() < noise,
        )
        for k in range(n)
    ]
    return parse_conllu("".join(text))


def test_the_first_sentence_takes_what_a_uniform_choice_takes() -> None:
    # before anything is learned: 3 candidates for the head of each word (the root and two words), 3 relations
    found = dependency_bits(treebank(1))
    assert found.head == pytest.approx([math.log2(3)] * 3)
    assert found.relation == pytest.approx([math.log2(3)] * 3)


def test_a_sentence_is_not_seen_before_it_is_predicted() -> None:
    one, other = treebank(30), treebank(30)
    order = np.random.default_rng(0).permutation(30)
    relations: dict[str, int] = {}
    text, _ = hashed_text(one, relations).reordered(order)
    whole = Follower(3).follow(text)
    part, _ = hashed_text(other, relations).reordered(order[:20])
    begun = Follower(3).follow(part)
    for now, before in zip(whole, begun, strict=True):
        assert now[: len(before)] == pytest.approx(before)


@pytest.mark.parametrize("lexical", [True, False])
def test_probabilities_of_all_heads_and_of_all_relations_sum_to_one(lexical: bool) -> None:
    corpus = treebank(20, noise=0.3)
    relations: dict[str, int] = {}
    text = hashed_text(corpus, relations, lexical=lexical)
    follower = Follower(len(relations), lexical)
    follower.follow(text)
    last, rows = text.reordered(np.array([19]))
    for word in range(3):
        total = 0.0
        for head in {0, 1, 2, 3} - {word + 1}:
            last.head[word] = head
            total += math.exp(follower.follow(last, learn=False)[0][word])
        last.head[:] = text.head[rows]
        assert total == pytest.approx(1, abs=1e-9)
        total = 0.0
        for relation in range(len(relations)):
            last.relation[word] = relation
            total += math.exp(follower.follow(last, learn=False)[1][word])
        last.relation[:] = text.relation[rows]
        assert total == pytest.approx(1, abs=1e-6)


def test_other_arcs_of_the_sentence_are_not_looked_at() -> None:
    text = hashed_text(treebank(20), {})
    follower = Follower(3)
    follower.follow(text)
    last, _ = text.reordered(np.array([3]))
    before = follower.follow(last, learn=False)[0][0]
    last.head[2] = 0
    assert follower.follow(last, learn=False)[0][0] == before


def test_noise_costs_bits_and_learning_saves_them() -> None:
    clean, noisy = (dependency_bits(treebank(300, noise=noise)) for noise in (0.0, 0.5))
    assert clean.per_arc < noisy.per_arc
    # each second object is a subject: two of three relations take one bit at least, the heads take nothing in the end
    assert noisy.relation[noisy.seen > 600].mean() == pytest.approx(2 / 3, abs=0.15)
    assert clean.bits[clean.seen > 600].mean() < 0.1


def test_folds_and_a_test_corpus() -> None:
    corpus = treebank(60, noise=0.2)
    folds = dependency_bits(corpus, settings=BitsSettings(folds=4))
    assert sorted(folds.row) == list(range(180))
    assert "folds:4" in folds.signature
    tested = dependency_bits(corpus, treebank(10), name="x")
    assert len(tested.row) == 30
    assert "train-test" in tested.signature
    assert math.isnan(tested.power_law().limit)
    with pytest.raises(OptionError, match="one of them"):
        dependency_bits(corpus, corpus, BitsSettings(folds=2))
    with pytest.raises(OptionError, match=r"expected 2\.\.60"):
        dependency_bits(corpus, settings=BitsSettings(folds=61))


def test_samples_of_so_many_words() -> None:
    found = dependency_bits(treebank(100, noise=0.2), settings=BitsSettings(words=60, samples=3))
    assert np.bincount(found.sample).tolist() == [60, 60, 60]
    assert found.spread > 0
    with pytest.raises(OptionError, match="300 words; expected 1,000 or more"):
        dependency_bits(treebank(100), settings=BitsSettings(words=1000))


def test_predicted_tags_and_no_words() -> None:
    corpus = treebank(60)
    by_tag = dependency_bits(corpus, settings=BitsSettings(tags="predicted"))
    assert by_tag.per_arc == pytest.approx(dependency_bits(corpus).per_arc, abs=0.5)
    assert "words:hidden" in dependency_bits(corpus, settings=BitsSettings(lexical=False)).signature


def test_the_interval_by_hand() -> None:
    # sentences of 1 and 3 words, 1 and 5 bits: B = 6/4; residuals 1 − 1.5, 5 − 4.5; 1.96 · √(2 · (.25 + .25)) / 4
    assert mean_interval(np.array([1.0, 1, 2, 2]), np.array([0, 1, 1, 1])) == pytest.approx(1.96 / 4)


def test_breakdowns_share_out_all_bits() -> None:
    found = dependency_bits(treebank(40, noise=0.3), name="toy")
    for by in GROUPS:
        table = grouped_table([found], by).records()
        assert sum(row["share"] for row in table) == pytest.approx(1)
        assert sum(row["arcs"] * row["bits_per_arc"] for row in table) == pytest.approx(found.bits.sum())
    assert {row["genre"] for row in grouped_table([found], "genre").records()} == {"news", "blog"}
    rows = sentences_table([found]).records()
    assert [row["sent_id"] for row in rows][:2] == ["blog-0", "news-1"]
    assert sum(row["bits"] for row in rows) == pytest.approx(found.bits.sum())


def test_a_power_law_is_found_again() -> None:
    words = np.geomspace(500, 50_000, 14)
    law = fit_power_law(words, 0.5 + 30 * words**-0.6, np.ones(14))
    assert (law.limit, law.scale, law.exponent) == pytest.approx((0.5, 30, 0.6), rel=1e-6)
    after = law.words_to_halve(50_000)
    assert law.at(after) - 0.5 == pytest.approx((law.at(50_000) - 0.5) / 2)
    assert math.isnan(fit_power_law(words[:3], words[:3], words[:3]).limit)


def test_windows_of_the_curve_hold_every_arc_after_the_first_words() -> None:
    found = dependency_bits(treebank(600, noise=0.2))
    rows = curve_table([found]).records()
    late = (found.seen >= 500) & (found.seen < found.seen.max())
    assert sum(row["arcs"] for row in rows) in (late.sum(), late.sum() + 3)
    assert [row["words_seen"] for row in rows] == sorted(row["words_seen"] for row in rows)
    mean = sum(row["arcs"] * row["bits_per_arc"] for row in rows) / sum(row["arcs"] for row in rows)
    assert mean == pytest.approx(found.bits[late].mean(), abs=0.01)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["weblog-1", "weblog-2", "email-1", "email-2"], ["weblog", "weblog", "email", "email"]),
        (["GUM_news_1", "GUM_news_2", "GUM_bio_x", "GUM_bio_y"], ["news", "news", "bio", "bio"]),
        (["1", "2", "3"], None),
        (["s1", "s2"], None),
    ],
)
def test_names_tell_genres(names: list[str], told: list[str] | None) -> None:
    assert genres(names) == told


def test_names_of_treebanks_and_families() -> None:
    assert treebank_name("ud/el_gdt/train.conllu.xz") == "el_gdt"
    assert treebank_name("en_ewt-ud-dev.conllu") == "en_ewt"
    assert family("tr_imst") == "Turkic"
    assert family("mine") == "other"


def test_the_kernel_interpreted_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    import treegauge.models.choice.prequential as following

    corpus = treebank(6, noise=0.3)
    compiled = dependency_bits(corpus)
    path = Path(following.__file__).with_name("choice_kernel.py")
    spec = importlib.util.spec_from_file_location("plain_choice_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.Chooser is not Chooser
    monkeypatch.setattr(following, "Chooser", module.Chooser)
    plain = dependency_bits(corpus)
    assert plain.head == pytest.approx(compiled.head, rel=1e-5)
    assert plain.relation == pytest.approx(compiled.relation, rel=1e-5)
