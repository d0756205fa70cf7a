"""How well are annotation errors found that maintainers corrected later?

    python benchmarks/corrections.py [en_ewt_r22 pt_bosque_2019] [--scorers check choice lisca] [--with-reference ...]

Each treebank of the evaluation data (`corrections/`) is judged by itself (`--self`); `check` is the score of
`treegauge check`, with references if asked for, such as `--with-reference en_ewt_r22=ud/en_gum`, and `check-net` that
of `treegauge check --net` (needs torch; a quarter of an hour for each treebank, the second time seconds).

An arc counts as an error if a commit of at most 20 arcs changed its head or its relation later; arcs that were never
changed are the others. Changes of larger commits, mostly of conventions, are neither. Printed: ROC-AUC; the share of
the errors in the worst 5 % of all arcs; how many of the first 100 and 1,000 arcs any commit changed later; how often
the suggestion is the arc that the maintainers chose, of the errors. Last, of the commits that changed more than 100
arcs, how many have a pattern of `check` among the first 50: that commit changed at least half of the pattern's arcs.

    python benchmarks/corrections.py --columns lemma xpos feats subtype -- en_ewt_r22 pt_bosque_2019

judges the scorers of other columns in the same way, by `columns.tsv.xz`: a word is an error in a column if a commit
changed this value in at most 20 words alike; words that were never changed in this column are right.
"""

import argparse
import csv
import io
import lzma
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.ranking.scored import score
from treegauge.scorers.registry import Folding
from treegauge.scorers.registry import scorer as make_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.upkeep.check import check
from treegauge.upkeep.patterns import Pattern

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "corrections"
FEW = 20  # arcs of a commit that corrects errors
MANY = 100  # arcs of a commit that changes a convention, at least


@dataclass(frozen=True)
class Corrections:
    """A treebank as it was, and for each word what became of its arc."""

    corpus: Corpus
    changed: np.ndarray  # whether any commit changed the head or the relation
    error: np.ndarray  # whether a commit of few arcs did
    new_head: np.ndarray  # after the first such commit, -1 where there is none
    new_relation: np.ndarray
    conventions: dict[int, set[int]]  # commit of many arcs -> the words whose arcs it changed


