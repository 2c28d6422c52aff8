r"""The category that a phrase has by itself: `S[dcl]` of a sentence, `S[pss]\NP` of a passive VP.

Where the place of a phrase in the tree asks for another one, a unary rule changes it: a participle
after a noun is `S[pss]\NP` by nature and becomes `NP\NP`.
"""

from treewright.convert.coordination import conjuncts, is_coordination
from treewright.convert.penn import NULL, Penn
from treewright.convert.symbols import NP, PP, forward, s, vp
from treewright.convert.tables import auxiliary, head_place, head_word, punctuation, tables
from treewright.grammar.category import Category, atom

NOMINAL_LABELS = frozenset({"NP", "NML", "NX", "NAC", "QP", "WHNP"})
NO_QUESTION = "EM"  # the tag of `if it rains` in `as if it rains`
CLAUSES = {"SQ": "q", "SBARQ": "wq", "SINV": "dcl"}
FIXED = {
    **dict.fromkeys(NOMINAL_LABELS, NP),
    **dict.fromkeys(("PP", "WHPP"), PP),
    **dict.fromkeys(("ADJP", "ADVP", "WHADJP", "WHADVP", "PRT"), vp("adj")),
    "CONJP": atom("conj"),
    "INTJ": s("intj"),
}
SUBJECTS = ("NP", "NML", "SBAR", "S", "QP", "PP", "NX", "UCP", "ADJP")


def natural(node: Penn) -> Category:
    """The category of a phrase or word by its label, its head and its subject."""
    if node.is_leaf:
        return _natural_word(node)
    if is_coordination(node) and node.label not in NOMINAL_LABELS:
        return natural(conjuncts(node)[0])
    if node.label in FIXED:
        return FIXED[node.label]
    if node.label in {"S", *CLAUSES}:
        return _natural_clause(node)
    if node.label in {"SBAR", "VP"}:
        return vp(feature(node)) if node.label == "VP" else _natural_subordinate(node)
    return natural(node.children[head_place(node.label, node.children)])


def _natural_word(word: Penn) -> Category:
    if mark := punctuation(word):
        return atom(mark)
    if word.label.startswith("VB") or word.label in {"MD", "TO"}:
        return vp(tables().features[word.label])
    if word.label in {"JJ", "JJR", "JJS", "RB", "RBR", "RBS"}:
        return vp("adj")
    if word.label in {"CC", "UH"}:
        return atom("conj") if word.label == "CC" else s("intj")
    return PP if word.label in {"IN", "RP"} else NP


def feature(node: Penn) -> str:
    """The feature of a verb phrase: what its first verb is a form of."""
    known = tables().features
    return known.get(head_word(node).label, "dcl" if node.label == "S" else "adj")


def feature_after(verb: Penn, node: Penn) -> str:
    """The feature of a verb phrase after a verb, which may be an auxiliary."""
    found = auxiliary(verb)
    first = head_word(node).label
    if verb.label == "TO":
        return "b"
    return found.features.get(first, found.features["*"]) if found else feature(node)


def subject_place(node: Penn) -> int:
    """The place of the subject among the children of a clause; -1 where it has none."""
    head = head_place(node.label, node.children)
    tagged = [p for p, child in enumerate(node.children) if "SBJ" in child.tags]
    if tagged:
        return tagged[0]
    if node.label != "S" or node.children[head].label != "VP":
        return -1
    before = [p for p in range(head) if node.children[p].label in SUBJECTS]
    plain = [p for p in before if not node.children[p].tags & set(tables().tags["adjunct"])]
    nominal = [p for p in plain if node.children[p].label in NOMINAL_LABELS]
    if nominal:
        return nominal[-1]
    marks = [p for p in range(head) if punctuation(node.children[p])]
    clauses = [p for p in plain if _is_nominal_clause(node.children[p])]
    return clauses[-1] if clauses and not marks[-1:] > clauses[-1:] else -1


def _is_nominal_clause(node: Penn) -> bool:
    """Whether a clause without function tags can be a subject: `what she said`, `to sing`."""
    if node.label == "S":
        return feature(node) in {"ng", "to"}
    if node.label != "SBAR":
        return False
    word = complementiser(node)
    if word is None:
        return any(child.label in {"WHNP", "WHADVP"} for child in node.children)
    return word.lower() in {"that", "whether"}


def subject(node: Penn) -> Penn | None:
    """The subject of a clause, which may be a trace."""
    place = subject_place(node)
    return node.children[place] if place >= 0 else None


def _subjects(clause: Penn) -> list[Penn]:
    """The subject of a clause, or those of its conjuncts."""
    if is_coordination(clause):
        return [own for each in conjuncts(clause) for own in _subjects(each)]
    own = subject(clause)
    return [] if own is None else [own]


def extracted(filler: Penn, clause: Penn) -> tuple[Penn, ...]:
    """The traces of a filler inside a clause; none where a subject is one of them.

    The object of a passive counts as its subject (`studies to be conducted`): some trees have the
    trace there, and leave the place of the subject empty.
    """
    traces = tuple(n for n in clause.nodes() if n.trace == "*T*" and n.index == filler.index)
    own = _subjects(clause)
    if all(each.trace for each in own):
        own += [child for phrase in clause.nodes() for child in _passive_object(phrase)]
    gone = any(trace is each for each in own for trace in traces)
    return () if gone else traces


def _passive_object(phrase: Penn) -> list[Penn]:
    """What stands beside a participle where a phrase is an auxiliary and a passive."""
    verbs = [child for child in phrase.children if child.label == "VP" and not child.trace]
    if phrase.label != "VP" or len(verbs) != 1 or is_coordination(phrase):
        return []
    passive = feature_after(head_word(phrase), verbs[0]) == "pss"
    return [child for child in verbs[0].children if child.trace] if passive else []


def without_object(node: Penn) -> Category:
    r"""The category of a clause after an adjective (`easy to repeat`): `(S[to]\NP)/NP`."""
    own, fillers = natural(node), [c for c in node.children if c.label == "WHNP" and c.trace]
    inner = extracted(fillers[0], node) if fillers and own.is_functor else ()
    return forward(own, NP) if inner and inner[0].label in {"NP", "NML"} else own


def _natural_clause(node: Penn) -> Category:
    own = subject(node)
    head = node.children[head_place(node.label, node.children)]
    if node.label != "S":
        questioned = own is not None and own.trace and head.label == "VP"
        return vp(feature(head)) if questioned else s(CLAUSES[node.label])
    if head.label in {"S", "SINV", "SQ", "SBAR"} and own is None:
        return natural(head)
    mood = feature(head) if head.label == "VP" else "adj"
    if "IMP" in node.tags and mood == "dcl":
        mood = "b"  # imperatives with the tag of a finite verb
    if (own is None or own.trace) and head.label not in {"VP", "ADJP"}:
        return natural(head)
    return vp(mood) if own is None or own.trace else s(mood)


def complementiser(node: Penn) -> Penn | None:
    """The word that introduces a subordinate clause, not being a relative or question word."""
    for child in node.children:
        if child.is_leaf and child.label in {"IN", "DT", "WDT", "TO", "RB", "WRB"}:
            return child
        if child.label.startswith("WH"):
            return None
    return None


def _natural_subordinate(node: Penn) -> Category:
    word = complementiser(node)
    if any(child.label.startswith("WH") and child.trace != NULL for child in node.children):
        return s("qem")
    if word is None:
        return natural(node.children[head_place("S", node.children)])
    if word.lower() == "for":
        return s("for")
    if NO_QUESTION in node.tags:
        return s("em")
    return s(tables().complementisers.get(word.lower(), "em"))
