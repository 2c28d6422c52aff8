"""Minibank sentences as dependency trees: lemmas, POS tags, heads, relations."""

from functools import cache

from treewright.data.dependency import SENTENCE_ID, TEXT, DependencyTree, Word
from treewright.data.records import Derivation, Leaf
from treewright.minibank.arcs import Arc, arcs_of
from treewright.minibank.links import AUXILIARIES, BE
from treewright.minibank.tables import load

UNIVERSAL = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "PRP": "PRON", "PRP$": "PRON", "WP": "PRON",
    "DT": "DET", "JJ": "ADJ", "CD": "NUM", "RB": "ADV", "WRB": "ADV", "CC": "CCONJ", "MD": "AUX",
    ",": "PUNCT", ".": "PUNCT",
}  # fmt: skip
BY_RELATION = {
    ("IN", "mark"): "SCONJ", ("IN", "case"): "ADP", ("TO", "mark"): "PART", ("TO", "case"): "ADP",
    ("WDT", "det"): "DET",
}  # fmt: skip


def dependency_tree(derivation: Derivation) -> DependencyTree:
    """A sentence's words with their heads and relations."""
    leaves, arcs = derivation.leaves, arcs_of(derivation)
    spaces = [leaf.pos not in {",", "."} for leaf in leaves[1:]] + [False]
    text = "".join(leaf.word + " " * space for leaf, space in zip(leaves, spaces, strict=True))
    words = tuple(_word(*row) for row in zip(leaves, arcs, spaces, strict=True))
    return DependencyTree(words, (f"{SENTENCE_ID}{derivation.id}", f"{TEXT}{text}"))


def _word(leaf: Leaf, arc: Arc, space: bool) -> Word:
    head, relation = arc
    upos, misc = universal_pos(leaf.pos, relation), "_" if space else "SpaceAfter=No"
    return Word(leaf.word, lemma(leaf), upos, leaf.pos, "_", head, relation, "_", misc)


def universal_pos(pos: str, relation: str) -> str:
    """The universal POS tag."""
    if pos.startswith("VB"):
        return "AUX" if relation.partition(":")[0] in {"aux", "cop"} else "VERB"
    return BY_RELATION.get((pos, relation)) or UNIVERSAL.get(pos, "PRON")


def lemma(leaf: Leaf) -> str:
    """The lemma."""
    word = leaf.word if leaf.pos == "NNP" or leaf.word == "I" else leaf.word.lower()
    if word in AUXILIARIES and leaf.pos.startswith("VB"):
        return "be" if word in BE else "have" if word.startswith("ha") else "do"
    return _lemmas().get((leaf.pos[:2], word), "a" if word == "an" else word)


@cache
def _lemmas() -> dict[tuple[str, str], str]:
    tables = load()
    lemmas = {("VB", form): verb.forms[0] for verb in tables.verbs for form in verb.forms}
    nouns = (noun for line in tables.words["nouns"].values() for noun in line.split())
    return lemmas | {("NN", tables.plural(noun)): noun for noun in nouns}
