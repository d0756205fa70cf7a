"""Challenge sets: what is chosen, what is written, and that it can be made again."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees import corpora
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.challenge import challenge, read_manifest, rebuild, same_sentences
from treegauge.difficulty.challenge_choice import ChallengeOptions, bins_of_like_lengths, choose, fulfils, parse_bins
from treegauge.errors import CorpusError, OptionError
from treegauge.ranking.scored import Scored, score
from treegauge.scorers.registry import scorer
from treegauge.scorers.scorer import Scorer

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"


@pytest.fixture(scope="module")
def lisca() -> Scorer:
    return scorer("lisca", "en")


@pytest.fixture(scope="module")
def demo() -> Corpus:
    return read_conllu(DEMO)


@pytest.fixture(scope="module")
def scored(lisca: Scorer, demo: Corpus) -> Scored:
    return score(demo, lisca)


def test_chosen_arcs_fulfil_everything(demo: Corpus, scored: Scored) -> None:
    choice = ChallengeOptions(
        relations=("nsubj", "obj"), from_bins=(6, 10), conditions=("direction=head-before", "length>1")
    )
    found = choose(scored, choice)
    ranking = scored.rank("reliable", relations=["nsubj", "obj"])
    expected = [
        row
        for row, number in zip(ranking.row.tolist(), ranking.bin.tolist(), strict=True)
        if number >= 6 and 0 < demo.head[row] < demo.position[row] - 1
    ]
    assert found.rows.tolist() == sorted(expected)
    assert found.sentences.tolist() == sorted({int(demo.sentence[row]) for row in expected})
    assert len(expected) > 0


def test_the_default_is_the_hardest_or_easiest_fifth(demo: Corpus, scored: Scored) -> None:
    assert ChallengeOptions().bin_range == (9, 10)
    assert ChallengeOptions(easy=True).bin_range == (1, 2)
    assert ChallengeOptions(bins=3).bin_range == (3, 3)
    hard = choose(scored, ChallengeOptions())
    assert set(hard.bin[hard.rows]) == {9, 10}


def test_whole_sentences_by_their_mean_score(demo: Corpus, scored: Scored) -> None:
    means = [scored.scores[demo.start[s] : demo.start[s + 1]].mean() for s in range(demo.n_sentences)]
    assert scored.sentence_scores == pytest.approx(means)
    hardest = choose(scored, ChallengeOptions(unit="sentence", bins=1, n=3, pick="extreme"))
    assert hardest.sentences.tolist() == sorted(np.argsort(means)[:3].tolist())
    easiest = choose(scored, ChallengeOptions(unit="sentence", easy=True, bins=1, n=3, pick="extreme"))
    assert easiest.sentences.tolist() == sorted(np.argsort(means)[::-1][:3].tolist())
    assert len(hardest.rows) == 0


def test_every_arc_can_be_asked_to_be_easy(demo: Corpus, scored: Scored) -> None:
    found = choose(scored, ChallengeOptions(easy=True, from_bins=(1, 9), every_arc=True))
    bins = scored.rank("corpus").bin
    clean = [s for s in range(demo.n_sentences) if bins[demo.start[s] : demo.start[s + 1]].max() <= 9]
    assert found.sentences.tolist() == clean
    assert 0 < len(clean) < demo.n_sentences


def test_draws_repeat_and_differ_by_seed(demo: Corpus, scored: Scored) -> None:
    draws = [
        choose(scored, ChallengeOptions(from_bins=(5, 10), n=4, seed=seed)).sentences.tolist() for seed in (1, 1, 2, 3)
    ]
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) > 1
    assert all(len(draw) == 4 and draw == sorted(draw) for draw in draws)


def test_extremes_are_the_sentences_with_the_worst_arcs(demo: Corpus, scored: Scored) -> None:
    found = choose(scored, ChallengeOptions(n=2, pick="extreme"))
    worst = [int(demo.sentence[row]) for row in np.argsort(scored.scores, kind="stable")]
    assert found.sentences.tolist() == sorted(list(dict.fromkeys(worst))[:2])


def test_a_balanced_set_has_as_many_of_each_class(demo: Corpus, scored: Scored) -> None:
    choice = ChallengeOptions(relations=("nsubj", "obj", "obl"), from_bins=(1, 10), n=7, balance="relation")
    found = choose(scored, choice)
    hardest = {}
    for row in found.rows.tolist():
        s = int(demo.sentence[row])
        if s not in hardest or found.rank[row] < found.rank[hardest[s]]:
            hardest[s] = row
    classes = [demo.value("deprel", row).partition(":")[0] for row in hardest.values()]
    assert len({classes.count(name) for name in classes}) == 1
    assert len(classes) <= 7
    with pytest.raises(OptionError, match="expected one of each"):
        choose(scored, ChallengeOptions(from_bins=(1, 10), n=1, balance="relation"))


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("length>2", [4, 13, 16]),
        ("signed_length<-2", [13, 16]),
        ("upos=PRON", [15]),
        ("relation = nsubj", [0, 4, 13]),
        ("children>=3", [1, 10, 13]),
        ("depth!=1", [1, 5, 6, 7, 10, 11, 12, 14, 15]),
    ],
)
def test_conditions(condition: str, rows: list[int]) -> None:
    corpus = read_conllu(DATA / "difficulty_gold.conllu")
    assert np.flatnonzero(fulfils(corpus, condition)).tolist() == rows


@pytest.mark.parametrize("condition", ["length", "length~5", "colour=red", "length>x", "upos>NOUN", ""])
def test_wrong_conditions_are_refused(condition: str) -> None:
    with pytest.raises(OptionError, match="expected"):
        fulfils(read_conllu(DATA / "difficulty_gold.conllu"), condition)


def test_bins_as_text() -> None:
    assert parse_bins("9-10") == (9, 10)
    assert parse_bins(" 4 ") == (4, 4)
    for text in ("", "a", "1-", "1-2-3"):
        with pytest.raises(OptionError, match="expected a number or a range"):
            parse_bins(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"from_bins": (0, 3)},
        {"from_bins": (9, 11)},
        {"from_bins": (5, 4)},
        {"unit": "word"},
        {"pick": "best"},
        {"balance": "length"},
        {"n": 0},
        {"unit": "sentence", "relations": ("nsubj",)},
        {"unit": "sentence", "balance": "relation"},
    ],
)
def test_wrong_choices_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        ChallengeOptions(**wrong)  # type: ignore[arg-type]


def test_nothing_to_choose_is_said(demo: Corpus, scored: Scored) -> None:
    with pytest.raises(OptionError, match=r"no sentence of .* bins 9-10 of 10; length>99"):
        choose(scored, ChallengeOptions(conditions=("length>99",)))


def test_the_set_is_the_source_but_for_marks(lisca: Scorer, tmp_path: Path) -> None:
    corpus = read_conllu(DATA / "difficulty_gold.conllu")
    made = challenge(corpus, lisca, ChallengeOptions(relations=("nsubj",), from_bins=(7, 7)))
    content, manifest = made.content, made.manifest
    # three nsubj arcs are in bins 1, 4 and 7: the worst is chosen
    assert manifest["set"]["chosen_arcs"] == manifest["set"]["sentences"] == 1
    (record,) = manifest["sentences"]
    (arc,) = record["arcs"]
    assert (arc["rank"], arc["of"], arc["bin"]) == (1, 3, 7)
    assert len(arc["reasons"]) > 0
    lines = content.decode().splitlines()
    marked = [line for line in lines if "Challenge=7" in line]
    assert len(marked) == 1
    assert marked[0].startswith(f"{arc['id']}\t")
    file = tmp_path / "set.conllu"
    file.write_bytes(content)
    assert read_conllu(file).sent_id(0) == record["sent_id"]
    source = corpus.sentence_text(int(np.flatnonzero(corpus.number == record["sentence"])[0])) + b"\n\n"
    assert content.replace(b"|Challenge=7", b"").replace(b"Challenge=7", b"_") == source


@pytest.mark.parametrize(
    "name", ["dos_line_ends", "no_final_newline", "multiword_and_empty", "byte_order_mark", "plain"]
)
def test_odd_files_give_valid_sets(lisca: Scorer, tmp_path: Path, name: str) -> None:
    corpus = read_conllu(DATA / f"{name}.conllu")
    made = challenge(corpus, lisca, ChallengeOptions(from_bins=(1, 10)))
    content, manifest = made.content, made.manifest
    file = tmp_path / "set.conllu"
    file.write_bytes(content)
    again = read_conllu(file)
    assert (again.n_sentences, again.n_words) == (corpus.n_sentences, corpus.n_words)
    assert again.head.tolist() == corpus.head.tolist()
    assert rebuild(corpus, manifest) == content
    assert content.endswith(b"\r\n\r\n" if name == "dos_line_ends" else b"\n\n")


@given(corpora(least=2), st.booleans(), st.integers(0, 3))
def test_a_manifest_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, text: str, easy: bool, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("c")
    (folder / "c.conllu").write_text(text, encoding="utf-8")
    corpus = read_conllu(folder / "c.conllu")
    choice = ChallengeOptions(easy=easy, from_bins=(1, 10), n=2, seed=seed)
    made = challenge(corpus, "en", choice)
    content, manifest = made.content, made.manifest
    (folder / "m.json").write_text(json.dumps(manifest))
    assert rebuild(corpus, read_manifest(str(folder / "m.json"))) == content
    part = corpus.own_text()
    assert [part.line_text(w) for w in range(part.n_words)] == [corpus.line_text(w) for w in range(corpus.n_words)]


def test_another_source_or_a_changed_manifest_is_refused(lisca: Scorer, tmp_path: Path) -> None:
    gold, system = (read_conllu(DATA / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    manifest = challenge(gold, lisca, ChallengeOptions(from_bins=(1, 10), n=2)).manifest
    with pytest.raises(CorpusError, match="the manifest's source, difficulty_gold"):
        rebuild(system, manifest)
    with pytest.raises(CorpusError, match="was the manifest changed"):
        rebuild(gold, {**manifest, "sentences": manifest["sentences"][:1]})
    with pytest.raises(OptionError, match="was changed"):
        rebuild(gold, {**manifest, "sentences": [{"sentence": 99, "arcs": []}]})
    (tmp_path / "m.json").write_text("{}")
    with pytest.raises(OptionError, match="no manifest of a challenge set"):
        read_manifest(str(tmp_path / "m.json"))


def test_the_same_sentences_of_another_annotation(lisca: Scorer) -> None:
    gold, system = (read_conllu(DATA / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    manifest = challenge(gold, lisca, ChallengeOptions(from_bins=(1, 10))).manifest
    assert same_sentences(system, manifest) == system.text.tobytes()
    with pytest.raises(CorpusError, match="the manifest's source has 3"):
        same_sentences(read_conllu(DATA / "plain.conllu"), manifest)


def test_sentences_can_be_compared_with_others_of_their_length() -> None:
    rng = np.random.default_rng(4)
    length = rng.integers(2, 40, 900)
    scores = -length * 0.5 + rng.normal(size=900)
    scores[3] = np.nan
    bins = bins_of_like_lengths(length, scores, 5)
    assert bins[3] == 0
    assert np.bincount(bins)[1:].min() > 150
    hardest, easiest = length[bins == 5].mean(), length[bins == 1].mean()
    assert abs(hardest - easiest) < 2
    for low in (5, 20, 35):
        near = (abs(length - low) <= 1) & (bins > 0)
        assert scores[near & (bins == 1)].mean() > scores[near & (bins == 5)].mean()
    with pytest.raises(OptionError, match="match_length with unit 'arc'; expected sentence"):
        ChallengeOptions(match_length=True)
