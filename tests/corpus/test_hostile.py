"""Text that nobody wrote as a treebank: refused in one line or read, never in memory that belongs to something else."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treegauge as tg
from treegauge.corpus.compare import align
from treegauge.corpus.conllu import Place, Reader, stream_conllu
from treegauge.corpus.files import LONGEST_SENTENCE, Block, sentence_block
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.models.lisca.counts import count_arcs


def line(word: int, head: int | str, deps: str = "_", form: str = "w") -> str:
    return f"{word}\t{form}\t{form}\tX\t_\t_\t{head}\tdep\t{deps}\t_\n"


def sentence(*heads: int | str) -> str:
    return "".join(line(k, head) for k, head in enumerate(heads, 1)) + "\n"


GOOD = sentence(2, 0)


@pytest.mark.parametrize("size", [32_000, 33_000, 66_000])
def test_a_short_line_before_a_long_one_is_a_defect(size: int, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(b"x\n" + b"y" * size + b"\n\n" + GOOD.encode())
    command = [sys.executable, "-c", f"import treegauge as tg; print(tg.read_conllu({str(path)!r}, on_error='skip'))"]
    found = subprocess.run(command, capture_output=True, text=True, env={"MALLOC_PERTURB_": "85"}, check=True)
    assert "1 sentence, 2 words" in found.stdout
    with pytest.raises(CorpusError, match=r"x\.conllu:1: sentence 1: 1 columns in 'x'"):
        tg.read_conllu(path)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (("_", 0, 2), "word 1 has no head; expected a word of the sentence, or 0 for the root"),
        ((2, 1, 0), "word 1 has head 2; expected a tree, but these arcs go round in a circle"),
        ((2, 3, 1), "word 1 has head 2; expected a tree"),
    ],
)
def test_what_climbs_trees_refuses_what_is_none(heads: tuple[int | str, ...], message: str) -> None:
    model = tg.build_model(tg.parse_conllu(GOOD))
    corpus = tg.parse_conllu(GOOD + sentence(*heads), trees=False)
    assert corpus.n_sentences == 2
    for use in (
        lambda: count_arcs(corpus),
        lambda: tg.score(corpus, tg.scorer("lisca", model)),
        lambda: tg.score(corpus, tg.scorer("choice", model)),
        lambda: evaluate(corpus, corpus),
        lambda: tg.build_model(corpus),
        lambda: corpus.arc_length,
    ):
        with pytest.raises(CorpusError, match=f"<text>:4: sentence 2: {message}"):
            use()
    assert count_arcs(corpus.select([0])).words == 2  # what is left is a tree


def test_a_head_outside_its_sentence_is_a_defect_even_where_no_trees_are_asked_for() -> None:
    with pytest.raises(CorpusError, match=r"head '4000'; expected 0\.\.3"):
        tg.parse_conllu(sentence(4000, 0, 1), trees=False)


def test_heads_that_were_put_in_are_checked() -> None:
    corpus = tg.parse_conllu(GOOD)
    assert replace(corpus, head=np.array([0, 1], dtype=np.int32)).tree_head.tolist() == [0, 1]
    for wrong in ([0, 4000], [2, 1], [-1, 0]):
        with pytest.raises(CorpusError, match="sentence 1: word"):
            count_arcs(replace(corpus, head=np.array(wrong, dtype=np.int32)))


def test_trees_read_without_asking_are_trees() -> None:
    corpus = tg.parse_conllu(GOOD + sentence(0, 1, 2), trees=False)
    assert count_arcs(corpus).words == 5
    joined = corpus.own_text()
    assert joined.tree_head is joined.head


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    "text", [b"x" * (LONGEST_SENTENCE + 100), b"x\ty\n" * (LONGEST_SENTENCE // 3), line(1, 0).encode() * 900_000]
)
def test_a_sentence_that_is_too_long_costs_only_itself(text: bytes, end: bytes, tmp_path: Path) -> None:
    good = GOOD.encode().replace(b"\n", end)
    text = text.replace(b"\n", end) if end != b"\n" and len(text) < 1 << 25 else text
    content = good + text + end + end + good + b"bad" + end + end
    path = tmp_path / "long.conllu"
    path.write_bytes(content)
    whole = tg.read_conllu(path, on_error="skip")
    assert whole.number.tolist() == [1, 3]
    lines = content.split(b"\n")
    assert lines[int(whole.first_line[1]) - 1].startswith(b"1\tw\tw")
    assert lines[whole.defects[1].line - 1].strip() == b"bad"
    in_memory = tg.parse_conllu(content, on_error="skip")
    assert [defect.message for defect in in_memory.defects] == [defect.message for defect in whole.defects]
    assert in_memory.first_line.tolist() == whole.first_line.tolist()


def test_a_good_sentence_of_too_many_bytes_is_refused() -> None:
    text = "".join(line(k, k - 1, form="y" * 5000) for k in range(1, 3500)) + "\n"
    assert len(text) > LONGEST_SENTENCE
    with pytest.raises(CorpusError, match=r"sentence 1: longer than 16 MiB; expected a shorter sentence"):
        tg.parse_conllu(text)


def test_a_file_with_dos_line_ends_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "dos.conllu"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode() * 50)
    assert len(list(stream_conllu(path, block=200))) > 10


def test_a_comment_of_one_character_does_not_take_its_id_from_the_next_line() -> None:
    corpus = tg.parse_conllu("#\n" + GOOD + "#\nsent_id = x\n\n", on_error="skip")
    assert corpus.sent_ids == [""]
    assert [defect.message for defect in corpus.defects] == [
        "1 columns in 'sent_id = x'; expected 10, separated by tabs"
    ]


def test_more_enhanced_arcs_than_a_word_can_have_are_refused_and_can_be_left_out() -> None:
    corpus = tg.parse_conllu(GOOD + line(1, 0, "|".join(f"0:r{k}" for k in range(257))) + "\n")
    with pytest.raises(CorpusError, match=r"<text>:4: sentence 2: word 1 has 257 arcs in DEPS; expected at most 256"):
        evaluate(corpus, corpus)
    assert evaluate(corpus, corpus, enhanced=False)["LAS"].f1 == 1
    allowed = tg.parse_conllu(line(1, 0, "|".join(f"0:r{k}" for k in range(256))) + "\n")
    assert evaluate(allowed, allowed)["ELAS"].f1 == 1


def multiword(pieces: list[str]) -> str:
    """Each piece a multiword token of two words that no other side has."""
    lines = []
    for k, piece in enumerate(pieces):
        lines.append(f"{2 * k + 1}-{2 * k + 2}\t{piece}" + "\t_" * 8 + "\n")
        lines += [line(2 * k + 1, 0, form=piece[0] + "x"), line(2 * k + 2, 2 * k + 1, form=piece[-1] + "y")]
    return "".join(lines) + "\n"


def test_multiword_tokens_that_overlap_in_a_chain_are_refused_before_memory_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "abcdefghij" * 8
    gold = tg.parse_conllu(multiword([text[k : k + 2] for k in range(0, 80, 2)]))
    system = tg.parse_conllu(multiword([text[0], *(text[k : k + 2] for k in range(1, 79, 2)), text[79]]))
    assert evaluate(gold, system)["Words"].gold == 80
    monkeypatch.setattr(align, "MOST_CELLS", 1000)
    with pytest.raises(CorpusError, match=r"<text>:1: sentence 1: from here on multiword tokens .* chain of 80 and 82"):
        evaluate(gold, system)


def test_a_kernel_is_not_given_what_it_cannot_hold() -> None:
    reader = Reader(("form",))
    with pytest.raises(ValueError, match="expected less than 2 GiB, and 40 newlines behind it"):
        reader.read(Block(bytearray(b"x" * 50), 0, 10), Place("x"))
    with pytest.raises(OptionError):
        Reader(("no such column",))
    assert reader.read(sentence_block(bytearray(40), 0), Place("x"))[0].n_words == 0
