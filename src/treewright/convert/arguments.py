"""Which prepositional phrases and clauses are arguments of a word, and which modify it.

Treebanks mark few arguments (CLR, PRD, DTV), so the words decide about the rest. Prepositions such
as `to`, `with` and `of` nearly always introduce an argument when they follow a verb, unless they
are rare after this one. Others (`in`, `on`, `at`) do so only after verbs that are found with them
far more often than verbs are in general. The lists of verbs are learnt by counting: see `learn`.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path

from treewright import config
from treewright.convert.natural import complementiser
from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation, tables

SUFFIXES = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
LEAST_STEM = 3


@dataclass(frozen=True)
class Arguments:
    """Lists of words by preposition; what `arguments.toml` holds.

    `verbs_with` take the preposition though others do not, `verbs_without` do not though others do;
    participles are listed apart, with a mark (`found+`).
    """

    verbs_with: dict[str, tuple[str, ...]] = field(default_factory=dict)
    verbs_without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    adjectives_with: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def takes(self, node: Penn, head: Penn, child: Penn) -> bool:
        """Whether a word takes a prepositional phrase, or an adverb, as an argument."""
        if child.label != "PP" or not head.is_leaf:
            return False
        if any("PRD" in part.tags for part in child.children):
            return False
        word = preposition(child)
        usual = word in tables().prepositions["arguments"]
        if node.label == "ADVP":
            return usual and is_next(node, head, child)
        if node.label == "ADJP" or head.label in {"JJ", "JJR"}:
            listed = head.lower() in self.adjectives_with.get(word, ())
            return is_next(node, head, child) and (usual or listed)
        if node.label != "VP" or not is_next(node, head, child):
            passive = f"{stem(head.lower())}+"
            return _follows_object(node, head, child) and passive in self.verbs_with.get(word, ())
        lists = self.verbs_without if usual else self.verbs_with
        return usual != (verb_key(head) in lists.get(word, ()))

    def takes_clause(self, node: Penn, head: Penn, child: Penn) -> bool:
        """Whether a word takes a clause as an argument."""
        if child.label == "SBAR":
            word = complementiser(child)
            if word is None:
                return _is_question(node, head, child) or not _is_relative(node, child)
            return word.lower() in tables().complementisers
        return True


def _is_question(node: Penn, head: Penn, clause: Penn) -> bool:
    """Whether a clause with `when` or `where` is what a verb asks or tells: `knows where it is`."""
    first = clause.children[0]
    listed = stem(head.lower()) in _asking_verbs()
    asks = listed and first.label == "WHADVP" and not first.trace
    return asks and node.label == "VP" and is_next(node, head, clause)


@lru_cache(maxsize=1)
def _asking_verbs() -> frozenset[str]:
    return frozenset(map(stem, tables().verbs["questions"]))


def _is_relative(node: Penn, clause: Penn) -> bool:
    """Whether a clause with a question word modifies: `when ...`, or `, which ...`."""
    first = next((c for c in clause.children if c.label.startswith("WH")), clause.children[0])
    place = next((p for p, c in enumerate(node.children) if c is clause), 0)
    after_mark = place > 0 and bool(punctuation(node.children[place - 1]))
    relative = [word.lower() for word in first.words()] == ["which"]
    if first.label == "WHADVP":
        return first.trace != "" or next(first.words()).lower() not in tables().complementisers
    return relative and after_mark


def is_next(node: Penn, head: Penn, child: Penn) -> bool:
    """Whether nothing but adverbs and marks stands between a head and a phrase."""
    places = [p for p, c in enumerate(node.children) if c is child or c.holds(head)]
    if len(places) < 2:
        return False
    between = node.children[places[0] + 1 : places[-1]]
    solid = [c for c in between if not (punctuation(c) or c.trace or c.label in {"ADVP", "RB"})]
    return not solid


def _follows_object(node: Penn, head: Penn, child: Penn) -> bool:
    """Whether a phrase follows the object of a verb: what its passive takes, it takes too."""
    places = [p for p, c in enumerate(node.children) if c is child or c.holds(head)]
    between = node.children[places[0] + 1 : places[-1]] if len(places) > 1 else []
    return [c.label for c in between] == ["NP"] and not between[0].trace


def preposition(node: Penn) -> str:
    """The preposition of a phrase, or of the first of coordinated ones."""
    first = " ".join(word.lower() for word in islice(node.words(), 2))
    if first in tables().prepositions["complex"]:
        return first
    words = (w for w in node.words() if w.label in {"IN", "TO", "VBG", "VBN"})
    return next((w.lower() for w in words), "")


def verb_key(verb: Penn) -> str:
    """What verbs are listed by: the stem, with `+` for a participle."""
    return stem(verb.lower()) + "+" * (verb.label == "VBN")


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A verb without its ending, near enough to bring its forms together."""
    for suffix, instead in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= LEAST_STEM:
            word = word.removesuffix(suffix) + instead
            break
    if len(word) > LEAST_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word.rstrip("e")


@lru_cache(maxsize=1)
def known_arguments() -> Arguments:
    """The lists of the package, learnt from CRAFT and GENIA."""
    with as_file(files(__package__) / "arguments.toml") as path:
        return read_arguments(path)


def read_arguments(path: Path) -> Arguments:
    """The lists of a file."""
    return config.load(Arguments, path)
