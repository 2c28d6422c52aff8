"""Repairs before the conversion: brackets, traces that nothing stands for, flat structure.

Each repair is a small function over one node; `repair` runs them bottom up. They move words under
other nodes but never change their order.
"""

import re
from collections.abc import Callable

from treewright.convert.coordination import NOMINAL, group_coordinations, is_separator
from treewright.convert.natural import complementiser, natural, subject
from treewright.convert.penn import NULL, Penn, is_numeral
from treewright.convert.right_node import SHARED, raise_right_nodes
from treewright.convert.tables import punctuation, tables

NAME = re.compile(r"[A-Z]{2,}.*|[A-Z]+[a-z]*-?[0-9]+.*")
EXPLETIVE_TAG = "EXPL"


def repair(root: Penn) -> Penn:
    """The tree, ready for conversion; it is changed in place."""
    mark_expletives(root)
    prune(root)
    raise_right_nodes(root)
    _everywhere(root, group_brackets)
    _bracketed_phrases(root)
    group_coordinations(root)
    root = mark_heading(root)
    _everywhere(root, foreign_phrases)
    _everywhere(root, flatten_compounds)
    _everywhere(root, group_focus)
    _everywhere(root, group_adverbs)
    _everywhere(root, group_owners)
    _everywhere(root, wrap_clauses)
    _everywhere(root, wrap_nouns)
    _everywhere(root, lower_premodifiers)
    _everywhere(root, group_reduced_relatives)
    _everywhere(root, lower_noun_clauses)
    _everywhere(root, flatten_small_clauses)
    return root


def mark_heading(root: Penn) -> Penn:
    """Read a heading before a sentence as its modifier: `(NP (NP OBJECTIVE) (: :) (S ...))`."""
    labels = [child.label for child in root.children[:3]]
    if root.label in {"NP", "S", "FRAG"} and labels == ["NP", ":", "S"]:
        root.label, root.tags = "S", frozenset()
        root.children[0].tags = frozenset({"ADV"})
    return root


def _everywhere(node: Penn, change: Callable[[Penn], None]) -> None:
    for child in node.children:
        _everywhere(child, change)
    change(node)


def mark_expletives(root: Penn) -> None:
    """Tag the `it` that stands for a clause further right: `(NP (NP it) (SBAR *EXP*))`."""
    for node in root.nodes():
        if any(child.trace == "*EXP*" for child in node.children):
            node.tags |= {EXPLETIVE_TAG}


def prune(node: Penn) -> None:
    """Remove empty elements that no later step asks for, and phrases that are left empty."""
    kept = []
    for child in node.children:
        prune(child)
        if child.trace:
            if _is_needed(child):
                kept.append(child)
        elif child.is_leaf or child.children:
            kept.append(child)
    node.children = kept
    if not node.is_leaf and not node.trace and node.children and all(c.trace for c in kept):
        node.children = []


def _is_needed(trace: Penn) -> bool:
    if "SBJ" in trace.tags or trace.trace in {"*T*", "*RNR*"}:
        return True
    return trace.trace == NULL and trace.label.startswith("WH")


def group_brackets(node: Penn) -> None:
    """Put `( ... )` among other children under a PRN."""
    if node.label == "PRN" or len(node.children) < 3:
        return
    opening = next((p for p, c in enumerate(node.children) if punctuation(c) == "LRB" and p), None)
    if opening is None:
        return
    closing = next(
        (p for p in range(opening + 1, len(node.children)) if _closes(node.children[p])), None
    )
    end = len(node.children) if closing is None else closing + 1
    inside = node.children[opening:end]
    if len(inside) < 2 or all(punctuation(c) for c in inside):
        return
    node.children[opening:end] = [Penn("PRN", children=inside)]
    group_brackets(node)


def _closes(node: Penn) -> bool:
    return punctuation(node) == "RRB"


