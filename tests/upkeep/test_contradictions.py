"""Contradictions: the same words annotated otherwise, rare lemmas and splits, spaces, and graphs against trees."""

from pathlib import Path

import pytest

from treegauge import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.upkeep.codes import KINDS
from treegauge.upkeep.contradictions import contradictions

DOCS = Path(__file__).parents[2] / "docs"
FORMS = ["please", "send", "me", "the", "file", "today"]


def sentence(forms: list[str], name: str = "", **changes: str) -> str:
    """Every word hangs on the one before; changes: `w3_upos="ADV"`."""
    lines = [f"# sent_id = {name}"] if name else []
    for k, form in enumerate(forms, 1):
        values = {"lemma": form, "upos": "X", "xpos": "_", "feats": "_", "head": str(k - 1), "deps": "_", "misc": "_"}
        values["deprel"] = "root" if k == 1 else "dep"
        values |= {key.partition("_")[2]: value for key, value in changes.items() if key.startswith(f"w{k}_")}
        order = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
        lines.append("\t".join([str(k), form, *(values[column] for column in order)]))
    return "\n".join(lines) + "\n\n"


def found(corpus: Corpus, code: str) -> list[tuple[str, int, str]]:
    ones = contradictions(corpus, {code})
    return [(corpus.sent_id(int(corpus.sentence[one.row])), int(corpus.position[one.row]), one.message) for one in ones]


def test_five_words_that_are_annotated_otherwise_once() -> None:
    text = "".join(sentence([*FORMS, f"n{k}"], f"s{k}") for k in range(6)) + sentence(
        [*FORMS, "n"], "odd", w4_upos="ADV"
    )
    places = [place[:2] for place in found(parse_conllu(text), "TG901")]
    assert places == [("odd", 4)]
    assert found(parse_conllu(text), "TG901")[0][2].endswith("has here upos ADV and not X, as in 6 of 7 places")
    half = "".join(sentence([*FORMS, f"n{k}"], f"s{k}", w4_upos="XY"[k % 2]) for k in range(8))
    assert found(parse_conllu(half), "TG901") == []


def test_a_sentence_that_occurs_again(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(sentence(FORMS, "a") + sentence(FORMS[:3], "short"))
    (tmp_path / "test.conllu").write_text(sentence(FORMS, "b", w2_lemma="sent") + sentence(FORMS[:3], "short2"))
    corpus = read_conllu(tmp_path / "train.conllu", tmp_path / "test.conllu")
    assert [place[:2] for place in found(corpus, "TG902")] == [("b", 2)]
    assert "lemma sent and not send" in found(corpus, "TG902")[0][2]
    ((name, word, message),) = found(corpus, "TG903")
    assert (name, word) == ("b", 1)
    assert "train.conllu:1 (sentence 1 (a))" in message


def test_a_lemma_against_nearly_all_others() -> None:
    text = "".join(sentence(["went"], f"s{k}", w1_lemma="go") for k in range(30))
    corpus = parse_conllu(text + sentence(["went"], "odd", w1_lemma="wend") + sentence(["went"], "other", w1_upos="Y"))
    ((name, word, message),) = found(corpus, "TG904")
    assert (name, word, message) == (
        "odd",
        1,
        "lemma wend and not go, as 30 of 31 words of this form, tag and features have",
    )


def test_a_multiword_token_that_is_split_otherwise() -> None:
    usual, odd = sentence(["de", "le"], "{}"), sentence(["d", "ule"], "odd")
    usual, odd = (text.replace("\n1\t", "\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\t") for text in (usual, odd))
    corpus = parse_conllu("".join(usual.format(f"s{k}") for k in range(40)) + odd)
    assert [place[:2] for place in found(corpus, "TG905")] == [("odd", 1)]
    assert "'du' is split into d + ule and not de + le, as 40 of 41 times" in found(corpus, "TG905")[0][2]


def test_tokens_that_do_not_make_the_text() -> None:
    good = "# text = hello world\n" + sentence(["hello", "world"], "good")
    tight = "# text = helloworld\n" + sentence(["hello", "world"], "tight")
    right = "# text = helloworld\n" + sentence(["hello", "world"], "right", w1_misc="SpaceAfter=No")
    assert [place[:2] for place in found(parse_conllu(good + tight + right), "TG906")] == [("tight", 1)]


def graph(**changes: str) -> str:
    """`cats of Rome want to sleep`, with an enhanced graph."""
    heads = {"w1_head": "4", "w1_deprel": "nsubj", "w1_deps": "4:nsubj|6:nsubj", "w2_head": "3", "w2_deprel": "case"}
    heads |= {"w2_deps": "3:case", "w3_head": "1", "w3_deprel": "nmod", "w3_deps": "1:nmod:of", "w4_head": "0"}
    heads |= {"w4_deprel": "root", "w4_deps": "0:root", "w5_head": "6", "w5_deprel": "mark", "w5_deps": "6:mark"}
    heads |= {"w6_head": "4", "w6_deprel": "xcomp", "w6_deps": "4:xcomp"}
    return sentence(["cats", "of", "Rome", "want", "to", "sleep"], changes.pop("name", "s"), **(heads | changes))


@pytest.mark.parametrize(
    ("code", "changes", "word"),
    [
        ("TG601", {"w4_deps": "5:dep"}, 4),
        ("TG602", {"w4_deps": "5:dep"}, 1),
        ("TG603", {"w3_deps": "1:nmod"}, 3),
        ("TG605", {"w1_deps": "4:nsubj"}, 1),
    ],
)
def test_graphs_that_lack_what_others_have(code: str, changes: dict[str, str], word: int) -> None:
    many = "".join(graph(name=f"s{k}") for k in range(30))
    assert found(parse_conllu(many), code) == []
    assert [place[:2] for place in found(parse_conllu(many + graph(name="odd", **changes)), code)] == [("odd", word)]


def test_a_conjunct_without_the_head_that_it_shares() -> None:
    both = {"w2_head": "1", "w2_deprel": "conj", "w1_deps": "0:root", "w2_deps": "0:root|1:conj"}
    text = "".join(sentence(["eat", "drink"], f"s{k}", **both) for k in range(30))
    corpus = parse_conllu(text + sentence(["eat", "drink"], "odd", **(both | {"w2_deps": "1:conj"})))
    assert [place[:2] for place in found(corpus, "TG604")] == [("odd", 2)]


def test_the_docs_list_every_code() -> None:
    text = (DOCS / "columns.md").read_text()
    for kind in KINDS.values():
        assert f"| `{kind.code}` | {kind.what} | {kind.name} | {kind.meaning} |" in text
