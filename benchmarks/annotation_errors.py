"""Are annotation errors in gold treebanks found? Injected ones, and those that a later release corrected.

    python benchmarks/annotation_errors.py

Every treebank is judged by the rest of itself (`rank --self`), by LISCA and by choice (5 folds). Injected: each kind
of error into 2 % of the words, one kind at a time, seeded. Corrected: arcs of the older release whose head or universal
relation the newer one changed, in sentences with the same words. Printed: ROC-AUC, and the share of all errors in the
worst 5 and 10 % of the arcs.
"""

import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.choice.words import COLUMNS
from treegauge.scorers.registry import scorer as make_scorer

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "ud"
SHARE = 0.02
TREEBANKS = ("it_isdt", "fi_tdt", "nl_lassysmall")
RELEASES = (("it_isdt_r22", "it_isdt"), ("es_ancora_r22", "es_ancora_r25"))


def is_below(corpus: Corpus, top: int, word: int) -> bool:
    """Whether a row is another or hangs below it."""
    first = int(corpus.start[corpus.sentence[word]])
    while word != top and corpus.head[word] > 0:
        word = first + int(corpus.head[word]) - 1
    return word == top


def other_label(corpus: Corpus, rng: np.random.Generator, fitting: bool) -> Callable[[int], bool]:
    """Gives a word another relation: any of the treebank, or one that its tag has to the tag of its head."""
    tag, relation = corpus.codes["upos"], corpus.codes["deprel"]
    first = corpus.start[corpus.sentence]
    head_tag = np.where(corpus.head > 0, tag[np.maximum(first + corpus.head - 1, 0)], -1)
    seen: dict[tuple[int, int], list[int]] = defaultdict(list)
    for d, h, t in zip(tag.tolist(), head_tag.tolist(), relation.tolist(), strict=True):
        seen[(d, h) if fitting else (0, 0)].append(t)
    names = [universal(label) for label in corpus.labels["deprel"]]
    original = relation.copy()

    def change(word: int) -> bool:
        choices = seen[(int(tag[word]), int(head_tag[word])) if fitting else (0, 0)]
        new = choices[int(rng.integers(len(choices)))]
        relation[word] = new
        return names[new] != names[original[word]]

    return change


def moved(corpus: Corpus, rng: np.random.Generator, near: bool) -> Callable[[int], bool]:
    """Hangs a word, with all below it, from another one: any, or its grandparent or a sibling."""

    def change(word: int) -> bool:
        s = int(corpus.sentence[word])
        first, last = int(corpus.start[s]), int(corpus.start[s + 1])
        head = int(corpus.head[word])
        if head == 0:
            return False
        places = range(first, last)
        if near:
            above = int(corpus.head[first + head - 1])
            places = [w for w in places if corpus.head[w] == head or w - first + 1 == above]
        choices = [w for w in places if w - first + 1 != head and not is_below(corpus, word, w)]
        if not choices:
            return False
        corpus.head[word] = choices[int(rng.integers(len(choices)))] - first + 1
        return True

    return change


def turned(corpus: Corpus) -> Callable[[int], bool]:
    """Turns an arc round: the head hangs from the word, which takes its place."""

    def change(word: int) -> bool:
        first = int(corpus.start[corpus.sentence[word]])
        head = int(corpus.head[word])
        if head == 0:
            return False
        above = first + head - 1
        relation = corpus.codes["deprel"]
        corpus.head[word], corpus.head[above] = corpus.head[above], word - first + 1
        relation[word], relation[above] = relation[above], relation[word]
        return True

    return change


def injected(gold: Corpus, kind: str) -> tuple[Corpus, np.ndarray]:
    """A copy with errors of a kind, and which arcs they are."""
    rng = np.random.default_rng(1)
    codes = {column: values.copy() for column, values in gold.codes.items()}
    corpus = replace(gold, head=gold.head.copy(), codes=codes)
    change = {
        "label swap": lambda: other_label(corpus, rng, False),
        "label that fits the tags": lambda: other_label(corpus, rng, True),
        "wrong attachment": lambda: moved(corpus, rng, False),
        "subtree move": lambda: moved(corpus, rng, True),
        "wrong direction": lambda: turned(corpus),
    }[kind]()
    for word in rng.choice(gold.n_words, round(SHARE * gold.n_words), replace=False).tolist():
        change(word)
    names = np.array([universal(label) for label in gold.labels["deprel"]])
    different = names[gold.codes["deprel"]] != names[corpus.codes["deprel"]]
    return corpus, (gold.head != corpus.head) | different


def report(name: str, corpus: Corpus, wrong: np.ndarray) -> None:
    """One line for each scorer."""
    for scorer in (make_scorer(each, by_itself=corpus) for each in ("lisca", "choice")):
        scores = scorer.scores(corpus)
        found = [100 * errors_in_worst(scores, ~wrong, share) for share in (0.05, 0.1)]
        line = f"{name:44} {int(wrong.sum()):6} {scorer.name:7} {roc_auc(scores, ~wrong):.3f}"
        print(line, *(f"{share:6.1f}" for share in found), flush=True)


def release(name: str) -> Corpus:
    """Dev and test of a treebank."""
    paths = [path for part in ("dev", "test") for path in sorted((DATA / name).glob(f"{part}.conllu*"))]
    return read_conllu(*paths, columns=COLUMNS)


def words_by_id(corpus: Corpus) -> dict[tuple[str, tuple[str, ...]], int]:
    """Sentences by their id and word forms."""
    forms = np.array(corpus.labels["form"], dtype=object)[corpus.codes["form"]]
    return {
        (corpus.sent_id(s), tuple(forms[corpus.start[s] : corpus.start[s + 1]])): s for s in range(corpus.n_sentences)
    }


def corrected(older: str, newer: str) -> tuple[Corpus, np.ndarray]:
    """The older release, as far as its sentences are in the newer one, and which arcs were changed."""
    old, new = release(older), release(newer)
    there = words_by_id(new)
    pairs = [(s, there[key]) for key, s in words_by_id(old).items() if key in there]
    old = old.select([s for s, _ in pairs])
    order = dict(pairs)
    new_rows = np.concatenate([np.arange(new.start[order[s]], new.start[order[s] + 1]) for s in sorted(order)])
    names = [
        np.array([universal(label) for label in corpus.labels["deprel"]])[corpus.codes["deprel"]]
        for corpus in (old, new)
    ]
    return old, (old.head != new.head[new_rows]) | (names[0] != names[1][new_rows])


def main() -> None:
    """Print the table."""
    print(f"{'treebank: errors':44} {'errors':>6} scorer  ROC-AUC  worst 5 %, 10 %")
    kinds = ("label swap", "label that fits the tags", "wrong attachment", "subtree move", "wrong direction")
    for name in TREEBANKS:
        gold = release(name)
        for kind in kinds:
            report(f"{name}: {kind}", *injected(gold, kind))
    for older, newer in RELEASES:
        report(f"{older}, corrected in {newer}", *corrected(older, newer))


if __name__ == "__main__":
    main()
