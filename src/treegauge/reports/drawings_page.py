"""A page of drawings, one sentence below the other, with filters for the kinds of links that they show."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from treegauge.palette import css

_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 0 1rem 2rem;
  background: var(--paper); color: var(--ink); }
figure { margin: 1.2rem 0; overflow-x: auto; border-top: 1px solid var(--line); padding-top: .6rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; white-space: pre-wrap; }
fieldset { border: 0; padding: 0; margin: .3rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
legend { float: left; font-weight: 600; margin-right: 1rem; }
.off { display: none; }
"""
_SCRIPT = """
const boxes = [...document.querySelectorAll("input")];
function show() {
  const off = new Set(boxes.filter(box => !box.checked).map(box => box.value));
  for (const link of document.querySelectorAll("[data-kinds]"))
    link.classList.toggle("off", link.dataset.kinds.split(" ").some(kind => off.has(kind)));
}
for (const box of boxes) box.addEventListener("change", show);
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def drawings_page(
    title: str,
    drawings: Sequence[tuple[str, str]],
    filters: Mapping[str, Sequence[str]] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """A page that needs nothing else: drawings are names with their SVG, in the colours of `palette.VARIABLES`.

    filters: a legend -> values. An element of a drawing whose `data-kinds` has a value that is switched off is hidden.
    notes: lines below the title.
    """
    fields = [
        f"<fieldset><legend>{html.escape(legend)}</legend>"
        + "".join(
            f'<label><input type="checkbox" checked value="{html.escape(value)}"> {html.escape(value)}</label>'
            for value in values
        )
        + "</fieldset>"
        for legend, values in (filters or {}).items()
    ]
    figures = [f"<figure><figcaption>{html.escape(name)}</figcaption>{drawing}</figure>" for name, drawing in drawings]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{html.escape(title)}</title>'
    return "\n".join(
        [
            f'<!doctype html><html lang="en"><head>{head}<style>{css()}{_STYLE}</style></head><body>',
            f"<h1>{html.escape(title)}</h1>",
            *(f"<p>{html.escape(note)}</p>" for note in notes),
            *fields,
            *figures,
            f"<script>{_SCRIPT}</script></body></html>\n",
        ]
    )
