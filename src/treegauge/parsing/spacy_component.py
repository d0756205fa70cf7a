"""The spaCy component `treegauge`, which spaCy finds by its entry point: `nlp.add_pipe("treegauge", config=…)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import srsly
from spacy.language import Language
from spacy.tokens import Doc

from treegauge.corpus.adapters.spacy_docs import from_spacy, register_extensions
from treegauge.corpus.files import write_whole
from treegauge.parsing.scoring_step import SAVED, ScoringStep
from treegauge.ranking.columns import ATTRIBUTES

_BUILD = "treegauge model build --from-spacy PIPELINE texts/ -o mine.tgm, then config={'model': 'mine.tgm'}"
_MANY = 4000  # how many words are scored at a time; with more, scoring becomes slower again


@Language.factory(  # type: ignore[untyped-decorator]
    "treegauge",
    default_config={"model": "", "calibration": None, "suggest": True},
    requires=["token.dep", "token.head", "token.pos", "doc.sents"],
    assigns=[*(f"token._.{name}" for name in ATTRIBUTES), "doc._.arc_plausibility", "span._.arc_plausibility"],
)
def create(nlp: Language, name: str, model: str, calibration: str | None, suggest: bool) -> SpacyComponent:
    """The component.

    model: the code of a bundled model, or a file; if empty, the model of the pipeline's language. calibration: a file
    of `treegauge calibrate`, or `any`. suggest: whether it looks for likelier arcs, too.
    """
    return SpacyComponent(name, ScoringStep(model or nlp.lang, calibration, suggest, _BUILD))


class SpacyComponent:
    """Scores the trees of documents. It is saved with its model, so that a pipeline can move to another machine."""

    def __init__(self, name: str, step: ScoringStep) -> None:
        self.name, self.step = name, step
        register_extensions(ATTRIBUTES)

    def __call__(self, doc: Doc) -> Doc:
        """The document with its scores."""
        self._score([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """The documents with their scores, many at a time."""
        docs: list[Doc] = []
        words = 0
        for doc in stream:
            docs.append(doc)
            words += len(doc)
            if len(docs) >= batch_size or words >= _MANY:
                self._score(docs)
                yield from docs
                docs, words = [], 0
        self._score(docs)
        yield from docs

    def _score(self, docs: list[Doc]) -> None:
        corpus = from_spacy([doc for doc in docs if len(doc)])
        self.step.scored(corpus).to_spacy(docs, suggest=self.step.suggest)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model and the calibration as bytes."""
        return srsly.msgpack_dumps(self.step.saved())

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> SpacyComponent:
        """Load the model and the calibration from the bytes of `to_bytes`."""
        self.step.restore(srsly.msgpack_loads(content), self.name)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model and the calibration into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.step.saved().items():
            with write_whole(folder / name) as stream:
                stream.write(content)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SpacyComponent:
        """Load the model and the calibration from the folder that `to_disk` wrote."""
        files = (Path(path) / name for name in SAVED)
        self.step.restore({file.name: file.read_bytes() for file in files if file.exists()}, str(path))
        return self
