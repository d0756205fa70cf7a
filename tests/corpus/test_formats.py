"""Other file formats give the corpus that the same trees in CoNLL-U give."""

import gzip
from pathlib import Path

import pytest

import treegauge as tg
from treegauge.corpus.adapters import formats
from treegauge.errors import CorpusError

PLUS = (
    "# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE\n"
    "# sent_id = a\n"
    "1\tRain\tNOUN\t2\tnsubj\t*\n"
    "2\tfell\tVERB\t0\troot\t1\n"
    "\n"
    "1-2\tdel\t_\t_\t_\t*\n"
    "1\tde\tADP\t2\tcase\t*\n"
    "2\tel\tDET\t0\troot\t*\n"
    "\n"
)
PLAIN = (
    "# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE\n"
    "# sent_id = a\n"
    "1\tRain\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tfell\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "\n"
    "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tde\t_\tADP\t_\t_\t2\tcase\t_\t_\n"
    "2\tel\t_\tDET\t_\t_\t0\troot\t_\t_\n"
    "\n"
)


@pytest.mark.parametrize("compressed", [False, True])
def test_conllu_plus_is_read_as_conllu(tmp_path: Path, compressed: bool) -> None:
    path = tmp_path / ("a.conllup.gz" if compressed else "a.conllup")
    path.write_bytes(gzip.compress(PLUS.encode()) if compressed else PLUS.encode())
    corpus = tg.read_conllu(path)
    assert bytes(corpus.text) == PLAIN.encode()
    assert corpus.head.tolist() == [2, 0, 2, 0]
    assert corpus.sent_id(0) == "a"


def test_a_block_may_end_anywhere_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.conllup"
    path.write_text(PLUS * 50)
    pieces = list(tg.stream_conllu(path, block=97))
    assert len(pieces) > 10
    assert b"".join(bytes(piece.text) for piece in pieces) == PLAIN.encode() * 50


def test_without_names_of_columns_it_is_plain_conllu(tmp_path: Path) -> None:
    path = tmp_path / "a.conllup"
    path.write_text(PLAIN.partition("\n")[2])
    assert tg.read_conllu(path).n_words == 4


@pytest.mark.parametrize(("cells", "said"), [("fell VERB", "9 columns"), ("fell\tVERB\tX", "11 columns")])
def test_a_line_with_another_number_of_columns_is_named_or_left_out(tmp_path: Path, cells: str, said: str) -> None:
    path = tmp_path / "a.conllup"
    path.write_text(PLUS.replace("fell\tVERB", cells))
    with pytest.raises(CorpusError, match=rf"a\.conllup:4: sentence 1 \(a\): {said} in "):
        tg.read_conllu(path)
    rest = tg.read_conllu(path, on_error="skip")
    assert rest.n_sentences == 1
    assert len(rest.defects) == 1


def test_an_endless_line_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_LONGEST_LINE", 1000)
    path = tmp_path / "a.conllup"
    path.write_text(PLUS.replace("fell", 5000 * "f"))
    assert max(map(len, bytes(tg.read_conllu(path, on_error="skip").text).split(b"\n"))) <= 1020


def test_a_defect_has_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.conllup"
    path.write_text(PLUS.replace("\t2\tcase", "\t7\tcase"))
    with pytest.raises(CorpusError, match=r"a\.conllup:7: sentence 2: head '7'"):
        tg.read_conllu(path)


X_LINES = [
    "1\tDogs\tdog\tN\tNN\tnum=pl\t2\tSBJ\t2\tSBJ",
    "2\tbark\tbark\tV\tVB\t_\t0\tROOT\t0\tROOT",
    "3\t!\t!\tPU\tPU\t_\t0\tROOT\t_\t_",
]


@pytest.mark.parametrize("ending", [".conllx", ".conll", ".conllx.gz"])
@pytest.mark.parametrize("columns", [8, 10])
def test_conll_x_is_read_with_several_roots(ending: str, columns: int, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    text = "\r\n".join("\t".join(line.split("\t")[:columns]) for line in X_LINES) + "\r\n\r\n"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())
    corpus = tg.read_conllu(path)
    assert corpus.head.tolist() == [2, 0, 0]
    assert [corpus.value(name, 0) for name in corpus.codes] == ["Dogs", "dog", "N", "NN", "num=pl", "SBJ"]
    assert corpus.enhanced is None


def test_conllu_under_the_name_of_conll_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(
        "# sent_id = a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\tX=1\n1\ta\ta\tX\t_\t_\t0\troot\t0:root\t_\n"
        "2\tb\tb\tX\t_\t_\t1\tdep\t1:dep\tSpaceAfter=No\n2.1\tc\tc\tX\t_\t_\t_\t_\t1:dep\t_\n\n"
    )
    corpus = tg.read_conllu(path)
    assert corpus.text.tobytes() == path.read_bytes()
    assert corpus.enhanced is not None
    assert corpus.tokens.forms(0, 1) == ["ab"]


def test_conll_2009_takes_what_was_predicted_where_there_is_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.conll09"
    path.write_text(
        "1\tDogs\t_\tdog\tNNS\tNNP\tn=pl\t_\t2\t3\tSBJ\tOBJ\t_\t_\tA0\n"
        "2\tbark\tbark\tbarks\t_\tVB\t_\t_\t_\t0\t_\tROOT\tY\tbark.01\t_\n\n"
    )
    corpus = tg.read_conllu(path)
    assert corpus.head.tolist() == [2, 0]
    values = [[corpus.value(name, w) for name in ("lemma", "upos", "xpos", "feats", "deprel")] for w in (0, 1)]
    assert values == [["dog", "NNS", "NNS", "n=pl", "SBJ"], ["bark", "VB", "VB", "_", "ROOT"]]


def test_raw_text_is_not_conllu(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text("Dogs bark. Cats do not.\n")
    with pytest.raises(CorpusError, match="this is not CoNLL-U: parse it first, with `treegauge parse`"):
        tg.read_conllu(path)
