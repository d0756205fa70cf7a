"""Files behind URLs: read, globbed and written by fsspec."""

import gzip
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.files import expand_paths
from treegauge.errors import CorpusError, OutputError
from treegauge.models.building import build_model
from treegauge.models.bundled_models import load_model
from treegauge.models.model import model_bytes

fsspec = pytest.importorskip("fsspec")
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def memory() -> str:
    """A folder that is nowhere on disk, with two corpora and something else."""
    files = fsspec.filesystem("memory")
    files.pipe("/corpora/a.conllu", (DATA / "plain.conllu").read_bytes())
    files.pipe("/corpora/b.conllu.gz", gzip.compress((DATA / "one_word.conllu").read_bytes()))
    files.pipe("/corpora/c.txt", b"text")
    return "memory://corpora"


def test_urls_are_read_globbed_and_unpacked(memory: str) -> None:
    paths = expand_paths([memory])
    assert [path.rpartition("/")[2] for path in paths] == ["a.conllu", "b.conllu.gz"]
    assert expand_paths([f"{memory}/*.conllu"]) == paths[:1]
    local = [str(DATA / "plain.conllu"), str(DATA / "one_word.conllu")]
    assert read_conllu(*paths).n_words == read_conllu(*local).n_words
    assert build_model(paths).hash == build_model(local).hash


def test_a_model_is_written_to_a_url_whole(memory: str) -> None:
    model = build_model(DATA / "plain.conllu")
    model.save(f"{memory}/m.tgm")
    assert model_bytes(load_model(f"{memory}/m.tgm")) == model_bytes(model)
    assert not fsspec.filesystem("memory").exists("/corpora/m.tgm.part")


def test_urls_that_lead_nowhere_say_so(memory: str) -> None:
    with pytest.raises(CorpusError, match=r"no \.conllu file there"):
        expand_paths(["memory://nowhere"])
    with pytest.raises(CorpusError, match="nosuch"):
        expand_paths(["nosuch://x/y"])


def test_a_web_server_is_read_from(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(DATA)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/"
        assert read_conllu(*expand_paths([url + "plain.conllu"])).n_words == 10
        with pytest.raises(CorpusError, match=r"missing\.conllu"):
            read_conllu(*expand_paths([url + "missing.conllu"]))
        with pytest.raises(OutputError, match="nothing under that name has changed"):
            build_model(DATA / "plain.conllu").save(url + "m.tgm")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
