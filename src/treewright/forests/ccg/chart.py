"""CCG charts as forests: from lexical entries to packed derivations with their dependencies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from treewright import _core
from treewright.arrays import Bytes, Floats, Indices
from treewright.config import setting
from treewright.data.records import Dependency, Derivation, Leaf, Node, fold
from treewright.errors import ForestError
from treewright.forests.ccg.grammar import CoreGrammar, core_grammar
from treewright.forests.forest import Forest, frozen
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.markup import Entry

UNARY = -1


class Outcome(IntEnum):
    """The outcome of building a chart."""

    PARSED = 0
    FRAGMENTS = 1
    NO_PARSE = 2
    TOO_LARGE = 3
    UNKNOWN_PAIRS = 4


class PartKind(IntEnum):
    """The kinds of parts of a chart's forest."""

    LEXICAL = 0
    UNARY = 1
    BINARY = 2
    ROOT = 3
    GLUE = 4


@dataclass(frozen=True)
class ChartSettings:
    """The items of charts, and limits on their size."""

    normal_form: bool = setting(True, "Eisner's normal-form constraints on compositions")
    dependencies: bool = setting(
        True, "keep all heads and unfilled slots in chart items; false: lexical heads only"
    )
    spans: bool = setting(False, "add spans to parts, for span features")
    max_unary: int = setting(2, "maximum number of unary rules in a row")
    margin: float = setting(
        float("inf"),
        "prune items that the coarse model scores this far below its best parse; inf: no pruning",
    )
    cell_margin: float = setting(
        float("inf"),
        "the same within each span; doubled if no parse is left",
    )
    max_items: int = setting(300_000, "maximum number of items in a chart")
    max_edges: int = setting(20_000_000, "maximum number of edges in a chart")

    def core(self, fragments: bool, keep_gold: bool) -> _core.CcgChartSettings:
        """The settings for the core, for one sentence."""
        return _core.CcgChartSettings(
            self.normal_form,
            self.dependencies,
            self.spans,
            fragments,
            keep_gold,
            self.max_unary,
            self.margin,
            self.cell_margin,
            self.max_items,
            self.max_edges,
        )


@dataclass(frozen=True, eq=False)
class Cells:
    """The lexical entries of each word: those of word w are first[w] .. first[w+1]-1.

    score: log probabilities [cells], used by the coarse model and the parser.
    """

    first: Indices
    entry: Indices
    score: Floats | None = None

    def __post_init__(self) -> None:
        first = self.first
        if (
            len(first) == 0
            or first[0] != 0
            or first[-1] != len(self.entry)
            or np.any(first[1:] < first[:-1])
        ):
            raise ForestError(
                "the first cells of words must increase from 0 to the number of cells"
            )
        if self.score is not None and len(self.score) != len(self.entry):
            raise ForestError(f"{len(self.score)} scores for {len(self.entry)} cells")

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> "Cells":
        sizes = np.cumsum([0, *map(len, entries)], dtype=np.int32)
        return cls(sizes, np.array([e for word in entries for e in word], dtype=np.int32))

    @property
    def words(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True, eq=False)
class Gold:
    """A gold analysis as numbers: entries [words], nodes [.., 6], dependencies [.., 3]."""

    entries: Indices
    nodes: Indices
    dependencies: Indices

    @classmethod
    def of(
        cls,
        grammar: CompiledGrammar,
        derivation: Derivation,
        entries: Sequence[Entry],
        dependencies: Sequence[Dependency],
    ) -> "Gold":
        tables = grammar.tables
        # An open grammar can meet a gold category later, so it has to be numbered now.
        number = tables.categories.get if grammar.closed else tables.categories.add
        rows = [(d.functor, grammar.relation(d.category, d.slot), d.argument) for d in dependencies]
        return cls(
            np.array([tables.entries.get(entry) for entry in entries], dtype=np.int32),
            np.array(_gold_nodes(derivation, number), dtype=np.int32).reshape(-1),
            np.array(rows, dtype=np.int32).reshape(-1),
        )

    @property
    def size(self) -> int:
        """The number of gold dependencies."""
        return len(self.dependencies) // 3

    def cells(self, cells: Cells) -> Bytes:
        """A mask of the gold cells: uint8 [cells]."""
        if len(self.entries) != cells.words:
            raise ForestError(f"gold has {len(self.entries)} words, the chart {cells.words}")
        wanted = np.repeat(self.entries, np.diff(cells.first))
        return np.equal(cells.entry, wanted).astype(np.uint8)


