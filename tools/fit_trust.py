"""Fits what treegauge knows of parses without gold, and tells how far it holds for other parsers and treebanks.

    python benchmarks/runs_2018.py --nets net_models --out runs
    python tools/fit_trust.py runs

Fitted on half of the parsers of the CoNLL 2018 shared task on eight treebanks, by the models of their training texts
and by models of 5,000 and 10,000 words of them; reported for the other half on eight other treebanks, of which four
have models of 10,000 to 16,000 words. Printed: the numbers as they stand in `scorers/estimate.py`, `scorers/trust.py`
and `ranking/accuracy.py`, and what they give.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from treegauge.evaluation.judging.calibrate import reliability
from treegauge.ranking.accuracy import whole_signs
from treegauge.scorers.estimate import of_words
from treegauge.scorers.log_odds import log_prob_of, move_to
from treegauge.scorers.signs import expit, logit

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from runs_2018 import BESTS, CHOSEN_ON, OPINIONS, REPORTED, SCALES, SHARES, SMALL, SPREADS

RIDGE = 1.0  # on half the sum of the squared weights; every treebank has the weight of RUNS runs
RUNS = 30
HARM = 30.0  # a loss counts so many times as much as a gain
HARM_OF_TEAMS = 3.0  # the same, of three parses combined
FREE = {"opinions": 0.0005, "repairs": 0.05}  # losses that count nothing


@dataclass
class Case:
    """A parse: what is known of it, and its true LAS."""

    treebank: str
    signs: list[float]
    las: float


def fitted(cases: Sequence[Case]) -> np.ndarray:
    """Intercept and weights of the logit of LAS; each treebank counts the same."""
    X = np.array([[1.0, *case.signs] for case in cases])
    y = np.array([logit(case.las) for case in cases])
    names = [case.treebank for case in cases]
    share = np.array([RUNS / names.count(name) for name in names])
    penalty = np.diag([1e-6, *[RIDGE] * (X.shape[1] - 1)])
    return np.linalg.solve((X * share[:, None]).T @ X + penalty, (X * share[:, None]).T @ y)


def errors(weights: np.ndarray, cases: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
    """The errors of the estimates: of the logit, and of LAS in points."""
    x = np.array([[1.0, *case.signs] for case in cases]) @ weights
    las = np.array([case.las for case in cases])
    return x - [logit(value) for value in las], 100 * (1 / (1 + np.exp(-x)) - las)


def left_out(cases: Sequence[Case]) -> np.ndarray:
    """The errors of the logit, each treebank by the weights that are fitted on the others."""
    found = []
    for treebank in {case.treebank for case in cases}:
        weights = fitted([case for case in cases if case.treebank != treebank])
        found.append(errors(weights, [case for case in cases if case.treebank == treebank])[0])
    return np.concatenate(found)


def by_treebank(values: np.ndarray, cases: Sequence[Case]) -> dict[str, float]:
    """The mean of values by treebank."""
    names = np.array([case.treebank for case in cases])
    return {name: float(values[names == name].mean()) for name in dict.fromkeys(names.tolist())}


def told(weights: Sequence[float] | np.ndarray) -> str:
    """Weights as they stand in the code."""
    return "(" + ", ".join(f"{weight:.3f}" for weight in weights) + ")"


def runs_of(data: dict[str, Any], names: Sequence[str]) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Treebank, parser, what is known of the model, and of the parse."""
    present = [name for name in names if name in data]
    return [(name, parser, data[name], run) for name in present for parser, run in data[name]["runs"].items()]


def signs(run: dict[str, Any], agreed: float, mean: float, words: float) -> list[float]:
    """What is known of one of several parses; agreed: its accuracy by how they agree, mean: of all of them."""
    return [logit(agreed), logit(mean), logit(run["choice"]), logit(run["net"]), words]


