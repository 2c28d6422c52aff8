"""Repairs of clauses that are arguments: of nouns (`the fact that`), of clefts, and small ones."""

from treewright.convert.coordination import NOMINAL, is_separator
from treewright.convert.natural import complementiser, natural, subject
from treewright.convert.penn import Penn
from treewright.convert.tables import tables

CLEFT = "CLEFT"  # the clause of an it-cleft
SMALL = "SMALL"  # the predicate of a small clause


def mark_clefts(node: Penn) -> None:
    r"""Mark `it is Ann who sings`: an expletive, and a relative clause that is an argument."""
    own = [child for child in node.children if "SBJ" in child.tags]
    verbs = [child for child in node.children if child.label == "VP" and not child.trace]
    verbs = [node] if node.label == "SQ" else verbs
    if not own or not verbs or [word.lower() for word in own[0].words()] != ["it"]:
        return
    own[0].tags |= {"EXPL"} if "CLF" in node.tags else set()
    for phrase in verbs[-1].nodes():
        for first, second in zip(phrase.children, phrase.children[1:], strict=False):
            if phrase.label in {"VP", "SQ"} and "PRD" in first.tags and _is_relative(second):
                own[0].tags |= {"EXPL"}
                second.tags |= {CLEFT}


def _is_relative(node: Penn) -> bool:
    return node.label == "SBAR" and node.children[0].label in {"WHNP", "WHPP"}


def lower_noun_clauses(node: Penn) -> None:
    """Make a `that` clause the argument of its noun: `(NP (NP the fact) (SBAR that ...))`."""
    if node.label not in NOMINAL or "&" in node.tags or len(node.children) < 2:
        return
    first, clause = node.children[0], node.children[1]
    if first.label not in NOMINAL or "&" in first.tags:
        return
    if not is_noun_clause(clause) and not _lacks_object(clause):
        return
    if any(c.is_leaf and c.label.startswith("NN") for c in first.children[-1:]):
        first.children.append(clause)
        del node.children[1]


def _lacks_object(node: Penn) -> bool:
    """Whether the object of a preposition stands elsewhere."""
    gap = any(child.trace == "*T*" for child in node.children)
    return gap and node.label == "PP" and node.children[0].is_leaf


def is_noun_clause(node: Penn) -> bool:
    """Whether a clause is what a noun such as `fact` takes: `that` with a whole sentence."""
    if node.label != "SBAR" or any(child.label.startswith("WH") for child in node.children):
        return False
    word = complementiser(node)
    return word is not None and word.lower() == "that" and "T" not in node.tags


def flatten_small_clauses(node: Penn) -> None:
    """Make the subject and predicate of a small clause two arguments of the verb or preposition."""
    if node.label not in {"VP", "PP", "SBAR"} or "&" in node.tags or not node.children:
        return
    if any(child.label.startswith("WH") and not child.trace for child in node.children):
        return
    if node.label == "SBAR" and node.children[0].lower() not in {"for", "with", "without"}:
        return
    for place, child in enumerate(node.children):
        if place and _lacks_subject(child):
            clause = child if child.label == "S" else child.children[-1]
            trace, *rest = clause.children
            trace.tags -= {"SBJ"}
            node.children[place : place + 1] = [*rest, trace]
            return
        if place and child.label == "S" and _is_small_clause(child):
            own = subject(child)
            rest = [c for c in child.children if c is not own]
            predicate = rest[0] if len(rest) == 1 else Penn("S", children=rest)
            predicate.tags = predicate.tags - {"SBJ"} | {"PRD", SMALL}
            if own is not None:
                own.tags -= {"SBJ"}
                node.children[place : place + 1] = [own, predicate]
            return


def _lacks_subject(node: Penn) -> bool:
    """Whether the subject of an argument clause was extracted: `who we think [won]`."""
    if node.label == "SBAR" and len(node.children) == 1:
        node = node.children[0]
    if node.label != "S" or len(node.children) != 2 or node.children[1].label != "VP":
        return False
    return node.children[0].trace == "*T*" and "SBJ" in node.children[0].tags


def _is_small_clause(clause: Penn) -> bool:
    own = subject(clause)
    if own is None or own.trace not in {"", "*T*"} or own is not clause.children[0]:
        return False
    if "&" in clause.tags or clause.tags & set(tables().tags["adjunct"]) or "NOM" in clause.tags:
        return False
    category = natural(clause)
    feature = category.feature or (category.result.feature if category.is_functor else "")
    solid = [child for child in clause.children if not is_separator(child)]
    return len(solid) > 1 and feature not in {"dcl", "q", "wq", "em"}
