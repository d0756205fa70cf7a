"""The colours of every picture: trees, chunks, figures, the page, and the index of a study.

The hues are those of Okabe and Ito, which colour-blind people can tell apart. They are made darker (or lighter, on
dark ground) until a text in them can be read: its contrast is 4.5 or more (WCAG AA). A colour is never the only sign:
dashes, markers, hatches or words say the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

# lines and bars of figures, in this order
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#56b4e9")
# shades of figures, by Matplotlib's names: of one quantity, of many classes, of numbers above and below 0
SHADES, CLASSES, ABOVE, BELOW = "Greens", "viridis", "Blues", "Oranges"


def _colour(light: str, dark: str) -> Any:
    return field(metadata={"light": light, "dark": dark})


@dataclass(frozen=True, slots=True)
class Palette:
    """The purpose of each colour; on light ground, on dark ground."""

    ink: str = _colour("#1f2328", "#e6e9ec")  # text
    soft: str = _colour("#57606a", "#a8b1bb")  # text of less weight
    plain: str = _colour("#63676e", "#9aa3ad")  # ordinary arcs
    suspect: str = _colour("#ad4400", "#ff9a57")  # the arc in question, errors, costs
    gold: str = _colour("#00664b", "#2fcf9f")  # gold's arcs, and everything that is right or accepted
    other: str = _colour("#006ba8", "#56b4e9")  # another parser's arcs, links, the focus
    unsure: str = _colour("#8f4f87", "#e0a3c8")
    paper: str = _colour("#ffffff", "#15181c")  # the ground
    raised: str = _colour("#f3f4f6", "#23282e")  # the ground of boxes, and of the row under the mouse
    chosen: str = _colour("#e3eef9", "#1f3a52")  # the ground of what is selected
    line: str = _colour("#d0d7de", "#3a4149")  # rules between rows
    edge: str = _colour("#8c959f", "#77818c")  # borders of buttons and boxes


LIGHT, DARK = (Palette(*(colour.metadata[ground] for colour in fields(Palette))) for ground in ("light", "dark"))
# for drawings inside a page that has `css`: they are dark if the page is
VARIABLES = Palette(*(f"var(--{colour.name})" for colour in fields(Palette)))


def css() -> str:
    """The colours as variables of CSS: dark where the system prefers that, light on paper."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in asdict(palette).items()) for palette in (LIGHT, DARK)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        "@media print { :root { color-scheme: light; } }\n"
    )
