"""Coordinations: which children are conjuncts, and grouping them where the tree is flat.

`(VP (VBD was) (VP a) (CC and) (VP b))` becomes `(VP (VBD was) (VP (VP a) (CC and) (VP b)))`, and
`(NP (JJ new) (NN a) (CC and) (NN b))` becomes `(NP (JJ new) (NML (NN a) (CC and) (NN b)))`, so that
all children of a coordination are conjuncts, conjunctions and punctuation.
"""

from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation, tables

NOMINAL = frozenset({"NP", "NML", "NX", "NAC", "QP"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW", "AFX", "VBG"})
DETERMINERS = frozenset({"DT", "PRP$"})
SEPARATORS = frozenset({",", ";", ":"})


def is_conjunction(node: Penn) -> bool:
    """Whether a node is a conjunction, of one word or more."""
    return node.label in {"CC", "CONJP"}


def is_coordination(node: Penn) -> bool:
    """Whether the children of a node are conjuncts; true of grouped trees."""
    return "&" in node.tags


def conjuncts(node: Penn) -> list[Penn]:
    """The conjuncts of a coordination."""
    return [c for c in node.children if not is_separator(c)]


def is_separator(node: Penn) -> bool:
    """Whether a child of a coordination is a conjunction or a punctuation mark."""
    return is_conjunction(node) or bool(punctuation(node)) or "&-" in node.tags


def group_coordinations(node: Penn) -> None:
    """Mark coordinations below a node with the tag `&`, grouping conjuncts where that is needed."""
    for child in node.children:
        group_coordinations(child)
    _mark_range(node)
    while (place := _find(node.children, node)) is not None:
        first, last = place
        _group(node, first, last)
    if place := _find_sentences(node) or _find_list(node):
        _group_run(node, *place)


def _mark_range(node: Penn) -> None:
    """In a coordination that the treebank marks, `to` and the like may be the conjunction."""
    inner = node.children[1:-1]
    if "COOD" in node.tags and not any(is_conjunction(child) for child in node.children):
        for child in inner:
            if child.is_leaf and child.label in {"TO", "IN", "SYM", "HYPH"}:
                child.label = "CC"


def _find(children: list[Penn], parent: Penn) -> tuple[int, int] | None:
    """The first and last place of a run of conjuncts that is not grouped yet."""
    if is_coordination(parent):
        return None
    for place in range(len(children) - 2, 0, -1):
        if is_conjunction(children[place]):
            last = _next(children, place, parent)
            first = _previous(children, place)
            subject = first is not None and children[first].trace and "SBJ" in children[first].tags
            if last is not None and first is not None and not subject:
                return _extend(children, first, children[last], parent), last
    return None


def _find_sentences(node: Penn) -> tuple[int, int] | None:
    """The first and last of sentences that only marks stand between: `a; b; c`."""
    if node.label == "VP" and "&" not in node.tags:
        return _find_verb_phrases(node)
    if node.label != "S" or is_coordination(node):
        return None
    adjuncts = set(tables().tags["adjunct"]) | {"SBJ"}
    places = [p for p, c in enumerate(node.children) if c.label == "S" and not c.tags & adjuncts]
    between = [c for c in node.children[places[0] : places[-1]] if c.label != "S"] if places else []
    if len(places) < 2 or not between or not all(punctuation(c) for c in between):
        return None
    return places[0], places[-1]


def _find_verb_phrases(node: Penn) -> tuple[int, int] | None:
    """The first and last of verb phrases that only marks stand between."""
    places = [p for p, c in enumerate(node.children) if c.label == "VP" and not c.trace]
    between = [c for c in node.children if c.label != "VP"]
    alone = len(places) > 1 and bool(between) and all(punctuation(c) for c in between)
    return (places[0], places[-1]) if alone else None


def _find_list(node: Penn) -> tuple[int, int] | None:
    """All children of a flat list of nouns or numbers: `12, 15, 21`."""
    if node.label not in NOMINAL or is_coordination(node) or len(node.children) < 3:
        return None
    items, commas = node.children[::2], node.children[1::2]
    alike = len({kind(item) for item in items}) == 1 and len(items) > len(commas)
    simple = all(c.is_leaf and c.label in {*NOUNS, "CD"} for c in items)
    if not alike or not simple or any(punctuation(c) not in SEPARATORS for c in commas):
        return None
    if any(c.label == "HYPH" for c in commas):
        return None
    return 0, len(node.children) - 1


def _group_run(node: Penn, first: int, last: int) -> None:
    run = node.children[first : last + 1]
    if all(is_separator(c) for c in node.children[:first] + node.children[last + 1 :]):
        node.tags |= {"&"}
    else:
        node.children[first : last + 1] = [Penn("S", frozenset({"&"}), children=run)]


def _next(children: list[Penn], place: int, parent: Penn) -> int | None:
    """The last place of the conjunct after a conjunction, with adverbs that stand before it."""
    places = [p for p in range(place + 1, len(children)) if not is_separator(children[p])]
    if not places:
        return None
    first = places[0]
    before = _previous(children, place)
    wanted = kind(children[before]) if before is not None else ""
    adverbs = {"RB", "ADVP"}
    if kind(children[first]) in adverbs and wanted not in adverbs:
        return next((p for p in places[1:3] if kind(children[p]) == wanted), first)
    if parent.label in NOMINAL and children[first].label in DETERMINERS:
        return _end_of_nominal(children, first)
    return first


def _end_of_nominal(children: list[Penn], first: int) -> int:
    """The last noun of a flat noun phrase that begins with a determiner."""
    last = first
    for place in range(first + 1, len(children)):
        if not children[place].is_leaf and children[place].label not in {*NOMINAL, "ADJP"}:
            break
        if is_separator(children[place]):
            break
        last = place
    return last


def _previous(children: list[Penn], place: int) -> int | None:
    return next((p for p in range(place - 1, -1, -1) if not is_separator(children[p])), None)


def _extend(children: list[Penn], first: int, last: Penn, parent: Penn) -> int:
    """The first place of a run of conjuncts of one kind, such as `a, b and c`."""
    wanted = {kind(children[first]), kind(last)}
    if parent.label == "NML" and wanted <= {"NN", "JJ"}:
        wanted = {"NN", "JJ"}  # `mouse, human and rat`
    if last.label in DETERMINERS or (last.is_leaf and children[first].is_leaf):
        return _extend_words(children, first, wanted)
    while True:
        before = _previous(children, first)
        if before is None or before == first - 1 or kind(children[before]) not in wanted:
            return first
        first = before


def _extend_words(children: list[Penn], first: int, wanted: set[str]) -> int:
    while True:
        before = _previous(children, first)
        if before is None or before == first - 1 or kind(children[before]) not in wanted:
            return first
        if any(punctuation(c) == "LRB" for c in children[before:first]):
            return first
        first = before


def kind(node: Penn) -> str:
    """What a node counts as when conjuncts are compared."""
    if node.label in NOMINAL:
        return "NP"
    if node.label in NOUNS:
        return "NN"
    if node.is_leaf and node.label in {"JJ", "JJR", "JJS", "VBN"}:
        return "JJ"
    return node.label


def _group(parent: Penn, first: int, last: int) -> None:
    """Put a run of conjuncts under a node of its own, unless it has all children."""
    children = parent.children
    run = children[first : last + 1]
    place = next(p for p in range(len(run) - 1, -1, -1) if is_conjunction(run[p]))
    tail = run[place + 1 :]
    solid = [c for c in tail if not is_separator(c)]
    if len(solid) > 1:
        label = "NP" if parent.label in NOMINAL else run[0].label
        joined = Penn(label, children=tail)
        run[place + 1 :] = [joined]
        if parent.label in NOMINAL and tail[0].label in DETERMINERS:
            start = next((p for p in range(first) if children[p].label in DETERMINERS), first)
            left = children[start:first] + run[:1]
            run[:1] = [Penn("NP", children=left)]
            first = start
    outside = [c for c in children[:first] + children[last + 1 :] if not is_separator(c)]
    if not outside and parent.label != "PRN":
        parent.children = children[:first] + run + children[last + 1 :]
        parent.tags |= {"&"}
        return
    made = Penn(_label(parent, run), run[0].tags | {"&"}, children=run)
    parent.children = [*children[:first], made, *children[last + 1 :]]


def _label(parent: Penn, run: list[Penn]) -> str:
    """The label of a new coordination: that of its conjuncts."""
    labels = [c.label for c in run if not is_separator(c)]
    if parent.label in NOMINAL and run[0].is_leaf:
        return "NML" if run[0].label in NOUNS or labels[-1] in NOUNS else labels[0]
    return labels[0]
