"""Fits `upkeep/change_odds.json`: how likely maintainers change what `treegauge check` finds.

    python tools/fit_change_odds.py [--keep FOLDER] [--write]

The treebanks of the evaluation data (`corrections/`) come with every later change of their public histories. Each is
taken as it was at first and as it was some years later, when the easy errors were gone. A finding is an error if a
commit changed what it is about afterwards, in a family of at most 20 words; changes of larger families, mostly new
conventions, are left out of the fit. Arcs get a logistic regression over what `change_evidence` knows, other columns an
intercept and a slope of their score, contradictions one number, in which changes of larger families count as no error;
each treebank counts about the same.

All that was tried was chosen by leaving one of the three treebanks of CHOSEN_ON out; those of REPORTED were not used.
Printed: how many of the first findings were changed later, in the order of the score before (`old`) and by these
numbers (`new`), with 95 % intervals (Wilson); the same after 50 verdicts. --keep stores what `check` found between runs
(it takes about six minutes). Without --write nothing is written.
"""

import argparse
import csv
import io
import json
import lzma
import os
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.models.columns.inventory import COLUMN_OF
from treegauge.upkeep.change_evidence import ChangeEvidence, TreebankEvidence
from treegauge.upkeep.change_odds import crowded
from treegauge.upkeep.check import check
from treegauge.upkeep.codes import ARCS, CODE_OF, INVALID, KINDS, OWN_RULE, TAG
from treegauge.upkeep.contradictions import contradictions
from treegauge.upkeep.finding_filter import MARKED, FindingFilter, finding_filter
from treegauge.upkeep.findings import PER_SENTENCE, _turn
from treegauge.upkeep.teaching import NO_VERDICT, taught

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "corrections"
CHOSEN_ON = ("en_ewt_r22", "fr_gsd_r22", "sv_talbanken_r22")
REPORTED = ("pt_bosque_2019", "gd_arcosg_r28", "tr_imst_r24")
LATER = {  # the end of the year in which each is taken again
    "en_ewt_r22": 2022,
    "fr_gsd_r22": 2019,
    "sv_talbanken_r22": 2023,
    "pt_bosque_2019": 2019,
    "gd_arcosg_r28": 2022,
}
FEW = 20  # words of a family that corrects errors
FEWEST = 20  # findings with a label, for a weight of the label
PENALTY, LABEL_PENALTY = 3.0, 5.0
RARE = -2.0  # log odds of contradictions that no history has
# A history misses the errors that nobody found, and here only one of two places is wrong. Of contradictions of
# en_ewt_r22, drawn at random and judged by hand: how many were errors, in one place or the other, and how many not.
CONTRADICTIONS_BY_HAND = {"TG902": (14, 0)}
CERTAIN = 3.0  # of errors by the validator, and of own rules
OUT = Path(__file__).parents[1] / "src" / "treegauge" / "upkeep" / "change_odds.json"
AT = {"LEMMA": 2, "UPOS": 3, "XPOS": 4, "FEATS": 5, "HEAD": 6, "DEPREL": 7, "SUBTYPE": 7}
WHAT = {"HEAD": "arc", "DEPREL": "arc", "UPOS": "tag"}
JUDGED = 50


