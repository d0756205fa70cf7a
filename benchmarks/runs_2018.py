"""What a model finds of official runs of the CoNLL 2018 shared task, beside gold: `tools/fit_trust.py` reads it.

    python benchmarks/runs_2018.py --nets net_models --out runs [TREEBANK | TREEBANK@WORDS …]

The model of a treebank is of its training text (dev text where there is no train), or with @WORDS of so many words of
it. For each parser the signs of the first words of its parse and its true scores are written, and how far they go, on
the first WORDS words of each parse:

- `opinions`: what the ROC-AUC of the arcs gains if another parse counts with each of OPINIONS;
- `repairs`: the per cent of arcs that one parse gains if the model repairs it with each of SCALES;
- `teams`: for TEAMS of 3 and 5 parses, the best first, the accuracies that follow from their agreement; for 3, the LAS
  gained over the first with weights by agreement alone, and with each of SHARES, SPREADS and BESTS;
- `odds`, `right`, `lengths`: the log odds of arcs by the calibration `any`, which are right, and lengths of sentences.

One JSON file for each treebank; those that are there are left as they are. Minutes each.
"""

import argparse
import json
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from net_models import DATA, FOLDER, model_with_net

from treegauge.corpus.compare.comparison import Comparison, side_by_side
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import TreegaugeError
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.models.choice.best_arcs import best_or_given
from treegauge.models.model import Model
from treegauge.scorers.calibration import find_calibration
from treegauge.scorers.log_odds import log_odds
from treegauge.scorers.opinions import opinions_of
from treegauge.scorers.other_parses import SAMPLE, OtherParse, other_parses
from treegauge.scorers.registry import ScorerFactory
from treegauge.scorers.signs import logit, signs_of
from treegauge.scorers.trust import BY_MODEL_TOO, TOGETHER, Candidates, Trust, candidates, objections, right_columns

CHOSEN_ON = ("el_gdt", "hu_szeged", "ko_gsd", "ug_udt", "fr_spoken", "la_perseus", "sme_giella", "ru_taiga")
REPORTED = ("en_ewt", "tr_imst", "got_proiel", "sv_lines", "da_ddt", "he_htb", "fa_seraji", "zh_gsd")
SMALL = tuple(f"{treebank}@{words}" for treebank in CHOSEN_ON for words in (5000, 10000) if treebank != "ru_taiga")
WORDS = 10_000  # of each parse
LEAST = 0.3  # LAS; parses that are worse are left out
OPINIONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
SCALES = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.5, 7.0, 10.0)
SHARES, SPREADS, BESTS = (0.0, 0.5, 1.0), (0.0, 1.0, 2.0, 3.0), (1.0, 1.5, 2.5)
TEAMS = {3: 12, 5: 6}
Known = dict[str, tuple[Corpus, dict[str, float]]]  # parser -> its parse, and the scores of it


