"""Tagged words to chunks: finite-state patterns over classes of words (1998 §2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from treegauge.chunks.rules import CONTINUED, Rules
from treegauge.corpus.conllu import Corpus


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


def tagged_sentences(corpus: Corpus, rules: Rules) -> list[list[Word]]:
    """The words of each sentence, from the columns FORM, LEMMA, UPOS and FEATS alone."""
    labels = corpus.labels
    forms = [form.lower() for form in labels["form"]]
    known: dict[tuple[int, int, int], Tag] = {}
    words: list[Word] = []
    codes = corpus.codes
    rows = zip(*(codes[c].tolist() for c in ("form", "lemma", "upos", "feats")), strict=True)
    for form, lemma, upos, feats in rows:
        key = (lemma, upos, feats)
        tag = known.get(key)
        if tag is None:
            tag = known[key] = make_tag(labels["lemma"][lemma], labels["upos"][upos], labels["feats"][feats], rules)
        words.append(Word(forms[form], tag))
    start = corpus.start.tolist()
    return [words[low:high] for low, high in pairwise(start)]


def make_tag(lemma: str, upos: str, feats: str, rules: Rules) -> Tag:
    """The tag of a word with these values."""
    values = dict(feat.partition("=")[::2] for feat in feats.split("|"))
    letter = rules.letter(upos, feats, lemma.lower())
    return Tag(letter, lemma.lower(), values.get("Number", ""), values.get("Gender", ""), values.get("Person", ""))


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
