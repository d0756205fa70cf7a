"""The trees of the demo as a spaCy component: a parser that needs no training."""

from functools import cache
from typing import Any

import treegauge as tg

CORPUS = tg.read_conllu(tg.__file__.replace("__init__.py", "demo/demo.conllu"))


@cache
def trees() -> dict[tuple[str, ...], list[tuple[int, str, str, str]]]:
    """Words -> head (from 0, a root is its own), relation, tag and lemma of each."""
    found = {}
    for s in range(CORPUS.n_sentences):
        rows = range(int(CORPUS.start[s]), int(CORPUS.start[s + 1]))
        words = []
        for k, row in enumerate(rows):
            head, relation = int(CORPUS.head[row]), CORPUS.value("deprel", row)
            arc = (head - 1, relation) if head else (k, "ROOT")
            words.append((*arc, CORPUS.value("upos", row), CORPUS.value("lemma", row)))
        found[tuple(CORPUS.forms(s))] = words
    return found


def parse(doc: Any) -> Any:
    """A document of one of the demo's sentences with its tree; the tokens of other documents stay as they are."""
    for token, (head, dep, pos, lemma) in zip(doc, trees().get(tuple(t.text for t in doc), ()), strict=False):
        token.head, token.dep_, token.pos_, token.lemma_ = doc[head], dep, pos, lemma
    return doc


def pipeline(**config: object) -> Any:
    """A pipeline of spaCy that parses the sentences of the demo, and the component treegauge."""
    import spacy
    from spacy.language import Language

    if not Language.has_factory("demo_parser"):
        Language.component("demo_parser", func=parse)
    nlp = spacy.blank("en")
    nlp.add_pipe("demo_parser")
    nlp.add_pipe("treegauge", config=config)
    return nlp


def documents(nlp: Any) -> list[Any]:
    """The sentences of the demo, not yet parsed."""
    from spacy.tokens import Doc

    return [Doc(nlp.vocab, words=list(words)) for words in trees()]
