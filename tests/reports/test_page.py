"""The page without a browser: what its data say, that nothing in a corpus becomes markup, tables by definition."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring import scored
from tests.trees import corpora, sentence_text
from treegauge import Corpus, Model, build_model, read_conllu, score, scorer
from treegauge.corpus.compare.comparison import Unmatched, right_arcs
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.tokens import multiword_tokens
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reasons import usual_arcs
from treegauge.reports.page import OtherRanking, Page, as_json, report
from treegauge.reports.page_tables import bin_table, relation_table

NASTY = "</script><script>document.title='run'</script><!--<img src=x onerror=alert(1)>&amp;"


class Parts(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


def corpus_of(text: str, folder: Path) -> Corpus:
    path = folder / "corpus.conllu"
    path.write_text(text)
    return read_conllu(path)


def page_of(corpus: Corpus, **options: Any) -> Page:
    return Page("a title", score(corpus, scorer("lisca", "en")), **options)


@pytest.fixture(scope="module")
def demo() -> Corpus:
    import treegauge

    return read_conllu(Path(treegauge.__file__).parent / "demo" / "demo.conllu")


@pytest.fixture(scope="module")
def pair(data: Path) -> tuple[Corpus, Corpus]:
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    return gold, system


def test_the_data_say_what_the_corpus_and_the_ranking_say(demo: Corpus) -> None:
    page = page_of(demo)
    data = json.loads(Parts(page.html()).scripts[0])
    ranking = page.scored.rank()
    assert data["order"] == ranking.row.tolist()
    assert data["n_ranked"] == demo.n_words
    for row in range(demo.n_words):
        for column in ("form", "upos", "deprel"):
            assert data["labels"][column][data[column][row]] == demo.value(column, row)
    assert data["head"] == demo.head.tolist()
    assert data["start"] == demo.start.tolist()
    assert data["sent_id"] == demo.sent_ids
    assert data["score"] == [round(100 * score) for score in page.scored.scores.tolist()]
    why = page.scored.explain(ranking.row)
    assert data["n_reasons"] == demo.n_words
    for arc in why:
        said = [(reason.feature, reason.text) for reason in arc.reasons]
        assert [(feature, text) for feature, _, text in data["reasons"][str(arc.row)][0]] == said


@pytest.fixture(scope="module")
def mistagged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Corpus, Model]:
    """A text, the same with two wrong tags, and a model that knows better."""
    rows = [[2, 0, 2, 2] for _ in range(12)]
    words = [[f"n{k % 3}", f"v{k % 4}", f"n{k % 2}", "."] for k in range(12)]
    relations = ["nsubj", "root", "obj", "punct"]
    text = "".join(
        sentence_text(heads, ["NOUN", "VERB", "NOUN", "PUNCT"], relations, forms, f"s{k}")
        for k, (heads, forms) in enumerate(zip(rows, words, strict=True))
    )
    right = corpus_of(text, tmp_path_factory.mktemp("right"))
    wrong = text.replace("1\tn1\tn1\tNOUN", "1\tn1\tn1\tVERB", 1).replace("2\tv3\tv3\tVERB", "2\tv3\tv3\tNOUN", 1)
    return right, corpus_of(wrong, tmp_path_factory.mktemp("wrong")), build_model(right)


def test_suspicious_tags_are_those_of_the_ranking_of_tags(mistagged: tuple[Corpus, Corpus, Model]) -> None:
    right, wrong, model = mistagged
    page = Page("t", score(wrong, scorer("choice", model)), gold=right)
    table = page.data()["tag_table"]
    ranked = score(wrong, scorer("tags", model)).rank().row.tolist()
    assert table["place"] == ranked[:2]
    assert {wrong.value("form", row) for row in ranked[:2]} == {"n1", "v3"}
    for row, place in zip(table["rows"], table["place"], strict=True):
        form, tag, own, rather, other, golden, context, name = row
        assert (form, tag) == (wrong.value("form", place), wrong.value("upos", place))
        assert rather == golden == right.value("upos", place)
        assert own < 0.5 < other
        assert " ".join(context).split() == wrong.forms(int(wrong.sentence[place]))
        assert name == wrong.sent_id(int(wrong.sentence[place]))
    assert '<section id="tags"' in page.html()
    assert "gold" not in [name for name, _ in replace(page, gold=None).data()["tag_table"]["columns"]]


def test_tags_of_sentences_that_are_not_in_the_page_lead_nowhere(mistagged: tuple[Corpus, Corpus, Model]) -> None:
    _, wrong, model = mistagged
    page = Page("t", score(wrong, scorer("choice", model)), top=1)
    here = set(page.data()["sent_id"])
    for row, place in zip(page.data()["tag_table"]["rows"], page.data()["tag_table"]["place"], strict=True):
        assert (place >= 0) == (row[-1] in here)


def test_a_scorer_that_knows_no_tags_shows_none(mistagged: tuple[Corpus, Corpus, Model]) -> None:
    page = Page("t", score(mistagged[1], scorer("lisca", mistagged[2])))
    assert page.data()["tag_table"] is None
    assert "tab-tags" not in page.html()


def test_a_corpus_judged_by_itself_has_its_tags_from_all_folds(mistagged: tuple[Corpus, Corpus, Model]) -> None:
    wrong = mistagged[1]
    by_choice, by_tags = (scorer(name, by_itself=wrong).tag_choices(wrong) for name in ("choice", "tags"))
    assert np.array_equal(by_choice.log_prob, by_tags.log_prob)
    assert np.array_equal(by_choice.other, by_tags.other)


def test_a_page_of_the_top_has_their_sentences_only(demo: Corpus) -> None:
    page = page_of(demo, top=3, reasons=2)
    data = page.data()
    worst = page.scored.rank(top=3).row
    sentences = sorted({int(demo.sentence[row]) for row in worst})
    assert data["sent_id"] == [demo.sent_id(s) for s in sentences]
    assert data["n_ranked"] == demo.n_words
    assert len(data["reasons"]) == 2
    for place, row in zip(data["order"], worst.tolist(), strict=True):
        assert data["labels"]["form"][data["form"][place]] == demo.value("form", row)
        assert data["head"][place] == demo.head[row]
    assert set(data["reasons"]) == set(data["order"][:2])


def test_what_is_in_a_corpus_never_becomes_markup(tmp_path: Path, demo: Corpus) -> None:
    text = sentence_text([2, 0], ["NOUN", "VERB"], [NASTY, "obj"], [NASTY, "x"], NASTY)
    text = text.replace("1\t", f"1-2\t{NASTY}\t_\t_\t_\t_\t_\t_\t_\t_\n1\t", 1)
    nasty = corpus_of(text, tmp_path)
    page = replace(page_of(nasty), title=NASTY)
    parts, plain = Parts(page.html()), Parts(page_of(demo).html())
    assert [tag for tag, _ in parts.elements].count("script") == 2
    assert "img" not in dict(parts.elements)
    extra = {"dt", "dd"}
    assert [e for e, _ in parts.elements if e not in extra] == [e for e, _ in plain.elements if e not in extra]
    assert "<" not in parts.scripts[0]
    data = json.loads(parts.scripts[0])
    assert NASTY in data["labels"]["form"]
    assert NASTY in data["labels"]["deprel"]
    assert data["sent_id"] == [NASTY]
    assert data["tokens"] == [[0, 1, 2, NASTY]]
    assert parts.scripts[1] == plain.scripts[1]


@given(st.text())
def test_json_in_a_script_comes_out_as_it_went_in(text: str) -> None:
    written = as_json([text])
    assert json.loads(written) == [text]
    assert "<" not in written


def test_the_page_loads_nothing(demo: Corpus) -> None:
    parts = Parts(page_of(demo).html())
    for _, attributes in parts.elements:
        for name in ("src", "href", "action", "data"):
            assert (attributes.get(name) or "data:").startswith("data:")
    policy = next(a["content"] for tag, a in parts.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", parts.scripts[1])


def test_bins_and_relations_by_definition(pair: tuple[Corpus, Corpus]) -> None:
    gold, system = pair
    page = page_of(system)
    ranking = page.scored.rank(bins=4)
    right = right_arcs(gold, system)
    table = bin_table(ranking, right).records()
    for line in table:
        rows = [
            row for row, number in zip(ranking.row.tolist(), ranking.bin.tolist(), strict=True) if number == line["bin"]
        ]
        assert line["arcs"] == len(rows)
        assert line["accuracy"] == sum(right[row] for row in rows) / len(rows)
        assert line["lowest"] == min(page.scored.scores[row] for row in rows)
    assert sum(line["arcs"] for line in table) == system.n_words

    def name(corpus: Corpus, row: int) -> str:
        return corpus.value("deprel", row).split(":")[0]

    lines = {line["relation"]: line for line in relation_table(ranking, gold, right).records()}
    assert set(lines) == {name(c, w) for c in pair for w in range(c.n_words)}
    for relation, line in lines.items():
        here = [w for w in range(system.n_words) if name(system, w) == relation]
        there = [w for w in range(gold.n_words) if name(gold, w) == relation]
        both = [w for w in here if w in there and gold.head[w] == system.head[w]]
        assert line["F"] == 2 * len(both) / (len(here) + len(there))
        assert (line["arcs"], line["in gold"]) == (len(here), len(there))
        if here:
            assert line["mean score"] == pytest.approx(np.mean([page.scored.scores[w] for w in here]))
    best = max(lines.values(), key=lambda line: line["mean score"] if line["mean score"] is not None else -np.inf)
    assert best["rank by score"] == 1


def test_gold_and_another_parser_show_where_they_differ(pair: tuple[Corpus, Corpus]) -> None:
    gold, system = pair
    other = OtherRanking("gold again", score(gold, scorer("lisca", "en")))
    data = page_of(system, gold=gold, other=other).data()
    wrong = np.flatnonzero(~right_arcs(gold, system)).tolist()
    assert wrong
    for side in (data["gold"], data["other"]):
        assert side["row"] == wrong
        assert side["head"] == [int(gold.head[row]) for row in wrong]
        assert [data["labels"]["deprel"][code] for code in side["deprel"]] == [gold.value("deprel", r) for r in wrong]
    there = other.scored.rank("reliable")
    assert [data["other"]["rank"][row] for row in there.row.tolist()] == there.rank.tolist()
    here = page_of(system).scored.rank("reliable")
    mean = {line["relation"]: line["moved"] for line in _records(data["relation_table"])}
    rank_here = dict(zip(here.row.tolist(), here.rank.tolist(), strict=True))
    rank_there = dict(zip(there.row.tolist(), there.rank.tolist(), strict=True))
    moves = [rank_here[w] - rank_there[w] for w in rank_here if system.value("deprel", w) == "nsubj"]
    assert mean["nsubj"] == pytest.approx(np.mean(moves))


def test_gold_and_another_parser_may_have_other_words() -> None:
    system = _words("I 2 nsubj", "cannot 0 root", "go 2 xcomp")
    gold = _words("I 2 nsubj", "can 0 root", "not 2 advmod", "go 1 xcomp")
    other = OtherRanking("gold again", score(gold, scorer("lisca", "en")))
    page = page_of(system, gold=gold, other=other)
    data = page.data()
    assert page.left_out == {"<text>": Unmatched(other=2, corpus=1)}
    assert data["gold"]["left_out"] == [1]
    for side in (data["gold"], data["other"]):
        assert (side["row"], side["head"]) == ([0, 2], [-1, 1])  # the head of the first is `can`, which is not there
    there = other.scored.rank("reliable")
    ranks = dict(zip(there.row.tolist(), there.rank.tolist(), strict=True))
    assert data["other"]["rank"] == [ranks[0], None, ranks[3]]
    assert "0.00 %" in page.html()
    assert sum(line["arcs"] for line in _records(data["bin_table"])) == 3


def test_the_other_parse_is_right_where_its_sentences_are_longer() -> None:
    gold = _words("I 2 nsubj", "go 0 root", "home 2 advmod")
    system = parse_conllu("".join(f"1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for form in ("I", "go", "home")))
    other = OtherRanking("gold again", score(gold, scorer("lisca", "en")))
    assert page_of(system, gold=gold, other=other).data()["other"]["right"] == [0, 1, 2]


def test_there_is_no_accuracy_if_gold_has_none_of_the_words() -> None:
    page = page_of(_words("cannot 0 root"), gold=_words("can 0 root", "not 1 advmod"))
    assert "<p>1 sentence, 1 arc</p>" in page.html()


def test_two_parsers_are_compared_only_by_gold_and_with_trees_of_their_own(pair: tuple[Corpus, Corpus]) -> None:
    gold, system = pair
    of_gold, of_system = (OtherRanking("x", score(side, scorer("lisca", "en"))) for side in pair)
    assert page_of(system, gold=gold, other=of_gold).data()["parser_table"]["rows"]
    same = OtherRanking("another model", score(system, scorer("length")))
    for page in (page_of(system, gold=gold), page_of(system, other=of_gold), page_of(system, gold=gold, other=same)):
        assert page.data()["parser_table"] is None
        assert "tab-parsers" not in page.html()
    assert page_of(gold, gold=gold, other=of_system).parsers[0]["LAS"].f1 == 1


def test_names_of_parsers_have_no_endings(tmp_path: Path, demo: Corpus) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "parse.conllu").write_bytes(demo.text.tobytes())
    paths = [tmp_path / folder / "parse.conllu" for folder in ("a", "b")]
    page = report(paths[0], "en", gold=demo, compare=paths[1])
    assert (page.name, page.other.title) == ("parse", "b/parse")


def _words(*words: str) -> Corpus:
    lines = [
        f"{k}\t{form}\t_\tX\t_\t_\t{head}\t{rel}\t_\t_\n"
        for k, (form, head, rel) in enumerate(map(str.split, words), 1)
    ]
    return parse_conllu("".join(lines) + "\n")


def _records(table: dict[str, Any]) -> list[dict[str, Any]]:
    names = [name for name, _ in table["columns"]]
    return [dict(zip(names, row, strict=True)) for row in table["rows"]]


def test_arcs_without_a_score_are_not_listed_and_zeros_are_null(demo: Corpus) -> None:
    data = Page("t", score(demo, scorer("length"))).data()
    assert sorted(data["order"]) == np.flatnonzero(demo.head > 0).tolist()
    assert data["reasons"] == {}
    assert data["usual"] is None
    zeros = np.where(np.arange(demo.n_words) < 5, -np.inf, -1.0)
    data = Page("t", scored(demo, zeros)).data()
    assert data["score"][:6] == [None] * 5 + [-100]
    assert len(data["order"]) == demo.n_words


@given(corpora())
def test_usual_arcs_are_shares_by_definition(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        corpus = corpus_of(text, Path(folder))
    usual = usual_arcs(count_arcs(corpus), most=99)
    arcs = []
    for row in range(corpus.n_words):
        first, head = int(corpus.start[corpus.sentence[row]]), int(corpus.head[row])
        above = corpus.value("upos", first + head - 1) if head else "ROOT"
        arcs.append((corpus.value("upos", row), above, corpus.value("deprel", row).split(":")[0]))
    for d, h, t in arcs:
        same_tags = [arc for arc in arcs if arc[:2] == (d, h)]
        same_relation = [arc for arc in arcs if arc[0] == d and arc[2] == t]
        assert dict(usual.relations[d, h])[t] == pytest.approx(same_tags.count((d, h, t)) / len(same_tags))
        assert dict(usual.heads[d, t])[h] == pytest.approx(same_relation.count((d, h, t)) / len(same_relation))
    for shares in (*usual.relations.values(), *usual.heads.values()):
        assert sum(share for _, share in shares) == pytest.approx(1)
        assert [share for _, share in shares] == sorted((share for _, share in shares), reverse=True)


def test_tokens_and_spaces_are_those_of_the_text(data: Path, tmp_path: Path) -> None:
    corpus = read_conllu(data / "multiword_and_empty.conllu")
    tokens = [(t.sentence, t.first, t.last, t.form) for t in multiword_tokens(corpus)]
    assert tokens == [(0, 1, 2, "Vedilo")]
    assert multiword_tokens(corpus.select([0])) == multiword_tokens(corpus)
    assert multiword_tokens(corpus.select([1])) == []
    lines = [
        "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "1\tdi\tdi\tADP\t_\t_\t3\tcase\t_\t_",
        "2\til\til\tDET\t_\t_\t3\tdet\t_\tA=B",
        "3\tcane\tcane\tNOUN\t_\t_\t0\troot\t_\tA=B|SpaceAfter=No",
        "4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=Nowhere",
    ]
    corpus = corpus_of("\n".join(lines) + "\n\n" + "\n".join(lines[1:]) + "\n\n", tmp_path)
    assert [t.form for t in multiword_tokens(corpus)] == ["del"]
    assert corpus.tokens.no_space.tolist() == [0, 1, 1, 0, 0, 0, 1, 0]


def test_tokens_of_left_out_sentences_are_left_out(tmp_path: Path) -> None:
    good = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    bad = "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\ta\ta\tX\t_\t_\t7\troot\t_\t_\n"
    bad += "2\tb\tb\tX\t_\t_\t1\tobj\t_\t_\n\n"
    (tmp_path / "x.conllu").write_text(good + bad + good)
    corpus = read_conllu(tmp_path / "x.conllu", on_error="skip")
    assert corpus.n_sentences == 2
    assert multiword_tokens(corpus) == []
    assert not corpus.tokens.no_space.any()