def _bracketed_phrases(root: Penn) -> None:
    """Make a PRN of each phrase that begins with a bracket, such as `(NP -LRB- IOP)`."""
    for node in root.nodes():
        if node is root or node.label in {"PRN", "LST", "CIT"} or not node.children:
            continue
        if punctuation(node.children[0]) == "LRB":
            last = len(node.children) - 1 if _closes(node.children[-1]) else len(node.children)
            inner = Penn(node.label, node.tags, children=node.children[1:last])
            if inner.children:
                node.children = [node.children[0], inner, *node.children[last:]]
                node.label, node.tags = "PRN", frozenset()


def foreign_phrases(node: Penn) -> None:
    """Read `in vitro` as a preposition with its noun, except before a noun."""
    for place, child in enumerate(node.children):
        if node.label in NOMINAL and any(_is_noun(c) for c in node.children[place + 1 :]):
            continue
        match child.children:
            case [Penn(label="FW" | "IN") as first, Penn(label="FW" | "NN") as second] if (
                child.label in {"ADVP", "ADJP", "PP"} and first.lower() in {"in", "ex", "de"}
            ):
                child.label, first.label, second.label = "PP", "IN", "FW"


def _is_noun(node: Penn) -> bool:
    return node.is_leaf and node.label.startswith("NN")


def flatten_compounds(node: Penn) -> None:
    """Give the words of a compound before a noun to that noun's phrase, unless it is a term."""
    if node.label not in NOMINAL or "&" in node.tags or SHARED in node.tags:
        return
    flat: list[Penn] = []
    for place, child in enumerate(node.children):
        last = all(punctuation(c) for c in node.children[place + 1 :])
        follows = any(c.is_leaf and c.label.startswith("NN") for c in node.children[place + 1 :])
        if not last and follows and _is_compound(child):
            flat += _flat_words(child)
        elif follows and child.label == "ADJP" and "&" not in child.tags:
            flat += _split_adjectives(child)
        else:
            flat.append(child)
    node.children = _group_terms(flat)
    _group_name(node)


def _group_terms(children: list[Penn]) -> list[Penn]:
    """Put a term before a noun under a node of its own."""
    grouped: list[Penn] = []
    for place, child in enumerate(children):
        after = children[place + 1 : place + 2]
        before = grouped[-1:]
        noun = bool(after) and after[0].is_leaf and after[0].label.startswith(("NN", "JJ", "VB"))
        word = bool(before) and before[0].is_leaf and before[0].label.startswith("NN")
        if (noun and before and before[0].is_leaf and is_term([before[0], child])) or (
            noun and word and (is_numeral(child) or child.label == "PRN")
        ):
            grouped[-1] = Penn("NML", frozenset({"T"}), children=[before[0], child])
        elif word and is_numeral(child) and _is_classifier(grouped):
            grouped[-1] = Penn("NP", frozenset({"CLS"}), children=[before[0], child])
        else:
            grouped.append(child)
    return grouped


def _group_name(node: Penn) -> None:
    """Put a name after a definite noun under a node of its own: `the cell line THP-1`."""
    words = node.children
    if len(words) < 3 or words[0].label not in {"DT", "PRP$"} or not words[-1].is_leaf:
        return
    noun, name = words[-2:]
    common = noun.label == "NN" and noun.word.isalpha() and noun.word.islower()
    if common and name.label == "NN" and NAME.fullmatch(name.word):
        node.children[-1:] = [Penn("NP", frozenset({"NAME"}), children=[name])]


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
    kinds = ("NN", "JJ", "FW", "VBN", "VBG", "CD", "AFX", "ADJP", "QP", "PRN")
    plain = all(_is_compound(c) or c.label.startswith(kinds) or _is_named(c) for c in node.children)
    return plain and not is_term(node.children) and not _is_named(node)


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


def is_term(words: list[Penn]) -> bool:
    """Whether words are a fixed term, such as `T cell`."""
    text = " ".join(w.lower() for w in words)
    return text in tables().nouns["terms"]


