"""Widths of letters: texts in a drawing stay as wide as they were laid out, whatever the font.

Charts are laid out with the letters of Arial (Liberation Sans has the same widths). A browser that
lacks both takes another font, and wider letters would be clipped at the edge or run into the next
entry of a legend. So each text states its width, and the browser fits its letters into it.
"""

from __future__ import annotations

from itertools import chain
from xml.etree import ElementTree

__all__ = ["FONT", "fix_widths"]

FONT = ", ".join(("Arial", "Liberation Sans", "Helvetica", "sans-serif"))

# in thousandths of the font size, from the space to the tilde; metrics of Helvetica
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_OTHERS = {"–": 556, "…": 1000, "−": 584, "×": 584, "θ": 556, "“": 333, "”": 333, "’": 222}
_WIDTHS = {chr(code): width for code, width in enumerate(_ASCII, start=32)} | _OTHERS


def text_width(text: str, size: float) -> float | None:
    """Return how wide a text is; None if it has a letter whose width is not known.

    >>> text_width("k = 3", 10)
    21.96
    """
    if any(letter not in _WIDTHS for letter in text):
        return None
    return round(size * sum(_WIDTHS[letter] for letter in text) / 1000, 2)


def fix_widths(drawing: ElementTree.Element) -> None:
    """Let each text of a drawing state its width."""
    space = drawing.tag.removesuffix("svg")
    for text in chain(drawing.iter(f"{space}text"), drawing.iter(f"{space}tspan")):
        size = _size(text)
        # bold letters have other widths
        if len(text) or not text.text or size is None or text.get("font-weight") == "bold":
            continue
        width = text_width(text.text, size)
        if width:
            text.set("textLength", str(width))
            text.set("lengthAdjust", "spacingAndGlyphs")


def _size(text: ElementTree.Element) -> float | None:
    try:
        return float(text.get("font-size", "").removesuffix("px"))
    except ValueError:
        return None