def estimates(data: dict[str, Any]) -> np.ndarray:
    """Fit and report the estimates of one parse and of several; the weights with a net."""

    def one(names: Sequence[str], net: bool) -> list[Case]:
        return [
            Case(
                name.partition("@")[0],
                [logit(run[sign]) for sign in (("choice", "net") if net else ("choice",))] + [of_words(model["words"])],
                run["LAS"],
            )
            for name, _, model, run in runs_of(data, names)
        ]

    def several(names: Sequence[str], size: int) -> list[list[Case]]:
        found = []
        for name in names:
            for team in data.get(name.partition("@")[0], {}).get("teams", ()):
                if name not in data or len(team["names"]) != size:
                    continue
                runs, mean = [data[name]["runs"][parser] for parser in team["names"]], float(np.mean(team["agreement"]))
                known = zip(runs, team["agreement"], strict=True)
                words = of_words(data[name]["words"])
                found.append(
                    [
                        Case(
                            name.partition("@")[0],
                            [logit(a), logit(mean), logit(run["choice"]), logit(run["net"]), words],
                            run["LAS"],
                        )
                        for run, a in known
                    ]
                )
        return found

    def report(title: str, weights: np.ndarray, cases: Sequence[Case], width: float) -> None:
        logits, points = errors(weights, cases)
        means = by_treebank(np.abs(points), cases)
        print(
            f"  {title}: mean absolute error {np.mean(list(means.values())):.2f} points, "
            f"in the interval {100 * np.mean(np.abs(logits) <= width):.0f} %; "
            + " ".join(f"{name} {value:.1f}" for name, value in means.items())
        )

    def better(weights: np.ndarray, teams: Sequence[Sequence[Case]]) -> str:
        right = []
        for team in filter(None, teams):
            x = np.array([[1.0, *case.signs] for case in team]) @ weights
            las = np.array([case.las for case in team])
            right += [
                (x[i] - x[j]) * (las[i] - las[j]) > 0
                for i in range(len(team))
                for j in range(i)
                if abs(las[i] - las[j]) > 0.01
            ]
        return f"{100 * np.mean(right):.0f} % of {len(right)} pairs" if right else "no pairs"

    single = np.zeros(0)
    for title, net in (("BY_CHOICE", False), ("BY_NET", True)):
        learned, reported = one([*CHOSEN_ON, *SMALL], net), one(REPORTED, net)
        single, width = fitted(learned), float(np.quantile(np.abs(left_out(learned)), 0.9))
        print(f"{title} = Weights({told(single)}, {width:.3f})")
        report("learned from, models of all words", single, one(CHOSEN_ON, net), width)
        report("reported", single, reported, width)
        for names in (CHOSEN_ON, REPORTED):
            pairs = [[case for case in one(names, net) if case.treebank == name] for name in names]
            title = "learned from" if names is CHOSEN_ON else "reported"
            print(f"  better of two parses, {title}: {better(single, pairs)}")
    for size in (3, 5):
        teams = {names: several(names, size) for names in (CHOSEN_ON, REPORTED)}
        cases = {names: [case for team in of for case in team] for names, of in teams.items()}
        if size == 3:
            learned = [case for team in several([*CHOSEN_ON, *SMALL], size) for case in team]
            team_weights, width = fitted(learned), float(np.quantile(np.abs(left_out(learned)), 0.9))
            print(f"BY_SEVERAL = Weights({told(team_weights)}, {width:.3f})")
        for names in (CHOSEN_ON, REPORTED):
            title = f"{size} parses, {'learned from' if names is CHOSEN_ON else 'reported'}"
            report(title, team_weights, cases[names], width)
            print(f"  {title}: better of two told {better(team_weights, teams[names])}")
    return single


def other_metrics(data: dict[str, Any]) -> None:
    """Fit UAS and CLAS by LAS."""
    for metric in ("UAS", "CLAS"):
        pairs = {
            names: np.array([[logit(run["LAS"]), logit(run[metric])] for *_, run in runs_of(data, names)])
            for names in (CHOSEN_ON, REPORTED)
        }
        slope, intercept = np.polyfit(pairs[CHOSEN_ON][:, 0], pairs[CHOSEN_ON][:, 1], 1)
        off = [100 * abs(expit(intercept + slope * x) - expit(y)) for x, y in pairs[REPORTED].tolist()]
        print(f"{metric} = ({intercept:.3f}, {slope:.3f})  by true LAS, reported: {np.mean(off):.2f} points")


def between(x: np.ndarray, grid: Sequence[float], values: np.ndarray) -> np.ndarray:
    """The values at x of functions that are known on a grid, a row each; straight lines between."""
    x = np.clip(x, grid[0], grid[-1])
    k = np.clip(np.searchsorted(grid, x, side="right") - 1, 0, len(grid) - 2)
    t = (x - np.array(grid)[k]) / (np.array(grid)[k + 1] - np.array(grid)[k])
    rows = np.arange(len(x))
    return np.asarray((1 - t) * values[rows, k] + t * values[rows, k + 1])


