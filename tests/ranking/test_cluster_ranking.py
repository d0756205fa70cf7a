"""Ranked by many workers, whoever dies meanwhile: byte for byte what one machine writes."""

import os
import pickle
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import treegauge as tg
from tests.models.small_net import random_net
from treegauge.cli import cli
from treegauge.corpus.pool import Pool, open_pool
from treegauge.corpus.reading_log import ReadingLog
from treegauge.errors import CorpusError, OptionError
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.many_files import learn_choice_on, shares_of
from treegauge.ranking import cluster as cluster_job
from treegauge.ranking.cluster import cut_places, rank_on
from treegauge.ranking.job import RankRequest, rank_job
from treegauge.ranking.output_formats import MiscAnnotation, Records, SentenceTrees, TsvTable
from treegauge.ranking.scored import Listing
from treegauge.ranking.units import Unit
from treegauge.reports.ranking_text import Drawings
from treegauge.scorers.registry import NAMES
from treegauge.scorers.scorer import Scorer

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
DEMO = ROOT / "src" / "treegauge" / "demo" / "demo.conllu"
FILES = (
    str(DEMO),
    str(DATA / "plain.conllu"),
    str(DATA / "dos_line_ends.conllu"),
    str(DATA / "no_final_newline.conllu"),
)


@pytest.fixture(scope="module")
def model() -> tg.Model:
    return tg.build_model(*FILES)


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def both(tmp_path: Path, pool: Pool, scorer: Scorer, part_bytes: int = 700, **wanted: Any) -> tuple[dict, dict]:
    """What one machine and what a pool write, in files of these names."""
    listing = Listing(**wanted.pop("listing", {"order": "reliable"}))
    found = []
    for name in ("one", "many"):
        (tmp_path / name).mkdir()
        request = RankRequest(FILES, listing, output=str(tmp_path / name / "arcs.tsv"), **wanted)
        if name == "one":
            with rank_job(request, scorer) as job:
                job.write()
        else:
            with rank_on(pool, request, scorer, part_bytes=part_bytes) as job:
                job.write()
        found.append((written(tmp_path / name), list(job.notes())))
    assert found[0][1] == found[1][1]
    return found[0][0], found[1][0]


@pytest.mark.parametrize("scorer", ["lisca", "choice", "length"])
@pytest.mark.parametrize(
    "wanted",
    [
        {"split": 50},
        {"split": 50, "listing": {"order": "suspicious", "bins": 4}},
        {"split": 17, "listing": {"order": "suspicious", "top": 60}},
        {"output_format": Records(), "listing": {"order": "reliable", "relations": ("punct", "nsubj")}},
        {"output_format": TsvTable(Unit.SENTENCE), "split": 4},
        {"output_format": SentenceTrees(Unit.SENTENCE), "listing": {"order": "suspicious", "top": 5}},
        {"output_format": Drawings(), "listing": {"order": "suspicious", "top": 3}},
    ],
)
def test_parts_sorted_apart_are_written_as_one_machine_does(
    tmp_path: Path, model: tg.Model, scorer: str, wanted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_job, "_CHUNK", 7)
    one, many = both(tmp_path, Pool(), tg.scorer(scorer, model), **wanted)
    assert one == many
    assert any(one.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_scorer_travels_and_scores_the_same_there(name: str, tmp_path: Path) -> None:
    corpus = tg.read_conllu(DEMO)
    with_forms = replace(tg.build_model(*FILES, settings=CountSettings(forms=True)), net=random_net(corpus))
    scorer = tg.scorer(name, with_forms)
    before = tg.score(corpus, scorer)
    again = tg.score(corpus, pickle.loads(pickle.dumps(scorer)))
    assert np.array_equal(before.scores, again.scores, equal_nan=True)
    if name in ("lisca", "choice", "net"):
        reasons = [[one.lines() for one in scored.explain(np.arange(3))] for scored in (before, again)]
        assert reasons[0] == reasons[1]
        pickle.dumps(scorer)  # with whatever it remembers by now


@given(st.lists(st.lists(st.sampled_from([-np.inf, -2.5, -0.0, 0.0, 1.0, 1e300, np.inf])), min_size=1), st.data())
def test_places_are_cut_where_a_merge_would_cut_them(lists: list[list[float]], data: st.DataObject) -> None:
    keys = [np.sort(np.array(one, dtype=float)) for one in lists]
    n = sum(map(len, keys))
    places = np.array(data.draw(st.lists(st.integers(0, n), min_size=1)))
    merged = sorted((key, k) for k, one in enumerate(keys) for key in one.tolist())
    for place, cut in zip(places.tolist(), cut_places(keys, places), strict=True):
        before = [k for _, k in merged[:place]]
        assert cut.tolist() == [before.count(k) for k in range(len(keys))]


def test_defects_are_told_with_their_lines_wherever_a_part_begins(tmp_path: Path, model: tg.Model) -> None:
    bad = DEMO.read_text() + "bad\n\n" + DEMO.read_text()
    (tmp_path / "bad.conllu").write_text(bad)
    request = RankRequest((str(tmp_path / "bad.conllu"),), Listing("reliable"), output=str(tmp_path / "x.tsv"))
    line = bad.split("\n").index("bad") + 1
    with (
        pytest.raises(CorpusError, match=rf"bad\.conllu:{line}: sentence \d+: 1 columns"),
        rank_on(Pool(), request, tg.scorer("lisca", model), part_bytes=900),
    ):
        pass
    skipping = RankRequest(request.paths, request.listing, output=request.output, on_error="skip")
    with ReadingLog() as log, rank_on(Pool(), skipping, tg.scorer("lisca", model), part_bytes=900) as job:
        job.write()
    assert [defect.line for defect in log.total.notes.defects] == [line]
    with rank_job(skipping, tg.scorer("lisca", model)) as one:
        many = Path(request.output).read_bytes()
        one.write()
    assert many == Path(request.output).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.conllu", "x.tsv"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"output": "-"},
        {"output_format": MiscAnnotation()},
        {"listing": Listing("corpus")},
        {"memory": 100},
        {"output": "s3://x/y.tsv"},
    ],
)
def test_what_workers_cannot_do_together_is_refused(wanted: dict[str, Any], model: tg.Model) -> None:
    fields = {"listing": Listing("reliable"), "output": "x.tsv"} | wanted
    with (
        pytest.raises(OptionError, match="--cluster"),
        rank_on(Pool(), RankRequest(FILES, **fields), tg.scorer("lisca", model)),
    ):
        pass


