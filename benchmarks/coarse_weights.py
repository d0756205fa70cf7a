"""What it costs to keep weights in larger steps, and fewer of them: bytes of a model and ROC-AUC.

    python benchmarks/coarse_weights.py [PAIR …]

Models are learned from gold (`GOLD`); pairs are judged by them. A row says the smallest weight that is kept and the
step, in 1/32, of the weights of heads, of relations and of tags; the first is what `treegauge model build` keeps.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

import treegauge as tg
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.models.choice.weights import in_steps
from treegauge.models.model import Model, model_bytes

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
GOLD = {
    "el_gdt": "el_gdt/train",
    "es_spacy": "es_mix/train",
    "hu_szeged": "hu_szeged/train",
    "ko_gsd": "ko_gsd/train",
    "ru_taiga": "ru_taiga/train",
    "en_ewt_udpipe": "en_childes/train en_childes/dev en_eslspok/train en_eslspok/dev en_ewt/train en_ewt/dev",
}
KEPT = (
    ((3, 1), (3, 1), (2, 1)),
    *((((least, 1), (3, 1), (2, 1))) for least in (5, 6, 8)),
    *((((3, 1), (least, 1), (2, 1))) for least in (5, 6, 8)),
    *((((3, 1), (3, 1), (least, 1))) for least in (4, 6, 8)),
    ((3, 4), (3, 1), (2, 1)),
    ((3, 1), (3, 8), (2, 1)),
    ((3, 1), (3, 1), (6, 8)),
    ((3, 4), (3, 8), (6, 8)),
    ((4, 4), (3, 8), (6, 8)),
    ((6, 4), (3, 8), (6, 8)),
    ((8, 8), (8, 8), (8, 8)),
)
_LEVEL = 19


def kept(model: Model, head: tuple[int, int], relation: tuple[int, int], tag: tuple[int, int]) -> Model:
    """The model with weights of these smallest values and steps."""
    weights = model.weights
    assert weights is not None
    assert weights.tags is not None
    tags = replace(weights.tags, tag=in_steps(weights.tags.tag, *tag))
    few = in_steps(weights.head, *head), in_steps(weights.relation, *relation)
    return replace(model, weights=replace(weights, head=few[0], relation=few[1], tags=tags))


def main() -> None:
    """A table for each pair."""
    for pair in sys.argv[1:] or GOLD:
        files = [next((DATA / "ud").glob(f"{name}.conllu*")) for name in GOLD[pair].split()]
        model = tg.build_model(*files, on_error="skip")
        gold, system = (tg.read_conllu(DATA / "pairs" / pair / f"test.{side}.conllu") for side in ("gold", "system"))
        right = right_arcs(gold, system)
        for what in KEPT:
            few = kept(model, *what)
            scored = tg.score(system, tg.scorer("choice", few))
            print(
                pair,
                *what,
                f"{len(model_bytes(few, _LEVEL)) / 1e6:.2f} MB {roc_auc(scored.scores, right):.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