def careful(F: np.ndarray, gains: Callable[[np.ndarray], np.ndarray], free: float, start: float) -> np.ndarray:
    """Weights of F for which the mean gain is largest, losses counted HARM times."""

    def cost(weights: np.ndarray) -> float:
        gain = gains(F @ weights)
        return float(-gain.mean() + HARM * np.maximum(-free - gain, 0).mean() + 1e-5 * (weights**2).sum())

    tries = []
    for seed in range(6):
        first: np.ndarray = np.random.default_rng(seed).normal(0, 0.3, F.shape[1:])
        first[:1] += start
        tries.append(minimize(cost, first, method="Powell", options={"maxiter": 4000, "xtol": 1e-3, "ftol": 1e-7}))
    return np.asarray(min(tries, key=lambda found: float(found.fun)).x)


def opinions(data: dict[str, Any]) -> None:
    """Fit and report how much a second opinion counts."""

    def known(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[str]]:
        rows = [
            ([1.0, logit(run["net"]), logit(model["runs"][other]["net"])], gains, f"{name} {parser} + {other}")
            for name, parser, model, run in runs_of(data, names)
            for other, gains in run.get("opinions", {}).items()
        ]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows]), [row[2] for row in rows]

    F, gains, _ = known(CHOSEN_ON)
    weights = careful(F, lambda x: between(x, OPINIONS, gains), FREE["opinions"], 0.5)
    print(f"_OPINION = {told(weights)}")
    for title, names in (("learned from", CHOSEN_ON), ("reported", REPORTED)):
        F, gains, who = known(names)
        gain = between(F @ weights, OPINIONS, gains)
        worst = int(gain.argmin())
        print(
            f"  {title}: {len(gain)} pairs, mean {gain.mean():+.4f}, lowest {gain[worst]:+.4f} ({who[worst]}), "
            f"below -.002: {100 * (gain < -0.002).mean():.1f} %"
        )
        for parser in ("conll18-baseline", "HIT-SCIR-18", "TurkuNLP-18"):
            of = [gain[k] for k, name in enumerate(who) if name.split()[1] == parser]
            if of:
                print(f"    {parser}: mean {np.mean(of):+.4f}, lowest {min(of):+.4f}")


def estimated(model: dict[str, Any], run: dict[str, Any], weights: np.ndarray) -> float:
    """The logit of the estimated LAS."""
    return float(weights @ [1.0, logit(run["choice"]), logit(run["net"]), of_words(model["words"])])


def table(data: dict[str, Any], estimate: np.ndarray) -> None:
    """Print LAS and its estimate of every reported run, as a table of Markdown."""
    runs = {
        (name, parser): (run["LAS"], expit(estimated(model, run, estimate)))
        for name, parser, model, run in runs_of(data, REPORTED)
    }
    print("| parser | " + " | ".join(f"`{name}`" for name in REPORTED) + " |")
    print("|---" * (len(REPORTED) + 1) + "|")
    for parser in sorted({parser for _, parser in runs}, key=str.lower):
        cells = [runs.get((name, parser)) for name in REPORTED]
        shown = (f"{100 * cell[0]:.1f} {100 * cell[1]:.1f}" if cell else "" for cell in cells)
        print(f"| {parser} | " + " | ".join(shown) + " |")


def repairs(data: dict[str, Any], estimate: np.ndarray) -> None:
    """Fit and report how much one parse is repaired."""

    def known(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[str], np.ndarray]:
        rows = [
            (
                [1.0, estimated(model, run, estimate), logit(model["first_choice"])],
                run["repairs"],
                f"{name} {parser}",
                run["LAS"],
            )
            for name, parser, model, run in runs_of(data, names)
            if "repairs" in run
        ]
        F, gains, who, las = zip(*rows, strict=True)
        return np.array(F), np.array(gains), list(who), np.array(las)

    scales = np.log(SCALES).tolist()
    F, gains, *_ = known([*CHOSEN_ON, *SMALL])
    weights = careful(F, lambda x: between(x, scales, gains), FREE["repairs"], 1.0)
    print(f"_REPAIR = {told(weights)}")
    for title, names in (("learned from", CHOSEN_ON), ("the same, small models", SMALL), ("reported", REPORTED)):
        F, gains, who, las = known(names)
        gain, best = between(F @ weights, scales, gains), gains.max(axis=1)
        for kind, rows in (("LAS below 75", las < 0.75), ("others", las >= 0.75)):
            if rows.any():
                worst = np.flatnonzero(rows)[gain[rows].argmin()]
                print(
                    f"  {title}, {kind}: {rows.sum()} parses, mean {gain[rows].mean():+.2f} (by the best scale of each "
                    f"{best[rows].mean():+.2f}), lowest {gain[worst]:+.2f} ({who[worst]})"
                )


