"""Reading: what comes out, what is refused, and how it is said."""

import bz2
import gzip
import lzma
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treegauge as tg
from tests.fuzz.mutations import damaged_files
from tests.trees import corpora
from treegauge.corpus import conllu
from treegauge.corpus.columns import COLUMNS, MOST_DEFECTS
from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import expand_paths
from treegauge.corpus.writing import with_misc
from treegauge.errors import CorpusError, OptionError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HAND_MADE = sorted((Path(__file__).parents[1] / "data").glob("*.conllu"))


def values(corpus: Corpus) -> list[list[object]]:
    """A corpus as rows of plain values: sent_id, position, head and the columns' strings."""
    return [
        [
            corpus.sent_id(int(corpus.sentence[w])),
            int(corpus.position[w]),
            int(corpus.head[w]),
            *(corpus.value(column, w) for column in corpus.codes),
        ]
        for w in range(corpus.n_words)
    ]


def rows_by_hand(text: str) -> list[list[object]]:
    """The same, by the format's own definition, for text without defects."""
    rows: list[list[object]] = []
    for block in text.replace("\r\n", "\n").lstrip("\ufeff").split("\n\n"):
        sent_id = ""
        for line in filter(None, block.split("\n")):
            if line.startswith("#"):
                if line.startswith("# sent_id = "):
                    sent_id = line.removeprefix("# sent_id = ")
                continue
            fields = line.split("\t")
            if fields[0].isdigit():
                head = -1 if fields[6] == "_" else int(fields[6])
                rows.append([sent_id, int(fields[0]), head, *(fields[c] for c in COLUMNS.values())])
    return rows


@pytest.mark.parametrize("path", [p for p in HAND_MADE if "defect" not in p.name], ids=lambda p: p.stem)
def test_every_column_of_every_word_is_read(path: Path) -> None:
    corpus = read_conllu(path, trees=path.stem != "no_trees")
    assert values(corpus) == rows_by_hand(path.read_bytes().decode())
    assert corpus.number.tolist() == list(range(1, corpus.n_sentences + 1))


@pytest.mark.parametrize("path", HAND_MADE, ids=lambda p: p.stem)
def test_a_read_and_write_round_trip_gives_the_same_bytes(path: Path) -> None:
    corpus = read_conllu(path, on_error="skip", trees=path.stem != "no_trees")
    assert with_misc(corpus, {}) == path.read_bytes()


@pytest.mark.data
@pytest.mark.slow
def test_every_treebank_makes_the_round_trip(evaluation_data: Path) -> None:
    paths = [*evaluation_data.glob("ud/*/*.conllu*"), *evaluation_data.glob("pairs/*/test.*.conllu")]
    assert len(paths) > 100
    for path in paths:
        corpus = read_conllu(path)
        opener = lzma.open if path.suffix == ".xz" else open
        with opener(path, "rb") as file:
            assert with_misc(corpus, {}) == file.read(), path


def test_misc_gets_new_values_in_place_or_at_the_end(data: Path) -> None:
    corpus = read_conllu(data / "dos_line_ends.conllu")
    written = with_misc(corpus, {"Score": [str(w) for w in range(corpus.n_words)], "Bin": [None] * corpus.n_words})
    lines = [line for line in written.decode().split("\r\n") if line[:1].isdigit()]
    assert [line.split("\t")[9] for line in lines][:3] == ["Score=0", "SpaceAfter=No|Score=1", "Score=2"]
    reread = parse_conllu(written)
    assert b"SpaceAfter=No|Score=new\r\n" in with_misc(reread, {"Score": ["new"] * corpus.n_words})


DEFECTS = [
    ("columns", 5, "9 columns in "),
    ("eleven", 8, "11 columns in "),
    ("id", 14, "id '2'; expected 1"),
    ("id-word", 17, "id 'x'; expected 1"),
    ("head", 20, "head 'one'; expected a number"),
    ("head-range", 24, "head '5'; expected 0..2"),
    ("self", 27, "head '1'; expected 0..1 and not the word itself"),
    ("cycle", 30, "word '1' is its own ancestor"),
    ("comment", 36, "comment '# late' inside a sentence"),
    ("no-words", 39, "is not followed by words"),
    ("span", 41, "a multiword token ends at word 3"),
]


