"""Corrections in a treebank: the named columns change, no other byte does, and every sentence stays a tree."""

import gzip
import lzma
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.trees import RELATIONS, TAGS, corpora
from tests.upkeep.corrections_file import corrections_json
from treegauge.cli import cli
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.upkeep.corrections import CorrectedTreebank, Correction, CorrectionError, apply_corrections

TEXT = """# sent_id = s1
# text = hot tea cools
1\thot\thot\tADJ\tA\t_\t2\tamod\t2:amod\tX=1
2\ttea\ttea\tNOUN\tN\t_\t3\tnsubj\t3:nsubj|4:conj\tSpaceAfter=No
2.1\t_\t_\tVERB\t_\t_\t_\t_\t3:conj\t_
3-4\tcools.\t_\t_\t_\t_\t_\t_\t_\t_
3\tcools\tcool\tVERB\tV\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct:x\t_

# sent_id = s2
1\tyes\tyes\tINTJ\t_\t_\t0\troot\t0:root\t_

1\tno\tno\tINTJ\t_\t_\t0\troot\t0:root\t_
2\tno\tno\tINTJ\t_\t_\t1\tparataxis\t1:parataxis\t_

"""


def of(corpus: Corpus, s: int, word: int, **new: object) -> Correction:
    """A correction of a word as it is."""
    row = int(corpus.start[s]) + word - 1
    old = Correction(
        corpus.sent_id(s),
        int(corpus.number[s]),
        word,
        corpus.value("form", row),
        int(corpus.head[row]),
        corpus.value("deprel", row),
        corpus.value("upos", row),
        0,
    )
    return replace(old, **{"new_head": None, **new})  # type: ignore[arg-type]


def applied(*corrections: Correction, text: str = TEXT) -> CorrectedTreebank:
    return apply_corrections(corrections, parse_conllu(text))


CORPUS = parse_conllu(TEXT)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_named_columns_change_and_nothing_else(line_end: str) -> None:
    text = TEXT.replace("\n", line_end)
    found = applied(of(CORPUS, 0, 1, new_head=3, new_upos="ADV"), of(CORPUS, 0, 2, new_deprel="obj"), text=text)
    wanted = text.replace("hot\tADJ\tA\t_\t2\tamod\t2:amod", "hot\tADV\tA\t_\t3\tamod\t3:amod")
    wanted = wanted.replace("3\tnsubj\t3:nsubj|4:conj", "3\tobj\t3:obj|4:conj")
    assert found.content.decode() == wanted
    assert (len(found.done), found.refused, found.deps_kept) == (2, (), ())


def test_deps_stays_in_order_and_is_reported_where_it_did_not_repeat_the_arc() -> None:
    found = applied(of(CORPUS, 0, 4, new_head=1), text=TEXT.replace("3:punct:x", "1:x|3:punct|8.1:y"))
    assert b"\t1\tpunct\t1:punct|1:x|8.1:y\t" in found.content
    found = applied(of(CORPUS, 0, 4, new_head=1), text=TEXT.replace("3:punct:x", "8:y|3:punct|1:x"))
    assert b"\t1\tpunct\t8:y|1:punct|1:x\t" in found.content
    found = applied(of(CORPUS, 0, 4, new_head=1))
    assert found.deps_kept == ("<text>:8: sentence s1: word 4 '.': DEPS '3:punct:x' stays as it was",)
    assert applied(of(CORPUS, 0, 4, new_upos="SYM")).deps_kept == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sent_id": "gone"}, "no such sentence"),
        ({"sent_id": "", "sentence": 1}, "no such sentence"),  # the first has a sent_id
        ({"id": 9}, "the sentence has 4 words"),
        ({"id": 10**15}, "the sentence has 4 words"),
        ({"form": "cold"}, "the word is 'hot' now"),
        ({"head": 4}, "it has head 2 deprel 'amod' upos 'ADJ' now; expected 4 'amod' 'ADJ'"),
        ({"deprel": "nmod"}, "it has head 2 deprel 'amod' upos 'ADJ' now; expected 2 'nmod' 'ADJ'"),
        ({"upos": "X"}, "it has head 2 deprel 'amod' upos 'ADJ' now; expected 2 'amod' 'X'"),
        ({"head": 3, "new_head": 2}, "it is so already"),
        ({"new_head": 5}, "word 1 would have head 5; expected 0..4 and not the word itself"),
        ({"new_head": 1}, "word 1 would have head 1; expected 0..4 and not the word itself"),
        ({"new_head": 10**15}, f"word 1 would have head {10**15}; expected 0..4 and not the word itself"),
        ({"new_head": 0}, "there would be 2 root words"),
    ],
)
def test_what_does_not_fit_is_refused_and_said_why(change: dict[str, object], reason: str) -> None:
    one = replace(of(CORPUS, 0, 1, new_head=3), **change)  # type: ignore[arg-type]
    other = of(CORPUS, 1, 1, new_upos="PART")
    found = applied(one, other)
    assert [(refused.correction, refused.reason) for refused in found.refused] == [(one, reason)]
    assert found.done == (other,)
    assert found.content.decode() == TEXT.replace("yes\tINTJ", "yes\tPART")