def _gold_nodes(derivation: Derivation, number: Callable[[str], int]) -> list[tuple[int, ...]]:
    """Rows (begin, split, end, category, left category, right category) of all inner nodes."""
    rows: list[tuple[int, ...]] = []
    Part = tuple[int, int, int]

    def leaf(word: int, tree: Leaf) -> Part:
        return word, word + 1, number(tree.category)

    def node(tree: Node, children: list[Part]) -> Part:
        (begin, end, left), right = children[0], -1
        split = UNARY
        if len(children) == 2:
            split, (_, end, right) = end, children[1]
        category = number(tree.category)
        rows.append((begin, split, end, category, left, right))
        return begin, end, category

    fold(derivation.root, leaf, node)
    return rows


class CcgChart:
    """The chart of a sentence; the arrays of its forest are fetched from the core on first use."""

    def __init__(
        self,
        grammar: CompiledGrammar,
        tables: CoreGrammar,
        cells: Cells,
        core: _core.CcgChart,
        gold: Gold | None,
    ) -> None:
        self.grammar = grammar
        self.tables = tables  # the tables with which the chart was built
        self.cells = cells
        self.core = core
        self.gold = gold
        self.outcome = Outcome(core.outcome)
        self.margin = core.margin  # narrower than in the settings if the chart was too large

    @property
    def usable(self) -> bool:
        """Whether there is a forest, of parses or of fragments."""
        return self.outcome in (Outcome.PARSED, Outcome.FRAGMENTS)

    @cached_property
    def forest(self) -> Forest:
        if not self.usable:
            raise ForestError(f"the sentence has no forest: {self.outcome.name}")
        built = frozen(self.core.forest())
        if self.gold is None:
            return Forest(*built)
        (counts,) = frozen((self.core.counts().reshape(3, -1),))
        return Forest(*built, counts, self.gold.size)

    @cached_property
    def gold_forest(self) -> Forest | None:
        """The gold derivations; None if they are not in the chart."""
        try:
            return self.forest.restrict(self.core.gold_edges().astype(bool))
        except ForestError:
            return None

    @cached_property
    def nodes(self) -> Indices:
        """[nodes, 3]: begin, end, symbol; -1 for the goal and for glue."""
        return self.core.nodes()

    @cached_property
    def parts(self) -> Indices:
        """[parts, 7]: kind; rule, cell or symbol; heads of the children; begin, split, end."""
        return self.core.parts()

    @cached_property
    def filled(self) -> tuple[Indices, Indices]:
        """The dependencies that each part fills: first [parts + 1], and their numbers."""
        return self.core.filled()

    @cached_property
    def dependencies(self) -> tuple[Indices, Indices]:
        """Distinct rows [rows, 3] of functor, relation and argument, and the row of each number.

        The core has several numbers for a row if entries of the same category produce it.
        """
        rows = self.core.dependencies()
        words = self.cells.words
        of_cell = np.repeat(np.arange(words, dtype=np.int32), np.diff(self.cells.first))
        rows[:, 0] = of_cell[rows[:, 0]]
        keys = (rows[:, 1].astype(np.int64) * words + rows[:, 0]) * words + rows[:, 2]
        _, first, row = np.unique(keys, return_index=True, return_inverse=True)
        return rows[first], row.astype(np.int32)


def ccg_chart(
    grammar: CompiledGrammar,
    cells: Cells,
    settings: ChartSettings,
    gold: Gold | None = None,
    fragments: bool = False,
    keep_gold: bool = False,
) -> CcgChart:
    """Builds the chart of all derivations over the cells.

    Args:
        grammar: the compiled grammar; unknown pairs of categories are compiled when they occur.
        cells: the lexical entries of each word.
        settings: the items of the chart, and limits.
        gold: marks gold edges and counts correct, produced and due dependencies on the parts.
        fragments: if there is no parse, build the fewest constituents that cover the sentence.
        keep_gold: protect gold derivations from pruning.
    """
    core_settings = settings.core(fragments, keep_gold)
    marks = None if gold is None else gold.cells(cells)
    rows = (None, None) if gold is None else (gold.nodes, gold.dependencies)
    while True:
        made = core_grammar(grammar)
        coarse = made.coarse_scores(cells.entry)
        coarse = coarse if cells.score is None else coarse + cells.score
        core = _core.ccg_chart(
            made.core, cells.first, cells.entry, core_settings, coarse, marks, *rows
        )
        if core.outcome != Outcome.UNKNOWN_PAIRS:
            return CcgChart(grammar, made, cells, core, gold)
        grammar.compile_pairs((int(left), int(right)) for left, right in core.unknown())
