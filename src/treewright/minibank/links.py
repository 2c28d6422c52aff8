r"""Universal Dependencies relations of the slots of words, by category.

saw    (S[dcl]\NP)/NP           1 nsubj, below; 2 obj, below
will   (S[dcl]\NP)/(S[b]\NP)    1 nsubj, below; 2 aux, function word
with   (NP\NP)/NP               1 nmod, above;  2 case, function word
"""

from enum import Enum, auto

from treewright.data.records import Leaf
from treewright.grammar.category import Category, parse

BE = {"be", "am", "is", "are", "was", "were", "been", "being"}
AUXILIARIES = BE | {"have", "has", "had", "having", "do", "does", "did"}
FINITE = {"dcl", "q"}


class Link(Enum):
    """The direction of a link between a word and the filler of its slot."""

    UP = auto()  # the word depends on the filler
    DOWN = auto()  # the filler depends on the word
    FUNCTION = auto()  # the word depends on the filler, which replaces it elsewhere


Links = dict[int, tuple[Link, str]]
MODIFIERS = {
    "JJ": "amod", "CD": "nummod", "RB": "advmod", "WRB": "advmod", "DT": "det", "WDT": "det",
    "PRP$": "nmod:poss",
}  # fmt: skip


def links_of(leaf: Leaf) -> Links:
    """The links of the slots of a leaf."""
    category = parse(leaf.category)
    if not category.is_functor:
        return {}
    if leaf.pos in MODIFIERS and category.arity and not _is_predicate(category):
        last = category.argument
        noun = last.base in {"N", "S"} or category.is_modifier
        return {category.arity: (Link.UP, MODIFIERS[leaf.pos])} if noun else _relative(category)
    if leaf.pos == "WP":
        return _relative(category)
    if leaf.pos in {"IN", "TO"} and not category.argument.is_functor:
        return _preposition(category)
    return _verb(leaf, category)


def _is_predicate(category: Category) -> bool:
    return _target(category).feature == "adj" and not category.is_modifier


def _target(category: Category) -> Category:
    while category.slash is not None:
        category = category.result
    return category


def _relative(category: Category) -> Links:
    """A relative pronoun; a question word is attached by its verb, without links of its own."""
    if _target(category).base != "NP":
        return {}
    role = "nsubj" if category.argument.slash == "\\" else "obj"
    return {category.arity: (Link.FUNCTION, role), category.result.arity: (Link.UP, "acl:relcl")}


def _preposition(category: Category) -> Links:
    """Prepositions, subordinators and complementizers; modifiers have a second link."""
    clause = category.argument.base == "S"
    links: Links = {category.arity: (Link.FUNCTION, "mark" if clause else "case")}
    if category.result.is_modifier:
        links[category.result.arity] = (Link.UP, "advcl" if clause else "case")
    return links


def _verb(leaf: Leaf, category: Category) -> Links:
    """Verbs, auxiliaries, copulas, `to` and predicative adjectives."""
    word, finite = leaf.word.lower(), _target(category).feature in FINITE
    arguments = category.arguments()
    objects = [i for i, part in enumerate(arguments[1:], start=2) if part.base == "NP"]
    links: Links = {}
    for slot, part in enumerate(arguments, start=1):
        if part.base == "NP" and (slot == 1 or _target(category).feature == "q"):
            expletive = part.feature == "expl"
            if finite:
                links[slot] = (Link.DOWN, "expl" if expletive else "nsubj")
        elif part.base == "NP" and word in BE:
            links[slot] = (Link.FUNCTION, "cop")
        elif part.base == "NP":
            links[slot] = (Link.DOWN, "iobj" if objects[1:] == [slot] else "obj")
        elif part.base == "PP":
            links[slot] = (Link.DOWN, "obl")
        elif part.is_functor:
            links[slot] = _verb_phrase(word, leaf.pos, _target(part).feature)
        else:
            links[slot] = (Link.DOWN, "ccomp")
    return links


def _verb_phrase(word: str, pos: str, feature: str) -> tuple[Link, str]:
    """The link of a word to the verb phrase that it takes."""
    if pos == "TO":
        return Link.FUNCTION, "mark"
    if pos != "MD" and word not in AUXILIARIES:
        return Link.DOWN, "xcomp"
    return Link.FUNCTION, {"pss": "aux:pass", "adj": "cop"}.get(feature, "aux")