def test_what_is_said_is_one_line_whatever_a_file_says() -> None:
    odd = "a\n\x1b[31m\u2028"
    one = replace(of(CORPUS, 0, 1, new_head=3), deprel=odd, upos=odd)
    said = [str(k) for change in ({}, {"sent_id": odd}, {"form": odd}) for k in applied(replace(one, **change)).refused]  # type: ignore[arg-type]
    assert len(said) == 3
    assert all(text.isprintable() for text in said)


def test_corrections_of_a_sentence_are_taken_together() -> None:
    down, up = of(CORPUS, 0, 3, new_head=2, new_deprel="acl"), of(CORPUS, 0, 2, new_head=0, new_deprel="root")
    tag = of(CORPUS, 0, 1, new_upos="NOUN")
    assert [refused.reason for refused in applied(down).refused] == ["word 2 would be its own ancestor"]
    assert [refused.reason for refused in applied(up, tag).refused] == ["there would be 2 root words"] * 2
    assert len(applied(down, up, tag).done) == 3
    outside = [refused.reason for refused in applied(replace(down, new_head=9), tag).refused]
    assert outside == ["word 3 would have head 9; expected 0..4 and not the word itself"] * 2


def test_sentences_are_told_apart_by_name_or_number() -> None:
    third = of(CORPUS, 2, 2, new_deprel="discourse")
    assert b"\t1\tdiscourse\t1:discourse\t" in applied(third).content
    twice = TEXT + TEXT
    assert applied(of(CORPUS, 0, 1, new_head=3), text=twice).refused[0].reason == "2 sentences have this sent_id"
    files = apply_corrections([replace(third, sentence=6)], CORPUS, CORPUS)
    assert files.contents[0].decode() == TEXT
    assert b"discourse" in files.contents[1]
    again = applied(third, replace(third, new_deprel="dep"))
    assert [refused.reason for refused in again.refused] == ["another correction of this word came before"]


def test_a_second_root_may_stay_where_there_was_one_before() -> None:
    text = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n3\tc\tc\tX\t_\t_\t1\tdep\t_\t_\n\n"
    corpus = parse_conllu(text)
    assert applied(of(corpus, 0, 3, new_head=2), text=text).done
    assert applied(of(corpus, 0, 3, new_head=0), text=text).refused


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[Correction]]:
    """A random treebank and corrections, of which some fit."""
    text = draw(corpora(most=4))
    corpus = parse_conllu(text)
    found = []
    for _ in range(draw(st.integers(1, 6))):
        s = draw(st.integers(0, corpus.n_sentences - 1))
        n = int(corpus.start[s + 1] - corpus.start[s])
        one = of(corpus, s, draw(st.integers(1, n)), new_head=draw(st.integers(0, n)))
        labels = draw(st.sampled_from((None, *RELATIONS))), draw(st.sampled_from((None, *TAGS)))
        one = replace(one, new_deprel=labels[0], new_upos=labels[1])
        found.append(replace(one, head=draw(st.sampled_from((one.head, one.head, one.head, 1)))))
    return text, found


@given(cases())
def test_any_corrections_leave_trees_and_change_only_what_they_name(case: tuple[str, list[Correction]]) -> None:
    text, corrections = case
    found = applied(*corrections, text=text)
    assert len(found.done) + len(found.refused) == len(corrections)
    before, after = parse_conllu(text), parse_conllu(found.content)  # which refuses what is no tree
    wanted = text.split("\n")
    for one in found.done:
        s = one.sentence - 1
        row = int(before.start[s]) + one.id - 1
        assert (int(after.head[row]), after.value("deprel", row)) == one.arc
        line = int(before.first_line[s]) + one.id - 2
        columns = wanted[line].split("\t")
        columns[3] = one.new_upos or columns[3]
        columns[6:8] = [str(one.arc[0]), one.arc[1]]
        wanted[line] = "\t".join(columns)
    assert found.content.decode() == "\n".join(wanted)
    for s in range(before.n_sentences):
        roots = [(corpus.head[corpus.start[s] : corpus.start[s + 1]] == 0).sum() for corpus in (before, after)]
        assert roots[1] <= max(1, roots[0])


