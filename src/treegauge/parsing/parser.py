"""The interface of parsers, and parsers by name. A new parser needs one file and one line in PARSERS."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from treegauge.errors import OptionError

# Kinds of passages of the input; a parser splits paragraphs, wrapped or not, into sentences.
PARAGRAPH, WRAPPED, SENTENCE, TOKENS = "paragraph", "wrapped", "sentence", "tokens"
PASSAGES = (PARAGRAPH, WRAPPED, SENTENCE, TOKENS)

# name -> module with a function `load(model, passage)`; the package that the parser needs; what its model is called
PARSERS = {
    "udpipe": ("treegauge.parsing.udpipe", "ufal.udpipe", "FILE"),
    "spacy": ("treegauge.parsing.spacy", "spacy", "PIPELINE"),
    "stanza": ("treegauge.parsing.stanza", "stanza", "LANG"),
}


class Parser(Protocol):
    """Turns passages of text into trees."""

    name: str  # program, version and model; it is written into the journal
    notes: tuple[str, ...]  # facts that a user should know about its trees

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U, each with a blank line behind it.

        A text has no line breaks and is not empty. The caller numbers the sentences and drops comments other than
        `# text`. If it raises an exception for several texts, the caller gives them again one by one.
        """
        ...


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """A parser, its model and the kind of passage: all that a worker needs to load it."""

    parser: str
    model: str
    passage: str = PARAGRAPH

    @staticmethod
    def of(parser: str, passage: str = PARAGRAPH) -> "ParserSpec":
        """The specification in `udpipe:FILE`, `spacy:PIPELINE` or `stanza:LANG`."""
        name, _, model = parser.partition(":")
        if name not in PARSERS:
            raise OptionError(f"parser {name!r}; expected one of {', '.join(PARSERS)}")
        if passage not in PASSAGES:
            raise OptionError(f"passage {passage!r}; expected one of {', '.join(PASSAGES)}")
        if not model:
            raise OptionError(f"parser {name}: no model; expected --parser {name}:{PARSERS[name][2]}")
        return ParserSpec(name, model, passage)

    def load(self) -> Parser:
        """The parser, ready to parse."""
        module, package, _ = PARSERS[self.parser]
        try:
            parser: Parser = importlib.import_module(module).load(self.model, self.passage)
        except ModuleNotFoundError as error:
            if error.name is None or not package.startswith(error.name):
                raise
            extra = f"pip install 'treegauge[{self.parser}]'"
            raise OptionError(f"parser {self.parser}: {package} is not installed: {extra}") from error
        return parser
