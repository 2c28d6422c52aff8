r"""From a Penn tree to a derivation, top down: every phrase is told the category that it must have.

A phrase is taken apart from the outside in. Arguments take a slash off what is left, modifiers
leave it as it is, and the head gets what remains: with the VP told `S[dcl]\NP`, its last argument
makes the rest `(S[dcl]\NP)/PP`, the one before `((S[dcl]\NP)/PP)/NP`, which is the verb's category.
After Hockenmaier and Steedman (2007), sections 3 and 4.
"""

from treewright.convert import clauses, clusters, gapping, native, nominal, noun_heads, quantities
from treewright.convert.arguments import Arguments
from treewright.convert.coordination import is_conjunction, is_coordination, is_separator
from treewright.convert.natural import natural, subject_place
from treewright.convert.penn import NULL, Penn
from treewright.convert.right_node import SHARED
from treewright.convert.roles import SAYING, Part, arrange, traces_of
from treewright.convert.steps import (
    ConversionError,
    Gap,
    category_of,
    change,
    combine,
    leaf,
    live,
    raised,
    with_gap,
)  # fmt: skip
from treewright.convert.symbols import (
    NP,
    N,
    backward,
    forward,
    is_modifier_of_anything,
    left_of,
    modified,
    modifier,
    right_of,
    s,
)
from treewright.convert.tables import head_place, punctuation
from treewright.convert.verbless import VERBLESS
from treewright.data.records import Tree
from treewright.grammar.category import Category, atom, conjunct


