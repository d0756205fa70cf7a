"""What the tests of evaluation share: small treebanks, udtools, kernels run interpreted."""

import importlib.util
import io
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from udtools.udeval import evaluate as udtools_evaluate
from udtools.udeval import load_conllu

from treegauge.evaluation.attachment.evaluation import Evaluation, evaluate

HERE = Path(__file__).parent
FIELDS = ("precision", "recall", "f1", "aligned_accuracy")


def line(number, form, head="_", deprel="_", *, lemma="_", upos="_", xpos="_", feats="_", deps="_", misc="_"):
    """A line of CoNLL-U."""
    return "\t".join(map(str, (number, form, lemma, upos, xpos, feats, head, deprel, deps, misc)))


def sentence(*words, sent_id=None):
    """A sentence of (form, head, deprel) or (form, head, deprel, columns as a dict), numbered from 1."""
    lines = [f"# sent_id = {sent_id}"] if sent_id else []
    for n, (form, head, deprel, *more) in enumerate(words, 1):
        lines.append(line(n, form, head, deprel, **(more[0] if more else {})))
    return "\n".join(lines) + "\n\n"


def ours(gold: str, system: str, **options) -> Evaluation:
    """treegauge on two texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "gold.conllu"), Path(folder, "system.conllu")
        for path, text in zip(paths, (gold, system), strict=True):
            path.write_bytes(text.encode())
        return evaluate(*paths, **options)


def theirs(gold: str, system: str):
    """udtools 0.2.9 on two texts; several roots are allowed, as they are here."""
    sides = [load_conllu(io.StringIO(text), "text", {"multiple_roots_okay": True}) for text in (gold, system)]
    return udtools_evaluate(*sides)


def assert_same_scores(evaluation: Evaluation, expected) -> None:
    """Every number of ours is that of udtools; ELAS may lack only where a side has no enhanced arc."""
    for metric, score in expected.items():
        if metric not in evaluation.scores:
            assert metric in ("ELAS", "EULAS")
            assert score.gold_total == 0 or score.system_total == 0 or score.correct == 0
            assert not (evaluation.gold.enhanced and evaluation.system.enhanced)
            continue
        found = evaluation.scores[metric]
        assert [getattr(found, f) for f in FIELDS] == [getattr(score, f) for f in FIELDS], metric
    assert set(evaluation.scores) <= set(expected)


def interpreted(name: str) -> ModuleType:
    """A kernel run from its source by the interpreter."""
    path = Path(sys.modules["treegauge"].__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
    spec = importlib.util.spec_from_file_location(f"interpreted_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
