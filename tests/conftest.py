"""Where test data are: hand-made treebanks beside the tests, the optional evaluation data elsewhere."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how busy a machine is says nothing of an example
settings.load_profile("any machine")

HERE = Path(__file__).parent
EVALUATION_DATA = Path(os.environ.get("TREEGAUGE_DATA", HERE.parent.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The hand-made treebanks."""
    return HERE / "data"


@pytest.fixture(scope="session")
def evaluation_data() -> Path:
    """The evaluation data; a test that asks for them is skipped where they are not."""
    if not EVALUATION_DATA.is_dir():
        pytest.skip("no evaluation data: set TREEGAUGE_DATA to their folder")
    return EVALUATION_DATA


@pytest.fixture(scope="session")
def expected(evaluation_data: Path) -> Path:
    """Values computed independently, beside the evaluation data."""
    folder = evaluation_data.parent / "expected"
    if not folder.is_dir():
        pytest.skip("no expected values beside the evaluation data")
    return folder


@pytest.fixture(scope="session")
def tiny_udpipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A UDPipe model of two sentences, trained now; where ufal.udpipe is missing, the test is skipped."""
    pytest.importorskip("ufal.udpipe")
    from tests.tiny_udpipe import train

    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(train())
    return path


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A small cluster: two workers, each a process of its own."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made
