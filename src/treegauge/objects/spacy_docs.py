"""spaCy documents to trees, and values onto their tokens.

spaCy departs from Universal Dependencies in four ways. The relation `ROOT`, whose head is the word itself, becomes
`root` with head 0; should a sentence have several, the others hang on the first, as `dep`. Tokens of white space
(`SPACE`) are no words: they are left out, and what hung on one hangs on its head, or, where it was the root, on the
first of them. A word without relation becomes `dep`. A contraction (Spanish
`del`) is one token, and stays one word. Where a pipeline's relations are not UD's (English, German), they are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from treegauge.corpus.conllu import Corpus, parse_conllu
from treegauge.errors import CorpusError
from treegauge.extras import needed
from treegauge.objects.word_values import WordValues, check_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_SUGGESTION = "treegauge suggestion"  # key in user_data, with the token's place in the text
_CLEAN = str.maketrans("\t\n\r", "   ")  # a merged token may have line breaks in it


class TokenArc(NamedTuple):
    """An arc that a token would rather have. Of a root, the head is the token itself, as spaCy has it."""

    head: Token
    dep_: str
    probability: float


def from_spacy(docs: Doc | Iterable[Doc]) -> Corpus:
    """The corpus of a parsed spaCy document, or of several as one; tokens of white space are no words."""
    texts = []
    for doc in _several(docs):
        if not doc.has_annotation("DEP"):
            raise CorpusError(
                f"the document {doc.text[:30]!r} has no trees; expected a pipeline with a parser, before treegauge"
            )
        texts += [sentence_conllu(span) for span in doc.sents]
    return parse_conllu("".join(texts))


def set_on_spacy(docs: Doc | Iterable[Doc], corpus: Corpus, values: WordValues) -> None:
    """Set `token._.arc_probability` and so on, of the words of the corpus that was made of these documents."""
    register_extensions()
    words = [token for doc in _several(docs) for token in doc if not token.is_space]
    check_words(corpus, (_clean(token.text) for token in words), "spaCy tokens")
    start = corpus.start[corpus.sentence].tolist()
    for token, first, value in zip(words, start, values, strict=True):
        data, at = token.doc.user_data, token.idx
        for name in ("arc_score", "arc_probability", "tag_probability"):
            data["._.", name, at, None] = getattr(value, name)
        other = value.arc_suggestion
        if other is None:
            data.pop((_SUGGESTION, at), None)
        else:
            head = words[first + other.head - 1].idx if other.head else at
            dep = other.deprel if other.head else "ROOT"
            data[_SUGGESTION, at] = [head, dep, other.probability]


def register_extensions() -> None:
    """Make the extension attributes known to spaCy."""
    tokens = needed("spacy.tokens", "spacy", "a spaCy document")
    for name in ("arc_score", "arc_probability", "tag_probability"):
        if not tokens.Token.has_extension(name):
            tokens.Token.set_extension(name, default=None)
    if not tokens.Token.has_extension("arc_suggestion"):
        tokens.Token.set_extension("arc_suggestion", getter=_suggestion)
        for kind in (tokens.Doc, tokens.Span):
            kind.set_extension("arc_plausibility", getter=_plausibility)


def _suggestion(token: Token) -> TokenArc | None:
    """The arc that a token would rather have, if there is one."""
    found = token.doc.user_data.get((_SUGGESTION, token.idx))
    if found is None:
        return None
    place, dep, probability = found
    span = token.doc.char_span(place, place + 1, alignment_mode="expand")
    return TokenArc(span[0], dep, probability)


def _plausibility(tokens: Doc | Span) -> float | None:
    """The mean probability of the arcs of these tokens; None if there is none."""
    data = tokens.doc.user_data
    known = (data.get(("._.", "arc_probability", token.idx, None)) for token in tokens)
    found = [probability for probability in known if probability is not None]
    return sum(found) / len(found) if found else None


def _several(docs: Any) -> Iterator[Doc]:
    yield from [docs] if hasattr(docs, "sents") else docs


def sentence_conllu(span: Span) -> str:
    """A sentence of spaCy's as CoNLL-U; nothing where it is all white space."""
    words = [token for token in span if not token.is_space]
    number = {token.i: k for k, token in enumerate(words, 1)}
    lines = [f"# text = {' '.join(span.text.split())}\n"] if words else []
    top = 0  # the root, once it is found
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        relation = token.dep_ if token.dep_ not in ("", "ROOT") else "dep"
        if head.i != token.i and not head.is_space:
            at = number[head.i]
        elif top:
            at = top
        else:
            at, relation = 0, "root"
            top = number[token.i]
        lines.append(_line(number[token.i], token, at, relation))
    return "".join(lines) + "\n" if words else ""


def _line(number: int, token: Any, head: int, relation: str) -> str:
    space = "_" if token.whitespace_ or token.i + 1 == len(token.doc) else "SpaceAfter=No"
    columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
    return "\t".join([str(number), *(_clean(c) or "_" for c in columns), str(head), relation, "_", space]) + "\n"


def _clean(text: str) -> str:
    return text if text.isprintable() else text.translate(_CLEAN)
