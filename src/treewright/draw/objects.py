"""Pictures of analyses given as JSON objects (docs/formats.md), from a server or a file.

The views of an analysis are `derivation`, `tree`, `arcs`, `tags` and `chart`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from treewright.data import ptb
from treewright.data.brackets import Phrase
from treewright.data.records import Dependency, Leaf, Node, Tree
from treewright.draw.arcs import Arc, Row, draw_arcs
from treewright.draw.derivation import draw_derivation
from treewright.draw.heat import arc_chart, span_chart
from treewright.draw.nodes import (
    Drawn,
    Looks,
    folded,
    from_brackets,
    from_derivation,
    postorder,
)
from treewright.draw.sentences import against, ccg_arcs, dependency_arcs, tag_row
from treewright.draw.svg import Picture
from treewright.draw.tree import draw_tree
from treewright.errors import TreewrightError
from treewright.grammar.treebank import Span

Values = Mapping[str, Any]
VIEWS = {
    "ccg": ("derivation", "arcs", "chart"),
    "const": ("tree", "chart"),
    "dep": ("arcs", "chart"),
    "pos": ("tags",),
    "super": ("tags",),
    "tok": ("tags",),
}
PER_WORD = 40  # maximum number of nodes or arcs per word


@dataclass(frozen=True)
class Sight:
    """How to draw an analysis.

    other: an analysis to compare with; differences are marked with `marks`. shaded: show
    probabilities, if the object has them, as shades too, not only on hover. folded: numbers of
    nodes to fold.
    """

    view: str = ""
    other: Values | None = None
    marks: tuple[str, str] = ("wrong", "missed")
    shaded: bool = False
    folded: Collection[int] = ()
    width: float | None = None


def picture_of(values: Values, sight: Sight) -> Picture:
    """The picture of an analysis; invalid objects are errors."""
    try:
        kind = str(values["kind"])
        view = sight.view or VIEWS[kind][0]
        if view not in VIEWS[kind]:
            raise TreewrightError(f"{kind} has no view {view!r}: one of {', '.join(VIEWS[kind])}")
        if not values["words"]:
            return draw_arcs(Row(()))
        return DRAWINGS[view](values, sight)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise TreewrightError(f"cannot draw this analysis: {error!r}") from error


def _derivation(values: Values, sight: Sight) -> Picture:
    root = from_derivation(derivation_of(values), _looks(values, sight, _derived))
    return draw_derivation(folded(root, sight.folded), sight.width)


def _tree(values: Values, sight: Sight) -> Picture:
    if values["tree"] is None:
        return draw_arcs(Row(tuple(values["words"])), sight.width)
    root = from_brackets(_bracketed(values), _looks(values, sight, _constituents))
    return draw_tree(folded(root, sight.folded), sight.width)


def _looks(values: Values, sight: Sight, spans: Callable[[Values], Iterator[Span]]) -> Looks:
    there = None if sight.other is None else set(spans(sight.other))
    mark = sight.marks[0]
    marks = {} if there is None else {span: mark for span in spans(values) if span not in there}
    return Looks(marks, constituent_marginals(values), sight.shaded)


def constituent_marginals(values: Values) -> dict[Span, float]:
    """The probabilities of constituents in an object."""
    rows = (values.get("marginals") or {}).get("constituents", ())
    return {Span(r["begin"], r["end"], r["label"]): float(r["probability"]) for r in rows}


def derivation_of(values: Values) -> Tree:
    """The derivation of a CCG analysis."""
    words, tags = values["words"], values.get("xpos") or []
    _check(len(values["nodes"]), words)
    made: list[Tree] = []
    for node in values["nodes"]:
        if "word" in node:
            pos = str(tags[node["word"]] or "") if tags else ""
            made.append(Leaf(str(node["category"]), str(words[node["word"]]), pos, pos))
        else:
            children = tuple(made[child] for child in node["children"])
            made.append(Node(str(node["category"]), children, int(node["head"])))
    return made[-1]


def _bracketed(values: Values) -> Any:
    (tree,) = ptb.read(StringIO(str(values["tree"])))
    _check(str(values["tree"]).count("("), values["words"])
    match tree:
        case Phrase("", (only,)):
            return only
    return tree


def _check(count: int, words: Collection[str]) -> None:
    if count > PER_WORD * len(words):
        raise TreewrightError(f"too many nodes or arcs for {len(words)} words: {count}")


def _derived(values: Values) -> Iterator[Span]:
    return _spans(from_derivation(derivation_of(values)))


def _constituents(values: Values) -> Iterator[Span]:
    return iter(()) if values["tree"] is None else _spans(from_brackets(_bracketed(values)))


def _spans(root: Drawn) -> Iterator[Span]:
    return (Span(node.begin, node.end, node.label) for node in postorder(root))


def _arcs(values: Values, sight: Sight) -> Picture:
    arcs = arcs_of(values)
    if not sight.shaded:
        arcs = [replace(arc, probability=None) for arc in arcs]
    if sight.other is not None:
        arcs = against(arcs, arcs_of(sight.other), *sight.marks)
    tags = values.get("supertags") or values.get("upos") or values.get("xpos") or ()
    words = [str(word) for word in values["words"]]
    return draw_arcs(Row(words, arcs, [str(tag or "") for tag in tags]), sight.width)


def arcs_of(values: Values) -> list[Arc]:
    """The arcs of a dependency tree, or of CCG dependencies, with their probabilities."""
    words = [str(word) for word in values["words"]]
    marginals = values.get("marginals") or {}
    if "heads" in values:
        rows = [
            {(int(arc["head"]), str(arc["label"])): float(arc["probability"]) for arc in row}
            for row in marginals.get("arcs", ())
        ]
        heads = [_within(head, len(words) + 1) for head in values["heads"]]
        return dependency_arcs(words, heads, [str(label) for label in values["labels"]], rows)
    _check(len(values["dependencies"]), words)
    known = {
        dependency_of(row): float(row["probability"]) for row in marginals.get("dependencies", ())
    }
    dependencies = [dependency_of(row) for row in values["dependencies"]]
    for each in dependencies:
        _within(min(each.functor, each.argument), len(words))
        _within(max(each.functor, each.argument), len(words))
    return ccg_arcs(words, dependencies, known if marginals else None)


def _within(position: Any, size: int) -> int:
    if not 0 <= int(position) < size:
        raise ValueError(f"there is no word {position}")
    return int(position)


def dependency_of(row: Values) -> Dependency:
    """A CCG dependency from its object."""
    names = int(row["functor"]), str(row["category"]), int(row["slot"]), int(row["argument"])
    return Dependency(*names)


def _tags(values: Values, sight: Sight) -> Picture:
    kind = {"pos": "xpos", "super": "supertags"}.get(values["kind"])
    words = [str(word) for word in values["words"]]
    if kind is None:
        return draw_arcs(Row(words), sight.width)
    tags = [str(tag or "") for tag in values[kind]]
    rows = (values.get("marginals") or {}).get(kind, ()) if sight.shaded else ()
    return draw_arcs(tag_row(words, tags, rows), sight.width)


def _chart(values: Values, _: Sight) -> Picture:
    words = [str(word) for word in values["words"]]
    marginals = values.get("marginals")
    if not marginals:
        raise TreewrightError("a chart needs marginals")
    if "arcs" in marginals:
        return arc_chart(words, marginals["arcs"])
    return span_chart(words, constituent_marginals(values))


DRAWINGS: dict[str, Callable[[Values, Sight], Picture]] = {
    "derivation": _derivation,
    "tree": _tree,
    "arcs": _arcs,
    "tags": _tags,
    "chart": _chart,
}
