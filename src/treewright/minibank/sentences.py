"""Sentences: clauses, questions, coordination, and the sampler."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from treewright.data.records import Derivation, Leaf, Node, Tree, fold, leaves
from treewright.grammar.annotate import annotate
from treewright.grammar.defaults import default_unary
from treewright.grammar.heads import node_schema
from treewright.grammar.markup import Marked, read_entry
from treewright.minibank.draw import Nominal
from treewright.minibank.predicates import Predicates
from treewright.minibank.tables import load

SUBJECTS = ("person",) * 14 + ("animal", "org", "object", "event", "text", "place", "idea")
ROOM = [0, 1, 1, 2, 2, 2, 3, 3, 4]  # depth of recursion, sampled for each sentence
MAX_WORDS = 32
SHORT, SHORT_SHARE = 5, 0.3  # only a fraction of the sentences of up to SHORT words is kept


class Sampler(Predicates):
    """Samples whole sentences."""

    def clause(self, room: int) -> Tree:
        subject = self.noun_phrase((self.any(SUBJECTS),), room - 1, subject=True)
        return self.join(subject.tree, self.predicate("dcl", subject, room))

    def sentence(self) -> Tree:
        """A sentence with its full stop or question mark."""
        room = self.any(ROOM)
        how = self.option("sentence", {})
        tree: Tree = getattr(self, f"_{how}")(room)
        mark = "?" if how.endswith("question") else "."
        return capitalised(self.join(tree, self.leaf("stop", mark, ".")))

    def _declarative(self, room: int) -> Tree:
        return self.clause(room)

    def _subordinate_first(self, room: int) -> Tree:
        word = self.zipf(self.tables.list("adverbs", "subordinators"))
        first = self.join(self.leaf("subordinator_before", word, "IN"), self.clause(room - 2))
        return self._with_comma(first, self.clause(room - 1))

    def _sentence_adverb(self, room: int) -> Tree:
        word = self.zipf(self.tables.list("adverbs", "sentence"))
        adverb = self.leaf("sentence_adverb", word, "RB")
        return self._with_comma(adverb, self.clause(room))

    def _sentence_preposition(self, room: int) -> Tree:
        preposition, kind = self.any([("in", "place"), ("at", "event"), ("after", "event")])
        noun = self.noun_phrase((kind,), 0).tree
        first = self.join(self.leaf("sentence_preposition", preposition, "IN"), noun)
        return self._with_comma(first, self.clause(room))

    def _with_comma(self, first: Tree, clause: Tree) -> Tree:
        return self.join(self.join(first, self.leaf("comma", ",", ",")), clause)

    def _coordination(self, room: int) -> Tree:
        left, right = self.clause(room - 1), self.clause(room - 1)
        return self.conjoin(left, right, self.zipf(["and", "but", "or"]), comma=self.happens(0.6))

    def _right_node_raising(self, room: int) -> Tree:
        """Two clauses that lack the same object, which follows them."""
        kind = self.any(["object", "text", "person", "place", "food"])
        left, right = self._half(kind), self._half(kind)
        both = self.conjoin(left, right, self.zipf(["and", "but"]), comma=self.happens(0.3))
        return self.join(both, self.modified(self.common(kind), room - 1).tree)

    def _half(self, kind: str) -> Tree:
        """A clause that lacks its object."""
        subject = self.noun_phrase(("person",), 0, subject=True)
        return self.join(self.raised(subject.tree), self.gapped("dcl", subject, kind, bare=True))

    def _expletive(self, room: int) -> Tree:
        word = self.any([("seems", "VBZ"), ("seemed", "VBD"), ("appears", "VBZ")])
        it = self.leaf("expletive", "it", "PRP")
        return self.join(it, self.join(self.leaf("expletive_verb", *word, "dcl"), self._that(room)))

    def _that(self, room: int) -> Tree:
        return self.join(self.leaf("that", "that", "IN"), self.clause(room - 1))

    def _yes_no_question(self, room: int) -> Tree:
        return self._inverted(room, self.any(["b", "b", "b", "ng", "pt", "pss", "adj"]))

    def _inverted(self, room: int, g: str) -> Tree:
        """A question whose verb phrase, after auxiliary and subject, has the feature `g`."""
        subject = self.noun_phrase((self.any(SUBJECTS[:16]),), room - 1, subject=True)
        if g != "adj" and not self.verbs(subject.kind, g, room):
            g = "adj"
        inverted = self.join(self._question_auxiliary(g, subject), subject.tree)
        return self.join(inverted, self._after_inversion(g, subject, room))

    def _after_inversion(self, g: str, subject: Nominal, room: int) -> Tree:
        if g == "adj":
            return self.adjective_phrase(subject)
        return self.verb_phrase(g, g, subject, room)

    def _question_auxiliary(self, g: str, subject: Nominal) -> Leaf:
        if g == "b":
            return self.support("q", subject, entry="question_auxiliary")
        return self.auxiliary(g, "q", subject, entry="question_auxiliary")

    def _object_question(self, room: int) -> Tree:
        kind = self.any(["object", "text", "food", "person", "place"])
        subject = self.noun_phrase(("person",), room - 1, subject=True)
        g = self.any(["b", "b", "b", "ng", "pt"])
        inverted = self.join(self._question_auxiliary(g, subject), subject.tree)
        clause = self.join(inverted, self.gapped(g, subject, kind))
        return self.join(self._questioned(kind, "object"), clause)

    def _subject_question(self, room: int) -> Tree:
        kind = self.any(["person", "person", "person", "object", "text"])
        asked = self._questioned(kind, "subject")
        subject = Nominal(asked, kind, "3sg")
        return self.join(asked, self.predicate("dcl", subject, room))

    def _questioned(self, kind: str, role: str) -> Tree:
        """`who`, `what`, or `which` with a noun."""
        if self.happens(0.35):
            noun = self.with_adjective(
                self.zipf(self.tables.list("nouns", kind)), kind, plural=False
            )
            return self.join(self.leaf(f"which_{role}", "which", "WDT"), noun)
        return self.leaf(f"wh_{role}", "who" if kind == "person" else "what", "WP")

    def _adverb_question(self, room: int) -> Tree:
        word = self.zipf(["when", "why", "where", "how"])
        return self.join(
            self.leaf("wh_adverb", word, "WRB"),
            self._inverted(room, self.any(["b", "b", "ng", "pt"])),
        )


def sample(
    count: int, seed: int, prefix: str = "mini", *, hard: bool = False
) -> Iterator[Derivation]:
    """Distinct sentences as annotated derivations, determined by the seed."""
    sampler = Sampler(load(hard=hard), Random(seed))
    seen: set[tuple[str, ...]] = set()
    for number in range(1, count + 1):
        tree = _next(sampler, seen)
        yield finished(Derivation(f"{prefix}.{number}", tree))


def _next(sampler: Sampler, seen: set[tuple[str, ...]]) -> Tree:
    """A new sentence of suitable length."""
    while True:
        tree = sampler.sentence()
        words = Derivation("", tree).sentence.words
        short = len(words) <= SHORT and not sampler.happens(SHORT_SHARE)
        if len(words) <= MAX_WORDS and not short and words not in seen and not repeats(tree):
            seen.add(words)
            return tree


def repeats(tree: Tree) -> bool:
    """Whether a sentence has a noun twice, or the same word twice in a row."""
    words = [leaf.word.lower() for leaf in leaves(tree)]
    nouns = [leaf.word.lower() for leaf in leaves(tree) if leaf.pos.startswith("NN")]
    return len(set(nouns)) < len(nouns) or any(one == two for one, two in pairwise(words))


def finished(derivation: Derivation) -> Derivation:
    """The derivation with head indices in its leaves and the head child of each node."""
    entries = [read_entry(leaf.markup) for leaf in derivation.leaves]

    def combine(node: Node, children: list[tuple[Marked, Tree]]) -> tuple[Marked, Tree]:
        marks = [marked for marked, _ in children]
        how, rule = node_schema(derivation, node, marks, default_unary)
        trees = tuple(tree for _, tree in children)
        return how.result, Node(node.category, trees, 0 if rule else how.head)

    _, root = fold(derivation.root, lambda i, leaf: (entries[i].marked, leaf), combine)
    return annotate(replace(derivation, root=root), entries, default_unary)


def capitalised(root: Tree) -> Tree:
    """The tree with a capital at the beginning of its first word."""
    if isinstance(root, Leaf):
        return replace(root, word=root.word[0].upper() + root.word[1:])
    first, *others = root.children
    return replace(root, children=(capitalised(first), *others))
