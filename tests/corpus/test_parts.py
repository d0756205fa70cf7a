"""What a corpus says of its words, and corpora made of parts of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import corpora
from treegauge.corpus.conllu import as_corpus, parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import multiword_tokens
from treegauge.errors import CorpusError, OptionError

TEXT = """\
# sent_id = one
1-2\tdel gran\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdi\tdi\tADP\t_\t_\t3\tcase\t_\t_
2\til\til\tDET\t_\t_\t3\tdet:x\t_\t_
3\tcane\tcane\tNOUN\t_\t_\t0\troot\t_\tA=B|SpaceAfter=No

# sent_id = two
# text = no
1\tno\tno\tINTJ\t_\t_\t0\troot\t_\t_

# sent_id = three
1\tva\tva\tVERB\t_\t_\t0\troot\t_\t_
1.1\te\te\tX\t_\t_\t_\t_\t_\t_
2\tvia\tvia\tADV\t_\t_\t1\tadvmod\t_\tXSpaceAfter=No

"""


def columns(corpus: Corpus) -> list[list[Any]]:
    """Everything that is said of each word and sentence."""
    words = [
        (corpus.value("form", w), corpus.value("deprel", w), int(corpus.head[w]), corpus.line_text(w))
        for w in range(corpus.n_words)
    ]
    sentences = [(corpus.place(s), corpus.where(s), corpus.sentence_text(s)) for s in range(corpus.n_sentences)]
    return [words, sentences, np.diff(corpus.start).tolist()]


@settings(max_examples=60, deadline=None)
@given(text=corpora(), seed=st.integers(0, 9))
def test_some_sentences_are_those_of_the_corpus(text: str, seed: int) -> None:
    corpus = parse_conllu(text)
    mask = np.random.default_rng(seed).random(corpus.n_sentences) < 0.5
    part = corpus.select(mask)
    words, sentences, lengths = columns(corpus)
    kept = mask[corpus.sentence]
    assert columns(part) == [
        [word for word, one in zip(words, kept, strict=True) if one],
        [each for each, one in zip(sentences, mask, strict=True) if one],
        [n for n, one in zip(lengths, mask, strict=True) if one],
    ]
    assert columns(corpus.select(np.flatnonzero(mask)[::-1])) == columns(part)
    own = part.own_text()
    assert columns(own) == columns(part)
    assert own.text.tobytes() == b"".join(part.sentence_text(s) + b"\n\n" for s in range(part.n_sentences))
    assert columns(parse_conllu(own.text.tobytes()))[0] == columns(part)[0]
    assert (own.tokens.chars == part.tokens.chars).all()


@settings(max_examples=40, deadline=None)
@given(text=corpora(), seed=st.integers(0, 9))
def test_around_rows_are_their_sentences(text: str, seed: int) -> None:
    corpus = parse_conllu(text)
    rows = np.random.default_rng(seed).permutation(corpus.n_words)[:3]
    part, inside = corpus.around(rows)
    assert part.number.tolist() == sorted(set(corpus.number[corpus.sentence[rows]].tolist()))
    assert [part.line_text(w) for w in inside.tolist()] == [corpus.line_text(w) for w in rows.tolist()]
    assert part.number[part.sentence[inside]].tolist() == corpus.number[corpus.sentence[rows]].tolist()


@settings(max_examples=40, deadline=None)
@given(text=corpora())
def test_heads_lengths_and_relations_are_those_of_a_loop(text: str) -> None:
    corpus = parse_conllu(text)
    for s in range(corpus.n_sentences):
        for w in range(int(corpus.start[s]), int(corpus.start[s + 1])):
            head = int(corpus.head[w])
            row = -1 if head == 0 else int(corpus.start[s]) + head - 1
            assert corpus.head_row[w] == row
            assert corpus.arc_length[w] == (0 if head == 0 else abs(row - w))
    assert corpus.head_row.dtype == np.int32
    assert corpus.arc_length.dtype == np.int64
    for subtypes in (False, True):
        found = corpus.relations(subtypes)
        labels = [label if subtypes else label.partition(":")[0] for label in corpus.labels["deprel"]]
        assert found.names == tuple(dict.fromkeys(labels))
        assert [found.names[code] for code in found.codes] == [labels[code] for code in corpus.codes["deprel"]]


def test_a_column_that_was_not_read_is_our_error() -> None:
    corpus = parse_conllu(TEXT, columns=("form",))
    for column in (lambda: corpus.codes["xpos"], lambda: corpus.labels["xpos"], lambda: corpus.value("xpos", 0)):
        with pytest.raises(OptionError, match="column 'xpos' was not read; expected it among the columns of read"):
            column()
    assert "xpos" not in corpus.codes
    assert corpus.forms(0) == ["di", "il", "cane"]


def test_tokens_of_a_part_are_its_own() -> None:
    corpus = parse_conllu(TEXT)
    tokens = corpus.tokens
    assert tokens.forms(0, 9) == ["delgran", "cane", "no", "va", "via"]
    assert tokens.no_space.tolist() == [0, 1, 1, 0, 0, 0]
    assert tokens.line.tolist() == [1, 4, 2, 1, 3]
    (token,) = multiword_tokens(corpus)
    assert (token.sentence, token.first, token.last, token.form) == (0, 1, 2, "del gran")
    last = corpus.select([2])
    assert last.tokens.forms(0, 9) == ["va", "via"]
    assert last.where(0, int(last.tokens.line[1])) == "<text>:14"
    assert last.sentence_text(0).startswith(b"# sent_id = three\n1\tva")
    assert corpus.select([]).tokens.forms(0, 9) == []


def test_a_source_may_be_any_of_what_holds_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        Path(f"{name}.conllu").write_text(TEXT)
    corpus = as_corpus("a.conllu")
    assert as_corpus(corpus) is corpus
    assert (corpus.n_sentences, corpus.path) == (3, "a.conllu")
    for source in (str(tmp_path), tmp_path, "*.conllu", ["a.conllu", Path("b.conllu")]):
        both = as_corpus(source, columns=("form",))
        assert both.n_sentences == 6
        assert [both.where(s) for s in (2, 5)] == [f"{both.files[k]}:11" for k in (0, 1)]
    assert as_corpus(tmp_path).path == str(tmp_path)
    assert read_conllu(tmp_path).n_sentences == read_conllu("?.conllu").n_sentences == 6
    Path("empty.conllu").write_text("\n")
    for source in ("empty.conllu", ["empty.conllu"]):
        with pytest.raises(CorpusError, match=r"empty\.conllu: no sentences"):
            as_corpus(source)
    with pytest.raises(CorpusError, match=r"nothing\.conllu: no such file"):
        as_corpus("nothing.conllu")


def test_pieces_of_a_stream_know_what_came_before(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.conllu").write_text(TEXT)
    pieces = list(stream_conllu(tmp_path, block=80))
    assert [piece.before for piece in pieces] == np.cumsum([0, *(p.n_sentences for p in pieces)])[:-1].tolist()
    assert pieces[-1].before > 0
    assert pieces[-1].select([0]).before == 0


def test_a_text_is_read_as_a_file_is() -> None:
    assert columns(parse_conllu(TEXT.encode())) == columns(parse_conllu(TEXT))
    with pytest.raises(CorpusError, match="<text>:1: sentence 1: 2 columns"):
        parse_conllu("1\ta\n\n")
    skipped = parse_conllu("1\ta\n\n" + TEXT, on_error="skip")
    assert (skipped.n_sentences, len(skipped.defects), skipped.where(0)) == (3, 1, "<text>:3")
    assert skipped.tokens.forms(0, 1) == ["delgran"]