def group_adverbs(node: Penn) -> None:
    """Put an adverb before another one before an adjective under one node: `much more stable`."""
    kinds = {"RB", "RBR", "RBS"}
    labels = [child.label for child in node.children[:3]]
    adverbs = len(labels) == 3 and set(labels[:2]) <= kinds
    if node.label == "ADJP" and adverbs and labels[2] in {"JJ", "VBN", "VBG"}:
        node.children[:2] = [Penn("ADVP", children=node.children[:2])]


def group_owners(node: Penn) -> None:
    """Put a flat owner and its `'s` under one node."""
    if node.label not in NOMINAL:
        return
    place = next((p for p, c in enumerate(node.children) if c.label == "POS"), 0)
    if 0 < place < len(node.children) - 1:
        node.children[: place + 1] = [Penn("NP", children=node.children[: place + 1])]


def wrap_clauses(node: Penn) -> None:
    """Give a clause without a node of its own one: `(VP suggested (NP-SBJ it) (VP might ...))`."""
    if node.label != "VP" or "&" in node.tags:
        return
    for place in range(1, len(node.children) - 1):
        first, second = node.children[place : place + 2]
        if "SBJ" in first.tags and second.label == "VP":
            node.children[place : place + 2] = [Penn("S", children=[first, second])]
            return


def wrap_nouns(node: Penn) -> None:
    """Give nouns that stand bare after a verb or preposition a node of their own."""
    if node.label not in {"VP", "PP"} or "&" in node.tags:
        return
    kinds = ("NN", "JJ", "DT", "CD", "FW", "NML", "PRP$")
    run = len(node.children)
    while run > 1 and node.children[run - 1].label.startswith(kinds):
        run -= 1
    if len(node.children) - run > 1:
        node.children[run:] = [Penn("NP", children=node.children[run:])]


def group_focus(node: Penn) -> None:
    """Put an adverb such as `largely` into the prepositional phrase after it."""
    if node.label not in {"VP", "S", "ADJP", "NP"}:
        return
    for place in range(len(node.children) - 2, -1, -1):
        adverb, phrase = node.children[place : place + 2]
        words = [word.lower() for word in adverb.words()]
        focus = len(words) == 1 and words[0] in tables().adverbs["focus"]
        if focus and adverb.label in {"ADVP", "RB"} and phrase.label == "PP":
            joined = Penn("PP", phrase.tags, children=[adverb, phrase])
            node.children[place : place + 2] = [joined]


def lower_premodifiers(node: Penn) -> None:
    """Put words before a noun phrase into it: `(NP (DT the) (NP (NP a) (PP of b)))`."""
    if node.label not in NOMINAL or "&" in node.tags or SHARED in node.tags:
        return
    place = next((p for p, c in enumerate(node.children) if not c.is_leaf), 0)
    inner = node.children[place] if place else None
    if inner is None or inner.label != "NP" or not inner.children:
        return
    if inner.tags & {"&", "CLS", "NAME", SHARED}:
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


def group_reduced_relatives(node: Penn) -> None:
    """Put an adverb before a participle after a noun into its phrase: `gene originally found`."""
    if node.label not in NOMINAL or "&" in node.tags:
        return
    for place in range(len(node.children) - 2, 0, -1):
        adverb, verb = node.children[place : place + 2]
        if adverb.label in {"ADVP", "RB"} and verb.label == "VP":
            node.children[place : place + 2] = [Penn("VP", children=[adverb, verb])]


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
    if node.label not in {"VP", "PP", "SBAR"} or "&" in node.tags:
        return
    if any(child.label.startswith("WH") and not child.trace for child in node.children):
        return
    if node.label == "SBAR" and node.children[0].lower() not in {"for", "with", "without"}:
        return
    for place, child in enumerate(node.children):
        if place and child.label == "S" and _is_small_clause(child):
            own = subject(child)
            rest = [c for c in child.children if c is not own]
            predicate = rest[0] if len(rest) == 1 else Penn("S", children=rest)
            predicate.tags = predicate.tags - {"SBJ"} | {"PRD"}
            if own is not None:
                own.tags -= {"SBJ"}
                node.children[place : place + 1] = [own, predicate]
            return


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
