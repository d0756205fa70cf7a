"""The example of docs/serving.md runs, and threads that share a scorer get the same scores."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import treegauge as tg
from treegauge.corpus.conllu import parse_conllu

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "src" / "treegauge" / "demo" / "demo.conllu"


def test_the_server_of_the_page_answers(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install '.[test-all]'")
    from fastapi.testclient import TestClient

    code = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "serving.md").read_text("utf-8"), re.DOTALL)
    assert code
    (tmp_path / "server.py").write_text(code.group(1), encoding="utf-8")
    client = TestClient(run_path(str(tmp_path / "server.py"))["app"])
    answer = client.post("/suspicious?top=3", content=DEMO.read_bytes())
    assert answer.status_code == 200
    assert [row["rank"] for row in answer.json()["rows"]] == [1, 2, 3]
    wrong = client.post("/suspicious", content=b"1\tno\n")
    assert wrong.status_code == 422
    assert "expected 10, separated by tabs" in wrong.json()["detail"]


def test_threads_that_share_a_scorer_get_the_same_scores() -> None:
    scorer, text = tg.scorer(model="en"), DEMO.read_text("utf-8")
    alone = tg.score(parse_conllu(text), scorer).scores

    def scores(_: int) -> np.ndarray:
        return np.array(tg.score(parse_conllu(text), scorer).scores)

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(scores, range(40)):
            assert np.array_equal(found, alone)
