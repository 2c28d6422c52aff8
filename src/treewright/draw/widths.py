"""How wide text is, estimated without a browser.

The advance widths are those of DejaVu Sans, which is wider than Helvetica, Arial, Segoe UI or
Roboto: text that fits by this estimate fits in any of them.
"""

from unicodedata import combining, east_asian_width

# Hundredths of an em, and the characters that have that width.
ADVANCES = {
    28: "'ijl",
    29: "IJ",
    32: " ,.",
    34: "/:;\\|",
    35: "f-",
    39: "()[]t!",
    41: "r",
    46: '"',
    51: "*_`sz?",
    55: "cLFk",
    59: "vxyP",
    62: "TYaoe",
    64: "ESbdghnpqu$0123456789{}",
    68: "KAVBRXZC",
    75: "UHNDG&",
    82: "OQw#+<=>^~",
    88: "M",
    97: "m%W@",
}
ADVANCE = {character: hundredths for hundredths, group in ADVANCES.items() for character in group}
OTHER = 66  # other scripts, on average
WIDE = 105  # East Asian characters and emoji


def text_width(text: str, size: float) -> float:
    """The width in pixels of a text whose font has `size` pixels."""
    return sum(map(_advance, text)) * size / 100


def _advance(character: str) -> int:
    known = ADVANCE.get(character)
    if known is not None:
        return known
    if combining(character) or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return WIDE if east_asian_width(character) in "WF" else OTHER


def shortened(text: str, longest: int = 48) -> str:
    """The text, cut where it has too many characters to draw."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
