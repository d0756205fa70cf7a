"""Verdicts: what is written is read, what they are about, and what is wrong with a file is said."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.altered import altered_bytes
from tests.scoring import Given, scored
from treegauge import parse_conllu, read_conllu
from treegauge.evaluation.judging.verdict_precision import judge_by_verdicts, precision_at, steps
from treegauge.ranking.verdicts import COLUMNS, VERDICTS, Verdict, VerdictError, read_verdicts, verdict_codes


def written(verdicts: list[Verdict]) -> str:
    """The verdicts as TSV, with all columns."""
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(str(getattr(verdict, name)) for name in COLUMNS) for verdict in verdicts]
    return "\n".join(lines) + "\n"


# whatever a form or a name may be but the three characters of which a table is made: U+2028 and U+0085, too
WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1, max_size=8)
WORD |= st.sampled_from(("a\u2028b", "\x85", "\x1c\x1d", "\x0b\x0c", "\u2029"))


@given(
    st.lists(
        st.builds(
            Verdict,
            st.just("") | WORD,
            st.integers(1, 9),
            st.integers(1, 99),
            st.integers(0, 99),
            WORD,
            st.sampled_from(VERDICTS),
            WORD.map(lambda note: " ".join(note.split())),
            WORD,
            st.just("") | WORD,
        )
    )
)
def test_what_is_written_is_read(verdicts: list[Verdict]) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="") as file:
        file.write(written(verdicts))
        file.flush()
        found = read_verdicts(file.name)
    keyed = [v.sentence if not v.sent_id else 0 for v in verdicts]
    assert [(v.sent_id, v.id, v.head, v.deprel, v.verdict, v.note, v.form, v.upos) for v in found] == [
        (v.sent_id, v.id, v.head, v.deprel, v.verdict, v.note, v.form, v.upos) for v in verdicts
    ]
    assert [v.sentence for v in found] == keyed


def test_verdicts_belong_to_arcs(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    about = [
        Verdict("plain-1", 0, 1, 2, "nsubj", "accept"),
        Verdict("plain-2", 0, 1, 3, "amod", "error"),  # the head is another one now
        Verdict("plain-2", 0, 2, 3, "obj", "error"),  # the relation
        Verdict("plain-2", 0, 6, 3, "obj", "accept"),
        Verdict("plain-2", 0, 6, 3, "obj", "unsure"),  # said later
        Verdict("plain-2", 0, 99, 3, "obj", "error"),
        Verdict("plain-2", 0, 3, 0, "root", "error", "", "another"),  # the form: it is of another text
        Verdict("", 1, 2, 0, "root", "error"),  # by number, but the sentence has a name
        Verdict("nowhere", 0, 1, 2, "nsubj", "error"),
    ]
    assert verdict_codes(corpus, about).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 3, 0]
    left = scored(corpus, np.arange(10.0)).without_accepted(about)
    assert np.flatnonzero(np.isnan(left.scores)).tolist() == [0]


def test_sentences_without_a_name_go_by_number(tmp_path: Path) -> None:
    sentence = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "x.conllu").write_text(sentence * 3)
    corpus = read_conllu(tmp_path / "x.conllu")
    assert verdict_codes(corpus, [Verdict("", 2, 1, 0, "root", "error")]).tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: no column id; expected a header with sent_id"),
        ("id\thead\tdeprel\tverdict\n", ":1: no column sent_id or sentence"),
        ("sent_id\tid\thead\tdeprel\tverdict\na\t1\t2\tdet\n", ":2: 4 columns; expected 5"),
        (
            "sent_id\tid\thead\tdeprel\tverdict\n\na\t1\t2\tdet\tfine\n",
            ":3: verdict 'fine'; expected one of accept, er",
        ),
        ("sent_id\tid\thead\tdeprel\tverdict\na\t1-2\t2\tdet\terror\n", ":2: id '1-2'; expected a whole number"),
        ("sent_id\tid\thead\tdeprel\tverdict\n\t1\t2\tdet\terror\n", ":2: sentence ''; expected a whole number"),
        ("sent_id\tid\thead\tdeprel\tverdict\na\t1\t2\tdet\t\n", ":2: verdict ''"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "v.tsv"
    path.write_text(text)
    with pytest.raises(VerdictError) as caught:
        read_verdicts(str(path))
    assert f"{path}{said}" in str(caught.value)


def test_a_note_without_a_verdict_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("sent_id\tid\thead\tdeprel\tverdict\tnote\r\na\t1\t2\tdet\t\tlook again\r\n")
    assert read_verdicts(str(tmp_path / "v.tsv")) == []
    (tmp_path / "v.tsv").write_bytes(b"\xff")
    with pytest.raises(VerdictError, match="expected UTF-8"):
        read_verdicts(str(tmp_path / "v.tsv"))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans()), max_size=30))
def test_precision_by_definition(arcs: list[tuple[int, int, bool]]) -> None:
    scores = np.array([np.nan if none else float(score) for score, _, none in arcs])
    codes = np.array([code for _, code, _ in arcs], dtype=np.int8)
    ranked = sorted((k for k in range(len(arcs)) if not arcs[k][2]), key=lambda k: (scores[k], -k))
    for found in precision_at(scores, codes, [1, 2, 3, 5, 30]):
        said = [VERDICTS[codes[k] - 1] for k in ranked[: found.k] if codes[k]]
        assert (found.errors, found.accepted, found.unsure) == tuple(map(said.count, ("error", "accept", "unsure")))
        decided = [v for v in said if v != "unsure"]
        assert found.precision == (decided.count("error") / len(decided) if decided else None)


def test_precision_goes_on_to_the_last_verdict() -> None:
    assert steps(7) == [7]
    assert steps(100) == [10, 20, 50, 100]
    assert steps(101) == [10, 20, 50, 100, 101]
    sentence = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    corpus = parse_conllu(sentence * 1000)
    about = [(999, "error"), (985, "accept"), (970, "error")]  # scores fall: the last arcs are the most suspicious
    verdicts = [Verdict("", row + 1, 1, 0, "root", said) for row, said in about]
    strange = Verdict("", 5, 1, 0, "obj", "error")
    found = judge_by_verdicts(corpus, [*verdicts, strange], [Given(-np.arange(1000.0))])
    # from the most suspicious, 999: an error at place 1, an accepted arc at 15, an error at 30
    assert [row[1:] for row in found.table().rows] == [
        (10, 1, 1, 0, 0, 1.0),
        (20, 2, 1, 1, 0, 0.5),
        (50, 3, 2, 1, 0, 2 / 3),
    ]
    assert found.strangers == 1
    with pytest.raises(VerdictError, match="not one of 1 verdict is about an arc"):
        judge_by_verdicts(corpus, [strange], [Given(np.zeros(1000))])


def test_an_altered_file_is_refused_in_our_words_or_read(data: Path, tmp_path: Path) -> None:
    corpus, random, path, refused = read_conllu(data / "plain.conllu"), Random(17), tmp_path / "v.tsv", 0
    content = written([Verdict("", 1, 2, 0, "root", "accept", "note", "form"), Verdict("s", 0, 3, 2, "obj", "error")])
    for _ in range(1500):
        path.write_bytes(altered_bytes(content.encode(), random))
        try:
            verdict_codes(corpus, read_verdicts(str(path)))
        except VerdictError:
            refused += 1
    assert 500 < refused < 1500


def test_a_number_of_many_digits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.tsv"
    path.write_text("sent_id\tid\thead\tdeprel\tverdict\ns\t" + "9" * 5000 + "\t0\troot\taccept\n")
    with pytest.raises(VerdictError, match=r"v\.tsv:2: id '9{60,}.*; expected a whole number"):
        read_verdicts(str(path))
