"""Repairs that put words under nodes which the tree should have, each over one node.

Brackets get a PRN, `much more` an ADVP, an owner and its `'s` an NP, a clause without a node an S.
"""

from treewright.convert.compounds import is_noun
from treewright.convert.coordination import NOMINAL
from treewright.convert.natural import NO_QUESTION
from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation, tables


def group_brackets(node: Penn) -> None:
    """Put `( ... )` among other children under a PRN, or an NP if a preposition needs it."""
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
    group = Penn("PRN", children=inside)
    node.children[opening:end] = [group]
    if _is_object(group, node):
        group.label = "NP"
    else:
        group_brackets(node)


def _closes(node: Penn) -> bool:
    return punctuation(node) == "RRB"


def lower_closing_brackets(node: Penn) -> None:
    """Put `)` into the phrase that has its `(`, as in `(NP (-LRB- -LRB-) (NN B)) (-RRB- -RRB-)`."""
    kept: list[Penn] = []
    for child in node.children:
        place = None if _is_open(kept) or not kept or not _closes(child) else _open_phrase(kept[-1])
        (kept if place is None else place.children).append(child)
    node.children = kept


def _is_open(children: list[Penn]) -> bool:
    """Whether a bracket opens among nodes that does not close."""
    kinds = [kind for child in children if (kind := punctuation(child)) in {"LRB", "RRB"}]
    return kinds[-1:] == ["LRB"]


def _open_phrase(node: Penn) -> Penn | None:
    """The lowest phrase at the right edge in which a bracket is open."""
    opened = None
    while node.children:
        if _is_open(node.children) and punctuation(node.children[-1]) != "LRB":
            opened = node
        node = node.children[-1]
    return opened


def bracketed_phrases(root: Penn) -> None:
    """Make a PRN of each phrase that begins with a bracket, such as `(NP -LRB- IOP)`.

    What a preposition needs is none: `shown in (B)`.
    """
    for parent in root.nodes():
        for node in parent.children:
            if node.label in {"PRN", "LST", "CIT"} or not node.children:
                continue
            if punctuation(node.children[0]) == "LRB" and not _is_object(node, parent):
                _bracket(node)


def _is_object(node: Penn, parent: Penn) -> bool:
    """Whether a phrase is all that a preposition has."""
    return parent.label == "PP" and all(c is node or c.is_leaf for c in parent.children)


def _bracket(node: Penn) -> None:
    last = len(node.children) - 1 if _closes(node.children[-1]) else len(node.children)
    inner = Penn(node.label, node.tags, children=node.children[1:last])
    if inner.children:
        node.children = [node.children[0], inner, *node.children[last:]]
        node.label, node.tags = "PRN", frozenset()


def foreign_phrases(node: Penn) -> None:
    """Read `in vitro` as a preposition with its noun, except before a noun."""
    for place, child in enumerate(node.children):
        after = node.children[place + 1 :]
        if node.label in NOMINAL and any(is_noun(c) or c.label in NOMINAL for c in after):
            continue
        if node.label == child.label == "ADJP":
            continue
        match child.children:
            case [Penn(label="FW" | "IN") as first, Penn(label="FW" | "NN") as second] if (
                child.label in {"ADVP", "ADJP", "PP"} and first.lower() in {"in", "ex", "de"}
            ):
                child.label, first.label, second.label = "PP", "IN", "FW"


def group_prepositions(node: Penn) -> None:
    """Put what follows a noun in a flat phrase under a PP: `nuclear factor of activated cells`."""
    if node.label not in NOMINAL or node.label == "QP":
        return
    for place in range(len(node.children) - 2, 0, -1):
        before, preposition = node.children[place - 1 : place + 1]
        if preposition.label != "IN" or not preposition.word.isalpha():
            continue
        end = _end_of_nouns(node.children, place + 1)
        inner = node.children[place + 1 : end]
        follows = any(is_noun(c) for c in _outside_brackets(node.children[end:]))
        if inner and is_noun(before) and is_noun(inner[-1]) and not follows:
            phrase = Penn("PP", children=[preposition, Penn("NP", children=inner)])
            node.children[place:end] = [phrase]


def _outside_brackets(children: list[Penn]) -> list[Penn]:
    """The nodes without those from an opening bracket on, if there is one."""
    kinds = [punctuation(child) for child in children]
    return children[: kinds.index("LRB")] if "LRB" in kinds else children


def _end_of_nouns(children: list[Penn], start: int) -> int:
    """Where a run of nouns and what stands before them ends."""
    kinds = ("NN", "JJ", "VBN", "VBG", "DT", "PRP$", "CD", "FW")
    return next(
        (p for p in range(start, len(children)) if not children[p].label.startswith(kinds)),
        len(children),
    )


