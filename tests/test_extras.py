"""Packages that are not installed are asked for in one line."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest

import treegauge as tg
from treegauge.difficulty.typology.likeness import language_tree
from treegauge.difficulty.typology.word_order import word_order
from treegauge.errors import OptionError
from treegauge.reports.figures import ending_of
from treegauge.tables import Table

DEMO = Path(tg.__file__).parent / "demo" / "demo.conllu"
TABLE = Table("Title", (("name", "text"),), (("x",),), "settings")


@pytest.mark.parametrize(
    ("package", "use", "extra"),
    [
        ("polars", TABLE.to_polars, "tables"),
        ("pandas", TABLE.to_pandas, "pandas"),
        ("scipy", lambda: language_tree([word_order(DEMO, least=1, name=name) for name in "abc"]), "figures"),
        ("stanza", lambda: import_module("treegauge.parsing.stanza_processor"), "stanza"),
        ("spacy", lambda: tg.displacy(None), "spacy"),  # type: ignore[arg-type]
        ("matplotlib", lambda: ending_of("x.svg"), "figures"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package: str, use: Callable[[], object], extra: str) -> None:
    gone = {name: None for name in sys.modules if name.partition(".")[0] == package} | {package: None}
    sys.modules.pop("treegauge.parsing.stanza_processor", None)  # whose import is its use
    with patch.dict(sys.modules, gone), pytest.raises(OptionError, match=rf"pip install 'treegauge\[{extra}\]'"):
        use()


def test_a_notebook_needs_no_polars() -> None:
    scored = tg.score(Path(__file__).parent / "data" / "plain.conllu", tg.scorer(model="en"))
    with patch.dict(sys.modules, {"polars": None}):
        assert "<table>" in scored.rank(top=3)._repr_html_()
        assert "<table>" in scored.rank_sentences()._repr_html_()