def at_year(name: str, year: int) -> tuple[Corpus, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """The treebank after the changes until the end of a year; of each column, the words changed later, and the errors.

    DEPS are not changed along, so they are only judged in the year 0.
    """
    with lzma.open(DATA / name / "columns.tsv.xz", "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(io.StringIO(stream.read()), delimiter="\t", quoting=csv.QUOTE_NONE))
    with lzma.open(DATA / name / "treebank.conllu.xz", "rt", encoding="utf-8") as stream:
        lines = [line.rstrip("\n").split("\t") for line in stream]
    words, sent_id = dict[tuple[str, str], list[str]](), ""
    for line in lines:
        if line[0].startswith("# sent_id"):
            sent_id = line[0].partition("=")[2].strip()
        elif line[0].isdigit():
            words[sent_id, line[0]] = line
    later: list[dict[str, str]] = []
    for row in sorted(rows, key=lambda row: int(row["commit"])):
        word = words.get((row["sent_id"], row["id"]))
        if word is None or int(row["date"][:4]) > year:
            later.append(row)
        elif row["column"] in AT:
            _change(word, row)
    corpus = parse_conllu("\n".join("\t".join(line) for line in lines) + "\n")
    first = {corpus.sent_id(s): int(corpus.start[s]) for s in range(corpus.n_sentences)}
    changed: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for row in later:
        if row["sent_id"] in first and not (year and row["column"] == "DEPS"):
            what = WHAT.get(row["column"], row["column"].lower())
            both = changed.setdefault(what, (np.zeros(corpus.n_words, bool), np.zeros(corpus.n_words, bool)))
            at = first[row["sent_id"]] + int(row["id"]) - 1
            both[0][at] = True
            both[1][at] |= int(row["family"]) <= FEW
    return corpus, changed


def _change(word: list[str], row: dict[str, str]) -> None:
    """Make a change of the history in a line; the relation and its subtype are two columns of the history."""
    at, new = AT[row["column"]], row["new"]
    relation, _, subtype = word[7].partition(":")
    if row["column"] == "DEPREL":
        new = f"{new}:{subtype}" if subtype else new
    elif row["column"] == "SUBTYPE":
        new = f"{relation}:{new}" if new not in ("", "_") else relation
    if row["column"] == "SUBTYPE" or row["old"] == (relation if row["column"] == "DEPREL" else word[at]):
        word[at] = new


@dataclass
class Case:
    """The findings of a treebank in a year, and which of them were changed later."""

    name: str
    year: int
    sentence: np.ndarray  # of each finding
    code: np.ndarray
    shared: np.ndarray
    old: np.ndarray  # the score before, smaller for what came first
    marked: np.ndarray
    changed: np.ndarray
    error: np.ndarray
    arcs: np.ndarray  # places of the findings of arcs
    evidence: ChangeEvidence
    score: np.ndarray  # of other findings: what their own ranking is ordered by
    words: int

    @property
    def title(self) -> str:
        """The treebank, and the year."""
        return f"{self.name}{f' ({self.year})' if self.year else ''}"


def case(name: str, year: int) -> Case:
    """Check a treebank in a year."""
    corpus, history = at_year(name, year)
    findings = check(corpus, wanted=FindingFilter())
    if year:  # DEPS are as they were at first
        findings = findings[~np.char.startswith(findings.code.astype(str), "TG6")]
    plain = finding_filter(corpus)
    marked = ~plain.has(corpus, findings.row, findings.other_deprel)
    tags, by_column = findings.scorer.tag_choices(corpus), {CODE_OF[one.column]: one for one in findings.columns}
    scores = {code: one.scores(corpus) for code, one in by_column.items()}
    if tags is not None:
        scores[TAG] = tags.log_prob
    of_arcs, weight = findings.scorer.scores(corpus), {(c.row, c.code): c.weight for c in contradictions(corpus, KINDS)}
    old, changed, error = np.zeros(len(findings)), np.zeros(len(findings), bool), np.zeros(len(findings), bool)
    none = np.zeros(corpus.n_words, bool), np.zeros(corpus.n_words, bool)
    for k, (row, code) in enumerate(zip(findings.row.tolist(), findings.code.tolist(), strict=True)):
        old[k] = of_arcs[row] if code in ARCS else scores[code][row] if code in scores else -6.0 * weight[row, code]
        what, rows = KINDS[code].what, [row]
        if what == "same words":
            rows += _twin(corpus, str(findings.message[k]), row)
        columns = ("arc", "tag", "lemma", "xpos", "feats", "subtype") if what == "same words" else (what,)
        for column in columns:
            for at in rows:
                later, few = history.get(column, none)
                changed[k] |= later[at]
                error[k] |= few[at]
    arcs = np.flatnonzero(findings.is_arc)
    of_arc = findings.row[arcs]
    known = TreebankEvidence(corpus, findings.scorer.log_prob(corpus), tags)
    evidence = known.of_arcs(of_arc, findings.scorer.alternatives(corpus, of_arc))
    score = np.array([scores[c][r] if c in scores else 0.0 for r, c in zip(findings.row, findings.code, strict=True)])
    about = corpus.sentence[findings.row], findings.code, findings.shared
    return Case(name, year, *about, old, marked, changed, error, arcs, evidence, score, corpus.n_words)


def _twin(corpus: Corpus, message: str, row: int) -> list[int]:
    """The word in the other copy of a sentence that a message names by its line."""
    line = message.rpartition(":")[2]
    if "as in the same sentence" not in message or not line.isdigit():
        return []
    s = int(np.flatnonzero(corpus.first_line == int(line))[0])
    return [int(corpus.start[s]) + int(corpus.position[row]) - 1]


def logistic(parts: Sequence[tuple[np.ndarray, np.ndarray]], penalty: np.ndarray) -> np.ndarray:
    """Intercept and weights; every part has an intercept of its own; their mean, by √n, is taken (Newton's method)."""
    X = np.concatenate([X for X, _ in parts])
    mean, size = X.mean(axis=0), X.std(axis=0) + 1e-9
    mean, size = np.where(penalty == LABEL_PENALTY, 0, mean), np.where(penalty == LABEL_PENALTY, 1, size)
    of_part = np.eye(len(parts))[np.repeat(np.arange(len(parts)), [len(y) for _, y in parts])]
    Z, y = np.hstack([(X - mean) / size, of_part]), np.concatenate([y for _, y in parts]).astype(float)
    share = np.concatenate([np.full(len(y), np.sqrt(len(Z) / len(parts) / len(y))) for _, y in parts])
    pull, weights = np.append(penalty, np.full(len(parts), 0.05)), np.zeros(Z.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-Z @ weights))
        gradient = Z.T @ (share * (y - p)) - pull * weights
        weights = weights + np.linalg.solve((Z * (share * p * (1 - p))[:, None]).T @ Z + np.diag(pull), gradient)
    slopes = weights[: len(mean)] / size
    intercept = np.average(weights[len(mean) :], weights=np.sqrt(of_part.sum(axis=0)))
    return np.append(intercept - slopes @ mean, slopes)


def fitted(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """The content of `change_odds.json`."""
    numbers = list(cases[0].evidence.numbers)
    times: dict[str, int] = {}
    for one in cases:
        for name, values in one.evidence.labels.items():
            for label in values.astype(str).tolist():
                times[f"{name}={label}"] = times.get(f"{name}={label}", 0) + 1
    labels = sorted(name for name, n in times.items() if n >= FEWEST)
    parts = []
    for one in cases:
        columns = [one.evidence.numbers[name] for name in numbers]
        columns += [
            one.evidence.labels[name.partition("=")[0]].astype(str) == name.partition("=")[2] for name in labels
        ]
        wanted = (one.error | ~one.changed)[one.arcs] & ~one.marked[one.arcs]
        parts.append((np.stack(columns, axis=1).astype(float)[wanted], one.error[one.arcs][wanted]))
    penalty = np.array([PENALTY] * len(numbers) + [LABEL_PENALTY] * len(labels))
    weights = logistic(parts, penalty)
    found = {"arc": _named(["", *numbers, *labels], weights)}
    for code in KINDS:
        if code in ARCS:
            continue
        if code in (TAG, *CODE_OF.values()):
            parts = []
            for one in cases:
                mine = (one.code == code) & (one.error | ~one.changed) & ~one.marked
                if mine.any():
                    parts.append((one.score[mine, None], one.error[mine]))
            found[code] = _named(["", "score"], logistic(parts, np.array([PENALTY])))
        elif code in CONTRADICTIONS_BY_HAND:
            right, wrong = CONTRADICTIONS_BY_HAND[code]
            found[code] = {"": round(float(np.log((right + 1) / (wrong + 1))), 3)}
        else:
            mine = [(one.code == code) & ~one.marked for one in cases]  # few: new conventions count as no error
            errors = sum(int(one.error[m].sum()) for one, m in zip(cases, mine, strict=True))
            n = sum(int(m.sum()) for m in mine)
            found[code] = {"": round(float(np.log((errors + 0.5) / (n - errors + 0.5))), 3) if n >= 5 else RARE}
    found |= {code: {"": CERTAIN} for code in (INVALID, OWN_RULE)}
    return found


def _named(names: Iterable[str], weights: np.ndarray) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}


def odds(one: Case, weights: dict[str, dict[str, float]]) -> np.ndarray:
    """The log odds of each finding."""
    by_code = [weights.get(code, {}) for code in one.code.tolist()]
    values = np.array([w.get("", 0.0) + w.get("score", 0.0) * s for w, s in zip(by_code, one.score, strict=True)])
    for code in CODE_OF.values():
        values[one.code == code] -= crowded(int((one.code == code).sum()), one.words)
    values[one.arcs] = one.evidence.weighted(weights["arc"])
    return values


def ordered(one: Case, score: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Places of findings, those with the largest score first, and the first PER_SENTENCE of each sentence."""
    places = np.flatnonzero(keep)
    places = places[np.argsort(-score[places], kind="stable")]
    turn = _turn(one.sentence[places]) // PER_SENTENCE
    return places[np.argsort(turn, kind="stable")]


def share(right: np.ndarray) -> str:
    """A share with its interval, in per cent."""
    if not len(right):
        return "–"
    n, p, z = len(right), float(right.mean()), 1.96
    middle, half = p + z * z / 2 / n, z * np.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return f"{100 * right.mean():.0f} ({100 * low:.0f}–{100 * high:.0f})"


def table(cases: Sequence[Case], score: dict[str, np.ndarray]) -> None:
    """Print how many of the first findings were changed later, before and after."""
    print(
        "treebank | order | arcs: first 30 | first 100 | first 300 | AUC | all kinds: first 30 | first 100 | first 300"
    )
    print("|".join(["---"] * 9))
    for one in cases:
        is_arc = np.isin(np.arange(len(one.code)), one.arcs)
        for name, values, plain in (("old", -one.old, False), ("new", score[one.title], True)):
            keep = ~one.marked if plain else np.ones(len(values), bool)
            arcs, everything = ordered(one, values, keep & is_arc), ordered(one, values, keep)
            known = is_arc & ~one.marked & (one.error | ~one.changed)
            auc = roc_auc(-values[known], ~one.error[known]) if one.error[known].any() else float("nan")
            cells = [share(one.changed[arcs[:k]]) for k in (30, 100, 300)] + [f"{auc:.3f}"]
            cells += [share(one.changed[everything[:k]]) for k in (30, 100, 300)]
            print(one.title, name, *cells, sep=" | ", flush=True)


def lessons(cases: Sequence[Case], score: dict[str, np.ndarray]) -> None:
    """Print how many of the findings behind the first 50 were changed later, before and after verdicts on those."""
    print(f"treebank | of the first {JUDGED} | next 50 | taught | next 100 | taught | next 300 | taught")
    print("|".join(["---"] * 8))
    for one in cases:
        values = score[one.title]
        order = ordered(one, values, ~one.marked)
        judged, rest = order[:JUDGED], order[JUDGED:]
        verdict = np.full(len(values), NO_VERDICT)
        verdict[judged] = one.changed[judged]
        keep = ~one.marked
        keep[judged] = False
        after = ordered(one, taught(values, one.shared.tolist(), verdict), keep)
        cells = [share(one.changed[judged])]
        for k in (50, 100, 300):
            cells += [share(one.changed[rest[:k]]), share(one.changed[after[:k]])]
        print(one.title, *cells, sep=" | ", flush=True)


def main() -> None:
    """Fit, print the tables, and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = []
    for name in (*CHOSEN_ON, *REPORTED):
        for year in (0, *([LATER[name]] if name in LATER else [])):
            path = options.keep / f"{name}-{year}.pickle" if options.keep else None
            if path and path.exists():
                cases.append(pickle.loads(path.read_bytes()))
            else:
                cases.append(case(name, year))
                if path:
                    path.write_bytes(pickle.dumps(cases[-1]))
    chosen = [one for one in cases if one.name in CHOSEN_ON]
    others = [one for one in cases if one.name in REPORTED]
    weights = fitted(chosen)
    score: dict[str, np.ndarray] = {}
    for one in chosen:  # by the other treebanks
        score[one.title] = odds(one, fitted([other for other in chosen if other.name != one.name]))
    score |= {one.title: odds(one, weights) for one in others}
    for title, some in ((f"Chosen on, each by the others: {', '.join(CHOSEN_ON)}", chosen), ("Reported", others)):
        print(f"\n{title}")
        table(some, score)
        lessons(some, score)
    print(f"\nLeft out by default: {', '.join(MARKED)}; {len(COLUMN_OF)} columns beside arcs and tags")
    if options.write:
        OUT.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
