"""Reading for evaluation: blocks, lines, spaces, enhanced arcs; files, folders and corpora; what it costs."""

import tracemalloc
from dataclasses import fields
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.eval_cases import assert_same_scores, line, ours, sentence, theirs
from tests.evaluation.eval_strategies import CHARS, pair, treebank
from treegauge.corpus import conllu
from treegauge.corpus.compare.align import ZS
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.attachment.evaluation import Evaluations, evaluate, read_side


def same(a, b):
    """Whether two corpora or their layers are equal in every field but the labels' order."""
    for field in fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if isinstance(x, np.ndarray):
            assert np.array_equal(x, y), field.name
            assert x.dtype == y.dtype, field.name
        elif field.name == "layers":
            same(a.tokens, b.tokens)
            assert (a.enhanced is None) == (b.enhanced is None)
            if a.enhanced is not None:
                same(a.enhanced, b.enhanced)
        elif field.name == "checked":
            assert a.is_checked == b.is_checked
        elif field.name == "codes":
            assert all(np.array_equal(x[column], y[column]) for column in x)
        else:
            assert x == y, field.name


def test_blocks_of_any_size_give_the_same_corpus(tmp_path):
    path = tmp_path / "text.conllu"

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.text(st.sampled_from(CHARS), min_size=1, max_size=8).flatmap(treebank), min_size=1, max_size=5))
    def check(texts):
        path.write_text("".join(texts))
        whole = read_side(path)
        for size in (1, 100, 333):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(conllu, "stream_conllu", partial(stream_conllu, block=size))
                same(read_side(path), whole)

    check()


def test_tokens_words_lines_and_ids(tmp_path):
    path = tmp_path / "text.conllu"
    path.write_text(
        "\n# a comment\n# sent_id = one\n"
        + "\n".join(
            [
                line("1-2", "du"),
                line(1, "de", 0, "root"),
                line(2, "le", 1, "det"),
                line("2.1", "x"),
                line(3, "a b", 1, "obj"),
            ]
        )
        + "\n\n\n"
        + sentence(("c", 0, "root"))
    )
    for found in (read_side(path), read_conllu(path)):
        tokens = found.tokens
        assert tokens.forms(0, 9) == ["du", "ab", "c"]
        assert [found.where(int(s), int(k)) for s, k in zip([0, 0, 1], tokens.line, strict=True)] == [
            f"{path}:{n}" for n in (4, 8, 11)
        ]
        assert tokens.multiword.tolist() == [1, 0, 0]
        assert tokens.of_word.tolist() == [0, 0, 1, 2]
        assert tokens.start.tolist() == [0, 2, 3]
        assert found.head_row.tolist() == [-1, 0, 0, -1]
        assert [found.place(s) for s in range(2)] == ["sentence 1 (one)", "sentence 2"]
        assert found.enhanced is None


def test_every_space_of_unicode_is_left_out_and_nothing_else(tmp_path):
    import unicodedata

    spaces = {chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) == "Zs"}
    assert set(map(chr, ZS)) == spaces
    near = {chr(ord(c) + d) for c in spaces for d in (-1, 1)} - spaces
    others = [c for c in sorted(near | set("éß한€😀")) if unicodedata.category(c)[0] != "C" and c not in "\t\n\r"]
    path = tmp_path / "text.conllu"
    path.write_text(sentence(("a" + "".join(sorted(spaces)) + "".join(others) + "b", 0, "root")))
    assert read_side(path).tokens.chars.tobytes().decode() == "a" + "".join(others) + "b"


def test_enhanced_arcs_are_read_as_written(tmp_path):
    path = tmp_path / "text.conllu"
    path.write_text(
        sentence(
            ("a", 0, "root", {"deps": "0:root|2:conj:en>obl:voor"}),
            ("b", 1, "obj", {"deps": "1.1:x|1:obj"}),
            ("c", 1, "obj"),
        )
    )
    found = read_side(path).enhanced
    assert found.start.tolist() == [0, 2, 3, 3]
    assert found.head.tolist() == [0, 2, 1]
    paths = found.paths.tobytes().decode()
    assert [paths[a:b] for a, b in zip(found.path_start, found.path_start[1:], strict=False)] == [
        "root",
        "conj:en>obl:voor",
        "obj",
    ]