def run(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["apply", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit | ValueError), result.exception
    return result.exit_code, result.stderr if isinstance(result.exception, SystemExit | None) else str(result.exception)


def test_the_command_writes_one_file_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(
        corrections_json([of(CORPUS, 0, 1, new_head=3), replace(of(CORPUS, 0, 2, new_head=1), id=3)])
    )
    bank = tmp_path / "bank"
    bank.mkdir()
    (bank / "a.conllu.xz").write_bytes(lzma.compress(TEXT.encode()))
    (bank / "b.conllu").write_text("# sent_id = b\n1\tx\tx\tX\t_\t_\t0\troot\t_\t_\n")
    code, said = run(tmp_path / "c.json", bank, "-o", tmp_path / "fixed", "--strict")
    assert code == 1
    assert "refused: sentence s1: word 3 'tea': the word is 'cools' now" in said
    assert "1 correction made, 1 refused" in said
    wanted = TEXT.replace("2\tamod\t2:amod", "3\tamod\t3:amod").encode()
    assert lzma.decompress((tmp_path / "fixed" / "a.conllu.xz").read_bytes()) == wanted
    assert (tmp_path / "fixed" / "b.conllu").read_bytes() == (bank / "b.conllu").read_bytes()
    for name, opened in (("one.conllu", bytes), ("one.conllu.gz", gzip.decompress)):
        assert run(tmp_path / "c.json", bank / "a.conllu.xz", "-o", tmp_path / name)[0] == 0
        assert opened((tmp_path / name).read_bytes()) == wanted
    assert "expected a directory" in run(tmp_path / "c.json", bank, "-o", "-")[1]
    (tmp_path / "b.conllu").write_text(TEXT)
    assert (
        "2 files are named b.conllu" in run(tmp_path / "c.json", bank, tmp_path / "b.conllu", "-o", tmp_path / "f")[1]
    )


def test_a_malformed_sentence_stops_or_stays(tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text("1\tbad\n\n" + TEXT)
    (tmp_path / "c.json").write_text(corrections_json([of(CORPUS, 0, 1, new_head=3)]))
    args = (tmp_path / "c.json", tmp_path / "t.conllu", "-o", tmp_path / "o.conllu")
    assert "2 columns" in run(*args)[1]
    assert not (tmp_path / "o.conllu").exists()
    code, said = run(*args, "--on-error", "skip")
    assert code == 0
    assert "left as it is: " in said
    assert (tmp_path / "o.conllu").read_text() == "1\tbad\n\n" + TEXT.replace("2\tamod\t2:amod", "3\tamod\t3:amod")


def test_other_columns_are_corrected_and_nothing_else() -> None:
    others = {"lemma": ("hot", "heat"), "xpos": ("A", "JJ"), "feats": ("_", "Case=Nom|Number=Sing")}
    found = applied(of(CORPUS, 0, 1, others=others))
    assert found.content.decode() == TEXT.replace(
        "hot\thot\tADJ\tA\t_\t2\tamod\t2:amod", "hot\theat\tADJ\tJJ\tCase=Nom|Number=Sing\t2\tamod\t2:amod"
    )
    stale = applied(of(CORPUS, 0, 1, others={"lemma": ("cold", "heat")}))
    assert [refused.reason for refused in stale.refused] == ["it has lemma 'hot' now; expected 'cold'"]
    done = applied(of(CORPUS, 0, 1, others={"lemma": ("cold", "hot")}))
    assert [refused.reason for refused in done.refused] == ["it is so already"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("feats", value) for value in ("", "Number=Sing|Case=Nom", "Case=Nom|Case=Gen", "Case", "Case=Nom |X=Y")),
        *(("lemma", value) for value in ("", " a", "a\tb", "a\n")),
        *(("xpos", value) for value in ("", "A B", "A\t")),
    ],
)
def test_values_that_cannot_stand_in_a_column_are_refused(name: str, value: str) -> None:
    with pytest.raises(CorrectionError, match=f"new_{name} "):
        of(CORPUS, 0, 1, others={name: ("_", value)})