def read_corrections(name: str) -> Corrections:
    """The treebank of a name and its changes."""
    corpus = read_conllu(str(DATA / name / "treebank.conllu.xz"))
    first = {corpus.sent_id(s): int(corpus.start[s]) for s in range(corpus.n_sentences)}
    n = corpus.n_words
    found = Corrections(
        corpus,
        *(np.zeros(n, dtype=bool) for _ in range(2)),
        np.full(n, -1),
        np.full(n, "", dtype=object),
        {},
    )
    with lzma.open(DATA / name / "changes.tsv.xz", "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(io.StringIO(stream.read()), delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["sent_id"] not in first:  # of a sentence that came later
                continue
            at = first[row["sent_id"]] + int(row["id"]) - 1
            if (row["old_head"], row["old_deprel"]) == (row["new_head"], row["new_deprel"]):
                continue
            if not row["new_head"].isdigit():  # a slip in the history: no head, or features in its column
                continue
            found.changed[at] = True
            if int(row["arcs_of_commit"]) > MANY:
                found.conventions.setdefault(int(row["commit"]), set()).add(at)
            if int(row["arcs_of_commit"]) <= FEW and not found.error[at]:
                found.error[at] = True
                found.new_head[at], found.new_relation[at] = int(row["new_head"]), row["new_deprel"]
    return found


@dataclass(frozen=True)
class ColumnCorrections:
    """For each word, what became of its value in one column."""

    changed: np.ndarray
    error: np.ndarray
    new: np.ndarray  # the value after the first small change of the value that the treebank has, or None


def read_column_corrections(name: str, corpus: Corpus, column: str) -> ColumnCorrections:
    """What became of the values of a column: lemma, xpos, feats or subtype."""
    first = {corpus.sent_id(s): int(corpus.start[s]) for s in range(corpus.n_sentences)}
    changed, error = np.zeros((2, corpus.n_words), dtype=bool)
    new = np.full(corpus.n_words, None, dtype=object)
    with lzma.open(DATA / name / "columns.tsv.xz", "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(io.StringIO(stream.read()), delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["column"] != column.upper() or row["sent_id"] not in first:
                continue
            at = first[row["sent_id"]] + int(row["id"]) - 1
            changed[at] = True
            if int(row["family"]) <= FEW:
                if row["as_in_treebank"] == "yes" and not error[at]:
                    new[at] = row["new"]
                error[at] = True
    return ColumnCorrections(changed, error, new)


def suggested_values(found: ColumnCorrections, by: Scorer, corpus: Corpus, column: str) -> float:
    """How often the likeliest other value of a word with an error is what the maintainers chose."""
    choices = by.column_choices(corpus)
    rows = [row for row in np.flatnonzero(found.error).tolist() if found.new[row] is not None]
    others = ((choices.other_value(corpus, row) or "", found.new[row]) for row in rows)
    same = [(other.partition(":")[2] if column == "subtype" else other) == new for other, new in others]
    return float(np.mean(same)) if same else float("nan")


def judge_columns(treebanks: Sequence[str], columns: Sequence[str]) -> None:
    """Print the table of other columns."""
    title = "ROC-AUC | errors in the worst 5 % | first 100 changed | first 1,000 | suggestion is theirs"
    print(f"treebank | column | errors | {title}\n" + "|".join(["---"] * 8))
    for name in treebanks:
        corpus = read_conllu(str(DATA / name / "treebank.conllu.xz"))
        for column in columns:
            found = read_column_corrections(name, corpus, column)
            if not found.error.any():
                continue
            by = make_scorer(column, by_itself=corpus)
            values = [*measures(found, by.scores(corpus)), suggested_values(found, by, corpus, column)]
            shown = [f"{values[0]:.3f}", *(f"{100 * value:.1f} %" for value in values[1:])]
            print(name, column, int(found.error.sum()), *shown, sep=" | ", flush=True)


def measures(found: Corrections | ColumnCorrections, scores: np.ndarray) -> list[float]:
    """ROC-AUC, errors in the worst 5 %, changed of the first 100 and of the first 1,000."""
    judged = found.error | ~found.changed
    order = np.argsort(scores, kind="stable")
    worst = order[: round(0.05 * len(order))]
    auc = roc_auc(scores[judged], ~found.error[judged])
    caught = found.error[worst].sum() / found.error.sum()
    return [auc, float(caught), *(float(found.changed[order[:k]].mean()) for k in (100, 1000))]


def suggested(found: Corrections, by: Scorer) -> float:
    """How often the likeliest other arc of a word with an error is what the maintainers chose."""
    rows = np.flatnonzero(found.error)
    other = score(found.corpus, by).alternatives(rows)
    right = (other.head == found.new_head[rows]) & (
        np.array([universal(name) for name in other.relation]) == found.new_relation[rows]
    )
    return float(right.mean())


def met_by_patterns(found: Corrections, patterns: Sequence[Pattern]) -> list[int]:
    """The commits of many arcs that changed at least half of the arcs of a pattern."""
    met = {
        commit
        for pattern in patterns
        for commit, rows in found.conventions.items()
        if 2 * len(rows.intersection(pattern.rows.tolist())) >= len(pattern.rows)
    }
    return sorted(met)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("treebanks", nargs="*", default=["en_ewt_r22", "pt_bosque_2019"])
    parser.add_argument("--scorers", nargs="+", default=["check", "choice", "lisca"])
    parser.add_argument("--with-reference", nargs="+", default=[], metavar="TREEBANK=REFERENCE")
    parser.add_argument("--columns", nargs="+", metavar="COLUMN", help="judge these other columns instead of arcs")
    options = parser.parse_args()
    if options.columns:
        judge_columns(options.treebanks, options.columns)
        return
    references = dict(pair.split("=", 1) for pair in options.with_reference)
    print(
        "treebank | scorer | ROC-AUC | errors in the worst 5 % | first 100 changed | first 1,000 | suggestion is theirs"
    )
    print("---|---|---|---|---|---|---")
    for name in options.treebanks:
        found = read_corrections(name)
        reference = [str(DATA.parent / references[name])] if name in references else []
        for kind in options.scorers:
            if kind.startswith("check"):
                checked = check(found.corpus, reference, folds=Folding(net=kind == "check-net"))
                by: Scorer = checked.scorer
            else:
                by = make_scorer(kind, by_itself=found.corpus)
            values = measures(found, by.scores(found.corpus))
            values += [suggested(found, by)] if by.suggests else []
            title = f"{kind} with {references[name]}" if kind.startswith("check") and reference else kind
            print(
                name,
                title,
                f"{values[0]:.3f}",
                *(f"{100 * value:.1f} %" for value in values[1:]),
                sep=" | ",
                flush=True,
            )
            if kind.startswith("check"):
                met = met_by_patterns(found, checked.patterns)
                print(f"{name}: patterns of {len(met)} of {len(found.conventions)} large commits: {met}", flush=True)


if __name__ == "__main__":
    main()
