"""Trees from objects of the packages conllu, pyconll and udapi, and values into the MISC of these objects.

Each package has an entry in PACKAGES. None of them is imported here: a user who has its objects has imported it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

from treegauge.corpus.adapters.same_words import check_words, misc_of_words
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import OptionError


@dataclass(frozen=True, slots=True)
class ConlluPackage:
    """How the objects of a package are read: their sentences, words and MISC."""

    sentences: Callable[[Any], Iterable[Any]]  # the sentences of an object; a sentence is its own only sentence
    conllu: Callable[[Any], str]  # the text of a sentence
    words: Callable[[Any], Iterable[Any]]  # the words of a sentence, without multiword tokens and empty nodes
    form: Callable[[Any], str]
    set_misc: Callable[[Any, dict[str, str]], None]


def from_conllu_objects(objects: Any) -> Corpus:
    """The corpus of objects of conllu (TokenList), pyconll (Conll, Sentence) or udapi (Document, Root).

    objects: one object, or a list of several objects of one package.
    """
    texts = (package.conllu(sentence).strip("\n") for package, sentence in _sentences(objects))
    return parse_conllu("".join(text + "\n\n" for text in texts))


def set_on_conllu_objects(objects: Any, corpus: Corpus, misc: Mapping[str, Sequence[str | None]]) -> None:
    """Put values into MISC of the words that the corpus was made of; misc: name -> the value of each word."""
    words = [(package, word) for package, sentence in _sentences(objects) for word in package.words(sentence)]
    check_words(corpus, (package.form(word) for package, word in words), "words of the objects")
    for (package, word), values in zip(words, misc_of_words(misc), strict=True):
        package.set_misc(word, values)


def _sentences(objects: Any) -> Iterator[tuple[ConlluPackage, Any]]:
    name = type(objects).__module__.partition(".")[0]
    if name in PACKAGES:
        for sentence in PACKAGES[name].sentences(objects):
            yield PACKAGES[name], sentence
    elif isinstance(objects, Iterable) and not isinstance(objects, (str, bytes)):
        for part in objects:
            yield from _sentences(part)
    else:
        raise OptionError(f"an object of type {type(objects).__name__}; expected one of {', '.join(PACKAGES)}")


def _conllu_misc(token: Any, values: dict[str, str]) -> None:
    token["misc"] = (token.get("misc") or {}) | values


def _pyconll_misc(token: Any, values: dict[str, str]) -> None:
    for name, value in values.items():
        token.misc[name] = {value}


def _udapi_conllu(root: Any) -> str:
    from udapi.block.write.conllu import Conllu

    with redirect_stdout(StringIO()) as text:  # udapi's writer prints
        Conllu().process_tree(root)
    return text.getvalue()


# name of the package that defines the class of an object -> how the object is read
PACKAGES = {
    "conllu": ConlluPackage(
        lambda objects: [objects] if hasattr(objects, "serialize") else objects,
        lambda tokens: tokens.serialize(),
        lambda sentence: (token for token in sentence if isinstance(token["id"], int)),
        lambda token: token["form"],
        _conllu_misc,
    ),
    "pyconll": ConlluPackage(
        lambda objects: [objects] if hasattr(objects, "meta_value") else objects,
        lambda sentence: sentence.conll(),
        lambda sentence: (token for token in sentence if not token.is_multiword() and not token.is_empty_node()),
        lambda token: token.form,
        _pyconll_misc,
    ),
    "udapi": ConlluPackage(
        lambda objects: objects.trees if hasattr(objects, "trees") else [objects],
        _udapi_conllu,
        lambda root: root.descendants,
        lambda node: node.form,
        lambda node, values: node.misc.update(values),
    ),
}
