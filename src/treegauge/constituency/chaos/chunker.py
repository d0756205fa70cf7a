"""Find the chunks of tagged words by finite-state patterns over classes of words (1998 §2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treegauge.constituency.chaos.rules import CONTINUED, Rules, TaggedForm
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905
)


class Tag(NamedTuple):
    """The letter of a word's class, and its features of agreement."""

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
    intro: str  # the lemma of the first word if that is not the head: usually a preposition
    tag: Tag  # of the head


def tagged_sentences(corpus: Corpus, rules: Rules, used: set[tuple[str, int]] | None = None) -> list[list[Word]]:
    """The words of each sentence, from the columns FORM, LEMMA, UPOS, XPOS and FEATS alone.

    CorpusError if no word has a UPOS. used: a set to which each class that occurs is added, with the number of the way
    by which it was known.
    """
    labels = corpus.labels
    _check_tags(corpus, rules)
    forms = [form.lower() for form in labels["form"]]
    known: dict[tuple[int, ...], Tag] = {}
    words: list[Word] = []
    for key in zip(*(corpus.codes[c].tolist() for c in COLUMNS), strict=True):
        tag = known.get(key)
        if tag is None:
            form, lemma, upos, xpos, feats = (labels[c][code] for c, code in zip(COLUMNS, key, strict=True))
            tag, way = known_tag(form, lemma, upos, feats, rules, xpos)
            known[key] = tag
            if used is not None:
                used.add(way)
        words.append(Word(forms[key[0]], tag))
    return [words[low:high] for low, high in pairwise(corpus.start.tolist())]


def _check_tags(corpus: Corpus, rules: Rules) -> None:
    if not corpus.n_words:
        return
    labels = corpus.labels["upos"]
    tags = {labels[code] for code in np.unique(corpus.codes["upos"]).tolist()}
    if tags.isdisjoint(rules.ways.by_upos) and tags.isdisjoint(UPOS):
        what = "no word has a UPOS tag" if tags <= {"_", ""} else f"no UPOS tag of UD (but {min(tags)!r})"
        raise CorpusError(f"{corpus.path}: {what}; expected UPOS tags such as NOUN and VERB: tag the text first")


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
    """The chunks of a sentence, in order and without gaps, and the letters of its words.

    At each word the first rule that fits takes as many words as it can; a word that no rule fits is a chunk of its own.
    """
    letters = "".join([word.tag.letter for word in words])
    if any(word.form in rules.units for word in words):
        letters = _with_units(words, letters, rules.units)
    chunks: list[Chunk] = []
    at = 0
    while at < len(words):
        match = rules.pattern.match(letters, at)
        if match is None or match.end() == at:
            chunks.append(Chunk("X", at, at, at, "", words[at].tag))
            at += 1
            continue
        k = match.lastindex
        assert k is not None
        head = max(match.start(k + 1), at)  # if the pattern allows the head to be missing, the first word
        intro = "" if head == at else words[at].tag.lemma
        chunks.append(Chunk(rules.types[k >> 1], at, match.end() - 1, head, intro, words[head].tag))
        at = match.end()
    return chunks, letters


def _with_units(
    words: Sequence[Word], letters: str, units: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
) -> str:
    """The letters with those of multiword units: the first word gets the unit's letter, the others CONTINUED."""
    changed = list(letters)
    at = 0
    while at < len(words):
        for forms, letter in units.get(words[at].form, ()):
            if all(at + k < len(words) and words[at + k].form == form for k, form in enumerate(forms)):
                changed[at : at + len(forms)] = [letter] + [CONTINUED] * (len(forms) - 1)
                at += len(forms) - 1
                break
        at += 1
    return "".join(changed)


def inside_heads(chunk: Chunk, letters: str, rules: Rules) -> list[tuple[int, int]]:
    """The edges inside a chunk, as (word, the word it depends on).

    A word depends on the chunk's head; or, if the rule file says so for its class, on the next word if that is of
    certain classes. The words of a multiword unit depend on its first word.
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
        to_next = w < chunk.last and letters[w + 1] in rules.inside.get(letters[w], ())
        edges.append((w, w + 1 if to_next else chunk.head))
    return edges
