"""Whether traces became dependencies: what each trace stands for, beside what was found.

A trace names a word that governs it and an antecedent. The pair is found if some dependency has the
governor, or an auxiliary of it, as functor and a head of the antecedent as argument. Where a
modifier was extracted (`where we met`), the pronoun must link the noun and the clause.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from treewright.convert.noun_heads import head_of
from treewright.convert.penn import Penn
from treewright.convert.tables import head_place
from treewright.data.records import Dependencies, Dependency

NOMINAL = frozenset({"NP", "NML", "NX", "NAC", "QP"})
MARKS = {"*T*": "XU", "*T* modifier": "XU", "*RNR*": "XU", "control": "XB"}
MODIFIERS = frozenset({"ADVP", "PP", "WHADVP"})
SHARED = NOMINAL | {"VP", "S", "NN"}  # what is shared as an argument or a noun


class Link(NamedTuple):
    """A trace: its kind, the places of words that may govern it, and of its antecedent's heads."""

    kind: str
    governors: frozenset[int]
    heads: frozenset[int]


def links(root: Penn) -> Iterator[Link]:
    """What the traces of a tree stand for; those without an antecedent are left out."""
    parents = {id(child): node for node in root.nodes() for child in node.children}
    named = {n.index: n for n in root.nodes() if n.index and not n.trace}
    fillers = {n.index: n for n in root.nodes() if n.label.startswith("WH") and n.index}
    for node in root.nodes():
        if node.trace and (kind := _kind(node)):
            governors = _governors(node, parents)
            heads = _antecedent(node, kind, parents, named, fillers)
            if kind == "*T*" and not _relativised(fillers.get(node.index, node), parents)[1]:
                kind = "*T* question"
            if governors and heads - governors:
                yield Link(kind, frozenset(governors), frozenset(heads - governors))


def _kind(trace: Penn) -> str:
    if trace.trace == "*T*":
        return "*T* modifier" if trace.label in MODIFIERS else "*T*"
    if trace.trace in {"*", "*PRO*"}:
        if "SBJ" in trace.tags:
            return "control"
        return "passive" if trace.label in NOMINAL else ""
    if trace.trace == "*RNR*":
        return "*RNR*" if trace.label in SHARED else "*RNR* modifier"
    return trace.trace if trace.trace == "*ICH*" else ""


def heads_of(node: Penn) -> set[int]:
    """The places of the words that head a phrase: several of a coordination."""
    while not node.is_leaf:
        children = [c for c in node.children if not c.trace]
        if not children:
            return set()
        if any(c.label in {"CC", "CONJP"} for c in children[1:-1]):
            phrases = [c for c in children if not c.is_leaf and c.label == children[0].label]
            if len(phrases) > 1:
                return set().union(*(heads_of(c) for c in phrases))
        if node.label in NOMINAL:
            node = children[head_of(children, None)]
        else:
            node = children[head_place(node.label, children)]
    return {node.place}


def _governors(trace: Penn, parents: dict[int, Penn]) -> set[int]:
    """The words whose argument a trace is: of a subject, the verbs of its clause."""
    parent = parents[id(trace)]
    if "SBJ" in trace.tags or trace.trace == "*ICH*":
        return _verbs(parent) or heads_of(parent)
    places = heads_of(parent) or {w.place for w in parent.words()}
    while trace.label in MODIFIERS and parent.label == "VP" and id(parent) in parents:
        parent = parents[id(parent)]
        places |= heads_of(parent)
    return places


def _verbs(node: Penn) -> set[int]:
    """The verbs of a clause from the first auxiliary down, in all conjuncts."""
    places: set[int] = set()
    for child in node.children:
        if child.label in {"VP", "S"} and "SBJ" not in child.tags and not child.trace:
            places |= heads_of(child) | _verbs(child)
        elif child.label.endswith("PRD") or "PRD" in child.tags:
            places |= heads_of(child)
    return places


def _antecedent(
    trace: Penn,
    kind: str,
    parents: dict[int, Penn],
    named: dict[str, Penn],
    fillers: dict[str, Penn],
) -> set[int]:
    if kind.startswith("*T*"):
        filler = fillers.get(trace.index)
        return _relativised(filler, parents)[0] if filler else set()
    if trace.index in fillers:
        return _relativised(fillers[trace.index], parents)[0]
    if trace.index in named:
        return heads_of(named[trace.index])
    return _modified(trace, parents) if kind == "passive" and not trace.index else set()


def _relativised(filler: Penn, parents: dict[int, Penn]) -> tuple[set[int], bool]:
    """The noun that a relative clause modifies, or the question word; and whether it is a noun.

    In `whose gene` the noun is the one that the pronoun determines.
    """
    if any(word.label == "WP$" for word in filler.words()):
        return {max(word.place for word in filler.words())}, True
    clause = parents[id(filler)]
    above = parents.get(id(clause))
    words = {w.place for w in filler.words()}
    while above is not None and above.label == "SBAR":
        clause, above = above, parents.get(id(above))
    if above is None or above.label not in NOMINAL:
        return words, False
    before = [c for c in above.children if not c.trace]
    place = next(p for p, c in enumerate(before) if c is clause)
    if not place:
        return words, False
    return heads_of(Penn(above.label, children=before[:place])), True


def _modified(trace: Penn, parents: dict[int, Penn]) -> set[int]:
    """The noun that a participle without a subject modifies."""
    node = parents[id(trace)]
    while node.label == "VP" and id(node) in parents:
        above = parents[id(node)]
        if above.label in NOMINAL:
            place = next(p for p, c in enumerate(above.children) if c is node)
            before = [c for c in above.children[:place] if not c.trace]
            return heads_of(Penn(above.label, children=before)) if before else set()
        node = above
    return set()


def found_links(links: list[Link], dependencies: Dependencies) -> Counter[tuple[str, bool]]:
    """How many traces of each kind have their dependency, and how many do not."""
    pairs = {(row.functor, row.argument) for row in dependencies.rows}
    return Counter((link.kind, _is_found(link, pairs)) for link in links)


def marks(links: list[Link], dependencies: Dependencies) -> dict[Dependency, str]:
    """Marks of long-range dependencies: XU for extraction and sharing, XB for control."""
    kinds = {
        (governor, head): MARKS[link.kind]
        for link in links
        if link.kind in MARKS
        for governor in link.governors
        for head in link.heads
    }
    keyed = ((row, kinds.get((row.functor, row.argument))) for row in dependencies.rows)
    return {row: mark for row, mark in keyed if mark}


def _is_found(link: Link, pairs: set[tuple[int, int]]) -> bool:
    if link.kind in {"*T* modifier", "*ICH*"}:
        return any(
            (word, head) in pairs and any((word, verb) in pairs for verb in link.governors)
            for word, head in pairs
            if head in link.heads
        ) or _is_near(link, pairs)
    if link.kind == "*RNR* modifier":
        return _is_near(link, pairs)
    return any((governor, head) in pairs for governor in link.governors for head in link.heads)


def _is_near(link: Link, pairs: set[tuple[int, int]]) -> bool:
    """Whether a modifier takes what it modifies, or a relative pronoun's verb takes the noun."""
    both = [(governor, head) for governor in link.governors for head in link.heads]
    verbs = {head: {a for f, a in pairs if f == head} for head in link.heads}
    relative = link.kind == "*ICH*" and any((v, g) in pairs for g, h in both for v in verbs[h])
    return relative or any((h, g) in pairs or (g, h) in pairs for g, h in both)
