"""Draws a document with displaCy, the drawings of spaCy, with each arc in the colour of its probability."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.palette import LIGHT

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

DOUBTFUL, IMPROBABLE = 0.5, 0.1  # arcs with a lower probability have another colour
_ARROW = '<g class="displacy-arrow">'
_NOT_OURS = ("collapse_punct", "collapse_phrases")  # with these, displaCy draws other words than those that were scored


def displacy(doc: Doc | Span, options: dict[str, Any] | None = None, *, page: bool = False) -> str:
    """The drawing of a document or sentence that the component scored, as SVG; with `page`, as a whole HTML page.

    An arc is grey; it is violet if its probability is below 0.5, and orange and thick below 0.1. Its label then has the
    probability, so that a colour never stands alone. options: those of displaCy.
    """
    module = needed("spacy.displacy", "spacy", "displaCy")
    if not hasattr(doc, "vocab"):
        raise OptionError(f"doc {doc!r:.80}; expected a document or a span of spaCy")
    refused = [name for name in _NOT_OURS if (options or {}).get(name)]
    if refused:
        raise OptionError(f"displaCy's option {refused[0]}: merged words have no probability; expected it to be off")
    chosen = {"compact": True, **(options or {}), **dict.fromkeys(_NOT_OURS, False)}
    drawn = module.parse_deps(doc, chosen)
    words = list(doc)
    known = [words[_dependent(arc)]._.arc_probability for arc in drawn["arcs"]]
    for arc, probability in zip(drawn["arcs"], known, strict=True):
        if probability is not None and probability < DOUBTFUL:
            arc["label"] = f"{arc['label']} {probability:.2g}"
    markup = module.render(drawn, style="dep", manual=True, jupyter=False, page=page, options=chosen)
    first, *arrows = str(markup).split(_ARROW)
    return first + "".join(_coloured(known, arrows))


def _dependent(arc: dict[str, Any]) -> int:
    return int(arc["start"] if arc["dir"] == "left" else arc["end"])


def _coloured(probabilities: list[float | None], arrows: list[str]) -> Iterator[str]:
    """The arrows, each in a group with its colour and a title that tells the probability."""
    for probability, arrow in zip(probabilities, arrows, strict=True):
        colour, title = LIGHT.plain, "not judged"
        if probability is not None:
            title = f"probability {probability:.4g}"
            if probability < DOUBTFUL:
                colour = LIGHT.unsure
            if probability < IMPROBABLE:
                colour = LIGHT.suspect
                arrow = re.sub(r'stroke-width="\d+px"', 'stroke-width="4px"', arrow)
        yield f'<g class="displacy-arrow" style="color: {colour}"><title>{html.escape(title)}</title>{arrow}'
