"""The values that a reference has in each column, and the questions that they make of a corpus.

A question is: which of these values has this word? The lemma of a word is one question, and so are its XPOS and its
subtype; FEATS are a question for each feature that words of its tag may have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.models.choice.words import hash_of
from treegauge.models.columns.features import FEATS, LEMMA, SUBTYPE, XPOS
from treegauge.models.columns.rules import lemma_by, rule_of

FEWEST = 2  # a value that the reference has less often counts as a new one
MOST = 32  # candidates of a question, at most
NEW = ""  # the class, always the first, of all values that the reference does not have
ABSENT = "-"  # the value of a feature that a word does not have
COLUMN_OF = {LEMMA: "lemma", XPOS: "xpos", FEATS: "feats", SUBTYPE: "deprel"}  # where the corpus has the values
NAMES = (LEMMA, XPOS, FEATS, SUBTYPE)
LEMMA_BITS = 17  # of the table of lemmas that several forms have

Classes = Mapping[str, Sequence[str]]  # context -> values, the most frequent first
Support = Callable[[str, str, str], bool]  # tag, lemma, form: whether other forms with this tag have the lemma


class Survey:
    """Counts the values that corpora, such as pieces of a stream, have in one column, by their context.

    The context of a subtype is its relation, of a feature the tag and the name of the feature, of others the tag.
    """

    def __init__(self, column: str) -> None:
        self.column, self.words = column, 0
        self._counts: dict[str, Counter[str]] = {}
        self._forms: dict[tuple[str, str], Counter[str]] = {}  # tag and lemma -> forms
        self._tagged: Counter[tuple[str, str]] = Counter()  # tag and form

    def add(self, corpus: Corpus) -> None:
        """Count the values of a corpus."""
        self.words += corpus.n_words
        if self.column != LEMMA:
            for context, value, n in _values(corpus, self.column):
                self._counts.setdefault(context, Counter())[value] += n
            return
        for (form, lemma, upos), n in _counted(corpus, "form", "lemma", "upos"):
            self._counts.setdefault(upos, Counter())[rule_of(form, lemma)] += n
            self._forms.setdefault((upos, lemma), Counter())[form.lower()] += n
            self._tagged[upos, form.lower()] += n

    def classes(self) -> dict[str, tuple[str, ...]]:
        """The values of each context that are not too rare, the most frequent first."""
        kept = {}
        for context, counts in sorted(self._counts.items()):
            ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
            kept[context] = tuple(value for value, n in ordered if n >= FEWEST)
        return {context: values for context, values in kept.items() if values}

    def supports(self, upos: str, lemma: str, form: str) -> bool:
        """Whether another form than this one has this tag and this lemma."""
        forms = self._forms.get((upos, lemma), Counter[str]())
        return len(forms) > (form.lower() in forms)

    def times(self, upos: str, form: str) -> int:
        """How often the form has this tag."""
        return self._tagged[upos, form.lower()]

    def lemma_table(self) -> np.ndarray:
        """Bits that are set for lemmas that at least two forms have with one tag."""
        table = np.zeros(1 << LEMMA_BITS, dtype=bool)
        table[[lemma_bit(*pair) for pair, forms in self._forms.items() if len(forms) > 1]] = True
        return table


def lemma_bit(upos: str, lemma: str) -> int:
    """The place of a tag and a lemma in a table of bits."""
    return (hash_of(f"{upos} {lemma}") * 0x9E3779B97F4A7C15 >> (64 - LEMMA_BITS)) & ((1 << LEMMA_BITS) - 1)


def _counted(corpus: Corpus, *columns: str) -> Iterable[tuple[tuple[str, ...], int]]:
    """Each combination of values of some columns, and how often it occurs."""
    kinds, _, counts = combinations(corpus, *columns)
    labels = [corpus.labels[column] for column in columns]
    for codes, n in zip(kinds.tolist(), counts.tolist(), strict=True):
        yield tuple(names[code] for names, code in zip(labels, codes, strict=True)), n


def combinations(corpus: Corpus, *columns: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The combinations of codes of some columns, the one of each word, and how often each occurs."""
    packed = np.zeros(corpus.n_words, dtype=np.int64)
    for column in columns:
        packed = packed * max(len(corpus.labels[column]), 1) + corpus.codes[column]
    found, place, counts = np.unique(packed, return_inverse=True, return_counts=True)
    kinds = np.empty((len(found), len(columns)), dtype=np.int64)
    for k in range(len(columns) - 1, -1, -1):
        found, kinds[:, k] = np.divmod(found, max(len(corpus.labels[columns[k]]), 1))
    return kinds, place.ravel(), counts


