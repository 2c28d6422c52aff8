"""Transition parsing in plain Python: states, features, beam search, perceptron; slow and clear.

The twin of cpp/dependency/transition/; it reads templates as text, where the core runs a program.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from tests.hashing import WORD
from tests.hashing import key as hashed
from treewright.inference.transition import CLASSES, TransitionShape
from treewright.scores.dependency.encoder import ATTRIBUTES, FIRST, EncodedSentence
from treewright.scores.dependency.state_templates import parse_template
from treewright.scores.features.templates import Atom

SHIFT, REDUCE, ROOT, ARCS = range(4)


@dataclass
class PlainState:
    words: int
    eager: bool
    stack: list[int] = field(default_factory=list)
    next: int = 1
    head: dict[int, int] = field(default_factory=dict)
    label: dict[int, int] = field(default_factory=dict)
    made: list[tuple[int, int]] = field(default_factory=list)  # arcs in the order of making
    actions: list[int] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return bool(self.actions) and self.actions[-1] == ROOT

    def headless(self) -> int:
        return sum(word not in self.head for word in self.stack)

    def legal(self, labels: int) -> Iterator[int]:
        """In the order in which the beam considers them."""
        left, right = range(ARCS, ARCS + labels), range(ARCS + labels, ARCS + 2 * labels)
        more, last = self.next <= self.words, self.next == self.words
        if self.finished:
            return
        if not more and (self.eager or len(self.stack) == 1):
            yield ROOT
            return
        if more and not (self.eager and last and self.stack):
            yield SHIFT
        headed = bool(self.stack) and self.stack[-1] in self.head
        if self.eager and headed:
            yield REDUCE
        if more and self.stack and not headed:
            yield from left
        if self.eager and self.stack and (not last or self.headless() == 1):
            yield from right
        if not self.eager and len(self.stack) > 1:
            yield from right

    def apply(self, action: int, labels: int) -> "PlainState":
        made = deepcopy(self)
        made.actions.append(action)
        if action == SHIFT:
            made.push()
        elif action == REDUCE:
            made.stack.pop()
        elif action >= ARCS:
            left = action < ARCS + labels
            word = made.next if not left and self.eager else made.stack[-1]
            head = made.next if left else made.stack[-1 if self.eager else -2]
            made.head[word], made.label[word] = head, (action - ARCS) % labels
            made.made.append((head, word))
            if word == made.next:
                made.push()
            else:
                made.stack.pop()
        return made

    def push(self) -> None:
        self.stack.append(self.next)
        self.next += 1
        if self.eager and self.next > self.words:
            del self.stack[1:]

    def dependents(self, word: int, left: bool) -> list[int]:
        """Outermost first."""
        return [w for h, w in reversed(self.made) if h == word and (w < h) == left]

    def place(self, name: str) -> int:
        """The word at a named place, or 0."""
        if name[-1] in "+-":
            word = self.place(name[:-1])
            found = word + (1 if name[-1] == "+" else -1)
            return found if word and 1 <= found <= self.words else 0
        depth, rest = int(name[1]), name[2:]
        if name[0] == "b":
            word = self.next + depth if self.next + depth <= self.words else 0
        else:
            word = self.stack[-1 - depth] if depth < len(self.stack) else 0
        if rest in ("l2", "r2"):
            return [*self.dependents(word, rest == "l2"), 0, 0][1] if word else 0
        for step in rest:
            if step == "h":
                word = self.head.get(word, 0)
            else:
                word = [*self.dependents(word, step == "l"), 0][0] if word else 0
        return word


class PlainParser:
    """Weights by (feature, output), and their sums over time for the average."""

    def __init__(self, shape: TransitionShape) -> None:
        self.shape, self.labels = shape, len(shape.relations)
        self.templates = [parse_template(line) for line in dict.fromkeys(shape.templates)]
        self.weights: dict[tuple[int, int], float] = defaultdict(float)
        self.totals: dict[tuple[int, int], float] = defaultdict(float)

    def start(self, sentence: EncodedSentence) -> PlainState:
        return PlainState(len(sentence), self.shape.system == "arc-eager")

    def features(self, state: PlainState, sentence: EncodedSentence) -> list[int]:
        found = []
        for number, template in enumerate(self.templates):
            values = [self.value(atom, state, sentence) for atom in template]
            if all(v or atom.optional for v, atom in zip(values, template, strict=True)):
                found.append(hashed(number, values))
        return found

    def value(self, atom: Atom, state: PlainState, sentence: EncodedSentence) -> int:
        word = state.place(atom.place)
        if atom.attribute == "ahead":
            return min(state.words - state.next, 2) + 2
        if atom.attribute == "depth":
            return min(len(state.stack), 4) + 1
        if atom.attribute == "last_kind":
            return (min(state.actions[-1], ARCS) if state.actions else -1) + 2
        if atom.attribute in ("distance", "between"):
            return self.pair_value(atom, word, state, sentence)
        if not word:
            return 0
        if atom.attribute in ATTRIBUTES:
            return int(sentence.table[word - 1, ATTRIBUTES.index(atom.attribute)])
        if atom.attribute == "label":
            return state.label.get(word, -1) + 1
        side = state.dependents(word, atom.attribute.startswith("left"))
        if atom.attribute.endswith("count"):
            return min(len(side), 4) + 1
        return (2 * sum(1 << label for label in {state.label[w] % 64 for w in side}) + 1) & WORD

    def pair_value(
        self, atom: Atom, word: int, state: PlainState, sentence: EncodedSentence
    ) -> int:
        first, last = sorted((word, state.place(atom.other)))
        if not first:
            return 0
        if atom.attribute == "distance":
            return len([x for x in (0, 1, 2, 3, 4, 6, 10, 20) if last - first > x])
        tags = sentence.table[first : last - 1, ATTRIBUTES.index("upos")] - FIRST
        kinds = [CLASSES.get(self.shape.upos[tag], 0) for tag in tags]
        verbs, marks, links = (sum(kind == bit for kind in kinds) for bit in (1, 2, 4))
        return ((4 + min(verbs, 2)) * 4 + min(marks, 3)) * 4 + min(links, 1)

    def outputs(self, action: int) -> list[int]:
        if action < ARCS:
            return [action]
        return [action, ARCS + 2 * self.labels + (action >= ARCS + self.labels)]

    def score(self, keys: Sequence[int], action: int) -> float:
        return sum(self.weights.get((key, o), 0.0) for o in self.outputs(action) for key in keys)

    def search(
        self, sentence: EncodedSentence, beam: int
    ) -> Iterator[list[tuple[float, PlainState]]]:
        """The beam after each step."""
        items = [(0.0, self.start(sentence))]
        while not all(state.finished for _, state in items):
            found = []
            for total, state in items:
                if state.finished:
                    found.append((total, state))
                    continue
                keys = self.features(state, sentence)
                for action in state.legal(self.labels):
                    after = state.apply(action, self.labels)
                    found.append((total + self.score(keys, action), after))
            items = sorted(found, key=lambda pair: -pair[0])[:beam]
            yield items

    def learn(self, sentence: EncodedSentence, gold: Sequence[int], beam: int) -> bool:
        """A max-violation update; the average is over `tick`s."""
        worst: tuple[float, list[int], list[int]] | None = None
        items: list[tuple[float, PlainState]] = []
        for t, items in enumerate(self.search(sentence, beam), start=1):
            prefix, rival = list(gold[:t]), items[0][1].actions
            margin = items[0][0] - self.total(sentence, prefix)
            if rival != prefix and (worst is None or margin > worst[0]):
                worst = margin, prefix, rival
        if items[0][1].actions == list(gold) or worst is None:
            return False
        self.update(sentence, worst[1], 1.0)
        self.update(sentence, worst[2], -1.0)
        return True

    def total(self, sentence: EncodedSentence, actions: Sequence[int]) -> float:
        pairs = self.walk(sentence, actions)
        return sum(self.score(self.features(state, sentence), action) for state, action in pairs)

    def update(self, sentence: EncodedSentence, actions: Sequence[int], amount: float) -> None:
        for state, action in self.walk(sentence, actions):
            for key in self.features(state, sentence):
                for output in self.outputs(action):
                    self.weights[key, output] += amount

    def walk(
        self, sentence: EncodedSentence, actions: Sequence[int]
    ) -> Iterator[tuple[PlainState, int]]:
        state = self.start(sentence)
        for action in actions:
            yield state, action
            state = state.apply(action, self.labels)

    def tick(self) -> None:
        for name, weight in self.weights.items():
            self.totals[name] += weight


def derivations(
    parser: PlainParser, sentence: EncodedSentence
) -> Iterator[tuple[float, PlainState]]:
    """Every finished state, with its score."""
    agenda = [(0.0, parser.start(sentence))]
    while agenda:
        total, state = agenda.pop()
        if state.finished:
            yield total, state
            continue
        keys = parser.features(state, sentence)
        agenda += (
            (total + parser.score(keys, action), state.apply(action, parser.labels))
            for action in state.legal(parser.labels)
        )
