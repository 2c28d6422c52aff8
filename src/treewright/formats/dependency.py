"""Dependency trees drawn for the terminal: words below, arcs above, relations on the arcs.

             ╷root
     ┌─nsubj─┐│┌─obj─┐
     ▼       │▼│     ▼
    She      reads  books

An arc leaves its head on the side of the dependent and comes down on the dependent's middle, where
an arrow is. It stands above all arcs inside its span, so that nothing crosses in a projective tree.
A sentence that is wider than the page goes on in another row. Arcs to the words of other rows end
at `…` and name the word: `obj (books)`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from treewright.data.dependency import DependencyTree
from treewright.data.surface import surface_of
from treewright.formats import objects

GAP = 1  # columns between words
LEAST = 3  # columns of a word: arcs to the left, the arrow, arcs to the right
MAX_WORD = 24  # longer words are shortened
NAMED = 12  # characters of a word named by an arc
DOWN = {" ": "│", "─": "┼", "┌": "├", "┐": "┤", "┬": "┼"}
MEET = {("┌", "┌"): "┌", ("┐", "┐"): "┐", ("│", "┌"): "├", ("│", "┐"): "┤", ("│", "─"): "┼"}


@dataclass(frozen=True)
class _Arc:
    """An arc between two columns; words count from 1, the head 0 is the root."""

    word: int
    head: int
    label: str

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.word, self.head or self.word), max(self.word, self.head)

    def has_end_in(self, begin: int, end: int) -> bool:
        """Whether the word or its head is among the words begin + 1 to end."""
        return begin < self.word <= end or begin < self.head <= end


_Row = tuple[Sequence[str], Sequence[_Arc]]


def draw_dependencies(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str], columns: int | None = None
) -> str:
    """Draws a tree in rows of at most `columns`; heads count from 1, 0 is the root."""
    triples = zip(range(1, len(words) + 1), heads, labels, strict=True)
    arcs = [_Arc(*triple) for triple in triples]
    if not arcs:
        return "\n"
    forms = [_cut(word) for word in words]
    if columns is None:
        return _drawing(forms, arcs)
    return "\n".join(_drawing(*row) for row in _rows(forms, arcs, columns))


def _rows(forms: Sequence[str], arcs: Sequence[_Arc], columns: int) -> Iterator[_Row]:
    """Splits the sentence into rows with as many words as fit."""
    begin = 0
    while begin < len(forms):
        last = min(len(forms), begin + columns // (LEAST + GAP))
        lengths = range(last, begin + 1, -1)
        fits = (end for end in lengths if _starts(*_row(forms, arcs, begin, end))[1] <= columns)
        end = next(fits, begin + 1)
        yield _row(forms, arcs, begin, end)
        begin = end


def _row(forms: Sequence[str], arcs: Sequence[_Arc], begin: int, end: int) -> _Row:
    """The row of words `begin` to `end`, from 0, with `…` for all words before or after them."""
    here = [arc for arc in arcs if arc.has_end_in(begin, end)]
    before = int(any(arc.ends[0] <= begin for arc in here))
    after = any(arc.ends[1] > end for arc in here)

    def moved(position: int) -> int:
        return max(0, min(position, end + 1) - begin) + before

    def name(arc: _Arc) -> str:
        others = [x for x in (arc.word, arc.head) if x and not begin < x <= end]
        return f"{arc.label} ({forms[others[0] - 1][:NAMED]})" if others else arc.label

    made = [_Arc(moved(a.word), moved(a.head) if a.head else 0, name(a)) for a in here]
    return [*["…"] * before, *forms[begin:end], *["…"] * after], made


def _drawing(forms: Sequence[str], arcs: Sequence[_Arc]) -> str:
    starts, width = _starts(forms, arcs)
    levels = _levels(arcs)
    rows = [[" "] * width for _ in range(max(levels) + 1)]
    for arc, level in sorted(zip(arcs, levels, strict=True), key=lambda pair: pair[1]):
        _draw(rows, arc, level, starts)
    for arc in arcs:
        rows[0][starts[arc.word - 1] + 1] = "▼"
    lines = ["".join(row).rstrip() for row in reversed(rows)]
    return "\n".join([*lines, _words(forms, starts)]) + "\n"


def _cut(word: str) -> str:
    return word if cell_len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…"


def _starts(forms: Sequence[str], arcs: Sequence[_Arc]) -> tuple[list[int], int]:
    """The first column of each word, and the total width; arcs have space for their labels."""
    starts: list[int] = []
    at = 0
    for word, form in enumerate(forms, start=1):
        for arc in arcs:
            first, last = arc.ends
            if last == word > first:
                at = max(at, starts[first - 1] + cell_len(arc.label) + 4)
        starts.append(at)
        at += max(cell_len(form), LEAST) + GAP
    roots = (starts[arc.word - 1] + cell_len(arc.label) + LEAST for arc in arcs if not arc.head)
    return starts, max([at, *roots])


def _levels(arcs: Sequence[_Arc]) -> list[int]:
    """The height of each arc, from 1: above all arcs that share a column with it."""
    levels = [0] * len(arcs)
    by_length = sorted(range(len(arcs)), key=lambda i: arcs[i].ends[1] - arcs[i].ends[0])
    # The root's mark is above all arcs.
    for i in sorted(by_length, key=lambda i: arcs[i].head == 0):
        first, last = arcs[i].ends
        others = [(levels[j], *arcs[j].ends) for j in range(len(arcs)) if levels[j]]
        low = [level for level, a, b in others if a < last and first < b]
        if arcs[i].head == 0:
            low = [level for level, a, b in others if a <= first <= b]
        levels[i] = 1 + max(low, default=0)
    return levels


def _draw(rows: list[list[str]], arc: _Arc, level: int, starts: Sequence[int]) -> None:
    below = starts[arc.word - 1] + 1
    _drop(rows, below, level)
    if arc.head == 0:
        rows[level][below : below + cell_len(arc.label) + 1] = _cells(f"╷{arc.label}")
        return
    above = starts[arc.head - 1] + (0 if arc.word < arc.head else 2)
    _drop(rows, above, level)
    left, right = sorted((below, above))
    gap = " " * cell_len(arc.label)
    line = "┌" + gap.center(right - left - 1, "─").replace(gap or "─", arc.label or "─", 1) + "┐"
    for column, mark in enumerate(_cells(line), start=left):
        old = rows[level][column]
        rows[level][column] = mark if old == " " else MEET.get((old, mark), "┬")


def _cells(text: str) -> list[str]:
    """One string per column: empty after a wide character, marks with their base character."""
    cells: list[str] = []
    for character in text:
        if cell_len(character) == 0 and cells:
            cells[-1] += character
        else:
            cells += [character, *[""] * (cell_len(character) - 1)]
    return cells


def _drop(rows: list[list[str]], column: int, level: int) -> None:
    for row in rows[:level]:
        row[column] = DOWN.get(row[column], row[column])


def _words(forms: Sequence[str], starts: Sequence[int]) -> str:
    text = ""
    for form, start in zip(forms, starts, strict=True):
        middle = start + (cell_len(form) == 1)
        text += " " * (middle - cell_len(text)) + form
    return text


def sentence_object(tree: DependencyTree) -> dict[str, object]:
    """The words of a sentence with their columns and places."""
    return objects.sentence_object(
        tree.id,
        tree.forms,
        surface_of(tree),
        lemmas=[word.lemma for word in tree.words],
        upos=tree.upos,
        xpos=tree.xpos,
        feats=[word.feats for word in tree.words],
    )


def arcs_object(tree: DependencyTree) -> dict[str, object]:
    """The head of each word, counted from 1 (0 is the root), and its relation."""
    return {"heads": [word.head for word in tree.words], "labels": list(tree.deprels)}


def marginals_object(
    marginals: Sequence[Mapping[tuple[int, str], float]],
) -> dict[str, object]:
    """For each word, its possible heads and relations with their probabilities."""
    rows = [
        [{"head": head, "label": label, "probability": p} for (head, label), p in row.items()]
        for row in marginals
    ]
    return {"arcs": rows}
