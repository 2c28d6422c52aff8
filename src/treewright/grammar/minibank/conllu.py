"""The sentences of the minibank as CoNLL-U: lemmas, parts of speech, heads and relations."""

from functools import cache

from treewright.data.records import Derivation, Leaf
from treewright.grammar.minibank.arcs import Arc, arcs_of
from treewright.grammar.minibank.links import AUXILIARIES, BE
from treewright.grammar.minibank.tables import load

UNIVERSAL = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "PRP": "PRON", "PRP$": "PRON", "WP": "PRON",
    "DT": "DET", "JJ": "ADJ", "CD": "NUM", "RB": "ADV", "WRB": "ADV", "CC": "CCONJ", "MD": "AUX",
    ",": "PUNCT", ".": "PUNCT",
}  # fmt: skip
BY_RELATION = {
    ("IN", "mark"): "SCONJ", ("IN", "case"): "ADP", ("TO", "mark"): "PART", ("TO", "case"): "ADP",
    ("WDT", "det"): "DET",
}  # fmt: skip


def conllu(derivation: Derivation) -> str:
    """The block of one sentence, with the empty line that ends it."""
    leaves, arcs = derivation.leaves, arcs_of(derivation)
    spaces = [leaf.pos not in {",", "."} for leaf in leaves[1:]] + [False]
    text = "".join(leaf.word + " " * space for leaf, space in zip(leaves, spaces, strict=True))
    rows = zip(leaves, arcs, spaces, strict=True)
    lines = [_row(number, *row) for number, row in enumerate(rows, start=1)]
    return "\n".join([f"# sent_id = {derivation.id}", f"# text = {text}", *lines, "", ""])


def _row(number: int, leaf: Leaf, arc: Arc, space: bool) -> str:
    head, relation = arc
    misc = "_" if space else "SpaceAfter=No"
    tags = universal_pos(leaf.pos, relation), leaf.pos
    return "\t".join(
        [f"{number}", leaf.word, lemma(leaf), *tags, "_", f"{head}", relation, "_", misc]
    )


def universal_pos(pos: str, relation: str) -> str:
    """The part of speech of Universal Dependencies."""
    if pos.startswith("VB"):
        return "AUX" if relation.partition(":")[0] in {"aux", "cop"} else "VERB"
    return BY_RELATION.get((pos, relation)) or UNIVERSAL.get(pos, "PRON")


def lemma(leaf: Leaf) -> str:
    """The form that a dictionary lists."""
    word = leaf.word if leaf.pos == "NNP" or leaf.word == "I" else leaf.word.lower()
    if word in AUXILIARIES and leaf.pos.startswith("VB"):
        return "be" if word in BE else "have" if word.startswith("ha") else "do"
    return _lemmas().get((leaf.pos[:2], word), "a" if word == "an" else word)


@cache
def _lemmas() -> dict[tuple[str, str], str]:
    tables = load()
    found = {("VB", form): verb.forms[0] for verb in tables.verbs for form in verb.forms}
    nouns = (noun for line in tables.words["nouns"].values() for noun in line.split())
    return found | {("NN", tables.plural(noun)): noun for noun in nouns}
