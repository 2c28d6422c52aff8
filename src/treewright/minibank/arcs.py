"""Conversion of CCG derivations to dependency trees in the style of Universal Dependencies.

Each slot of a word tells how the word and its argument are linked: the argument can depend on the
word (`DOWN`), the word on the argument (`UP`), or the word is a function word (`FUNCTION`) that
depends on the argument, which replaces it in all other links. The links of a sentence are
candidates; a word takes the first one that does not create a cycle, so a noun that fills the gap of
its own relative clause is attached where the whole noun phrase is.
"""

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum, auto

from treewright.data.records import Derivation, Leaf, Node, fold
from treewright.errors import GrammarError
from treewright.grammar.indices import dependencies_of
from treewright.minibank.links import Link, links_of

Arc = tuple[int, str]  # the head, from 1, or 0 for the root; and the relation
PUNCTUATION = {",", "."}


class Rank(Enum):
    """The reasons for a candidate link, strongest first."""

    CONJUNCT = auto()
    FUNCTION = auto()
    UP = auto()
    CHANGED = auto()
    DOWN = auto()


@dataclass(frozen=True, slots=True)
class HeadedSpan:
    """A constituent: its first word, its end, and its head word."""

    first: int
    end: int
    head: int


def arcs_of(derivation: Derivation) -> list[Arc]:
    """The head and the relation of each word."""
    return _Arcs(derivation).solve()


class _Arcs:
    """The candidate links of a sentence."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.leaves = derivation.leaves
        self.fillers: dict[int, dict[int, list[int]]] = {}
        for row in dependencies_of(derivation):
            slots = self.fillers.setdefault(row.functor, {})
            slots.setdefault(row.slot, []).append(row.argument)
        self.links = [links_of(leaf) for leaf in self.leaves]
        self.claims: defaultdict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
        self.conjuncts: list[HeadedSpan] = []

    def solve(self) -> list[Arc]:
        whole = fold(self.derivation.root, lambda i, _: HeadedSpan(i, i + 1, i), self._combine)
        root = self.stand_in(whole.head)
        for word, links in enumerate(self.links):
            for slot, (link, relation) in links.items():
                fillers = self.fillers.get(word, {}).get(slot, [])
                for filler in fillers if link is Link.DOWN else fillers[:1]:
                    self._claim_slot(word, filler, link, relation)
        heads: dict[int, Arc] = {root: (0, "root")}
        words = [word for word in range(len(self.leaves)) if word != root]
        for word in sorted(words, key=lambda w: len(self.claims[w])):
            heads[word] = self._choose(word, heads)
        for conjunct in self.conjuncts:
            self._keep_inside(conjunct, heads)
        return [heads[word] for word in range(len(self.leaves))]

    def stand_in(self, word: int) -> int:
        """The content word that replaces a function word; other words are not replaced."""
        for slot, (link, _) in self.links[word].items():
            if link is Link.FUNCTION and (fillers := self.fillers.get(word, {}).get(slot)):
                return self.stand_in(fillers[0])
        return word

    def _claim(self, word: int, head: int, relation: str, rank: Rank) -> None:
        if word != head:
            self.claims[word].append((rank.value, self._is_conjunct(head), head, relation))

    def _is_conjunct(self, word: int) -> bool:
        return any(conjunct.head == word for conjunct in self.conjuncts)

    def _claim_slot(self, word: int, filler: int, link: Link, relation: str) -> None:
        here, there = self.stand_in(word), self.stand_in(filler)
        match link:
            case Link.FUNCTION:
                self._claim(word, there, relation, Rank.FUNCTION)
            case Link.UP:
                relation = _of_modifier(relation, self.leaves[there])
                self._claim(here, there, relation, Rank.UP)
            case Link.DOWN:
                passive = relation == "nsubj" and "S[pss]" in self.leaves[here].category
                self._claim(there, here, "nsubj:pass" if passive else relation, Rank.DOWN)

    def _combine(self, node: Node, spans: list[HeadedSpan]) -> HeadedSpan:
        whole = HeadedSpan(spans[0].first, spans[-1].end, spans[node.head].head)
        if len(spans) == 2:
            self._claim_pair(node, *spans)
        return whole

    def _claim_pair(self, node: Node, left: HeadedSpan, right: HeadedSpan) -> None:
        """Links that come from no slot: of conjuncts, punctuation and type-changed clauses."""
        one, two = self.stand_in(left.head), self.stand_in(right.head)
        first, second = node.children
        if second.category.endswith("[conj]"):
            self.conjuncts.append(HeadedSpan(right.first, right.end, two))
            self._claim(two, one, "conj", Rank.CONJUNCT)
        elif first.category == "conj":
            self._claim(left.head, two, "cc", Rank.FUNCTION)
        elif second.category in PUNCTUATION:
            self._claim(right.head, one, "punct", Rank.FUNCTION)
        elif isinstance(second, Node) and _is_changed(second):
            relative = second.children[0].category.startswith("S[dcl]")
            self._claim(two, one, "acl:relcl" if relative else "acl", Rank.CHANGED)

    def _choose(self, word: int, heads: dict[int, Arc]) -> Arc:
        for _, _, head, relation in sorted(self.claims[word]):
            if not self._is_above(word, head, heads):
                return head + 1, relation
        where = f"sentence {self.derivation.id}"
        raise GrammarError(f"{where}: nothing links {self.leaves[word].word!r} to another word")

    def _is_above(self, word: int, below: int, heads: dict[int, Arc]) -> bool:
        """Whether a word is the other one, or its ancestor by the arcs chosen so far."""
        while below != word:
            above, _ = heads.get(below) or self._only(below)
            if above == 0:
                return False
            below = above - 1
        return True

    def _only(self, word: int) -> Arc:
        """The head of a word with a single candidate; otherwise nothing is known."""
        claims = {claim[2:] for claim in self.claims[word]}
        return (next(iter(claims))[0] + 1, "") if len(claims) == 1 else (0, "")

    def _keep_inside(self, conjunct: HeadedSpan, heads: dict[int, Arc]) -> None:
        """A word of a conjunct that depends on one outside is an orphan of the conjunct's head."""
        for word in range(conjunct.first, conjunct.end):
            outside = not conjunct.first < heads[word][0] <= conjunct.end
            if outside and word != conjunct.head and self.leaves[word].pos != "CC":
                heads[word] = conjunct.head + 1, "orphan"


def _is_changed(node: Node) -> bool:
    return len(node.children) == 1 and node.category == r"NP\NP"


def _of_modifier(relation: str, modified: Leaf) -> str:
    """A prepositional phrase is `nmod` of a noun, `obl` of anything else."""
    nominal = modified.pos.startswith(("NN", "PRP"))
    return {"case": "nmod" if nominal else "obl"}.get(relation, relation)
