r"""Argument clusters: in `gave Ann tea and Ben milk` the verb takes two clusters joined.

`Ann` is type-raised, `((S\NP)/NP)\(((S\NP)/NP)/NP)`, and composes with `tea`, `(S\NP)\((S\NP)/NP)`.
After the CCGbank manual (2005), section on argument cluster coordination.
"""

from typing import TYPE_CHECKING, NamedTuple

from treewright.convert.penn import Penn
from treewright.convert.roles import Part, argument_category, arrange, is_argument
from treewright.convert.steps import ConversionError, category_of, combine, raised
from treewright.convert.symbols import forward, left_of, modifier, right_of
from treewright.convert.tables import head_place, head_word, punctuation
from treewright.convert.verbless import VERBLESS, kind
from treewright.data.records import Tree
from treewright.grammar.category import Category

if TYPE_CHECKING:
    from treewright.convert.build import Converter


class Element(NamedTuple):
    """A phrase of a cluster; `category` is that of an argument, None of a modifier."""

    node: Penn
    category: Category | None


def clusters(converter: "Converter", children: list[Penn], want: Category) -> Tree:
    """Verb phrases that share the verb of the first: the verb, then the clusters."""
    places = [p for p, c in enumerate(children) if c.label == "VP"]
    first = children[0]
    if places[0] or not all(VERBLESS in children[p].tags for p in places[1:]):
        raise ConversionError("verb after a conjunct without one")
    elements = _elements(converter, first, [children[p] for p in places[1:]])
    verb, left = _verb(converter, first, elements, want)
    target = modifier(want)
    parent = parent_of(first, elements[0].node)
    start = next(p for p, c in enumerate(parent.children) if c is elements[0].node)
    own = cluster(converter, parent.children[start:], elements, target)
    wanted = category_of(own)
    made = _remnants(converter, children[places[-1]], elements, target)
    for before, after in zip(reversed(places[:-1]), reversed(places[1:]), strict=True):
        made = converter.conjoin(children[before + 1 : after], made)
        conjunct = own if not before else _remnants(converter, children[before], elements, target)
        made = combine(conjunct, made, wanted)
    made = combine(verb, made, want)
    for mark in children[places[-1] + 1 :]:
        made = converter.absorb(Part(mark, "mark", "right"), made)
    return with_left(converter, left, made)


def with_left(
    converter: "Converter", left: list[Part], made: Tree, target: Category | None = None
) -> Tree:
    """Marks and modifiers around what follows them; `target` is what they modify."""
    for part in reversed(left):
        if part.role == "mark":
            made = converter.absorb(part, made)
        else:
            own = left_of(target or modifier(category_of(made)))
            made = converter.beside("left", converter.build(part.node, own), made)
    return made


def _elements(converter: "Converter", first: Penn, others: list[Penn]) -> list[Element]:
    """What the clusters of a coordination begin with, in the first conjunct, to its end."""
    matched = [matching(first, child) for other in others for child in phrases_of(other)]
    found = [node for node in matched if node is not None and _follows_head(first, node)]
    if not found:
        found = _by_kind(first, phrases_of(others[0]))
    parent = parent_of(first, found[0])
    places = [p for p, c in enumerate(parent.children) if any(c is node for node in found)]
    phrases = [c for c in parent.children[places[0] :] if not punctuation(c) and not c.trace]
    if any(parent_of(first, node) is not parent for node in found):
        raise ConversionError("phrases of a cluster at several levels")
    return [Element(c, argument_of(converter, parent, c)) for c in phrases]


def _follows_head(root: Penn, node: Penn) -> bool:
    parent = parent_of(root, node)
    place = next(p for p, c in enumerate(parent.children) if c is node)
    return place > head_place(parent.label, parent.children)


def phrases_of(node: Penn) -> list[Penn]:
    """The children of a conjunct without marks and traces."""
    return [c for c in node.children if not punctuation(c) and not c.trace]


def _by_kind(first: Penn, phrases: list[Penn]) -> list[Penn]:
    """The last phrases of a conjunct, where they are of the same kinds as those of another."""
    own = [c for c in first.children if not c.trace and not punctuation(c)][-len(phrases) :]
    if [kind(c) for c in own] != [kind(c) for c in phrases]:
        raise ConversionError("conjunct without a verb")
    return own