slow_part = cluster_job._sorted_part


def slowly(*arguments: Any) -> Any:
    time.sleep(0.1)
    return slow_part(*arguments)


def test_a_cluster_ranks_as_one_machine_does_though_a_worker_is_killed(
    cluster: Any, tmp_path: Path, model: tg.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "x.tgm")
    command = ["rank", *FILES, "-m", str(tmp_path / "x.tgm"), "--scorer", "choice", "-f", "tsv", "--split", "40"]
    for name, where in (("one", []), ("many", ["--cluster", cluster.scheduler_address])):
        (tmp_path / name).mkdir()
        result = CliRunner().invoke(cli, [*command, "-o", str(tmp_path / name / "arcs.tsv"), *where])
        assert result.exit_code == 0, result.output
    assert len(written(tmp_path / "one")) > 2
    assert written(tmp_path / "one") == written(tmp_path / "many")
    killed: list[int] = []

    def progress(words: int) -> None:
        if not killed:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)

    monkeypatch.setattr(cluster_job, "_sorted_part", slowly)
    (tmp_path / "killed").mkdir()
    request = RankRequest(FILES, Listing(), output=str(tmp_path / "killed" / "arcs.tsv"), split=40)
    with open_pool(cluster=cluster.scheduler_address) as pool:
        scorer = tg.scorer("choice", model)
        with rank_on(pool, request, scorer, part_bytes=900, progress=progress) as job:
            job.write()
    assert killed
    assert written(tmp_path / "killed") == written(tmp_path / "one")


def test_a_cluster_needs_a_model(tmp_path: Path) -> None:
    command = ["rank", *FILES, "--self", "-f", "tsv", "-o", str(tmp_path / "x"), "--cluster", "tcp://127.0.0.1:1"]
    result = CliRunner().invoke(cli, command)
    assert "--cluster needs a model" in str(result.exception)


def test_shares_hold_every_part_once() -> None:
    parts = [cluster_job.FilePart(str(k)) for k in range(7)]
    for n in (1, 2, 3, 7, 20):
        shares = shares_of(parts, n)
        assert [part for share in shares for part in share] == parts
        assert len(shares) == min(n, 7)
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_one_share_is_learned_as_one_machine_does_and_several_are_near_to_it(cluster: Any) -> None:
    corpus = tg.read_conllu(*FILES)
    relations = sorted({label.partition(":")[0] for label in corpus.labels["deprel"]})
    alone = tg.build_model(*FILES).weights
    assert alone is not None
    one = learn_choice_on(Pool(), FILES, relations)
    assert one.words == alone.words
    assert np.corrcoef(one.head.ravel(), alone.head.ravel())[0, 1] > 0.98
    with open_pool(cluster=cluster.scheduler_address) as pool:
        two = learn_choice_on(pool, FILES, relations, part_bytes=2000)
        again = learn_choice_on(pool, FILES, relations, part_bytes=2000)
    assert two.hash == again.hash
    assert two.words == alone.words
    assert two.relations == alone.relations
    assert np.corrcoef(two.head.ravel(), alone.head.ravel())[0, 1] > 0.8
