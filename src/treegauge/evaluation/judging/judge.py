"""Judge rankings of a system's arcs by gold, for one system or for every pair of a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from treegauge.corpus.compare.comparison import Unmatched
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.files import COMPRESSED, file_names
from treegauge.errors import PATH, CorpusError, check_type
from treegauge.evaluation.judging import tables
from treegauge.evaluation.judging.calibrate import calibrate
from treegauge.evaluation.judging.gold_arcs import score_beside_gold
from treegauge.evaluation.judging.gold_ranking import LENGTH, GoldRanking, Judgement, judgement
from treegauge.models.building import build_model
from treegauge.models.bundled_models import load_model
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.lisca.score import LiscaOptions
from treegauge.models.model import Model
from treegauge.progress import Stages, silent
from treegauge.scorers.calibration import find_calibration
from treegauge.scorers.other_parses import OtherParses
from treegauge.scorers.registry import CALIBRATED, FORMS, MODEL, NET, REGISTRY, USUAL, WEIGHTS, scorers, usable
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular

SAMPLES = 1000
_THREADS = min(os.cpu_count() or 1, 2)  # each thread has one sorted ranking in memory
_LACKS = {
    FORMS: "the model has no word forms (`treegauge model build --forms`)",
    WEIGHTS: "the model has no choice weights (it was built with --counts-only)",
}


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How rankings are judged."""

    without_root: bool = False  # leave out root arcs; by default, rankings are judged with them and without them
    samples: int = SAMPLES  # how many resampled corpora the 95 % intervals have; with 0 there are no intervals
    seed: int = 0
    step: int = 500  # arcs in a group; each top list has so many more arcs than the one before
    groups: int | None = None  # a number of equal groups, instead of groups of `step` arcs


@dataclass(frozen=True, repr=False)
class Judgements(Tabular):
    """Rankings of a system's arcs by several scorers, with (True) and without (False) root arcs, and their tables."""

    title: str
    rankings: dict[bool, list[GoldRanking]] = field(repr=False)
    judgements: tuple[Judgement, ...]
    suggestions: Table | None = field(repr=False)
    options: JudgeOptions
    left_out: Unmatched  # words that only gold or only the system has

    def table(self) -> Table:
        """The share of all errors in the worst arcs of each ranking."""
        return self.tables()[0]

    def shown(self, root_arcs: bool) -> list[GoldRanking]:
        """The rankings to show together; with root arcs there is no ranking by length, which does not rank them."""
        return _with_or_without_roots(self.rankings[root_arcs], root_arcs)

    def tables(self) -> list[Table]:
        """Tables of errors, areas, top lists, groups, lengths, sentences, coverage, and suggestions."""
        step, equal = self.options.step, self.options.groups
        everything = [ranking for rankings in self.rankings.values() for ranking in rankings]
        signature = tables.signature_of(everything)
        result = list(tables.judgement_tables(self.title, self.judgements, signature))
        if self.options.samples and len(self.judgements) > 1:
            result.append(tables.differences_table(self.title, self.judgements, signature))
        cut = f"{equal} equal groups" if equal else f"groups of {step}"
        for kind in self.rankings:
            rankings, roots = self.shown(kind), tables.roots(kind)
            best = f"LAS of the best sentences by the mean score of their arcs, {roots}"
            enough = f"Share of arcs and of sentences that can be kept at 90, 95, 96, 98 % right, {roots}"
            lengths = f"Mean arc length of {cut}, ranked {roots}; root arcs have no length"
            by_name = {
                "top": tables.top_table(f"LAS of the top k arcs, {roots}", rankings, step),
                "groups": tables.groups_table(f"LAS of {cut}, {roots}", rankings, step, equal),
                "lengths": tables.lengths_table(lengths, rankings, step, equal),
                "sentences": tables.sentences_table(best, rankings),
                "coverage": tables.coverage_table(enough, rankings),
            }
            result += [replace(table, name=f"{name}_{roots.replace(' ', '_')}") for name, table in by_name.items()]
        return result if self.suggestions is None else [*result, self.suggestions]


def _with_or_without_roots(rankings: list[GoldRanking], root_arcs: bool) -> list[GoldRanking]:
    """The rankings that have root arcs, or all of them."""
    return [ranking for ranking in rankings if not (root_arcs and ranking.scorer == LENGTH)]