def teams(data: dict[str, Any]) -> None:
    """Choose and report how much more the better of three parses counts."""
    ways = ["by agreement", *(f"{way}" for way in product(SHARES, SPREADS, BESTS))]
    gains = {
        names: {
            f"{name} {' '.join(team['names'])}": team["gains"]
            for name in names
            for team in data.get(name, {}).get("teams", ())
            if "gains" in team
        }
        for names in (CHOSEN_ON, REPORTED)
    }
    gain = np.array(list(gains[CHOSEN_ON].values()))
    best = int((gain.mean(axis=0) - HARM_OF_TEAMS * np.maximum(-gain - 0.1, 0).mean(axis=0)).argmax())
    print(f"_SHARE, _SPREAD, _BEST = {ways[best]}")
    for title, names in (("learned from", CHOSEN_ON), ("reported", REPORTED)):
        for k in (0, best):
            of = np.array(list(gains[names].values()))[:, k]
            print(
                f"  {title}, {ways[k]}: {len(of)} teams of three, against the best of each: mean {of.mean():+.2f}, "
                f"lowest {of.min():+.2f} ({list(gains[names])[int(of.argmin())]}), "
                f"below -.1: {100 * (of < -0.1).mean():.0f} %"
            )


def regression(known: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The weights of a logistic regression in which each run counts the same; signs, and which items are right."""
    X = np.concatenate([signs for signs, _ in known])
    y = np.concatenate([right for _, right in known]).astype(float)
    share = np.concatenate([np.full(len(right), 1e3 / len(right)) for _, right in known])
    weights = np.zeros(X.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-X @ weights))
        gradient = X.T @ (share * (y - p)) - 1e-2 * weights
        hessian = (X * (share * p * (1 - p))[:, None]).T @ X + 1e-2 * np.eye(len(weights))
        weights = weights + np.linalg.solve(hessian, gradient)
    return np.asarray(weights)


def probabilities(data: dict[str, Any], estimate: np.ndarray) -> None:
    """Fit the weights of `ranking/accuracy.py`; report calibration errors, as `any` is and moved to the estimate."""

    def parts(names: Sequence[str]) -> list[tuple[np.ndarray, ...]]:
        found = []
        for _, _, model, run in runs_of(data, names):
            if "odds" in run:
                odds, right = np.array(run["odds"]), np.array(run["right"], bool)
                start = np.concatenate([[0], np.cumsum(run["lengths"])[:-1]])
                moved = [odds + move_to(odds, mean) for mean in (expit(estimated(model, run, estimate)), right.mean())]
                found.append((odds, *moved, right, start))
        return found

    def signs_of(part: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        """What is known of sentences at the estimated LAS, and which are wholly right."""
        _, moved, _, right, start = part
        words = np.diff([*start, len(right)])
        of_all = np.add.reduceat(log_prob_of(moved), start)
        return whole_signs(of_all, np.minimum.reduceat(moved, start), words), np.minimum.reduceat(right, start)

    learned = [signs_of(part) for part in parts(CHOSEN_ON)]
    weights = regression(learned)
    print(f"WHOLE = {told(weights)}")
    for title, names in (("learned from", CHOSEN_ON), ("reported", REPORTED)):
        of = parts(names)
        ece = np.array(
            [[reliability(np.exp(log_prob_of(part[k])), part[3]).calibration_error for k in range(3)] for part in of]
        )
        for kind, of_kind in zip(("as it is", "at the estimated LAS", "at the true LAS"), ece.T, strict=True):
            print(f"  {title}: calibration error {kind}: {of_kind.mean():.3f}, largest {of_kind.max():.3f}")
        known = [signs_of(part) for part in of]
        p = np.concatenate([1 / (1 + np.exp(-signs @ weights)) for signs, _ in known])
        right = np.concatenate([right for _, right in known])
        for wanted in (0.5, 0.7, 0.8, 0.9):
            kept = p >= wanted
            share = f"{100 * kept.mean():.1f} % of the sentences, expected {100 * p[kept].mean():.1f} %"
            print(f"  {title}: --wholly-right {wanted}: {share}, {100 * right[kept].mean():.1f} % right")


def main() -> None:
    """Fit, and print."""
    options = argparse.ArgumentParser()
    options.add_argument("runs", type=Path)
    options.add_argument("--table", action="store_true", help="print LAS and its estimate of every reported run, too")
    given = options.parse_args()
    data = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(given.runs.glob("*.json"))}
    weights = estimates(data)
    other_metrics(data)
    opinions(data)
    repairs(data, weights)
    teams(data)
    probabilities(data, weights)
    if given.table:
        table(data, weights)


if __name__ == "__main__":
    main()
