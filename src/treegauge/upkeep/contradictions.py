"""What contradicts itself in a treebank: the same words annotated otherwise, rare lemmas and splits, wrong spaces."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import multiword_tokens
from treegauge.models.columns.inventory import combinations
from treegauge.upkeep import codes
from treegauge.upkeep.enhanced_checks import enhanced_contradictions

WORDS = 5  # of a sequence that is compared, and of a sentence that is looked for in other files
FEWEST, MOST_SHARE = 4, 0.25  # a sequence must occur so often, and what is odd in it at most in this share
LEMMAS, LEMMA_SHARE = 10, 0.95  # how often a form must occur, and the share of its usual lemma
SPLITS, SPLIT_SHARE = 10, 0.95
_NOT = re.compile(rb"(?:^|\|)SpaceAfter=No(?:\||$)")
_WITHOUT_ARC = ("upos", "xpos", "feats", "lemma")
_COMPARED = (*_WITHOUT_ARC, "deprel")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A word that contradicts the rest of the treebank."""

    row: int
    code: str
    message: str
    weight: float  # the larger, the more sure


def contradictions(corpus: Corpus, wanted: Collection[str]) -> list[Contradiction]:
    """The contradictions of these codes, each word once for each code."""
    found: dict[tuple[int, str], Contradiction] = {}
    checks = (
        ((codes.SAME_WORDS,), _same_words),
        ((codes.SAME_SENTENCE, codes.ACROSS_FILES), _same_sentences),
        ((codes.LEMMA_MAJORITY,), _rare_lemmas),
        ((codes.SPLIT,), _rare_splits),
        ((codes.SPACES,), _wrong_spaces),
        ((codes.NO_BASIC_ARC, codes.UNREACHABLE, codes.NO_MARKER, codes.NOT_SHARED, codes.NO_CONTROL), _of_graphs),
    )
    for of_check, check in checks:
        if not set(of_check).isdisjoint(wanted):
            for one in check(corpus):
                if one.code in wanted:
                    found.setdefault((one.row, one.code), one)
    return list(found.values())


def _of_graphs(corpus: Corpus) -> Iterator[Contradiction]:
    for row, code, message, weight in enhanced_contradictions(corpus):
        yield Contradiction(row, code, message, weight)


def _difference(corpus: Corpus, row: int, other: int, with_arc: bool) -> str:
    """In which columns a word differs from another one; with_arc: relation and place of the head are compared, too."""
    names = _COMPARED if with_arc else _WITHOUT_ARC
    pairs = [(name, corpus.value(name, row), corpus.value(name, other)) for name in names]
    if with_arc:
        pairs.append(("head", _offset(corpus, row), _offset(corpus, other)))
    return ", ".join(f"{name} {own} and not {their}" for name, own, their in pairs if own != their)


def _offset(corpus: Corpus, row: int) -> str:
    """The head of a word, counted from the word: +2 is the second word after it."""
    head = int(corpus.head_row[row])
    return "root" if head < 0 else f"{head - row:+d}"


