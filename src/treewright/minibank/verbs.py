"""Verbs and their context: selection of subjects, complements, adjuncts, auxiliaries."""

from abc import abstractmethod

from treewright.data.records import Leaf, Tree
from treewright.minibank.draw import Nominal
from treewright.minibank.nominals import Nominals
from treewright.minibank.tables import Frame, Verb

BE = {"1sg": ("am", "was"), "3sg": ("is", "was"), "pl": ("are", "were")}
NONFINITE = {
    "be": {"b": ("be", "VB"), "pt": ("been", "VBN"), "ng": ("being", "VBG")},
    "have": {"b": ("have", "VB"), "ng": ("having", "VBG")},
}
MODALS = ["will", "can", "would", "could", "should", "must", "may"]
CLAUSAL = {"em", "dcl", "qem", "np_em", "to", "to_raise", "ng", "np_to", "np_to_s", "np_b"}
CLUMSY = {"b": {"to_raise", "adj"}, "ng": {"ng"}}  # "to seem to seem", "starting waiting"


class Verbs(Nominals):
    """Samples verbs with their complements."""

    @abstractmethod
    def clause(self, room: int) -> Tree:
        """A declarative clause."""

    def verbs(self, kind: str, f: str, room: int) -> list[tuple[Verb, list[Frame]]]:
        """The verbs that take a subject of a class, with the frames that fit the depth limit."""
        verbs = []
        for verb in self.tables.verbs:
            frames = [x for x in verb.frames if room > 0 or x.name not in CLAUSAL]
            frames = [x for x in frames if x.name not in CLUMSY.get(f, ())]
            if kind in verb.subjects and frames and not (f == "ng" and self.lasts(verb)):
                verbs.append((verb, frames))
        return verbs

    def lasts(self, verb: Verb) -> bool:
        """Whether a verb is stative: it has no progressive and no manner adverbs."""
        return verb.forms[0] in self.tables.list("usage", "lasting")

    def transitives(self, kind: str, wanted: str, f: str = "") -> list[Verb]:
        """The verbs that take a subject and an object of these classes."""
        verbs = [verb for verb in self.tables.verbs if kind in verb.subjects]
        if f == "ng":
            verbs = [verb for verb in verbs if not self.lasts(verb)]
        return [v for v in verbs if any(x.name == "np" and wanted in x.takes[0] for x in v.frames)]

    def passives(self, kind: str) -> list[tuple[Verb, Frame]]:
        """The verbs and frames whose first object can be of a class."""
        pairs = [(verb, frame) for verb in self.tables.verbs for frame in verb.frames]
        names = {"np", "np_np", "np_to", "np_pp"}
        active = self.tables.list("usage", "active")
        pairs = [(v, x) for v, x in pairs if v.forms[0] not in active]
        return [(v, x) for v, x in pairs if x.name in names and kind in x.takes[0]]

    def complements(self, frame: Frame, subject: Nominal, room: int) -> list[Tree]:
        """The complements of a verb, in order."""
        inner, takes = room - 1, iter(frame.takes)
        phrases: list[Tree] = []
        controller = subject
        for part in frame.name.split("_"):
            match part:
                case "np":
                    controller = self.noun_phrase(next(takes), inner)
                    phrases.append(controller.tree)
                case "pp":
                    preposition, kinds = next(takes)[0], next(takes)
                    phrases.append(self.complement_pp(preposition, kinds, inner))
                case "s":
                    controller = subject
                case "to" | "ng" | "b":
                    controller = subject if frame.name.endswith("_s") else controller
                    phrases.append(self.predicate(part, controller, inner))
                case "adj":
                    phrases.append(self.adjective_phrase(subject))
                case "em" | "dcl" | "qem":
                    phrases.append(self.embedded(part, inner))
        return phrases

    def complement_pp(self, preposition: str, kinds: tuple[str, ...], room: int) -> Tree:
        pos = "TO" if preposition == "to" else "IN"
        head = self.leaf("complement_preposition", preposition, pos)
        return self.join(head, self.noun_phrase(kinds, room).tree)

    def embedded(self, how: str, room: int) -> Tree:
        """A clause embedded under a verb, with its complementizer if it has one."""
        clause = self.clause(room)
        if how == "dcl":
            return clause
        entry, word = ("that", "that") if how == "em" else ("whether", "whether")
        return self.join(self.leaf(entry, word, "IN"), clause)

    def adjective_phrase(self, subject: Nominal) -> Tree:
        word = self.zipf(self.tables.list("predicates", subject.kind))
        phrase: Tree = self.leaf("predicate", word, "JJ")
        if self.happens(0.25):
            degree = self.zipf(self.tables.list("adverbs", "degree"))
            phrase = self.join(self.leaf("predicate_degree", degree, "RB"), phrase)
        return phrase

    def adjunct(self, verb: Verb, room: int) -> Tree:
        """A prepositional phrase preferred by a verb."""
        preposition, kind = self.any(verb.adjuncts or (("in", "place"),))
        if kind == "time":
            noun = self.zipf(["morning", "evening", "summer"])
            leaves = self.leaf("determiner", "the", "DT"), self.leaf("noun", noun, "NN")
            phrase: Tree = self.join(*leaves)
        else:
            phrase = self.noun_phrase((kind,), room).tree
        return self.join(self.leaf("verb_preposition", preposition, "IN"), phrase)

    def adverb_after(self, inflection: str) -> Leaf:
        words = self.tables.list("adverbs", "after")
        word = self.zipf([word for word in words if inflection == "past" or word != "yesterday"])
        return self.leaf("adverb_after", word, "RB")

    def particle(self) -> Leaf:
        """The `to` of an infinitive."""
        return self.leaf("auxiliary", "to", "TO", "to", "b")

    def auxiliary(self, g: str, f: str, subject: Nominal, *, entry: str = "auxiliary") -> Leaf:
        """The auxiliary, with the feature `f`, of a verb phrase with the feature `g`."""
        return self.leaf(entry, *self.auxiliary_form(g, f, subject), f, g)

    def auxiliary_form(self, g: str, f: str, subject: Nominal) -> tuple[str, str]:
        finite = f in {"dcl", "q"}
        third = subject.agreement == "3sg"
        if g == "b":
            return self.zipf(MODALS), "MD"
        if g == "pt":
            present = ("has", "VBZ") if third else ("have", "VBP")
            past = "had", "VBD"
            return self.any([present, past]) if finite else NONFINITE["have"][f]
        if not finite:
            return NONFINITE["be"][f]
        present_form, past_form = BE[subject.agreement]
        past_tense = self.happens(0.6)
        return (past_form, "VBD") if past_tense else (present_form, "VBZ" if third else "VBP")

    def support(self, f: str, subject: Nominal, *, entry: str = "auxiliary") -> Leaf:
        """The auxiliary of a negated clause or a question: a form of `do`, or a modal."""
        third = subject.agreement == "3sg"
        forms = ("did", "VBD"), ("did", "VBD"), ("does", "VBZ") if third else ("do", "VBP")
        form = self.any(forms) if self.happens(0.7) else (self.zipf(MODALS), "MD")
        return self.leaf(entry, *form, f, "b")