class Converter:
    """Builds derivations; what verbs take as arguments is asked of `arguments`."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.notes: list[str] = []

    def build(self, node: Penn, want: Category, gap: Gap | None = None) -> Tree:
        """The derivation of a phrase with a category: `want`, or `want/G` with the gap inside."""
        if gap is not None and not gap.inside(node):
            gap = None
        node = _only(node, gap)
        if node.is_leaf:
            return self.word(node, want)
        if SAYING in node.tags:
            return self.saying(node, want)
        own = native.category(node, want)
        if own is not want:
            return change(self.native(node, own, gap), with_gap(want, gap))
        return self.native(node, want, gap)

    def word(self, node: Penn, want: Category) -> Tree:
        """A word; one that is a noun is N, and becomes an NP by a rule."""
        mark = punctuation(node)
        if mark and not want.is_functor:
            return leaf(node, atom(mark))
        if want is NP and node.label not in noun_heads.WHOLE:
            return change(leaf(node, N), NP)
        return leaf(node, want)

    def native(self, node: Penn, want: Category, gap: Gap | None) -> Tree:
        """The derivation of a phrase that can have the category without a unary rule."""
        children = live(node.children, gap)
        if not children:
            raise ConversionError("empty phrase", node.label)
        if SHARED in node.tags and len(children) == 2:
            return self.shared(children[0], children[1], want)
        if is_coordination(node):
            if gap is None and any(VERBLESS in child.tags for child in children):
                return self.verbless(children, want)
            return self.coordination(children, want, gap)
        return self.phrase(node, children, want, gap)

    def phrase(self, node: Penn, children: list[Penn], want: Category, gap: Gap | None) -> Tree:
        """The derivation of a phrase that has a head, by the kind of phrase."""
        if native.is_nominal(node):
            single = len(children) == 1 and not children[0].is_leaf
            if single and not (gap and gap.at(children[0])):
                return self.build(children[0], want, gap)
            return nominal.noun_phrase(self, node, children, want, gap)
        if node.label in {"SBAR", "SBARQ"}:
            return clauses.subordinate(self, node, want, gap)
        if node.label in {"PRN", "CIT"} and punctuation(children[0]) == "LRB":
            return self.parenthetical(children, want)
        if node.label == "ADVP" and quantities.is_superlative(children):
            return quantities.superlative(children[0], children[1], want)
        return self.peel(arrange(self, node, children, gap), want, want, gap)

    def peel(self, parts: list[Part], want: Category, base: Category, gap: Gap | None) -> Tree:
        """The derivation of parts, the outermost first and the head last.

        `base` is the category of the phrase without the arguments that have been taken off.
        """
        part, rest = parts[0], parts[1:]
        inside = gap if gap and any(gap.inside(p.node) for p in rest) else None
        if not rest:
            return self.build(part.node, want, gap)
        if part.role == "mark":
            return self.absorb(part, self.peel(rest, want, base, gap))
        if part.role == "topic":
            return self.topic(part, rest, want)
        if part.role == "modifier":
            return self.modify(part, rest, want, base, gap)
        if part.category is None:
            raise ConversionError("argument without a category", part.node.label)
        return self.take(part, part.category, rest, want, base, (gap, inside))

    def topic(self, part: Part, rest: list[Part], want: Category) -> Tree:
        """An argument before its clause, such as an object: `S/(S/NP)`."""
        traces = traces_of(Penn("S", children=[p.node for p in rest]), part.node)
        own, about = natural(part.node), modifier(want)
        inner = self.peel(rest, want, want, Gap(own, traces))
        made = change(self.build(part.node, own), forward(about, forward(about, own)))
        return combine(made, inner, want)

    def saying(self, node: Penn, want: Category) -> Tree:
        """A clause in a parenthesis, `S[dcl]/S[dcl]`, as a modifier of what it is about."""
        own, traces = s("dcl"), tuple(n for n in node.nodes() if SAYING in n.tags and n.trace)
        verb = head_place(node.label, node.children)
        if subject_place(node) > verb:  # `says Ann`
            made = self.native(node, left_of(own), None)
        else:
            made = self.native(node, own, Gap(own, traces))
        return change(made, want)

    def absorb(self, part: Part, inner: Tree) -> Tree:
        """A punctuation mark beside something else."""
        mark = leaf(part.node, atom(punctuation(part.node)))
        return self.beside(part.side, mark, inner)

    def beside(self, side: str, made: Tree, inner: Tree) -> Tree:
        """Something on a side of what keeps its category."""
        pair = (made, inner) if side == "left" else (inner, made)
        return combine(pair[0], pair[1], category_of(inner))

    def modify(
        self, part: Part, rest: list[Part], want: Category, base: Category, gap: Gap | None
    ) -> Tree:
        """A modifier beside the rest of its phrase."""
        target = modified(want if part.side == "left" else base, part.side)
        own = left_of(target) if part.side == "left" else right_of(target)
        parasitic = gap if gap and any(gap.inside(p.node) for p in rest) else None
        made = self.build(part.node, own, parasitic)
        if len(rest) == 1 and gap and gap.at(rest[0].node):
            return made
        return self.beside(part.side, made, self.peel(rest, want, base, gap))

    def take(
        self, part: Part, own: Category, rest: list[Part], want: Category, base: Category,
        gaps: tuple[Gap | None, Gap | None],
    ) -> Tree:  # fmt: skip
        """An argument beside the rest of its phrase; `gaps`: the gap, and the one in the rest."""
        gap, inside = gaps
        left = part.side == "left"
        needed = backward(want, own) if left else forward(want, own)
        inner_base = needed if left else base
        if gap and gap.at(part.node):
            if left:
                raise ConversionError("gap to the left of its head", part.node.label)
            return self.peel(rest, needed, inner_base, None)
        made = self.build(part.node, own, None if inside else gap)
        if len(rest) == 1 and gap and gap.at(rest[0].node):
            return raised(made, want, part.side)
        inner = self.peel(rest, needed, inner_base, inside)
        if inside:
            made = raised(made, want, part.side)
        goal = with_gap(want, gap if inside or (gap and gap.inside(part.node)) else None)
        return combine(made, inner, goal) if left else combine(inner, made, goal)

    def coordination(self, children: list[Penn], want: Category, gap: Gap | None) -> Tree:
        """Conjuncts of one category, the last two first: `X X[conj] -> X`."""
        solid = [p for p, child in enumerate(children) if not is_separator(child)]
        last = solid[-1]
        end = next((p for p in range(last, len(children)) if _is_stop(children[p])), len(children))
        made = self.build(children[last], want, gap)
        for child in children[last + 1 : end]:
            made = combine(made, self.separator(child), category_of(made))
        for before, after in zip(reversed(solid[:-1]), reversed(solid[1:]), strict=True):
            made = self.conjoin(children[before + 1 : after], made)
            first = self.build(children[before], want, gap)
            if category_of(made).conj:
                made = combine(first, made, with_gap(want, gap))
            else:
                made = combine(first, change(made, right_of(category_of(first))))
        for child in reversed(children[: solid[0]]):
            first = self.separator(child)
            if is_conjunction(child):  # `both` of `both ... and`
                first = self.build(child, left_of(modifier(want)))
            made = combine(first, made, category_of(made))
        for mark in children[end:]:
            made = self.absorb(Part(mark, "mark", "right"), made)
        return made

    def verbless(self, children: list[Penn], want: Category) -> Tree:
        """A coordination of which some conjuncts lack their verb."""
        build = clusters.clusters if children[0].label == "VP" else gapping.gapped
        try:
            return build(self, children, want)
        except ConversionError:
            self.notes.append("cluster lost")
            return self.coordination(children, want, None)

    def separator(self, node: Penn) -> Tree:
        return self.build(node, natural(node)) if node.is_leaf else self.conjunction(node)[0]

    def conjoin(self, separators: list[Penn], made: Tree) -> Tree:
        """A conjunct after its conjunction: `conj X -> X[conj]`; commas before it are absorbed."""
        words = [p for p, child in enumerate(separators) if is_conjunction(child)]
        if not separators:
            return made
        place = words[-1] if words else len(separators) - 1
        for child in reversed(separators[place + 1 :]):
            made = combine(self.separator(child), made, category_of(made))
        word = separators[place]
        if is_conjunction(word):
            first, after = self.conjunction(word)
            for extra in after:
                made = combine(leaf(extra, left_of(modifier(category_of(made)))), made)
        else:
            first = self.separator(word)
        made = combine(first, made, conjunct(category_of(made)))
        for child in reversed(separators[:place]):
            made = combine(self.separator(child), made, category_of(made))
        return made

    def conjunction(self, node: Penn) -> tuple[Tree, list[Penn]]:
        """A conjunction, and the words of it that modify what follows, as `not` of `but not`."""
        conj = atom("conj")
        words = [node] if node.is_leaf else list(node.words())
        head = next((w for w in words if w.label == "CC"), words[-1])
        place = next(p for p, w in enumerate(words) if w is head)
        made: Tree = leaf(head, conj)
        for word in reversed(words[:place]):
            made = combine(leaf(word, forward(conj, conj)), made, conj)
        return made, words[place + 1 :][::-1]

    def parenthetical(self, children: list[Penn], want: Category) -> Tree:
        """`( ... )` as a modifier: the opening bracket is the functor, the closing one absorbed."""
        end = len(children) - (punctuation(children[-1]) == "RRB" and len(children) > 2)
        solid, closing = children[1:end], children[end:]
        inner = solid[0] if len(solid) == 1 else Penn(_label(solid), children=solid)
        own = native.inside_brackets(inner, want)
        content = self.build(inner, own)
        if own is want and not is_modifier_of_anything(want):  # nothing stands outside
            made = self.absorb(Part(children[0], "mark", "left"), content)
        else:
            made = combine(leaf(children[0], forward(want, own)), content, want)
        for mark in closing:
            made = combine(made, leaf(mark, atom("RRB")), want)
        return made

    def shared(self, conjuncts: Penn, phrase: Penn, want: Category) -> Tree:
        """Right node raising: conjuncts that lack a phrase, and the phrase."""
        traces = tuple(n for n in conjuncts.nodes() if n.trace == "*RNR*" and _same(n, phrase))
        if not traces:
            return combine(self.build(conjuncts, want), self.build(phrase, right_of(want)), want)
        own = nominal.shared_category(conjuncts, traces, want)
        if own is N and want is NP and not noun_heads.has_determiner(conjuncts):
            return change(self.shared(conjuncts, phrase, N), NP)
        left = self.build(conjuncts, want, Gap(own, traces))
        return combine(left, self.build(phrase, own), want)


def _only(node: Penn, gap: Gap | None) -> Penn:
    """The phrase below phrases that have nothing else."""
    while not (node.is_leaf or native.is_nominal(node) or is_coordination(node)):
        children = live(node.children, gap)
        null = any(c.trace == NULL for c in node.children)
        if len(children) != 1 or null or children[0].trace or children[0].is_leaf:
            break
        node = children[0]
    return node


def _label(parts: list[Penn]) -> str:
    """The label of what stands in brackets without a node of its own."""
    words = [part for part in parts if part.is_leaf and not punctuation(part)]
    nouns = any(word.label.startswith("NN") or word.label == "CD" for word in words)
    phrases = {part.label for part in parts if not part.is_leaf}
    return "NP" if nouns and phrases <= {"NP", "NML", "ADJP", "QP", "PP"} else "FRAG"


def _is_stop(node: Penn) -> bool:
    return punctuation(node) == "."


def _same(trace: Penn, phrase: Penn) -> bool:
    return trace.index == phrase.index or not phrase.index
