"""The colours of every picture: trees, chunks, figures, the page, and the index of a study.

The hues are those of Okabe and Ito, which the colour-blind tell apart, made darker (or lighter, on dark ground) until
a text in them can be read: its contrast is 4.5 or more (WCAG AA). A colour never stands alone: dashes, markers,
hatches or words say the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

# lines and bars of figures, in this order
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#56b4e9")
# shades of figures, by Matplotlib's names: of one quantity, of many classes, of numbers above and below 0
SHADES, CLASSES, ABOVE, BELOW = "Greens", "viridis", "Blues", "Oranges"


@dataclass(frozen=True, slots=True)
class Palette:
    """What each colour is for."""

    ink: str  # text
    soft: str  # text of less weight
    plain: str  # arcs that nobody asks about
    suspect: str  # the arc in question, errors, costs
    gold: str  # what gold says, what is right or accepted
    other: str  # what another parser says, links, the focus
    unsure: str
    paper: str  # the ground
    raised: str  # the ground of boxes, and of what the mouse is on
    chosen: str  # the ground of what is selected
    line: str  # rules between rows
    edge: str  # borders of buttons and boxes


LIGHT = Palette(
    ink="#1f2328",
    soft="#57606a",
    plain="#63676e",
    suspect="#ad4400",
    gold="#00664b",
    other="#006ba8",
    unsure="#8f4f87",
    paper="#ffffff",
    raised="#f3f4f6",
    chosen="#e3eef9",
    line="#d0d7de",
    edge="#8c959f",
)
DARK = Palette(
    ink="#e6e9ec",
    soft="#a8b1bb",
    plain="#9aa3ad",
    suspect="#ff9a57",
    gold="#2fcf9f",
    other="#56b4e9",
    unsure="#e0a3c8",
    paper="#15181c",
    raised="#23282e",
    chosen="#1f3a52",
    line="#3a4149",
    edge="#77818c",
)
# of drawings inside a page that has `css`: they are dark where it is
VARIABLES = Palette(**{field.name: f"var(--{field.name})" for field in fields(Palette)})


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
