"""However many count, and whoever dies meanwhile, the model is the same."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.cli import cli
from treegauge.corpus import pool as pool_module
from treegauge.corpus.pool import GroupedSum, Pool, WorkerLostError, open_pool
from treegauge.corpus.reading_log import ReadingLog
from treegauge.errors import CorpusError, OptionError
from treegauge.models import many_files
from treegauge.models.bundled_models import load_model
from treegauge.models.lisca import counts
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.many_files import FilePart, build_reference_on, parts_of
from treegauge.models.model import Model, model_bytes

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "src" / "treegauge" / "demo" / "demo.conllu"
DATA = ROOT / "tests" / "data"
FILES = [
    str(path) for path in (DEMO, DATA / "plain.conllu", DATA / "dos_line_ends.conllu", DATA / "no_final_newline.conllu")
]


def pieces(path: str, size: int) -> bytes:
    text = b""
    for part in parts_of([path], size):
        with part.open(path) as stream:
            buffer = bytearray(100_000)
            while got := stream.readinto(buffer):  # type: ignore[attr-defined]
                text += buffer[:got]
    return text


@given(st.sampled_from([*FILES, str(DATA / "extra_blank_lines.conllu")]), st.integers(1, 9000))
@settings(max_examples=60, deadline=None)
def test_parts_are_the_file_cut_between_sentences(path: str, size: int) -> None:
    text = Path(path).read_bytes()
    assert pieces(path, size) == text
    for part in parts_of([path], size):
        with part.open(path) as stream:
            first = bytearray(2)
            if stream.readinto(first):  # type: ignore[attr-defined]
                assert bytes(first[:1]) in b"#1\n\r"


@pytest.mark.parametrize("size", [300, 2000, 1 << 20])
def test_parts_add_up_to_the_model_of_the_whole(size: int) -> None:
    for preset in (CountSettings(), CountSettings("2013", forms=True)):
        whole = build_reference(FILES, preset)
        assert model_bytes(Model(build_reference_on(Pool(), FILES, preset, part_bytes=size))) == model_bytes(
            Model(whole)
        )


def test_two_processes_build_the_same_file(tmp_path: Path) -> None:
    one, two = tmp_path / "1.tgm", tmp_path / "2.tgm"
    for path, options in ((one, ["--threads", "1"]), (two, ["--workers", "2"])):
        result = CliRunner().invoke(cli, ["model", "build", *FILES, "--counts-only", "-o", str(path), *options])
        assert result.exit_code == 0, result.exception
    assert one.read_bytes() == two.read_bytes()


def test_defects_have_their_place_in_the_file() -> None:
    path = str(DATA / "one_defect_each.conllu")
    with ReadingLog() as sequential:
        whole = build_reference([path], on_error="skip")
    for size in (1, 200, 1 << 20):
        with ReadingLog() as log:
            model = build_reference_on(Pool(), [path], on_error="skip", part_bytes=size)
        assert sorted(log.lines()) == sorted(sequential.lines())
        assert log.total.notes.n_words == 14
        assert model_bytes(Model(model)) == model_bytes(Model(whole))
    with pytest.raises(CorpusError, match=r"one_defect_each\.conllu:5: sentence 2"):
        build_reference_on(Pool(), [path])


def test_a_damaged_shard_stops_it_and_nothing_is_written(tmp_path: Path) -> None:
    import gzip

    damaged = tmp_path / "b.conllu.gz"
    damaged.write_bytes(gzip.compress(DEMO.read_bytes())[:-500])
    (tmp_path / "a.conllu").write_bytes(DEMO.read_bytes())
    for options in (["--workers", "2"], ["--threads", "2"]):
        result = CliRunner().invoke(
            cli, ["model", "build", str(tmp_path), "--counts-only", "-o", str(tmp_path / "x.tgm"), *options]
        )
        assert "b.conllu.gz: " in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.conllu", "b.conllu.gz"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-", "--workers", "2"], "standard input cannot be shared among workers"),
        ([str(DEMO), "--workers", "2", "--threads", "2"], "--threads excludes --workers and --cluster"),
        ([str(DEMO), "--cluster", "tcp://127.0.0.1:9"], "no Dask scheduler answers there"),
    ],
)
def test_wrong_options_say_why(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--cluster" in options:
        pytest.importorskip("distributed")
        monkeypatch.setattr(pool_module, "_ANSWER", "1s")
    result = CliRunner().invoke(cli, ["model", "build", *options, "--counts-only", "-o", str(tmp_path / "x.tgm")])
    assert message in str(result.exception)
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.integers(), max_size=200))
def test_a_tree_adds_up_everything_in_small_groups(numbers: list[int]) -> None:
    widest = 0

    def add(group: list[int]) -> int:
        nonlocal widest
        widest = max(widest, len(group))
        return sum(group)

    tree = GroupedSum(add)
    for number in numbers:
        tree.put(number)
    assert (tree.total() or 0) == sum(numbers)
    assert widest <= 3 * 7


# --- on a cluster


def test_a_cluster_builds_the_same_file(cluster: Any, tmp_path: Path) -> None:
    options = ["-o", str(tmp_path / "x.tgm"), "--cluster", cluster.scheduler_address]
    result = CliRunner().invoke(cli, ["model", "build", *FILES, "--counts-only", *options])
    assert result.exit_code == 0, result.exception
    assert (tmp_path / "x.tgm").read_bytes() == model_bytes(Model(build_reference(FILES)))
    assert load_model(str(tmp_path / "x.tgm")).words == build_reference(FILES).words


def slow_count(settings: CountSettings, part: FilePart) -> many_files.Counted:
    time.sleep(0.1)
    return many_files.count_part(settings, part)


def test_a_worker_killed_in_the_middle_changes_nothing(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_files, "count_part", slow_count)
    killed: list[int] = []

    def progress(words: int) -> None:
        progress.reports += 1  # type: ignore[attr-defined]
        if progress.reports == 6:  # type: ignore[attr-defined]
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)

    progress.reports = 0  # type: ignore[attr-defined]
    with open_pool(cluster=cluster.scheduler_address) as pool:
        model = build_reference_on(pool, FILES, part_bytes=400, progress=progress)
    assert killed
    assert not _alive(killed[0])
    assert progress.reports > 20  # type: ignore[attr-defined]
    assert model_bytes(Model(model)) == model_bytes(Model(build_reference(FILES)))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_trees_are_parsed_on_a_cluster_too(cluster: Any, tiny_udpipe: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"The cat sees dog {k} .\n" for k in range(100)))
    options = ["-p", f"udpipe:{tiny_udpipe}", "--input", "tokens", "--shard-size", "0.0005"]
    for folder, where in (("here", ["--workers", "1"]), ("there", ["--cluster", cluster.scheduler_address])):
        result = CliRunner().invoke(cli, ["parse", str(text), *options, "-o", str(tmp_path / folder), *where])
        assert result.exit_code == 0, result.exception
    here, there = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert len(here) > 3
    assert here == there


def _stop(part: FilePart) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_a_job_that_kills_every_worker_is_given_up(cluster: Any) -> None:
    with (
        open_pool(cluster=cluster.scheduler_address) as pool,
        pytest.raises(WorkerLostError, match="several workers of the cluster ended at the same job"),
    ):
        list(pool.results(_stop, [FilePart("x")]))


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'treegauge\[distributed\]'"), open_pool(cluster="tcp://x:1"):
        pass


def test_many_files_need_no_more_counters_than_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(20):
        (tmp_path / f"{k:02}.conllu").write_bytes(DEMO.read_bytes())
    made = 0

    class Counting(counts.ArcCounter):
        def __init__(self, settings: CountSettings) -> None:
            nonlocal made
            made += 1
            super().__init__(settings)

    monkeypatch.setattr(counts, "ArcCounter", Counting)
    paths = sorted(map(str, tmp_path.iterdir()))
    assert build_reference(paths, threads=2).words == 20 * 142
    assert made <= 2