def judge(
    gold: CorpusSource,
    system: CorpusSource,
    by: Model | str | os.PathLike[str] | Scorer | Sequence[Scorer],
    options: JudgeOptions | None = None,
    *,
    stages: Stages = silent,
) -> Judgements:
    """How well scorers rank the wrong arcs of a system last; only words that gold and the system have count.

    by: a scorer, several scorers, or a model; with a model, all scorers that can use it are judged. An arc is right if
    its head and its universal relation are right. If the words are not the same, they are aligned as in `evaluate`;
    `left_out` of the result says how many words have no partner.
    """
    options = options or JudgeOptions()
    if isinstance(by, Model | str | os.PathLike):
        model = by if isinstance(by, Model) else load_model(by)
        by = scorers(usable(USUAL, model), model, seed=options.seed)
    by = [by] if isinstance(by, Scorer) else by
    check_type("by", by, Sequence, f"{MODEL}, a scorer, or several scorers")
    for scorer in by:
        check_type("by", scorer, Scorer, "a scorer")
    arcs = score_beside_gold(gold, system, by, stages)
    kinds = (False,) if options.without_root else (True, False)
    rankings = {kind: arcs.rankings(kind) for kind in kinds}
    wanted = [ranking for kind in kinds for ranking in _with_or_without_roots(rankings[kind], kind)]
    for by_scorer in arcs.orders:
        assert by_scorer.order is not None  # they are sorted one after the other: threads would need more memory
    threads = _THREADS if options.samples else 1
    with stages("resampling", options.samples * len(wanted)) as progress, ThreadPoolExecutor(threads) as pool:
        judge_one = partial(judgement, samples=options.samples, seed=options.seed, progress=progress)
        judgements = tuple(pool.map(judge_one, wanted))
    interval = f"; intervals: 95 % of {options.samples} resampled corpora, seed {options.seed}" * (options.samples > 0)
    title = f"{arcs.system} against {arcs.gold}{interval}"
    suggestions = tables.suggestions_table(arcs.truth.right, arcs.suggestions)
    return Judgements(title, rankings, judgements, suggestions, options, arcs.left_out)


def scorers_of_models(
    names: Sequence[str] | None, models: Sequence[str], *settings: Any
) -> tuple[list[Scorer], list[str]]:
    """The same as `chosen_scorers`, for several models: what a model scores has its name, `choice (en)`."""
    if len(models) < 2:
        return chosen_scorers(names, models[0] if models else None, *settings)
    made, notes = list[Scorer](), list[str]()
    for model, short in zip(models, file_names(models), strict=True):
        of_model, more = chosen_scorers(names, model, *settings)
        notes += [f"{model}: {note}" for note in more]
        for scorer in of_model:
            alone = scorer.name in REGISTRY and not REGISTRY[scorer.name].needs
            if not (alone and any(other.name == scorer.name for other in made)):
                scorer.name += "" if alone else f" ({short})"
                made.append(scorer)
    return made, notes


def chosen_scorers(
    names: Sequence[str] | None,
    model_name: str | None,
    options: LiscaOptions | None = None,
    seed: int = 0,
    calibration: str | None = None,
    others: OtherParses | None = None,
) -> tuple[list[Scorer], list[str]]:
    """The scorers with these names, or all that can use the model; and notes on what the others lack."""
    model = None if model_name is None else load_model(model_name)
    notes = []
    if names is None and model is not None:
        chosen = usable(USUAL, model)
        for need, lacks in _LACKS.items():
            without = [name for name in USUAL if name not in chosen and REGISTRY[name].needs == need]
            notes += [f"{lacks}: without {' and '.join(without)}"] if without else []
    else:
        chosen = tuple(names if names is not None else USUAL if others is None else ())
    net = model is not None and model.net is not None
    of_file = None if calibration is None else find_calibration(calibration, net)
    return scorers(chosen, model, options, seed, of_file, others), notes


@dataclass(frozen=True, repr=False)
class PairJudgements(Tabular):
    """The judgements of every pair of a folder."""

    title: str
    by_pair: dict[str, list[Judgement]]
    signature: str = field(repr=False)
    lacking: dict[str, list[str]]  # folder that was left out -> the files that it lacks
    left_out: dict[str, Unmatched]  # pair -> words of the test that only gold or only the system has

    def table(self) -> Table:
        """One row for each pair and scorer, and the means."""
        return tables.pairs_table(self.title, self.by_pair, self.signature)


