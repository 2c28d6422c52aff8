"""Relative clauses to the right of where they belong: extraposed ones, and those about sentences.

`met [a man *ICH*-1] [who sang]-1` gets the clause back, since nothing stands between it and its
noun. In `it rained, which helped`, the clause is about the sentence and is attached to it.
"""

from treewright.convert.arguments import preposition
from treewright.convert.natural import subject
from treewright.convert.penn import Penn
from treewright.convert.small_clauses import CLEFT
from treewright.convert.tables import punctuation, tables

MOVED, TRACE = "ICH", "*ICH*"
ARGUMENT = frozenset({"CLR"})
BETWEEN = frozenset({"ADVP", "PP"})  # what may stand between an adjective and its argument


def restore(root: Penn) -> None:
    """Move phrases back into those that they were moved from, where these end right before them."""
    for parent in list(root.nodes()):
        for child in parent.children[:0:-1]:
            if not child.index or child not in parent.children:
                continue
            place = parent.children.index(child)
            start, home = _origin(parent, place)
            if home is not None:
                home.children = [c for c in home.children if not _is_trace_of(c, child)]
                home.children += parent.children[start + 1 : place + 1]
                child.tags -= {MOVED}
                child.tags |= ARGUMENT if _is_argument_of(home, child) else set()
                del parent.children[start + 1 : place + 1]


def _is_argument_of(home: Penn, moved: Penn) -> bool:
    """Whether an adjective takes a phrase: `similar [in size] to it`."""
    usual = tables().prepositions["arguments"]
    return home.label == "ADJP" and moved.label == "PP" and preposition(moved) in usual


def _origin(parent: Penn, place: int) -> tuple[int, Penn | None]:
    """The place of what a phrase was moved from, and the phrase in it that has the trace.

    Adverbs between an adjective and its argument come along: `close [in time] to it`.
    """
    moved, start = parent.children[place], place - 1
    home = _home(parent.children[start], moved)
    while home is None and start > 0 and parent.children[start].label in BETWEEN:
        start -= 1
        home = _home(parent.children[start], moved)
    return start, home if start == place - 1 or (home and home.label == "ADJP") else None


def _home(before: Penn, moved: Penn) -> Penn | None:
    """The phrase that has the trace of another, at the end of what stands before that one."""
    for node in before.nodes():
        if any(_is_trace_of(child, moved) for child in node.children):
            inside, outside = list(node.words()), list(before.words())
            return node if inside and inside[-1] is outside[-1] else None
    return None


def _is_trace_of(trace: Penn, phrase: Penn) -> bool:
    return trace.trace == TRACE and trace.index == phrase.index and not phrase.trace


def raise_relatives(node: Penn) -> None:
    """Attach `, which ...` at the end of a verb phrase to its sentence, which it is about."""
    if node.label not in {"S", "VP"} or any(c.label == "CC" for c in node.children):
        return
    verbs = [p for p, c in enumerate(node.children) if c.label == "VP" and not c.trace]
    if len(verbs) != 1:
        return
    place = verbs[0]
    _raise(node.children, place)
    if node.label == "S" and _follows(node.children[place + 1 :]) and _has_subject(node):
        inner = Penn("S", children=node.children[: place + 1])
        node.children[: place + 1] = [inner]


def _raise(children: list[Penn], place: int) -> None:
    """Move `, which ...` from the end of a verb phrase behind it."""
    verb = children[place]
    solid = [c for c in children[place + 1 :] if not punctuation(c)]
    if solid or len(verb.children) < 3 or any(c.label == "CC" for c in verb.children):
        return
    if _follows(verb.children[-2:]):
        children[place + 1 : place + 1] = verb.children[-2:]
        del verb.children[-2:]


def _follows(children: list[Penn]) -> bool:
    """Whether a comma and a relative clause about a sentence come next."""
    return len(children) > 1 and is_about_sentence(children[0], children[1])


def is_about_sentence(before: Penn, clause: Penn) -> bool:
    """Whether a clause after something else is a comma's, with a bare `which`, and not moved."""
    if clause.label != "SBAR" or clause.tags & {MOVED, CLEFT} or not clause.children:
        return False
    pronoun = clause.children[0]
    bare = pronoun.label == "WHNP" and [w.lower() for w in pronoun.words()] == ["which"]
    return bare and punctuation(before) == ","


def _has_subject(node: Penn) -> bool:
    own = subject(node)
    return own is not None and not own.trace