def matching(first: Penn, phrase: Penn) -> Penn | None:
    """The phrase that another one answers to: `NP-1` or, in CRAFT, `NP=1`, to `NP=1`."""
    keys = {tag[1:] for tag in phrase.tags if tag.startswith("=")}
    for node in first.nodes():
        own = {tag[1:] for tag in node.tags if tag.startswith("=")} or {node.index}
        if keys & own and not node.trace:
            return node
    return None


def parent_of(root: Penn, node: Penn) -> Penn:
    """The node right above another one."""
    return next(n for n in root.nodes() if any(c is node for c in n.children))


def argument_of(converter: "Converter", parent: Penn, child: Penn) -> Category | None:
    """The category of a phrase as an argument of its head, None of a modifier."""
    verb = head_word(parent)
    takes = is_argument(converter, parent, child, verb)
    return argument_category(child, verb, parent) if takes else None


def _verb(
    converter: "Converter", node: Penn, elements: list[Element], want: Category
) -> tuple[Tree, list[Part]]:
    """What precedes the cluster of a conjunct, and what stands to its left."""
    parts = arrange(converter, node, [c for c in node.children if not c.trace], None)
    rest = [p for p in parts if not any(p.node is e.node for e in elements)]
    left = [p for p in rest if p.side == "left"]
    inner = [p for p in rest if p.side != "left"]
    if any(p.node is e.node for p in parts for e in elements):
        needed = want
        for element in reversed(elements):
            needed = forward(needed, element.category) if element.category else needed
        start = next(p for p, c in enumerate(node.children) if c is elements[0].node)
        after = node.children[start:]
        inner = [p for p in inner if not any(p.node is c for c in after)]
        return converter.peel(inner, needed, want, None), left
    below, head = inner[0], inner[-1]
    if len(inner) != 2 or below.node.label != "VP" or below.category is None:
        raise ConversionError("phrases of a cluster too deep")
    made, others = _verb(converter, below.node, elements, below.category)
    if others:
        raise ConversionError("modifier before the verb of a cluster")
    return combine(converter.build(head.node, forward(want, below.category)), made), left


def _remnants(
    converter: "Converter", node: Penn, elements: list[Element], target: Category
) -> Tree:
    """The cluster of a conjunct without a verb, after the elements of the first one."""
    phrases, before = phrases_of(node), list[Penn]()
    answered = [_answered(phrase, elements, phrases) for phrase in phrases]
    while answered and answered[0] is None and len(phrases) > 1:
        before.append(phrases.pop(0))
        del answered[0]
    found = [Element(p, e.category if e else None) for p, e in zip(phrases, answered, strict=True)]
    start = next(p for p, c in enumerate(node.children) if c is phrases[0])
    made = cluster(converter, node.children[start:], found, target)
    return with_left(converter, [left_part(c) for c in node.children[:start]], made)


def left_part(node: Penn) -> Part:
    """A mark or modifier to the left."""
    return Part(node, "mark" if punctuation(node) else "modifier", "left")


def _answered(phrase: Penn, elements: list[Element], phrases: list[Penn]) -> Element | None:
    """The element of the first conjunct that a phrase answers to."""
    for element in elements:
        if matching(element.node, phrase) is element.node:
            return element
    marked = any(tag.startswith("=") for p in phrases for tag in p.tags)
    if marked or [kind(e.node) for e in elements] != [kind(p) for p in phrases]:
        return None
    return elements[next(p for p, other in enumerate(phrases) if other is phrase)]


def cluster(
    converter: "Converter", nodes: list[Penn], elements: list[Element], target: Category
) -> Tree:
    """Phrases composed: arguments raised over what their verb makes, modifiers as they are.

    nodes: the elements' phrases and the marks among them.
    """
    results = [target]
    for element in reversed(elements[1:]):
        last = results[0]
        results.insert(0, forward(last, element.category) if element.category else last)
    pending = list(zip(elements, results, strict=True))
    made: Tree | None = None
    for node in nodes:
        if punctuation(node) and made is not None:
            made = converter.absorb(Part(node, "mark", "right"), made)
        elif pending and node is pending[0][0].node:
            phrase = _raised(converter, *pending.pop(0))
            made = phrase if made is None else combine(made, phrase)
    if made is None or pending:
        raise ConversionError("cluster without its phrases")
    return made


def _raised(converter: "Converter", element: Element, result: Category) -> Tree:
    if element.category is None:
        return converter.build(element.node, right_of(result))
    return raised(converter.build(element.node, element.category), result, "right")