def features_of(feats: str) -> dict[str, str]:
    """FEATS as a dictionary; a feature without a value has an empty one."""
    if feats in ("_", ""):
        return {}
    return dict(feature.partition("=")[::2] for feature in feats.split("|"))


def _values(corpus: Corpus, column: str) -> Iterable[tuple[str, str, int]]:
    """Context, value and how often they occur together, of any column but lemmas; only features that words have."""
    if column == XPOS:
        for (xpos, upos), n in _counted(corpus, "xpos", "upos"):
            yield upos, xpos, n
    elif column == SUBTYPE:
        for (deprel,), n in _counted(corpus, "deprel"):
            yield universal(deprel), deprel, n
    else:
        for (feats, upos), n in _counted(corpus, "feats", "upos"):
            for name, value in features_of(feats).items():
                yield f"{upos} {name}", f"{name}={value}", n


@dataclass(frozen=True)
class Questions:
    """The questions of a corpus about one column; question i is about word[i].

    own[i] is the place of the word's value among members[start[k]:start[k + 1]], k = sets[i]; these are codes of
    `classes`. The first member stands for all values that the reference does not have.
    """

    word: np.ndarray
    sets: np.ndarray
    own: np.ndarray
    start: np.ndarray
    members: np.ndarray
    evidence: np.ndarray
    classes: tuple[str, ...]
    hashes: np.ndarray

    def some(self, rows: np.ndarray) -> Questions:
        """The questions in these rows, with the same sets."""
        return replace(self, word=self.word[rows], sets=self.sets[rows], own=self.own[rows])