def test_skip_leaves_out_each_defect_and_says_where_it_is(data: Path) -> None:
    path = data / "one_defect_each.conllu"
    corpus = read_conllu(path, on_error="skip")
    assert [corpus.sent_id(s) for s in range(corpus.n_sentences)] == ["good-1", "empty-column", "good-2"]
    assert corpus.number.tolist() == [1, 4, 14]
    assert (corpus.notes.n_sentences, corpus.notes.n_words) == (11, 14)
    assert [(d.sent_id, d.line) for d in corpus.defects] == [(sent_id, line) for sent_id, line, _ in DEFECTS]
    for defect, (_, line, message) in zip(corpus.defects, DEFECTS, strict=True):
        assert message in defect.message
        assert str(defect).startswith(f"{path}:{line}: sentence {defect.sentence} ({defect.sent_id}): ")


EMPTY = "1-2\tab\t\t\t\t\t\t\t\t\n1\ta\t\t\t\t\t0\t\t\t\n2\tb\tb\tX\t_\t\t1\tdep\t_\t\r\n\n"


def test_an_empty_column_is_read_as_nothing_and_counted() -> None:
    corpus = parse_conllu(EMPTY)
    assert {name: [corpus.value(name, w) for w in (0, 1)] for name in corpus.codes} == {
        "form": ["a", "b"],
        "lemma": ["_", "b"],
        "upos": ["_", "X"],
        "xpos": ["_", "_"],
        "feats": ["_", "_"],
        "deprel": ["_", "dep"],
    }
    counts = {name: (column.count, column.line) for name, column in corpus.notes.empty.items()}
    assert counts == {
        "LEMMA": (2, 1),
        "UPOS": (2, 1),
        "XPOS": (2, 1),
        "FEATS": (3, 1),
        "HEAD": (1, 1),
        "DEPREL": (2, 1),
        "DEPS": (2, 1),
        "MISC": (3, 1),
    }
    assert with_misc(corpus, {}) == EMPTY.encode()
    assert b"1\ta\t\t\t\t\t0\t\t\tS=x\n" in with_misc(corpus, {"S": ["x", "x"]})
    assert corpus.tokens.forms(0, 1) == ["ab"]
    assert corpus.enhanced is None
    assert parse_conllu(EMPTY * 3).notes.empty["MISC"].count == 9


@pytest.mark.parametrize(
    ("line", "column"),
    [("\ta\t_\t_\t_\t_\t0\t_\t_\t_", 1), ("1\t\t_\t_\t_\t_\t0\t_\t_\t_", 2), ("1\ta\t_\t_\t_\t_\t\t_\t_\t_", 7)],
)
def test_a_word_needs_its_number_form_and_head(line: str, column: int) -> None:
    with pytest.raises(CorpusError, match=f"column {column} is empty"):
        parse_conllu(line + "\n\n")


def test_an_empty_column_is_a_defect_if_strict() -> None:
    with pytest.raises(CorpusError, match="<text>:1: sentence 1: column 3 is empty; expected a value or _"):
        parse_conllu(EMPTY, on_error="strict")


def test_the_words_of_malformed_sentences_are_counted() -> None:
    good = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
    text = good + "2\tb\n3-4\tc\n3\tc\n\n" + "# only a comment\n\n" + good + "\n"
    assert [parse_conllu(text, on_error="skip").notes.n_words] == [3]


def test_of_many_malformed_sentences_the_first_are_remembered() -> None:
    notes = parse_conllu("# x\n\n" * 5000, on_error="skip").notes
    assert (notes.n_sentences, len(notes.defects), notes.last) == (5000, MOST_DEFECTS, 5000)


def test_blank_lines_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "sparse.conllu"
    sentence = b"1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_bytes((b"\n" * (3 << 20)).join([sentence] * 3))
    corpus = read_conllu(path)
    assert (corpus.n_words, corpus.number.tolist()) == (3, [1, 2, 3])
    assert len(corpus.text) < 1000
    assert corpus.where(2).endswith(f":{1 + 2 * ((3 << 20) + 2)}")


def test_stop_raises_at_the_first_defect(data: Path) -> None:
    with pytest.raises(CorpusError, match=r"one_defect_each.conllu:5: sentence 2 \(columns\): 9 columns"):
        read_conllu(data / "one_defect_each.conllu")


