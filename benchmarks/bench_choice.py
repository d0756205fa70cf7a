"""What each kind of evidence is worth to the scorer choice, and what it costs against LISCA.

    python benchmarks/bench_choice.py            # ablation and speed
    python benchmarks/bench_choice.py --speed

Ablation: ROC-AUC and errors in the worst 20 % on the pairs of the evaluation data; features and constants were chosen
on the first five, the others report. Speed: one run on the English reference, unpacked; reading is part of all times.
"""

import lzma
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu, stream_conllu
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import ALL, BETWEEN, COLUMNS, LEMMAS, MORPHOLOGY, TAGS, TREE
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.score import Lisca

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "pairs"
CHOSEN_ON = ("el_gdt", "es_spacy", "hu_szeged", "ko_gsd", "ru_taiga")
REPORTED = ("en_ewt_udpipe", "fr_spacy", "it_mix", "pt_bosque", "tr_imst")
VARIANTS = {
    "all": ALL,
    "without the tree": ALL ^ TREE,
    "without lemmas": ALL ^ LEMMAS,
    "without morphology": ALL ^ MORPHOLOGY,
    "without words between": ALL ^ BETWEEN,
    "tags alone": TAGS,
}


def ablation() -> None:
    """A line for each pair and variant, then the means."""
    sums: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for group, pairs in (("chosen on", CHOSEN_ON), ("reported", REPORTED)):
        for pair in pairs:
            gold, system = (
                read_conllu(DATA / pair / f"test.{side}.conllu", columns=COLUMNS) for side in ("gold", "system")
            )
            right = right_arcs(gold, system)
            reference = str(DATA / pair / "reference.parsed.conllu.xz")
            scores = {"LISCA": Lisca(build_reference([reference])).scores(system)}
            for name, groups in VARIANTS.items():
                choice = Choice(learn_choice(stream_conllu(reference, columns=COLUMNS), groups))
                found = choice.choices(system)
                scores[name] = found.log_prob
                if groups == ALL:
                    scores["the head alone"] = found.log_head
                    scores["the relation alone"] = found.log_relation
            for name, values in scores.items():
                result = roc_auc(values, right), errors_in_worst(values, right, 0.2)
                sums.setdefault((group, name), []).append(result)
                print(f"{pair:14} {name:24} {result[0]:.4f} {100 * result[1]:.1f}", flush=True)
    for (group, name), results in sums.items():
        auc, worst = np.mean(results, axis=0)
        print(f"mean, {group:10} {name:24} {auc:.4f} {100 * worst:.1f}")


def timed(call: Callable[[], object], times: int = 2) -> float:
    """The least of several times, in seconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return min(found)


def speed() -> None:
    """Training against counting, scoring against scoring."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reference.conllu")
        with lzma.open(DATA / "en_ewt_udpipe" / "reference.parsed.conllu.xz") as packed, open(path, "wb") as plain:
            plain.write(packed.read())
        model = build_reference([path])
        choice = Choice(learn_choice(stream_conllu(path, columns=COLUMNS)))
        lisca = Lisca(model)
        columns = ("upos", "deprel", "form", "lemma", "xpos")

        def score_all(threads: int) -> None:
            for piece in stream_conllu(path, columns=COLUMNS):
                choice.choices(piece, threads)

        counting = timed(lambda: build_reference([path]))
        learning = timed(lambda: learn_choice(stream_conllu(path, columns=COLUMNS)), 1)
        by_lisca = timed(lambda: [lisca.scores(piece) for piece in stream_conllu(path, columns=columns)])
        for name, seconds, ratio in (
            ("counting, one thread", counting, 1.0),
            ("learning choices, two threads", learning, learning / counting),
            ("reading and scoring by LISCA", by_lisca, 1.0),
            *(
                (f"by choice, {n} thread{'s' * (n > 1)}", took, took / by_lisca)
                for n, took in ((n, timed(lambda n=n: score_all(n), 1)) for n in (1, 2))
            ),
        ):
            print(f"{name:32} {seconds:7.2f} s  {1e6 * seconds / model.words:6.2f} µs/word  {ratio:5.1f} times")


if __name__ == "__main__":
    if "--ablation" not in sys.argv:
        speed()
    if "--speed" not in sys.argv:
        ablation()
