"""Verb phrases: auxiliaries, passives, copulas, adverbs, coordination, gaps."""

from treewright.data.records import Tree
from treewright.minibank.draw import Nominal
from treewright.minibank.nominals import words
from treewright.minibank.tables import Frame, Verb
from treewright.minibank.verbs import CLAUSAL, Verbs

ADJUNCT_SHARE, GAP_ADJUNCT_SHARE, AGENT_SHARE = 0.3, 0.14, 0.4
FEATURES = {"perfect": "pt", "progressive": "ng", "passive": "pss", "modal": "b"}
RAISED = r"(S[dcl]\NP)\((S[dcl]\NP)/NP)", r"((S[dcl]\NP)/NP)\(((S[dcl]\NP)/NP)/NP)"


class Predicates(Verbs):
    """Samples verb phrases for a given subject."""

    def predicate(self, f: str, subject: Nominal, room: int) -> Tree:
        """A verb phrase with the feature `f`, including auxiliaries."""
        if f == "to":
            return self.join(self.particle(), self.predicate("b", subject, room))
        active = bool(self.verbs(subject.kind, f, room))
        if f in {"ng", "pss"} or (f != "dcl" and active and self.happens(0.88)):
            return self.verb_phrase(f, f, subject, room)
        finite = active and f == "dcl"
        allowed = {
            **dict.fromkeys(["past", "present", "modal", "perfect"], finite),
            "negated": finite and bool(self.verbs(subject.kind, "b", room)),
            "progressive": finite and bool(self.verbs(subject.kind, "ng", room)),
            "passive": bool(self.passives(subject.kind)),
            "copula": f != "pt" or not self.passives(subject.kind),
        }
        return self.with_auxiliary(self.option("finite", allowed), f, subject, room)

    def with_auxiliary(self, how: str, f: str, subject: Nominal, room: int) -> Tree:
        """The verb phrase of an option of the table `finite`."""
        match how:
            case "past":
                return self.verb_phrase(f, "past", subject, room)
            case "present":
                return self.verb_phrase(f, subject.agreement, subject, room)
            case "copula":
                return self.copula(f, subject, room)
            case "negated":
                negation = self.leaf("adverb_after", "not", "RB")
                auxiliary = self.join(self.support(f, subject), negation)
                return self.join(auxiliary, self.verb_phrase("b", "b", subject, room))
        g = FEATURES[how]
        return self.join(self.auxiliary(g, f, subject), self.predicate(g, subject, room))

    def copula(self, f: str, subject: Nominal, room: int) -> Tree:
        """`be` with an adjective, an adjective and an infinitive, or a noun phrase."""
        be = self.auxiliary("adj", f, subject)
        if subject.kind == "person" and subject.agreement != "pl" and self.happens(0.35):
            noun = self.with_adjective(self.zipf(self.tables.list("nouns", "person")), "person")
            determiner = self.leaf("determiner", self.article("a", words(noun)[0]), "DT")
            be = self.leaf("copula", *self.auxiliary_form("adj", f, subject), f)
            return self.join(be, self.join(determiner, noun))
        if room > 0 and self.verbs(subject.kind, "b", 0) and self.happens(0.3):
            choice = (
                ["ready", "likely", "able", "eager"] if subject.kind == "person" else ["likely"]
            )
            adjective = self.leaf("predicate_to", self.zipf(choice), "JJ")
            rest = self.join(adjective, self.predicate("to", subject, room - 1))
            return self.join(be, rest)
        return self.join(be, self.adjective_phrase(subject))

    def verb_phrase(self, f: str, inflection: str, subject: Nominal, room: int) -> Tree:
        """A verb phrase without auxiliaries, with optional modifiers."""
        if f == "pss":
            return self.passive(subject, room)
        transitive = subject.kind == "person"
        deep = dict.fromkeys(["coordination", "subordinate", "heavy_shift"], room > 0)
        dcl = {"argument_cluster": f == "dcl" and transitive}
        allowed = {**deep, **dcl, "object_coordination": transitive}
        how = self.option("verb_phrase", allowed)
        if how in {"object_coordination", "heavy_shift", "argument_cluster"} and transitive:
            return self.shared(how, f, inflection, subject, room)
        verb, frame, tree = self.plain(f, inflection, subject, room - (how != "plain"))
        if how == "coordination":
            _, _, other = self.plain(f, inflection, subject, room - 2)
            return self.conjoin(tree, other, self.zipf(["and", "and", "or"]))
        manner = not self.lasts(verb) and frame.name not in CLAUSAL
        return (
            self.with_adverb(how, inflection, tree, room)
            if manner or how == "subordinate"
            else tree
        )

    def with_adverb(self, how: str, inflection: str, tree: Tree, room: int) -> Tree:
        """A verb phrase with an adverb or an adverbial clause."""
        match how:
            case "adverb_before":
                word = self.zipf(self.tables.list("adverbs", "before"))
                return self.join(self.leaf("adverb_before", word, "RB"), tree)
            case "adverb_after":
                return self.join(tree, self.adverb_after(inflection))
            case "subordinate":
                word = self.zipf(self.tables.list("adverbs", "subordinators"))
                head = self.leaf("subordinator_after", word, "IN")
                return self.join(tree, self.join(head, self.clause(room - 2)))
        return tree

    def plain(
        self, f: str, inflection: str, subject: Nominal, room: int
    ) -> tuple[Verb, Frame, Tree]:
        """A verb with its complements, perhaps an adjunct."""
        candidates = self.verbs(subject.kind, f, room) or self.verbs(subject.kind, "b", 1)
        verb, frames = self.zipf(candidates)
        frame = self.any(frames)
        head = self.verb_leaf(frame.name, *verb.form(inflection), f)
        complements = self.complements(frame, subject, room)
        tree = self.join_all(head, *complements)
        fond = verb.adjuncts and len(complements) < 2 and frame.name not in {*CLAUSAL, "adj"}
        if fond and self.happens(ADJUNCT_SHARE):
            tree = self.join(tree, self.adjunct(verb, room - 1))
        return verb, frame, tree

    def passive(self, subject: Nominal, room: int) -> Tree:
        """A passive verb phrase with the remaining complements, optionally with an agent."""
        verb, frame = self.zipf(self.passives(subject.kind))
        names = {"np": "intr", "np_np": "np", "np_to": "to", "np_pp": "pp"}
        rest = Frame(names[frame.name], frame.takes[1:])
        if rest.name == "to" and room <= 0:
            rest = Frame("intr", ())
        tree = self.join_all(
            self.verb_leaf(rest.name, *verb.form("pss"), "pss"),
            *self.complements(rest, subject, room),
        )
        if rest.name == "intr" and self.happens(AGENT_SHARE):
            agent = self.noun_phrase(("person",), room - 1).tree
            tree = self.join(tree, self.join(self.leaf("verb_preposition", "by", "IN"), agent))
        return tree

    def shared(self, how: str, f: str, inflection: str, subject: Nominal, room: int) -> Tree:
        """Verb phrases in which an object is shared, shifted or part of a cluster."""
        if how == "argument_cluster":
            return self.argument_cluster(f, inflection)
        kind = self.any(["object", "text", "food", "place"])
        verbs = [v for v in self.transitives(subject.kind, kind) if not self.lasts(v)]
        first = self.zipf(verbs)
        verb: Tree = self.verb_leaf("np", *first.form(inflection), f)
        if how == "heavy_shift":
            verb = self.join(verb, self.adverb_after(inflection))
            noun = self.common(kind)
            clause = self.relative_object(noun, room - 1, bare=False)
            return self.join(verb, self.join(noun.tree, clause) if clause else noun.tree)
        second = self.zipf([other for other in verbs if other is not first])
        other = self.verb_leaf("np", *second.form(inflection), f)
        return self.join(self.conjoin(verb, other), self.noun_phrase((kind,), room - 1).tree)

    def argument_cluster(self, f: str, inflection: str) -> Tree:
        """`gave Mary a book and Tom a pen`: conjuncts of two raised, composed objects."""
        verb = self.any([v for v in self.tables.verbs if v.forms[0] in {"give", "send", "show"}])
        kind = self.any(["object", "text"])
        head = self.verb_leaf("np_np", *verb.form(inflection), f)
        return self.join(head, self.conjoin(self.cluster(kind), self.cluster(kind)))

    def cluster(self, kind: str) -> Tree:
        person, thing = self.name("person").tree, self.common(kind).tree
        return self.join(self.change(person, RAISED[1]), self.change(thing, RAISED[0]))

    def chain(self, subject: Nominal, controls: int) -> Tree:
        """`slept`, `would want to sleep`, `would want to try to sleep`."""
        f = "b" if controls else "dcl"
        alone = self.zipf(_with_frame(self.verbs(subject.kind, f, 0), "intr"))
        tree: Tree = self.verb_leaf("intr", *alone.form("b" if controls else "past"), f)
        if not controls:
            return tree
        able = _with_frame(self.verbs(subject.kind, "b", 1), "to")
        for verb in self.random.sample(able, controls):
            head = self.verb_leaf("to", *verb.form("b"), "b")
            tree = self.join(head, self.join(self.particle(), tree))
        return self.join(self.auxiliary("b", "dcl", subject), tree)

    def gapped(self, f: str, subject: Nominal, kind: str, *, bare: bool = False) -> Tree:
        r"""A verb phrase that lacks an object of a class: `(S[f]\NP)/NP`; bare, no adjunct."""
        if f == "dcl" and self.happens(0.3):
            g = self.any(["b", "b", "pt"])
            rest = self.gapped_verb(g, g, subject, kind, bare=bare)
            return self.join(self.auxiliary(g, f, subject), rest)
        tense = "past" if self.happens(0.75) else subject.agreement
        return self.gapped_verb(f, tense if f == "dcl" else f, subject, kind, bare=bare)

    def gapped_verb(
        self, f: str, inflection: str, subject: Nominal, kind: str, *, bare: bool
    ) -> Tree:
        """A transitive verb without its object, perhaps below a verb of control."""
        control = _with_frame(self.verbs(subject.kind, f, 1), "to")
        if control and f not in {"ng", "b"} and self.happens(0.15):
            head = self.verb_leaf("to", *self.zipf(control).form(inflection), f)
            active = self.zipf(self.transitives(subject.kind, kind, "ng"))
            rest = self.join(self.particle(), self.verb_leaf("np", *active.form("b"), "b"))
            return self.join(head, rest)
        verb = self.zipf(self.transitives(subject.kind, kind, f))
        tree = self.verb_leaf("np", *verb.form(inflection), f)
        if not bare and not self.lasts(verb) and self.happens(GAP_ADJUNCT_SHARE):
            return self.join(tree, self.adverb_after(inflection))
        if not bare and verb.adjuncts and self.happens(GAP_ADJUNCT_SHARE):
            return self.join(tree, self.adjunct(verb, 0))
        return tree


def _with_frame(verbs: list[tuple[Verb, list[Frame]]], name: str) -> list[Verb]:
    return [verb for verb, frames in verbs if any(frame.name == name for frame in frames)]