def bare_adjectives(node: Penn) -> None:
    """Read an adjective that `in` takes as one: `in particular`."""
    match node.children:
        case [Penn(label="IN") as first, Penn(label="NP", children=[Penn(label="JJ") as word])]:
            if first.lower() == "in" and word.lower() in tables().prepositions["adjectives"]:
                node.children[1].label = "ADJP"


def complex_prepositions(node: Penn) -> None:
    """Put `to the rain` under a node of its own in `due to the rain`, and `together` beside it."""
    if node.label == "PP" and len(node.children) > 2 and _is_complex(*node.children[:2]):
        node.children[1:] = [Penn("PP", children=node.children[1:])]
        return
    for place in range(len(node.children) - 2, -1, -1):
        adverb, phrase = node.children[place : place + 2]
        words = list(adverb.words()) if adverb.label in {"ADVP", "RB"} else []
        simple = len(words) == 1 and phrase.label == "PP" and len(phrase.children) == 2
        if simple and _is_complex(words[0], phrase.children[0]):
            joined = Penn("PP", phrase.tags, children=[words[0], phrase])
            node.children[place : place + 2] = [joined]


def _is_complex(first: Penn, second: Penn) -> bool:
    """Whether two words are a preposition such as `due to`."""
    if not first.is_leaf or not second.is_leaf:
        return False
    return f"{first.lower()} {second.lower()}" in tables().prepositions["complex"]


def split_infinitives(node: Penn) -> None:
    """Put an adverb after `to` or a subject into the verb phrase that follows: `did he not go`."""
    for place in range(1, len(node.children) - 1):
        first, adverb, verb = node.children[place - 1 : place + 2]
        before = first.label == "TO" or (node.label == "SQ" and "SBJ" in first.tags)
        if before and adverb.label in {"ADVP", "RB"} and verb.label == "VP":
            node.children[place : place + 2] = [Penn("VP", children=[adverb, verb])]
            return


def relations_of_terms(node: Penn) -> None:
    """Put a symbol and its second term beside the first: `(NP (NP P) (ADJP (JJR <) (NP 0.01)))`."""
    if node.label not in NOMINAL:
        return
    for place, child in enumerate(node.children):
        if child.label == "ADJP" and len(child.children) == 2 and place:
            symbol, term = child.children
            if symbol.is_leaf and symbol.word in tables().symbols["relations"]:
                if symbol.label in {"TO", "IN"}:
                    child.label, symbol.label = "PP", "IN"
                else:
                    node.children[place : place + 1] = [symbol, term]
                return


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


def nominal_adverbs(node: Penn) -> None:
    """Read an adverb phrase that is a noun phrase as one: `every time`."""
    words = node.children
    if node.label != "ADVP" or len(words) < 2 or not all(word.is_leaf for word in words):
        return
    if words[0].label == "DT" and words[-1].label.startswith("NN"):
        node.label, node.tags = "NP", node.tags | {"ADV"}


def wrap_clauses(node: Penn) -> None:
    """Give a clause without a node of its own one: `(VP suggested (NP-SBJ it) (VP might ...))`."""
    if node.label not in {"VP", "SBAR"} or "&" in node.tags:
        return
    for place in range(1, len(node.children) - 1):
        first, second = node.children[place : place + 2]
        if "SBJ" in first.tags and second.label == "VP":
            node.children[place : place + 2] = [Penn("S", children=[first, second])]
            return


def wrap_complementisers(node: Penn) -> None:
    """Give `that` and its clause after another conjunction a node of their own: `so that`."""
    if node.label == "SBAR" and len(node.children) > 2:
        first, second = node.children[:2]
        if not (first.is_leaf and second.is_leaf and first.label in {"IN", "RB"}):
            return
        if second.lower() == "that" or (
            first.lower() == "as" and second.lower() in {"if", "though"}
        ):
            node.children[1:] = [Penn("SBAR", frozenset({NO_QUESTION}), children=node.children[1:])]


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
            joined = Penn("PP", phrase.tags - {"&"}, children=[adverb, phrase])
            node.children[place : place + 2] = [joined]


def group_reduced_relatives(node: Penn) -> None:
    """Put an adverb before a participle after a noun into its phrase: `gene originally found`."""
    if node.label not in NOMINAL or "&" in node.tags:
        return
    for place in range(len(node.children) - 2, 0, -1):
        adverb, verb = node.children[place : place + 2]
        if adverb.label in {"ADVP", "RB"} and verb.label == "VP":
            node.children[place : place + 2] = [Penn("VP", children=[adverb, verb])]
