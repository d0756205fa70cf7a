"""Raw Italian with nothing downloaded: a plain tokeniser, and tags, features and lemmas by the bundled model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treegauge.corpus.conllu import parse_conllu
from treegauge.models.bundled_models import load_model
from treegauge.models.columns.annotation import Annotator
from treegauge.parsing.italian import conllu_of, sentences, text_of
from treegauge.version import __version__

LANGUAGE = "it"
_VERBS = ("VERB", "AUX")


class PlainTagger:
    """Turns passages of Italian into sentences, tokens, words and their columns; HEAD and DEPREL stay empty."""

    def __init__(self) -> None:
        model = load_model(LANGUAGE)
        self.annotate = Annotator(model)
        self.name = f"treegauge {__version__}, bundled model {LANGUAGE}"
        self.notes: tuple[str, ...] = ()
        lemmas = next((weights for weights in model.columns if weights.column == "lemma"), None)
        self._supports = lemmas.supports if lemmas else None

    def _is_verb(self, infinitive: str) -> bool:
        return self._supports is not None and any(self._supports(tag, infinitive, "") for tag in _VERBS)

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U, tagged, without arcs."""
        cut = [list(sentences(text, self._is_verb)) for text in texts]
        plain = [[conllu_of(tokens, text_of(tokens)) for tokens in of_text] for of_text in cut]
        corpus = parse_conllu("".join(map("".join, plain)), trees=False)
        if not corpus.n_words:
            return ["" for _ in texts]
        tagged = self.annotate(corpus)
        columns = [
            [tagged.value(name, row) for name in ("lemma", "upos", "xpos", "feats")] for row in range(tagged.n_words)
        ]
        row = iter(columns)
        return ["".join(_with_columns(sentence, row) for sentence in of_text) for of_text in plain]


def _with_columns(sentence: str, columns: Iterator[list[str]]) -> str:
    """A sentence with the columns of its words, taken one by one."""
    lines = sentence.split("\n")
    for k, line in enumerate(lines):
        cells = line.split("\t")
        if cells[0].isdigit():
            cells[2:6] = next(columns)
            lines[k] = "\t".join(cells)
    return "\n".join(lines)
