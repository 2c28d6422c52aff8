"""The attributes of positions that the templates of a tokeniser combine.

char, lower, kind     the character: as it is, in lower case, its category and script
glyph, sort           lower and kind, with whether a blank follows
gap                   blanks after it: none, one, more, or the end of a short or a long line
chunk, shape          what stands between blanks, in lower case; its kinds without repetition
before, after         the part of the chunk up to here, and behind here
chunkm1, chunkp1      the chunks before and after
run                   the run of like characters, how much of it is left, and the gap
runm2 ... runp2       the runs around it
casep1, casem1        capitals in these runs, and how the lexicon knows them
tail2 ... tail5       before a blank: the last letters of the run before
lengthm1              before a blank: the length of the run before
quotes                whether an odd number of quotes stands before, in this paragraph
ends, starts, across  the longest known word that ends here, begins after, or is cut here
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from treewright.arrays import Keys
from treewright.scores.features.encoder import FIRST_KEY
from treewright.text.characters import Bools, Characters
from treewright.text.lexicon import Lexicon, WordKeys
from treewright.text.runs import Stretches, chunks, combined, runs, shapes

QUOTE = ord('"')
SHORT_LINE = 50
TAILS = (2, 3, 4, 5)
LONG = 8  # longer runs are treated alike in `lengthm1`


class Columns:
    """The attributes of one text, each computed on first use."""

    def __init__(self, characters: Characters, lexicon: Lexicon) -> None:
        self.characters, self.lexicon = characters, lexicon
        self.chunk, self.run = chunks(characters), runs(characters)
        self.keys = WordKeys(characters)
        self._lower = Stretches(characters.facts.lower)
        self._here = np.arange(len(characters))
        self._runs = self.keys.of(self.run.first[:-1], self.run.first[1:])
        self._chunks = self._lower.hash(self.chunk.first[:-1], self.chunk.first[1:])
        self._matches: tuple[Keys, Keys, Keys] | None = None

    def attributes(self, names: Sequence[str]) -> Keys:
        """uint64 [positions, columns]; values never equal those reserved for "outside"."""
        table = np.empty((len(self.characters), len(names)), dtype=np.uint64)
        for i, name in enumerate(names):
            table[:, i] = COLUMNS[name](self)
        table[table < FIRST_KEY] += np.uint64(FIRST_KEY)
        return table

    def whole(self) -> Bools:
        """A mask of the positions at which no token ends."""
        return self.lexicon.whole(self.characters, self.run)

    def gap(self) -> Keys:
        characters = self.characters
        gap = np.minimum(characters.blanks, 2)
        length = characters.line_length
        gap = np.where(length > 0, np.where(length < SHORT_LINE, 3, 4), gap)
        return gap.astype(np.uint64)

    def spaced(self, values: Keys) -> Keys:
        return values * np.uint64(2) + self.characters.spaced.astype(np.uint64)

    def shape(self) -> Keys:
        keys: Keys = shapes(self.characters, self.chunk)[self.chunk.of]
        return keys

    def here(self) -> Keys:
        """The run of a position, and the number of positions left in it."""
        left = np.minimum(self.run.end - 1 - self._here, 3)
        return combined(self._runs[self.run.of], left, self.gap())

    def prefix(self) -> Keys:
        return self._lower.hash(self.chunk.begin, self._here + 1)

    def suffix(self) -> Keys:
        return combined(self._lower.hash(self._here + 1, self.chunk.end), self.gap())

    def case(self, distance: int) -> Keys:
        """Capitals and length of a nearby run, and its case in the lexicon."""
        run, facts = self.run, self.characters.facts
        first = run.first[:-1]
        second = np.minimum(first + 1, run.first[1:] - 1)
        length = np.minimum(np.diff(run.first), 3)
        own = (facts.broad[first], facts.case[first], facts.case[second], length)
        known = combined(*(each.astype(np.int64) for each in own), self.lexicon.cases(self._runs))
        return run.neighbours(known, distance)

    def tail(self, size: int) -> Keys:
        """Before whitespace: the last letters of the previous run, or all of a short one."""
        end = self.run.first[1:]
        begin = np.maximum(end - size, self.run.first[:-1])
        return self._before_blank(self._lower.hash(begin, end))

    def length(self) -> Keys:
        return self._before_blank(np.minimum(np.diff(self.run.first), LONG).astype(np.uint64))

    def _before_blank(self, values: Keys) -> Keys:
        """Values of runs as attributes of the positions before whitespace in the next run."""
        keys: Keys = np.where(self.characters.spaced, self.run.neighbours(values, -1), 0)
        return keys

    def quotes(self) -> Keys:
        paragraphs = self.characters.first
        quotes = np.concatenate(([0], np.cumsum(self.characters.points == QUOTE)))
        owner = np.searchsorted(paragraphs, self._here, side="right") - 1
        return ((quotes[:-1] - quotes[paragraphs[owner]]) % 2).astype(np.uint64)

    def matches(self) -> tuple[Keys, Keys, Keys]:
        if self._matches is None:
            unit = self.lexicon.units(self.characters, self.run)
            at_end = unit.end - 1 == self._here
            longest = self.lexicon.longest(self.keys, unit)
            rows = [np.where(at_end, each[unit.of] + 1, 0).astype(np.uint64) for each in longest]
            self._matches = rows[0], rows[1], rows[2]
        return self._matches

    def chunk_at(self, distance: int) -> Keys:
        return self.chunk.neighbours(self._chunks, distance)

    def run_at(self, distance: int) -> Keys:
        return self.run.neighbours(self._runs, distance)


COLUMNS: dict[str, Callable[[Columns], Keys]] = {
    "char": lambda c: c.characters.points.astype(np.uint64),
    "lower": lambda c: c.characters.facts.lower,
    "kind": lambda c: c.characters.facts.kind,
    "glyph": lambda c: c.spaced(c.characters.facts.lower),
    "sort": lambda c: c.spaced(c.characters.facts.kind),
    "gap": Columns.gap,
    "chunk": lambda c: c.chunk_at(0),
    "chunkm1": lambda c: c.chunk_at(-1),
    "chunkp1": lambda c: c.chunk_at(1),
    "shape": Columns.shape,
    "before": Columns.prefix,
    "after": Columns.suffix,
    "run": Columns.here,
    "runm2": lambda c: c.run_at(-2),
    "runm1": lambda c: c.run_at(-1),
    "runp1": lambda c: c.run_at(1),
    "runp2": lambda c: c.run_at(2),
    "casem1": lambda c: c.case(-1),
    "case": lambda c: c.case(0),
    "casep1": lambda c: c.case(1),
    "casep2": lambda c: c.case(2),
    **{f"tail{size}": partial(Columns.tail, size=size) for size in TAILS},
    "lengthm1": Columns.length,
    "quotes": Columns.quotes,
    "ends": lambda c: c.matches()[0],
    "starts": lambda c: c.matches()[1],
    "across": lambda c: c.matches()[2],
}
# Uninformative in texts without whitespace.
NEED_BLANKS = {"lengthm1", *(f"tail{size}" for size in TAILS)}