class _Sets:
    """Sets of candidates, each made once."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {NEW: 0}
        self.start, self.members, self.evidence = [0], list[int](), list[int]()
        self.place: list[dict[str, int]] = []

    def add(self, classes: Iterable[str], evidence: Iterable[int] | None = None) -> int:
        """Add a set of these classes; its number."""
        listed = [NEW, *classes]
        self.place.append({name: k for k, name in enumerate(listed)})
        self.members += [self.codes.setdefault(name, len(self.codes)) for name in listed]
        self.evidence += [0, *evidence] if evidence is not None else [0] * len(listed)
        self.start.append(len(self.members))
        return len(self.place) - 1

    def questions(self, word: np.ndarray, sets: np.ndarray, own: np.ndarray) -> Questions:
        """Questions with these sets, in the order of the words."""
        order = np.argsort(word, kind="stable")
        hashes = [hash_of(name) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF for name in self.codes]
        word, sets, own = (np.ascontiguousarray(array[order].astype(np.int32)) for array in (word, sets, own))
        return Questions(
            *(word, sets, own),
            np.array(self.start, dtype=np.int64),
            np.array(self.members, dtype=np.int32),
            np.array(self.evidence, dtype=np.uint8),
            tuple(self.codes),
            np.array(hashes, dtype=np.uint64),
        )


def questions(corpus: Corpus, column: str, classes: Classes, support: Support) -> Questions:
    """The questions of a corpus about a column, by the values that a reference has."""
    if column == LEMMA:
        return _lemma_questions(corpus, classes, support)
    if column == FEATS:
        return _feature_questions(corpus, classes)
    sets, known = _Sets(), dict[str, int]()
    names = ("xpos", "upos") if column == XPOS else ("deprel",)
    kinds, place, _ = combinations(corpus, *names)
    rows = []
    for codes in kinds.tolist():
        value = corpus.labels[names[0]][codes[0]]
        context = corpus.labels["upos"][codes[1]] if column == XPOS else universal(value)
        choices = classes.get(context, ())[:MOST]
        if len(choices) + (value not in choices) < 2:
            rows.append((-1, 0))
            continue
        if context not in known:
            known[context] = sets.add(choices)
        rows.append((known[context], sets.place[known[context]].get(value, 0)))
    return _of_kinds(sets, np.array(rows, dtype=np.int64).reshape(-1, 2), place)


def _of_kinds(sets: _Sets, of_kind: np.ndarray, place: np.ndarray) -> Questions:
    word = np.flatnonzero(of_kind[place, 0] >= 0)
    return sets.questions(word, *of_kind[place[word]].T)


def _lemma_questions(corpus: Corpus, classes: Classes, support: Support) -> Questions:
    sets, known, rows = _Sets(), dict[tuple[int, int], int](), []
    by_end = {upos: _RulesByEnd(rules) for upos, rules in classes.items()}
    kinds, place, _ = combinations(corpus, "form", "upos", "lemma")
    labels = corpus.labels
    for form_code, upos_code, lemma_code in kinds.tolist():
        form, upos, lemma = labels["form"][form_code], labels["upos"][upos_code], labels["lemma"][lemma_code]
        if (form_code, upos_code) not in known:
            made = by_end[upos].lemmas(form) if upos in by_end else {}
            evidence = [int(support(upos, each, form)) for each in made]
            known[form_code, upos_code] = sets.add(made.values(), evidence)
            sets.place[-1] = {each: k for k, each in enumerate(made, 1)}
        at = known[form_code, upos_code]
        rows.append((at, sets.place[at].get(lemma, 0)))
    return _of_kinds(sets, np.array(rows, dtype=np.int64).reshape(-1, 2), place)


class _RulesByEnd:
    """Rules of one tag, by the ends of the forms that they fit."""

    def __init__(self, rules: Sequence[str]) -> None:
        self.by_end: dict[str, list[tuple[int, str]]] = {}
        self.whole: dict[str, list[tuple[int, str]]] = {}
        for k, rule in enumerate(rules):
            parts = rule.split("|", 2)
            if len(parts) == 3 and not parts[1]:
                self.whole.setdefault(parts[2].partition("=")[0], []).append((k, rule))
            else:
                end = parts[2].partition(">")[0] if len(parts) == 3 else ""
                self.by_end.setdefault(end, []).append((k, rule))
        self.longest = max(map(len, self.by_end), default=0)

    def lemmas(self, form: str) -> dict[str, str]:
        """The lemmas that the rules make of a form, and the rule of each, the most frequent first."""
        low = form.lower()
        fitting = [*self.whole.get(low, ()), *self.by_end.get("", ())]
        for k in range(1, min(self.longest, len(low) - 1) + 1):
            fitting += self.by_end.get(low[-k:], ())
        made: dict[str, str] = {}
        for _, rule in sorted(fitting):
            lemma = lemma_by(rule, form)
            if lemma is not None and lemma not in made:
                made[lemma] = rule
                if len(made) == MOST:
                    break
        return made


def _feature_questions(corpus: Corpus, classes: Classes) -> Questions:
    sets, names = _Sets(), dict[str, list[str]]()
    for context in classes:
        upos, _, name = context.partition(" ")
        if name:
            names.setdefault(upos, []).append(name)
    made = {
        (upos, name): sets.add([f"{name}={ABSENT}", *classes[f"{upos} {name}"][: MOST - 1]])
        for upos, listed in names.items()
        for name in listed
    }
    kinds, place, _ = combinations(corpus, "feats", "upos")
    order = np.argsort(place, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(place, minlength=len(kinds))))
    nothing = np.empty(0, dtype=np.int64)
    words, set_of, own = [nothing], [nothing], [nothing]
    for k, (feats_code, upos_code) in enumerate(kinds.tolist()):
        given, upos = features_of(corpus.labels["feats"][feats_code]), corpus.labels["upos"][upos_code]
        rows = order[ends[k] : ends[k + 1]]
        for name in dict.fromkeys([*names.get(upos, ()), *given]):
            if (upos, name) not in made:
                made[upos, name] = sets.add([f"{name}={ABSENT}"])
            at = made[upos, name]
            words.append(rows)
            set_of.append(np.full(len(rows), at))
            own.append(np.full(len(rows), sets.place[at].get(f"{name}={given.get(name, ABSENT)}", 0)))
    return sets.questions(np.concatenate(words), np.concatenate(set_of), np.concatenate(own))


def present(pieces: Iterable[Corpus]) -> tuple[str, ...]:
    """The columns that have values in a corpus."""
    found = set()
    for piece in pieces:
        for name in NAMES:
            labels = piece.labels[COLUMN_OF[name]]
            if any(":" in label if name == SUBTYPE else label != "_" for label in labels):
                found.add(name)
    return tuple(name for name in NAMES if name in found)
