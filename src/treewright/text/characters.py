"""Characters as numbers: code points, categories, lower case, and the whitespace between them.

A text becomes arrays over its *positions*, the characters that are not whitespace. The whitespace
between a position and the next is its gap. Offsets into the text are kept, so segments of positions
are segments of the text.
"""

import sys
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Bytes, Integers, Keys
from treewright.scores.features.encoder import key_of

Bools = NDArray[np.bool_]

BLANK, LETTER, DIGIT, MARK, OTHER = range(5)
UPPER, LOWER = 1, 2
BYTE_ORDER_MARK = "\ufeff"
JOINER, SKIN_TONES, FLAGS = 0x200D, (0x1F3FB, 0x1F3FF), (0x1F1E6, 0x1F1FF)
LINE_FEED, CARRIAGE_RETURN, LINE_SEPARATOR, PARAGRAPH_SEPARATOR = 10, 13, 0x2028, 0x2029


@dataclass(frozen=True, eq=False)
class CharacterFacts:
    """Properties of characters, arrays [characters]."""

    lower: Keys  # the code point of the lower-case character
    kind: Keys  # general category and script
    script: Keys  # script of letters; the code point of others
    broad: Bytes  # BLANK, LETTER ...
    case: Bytes  # UPPER, LOWER or 0


class CharacterTable:
    """Properties of code points, each looked up once in the Unicode database."""

    def __init__(self) -> None:
        # 0 for code points not yet looked up; unused pages take no memory
        self._number = np.zeros(sys.maxunicode + 1, dtype=np.int32)
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._columns: tuple[Keys, ...] = ()

    def facts(self, points: NDArray[np.uint32]) -> CharacterFacts:
        numbers = self._number[points]
        if numbers.size and not numbers.min():
            for point in sorted(set(points[numbers == 0].tolist())):
                self._rows.append(_facts(chr(point)))
                self._number[point] = len(self._rows)
            self._columns = tuple(np.array(self._rows, dtype=np.uint64).T)
            numbers = self._number[points]
        if not self._columns:
            return CharacterFacts(*(np.zeros(0, np.uint64),) * 3, *(np.zeros(0, np.uint8),) * 2)
        lower, kind, script, broad, case = (column[numbers - 1] for column in self._columns)
        return CharacterFacts(lower, kind, script, broad.astype(np.uint8), case.astype(np.uint8))


def _facts(character: str) -> tuple[int, int, int, int, int]:
    point, category = ord(character), unicodedata.category(character)
    broad = _broad(character, category)
    lower = character.lower()
    script = script_of(character) if broad == LETTER else ""
    case = UPPER if character.isupper() or character.istitle() else LOWER * character.islower()
    return (
        (ord(lower) if len(lower) == 1 else point) + 1,
        key_of(f"{category} {script}"),
        key_of(script) if broad == LETTER else (key_of(category) if broad == DIGIT else point + 1),
        broad,
        case,
    )


def _broad(character: str, category: str) -> int:
    if character.isspace() or character == BYTE_ORDER_MARK:
        return BLANK
    if category[0] == "M" or category == "Cf":
        return MARK
    return {"L": LETTER, "N": DIGIT}.get(category[0], OTHER)


def script_of(character: str) -> str:
    """The script of a letter, by the first word of its Unicode name."""
    return unicodedata.name(character, "").split(" ")[0].split("-")[0]


@dataclass(frozen=True, eq=False)
class Characters:
    """The positions of a text.

    offset [positions]: into the text. line_length [positions]: of the line that ends in the gap, 0
    if none does. blanks [positions]: the number of whitespace characters that follow.

    Paragraphs are separated by blank lines; first [paragraphs + 1]: their first positions.
    """

    text: str
    points: NDArray[np.uint32]
    offset: Integers
    blanks: Integers
    line_length: Integers
    first: Integers
    facts: CharacterFacts

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def spaced(self) -> Bools:
        """A mask of the positions followed by whitespace or the end of the text."""
        return self.blanks > 0

    @cached_property
    def joined(self) -> Bools:
        """A mask of the positions whose successor belongs to the same visible character."""
        if not len(self):
            return np.zeros(0, dtype=np.bool_)
        marks = (self.facts.broad == MARK) | _between(self.points, SKIN_TONES)
        flags, here = _between(self.points, FLAGS), np.arange(len(self))
        odd = (here - np.maximum.accumulate(np.where(flags, -1, here))) % 2 == 1
        pairs = flags & odd & np.append(flags[1:], False)
        joins: Bools = np.append(marks[1:], False) | pairs | (self.points == JOINER)
        return joins & ~self.spaced


def _between(points: NDArray[np.uint32], ends: tuple[int, int]) -> Bools:
    return (points >= ends[0]) & (points <= ends[1])


def read_characters(text: str, table: CharacterTable, by_line: bool = False) -> Characters:
    """The positions of a text; `by_line`: each line is a paragraph."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    facts = table.facts(points)
    offset = np.flatnonzero(facts.broad != BLANK)
    blanks = np.diff(np.append(offset, len(points))) - 1
    if len(offset) and not blanks[-1]:
        blanks[-1] = 1
    breaks, length = _lines(points, offset)
    ends = np.flatnonzero(breaks[:-1] > (0 if by_line else 1)) + 1
    first = np.unique(np.concatenate(([0], ends, [len(offset)])))
    kept = CharacterFacts(*(getattr(facts, name)[offset] for name in facts.__dataclass_fields__))
    return Characters(text, points[offset], offset, blanks, length, first, kept)


def _lines(points: NDArray[np.uint32], offset: Integers) -> tuple[Integers, Integers]:
    """The number of lines that end in the gap after each position, and the length of the first."""
    ends = (points == LINE_FEED) | (points == LINE_SEPARATOR)
    ends |= (points == CARRIAGE_RETURN) & (np.append(points[1:], 0) != LINE_FEED)
    total = np.concatenate(([0], np.cumsum(ends + 2 * (points == PARAGRAPH_SEPARATOR))))
    breaks = total[np.append(offset[1:], len(points))] - total[offset]
    start = np.maximum.accumulate(np.where(ends, np.arange(1, len(points) + 1), 0))
    return breaks, np.where(breaks > 0, offset - start[offset] + 1, 0)
