"""Ranking on disk gives, byte for byte, what ranking in memory gives."""

import json
import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.cli import cli
from treegauge.corpus import pieces
from treegauge.ranking import job, sorter, stream
from treegauge.ranking.sorter import Sorter, Texts

HERE = Path(__file__).parents[1]
DEMO = HERE.parent / "src" / "treegauge" / "demo" / "demo.conllu"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little of everything that thirteen sentences fill many pieces, readers, runs and buckets."""
    monkeypatch.setattr(pieces, "_PIECE", 700)
    monkeypatch.setattr(pieces, "_MOST_LABELS", 20)
    monkeypatch.setattr(stream, "_BUCKET", 17)
    monkeypatch.setattr(stream, "_BLOCK", 5)
    monkeypatch.setattr(sorter, "_LEAST", 3)
    monkeypatch.setattr(job._Room, "__call__", lambda self: 900)


def ranked(*args: object) -> tuple[bytes, str]:
    result = CliRunner().invoke(cli, ["rank", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout_bytes, result.stderr


@given(
    st.lists(st.sampled_from([-np.inf, -2.5, -1.0, -0.0, 0.0, 3.0]), max_size=60),
    st.lists(st.integers(1, 9), min_size=1, max_size=20),
    st.integers(1, 2000),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_order_is_that_of_a_sort_in_memory(
    scores: list[float], sizes: list[int], memory: int, suspicious: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(sorter, "_LEAST", 2)
        patch.setattr(sorter, "_BLOCK", 7)
        sorting = Sorter(suspicious, lambda: folder, memory)
        low = 0
        while low < len(scores):
            high = min(low + sizes[low % len(sizes)], len(scores))
            sorting.add(
                np.array(scores[low:high]),
                np.arange(low, high),
                Texts.of([b"" if k % 3 else b"%d" % k for k in range(low, high)]),
            )
            low = high
        blocks = list(sorting.blocks())
    expected = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    if suspicious:
        expected.reverse()
    assert [k for block in blocks for k in block.row.tolist()] == expected
    lines = [block.texts[k] for block in blocks for k in range(len(block.texts))]
    assert lines == [b"" if k % 3 else b"%d" % k for k in expected]


OPTIONS = [
    ["-f", output_format, "--order", order, *more]
    for output_format, order, more in product(
        ("tsv", "json"),
        ("reliable", "suspicious", "corpus"),
        ([], ["--top", 11], ["--relation", "nsubj,obj,case"], ["--relation", "nsubj", "--bins-of-all", "--bins", 7]),
    )
]
OPTIONS += [
    ["-f", "conllu", "--mark", 9],
    ["-f", "conllu", "--relation", "nsubj,obj,case"],
    ["-f", "conllu", "--relation", "nsubj", "--bins-of-all", "--bins", 7],
    ["-f", "conllu", "--mark", 3, "--misc", ",Bin,"],
    ["-f", "conllu", "--scorer", "choice", "--suggest"],
    ["-f", "text", "--scorer", "choice", "--suggest"],
    ["-f", "conllu", "--mark", 5, "--relation", "punct"],
    ["-f", "tsv", "--scorer", "random"],
    ["-f", "tsv", "--scorer", "length"],
    ["-f", "tsv", "--scorer", "ptr", "--order", "suspicious"],
    ["-f", "tsv", "--smoothing", "none"],
    ["-f", "tsv", "--explain", "--top", 12],
    ["-f", "json", "--explain", "--top", 12, "--order", "corpus"],
    ["-f", "json", "--top", 7, "--smoothing", "none", "--order", "suspicious"],
    ["-f", "text"],
    ["-f", "text", "--explain", "--order", "reliable", "--top", 5],
    ["-f", "tsv", "--explain"],
    ["-f", "tsv", "--explain", "--order", "corpus"],
    ["-f", "json"],
    *(["-f", form, "--unit", "sentence"] for form in ("tsv", "json", "conllu", "text")),
    ["-f", "tsv", "--unit", "sentence", "--order", "corpus", "--bins", 3],
]
ALONE = [
    ["--self", "-f", "tsv", "--explain", "--top", 9],
    ["--folds", 3, "-f", "conllu", "--mark", 4],
    ["--self", "--scorer", "choice", "-f", "tsv", "--suggest", "--explain", "--top", 15],
    ["--folds", 2, "--scorer", "choice", "-f", "json", "--suggest", "--order", "corpus"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(map(str, options)))
def test_disk_and_memory_give_the_same_bytes(
    options: list[object], tiny: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [DEMO, HERE / "data" / "no_final_newline.conllu", HERE / "data" / "multiword_and_empty.conllu", DEMO]
    usual = ranked(*files, "-m", "en", *options)
    assert ranked(*files, "-m", "en", "--memory", 1, *options) == usual
    monkeypatch.setattr(job.RankRequest, "reads_once", False)  # the whole corpus stays in memory
    assert ranked(*files, "-m", "en", *options) == usual


@pytest.mark.parametrize("options", ALONE, ids=lambda options: " ".join(map(str, options)))
def test_disk_and_memory_judge_a_corpus_by_itself_alike(options: list[object], tiny: None) -> None:
    files = [DEMO, HERE / "data" / "scripts.conllu", HERE / "data" / "plain.conllu"]
    assert ranked(*files, "--memory", 1, *options) == ranked(*files, *options)


TOPS = [
    *(
        ["-f", form, "--order", order, "--top", 7]
        for form, order in product(("tsv", "json"), ("reliable", "suspicious"))
    ),
    ["-f", "text"],
    ["-f", "text", "--explain", "--top", 0],
    ["-f", "text", "--top", 400],
    ["-f", "text", "--unit", "sentence", "--top", 3],
    ["-f", "conllu", "--unit", "sentence", "--top", 3],
    ["-f", "text", "--relation", "punct,nsubj", "--top", 5],
    ["-f", "text", "--relation", "punct,nsubj", "--top", 5, "--bins-of-all"],
]


@pytest.mark.parametrize("options", TOPS, ids=lambda options: " ".join(map(str, options)))
def test_what_passes_through_is_listed_as_if_it_were_held(
    options: list[object], tiny: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [DEMO, HERE / "data" / "no_final_newline.conllu", HERE / "data" / "scripts.conllu", DEMO]
    passed = ranked(*files, "-m", "en", *options)
    monkeypatch.setattr(job.RankRequest, "passes", False)
    assert ranked(*files, "-m", "en", *options) == passed


def test_standard_input_passes_through() -> None:
    command = [sys.executable, "-m", "treegauge", "rank", "-", "-m", "en"]
    passed = subprocess.run(command, input=DEMO.read_bytes(), capture_output=True, check=True)
    assert passed.stdout == ranked(DEMO, "-m", "en")[0]


@given(
    st.lists(st.sampled_from([-np.inf, -2.5, -1.0, -0.0, 0.0, 3.0]), max_size=60),
    st.integers(0, 9),
    st.integers(1, 7),
    st.booleans(),
)
def test_the_first_of_an_order_are_those_of_all(scores: list[float], top: int, size: int, suspicious: bool) -> None:
    whole, first = Sorter(suspicious), Sorter(suspicious, top=top)
    for low in range(0, len(scores), size):
        rows = np.arange(low, min(low + size, len(scores)))
        for sorting in (whole, first):
            sorting.add(np.array(scores)[rows], rows, Texts.of([b"%d" % k for k in rows]))
    (all_of_them,), (some,) = whole.blocks(), first.blocks()
    assert first.n == len(scores)
    assert some.row.tolist() == all_of_them.row[:top].tolist()
    assert [some.texts[k] for k in range(len(some))] == [b"%d" % k for k in some.row]


def test_too_little_memory_is_said() -> None:
    _, said = ranked(DEMO, "-m", "en", "-f", "tsv", "--memory", 1)
    assert re.search(r"--memory 1: the program, its model and a piece of text take \d+ MB", said)
    assert "--memory" not in ranked(DEMO, "-m", "en", "-f", "tsv", "--memory", 1_000_000)[1]


def test_small_files_share_a_piece(tmp_path: Path) -> None:
    sentence = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    paths = [tmp_path / f"{k}.conllu" for k in range(30)]
    for k, path in enumerate(paths):
        path.write_text(sentence * (k % 3 + 1))
    (piece,) = pieces.FilePieces([*map(str, paths)], ("form", "deprel"))
    assert piece.number.tolist() == list(range(1, 61))
    assert piece.where(59) == f"{paths[-1]}:5"
    twice = list(pieces.FilePieces([str(paths[1])] * 2, ("form", "deprel")))
    assert [piece.number.tolist() for piece in twice] == [[1, 2], [3, 4]]


MEMORY = """
import re, sys
from click.testing import CliRunner
from treegauge.cli import cli
result = CliRunner().invoke(cli, ["rank", *sys.argv[1:]], catch_exceptions=False)
assert result.exit_code == 0, result.output
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


