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
