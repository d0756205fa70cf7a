"""Parsers behind one interface: UDPipe and spaCy where they are installed, and what is common to all."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.parsing.parser import PARSERS, ParserSpec
from treegauge.parsing.shard import Passage, Shard, parse_passages, read_passages, read_shards, stems


def corpus_of(conllu: str | bytes, folder: Path) -> Corpus:
    path = folder / "parsed.conllu"
    path.write_bytes(conllu if isinstance(conllu, bytes) else conllu.encode())
    return read_conllu(path)


def forms(corpus: Corpus) -> list[list[str]]:
    words = [corpus.value("form", w) for w in range(corpus.n_words)]
    return [words[low:high] for low, high in zip(corpus.start[:-1], corpus.start[1:], strict=True)]


# --- passages and shards


def test_lines_are_passages_and_wrapped_text_ends_at_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\r\n\n  two \nthree\n\nfour")
    assert list(read_passages(str(path), "paragraph")) == [
        Passage(1, b"one"),
        Passage(4, b"two"),
        Passage(5, b"three"),
        Passage(7, b"four"),
    ]
    wrapped = [Passage(1, b"one"), Passage(4, b"two three"), Passage(7, b"four")]
    assert list(read_passages(str(path), "wrapped")) == wrapped


def test_shards_hold_everything_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {k}\n" for k in range(100)))
    shards = list(read_shards([str(path), str(path)], "sentence", 100))
    assert [p.line for shard in shards[: len(shards) // 2] for p in shard.passages] == list(range(1, 101))
    assert shards[0].name == "a-00001.conllu"
    assert all(100 <= shard.size < 108 for shard in shards[: len(shards) // 2 - 1])
    assert len({shard.name for shard in shards}) == len(shards)


def test_names_of_shards_are_told_apart() -> None:
    assert stems(["x/wiki.txt.xz", "y/wiki.txt", "my text.gz", "-"]) == ["wiki", "wiki.2", "my_text", "stdin"]


# --- what is done with a parser's output


class Fussy:
    """Takes words as roots of their own; fails at `boom`, is mute at `hush`, and confused at `knot`."""

    name, notes = "fussy", ()

    def __init__(self) -> None:
        self.calls = 0

    def parse(self, texts: Sequence[str]) -> list[str]:
        self.calls += 1
        if any("boom" in text for text in texts):
            raise RuntimeError("that word\nagain")
        return ["" if text == "hush" else self.tree(text) for text in texts]

    def tree(self, text: str) -> str:
        head = 9 if text == "knot" else 0
        words = "".join(f"{k}\t{w}\t_\tX\t_\t_\t{head}\troot\t_\t_\n" for k, w in enumerate(text.split(), 1))
        return f"# newdoc\n# sent_id = 1\n# text = {text}\n{words}\n"


def test_what_fails_is_left_out_with_its_place_and_nothing_else_is(tmp_path: Path) -> None:
    texts = [b"one two", b"boom", b"three", b"hush", b"knot", b"\xff", b"four\tfive  six"]
    shard = Shard("a-00001.conllu", "a.txt", tuple(Passage(10 * k, text) for k, text in enumerate(texts, 1)))
    parser = Fussy()
    result = parse_passages(parser, "paragraph", shard)
    assert [str(failure) for failure in result.failures] == [
        "a.txt:20: that word again",
        "a.txt:40: the parser found no words",
        "a.txt:50: the parser's output has a defect: head '9'; expected 0..1 and not the word itself",
        "a.txt:60: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ]
    corpus = corpus_of(result.conllu, tmp_path)
    assert forms(corpus) == [["one", "two"], ["three"], ["four", "five", "six"]]
    assert corpus.sent_ids == ["a-10-1", "a-30-1", "a-70-1"]
    assert (result.sentences, result.words) == (3, 6)
    assert b"newdoc" not in result.conllu
    assert result.conllu.startswith(b"# newpar\n# sent_id = a-10-1\n# text = one two\n1\tone")


def test_a_parser_is_asked_for_many_passages_at_once() -> None:
    parser = Fussy()
    shard = Shard("a-00001.conllu", "a.txt", tuple(Passage(k, b"word") for k in range(1, 1001)))
    assert parse_passages(parser, "sentence", shard).words == 1000
    assert parser.calls == 4


# --- finding parsers


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("best",), "parser 'best'; expected one of udpipe, spacy, stanza"),
        (("udpipe",), "parser udpipe: no model; expected --parser udpipe:FILE"),
        (("udpipe:m", "poem"), "passage 'poem'; expected one of paragraph, wrapped, sentence, tokens"),
    ],
)
def test_wrong_names_say_what_is_right(args: tuple[str, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ParserSpec.of(*args)


@pytest.mark.parametrize("name", PARSERS)
def test_a_missing_package_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, PARSERS[name][1].partition(".")[0], None)
    with pytest.raises(OptionError, match=rf"is not installed: pip install 'treegauge\[{name}\]'"):
        ParserSpec.of(f"{name}:{__file__}").load()


# --- UDPipe


@pytest.mark.parametrize(
    ("passage", "text", "expected"),
    [
        ("sentence", "The dog sleeps", ["The dog sleeps"]),
        ("tokens", "The dog sleeps . A cat", ["The dog sleeps . A cat"]),
    ],
)
def test_udpipe_keeps_sentences_whole(
    passage: str, text: str, expected: list[str], tiny_udpipe: Path, tmp_path: Path
) -> None:
    parser = ParserSpec.of(f"udpipe:{tiny_udpipe}", passage).load()
    assert parser.name.startswith("udpipe 1.")
    corpus = corpus_of(parser.parse([text])[0], tmp_path)
    assert [" ".join(words) for words in forms(corpus)] == expected


def test_udpipe_refuses_what_is_no_model(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe")
    (tmp_path / "x.udpipe").write_text("no model")
    with pytest.raises(ModelError, match="UDPipe cannot read this model"):
        ParserSpec.of(f"udpipe:{tmp_path / 'x.udpipe'}").load()
    with pytest.raises(ModelError, match="no such file"):
        ParserSpec.of(f"udpipe:{tmp_path / 'y.udpipe'}").load()


@pytest.mark.data
def test_udpipe_parses_english(evaluation_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe")
    parser = ParserSpec.of(f"udpipe:{evaluation_data / 'models' / 'en_ewt.udpipe'}").load()
    corpus = corpus_of(parser.parse(["The cat sleeps. It doesn't mind the noise."])[0], tmp_path)
    assert forms(corpus) == [["The", "cat", "sleeps", "."], ["It", "does", "n't", "mind", "the", "noise", "."]]
    assert corpus.head[:4].tolist() == [2, 3, 0, 3]


# --- spaCy


def doc_of(words: Sequence[tuple[str, int, str, str]]) -> object:
    """A parsed document made by hand: words with head (from 0), relation, and the space behind."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc

    return Doc(
        spacy.blank("xx").vocab,
        words=[word for word, _, _, _ in words],
        spaces=[bool(space) for _, _, _, space in words],
        heads=[head for _, head, _, _ in words],
        deps=[relation for _, _, relation, _ in words],
        pos=["SPACE" if not word.strip() else "X" for word, _, _, _ in words],
    )


