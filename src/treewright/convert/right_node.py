"""Right node raising: `activate *RNR* or repress *RNR* promoters` shares its last phrase.

The conjuncts with traces are put under one node and that and the shared phrase under another, which
has the tag RNR: `(VP-RNR (VP (VP activate *RNR*) (CC or) (VP repress *RNR*)) (NP promoters))`. What
is shared but only modifies (a prepositional phrase) needs no trace: it modifies the coordination.
"""

from treewright.convert.arguments import preposition
from treewright.convert.coordination import is_conjunction
from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation, tables

SHARED = "RNR"
TRACE = "*RNR*"
NOMINAL = frozenset({"NP", "NML", "NX"})
MODIFIERS = frozenset({"PP", "SBAR", "VP", "ADJP"})
ARGUMENTS = frozenset({"NP", "NML", "NX", "VP", "S", "NN"})


def raise_right_nodes(root: Penn) -> None:
    """Mark every shared phrase of a tree; traces of others are removed."""
    raised: dict[str, list[Penn]] = {}
    for node in root.nodes():
        if node.trace == TRACE:
            raised.setdefault(node.index, []).append(node)
    _join_modifiers(root, raised)
    for index, traces in raised.items():
        parent, place = _hoisted(root, index, traces)
        if parent is None or not index or not _share(parent, place, traces):
            _remove(root, traces)


def _join_modifiers(root: Penn, raised: dict[str, list[Penn]]) -> None:
    """Put a shared modifier into the shared noun phrase before it: `[a cause] [of death]`."""
    for node in root.nodes():
        for place in range(len(node.children) - 1, 0, -1):
            noun, after = node.children[place - 1 : place + 1]
            if noun.trace or after.trace or not {noun.index, after.index} <= raised.keys():
                continue
            if noun.label in NOMINAL and after.label in MODIFIERS and _is_in_noun(root, after):
                inner = Penn(noun.label, noun.tags, children=noun.children)
                joined = Penn(noun.label, index=noun.index, children=[inner, after])
                node.children[place - 1 : place + 1] = [joined]
                _remove(root, raised.pop(after.index))


def _is_in_noun(root: Penn, shared: Penn) -> bool:
    """Whether a shared phrase modifies nouns: whether its traces stand in noun phrases."""
    holders = [n for n in root.nodes() for c in n.children if c.trace and c.index == shared.index]
    return all(holder.label in NOMINAL for holder in holders)


def _antecedent(root: Penn, index: str) -> tuple[Penn | None, int]:
    for node in root.nodes():
        for place, child in enumerate(node.children):
            if child.index == index and not child.trace:
                return node, place
    return None, -1


def _hoisted(root: Penn, index: str, traces: list[Penn]) -> tuple[Penn | None, int]:
    """The place of a shared phrase, moved out of the last conjunct where it stands in that one."""
    parent, place = _antecedent(root, index)
    if parent is not None and (above := _coordination_of(root, parent.children[place], traces)):
        return above, _leave_trace(parent, place, above, traces)
    if parent is None or place != len(parent.children) - 1:
        return parent, place
    inside = sum(parent.holds(trace) for trace in traces)
    above = next((n for n in root.nodes() if any(c is parent for c in n.children)), None)
    if above is None or not 0 < inside < len(traces) or above.children[-1] is not parent:
        return parent, place
    if any(c.trace == TRACE and c.index == index for c in parent.children):
        return parent, place  # beside its own trace: binds *RNR* [to sequences]
    above.children.append(parent.children.pop())
    return above, len(above.children) - 1


def _coordination_of(root: Penn, shared: Penn, traces: list[Penn]) -> Penn | None:
    """The coordination whose last conjunct a shared phrase ends: `met and spoke to [the man]`."""
    holders = [n for n in root.nodes() if n.holds(shared) and all(n.holds(t) for t in traces)]
    above = holders[-1]
    last = above.children[-1]
    if shared.label not in ARGUMENTS or above.children[-2:-1] == [] or last is shared:
        return None
    if above.children[-2].label not in {"CC", "CONJP"} or any(last.holds(t) for t in traces):
        return None
    return above if list(last.words())[-1:] == list(shared.words())[-1:] else None


def _leave_trace(parent: Penn, place: int, above: Penn, traces: list[Penn]) -> int:
    """Move a shared phrase to the end of a coordination; a trace stays. Returns its place."""
    shared = parent.children[place]
    traces.append(Penn(shared.label, index=shared.index, trace=TRACE))
    parent.children[place] = traces[-1]
    above.children.append(shared)
    return len(above.children) - 1


def _share(parent: Penn, place: int, traces: list[Penn]) -> bool:
    """Group conjuncts and what they share; False where the tree does not have them side by side."""
    shared = parent.children[place]
    if not _is_shareable(shared, parent, traces) or place == 0:
        return False
    holders = [p for p, c in enumerate(parent.children) if any(c.holds(t) for t in traces)]
    if not holders or holders[-1] >= place:
        return False
    covered = sum(any(parent.children[p].holds(t) for p in holders) for t in traces)
    if covered < len(traces):
        return False
    first = holders[0]
    conjuncts = parent.children[first:place]
    made = conjuncts[0]
    if len(conjuncts) > 1:
        bare = all(punctuation(c) or any(c.holds(trace) for trace in traces) for c in conjuncts)
        tags = frozenset({"&"} if bare and len(conjuncts) > 2 else ())
        made = Penn(parent.children[first].label, tags, children=conjuncts)
    pair = [made, shared]
    determiner = _common_determiner(made)
    if determiner is not None:
        pair = [determiner, Penn(made.label, frozenset({SHARED}), children=pair)]
        parent.children[first : place + 1] = pair
        return True
    if first == 0 and place == len(parent.children) - 1:
        parent.children, parent.tags = pair, parent.tags - {"COOD"} | {SHARED}
    else:
        joins = any(is_conjunction(c) for c in conjuncts)
        label = made.label if joins else parent.label
        joined = Penn(label, frozenset({SHARED}), children=pair)
        parent.children[first : place + 1] = [joined]
    return True


def _is_shareable(shared: Penn, parent: Penn, traces: list[Penn]) -> bool:
    """Whether a phrase is an argument of what shares it; of adjectives, `for` and the like."""
    if shared.label == "PP" and parent.label == "ADJP":
        return preposition(shared) in tables().prepositions["arguments"]
    return shared.label in ARGUMENTS and traces[0].label in ARGUMENTS


def _common_determiner(conjuncts: Penn) -> Penn | None:
    """Take a determiner out of the first conjunct if no other has one: `the old or new genes`."""
    phrases = [c for c in conjuncts.children if c.children]
    if len(phrases) < 2 or any(p.label not in {"NP", "NML"} for p in phrases):
        return None
    first = phrases[0]
    others = [w.label for p in phrases[1:] for w in p.words()]
    if first.children[0].label not in {"DT", "PRP$"} or {"DT", "PRP$"} & set(others):
        return None
    return first.children.pop(0) if len(first.children) > 2 else None


def _remove(root: Penn, traces: list[Penn]) -> None:
    for node in root.nodes():
        node.children = [c for c in node.children if not any(c is t for t in traces)]