def halves() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parsers that are learned from, and those that are reported."""
    names = {path.name.partition(".")[0] for path in DATA.glob("*/*.conllu.xz")} - {"gold", "train", "dev"}
    return tuple(sorted(names)[::2]), tuple(sorted(names)[1::2])


def first_part(corpus: Corpus, words: int = WORDS) -> Corpus:
    """The first words of a corpus, to the end of a sentence."""
    return corpus.part(0, min(int(np.searchsorted(corpus.start, words)), corpus.n_sentences))


def beside_gold(part: Corpus, corpus: Corpus, gold: Corpus) -> Comparison:
    """The first part of a corpus beside gold."""
    row = side_by_side(corpus, gold).row
    return Comparison(part, gold, np.arange(part.n_words, dtype=np.int32) if row is None else row[: part.n_words])


def parses(treebank: str, gold: Corpus, parsers: tuple[str, ...]) -> Known:
    """The parse of each parser that has LEAST of LAS, and its scores."""
    found = {}
    for parser in parsers:
        path = DATA / treebank / f"{parser}.conllu.xz"
        try:
            corpus = read_conllu(path, on_error="skip")
            scores = evaluate(gold, corpus, enhanced=False)
        except (TreegaugeError, OSError) as error:
            print(f"{treebank} {parser}: left out: {str(error)[:100]}")
            continue
        if scores["LAS"].f1 >= LEAST:
            found[parser] = corpus, {name: scores[name].f1 for name in ("LAS", "UAS", "CLAS")}
    return found


def opinions(part: Corpus, over: Comparison, odds: np.ndarray, others: dict[str, Corpus]) -> dict[str, list[float]]:
    """What ROC-AUC gains with each of OPINIONS for each other parse."""
    kept = over.present
    alone = roc_auc(odds[kept], over.right[kept])
    gained = {}
    for name, other in others.items():
        says = opinions_of(part, [OtherParse(other, name).beside(part)], (name,)).says
        against = objections(says, np.ones(1))
        gained[name] = [roc_auc((odds - weight * against)[kept], over.right[kept]) - alone for weight in OPINIONS]
    return gained


def gained(arcs: Candidates, right: np.ndarray, weight: np.ndarray, trust: Trust) -> int:
    """How many more arcs of the best trees are right than of the first parse."""
    column = best_or_given(arcs.head, arcs.scores(weight, trust), arcs.parse.start)
    return int(right[np.arange(len(right)), column].sum()) - int(right[:, 0].sum())


def teams(known: Known, shares: dict[str, float], gold: Corpus, judge: Any) -> list[dict[str, Any]]:
    """Teams of parses, the best one first, because the words of the first are those of the result."""
    rng, found = np.random.default_rng(0), []
    for size, many in TEAMS.items():
        for _ in range(many if len(known) >= size else 0):
            names = rng.choice(sorted(known), size, replace=False).tolist()
            names.sort(key=lambda name: -known[name][1]["LAS"])
            first = first_part(known[names[0]][0])
            others = other_parses(first, [known[name][0] for name in names[1:]], names[1:])
            team: dict[str, Any] = {"names": names, "agreement": others.accuracy.tolist()}
            if size == 3:
                arcs = candidates(first, others.beside(first), judge)
                right = right_columns(arcs, beside_gold(first, known[names[0]][0], gold))
                per_cent = 200 / (first.n_words + gold.n_words * first.n_words / known[names[0]][0].n_words)
                by_model, agreed = ([logit(a) for a in of] for of in ([shares[n] for n in names], others.accuracy))
                ways = [(others.weight, TOGETHER)]
                for share, spread, best in product(SHARES, SPREADS, BESTS):
                    x = (1 - share) * np.array(by_model) + share * np.array(agreed)
                    ways.append((best * others.weight.mean() * np.exp(spread * (x - x.max())), BY_MODEL_TOO))
                team["gains"] = [per_cent * gained(arcs, right, weight, trust) for weight, trust in ways]
            found.append(team)
    return found


def of_model(treebank: str, model: Model, parsers: tuple[str, ...], all_of_it: bool) -> dict[str, Any]:
    """What the model finds; all_of_it: not signs and repairs alone."""
    assert model.weights is not None
    assert model.net is not None
    factory, gold = ScorerFactory(model), read_conllu(DATA / treebank / "gold.conllu.xz")
    known, any_net = parses(treebank, gold, parsers), find_calibration("any", net=True)
    result: dict[str, Any] = {"words": model.weights.words, "first_choice": model.net.first_choice, "runs": {}}
    for parser, (corpus, scores) in known.items():
        run: dict[str, Any] = dict(scores)
        signs = signs_of(factory.judge, first_part(corpus, SAMPLE if all_of_it else WORDS))
        run |= {"choice": signs.choice, "net": signs.net}
        result["runs"][parser] = run
        part = first_part(corpus)
        over = beside_gold(part, corpus, gold)
        arcs = candidates(part, [], factory.judge)
        columns = right_columns(arcs, over)
        run["repairs"] = [100 * gained(arcs, columns, np.ones(1), Trust(scale)) / part.n_words for scale in SCALES]
        if not all_of_it:
            continue
        others = {name: other for name, (other, _) in known.items() if name != parser}
        run["opinions"] = opinions(part, over, np.round(factory.net.found(part).odds.full, 4), others)
        run["odds"] = np.round(log_odds(any_net.log_probs(factory.evidence(part))), 2).tolist()
        run["right"], run["lengths"] = over.right.astype(int).tolist(), np.diff(part.start).tolist()
    if all_of_it:
        result["teams"] = teams(known, {name: run["net"] for name, run in result["runs"].items()}, gold, factory.judge)
    return result


def main() -> None:
    """Write a file for each treebank, and print how long it took."""
    options = argparse.ArgumentParser()
    options.add_argument("treebanks", nargs="*", default=CHOSEN_ON + REPORTED + SMALL)
    options.add_argument("--nets", type=Path, default=FOLDER)
    options.add_argument("--out", type=Path, default=Path("runs"))
    given = options.parse_args()
    given.out.mkdir(exist_ok=True, parents=True)
    for name in given.treebanks:
        path, began = given.out / f"{name}.json", time.monotonic()
        if path.exists():
            continue
        treebank, _, words = name.partition("@")
        model = model_with_net(treebank, given.nets, int(words) if words else None)
        learned, reported = halves()
        parsers = (reported if treebank in REPORTED else learned) if not words else learned
        result = of_model(treebank, model, parsers, not words)
        path.write_text(json.dumps(result), encoding="utf-8")
        print(f"{name}: {len(result['runs'])} parses, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