def rows(conllu: str) -> list[list[str]]:
    return [line.split("\t") for line in conllu.splitlines() if line[:1].isdigit()]


def test_spacy_roots_spaces_and_missing_labels_become_ud(tmp_path: Path) -> None:
    doc = doc_of(
        [
            ("Cats", 1, "nsubj", " "),
            ("sleep", 1, "ROOT", " "),
            ("  ", 1, "dep", ""),
            ("now", 2, "", ""),
            (".", 1, "punct", ""),
        ]
    )
    from treegauge.corpus.adapters.spacy_docs import sentence_conllu

    conllu = "".join(sentence_conllu(span) for span in doc.sents)  # type: ignore[attr-defined]
    assert [(r[0], r[1], r[6], r[7], r[9]) for r in rows(conllu)] == [
        ("1", "Cats", "2", "nsubj", "_"),
        ("2", "sleep", "0", "root", "_"),
        ("3", "now", "2", "dep", "SpaceAfter=No"),
        ("4", ".", "2", "punct", "_"),
    ]
    assert corpus_of(conllu, tmp_path).n_words == 4


def test_words_that_hang_on_white_space_hang_on_the_first_of_them(tmp_path: Path) -> None:
    doc = doc_of([(" ", 0, "ROOT", ""), ("one", 0, "dep", " "), ("two", 0, "dep", " "), ("three", 1, "obj", "")])
    from treegauge.corpus.adapters.spacy_docs import sentence_conllu

    conllu = "".join(sentence_conllu(span) for span in doc.sents)  # type: ignore[attr-defined]
    assert [(r[6], r[7]) for r in rows(conllu)] == [("0", "root"), ("1", "dep"), ("1", "obj")]
    assert corpus_of(conllu, tmp_path).n_words == 3


@pytest.mark.parametrize(
    ("pipeline", "text", "words"),
    [("fr_core_news_sm", "Le chat dort. Il pleut.", 7), ("es_core_news_sm", "El gato duerme. Llueve.", 6)],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_spacy_pipelines_give_trees_of_ud(pipeline: str, text: str, words: int, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    pytest.importorskip(pipeline)
    parser = ParserSpec.of(f"spacy:{pipeline}").load()
    assert pipeline in parser.name
    assert parser.notes == ()
    corpus = corpus_of(parser.parse([text])[0], tmp_path)
    assert corpus.n_words == words
    assert corpus.n_sentences > 1
    assert "ROOT" not in corpus.labels["deprel"]
    for passage, expected in (("sentence", words), ("tokens", words - 2)):
        whole = corpus_of(ParserSpec.of(f"spacy:{pipeline}", passage).load().parse([text])[0], tmp_path)
        assert (whole.n_sentences, whole.n_words) == (1, expected)


def test_relations_that_are_not_uds_are_named() -> None:
    spacy = pytest.importorskip("spacy")
    from treegauge.parsing.spacy import SpacyParser

    pipeline = spacy.blank("en")
    parser = pipeline.add_pipe("parser")
    for label in ("nsubj", "dobj", "nsubj:pass", "ROOT"):
        parser.add_label(label)
    assert SpacyParser(pipeline, "paragraph").notes == ("relations that are not UD's: dobj",)
    with pytest.raises(ModelError, match="spaCy has no pipeline 'nowhere'"):
        ParserSpec.of("spacy:nowhere").load()
