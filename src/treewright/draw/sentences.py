"""Rows of words with arcs, for the dependencies of each formalism, and comparisons of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from treewright.data.records import Dependency
from treewright.draw.arcs import Arc, Row
from treewright.draw.svg import shortened

SHORT = 14  # characters of a category on an arc
Relation = tuple[int, str]  # a head, counted from 1 with 0 for the root, and a relation


def dependency_arcs(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    marginals: Sequence[Mapping[Relation, float]] = (),
) -> list[Arc]:
    """The arcs of a dependency tree; heads count words from 1, 0 is the root."""
    arcs = []
    for word, (head, label) in enumerate(zip(heads, labels, strict=True)):
        p = marginals[word].get((head, label)) if marginals else None
        source = words[head - 1] if head else "root"
        hover = _title(f"{words[word]} is {label} of {source}", p)
        arcs.append(Arc(head - 1 if head else None, word, label, probability=p, title=hover))
    return arcs


def ccg_arcs(
    words: Sequence[str],
    dependencies: Iterable[Dependency],
    marginals: Mapping[Dependency, float] | None = None,
) -> list[Arc]:
    """The arcs of CCG dependencies, from functor to argument, labelled with category and slot."""
    arcs = []
    for each in dependencies:
        p = None if marginals is None else marginals.get(each)
        name = f"{each.category}.{each.slot}"
        about = f"{words[each.argument]} fills slot {each.slot} of {words[each.functor]}"
        label = f"{shortened(each.category, SHORT)}.{each.slot}"
        hover = _title(f"{about}, {name}", p)
        arcs.append(Arc(each.functor, each.argument, label, probability=p, title=hover))
    return [arc for arc in arcs if arc.head != arc.word]


def _title(about: str, probability: float | None) -> str:
    return about if probability is None else f"{about}\nprobability {probability:.3f}"


def _key(arc: Arc) -> tuple[int | None, int, str]:
    return arc.head, arc.word, arc.title.partition("\n")[0]


def against(
    arcs: Sequence[Arc], other: Sequence[Arc], mark: str = "wrong", lacking: str = "missed"
) -> list[Arc]:
    """Marks arcs that the other analysis lacks, and adds the other's arcs below the words."""
    here, there = {_key(arc) for arc in arcs}, {_key(arc) for arc in other}
    above = [
        arc if _key(arc) in there else replace(arc, mark=mark, title=f"{arc.title}\n{mark}")
        for arc in arcs
    ]
    below = [
        replace(arc, mark=lacking, title=f"{arc.title}\n{lacking}", below=True, probability=None)
        for arc in other
        if _key(arc) not in here
    ]
    return above + below


def tag_row(
    words: Sequence[str], tags: Sequence[str], marginals: Sequence[Mapping[str, float]] = ()
) -> Row:
    """Words over their tags, with the tags' probabilities."""
    pairs = zip(marginals, tags, strict=True) if marginals else ()
    return Row(words, (), tags, [row.get(tag) for row, tag in pairs])
