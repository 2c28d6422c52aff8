r"""Head indices of treebanks: leaves whose categories name the head words of their parts.

In `((S{3}\NP{1}){3}/NP{4}){3}` an index of 1..n is a token, counted from 1; a larger one is a head
without a token. Coordinated heads share the index of the first one, so an index refers to all
tokens whose leaf has it outermost. Dependencies are read off such leaves without unification
(`indexed_dependencies`), and the head variables of unary rules, which have no leaf, are inferred
from their context (`indexed_unary_rules`).
"""

from collections import defaultdict

from treewright.data.records import Dependency, Derivation, Leaf, Node, Tree, fold, preorder
from treewright.errors import GrammarError
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.defaults import default_unary, is_type_raised, leaf_entry
from treewright.grammar.heads import derive
from treewright.grammar.markup import Marked, entry, mark
from treewright.grammar.notation import parse_annotated
from treewright.grammar.rules import Kind, Step, recognise
from treewright.grammar.schema import Place, changed_side, plan

Span = tuple[int, int]


def is_indexed(derivation: Derivation) -> bool:
    """Whether each leaf of a derivation has head indices in braces."""
    return all(leaf.markup.endswith("}") for leaf in derivation.leaves)


def leaf_indices(leaf: Leaf) -> list[int]:
    """The head index of each node of a leaf's category, in preorder."""
    names = parse_annotated(leaf.markup).names
    if not all(name and name.isdecimal() for name in names):
        raise ValueError(f"the leaf {leaf.word!r} lacks head indices: {leaf.markup[:60]!r}")
    return [int(name) for name in names if name]


def indexed_dependencies(derivation: Derivation) -> list[Dependency]:
    """The dependencies encoded in the head indices, ordered by argument and functor.

    A functor inside one conjunct is only linked to that conjunct: of the tokens that share an
    index, to those inside the smallest constituent that contains the functor and at least one of
    them.
    """
    leaves = derivation.leaves
    indices = [leaf_indices(leaf) for leaf in leaves]
    tokens: defaultdict[int, list[int]] = defaultdict(list)
    for position, own in enumerate(indices):
        tokens[own[0]].append(position)
    spans = sorted(_spans(derivation.root), key=lambda span: span[1] - span[0])
    dependencies = []
    for position, (leaf, own) in enumerate(zip(leaves, indices, strict=True)):
        lexical = entry(mark(parse(leaf.category), own))
        for slot, node in lexical.slots:
            others = [token for token in tokens[own[node]] if token != position]
            heads = _nearest(position, others, spans)
            dependencies += [Dependency(position, leaf.category, slot, head) for head in heads]
    return sorted(dependencies, key=lambda d: (d.argument, d.functor, d.slot))


def _spans(root: Tree) -> list[Span]:
    """The first token and the end of each constituent."""
    spans: list[Span] = []

    def add(span: Span) -> Span:
        spans.append(span)
        return span

    fold(
        root,
        lambda token, _: add((token, token + 1)),
        lambda _, children: add((children[0][0], children[-1][1])),
    )
    return spans


def _nearest(functor_position: int, heads: list[int], spans: list[Span]) -> list[int]:
    if len(heads) < 2:
        return heads
    around = (span for span in spans if span[0] <= functor_position < span[1])
    inside = ([head for head in heads if span[0] <= head < span[1]] for span in around)
    return next(group for group in inside if group)


def indexed_unary_rules(derivation: Derivation) -> list[Marked]:
    r"""The unary nodes of a derivation as marked functors `result/child`.

    The child's indices are known from its leaves. The result's are initially unknown and determined
    by the words that it combines with. Its own head is its child's. The two halves of a type-raised
    `T/(T\X)` share theirs, and X is the child.
    """
    if not any(map(_is_unary, preorder(derivation.root))):
        return []
    indices = _Indices()
    rules: list[tuple[Node, list[int], list[int]]] = []

    def combine(node: Node, children: list[list[int]]) -> list[int]:
        if len(children) == 2:
            return indices.combine(node, *children)
        (child,) = children
        below, above = parse(node.children[0].category), parse(node.category)
        if is_type_raised(below, above):
            goal = indices.new(above.result.size)
            result = [child[0], *goal, goal[0], *goal, *child]
        else:
            result = [child[0], *indices.unknown(above)]
        rules.append((node, child, result))
        return result

    fold(derivation.root, lambda _, leaf: leaf_indices(leaf), combine)
    return [_unary_rule(indices, *rule) for rule in rules]


def _is_unary(tree: Tree) -> bool:
    return isinstance(tree, Node) and len(tree.children) == 1


def _unary_rule(indices: "_Indices", node: Node, child: list[int], result: list[int]) -> Marked:
    category = functor(parse(node.category), "/", parse(node.children[0].category))
    return mark(category, [None, *map(indices.settled, result + child)])


class _Indices:
    """Head indices; unknown ones are negative until they are unified with others."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self.count = 0

    def unknown(self, category: Category) -> list[int]:
        """New indices for the parts of a category; the two halves of a modifier share theirs."""
        if category.is_modifier:
            return self.new(category.argument.size) * 2
        return self.new(category.size - 1)

    def new(self, count: int) -> list[int]:
        self.count += count
        return list(range(-self.count, count - self.count))

    def settled(self, index: int) -> int:
        while index in self.known:
            index = self.known[index]
        return index

    def combine(self, node: Node, left: list[int], right: list[int]) -> list[int]:
        """The indices of a binary node; unknown ones are unified with others."""
        step = recognise(node)
        if step is None:
            raise ValueError(f"no rule combines its two children into {node.category}")
        sides = left, right
        if step.kind is Kind.TYPE_CHANGE:
            return self._change(node, step, sides)

        def shares(one: Place, two: Place) -> bool:
            return self.settled(sides[one[0]][one[1]]) == self.settled(sides[two[0]][two[1]])

        left_category, right_category = (parse(child.category) for child in node.children)
        made = plan(step, left_category, right_category, shares)
        for (side, node_here), (other, node_there) in made.equal:
            one, two = self.settled(sides[side][node_here]), self.settled(sides[other][node_there])
            if one != two and min(one, two) < 0:
                self.known[min(one, two)] = max(one, two)
        return [sides[side][position] for side, position in made.places]

    def _change(self, node: Node, step: Step, sides: tuple[list[int], list[int]]) -> list[int]:
        """The indices of a phrase whose category changes beside punctuation."""
        categories = [parse(child.category) for child in node.children]
        side = changed_side(*categories)
        heads = default_unary(categories[side], step.result.plain).heads[1:]
        size = step.result.size
        known = dict(zip(heads[size:], sides[side], strict=True))
        return [
            known[v] if v in known else known.setdefault(v, self.new(1)[0]) for v in heads[:size]
        ]


def dependencies_of(derivation: Derivation) -> list[Dependency]:
    """The dependencies of a derivation, from head indices or by unification of its markup."""
    try:
        if is_indexed(derivation):
            return indexed_dependencies(derivation)
        return derive(derivation, [leaf_entry(leaf) for leaf in derivation.leaves], default_unary)
    except ValueError as error:
        raise GrammarError(f"sentence {derivation.id}: {error}") from error
