"""What a parser is here, and how one is found by its name. A new parser is one file and one line of PARSERS."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from treegauge.errors import OptionError

# What a passage of the input is: for a parser, a paragraph or a wrapped one is text to be cut into sentences.
PARAGRAPH, WRAPPED, SENTENCE, TOKENS = "paragraph", "wrapped", "sentence", "tokens"
PASSAGES = (PARAGRAPH, WRAPPED, SENTENCE, TOKENS)

# name -> module, whose function `load(model, passage)` gives the parser; what it needs; what its model is called
PARSERS = {
    "udpipe": ("treegauge.parsers.udpipe", "ufal.udpipe", "FILE"),
    "spacy": ("treegauge.parsers.spacy", "spacy", "PIPELINE"),
    "stanza": ("treegauge.parsers.stanza", "stanza", "LANG"),
}


class Parser(Protocol):
    """Turns passages of text into trees."""

    name: str  # program, version and model: what is written beside the trees
    notes: tuple[str, ...]  # what a user should know of its trees

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U, each with a blank line behind it.

        A text has no line breaks and is not empty. Comments other than `# text` are dropped by the caller, who
        numbers the sentences. What it raises for several texts is asked again one by one.
        """
        ...


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """Which parser with which model, for which kind of passage: what a worker needs to load it."""

    parser: str
    model: str
    passage: str = PARAGRAPH

    @staticmethod
    def of(parser: str, model: str | None = None, passage: str = PARAGRAPH) -> "ParserSpec":
        """From `udpipe` and a model, or `udpipe:MODEL`, `spacy:PIPELINE`, `stanza:LANG`."""
        name, _, inside = parser.partition(":")
        if name not in PARSERS:
            raise OptionError(f"parser {name!r}; expected one of {', '.join(PARSERS)}")
        if passage not in PASSAGES:
            raise OptionError(f"passage {passage!r}; expected one of {', '.join(PASSAGES)}")
        if bool(inside) == bool(model):
            what = PARSERS[name][2]
            problem = f"two models, {inside!r} and {model!r}" if model else "no model"
            raise OptionError(f"parser {name}: {problem}; expected --parser {name}:{what}, or --model {what}")
        return ParserSpec(name, inside or model or "", passage)

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