def judge_pairs(
    folder: str | os.PathLike[str],
    names: Sequence[str] | None = None,
    options: JudgeOptions | None = None,
    *,
    lisca: LiscaOptions | None = None,
    preset: str = "2020",
    on_error: str = "stop",
    stages: Stages = silent,
) -> PairJudgements:
    """Judge every folder below a folder that has gold, a system's output and a reference, one after the other.

    The model of each is built from its reference; `calibrated` is learned from dev.gold and dev.system, if it has them.
    """
    check_type("folder", folder, PATH, "the path of a folder")
    folder, options = os.fspath(folder), options or JudgeOptions(samples=0)
    pairs, lacking = find_pairs(folder)
    usual = [name for name in USUAL if name != NET]  # a net takes minutes for each pair: it must be asked for
    chosen = (*usual, CALIBRATED) if names is None else tuple(names)
    needs = {REGISTRY[name].needs for name in chosen if name in REGISTRY}
    settings = CountSettings(preset, forms=FORMS in needs)
    by_pair: dict[str, list[Judgement]] = {}
    left_out: dict[str, Unmatched] = {}
    signatures: list[str] = []
    build = partial(
        build_model, choice=bool({WEIGHTS, NET} & needs), net=NET in needs, settings=settings, on_error=on_error
    )
    with stages("judging", len(pairs)) as progress:
        for pair in pairs:
            model = build(pair.reference)
            test = _sides((pair.gold, pair.system), on_error)
            dev = pair.dev and _sides(pair.dev, on_error)
            plain = [name for name in chosen if name != CALIBRATED]
            calibration = calibrate(*dev, model).calibration if CALIBRATED in chosen and dev else None
            judged = scorers(plain, model, lisca, options.seed, calibration) if plain or calibration else []
            arcs = score_beside_gold(*test, judged)
            rankings, left_out[pair.name] = arcs.rankings(not options.without_root), arcs.left_out
            by_pair[pair.name] = [judgement(ranking, options.samples, options.seed) for ranking in rankings]
            signatures.append(tables.signature_of(rankings))
            progress(1)
    by_length = "" if options.without_root else " (by length: always without)"
    title = f"Rankings of {folder}, {tables.roots(not options.without_root)}{by_length}"
    return PairJudgements(title, by_pair, " ; ".join(dict.fromkeys(signatures)), lacking, left_out)


def _sides(paths: tuple[str, str], on_error: str) -> tuple[CorpusSource, CorpusSource]:
    """Gold and system: two files or, unless errors stop the reading, two corpora without malformed sentences."""
    if on_error == "stop":
        return paths
    gold, system = (as_corpus(path, on_error=on_error) for path in paths)
    return gold, system


GOLD, SYSTEM, REFERENCE = "test.gold.conllu", "test.system.conllu", "reference.parsed.conllu"
DEV = ("dev.gold.conllu", "dev.system.conllu")


@dataclass(frozen=True, slots=True)
class PairFolder:
    """The three files of a folder, plain or compressed."""

    name: str
    gold: str
    system: str
    reference: str
    dev: tuple[str, str] | None = None  # gold and system of another text, if there is one


def find_pairs(folder: str) -> tuple[list[PairFolder], dict[str, list[str]]]:
    """The folders below a folder that have all three files, by name; and which files other folders lack.

    A folder that has none of the three files is ignored. If the folder itself has all three, it is the only one.
    """
    if not os.path.isdir(folder):
        raise CorpusError(f"{folder}: no such folder")
    whole: list[PairFolder] = []
    lacking: dict[str, list[str]] = {}
    names = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
    places = {name: os.path.join(folder, name) for name in names}
    if all(_files(folder).values()):
        places = {os.path.basename(os.path.abspath(folder)): folder}
    for name, place in places.items():
        files = _files(place)
        if all(files.values()):
            gold, system, reference = (str(files[file]) for file in (GOLD, SYSTEM, REFERENCE))
            dev_gold, dev_system = (_file(place, file) for file in DEV)
            dev = (dev_gold, dev_system) if dev_gold and dev_system else None
            whole.append(PairFolder(name, gold, system, reference, dev))
        elif any(files.values()):
            lacking[name] = [file for file, path in files.items() if path is None]
    if not whole:
        raise CorpusError(f"{folder}: no folder in it holds {GOLD}, {SYSTEM} and {REFERENCE} (plain or compressed)")
    return whole, lacking


def _files(folder: str) -> dict[str, str | None]:
    return {name: _file(folder, name) for name in (GOLD, SYSTEM, REFERENCE)}


def _file(folder: str, name: str) -> str | None:
    """The path of a file with this name, plain or compressed; None if there is no such file."""
    paths = [os.path.join(folder, name + ending) for ending in ("", *COMPRESSED)]
    return next((path for path in paths if os.path.isfile(path)), None)