def test_files_folders_several_paths_and_corpora_score_the_same(tmp_path):
    texts = {"a": (sentence(("x", 0, "root"), ("y", 1, "obj")), sentence(("x", 0, "root"), ("y", 1, "nsubj")))}
    texts["b"] = (sentence(("z", 0, "root")), sentence(("z", 0, "root")))
    for k, side in enumerate(("gold", "system")):
        (tmp_path / side).mkdir()
        for name, both in texts.items():
            (tmp_path / side / f"{name}.conllu").write_text(both[k])
    gold, system = tmp_path / "gold", tmp_path / "system"
    whole = evaluate(gold, system)
    assert (whole["LAS"].correct, whole["LAS"].gold) == (2, 3)
    assert whole.system.path == str(system)
    lists = [sorted(side.glob("*.conllu")) for side in (gold, system)]
    corpora = [read_conllu(side) for side in (gold, system)]
    for other in (evaluate(*lists), evaluate(*corpora), evaluate(str(gold / "*.conllu"), corpora[1])):
        assert np.array_equal(other.counts, whole.counts)
    several = evaluate(gold, system, gold)
    assert isinstance(several, Evaluations)
    assert [result["LAS"].f1 for result in several] == [2 / 3, 1]
    assert several.table().names == ["metric", "system", "gold"]
    assert len(several[:1]) == 1
    assert len(several.long_table().rows) == 2 * len(whole.scores)


@settings(max_examples=40, deadline=None)
@given(pair())
def test_corpora_score_as_their_files(texts):
    assert_same_scores(evaluate(*map(parse_conllu, texts)), theirs(*texts))


def test_some_sentences_score_as_a_file_of_them(tmp_path):
    gold = [sentence(("a", 0, "root"), ("b", 1, "obj"), sent_id=k) for k in range(1, 5)]
    system = [sentence(("a", 0, "root"), ("b", 1, "obj" if k % 2 else "obl"), sent_id=k) for k in range(1, 5)]
    whole = [parse_conllu("".join(side)) for side in (gold, system)]
    odd = evaluate(*(corpus.select([0, 2]) for corpus in whole))
    assert odd["LAS"].f1 == 1
    assert np.array_equal(odd.counts, ours("".join(gold[::2]), "".join(system[::2])).counts)
    assert evaluate(*whole)["LAS"].f1 == 6 / 8


def test_a_place_of_a_second_file_is_named_by_file_and_line(tmp_path):
    good = sentence(("a", 0, "root"))
    (tmp_path / "a.conllu").write_text(good)
    (tmp_path / "b.conllu").write_text(good + "# sent_id = odd\n" + sentence(("b", 0, "root", {"deps": "7:x"})))
    with pytest.raises(CorpusError, match=r"b\.conllu:4: sentence \d+ \(odd\): head of the enhanced"):
        evaluate(tmp_path, tmp_path)
    corpus = read_conllu(tmp_path).select([2])
    with pytest.raises(CorpusError, match=r"b\.conllu:4: sentence \d+ \(odd\): head of the enhanced"):
        evaluate(corpus, corpus)
    assert evaluate(corpus, corpus, enhanced=False)["LAS"].f1 == 1
    with pytest.raises(CorpusError, match=r"<text>:1: sentence 1: form '\\u3000'; expected a character"):
        evaluate(parse_conllu(sentence(("\u3000", 0, "root"))), corpus, enhanced=False)


def test_what_cannot_be_evaluated_is_our_error(tmp_path):
    gold = parse_conllu(sentence(("a", 0, "root")))
    with pytest.raises(CorpusError, match="word 1 has no head; expected a word of the sentence"):
        evaluate(gold, parse_conllu(line(1, "a") + "\n\n", trees=False))
    with pytest.raises(OptionError, match="column 'upos' was not read"):
        evaluate(gold, parse_conllu(sentence(("a", 0, "root")), columns=("form", "deprel")))
    (tmp_path / "gold.conllu").write_text(sentence(("a", 0, "root")))
    light = evaluate(tmp_path / "gold.conllu", gold).gold
    for use in (lambda: light.select([0]), lambda: light.sentence_text(0), light.own_text):
        with pytest.raises(CorpusError, match="its text was let go"):
            use()


def test_one_long_form_costs_no_memory():
    words = [("a" if k else "b" * 1000, k, "obj" if k else "root") for k in range(2000)]
    gold, system = (parse_conllu(sentence(*words) * 20) for _ in range(2))
    assert isinstance(gold, Corpus)
    tracemalloc.start()
    assert right_arcs(gold, system).all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * gold.n_words  # a matrix of all forms takes 4,000 bytes a word


def test_words_without_a_head_are_not_attached(tmp_path):
    gold = parse_conllu(sentence(("a", 0, "root"), ("b", 1, "obj"), ("c", 2, "case")))
    text = line(1, "a", 0, "root") + "\n" + line(2, "b") + "\n" + line(3, "c", 2, "case") + "\n\n"
    scores = evaluate(gold, parse_conllu(text, trees=False), partial=True)
    assert (scores["UAS"].correct, scores["UAS"].gold, scores["UAS"].system) == (2, 3, 3)
    assert scores["LAS"].correct == 2
    whole = evaluate(gold, gold, partial=True)
    assert whole["LAS"].f1 == 1
