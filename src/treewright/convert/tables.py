"""The tables of `tables.toml`: heads, arguments, features, auxiliaries, words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files

from treewright import config
from treewright.convert.penn import Penn

FRONTED = "FRONT"  # the tag of clauses and predicates before a verb that takes them


@dataclass(frozen=True)
class Auxiliary:
    """The forms of an auxiliary, and the feature of the verb phrase that it takes."""

    forms: tuple[str, ...]
    features: dict[str, str]


@dataclass(frozen=True)
class Tables:
    """What the conversion looks up; `tables.toml` says what each table means."""

    heads: dict[str, tuple[str, ...]]
    punctuation: dict[str, dict[str, str]]
    features: dict[str, str]
    auxiliaries: dict[str, Auxiliary]
    complementisers: dict[str, str]
    tags: dict[str, tuple[str, ...]]
    arguments: dict[str, tuple[str, ...]]
    verbs: dict[str, tuple[str, ...]]
    nouns: dict[str, tuple[str, ...]]
    prepositions: dict[str, tuple[str, ...]]
    adverbs: dict[str, tuple[str, ...]]
    symbols: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of the package."""
    with as_file(files(__package__) / "tables.toml") as path:
        return config.load(Tables, path)


def punctuation(node: Penn) -> str:
    """The category of a punctuation mark; empty for everything else."""
    marks = tables().punctuation
    if not node.is_leaf or node.label not in marks["tags"]:
        return ""
    return marks["words"].get(node.word, marks["tags"][node.label])


def head_place(label: str, children: Sequence[Penn]) -> int:
    """The place of the head among the children of a phrase."""
    if label == "ADJP" and _is_adverb_with_argument(children):
        return 0
    if label == "ADJP" and len(children) > 2 and children[-2].label == "HYPH":
        return len(children) - 1  # `single-stranded`
    side, *labels = tables().heads.get(label, ("left",))
    places = list(range(len(children)) if side == "left" else range(len(children) - 1, -1, -1))
    if label in {"S", "SINV"}:  # what modifies or is fronted comes last
        others = {"TPC", FRONTED} | set(tables().tags["adjunct"] if label == "S" else ())
        places.sort(key=lambda p: bool(children[p].tags & others))
    for wanted in labels:
        for place in places:
            own = children[place].label
            if label == "ADVP" and own in {"RBR", "RBS"}:
                own = "RB"
            if own == wanted and not children[place].trace:
                return place
    solid = (p for p in places if not punctuation(children[p]) and not children[p].trace)
    return next(solid, places[0])


def _is_adverb_with_argument(children: Sequence[Penn]) -> bool:
    """Whether an adjective phrase is an adverb with what it takes: `close to it`."""
    if [child.label for child in children] != ["RB", "PP"] or not children[1].children:
        return False
    return children[1].children[0].lower() in {"to", "from", "of"}


def head_word(node: Penn) -> Penn:
    """The word that heads a phrase."""
    while not node.is_leaf:
        node = node.children[head_place(node.label, node.children)]
    return node


@lru_cache(maxsize=1)
def _auxiliary_forms() -> dict[str, Auxiliary]:
    return {form: aux for aux in tables().auxiliaries.values() for form in aux.forms}


def auxiliary(word: Penn) -> Auxiliary | None:
    """The auxiliary that a word is a form of."""
    return _auxiliary_forms().get(word.lower())
