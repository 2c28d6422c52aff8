"""Repairs of what stands before nouns: compounds, fixed terms, names, modifiers of whole phrases.

CCGbank's noun phrases branch to the right: in `protein kinase inhibitor` both first words are N/N.
Compounds that a treebank brackets are flattened accordingly, fixed terms (`T cell`) are kept.
"""

import re

from treewright.convert.amounts import is_amount
from treewright.convert.coordination import NOMINAL, conjuncts, is_coordination
from treewright.convert.penn import Penn, is_numeral
from treewright.convert.right_node import SHARED
from treewright.convert.tables import punctuation, tables

NAME = re.compile(r"[A-Z]{2,}.*|[A-Z]+[a-z]*-?[0-9]+.*")


def flatten_compounds(node: Penn) -> None:
    """Give the words of a compound before a noun to that noun's phrase, unless it is a term."""
    if node.label not in NOMINAL or "&" in node.tags or SHARED in node.tags:
        return
    flat: list[Penn] = []
    for place, child in enumerate(node.children):
        last = all(punctuation(c) for c in node.children[place + 1 :])
        after = node.children[place + 1 :]
        follows = any(is_noun(c) for c in after) or _shares_modifier(child, after)
        if not last and follows and _is_compound(child):
            flat += _flat_words(child)
        elif follows and child.label == "ADJP" and "&" not in child.tags:
            flat += _split_adjectives(child)
        else:
            flat.append(child)
    node.children = _group_terms(flat)


def _shares_modifier(child: Penn, after: list[Penn]) -> bool:
    """Whether a noun phrase modifies the coordination next to it: `[cell] [growth and death]`.

    After plurals and before names the coordination is an apposition: `the genes [A and B]`.
    """
    words = list(child.words())
    if not _joins_nouns(after[:1]) or child.label not in NOMINAL:
        return False
    return bool(words) and words[-1].label == "NN"


def _joins_nouns(nodes: list[Penn]) -> bool:
    """Whether a node coordinates bare noun phrases of common nouns."""
    if not nodes or nodes[0].label not in NOMINAL or not is_coordination(nodes[0]):
        return False
    parts = [list(part.children) for part in conjuncts(nodes[0])]
    return all(
        part
        and part[-1].label in {"NN", "NNS"}
        and part[-1].word.isalpha()
        and part[-1].word.islower()
        and all(c.is_leaf and not c.label.startswith(("DT", "PRP")) for c in part)
        for part in parts
    )


def _group_terms(children: list[Penn]) -> list[Penn]:
    """Put a term before a noun under a node of its own."""
    grouped: list[Penn] = []
    for place, child in enumerate(children):
        before = grouped[-1:]
        noun = _precedes_noun(children[place + 1 :])
        word = bool(before) and (_is_named(before[0]) or is_noun(before[0]))
        if child.label == "PRN" and before and before[0].label == "JJ":
            word = True
        term = bool(before) and before[0].is_leaf and is_term([before[0], child])
        number = word and (is_numeral(child) or child.label == "PRN")
        if noun and (term or number or _is_measure([*before, child])):
            grouped[-1] = Penn("NML", frozenset({"T"}), children=[before[0], child])
        elif word and is_numeral(child) and _is_classifier(grouped):
            grouped[-1] = Penn("NP", frozenset({"CLS"}), children=[before[0], child])
        else:
            grouped.append(child)
    return grouped


def _is_measure(words: list[Penn]) -> bool:
    """Whether words are a number with its unit: `a 150 bp promoter`."""
    if len(words) != 2 or words[0].label not in {"CD", "QP"} or not is_noun(words[1]):
        return False
    return words[1].word in tables().nouns["units"]


def _precedes_noun(children: list[Penn]) -> bool:
    """Whether a word that can belong to a compound follows, after brackets and numbers at most."""
    after = next((c for c in children if c.label != "PRN" and not is_numeral(c)), None)
    if after is None or after.trace:
        return after is not None and after.trace == "*RNR*"
    return after.is_leaf and after.label.startswith(("NN", "JJ", "VB"))


def _split_adjectives(node: Penn) -> list[Penn]:
    """Adjectives side by side under one ADJP, each with the adverbs before it."""
    if "COOD" in node.tags and all(c.label == "ADJP" for c in node.children):
        return [part for child in node.children for part in _split_adjectives(child)]
    words = {"JJ", "JJR", "JJS", "NN", "VBN", "VBG", "FW", "RB", "RBR", "RBS", ",", "ADJP"}
    foreign = all(c.label == "FW" for c in node.children)
    if foreign or any(c.label not in words for c in node.children):
        return [node]
    groups: list[list[Penn]] = [[]]
    for child in node.children:
        groups[-1].append(child)
        if not child.label.startswith("RB"):
            groups.append([])
    if groups[-1] or len(groups) == 2:
        return [node]
    return [g[0] if len(g) == 1 else Penn("ADJP", children=g) for g in groups[:-1]]


