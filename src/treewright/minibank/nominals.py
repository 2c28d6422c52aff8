"""Noun phrases: determiners, adjectives, prepositional phrases, relative clauses, coordination."""

from abc import abstractmethod

from treewright.data.records import Leaf, Node, Tree, leaves
from treewright.minibank.draw import Draw, Nominal
from treewright.minibank.tables import Frame, Verb

PRONOUN_KINDS = {"person"}
PLAIN_KINDS = {"trait", "cutlery", "lens", "tool"}  # with the most common determiners only
DEGREE_SHARE, ADJECTIVE_SHARE, PLURAL_SHARE, POSSESSIVE_SHARE = 0.12, 0.24, 0.27, 0.14
LONG_SHARE, CONTROLS = 0.45, 4  # of relative clauses with two nouns before them


class Nominals(Draw):
    """Samples noun phrases. `room` is the number of remaining levels of recursion."""

    @abstractmethod
    def predicate(self, f: str, subject: Nominal, room: int) -> Tree:
        """A verb phrase with the feature `f`."""

    @abstractmethod
    def gapped(self, f: str, subject: Nominal, kind: str, *, bare: bool = False) -> Tree:
        """A verb phrase that lacks an object of a class."""

    @abstractmethod
    def transitives(self, kind: str, wanted: str, f: str = "") -> list[Verb]:
        """The verbs that take a subject and an object of these classes."""

    @abstractmethod
    def chain(self, subject: Nominal, controls: int) -> Tree:
        """A finite verb phrase without objects, below a number of verbs of control."""

    @abstractmethod
    def verb_phrase(self, f: str, inflection: str, subject: Nominal, room: int) -> Tree:
        """A verb phrase without auxiliaries."""

    @abstractmethod
    def passives(self, kind: str) -> list[tuple[Verb, Frame]]:
        """The verbs and frames whose first object can be of a class."""

    def noun_phrase(self, kinds: tuple[str, ...], room: int, *, subject: bool = False) -> Nominal:
        """A noun phrase of one of the classes."""
        kind = self.any(kinds)
        allowed = {
            "pronoun": kind in PRONOUN_KINDS,
            "name": bool(self.tables.list("names", kind)),
            "bare_plural": not self.rarely_plural(kind),
            "coordination": room > 0,
        }
        match self.option("noun_phrase", allowed):
            case "pronoun":
                return self.pronoun(kind, subject=subject)
            case "name":
                return self.name(kind)
            case "coordination":
                return self.coordination(kind, subject=subject)
            case how:
                return self.modified(self.common(kind, bare=how == "bare_plural"), room)

    def pronoun(self, kind: str, *, subject: bool) -> Nominal:
        rows = self.tables.list("pronouns", "rows")
        nominative, accusative, agreement = self.zipf(rows).split(":")
        word = nominative if subject else accusative
        return Nominal(self.leaf("pronoun", word, "PRP"), kind, agreement)

    def name(self, kind: str) -> Nominal:
        word = self.zipf(self.tables.list("names", kind))
        return Nominal(self.change(self.leaf("name", word, "NNP"), "NP"), kind, "3sg")

    def coordination(self, kind: str, *, subject: bool) -> Nominal:
        """Two noun phrases of one class."""
        named = bool(self.tables.list("names", kind)) and self.happens(0.4)
        first, second = (self.name(kind) if named else self.common(kind) for _ in range(2))
        if words(first.tree) == words(second.tree):
            return first
        conjunction = "and" if subject or self.happens(0.85) else "or"
        return Nominal(self.conjoin(first.tree, second.tree, conjunction), kind, "pl")

    def common(self, kind: str, *, bare: bool = False) -> Nominal:
        """A noun with its adjectives and, unless it is bare, its determiner."""
        word = self.zipf(self.tables.list("nouns", kind))
        bare = bare or kind == "topping"
        mass = word in self.tables.list("mass", "words")
        share = PLURAL_SHARE / (10 if self.rarely_plural(kind) else 1)
        plural = not mass and (bare or self.happens(share))
        noun = self.with_adjective(word, kind, plural=plural)
        agreement = "pl" if plural else "3sg"
        if bare:
            return Nominal(self.change(noun, "NP"), kind, agreement)
        number = "mass" if mass else "plural" if plural else "singular"
        owned = kind != "person" or word in self.tables.list("usage", "relational")
        determiner = self.determiner(number, noun, kind, owned=owned)
        return Nominal(self.join(determiner, noun), kind, agreement)

    def rarely_plural(self, kind: str) -> bool:
        return kind in self.tables.list("usage", "rarely_plural")

    def with_adjective(self, word: str, kind: str, *, plural: bool = False) -> Tree:
        form, pos = (self.tables.plural(word), "NNS") if plural else (word, "NN")
        noun: Tree = self.leaf("noun", form, pos)
        if self.happens(ADJECTIVE_SHARE):
            adjective = self.zipf(self.tables.list("adjectives", kind))
            modifier: Tree = self.leaf("adjective", adjective, "JJ")
            if self.happens(DEGREE_SHARE) and adjective not in {"last", "local"}:
                degree = self.leaf("degree", self.zipf(["very", "quite", "rather"]), "RB")
                modifier = self.join(degree, modifier)
            noun = self.join(modifier, noun)
        return noun

    def determiner(self, number: str, noun: Tree, kind: str, *, owned: bool) -> Leaf:
        following = words(noun)[0]
        if owned and self.happens(POSSESSIVE_SHARE):
            word = self.zipf(self.tables.list("determiners", "possessive"))
            return self.leaf("determiner", word, "PRP$")
        choice = self.tables.list("determiners", number)
        word = self.zipf(choice if kind not in PLAIN_KINDS else choice[:2])
        pos = "CD" if word in {"two", "three"} else "JJ" if word in {"many", "several"} else "DT"
        return self.leaf("determiner", self.article(word, following), pos)

    def modified(self, noun: Nominal, room: int) -> Nominal:
        """A noun phrase with optional modifiers after it."""
        allowed = dict.fromkeys(self.tables.weights["modifier"], room > 0) | {
            "none": True,
            "prepositional": room > 0 and bool(self.tables.list("noun_pp", noun.kind)),
            "relative_ambiguous": noun.kind == "person",
        }
        match self.option("modifier", allowed):
            case "none":
                return noun
            case "prepositional":
                modifier: Tree | None = self.noun_pp(noun.kind, room - 1)
            case "relative_ambiguous":
                return self.ambiguous(noun)
            case "participle":
                modifier = self.participle(noun, room - 2)
            case "relative_subject":
                modifier = self.relative_subject(noun, room - 2)
            case how:
                modifier = self.relative_object(noun, room - 2, bare=how == "relative_bare")
        tree = self.join(noun.tree, modifier) if modifier else noun.tree
        return Nominal(tree, noun.kind, noun.agreement)

    def ambiguous(self, noun: Nominal) -> Nominal:
        """`the friend of the girl who slept`: only the length of the clause disambiguates.

        A long clause attaches high and a short one low, as preferred by readers (Fodor 1998).
        """
        long = self.happens(LONG_SHARE)
        other = self.common("person")
        head = self.leaf("relative_subject", "who", "WP")
        clause = self.join(head, self.chain(noun, CONTROLS if long else 0))
        preposition = self.leaf("noun_preposition", self.any(["of", "with", "near"]), "IN")
        if long:
            tree = self.join_all(noun.tree, self.join(preposition, other.tree), clause)
        else:
            tree = self.join(noun.tree, self.join(preposition, self.join(other.tree, clause)))
        return Nominal(tree, noun.kind, noun.agreement)

    def noun_pp(self, kind: str, room: int) -> Tree:
        preposition, wanted = self.any(self.tables.list("noun_pp", kind)).split(":")
        return self.join(
            self.leaf("noun_preposition", preposition, "IN"),
            self.noun_phrase((wanted,), room).tree,
        )

    def participle(self, noun: Nominal, room: int) -> Node | None:
        """`written by Mary`, `waiting for Mary`: verb phrases that modify."""
        f = "ng" if noun.kind in {"person", "animal"} and self.happens(0.5) else "pss"
        if f == "pss" and not self.passives(noun.kind):
            return None
        return self.change(self.verb_phrase(f, f, noun, min(room, 0)), r"NP\NP")

    def relative_subject(self, noun: Nominal, room: int) -> Tree:
        word = self.relative_word(noun)
        return self.join(self.leaf("relative_subject", *word), self.predicate("dcl", noun, room))

    def relative_object(self, noun: Nominal, room: int, *, bare: bool) -> Tree | None:
        if not self.transitives("person", noun.kind):
            return None
        subject = self.noun_phrase(("person",), room - 1, subject=True)
        clause = self.join(self.raised(subject.tree), self.gapped("dcl", subject, noun.kind))
        if bare:
            return self.change(clause, r"NP\NP")
        return self.join(self.leaf("relative_object", *self.relative_word(noun)), clause)

    def relative_word(self, noun: Nominal) -> tuple[str, str]:
        if noun.kind == "person":
            return ("who", "WP") if self.happens(0.75) else ("that", "WDT")
        return ("that", "WDT") if self.happens(0.7) else ("which", "WDT")


def words(tree: Tree) -> list[str]:
    """The words of a constituent."""
    return [leaf.word for leaf in leaves(tree)]