def test_several_roots_are_a_defect_only_if_asked(data: Path) -> None:
    assert read_conllu(data / "two_roots.conllu").n_words == 2
    with pytest.raises(CorpusError, match="2 root words; expected one"):
        read_conllu(data / "two_roots.conllu", one_root=True)


def test_heads_may_be_missing_only_if_asked(data: Path) -> None:
    with pytest.raises(CorpusError, match="head '_'; expected a number"):
        read_conllu(data / "no_trees.conllu")


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80"):
        path = tmp_path / "bad.conllu"
        good = b"1\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
        path.write_bytes(good + b"# text = ok\n" + good.replace(b"\tb\tb", b"\t" + bad + b"\tb") + good)
        corpus = read_conllu(path, on_error="skip")
        (defect,) = corpus.defects
        assert (defect.line, defect.sentence) == (4, 2)
        assert defect.message == f"byte 0x{bad[0]:02x}; expected UTF-8"
        assert corpus.number.tolist() == [1, 3]


def test_a_sentence_of_4096_words_is_a_defect_and_one_of_4095_is_not(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    chain = "".join(f"{k}\ta\ta\tX\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 4097))
    path.write_text(chain + "\n")
    with pytest.raises(CorpusError, match="word '4096'; expected at most 4095 words"):
        read_conllu(path)
    assert read_conllu(path, most_words=4096).n_words == 4096
    path.write_text(chain[: chain.index("4096\t")] + "\n")
    assert read_conllu(path).n_words == 4095
    with pytest.raises(OptionError, match="expected 1 to 65,535"):
        read_conllu(path, most_words=70_000)


def test_an_empty_file_is_a_corpus_of_no_sentences(tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_bytes(b"")
    corpus = read_conllu(path)
    assert (corpus.n_sentences, corpus.n_words, corpus.position.tolist()) == (0, 0, [])


def test_unknown_columns_and_choices_are_named() -> None:
    with pytest.raises(OptionError, match="column 'misc'; expected one of form, lemma"):
        read_conllu("x", columns=("misc",))
    with pytest.raises(OptionError, match="expected one of stop, skip, strict"):
        read_conllu("x", on_error="ignore")


@settings(max_examples=60, deadline=None)
@given(text=corpora(), block=st.integers(1, 300))
def test_blocks_of_any_size_give_the_same_corpus(
    text: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("blocks") / "corpus.conllu"
    path.write_text(text)
    pieces = list(stream_conllu(path, block=block))
    joined = conllu.join_pieces(pieces, tuple(COLUMNS))
    assert values(joined) == rows_by_hand(text)
    assert joined.number.tolist() == list(range(1, joined.n_sentences + 1))
    assert with_misc(joined, {}) == text.encode()


def test_line_numbers_run_on_from_block_to_block(tmp_path: Path) -> None:
    path = tmp_path / "late.conllu"
    good = "1\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text(good * 50 + "1\tb\n\n")
    with pytest.raises(CorpusError, match=r"late.conllu:101: sentence 51: 2 columns"):
        list(stream_conllu(path, block=64))


def test_several_files_are_one_corpus_numbered_through(data: Path) -> None:
    first, second = data / "no_final_newline.conllu", data / "plain.conllu"
    corpus = read_conllu(first, second)
    assert corpus.number.tolist() == [1, 2, 3, 4]
    assert values(corpus) == rows_by_hand(second.read_text()) * 2
    assert with_misc(corpus, {}) == second.read_bytes() * 2


def test_compressed_files_directories_and_globs_are_read(data: Path, tmp_path: Path) -> None:
    content = (data / "plain.conllu").read_bytes()
    whole = values(read_conllu(data / "plain.conllu"))
    for ending, compress in (
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", zstd.compress),
    ):
        path = tmp_path / f"x.conllu.{ending}"
        path.write_bytes(compress(content))
        assert values(read_conllu(path)) == whole
        for damaged in (compress(content)[:-9], compress(content)[:30] + b"x" * 30 + compress(content)[60:], b"no"):
            path.write_bytes(damaged)
            with pytest.raises(CorpusError, match=path.name):
                read_conllu(path)
        path.write_bytes(compress(content))
    (tmp_path / "other.txt").write_text("")
    everything = sorted(str(p) for p in tmp_path.glob("*.conllu.*"))
    assert expand_paths([tmp_path]) == everything
    assert expand_paths([str(tmp_path / "*.conllu.*")]) == everything
    for nothing in (tmp_path / "*.tsv", tmp_path / "missing.conllu", data.parent / "cli"):
        with pytest.raises(CorpusError, match="no "):
            expand_paths([nothing])


def test_ten_thousand_mutated_files_raise_nothing_but_the_documented_error(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "mutated.conllu"
    refused = 0
    for content in damaged_files(data, 10_000):
        path.write_bytes(content)
        corpus = read_conllu(path, on_error="skip")
        assert with_misc(corpus, {}) == content
        try:
            read_conllu(path)
        except CorpusError as error:
            refused += 1
            message = str(error)
        else:
            message = "" if not corpus.defects else "not raised"
        assert message == (str(corpus.defects[0]) if corpus.defects else "")
    assert 1_000 < refused < 10_000


def test_cycles_are_found_wherever_they_are() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        n = int(rng.integers(1, 9))
        head = rng.integers(0, n + 1, n)
        text = "".join(f"{k + 1}\ta\ta\tX\t_\t_\t{h}\tdep\t_\t_\n" for k, h in enumerate(head)) + "\n"
        corpus = parse_conllu(text, columns=("form",), on_error="skip")

        def reaches_root(word: int, head: np.ndarray = head) -> bool:
            for _ in range(len(head) + 1):
                if word == 0:
                    return True
                word = int(head[word - 1])
            return False

        assert bool(corpus.n_sentences) == all(reaches_root(word) for word in range(1, n + 1))


def test_a_file_of_blank_lines_among_others_adds_nothing(tmp_path: Path) -> None:
    word = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    for name, text in (("1", word), ("2", "\n\n\n"), ("3", word + word)):
        (tmp_path / name).write_text(text)
    corpus = read_conllu(*(tmp_path / name for name in "123"))
    assert corpus.number.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("start", [0, 10**9]),
        ("start", [0, 2, 1, 3]),
        ("start", [1, 3]),
        ("head", [7 << 20] * 3),
        ("line", [10**9] * 3),
        ("begin", [-5]),
        ("number", [1, 2, 3]),
        ("file", []),
    ],
)
def test_a_corpus_with_wrong_arrays_is_refused_before_a_kernel_reads_it(name: str, wrong: list[int]) -> None:
    words = "".join(f"{k}\ta\ta\tX\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in (1, 2, 3)) + "\n"
    corpus = parse_conllu(words)
    array = np.array(wrong, getattr(corpus, name).dtype)
    with pytest.raises(CorpusError, match=f"{name}.*expected"):
        replace(corpus, **{name: array})
    with pytest.raises(CorpusError, match=r"codes of form.*expected"):
        replace(corpus, codes=corpus.codes | {"form": np.full(3, 9, np.int32)})
    with pytest.raises(CorpusError, match="head is an array of float64; expected int32"):
        replace(corpus, head=corpus.head.astype(float))


def test_other_sentence_limits_make_the_heads_unknown_again() -> None:
    words = "".join(f"{k}\ta\ta\tX\t_\t_\t{(k + 1) % 4}\tdep\t_\t_\n" for k in (1, 2, 3)) + "\n"
    corpus = parse_conllu(words)
    cut = replace(corpus, start=np.array([0, 1, 3]), **{name: np.repeat(getattr(corpus, name), 2, 0) for name in PAIRS})
    with pytest.raises(CorpusError, match="word 1 has head 2"):
        assert cut.tree_head is not None


PAIRS = ("begin", "id_span", "number", "first_line", "file")


def test_a_sentence_too_long_for_scorers_is_refused_by_them(tmp_path: Path) -> None:
    chain = "".join(f"{k}\ta\ta\tNOUN\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 5001)) + "\n"
    path = tmp_path / "long.conllu"
    path.write_text(chain)
    corpus = read_conllu(path, most_words=65_535)
    assert tg.evaluate(corpus, path)["LAS"].f1 == 1
    uses = {
        "lisca": lambda: tg.score(corpus, tg.scorer("lisca", "en")),
        "choice": lambda: tg.score(corpus, tg.scorer("choice", "en")),
        "build": lambda: tg.build_model(corpus),
        "combine": lambda: tg.combine(corpus, model="en"),
        "bits": lambda: tg.dependency_bits(corpus),
    }
    for name, use in uses.items():
        with pytest.raises(CorpusError, match="5,000 words; expected at most 4,095 to count or score arcs"):
            use()
        assert name
