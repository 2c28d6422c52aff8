"""The names of a derivation's rules, in the two conventions of the field."""

from treewright.data.records import Node
from treewright.grammar.category import parse
from treewright.grammar.defaults import is_type_raised
from treewright.grammar.rules import Kind, Step, likely_step

WORDS = {
    Kind.FORWARD_APPLICATION: "fa",
    Kind.BACKWARD_APPLICATION: "ba",
    Kind.FORWARD_COMPOSITION: "fc",
    Kind.BACKWARD_COMPOSITION: "bc",
    Kind.FORWARD_CROSSED_COMPOSITION: "fx",
    Kind.BACKWARD_CROSSED_COMPOSITION: "bx",
    Kind.FORWARD_SUBSTITUTION: "fs",
    Kind.BACKWARD_SUBSTITUTION: "bs",
    Kind.FORWARD_CROSSED_SUBSTITUTION: "fxs",
    Kind.BACKWARD_CROSSED_SUBSTITUTION: "bxs",
    Kind.MARKED_CONJUNCTION: "conj",
    Kind.MARKED_COORDINATION: "coord",
    Kind.CONJUNCTION: "conj",
    Kind.COORDINATION: "coord",
    Kind.LEFT_ABSORPTION: "lp",
    Kind.RIGHT_ABSORPTION: "rp",
    Kind.DISORDERED_APPLICATION: "other",
    Kind.TYPE_CHANGE: "tc",
    Kind.GAPPING: "gap",
    Kind.UNARY: "lex",
}


def rule_symbol(node: Node) -> str:
    """The symbol of a node's rule in drawings: `>`, `<B`, `>B2`, `>T`; `?` if there is none."""
    step = likely_step(node)
    if step is None:
        return "?"
    if step.kind is Kind.UNARY:
        return _raising(node, step) or "un"
    return step.kind.removesuffix("[]") + (str(step.order) if step.order > 1 else "")


def rule_word(node: Node) -> str:
    """A node's rule as an alphanumeric name: `fa`, `bc`, `tr`, `lex`."""
    step = likely_step(node)
    if step is None:
        return "other"
    return "tr" if _raising(node, step) else WORDS[step.kind]


def _raising(node: Node, step: Step) -> str:
    """`>T` or `<T` if a unary node is type-raising, else empty."""
    if step.kind is not Kind.UNARY:
        return ""
    raised = is_type_raised(parse(node.children[0].category), step.result)
    return {"/": ">T", "\\": "<T"}[step.result.slash or "/"] if raised else ""
