"""Learning which verbs take which prepositions, by counting a treebank's verb phrases.

A verb and a preposition go together as far as `p(preposition | verb) / p(preposition)` says, the
former smoothed towards the latter. Prepositions that mostly introduce arguments are listed with the
verbs that they go with least; the others with those that they go with most.
"""

from collections import Counter
from collections.abc import Iterable

from treewright.convert.arguments import Arguments, preposition, verb_key
from treewright.convert.penn import Penn, read_penn
from treewright.convert.tables import head_place, tables
from treewright.data.brackets import Bracketed

PRIOR = 5.0  # how many verb phrases the average verb counts for
LEAST_LIFT, LEAST_SHARE, LEAST_COUNT = 6.0, 0.05, 3
MOST_LIFT, ENOUGH = 0.5, 20
LEAST_ADJECTIVE_SHARE = 0.2

Pair = tuple[str, str]


class _Counts:
    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.pairs: Counter[Pair] = Counter()

    def add(self, word: str, children: list[Penn]) -> None:
        self.words[word] += 1
        prepositions = {preposition(c) for c in children if c.label == "PP" and not c.trace}
        self.pairs.update((word, each) for each in prepositions if each)


def learn(trees: Iterable[Bracketed]) -> Arguments:
    """The lists of words by preposition that trees show."""
    verbs, adjectives = _Counts(), _Counts()
    for tree in trees:
        root = read_penn(tree)
        for node in root.nodes() if root else ():
            if node.label in {"VP", "ADJP"} and node.children:
                head = node.children[head_place(node.label, node.children)]
                if node.label == "VP" and head.is_leaf and head.label.startswith("VB"):
                    verbs.add(verb_key(head), node.children)
                elif node.label == "ADJP" and head.is_leaf:
                    adjectives.add(head.lower(), node.children)
    with_, without = _verbs(verbs)
    return Arguments(with_, without, _adjectives(adjectives))


def _verbs(counts: _Counts) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    total = counts.words.total()
    usual, never = (set(tables().prepositions[name]) for name in ("arguments", "modifiers"))
    base: Counter[str] = Counter()
    for (_, word), count in counts.pairs.items():
        base[word] += count
    pairs: list[tuple[str, str]] = []
    missing: list[tuple[str, str]] = []
    for (verb, word), count in sorted(counts.pairs.items()):
        share = (count + PRIOR * base[word] / total) / (counts.words[verb] + PRIOR)
        lift = share * total / base[word]
        if word not in usual | never and count >= LEAST_COUNT:
            if lift >= LEAST_LIFT and share >= LEAST_SHARE:
                pairs.append((word, verb))
        elif word in usual and lift < MOST_LIFT and counts.words[verb] >= ENOUGH:
            missing.append((word, verb))
    return _lists(pairs), _lists(missing)


def _adjectives(counts: _Counts) -> dict[str, tuple[str, ...]]:
    never = {*tables().prepositions["modifiers"], *tables().prepositions["places"]}
    pairs = [
        (word, adjective)
        for (adjective, word), count in sorted(counts.pairs.items())
        if word not in never and count >= LEAST_COUNT
        if count / counts.words[adjective] >= LEAST_ADJECTIVE_SHARE
    ]
    return _lists(pairs)


def _lists(pairs: Iterable[Pair]) -> dict[str, tuple[str, ...]]:
    lists: dict[str, list[str]] = {}
    for word, verb in sorted(pairs):
        lists.setdefault(word, []).append(verb)
    return {word: tuple(verbs) for word, verbs in lists.items()}


def format_arguments(arguments: Arguments) -> str:
    """The lists as TOML."""
    lines = ["# Which words take which prepositions; made by `treewright convert arguments`."]
    for name in ("verbs_with", "verbs_without", "adjectives_with"):
        lines += ["", f"[{name}]"]
        for word, verbs in getattr(arguments, name).items():
            lines.append(f'"{word}" = [{", ".join(_quoted(verb) for verb in verbs)}]')
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