def _is_compound(node: Penn) -> bool:
    """Whether a phrase has only words that may stand before a noun, and is not a fixed term."""
    if node.label not in {"NP", "NML", "NX"} or node.tags & {"&", "CLS", SHARED}:
        return False
    if is_amount(node.children):
        return False
    kinds = ("NN", "JJ", "FW", "VBN", "VBG", "CD", "AFX", "ADJP", "QP", "PRN")
    plain = all(_is_compound(c) or c.label.startswith(kinds) or _is_named(c) for c in node.children)
    measure = len(node.children) == 2 and node.children[0].label in {"CD", "QP"}  # 95 % ethanol
    return plain and not measure and not is_term(node.children) and not _is_named(node)


def _is_named(node: Penn) -> bool:
    """Whether a node is one that `_group_terms` made."""
    return node.label == "NML" and len(node.children) == 2 and "T" in node.tags


def _flat_words(node: Penn) -> list[Penn]:
    return [w for c in node.children for w in (_flat_words(c) if _is_compound(c) else [c])]


def _is_classifier(words: list[Penn]) -> bool:
    """Whether words end in a noun such as `type` after another noun."""
    if len(words) < 2 or not words[-2].label.startswith("NN"):
        return False
    return words[-1].lower() in tables().nouns["classifiers"]


def group_hyphenated(node: Penn) -> None:
    """Put a participle or adjective and what a hyphen joins to it under a node of their own."""
    if node.label not in NOMINAL or "&" in node.tags:
        return
    for place in range(len(node.children) - 3, 0, -1):
        first, hyphen, second, noun = node.children[place - 1 : place + 3]
        joined = hyphen.label == "HYPH" and second.label in {"JJ", "VBN", "VBG"}
        if joined and first.is_leaf and not first.label.startswith("DT") and _is_nominal(noun):
            node.children[place - 1 : place + 2] = [Penn("ADJP", children=[first, hyphen, second])]
            return


def _is_nominal(node: Penn) -> bool:
    return node.label.startswith(("NN", "JJ", "NML"))


def is_term(words: list[Penn]) -> bool:
    """Whether words are a fixed term, such as `T cell`."""
    text = " ".join(w.lower() for w in words)
    return text in tables().nouns["terms"]


def is_noun(node: Penn) -> bool:
    """Whether a node is a word that is a noun."""
    return node.is_leaf and node.label.startswith("NN")


def group_names(node: Penn) -> None:
    """Put a name after a definite noun under a node of its own: `the cell line THP-1`."""
    words = node.children
    if (
        node.label not in NOMINAL
        or len(words) < 3
        or words[0].label not in {"DT", "PRP$"}
        or words[0].lower() in {"a", "an"}
        or not words[-1].is_leaf
    ):
        return
    noun, name = words[-2:]
    if "NAME" in node.tags or is_term([noun, name]):
        return
    common = noun.label == "NN" and noun.word.isalpha() and noun.word.islower()
    if common and name.label == "NN" and NAME.fullmatch(name.word):
        node.children[-1:] = [Penn("NP", frozenset({"NAME"}), children=[name])]


def lower_premodifiers(node: Penn) -> None:
    """Put words before a noun phrase into it: `(NP (DT the) (NP (NP a) (PP of b)))`."""
    if node.label not in NOMINAL or "&" in node.tags or SHARED in node.tags:
        return
    place = next((p for p, c in enumerate(node.children) if not c.is_leaf), 0)
    inner = node.children[place] if place else None
    if inner is None or inner.label != "NP" or not inner.children:
        return
    follows = any(is_noun(c) for c in node.children[place + 1 :])  # `induced [T cell] death`
    if follows or inner.tags & {"&", "CLS", "NAME", SHARED}:
        return
    if any(punctuation(c) or c.label in {"CC", "RB", "PDT", "POS"} for c in node.children[:place]):
        return
    while _is_plain_phrase(inner.children[0]):
        inner = inner.children[0]
    if inner.children[-1].label == "POS" or inner.children[0].label in {"DT", "PRP$", "PRP", "NP"}:
        return
    if inner.children[0].trace or SHARED in inner.tags or "&" in inner.tags:
        return
    inner.children[:0] = node.children[:place]
    del node.children[:place]


def _is_plain_phrase(node: Penn) -> bool:
    return node.label == "NP" and bool(node.children) and "&" not in node.tags
