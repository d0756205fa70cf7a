"""Read trees from spaCy documents, and set values on their tokens.

spaCy departs from Universal Dependencies in four ways. The relation `ROOT`, whose head is the word itself, becomes
`root` with head 0; if a sentence has several, the others become dependents of the first, with `dep`. Tokens of white
space (`SPACE`) are not words and are left out: their dependents get their head or, if such a token was the root, the
first of these dependents becomes the root. A word without relation gets `dep`. A contraction (Spanish `del`) is one
token, and stays one word. If the relations of a pipeline are not those of UD (English, German), they do not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treegauge.corpus.adapters.same_words import check_words
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, OptionError, check_type
from treegauge.extras import needed

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_SUGGESTION = "treegauge suggestion"  # key in user_data, together with the token's place in the text
_CLEAN = str.maketrans("\t\n\r", "   ")  # a merged token may have line breaks in it


class TokenArc(NamedTuple):
    """An arc that is likelier than the one a token has. The head of a root is the token itself, as in spaCy."""

    head: Token
    dep_: str
    probability: float


def from_spacy(docs: Doc | Iterable[Doc]) -> Corpus:
    """The corpus of one or several parsed spaCy documents; tokens of white space are not words."""
    texts = []
    for doc in _several(docs):
        if not doc.has_annotation("DEP"):
            raise CorpusError(
                f"the document {doc.text[:30]!r} has no trees; expected a pipeline with a parser, before treegauge"
            )
        texts += [sentence_conllu(span) for span in doc.sents]
    return parse_conllu("".join(texts))


def set_on_spacy(docs: Doc | Iterable[Doc], corpus: Corpus, attributes: Mapping[str, Sequence[Any]]) -> None:
    """Set `token._.arc_probability` and so on, on the words that the corpus was made of.

    attributes: name of the attribute -> the value of each word.
    """
    register_extensions(attributes)
    words = [token for doc in _several(docs) for token in doc if not token.is_space]
    check_words(corpus, (_clean(token.text) for token in words), "spaCy tokens")
    for name, values in attributes.items():
        if name != "arc_suggestion":
            for token, value in zip(words, values, strict=True):
                token.doc.user_data["._.", name, token.idx, None] = value
    first_words = corpus.start[corpus.sentence].tolist()
    for token, first, arc in zip(words, first_words, attributes["arc_suggestion"], strict=True):
        data, place = token.doc.user_data, token.idx
        if arc is None:
            data.pop((_SUGGESTION, place), None)
        else:
            head = words[first + arc.head - 1].idx if arc.head else place
            data[_SUGGESTION, place] = [head, arc.deprel if arc.head else "ROOT", arc.probability]


def register_extensions(attributes: Iterable[str]) -> None:
    """Make the extension attributes known to spaCy."""
    tokens = needed("spacy.tokens", "spacy", "a spaCy document")
    for name in attributes:
        if not tokens.Token.has_extension(name):
            options = {"getter": _suggestion} if name == "arc_suggestion" else {"default": None}
            tokens.Token.set_extension(name, **options)
    for kind in (tokens.Doc, tokens.Span):
        if not kind.has_extension("arc_plausibility"):
            kind.set_extension("arc_plausibility", getter=_plausibility)


def _suggestion(token: Token) -> TokenArc | None:
    """The arc that is likelier than the one the token has; None if there is none."""
    entry = token.doc.user_data.get((_SUGGESTION, token.idx))
    if entry is None:
        return None
    place, dep, probability = entry
    span = token.doc.char_span(place, place + 1, alignment_mode="expand")
    return TokenArc(span[0], dep, probability)


def _plausibility(tokens: Doc | Span) -> float | None:
    """The mean probability of the arcs of these tokens; None if there is none."""
    data = tokens.doc.user_data
    values = (data.get(("._.", "arc_probability", token.idx, None)) for token in tokens)
    known = [probability for probability in values if probability is not None]
    return sum(known) / len(known) if known else None


def _several(docs: Any) -> Iterator[Doc]:
    check_type("docs", docs, Iterable, "a document of spaCy, or several")
    for doc in [docs] if hasattr(docs, "sents") else docs:
        if not hasattr(doc, "sents"):
            raise OptionError(f"docs {doc!r:.80}; expected documents of spaCy")
        yield doc


def sentence_conllu(span: Span) -> str:
    """A sentence of spaCy as CoNLL-U; empty if it has only white space."""
    words = [token for token in span if not token.is_space]
    number = {token.i: k for k, token in enumerate(words, 1)}
    lines = [f"# text = {' '.join(span.text.split())}\n"] if words else []
    root = 0  # the number of the root word, once it is known
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        relation = token.dep_ if token.dep_ not in ("", "ROOT") else "dep"
        if head.i != token.i and not head.is_space:
            head_number = number[head.i]
        elif root:
            head_number = root
        else:
            head_number, relation = 0, "root"
            root = number[token.i]
        lines.append(_line(number[token.i], token, head_number, relation))
    return "".join(lines) + "\n" if words else ""


def _line(number: int, token: Any, head: int, relation: str) -> str:
    space = "_" if token.whitespace_ or token.i + 1 == len(token.doc) else "SpaceAfter=No"
    columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
    return "\t".join([str(number), *(_clean(c) or "_" for c in columns), str(head), relation, "_", space]) + "\n"


def _clean(text: str) -> str:
    return text if text.isprintable() else text.translate(_CLEAN)