def _same_words(corpus: Corpus) -> Iterator[Contradiction]:
    """The middle word of five that occur several times, where nearly all others are annotated otherwise."""
    n = corpus.n_words - WORDS + 1
    if n < 1:
        return
    inside = corpus.sentence[:n] == corpus.sentence[WORDS - 1 :]
    key = np.zeros(n, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for k in range(WORDS):
            key = key * np.uint64(0x9E3779B97F4A7C15) + corpus.codes["form"][k : n + k].astype(np.uint64) + np.uint64(1)
    starts = np.flatnonzero(inside)
    _, group, count = np.unique(key[starts], return_inverse=True, return_counts=True)
    often = count[group] >= FEWEST
    places: dict[int, list[int]] = defaultdict(list)
    for k, at in zip(group[often].tolist(), starts[often].tolist(), strict=True):
        places[k].append(at)
    for rows in places.values():
        for middle in range(WORDS):
            yield from _odd_ones(corpus, [(at + middle, at) for at in rows])


def _odd_ones(corpus: Corpus, places: list[tuple[int, int]]) -> Iterator[Contradiction]:
    columns, head = [corpus.codes[name] for name in _WITHOUT_ARC], corpus.head_row
    kinds: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
    for row, at in places:
        inside = at <= head[row] < at + WORDS
        arc = (int(corpus.codes["deprel"][row]), int(head[row]) - row) if inside else (-1, 0)
        kinds[*(int(column[row]) for column in columns), *arc].append((row, at))
    if len(kinds) < 2:
        return
    ordered = sorted(kinds.items(), key=lambda pair: len(pair[1]))
    usual_kind, usual = ordered[-1]
    for kind, odd in ordered[:-1]:
        if len(odd) > MOST_SHARE * len(places) or 2 * len(usual) <= len(places):
            continue
        for row, at in odd:
            said = _difference(corpus, row, usual[0][0], with_arc=kind[-2] >= 0 and usual_kind[-2] >= 0)
            text = " ".join(corpus.value("form", w) for w in range(at, at + WORDS))
            if said:
                message = f"'{text}' has here {said}, as in {len(usual)} of {len(places)} places"
                yield Contradiction(row, codes.SAME_WORDS, message, len(usual) / len(places))


def _same_sentences(corpus: Corpus) -> Iterator[Contradiction]:
    """Words that another copy of their sentence has annotated otherwise; copies in other files."""
    copies: dict[bytes, list[int]] = defaultdict(list)
    form, start = corpus.codes["form"], corpus.start.tolist()
    for s in range(corpus.n_sentences):
        if start[s + 1] - start[s] >= WORDS:
            copies[form[start[s] : start[s + 1]].tobytes()].append(s)
    for same in copies.values():
        first = same[0]
        for s in same[1:]:
            if corpus.file[s] != corpus.file[first]:
                message = f"the sentence is also in {corpus.where(first)} ({corpus.place(first)})"
                yield Contradiction(start[s], codes.ACROSS_FILES, message, 1.0)
            for k in range(start[s + 1] - start[s]):
                row, other = start[s] + k, start[first] + k
                if corpus.head[row] == corpus.head[other] and all(
                    corpus.codes[name][row] == corpus.codes[name][other] for name in _COMPARED
                ):
                    continue
                message = f"{_difference(corpus, row, other, True)}, as in the same sentence {corpus.where(first)}"
                yield Contradiction(row, codes.SAME_SENTENCE, message, 0.5)


def _rare_lemmas(corpus: Corpus) -> Iterator[Contradiction]:
    kinds, place, counts = combinations(corpus, "form", "upos", "feats", "lemma")
    by_form: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for k, (form, upos, feats, _) in enumerate(kinds.tolist()):
        by_form[form, upos, feats].append(k)
    rare: dict[int, str] = {}
    for same in by_form.values():
        if len(same) < 2:
            continue
        total, best = int(counts[same].sum()), max(same, key=lambda k: counts[k])
        if total >= LEMMAS and counts[best] >= LEMMA_SHARE * total:
            usual = corpus.labels["lemma"][kinds[best, 3]]
            said = f"and not {usual}, as {counts[best]:,} of {total:,} words of this form, tag and features have"
            rare |= {k: said for k in same if k != best}
    wanted = np.isin(place, np.fromiter(rare, dtype=np.int64, count=len(rare)))
    for row in np.flatnonzero(wanted).tolist():
        message = f"lemma {corpus.value('lemma', row)} {rare[int(place[row])]}"
        yield Contradiction(row, codes.LEMMA_MAJORITY, message, 0.9)


def _rare_splits(corpus: Corpus) -> Iterator[Contradiction]:
    splits: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    tokens = []
    for token in multiword_tokens(corpus):
        first = int(corpus.start[token.sentence]) + token.first - 1
        words = tuple(corpus.value("form", first + k).lower() for k in range(token.last - token.first + 1))
        splits[token.form.lower()][words] += 1
        tokens.append((first, token.form.lower(), words))
    for row, form, words in tokens:
        (usual, n), *_ = splits[form].most_common(1)
        total = splits[form].total()
        if words != usual and total >= SPLITS and n >= SPLIT_SHARE * total:
            said = (
                f"'{form}' is split into {' + '.join(words)} and not {' + '.join(usual)}, as {n:,} of {total:,} times"
            )
            yield Contradiction(row, codes.SPLIT, said, 0.9)


def _wrong_spaces(corpus: Corpus) -> Iterator[Contradiction]:
    """The first word of a sentence whose tokens do not make its text."""
    for s in range(corpus.n_sentences):
        lines = corpus.sentence_text(s).replace(b"\r", b"").split(b"\n")
        text = next((line[8:].strip() for line in lines if line.startswith(b"# text =")), None)
        if text is None:
            continue
        made, until = [], 0
        for line in lines:
            columns = line.split(b"\t")
            if len(columns) != 10 or b"." in columns[0]:
                continue
            first, dash, last = columns[0].partition(b"-")
            if dash:
                until = int(last)
            elif int(first) <= until:
                continue
            made.append(columns[1] + (b"" if _NOT.search(columns[9]) else b" "))
        joined = b"".join(made).strip()
        if joined != text:
            at = next(
                (k for k, (a, b) in enumerate(zip(joined, text, strict=False)) if a != b), min(len(joined), len(text))
            )
            parts = (part[max(at - 8, 0) : at + 12].decode(errors="replace") for part in (joined, text))
            message = "the tokens make '…{}…', # text has '…{}…'".format(*parts)
            yield Contradiction(int(corpus.start[s]), codes.SPACES, message, 1.0)
