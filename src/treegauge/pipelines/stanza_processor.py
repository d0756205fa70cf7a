"""The Stanza processor `treegauge`: importing this module registers it, as Stanza's own processors are."""

from __future__ import annotations

from typing import Any

from treegauge.extras import needed
from treegauge.objects.stanza_docs import from_stanza, set_on_stanza
from treegauge.pipelines.judging_step import JudgingStep

_stanza = needed("stanza.pipeline.processor", "stanza", "the Stanza processor")
_Processor: Any = _stanza.Processor
_BUILD = "treegauge parse texts/ --parser stanza:LANG -o parsed/ && treegauge model build parsed/ -o mine.tgm"


@_stanza.register_processor("treegauge")
class StanzaProcessor(_Processor):  # type: ignore[misc]
    """Judges the trees of documents, behind depparse.

    Options: `treegauge_model`, the code of a bundled model or a file, by default that of the pipeline's language;
    `treegauge_calibration`, a file of `treegauge calibrate`, or `any`; `treegauge_suggest=False`: look for no
    likelier arcs.
    """

    PROVIDES_DEFAULT = frozenset({"treegauge"})
    REQUIRES_DEFAULT = frozenset({"depparse"})

    def __init__(self, config: dict[str, Any], pipeline: Any, device: Any) -> None:
        super().__init__(config, pipeline, device)
        model = config.get("model") or config["lang"]
        self.step = JudgingStep(model, config.get("calibration"), config.get("suggest", True), _BUILD)

    def process(self, doc: Any) -> Any:
        """The document, judged."""
        self.bulk_process([doc])
        return doc

    def bulk_process(self, docs: list[Any]) -> list[Any]:
        """The documents, judged together."""
        corpus = from_stanza(docs)
        set_on_stanza(docs, corpus, self.step.values(corpus))
        return docs

    def mark_inactive(self) -> None:
        """Stanza asks for this where depparse is missing; there is nothing to let go."""
