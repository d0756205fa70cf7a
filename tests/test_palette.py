"""The colours: can be read, can be told apart, and come from one place."""

import re
from dataclasses import astuple, fields
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import treegauge
from treegauge.palette import DARK, LIGHT, Palette, css

REPORTS = Path(treegauge.__file__).parent / "reports"
TEXTS = ("ink", "soft", "plain", "suspect", "gold", "other", "unsure")
# Machado et al. (2009), severity 1: what is left of red, green and blue
BLIND = {
    "none": np.eye(3),
    "protan": np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    "deutan": np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]),
    "tritan": np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    low, high = sorted(float((TO_XYZ @ linear(colour))[1]) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* of linear light."""
    x, y, z = np.cbrt(TO_XYZ @ np.clip(light, 0, 1) / np.array([0.9505, 1, 1.0888]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_texts_can_be_read_on_every_ground(palette: Palette) -> None:
    for text in TEXTS:
        for ground in ("paper", "raised", "chosen"):
            assert contrast(getattr(palette, text), getattr(palette, ground)) >= 4.5, (text, ground)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("kind", BLIND)
def test_the_colours_of_arcs_differ_for_everybody(palette: Palette, kind: str) -> None:
    for one, two in combinations((palette.suspect, palette.gold, palette.other), 2):
        seen = [lab(BLIND[kind] @ linear(colour)) for colour in (one, two)]
        assert np.linalg.norm(seen[0] - seen[1]) > 10, (one, two)


def test_the_style_has_both_and_no_other_file_has_colours() -> None:
    style = css()
    assert all(colour in style for palette in (LIGHT, DARK) for colour in astuple(palette))
    variables = {field.name for field in fields(Palette)}
    for path in sorted(REPORTS.rglob("*")):
        if path.suffix in (".py", ".css", ".js", ".html") and path.name != "palette.py":
            text = path.read_text()
            assert not re.search(r"[\"' :]#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", text, re.IGNORECASE), path
            used = set(re.findall(r"var\(--([a-z]+)\)", text))
            assert used <= variables | {"rank", "score", "relation"}, path
