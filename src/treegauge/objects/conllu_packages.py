"""Objects of the packages conllu, pyconll and udapi to trees, and values into their MISC. A package is one line of
PACKAGES; none of them is imported here, since whoever has its objects has imported it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

from treegauge.corpus.conllu import Corpus, parse_conllu
from treegauge.errors import OptionError
from treegauge.objects.word_values import WordValues, check_words


@dataclass(frozen=True, slots=True)
class ConlluPackage:
    """How the objects of a package are written, and what they have."""

    sentences: Callable[[Any], Iterable[Any]]  # of an object that has several; itself, of a sentence
    conllu: Callable[[Any], str]  # of a sentence
    words: Callable[[Any], Iterable[Any]]  # of a sentence, without multiword tokens and empty nodes
    form: Callable[[Any], str]
    set_misc: Callable[[Any, dict[str, str]], None]


def from_conllu_objects(objects: Any) -> Corpus:
    """The corpus of what conllu (TokenList), pyconll (Conll, Sentence) or udapi (Document, Root) has read.

    One object, or several of one package in a list.
    """
    return parse_conllu("".join(package.conllu(one).strip("\n") + "\n\n" for package, one in _sentences(objects)))


def set_on_conllu_objects(objects: Any, corpus: Corpus, values: WordValues) -> None:
    """Put the values of the words that the corpus was made of into their MISC."""
    words = [(package, word) for package, one in _sentences(objects) for word in package.words(one)]
    check_words(corpus, (package.form(word) for package, word in words), "words of the objects")
    for (package, word), value in zip(words, values, strict=True):
        package.set_misc(word, value.misc())


def _sentences(objects: Any) -> Iterator[tuple[ConlluPackage, Any]]:
    name = type(objects).__module__.partition(".")[0]
    if name in PACKAGES:
        for one in PACKAGES[name].sentences(objects):
            yield PACKAGES[name], one
    elif isinstance(objects, Iterable) and not isinstance(objects, (str, bytes)):
        for one in objects:
            yield from _sentences(one)
    else:
        raise OptionError(f"an object of type {type(objects).__name__}; expected one of {', '.join(PACKAGES)}")


def _conllu_sentences(objects: Any) -> Iterable[Any]:
    return [objects] if hasattr(objects, "serialize") else objects


def _conllu_words(sentence: Any) -> Iterable[Any]:
    return (token for token in sentence if isinstance(token["id"], int))


def _conllu_misc(token: Any, values: dict[str, str]) -> None:
    token["misc"] = (token.get("misc") or {}) | values


def _pyconll_sentences(objects: Any) -> Iterable[Any]:
    return [objects] if hasattr(objects, "meta_value") else objects


def _pyconll_words(sentence: Any) -> Iterable[Any]:
    return (token for token in sentence if not token.is_multiword() and not token.is_empty_node())


def _pyconll_misc(token: Any, values: dict[str, str]) -> None:
    for name, value in values.items():
        token.misc[name] = {value}


def _udapi_sentences(objects: Any) -> Iterable[Any]:
    return objects.trees if hasattr(objects, "trees") else [objects]


def _udapi_conllu(root: Any) -> str:
    from udapi.block.write.conllu import Conllu

    with redirect_stdout(StringIO()) as text:  # udapi's own way: its writer prints
        Conllu().process_tree(root)
    return text.getvalue()


def _udapi_misc(node: Any, values: dict[str, str]) -> None:
    for name, value in values.items():
        node.misc[name] = value


# the package of an object's class -> what to do with it
PACKAGES = {
    "conllu": ConlluPackage(
        _conllu_sentences, lambda one: one.serialize(), _conllu_words, lambda token: token["form"], _conllu_misc
    ),
    "pyconll": ConlluPackage(
        _pyconll_sentences, lambda one: one.conll(), _pyconll_words, lambda token: token.form, _pyconll_misc
    ),
    "udapi": ConlluPackage(
        _udapi_sentences, _udapi_conllu, lambda root: root.descendants, lambda node: node.form, _udapi_misc
    ),
}
