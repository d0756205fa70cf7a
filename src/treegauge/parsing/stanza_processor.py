"""The Stanza processor `treegauge`; Stanza knows it as soon as this module is imported."""

from __future__ import annotations

from typing import Any

from treegauge.corpus.adapters.stanza_docs import from_stanza
from treegauge.extras import needed
from treegauge.parsing.scoring_step import ScoringStep

_stanza = needed("stanza.pipeline.processor", "stanza", "the Stanza processor")
_Processor: Any = _stanza.Processor
_BUILD = "treegauge parse texts/ --parser stanza:LANG -o parsed/ && treegauge model build parsed/ -o mine.tgm"


@_stanza.register_processor("treegauge")
class StanzaProcessor(_Processor):  # type: ignore[misc]
    """Scores the trees of documents, after depparse.

    Options: `treegauge_model`, the code of a bundled model or a file, by default the model of the pipeline's language;
    `treegauge_calibration`, a file of `treegauge calibrate`, or `any`; with `treegauge_suggest=False`, it does not look
    for likelier arcs.
    """

    PROVIDES_DEFAULT = frozenset({"treegauge"})
    REQUIRES_DEFAULT = frozenset({"depparse"})

    def __init__(self, config: dict[str, Any], pipeline: Any, device: Any) -> None:
        super().__init__(config, pipeline, device)
        model = config.get("model") or config["lang"]
        self.step = ScoringStep(model, config.get("calibration"), config.get("suggest", True), _BUILD)

    def process(self, doc: Any) -> Any:
        """The document with its scores."""
        self.bulk_process([doc])
        return doc

    def bulk_process(self, docs: list[Any]) -> list[Any]:
        """The documents with their scores."""
        self.step.scored(from_stanza(docs)).to_stanza(docs, suggest=self.step.suggest)
        return docs

    def mark_inactive(self) -> None:
        """Stanza calls this if depparse is missing; there is nothing to do."""