def peak_of(*args: object) -> int:
    """The most memory, in bytes, that ranking takes in a process of its own."""
    done = subprocess.run([sys.executable, "-c", MEMORY, *map(str, args)], capture_output=True, text=True, check=True)
    return 1024 * int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_memory_does_not_grow_with_what_is_not_shown(tmp_path: Path) -> None:
    words = "".join(f"{k}\tword{k}\tword\tNOUN\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 21)) + "\n"
    for name, n in (("small", 10_000), ("large", 20_000)):
        (tmp_path / f"{name}.conllu").write_text(words * n)
    small, large = (peak_of(tmp_path / f"{name}.conllu", "-m", "en") for name in ("small", "large"))
    assert (large - small) / 200_000 < 60  # bytes a word
    table = "-m", "en", "-f", "tsv", "-o", tmp_path / "arcs.tsv"  # what is captured would count, too
    small, large = (peak_of(tmp_path / f"{name}.conllu", *table) for name in ("small", "large"))
    assert (large - small) / 200_000 < 200
    (tmp_path / "many").mkdir()
    for k in range(300):  # together as long as a half of the small one
        (tmp_path / "many" / f"{k:03d}.conllu").write_text(words * 17)
    assert peak_of(tmp_path / "many", "-m", "en", "-f", "conllu") < peak_of(
        tmp_path / "small.conllu", "-m", "en", "-f", "conllu"
    )


def test_defects_are_left_out_alike(tiny: None) -> None:
    files = [HERE / "data" / "one_defect_each.conllu", DEMO]
    for output_format in ("tsv", "conllu"):
        options = ["-m", "en", "-f", output_format, "--on-error", "skip"]
        assert ranked(*files, *options, "--memory", 1) == ranked(*files, *options)


def test_shards_put_together_are_the_whole(tiny: None, tmp_path: Path) -> None:
    whole, _ = ranked(DEMO, "-m", "en", "-f", "tsv")
    ranked(DEMO, "-m", "en", "-f", "tsv", "--split", 50, "-o", tmp_path / "arcs.tsv")
    parts = [path.read_bytes().splitlines(keepends=True) for path in sorted(tmp_path.iterdir())]
    assert [len(part) - 1 for part in parts] == [50, 50, 42]
    header = whole.splitlines(keepends=True)[0]
    assert {part[0] for part in parts} == {header}
    assert header + b"".join(line for part in parts for line in part[1:]) == whole
    trees, _ = ranked(DEMO, "-m", "en", "-f", "conllu")
    ranked(DEMO, "-m", "en", "-f", "conllu", "--split", 50, "-o", tmp_path / "trees.conllu")
    shards = sorted(tmp_path.glob("trees-*.conllu"))
    assert len(shards) > 1
    assert b"".join(path.read_bytes() for path in shards) == trees


def test_nothing_is_left_behind_of_an_empty_corpus(tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    for output_format in ("tsv", "conllu", "text", "json"):
        for more in ([], ["--bins", 3], ["--memory", 1], ["--memory", 1, "--bins", 3]):
            options = [empty, "-m", "en", "-f", output_format, "-o", tmp_path / "out", *more]
            result = CliRunner().invoke(cli, ["rank", *map(str, options)])
            assert "empty.conllu: no sentences" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.conllu"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "en", "-f", "tsv", "--split", 9], "--split is for"),
        (["-m", "en", "-f", "tsv", "--relation", "subj", "--memory", 1], "no arc has relation subj; there are"),
        (["-m", "en", "-f", "tsv", "--memory", 1, "-o", "/no/such/folder/x"], "/no/such/folder/x: cannot be written"),
    ],
)
def test_what_cannot_be_is_said(options: list[object], message: str) -> None:
    result = CliRunner().invoke(cli, ["rank", str(DEMO), *map(str, options)])
    assert message in str(result.exception)


def test_large_corpora_are_recognised_by_their_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from treegauge.corpus.pieces import larger_than_memory

    (tmp_path / "a.conllu").write_bytes(b"x" * 1000)
    (tmp_path / "a.conllu.xz").write_bytes(b"x" * 1000)
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 20_000}[name])
    assert not larger_than_memory([str(tmp_path / "a.conllu")], 6)
    assert larger_than_memory([str(tmp_path / "a.conllu")], 18)
    assert larger_than_memory([str(tmp_path / "a.conllu.xz")], 6)


def test_json_has_the_fit_of_all_pieces(tiny: None) -> None:
    whole, _ = ranked(DEMO, "-m", "fo", "-f", "json", "--top", 1)
    pieces, _ = ranked(DEMO, "-m", "fo", "-f", "json", "--top", 1, "--memory", 1)
    assert json.loads(pieces)["fit"] == json.loads(whole)["fit"]
