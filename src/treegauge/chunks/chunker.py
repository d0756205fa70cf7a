"""Tagged words to chunks: finite-state patterns over classes of words (1998 §2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treegauge.chunks.rules import CONTINUED, Rules
from treegauge.chunks.word_classes import TaggedForm
from treegauge.corpus.conllu import Corpus
from treegauge.errors import CorpusError

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
# fmt: off
UPOS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
})
# fmt: on


class Tag(NamedTuple):
    """What the layers know of a word: its class's letter, and the features that agree."""

    letter: str
    lemma: str
    number: str
    gender: str
    person: str


class Word(NamedTuple):
    """A word as the parser sees it."""

    form: str  # in small letters
    tag: Tag


class Chunk(NamedTuple):
    """Words first … last of a sentence (from 0), one of them the head."""

    kind: str
    first: int
    last: int
    head: int
    intro: str  # the lemma of the first word where that is not the head: a preposition, mostly
    tag: Tag  # of the head


def tagged_sentences(corpus: Corpus, rules: Rules, used: set[tuple[str, int]] | None = None) -> list[list[Word]]:
    """The words of each sentence, from the columns FORM, LEMMA, UPOS, XPOS and FEATS alone.

    A corpus in which no word has a UPOS is a CorpusError. used: a set to which each class that occurs is added, with
    the number of the way by which it was known.
    """
    labels = corpus.labels
    _check_tags(corpus, rules)
    forms = [form.lower() for form in labels["form"]]
    known: dict[tuple[int, ...], Tag] = {}
    words: list[Word] = []
    rows = zip(*(corpus.codes[c].tolist() for c in COLUMNS), strict=True)
    for key in rows:
        tag = known.get(key)
        if tag is None:
            form, lemma, upos, xpos, feats = (labels[c][code] for c, code in zip(COLUMNS, key, strict=True))
            tag, way = known_tag(form, lemma, upos, feats, rules, xpos)
            known[key] = tag
            if used is not None:
                used.add(way)
        words.append(Word(forms[key[0]], tag))
    start = corpus.start.tolist()
    return [words[low:high] for low, high in pairwise(start)]


def _check_tags(corpus: Corpus, rules: Rules) -> None:
    if not corpus.n_words:
        return
    labels = corpus.labels["upos"]
    given = {labels[code] for code in np.unique(corpus.codes["upos"]).tolist()}
    if given.isdisjoint(rules.ways.by_upos) and given.isdisjoint(UPOS):
        what = "no word has a UPOS tag" if given <= {"_", ""} else f"no UPOS tag of UD (but {min(given)!r})"
        raise CorpusError(f"{corpus.path}: {what}; expected UPOS tags such as NOUN and VERB: tag the text first")


def make_tag(lemma: str, upos: str, feats: str, rules: Rules) -> Tag:
    """The tag of a word with these values, its form the lemma."""
    return known_tag(lemma, lemma, upos, feats, rules)[0]


def known_tag(
    form: str, lemma: str, upos: str, feats: str, rules: Rules, xpos: str = "_"
) -> tuple[Tag, tuple[str, int]]:
    """The tag of a word with these values, and its class with the number of the way by which it is known.

    A word without a lemma (`_`) has its form instead.
    """
    values = dict(feat.partition("=")[::2] for feat in feats.split("|"))
    lemma = (form if lemma == "_" else lemma).lower()
    way = rules.ways.of(TaggedForm(form.lower(), lemma, upos, xpos, values))
    agreement = (values.get("Number", ""), values.get("Gender", ""), values.get("Person", ""))
    return Tag(rules.classes[way[0]], lemma, *agreement), way


def chunk_sentence(words: Sequence[Word], rules: Rules) -> tuple[list[Chunk], str]:
    """The chunks of a sentence, in order and without gaps, and the letters that they were found by.

    At each word the first rule that fits takes as many words as it can; a word that none fits is a chunk of its own.
    """
    letters = "".join([word.tag.letter for word in words])
    units = rules.units
    if any(word.form in units for word in words):
        letters = _with_units(words, letters, units)
    chunks: list[Chunk] = []
    types = rules.types
    at, end = 0, len(words)
    while at < end:
        match = rules.pattern.match(letters, at)
        if match is None or match.end() == at:
            chunks.append(Chunk("X", at, at, at, "", words[at].tag))
            at += 1
            continue
        k = match.lastindex
        assert k is not None
        last = match.end() - 1
        head = max(match.start(k + 1), at)  # a head that the pattern allows to be missing is the first word
        chunks.append(Chunk(types[k >> 1], at, last, head, "" if head == at else words[at].tag.lemma, words[head].tag))
        at = last + 1
    return chunks, letters


def _with_units(
    words: Sequence[Word], letters: str, units: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
) -> str:
    found = list(letters)
    at = 0
    while at < len(words):
        for forms, letter in units.get(words[at].form, ()):
            if all(at + k < len(words) and words[at + k].form == form for k, form in enumerate(forms)):
                found[at : at + len(forms)] = [letter] + [CONTINUED] * (len(forms) - 1)
                at += len(forms) - 1
                break
        at += 1
    return "".join(found)


def inside_heads(chunk: Chunk, letters: str, rules: Rules) -> list[tuple[int, int]]:
    """The edges inside a chunk, as (word, the word it depends on).

    A word depends on the chunk's head; or, if the rule file says so of its class, on the next word of certain classes;
    the words of a multiword unit depend on its first.
    """
    edges = []
    first_of_unit = chunk.first
    for w in range(chunk.first, chunk.last + 1):
        if letters[w] == CONTINUED and w > chunk.first:
            edges.append((w, first_of_unit))
            continue
        first_of_unit = w
        if w == chunk.head:
            continue
        wanted = rules.inside.get(letters[w])
        if wanted is not None and w < chunk.last and letters[w + 1] in wanted:
            edges.append((w, w + 1))
        else:
            edges.append((w, chunk.head))
    return edges
