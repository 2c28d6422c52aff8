"""Whether traces became dependencies: what each trace stands for, beside what was found.

A trace names a word that governs it and an antecedent. The pair is found if some dependency has the
governor, or an auxiliary of it, as functor and a head of the antecedent as argument. Where a
modifier was extracted (`where we met`), the pronoun must link the noun and the clause.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from treewright.convert.extraposed import is_about_sentence
from treewright.convert.groups import group_prepositions
from treewright.convert.noun_heads import head_of
from treewright.convert.penn import Penn
from treewright.convert.tables import head_place
from treewright.data.records import Dependencies, Dependency

NOMINAL = frozenset({"NP", "NML", "NX", "NAC", "QP"})
CLAUSES = frozenset({"S", "SBAR"})
PREDICATES = frozenset({"VP", "ADJP"})
MARKS = {"*T*": "XU", "*T* modifier": "XU", "*RNR*": "XU", "control": "XB"}
MODIFIERS = frozenset({"ADVP", "PP", "WHADVP"})
SHARED = NOMINAL | {"VP", "S", "NN"}  # what is shared as an argument or a noun


class _Tree(NamedTuple):
    """Where the nodes of a tree are: parents by `id`, the rest by index."""

    parents: dict[int, Penn]
    named: dict[str, Penn]
    fillers: dict[str, Penn]
    homes: dict[str, Penn]  # what has a trace of a phrase that was moved to the right

    @classmethod
    def of(cls, root: Penn) -> "_Tree":
        nodes = list(root.nodes())
        parents = {id(child): node for node in nodes for child in node.children}
        indexed = [n for n in nodes if n.index and not n.trace]
        return cls(
            parents,
            {n.index: n for n in indexed},
            {n.index: n for n in nodes if n.index and n.label.startswith("WH")},
            {n.index: parents[id(n)] for n in nodes if n.trace == "*ICH*" and n.index},
        )


class Link(NamedTuple):
    """A trace: its kind, the places of words that may govern it, and of its antecedent's heads."""

    kind: str
    governors: frozenset[int]
    heads: frozenset[int]


def links(root: Penn) -> Iterator[Link]:
    """What the traces of a tree stand for; those without an antecedent are left out.

    The tree is changed: flat noun phrases get the structure that tells their heads.
    """
    for node in list(root.nodes()):
        group_prepositions(node)
    tree = _Tree.of(root)
    traces = [(node, kind) for node in root.nodes() if node.trace and (kind := _kind(node))]
    for node, kind in traces:
        if kind == "*RNR*":
            yield from _link(kind, _governors(node, tree.parents), _antecedent(node, kind, tree))
    _restore_nouns(root, tree.named)
    for node, kind in traces:
        if kind.startswith("*T*"):
            yield from _extracted(node, kind, tree)
        elif kind != "*RNR*":
            governors, heads = _governors(node, tree.parents), _antecedent(node, kind, tree)
            if kind == "*ICH*" and (verbs := _relative_verbs(tree.named.get(node.index))):
                governors, heads = verbs, governors
            yield from _link(kind, governors, heads)


def _extracted(node: Penn, kind: str, tree: _Tree) -> Iterator[Link]:
    """What a trace of extraction stands for."""
    filler, heads, noun = tree.fillers.get(node.index), set[int](), False
    if filler is not None:
        heads, noun = _relativised(filler, tree)
    elif node.label in CLAUSES:
        heads = _antecedent(node, kind, tree)
    own = "*T* question" if kind == "*T*" and not noun else kind
    yield from _link(own, _governors(node, tree.parents), heads)


def _link(kind: str, governors: set[int], heads: set[int]) -> Iterator[Link]:
    if governors and heads - governors:
        yield Link(kind, frozenset(governors), frozenset(heads - governors))


def _relative_verbs(clause: Penn | None) -> set[int]:
    """The verbs of a relative clause that moved to the right: they take the noun as an argument."""
    if clause is None or clause.label != "SBAR" or clause.children[0].label != "WHNP":
        return set()
    return _verbs(clause)


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
    while trace.label in MODIFIERS and parent.label in PREDICATES and id(parent) in parents:
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


def _antecedent(trace: Penn, kind: str, tree: _Tree) -> set[int]:
    """The heads of what a trace stands for."""
    if trace.index in tree.fillers:
        return _relativised(tree.fillers[trace.index], tree)[0]
    if trace.index in tree.named:
        return heads_of(tree.named[trace.index])
    return _modified(trace, tree.parents) if kind == "passive" and not trace.index else set()


def _relativised(filler: Penn, tree: _Tree) -> tuple[set[int], bool]:
    """What a relative clause is about, or the question word; and whether it is a noun.

    In `whose gene` it is the noun that the pronoun determines, in a cleft the predicate, and in
    `it rained, which helped` the verb of the sentence.
    """
    owners = [n for n in filler.nodes() if any(c.label == "WP$" for c in n.children)]
    if owners:
        nouns = [c.place for c in owners[0].children if c.label.startswith("NN")]
        return {max(nouns or [word.place for word in filler.words()])}, True
    words = {w.place for w in filler.words()}
    clause = tree.parents[id(filler)]
    above = tree.parents.get(id(clause))
    while above is not None and above.label == "SBAR":
        clause, above = above, tree.parents.get(id(above))
    above = tree.homes.get(clause.index, above)
    if above is None:
        return words, False
    before = _before(above, clause)
    if before and above.label in NOMINAL:
        return heads_of(Penn(above.label, children=before)), True
    if before and "PRD" in before[-1].tags and {filler.label, before[-1].label} <= {"WHNP", "NP"}:
        return heads_of(before[-1]), True
    if before and above.label in {"VP", "S"} and is_about_sentence(before[-1], clause):
        while above.label == "VP" and id(above) in tree.parents:
            above = tree.parents[id(above)]
        return _verbs(above), False
    return words, False


def _before(node: Penn, clause: Penn) -> list[Penn]:
    """The children before a clause; all of a phrase that the clause was moved out of."""
    places = [p for p, c in enumerate(node.children) if c is clause]
    return [c for c in node.children[: places[0] if places else None] if not c.trace]


def _restore_nouns(root: Penn, named: dict[str, Penn]) -> None:
    """Put shared nouns in the place of their traces: `old *RNR* and new *RNR* [cells]`."""
    for node in root.nodes():
        for place, child in enumerate(node.children):
            shared = named.get(child.index)
            if child.trace != "*RNR*" or node.label not in NOMINAL or shared is None:
                continue
            if shared.label in NOMINAL and not shared.holds(node) and (heads := heads_of(shared)):
                node.children[place] = Penn("NN", place=max(heads))


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
    """Whether one of two words takes the other: a modifier what it modifies."""
    both = [(governor, head) for governor in link.governors for head in link.heads]
    return any((h, g) in pairs or (g, h) in pairs for g, h in both)
