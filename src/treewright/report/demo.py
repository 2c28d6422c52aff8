"""The demonstration: one task, several objectives, what each is worth on held-out sentences."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from treewright.forests import Example
from treewright.inference import exact, minrisk
from treewright.inference.box import Floats
from treewright.losses import BatchObjective, objective_named
from treewright.metrics.counts import Counts
from treewright.metrics.significance import Comparison, approximate_randomisation
from treewright.models.toy import Sentence, ToyParser, sample
from treewright.train.lbfgs import fit_lbfgs
from treewright.train.optimiser import Step

OBJECTIVES = (
    ("likelihood", ""),
    ("softmax-margin", "dec-f1"),
    ("softmax-margin", "f1"),
    ("risk", "f1"),
    ("hinge", "f1"),
)


@dataclass(frozen=True)
class Trained:
    """An objective's weights and its counts on the held-out sentences."""

    name: str
    iterations: int
    viterbi: Counts
    min_risk: Counts
    against_first: Comparison | None


def _named(title: str, on_step: Callable[[str, Step], None]) -> Callable[[Step, Floats], None]:
    return lambda step, _: on_step(title, step)


class Demo:
    """Data, forests and models of the demonstration."""

    def __init__(self, sentences: int, seed: int) -> None:
        self.parser = ToyParser()
        self.train = sample(sentences, seed)
        self.test = sample(sentences, seed + 1)
        self.examples = [self.parser.example(sentence) for sentence in self.train]
        self.charts = [self.parser.chart(sentence.words) for sentence in self.test]
        self.held_out = [self.parser.example(sentence) for sentence in self.test]

    def run(self, on_step: Callable[[str, Step], None]) -> Iterator[Trained]:
        """Trains with one objective after the other."""
        first: Counts | None = None
        for name, loss in OBJECTIVES:
            title = f"{name}, {loss}" if loss else name
            objective = objective_named(name, loss or "f1", tau=5.0 if loss == "f1" else 1.0)
            batch = BatchObjective(objective, self.examples, self.parser.features)
            fit = fit_lbfgs(batch, iterations=60, on_step=_named(title, on_step))
            viterbi = self._score(fit.weights, min_risk=False)
            against = None if first is None else approximate_randomisation(viterbi, first)
            first = first or viterbi
            min_risk = self._score(fit.weights, min_risk=True)
            yield Trained(title, len(fit.steps), viterbi, min_risk, against)

    def _score(self, weights: Floats, min_risk: bool) -> Counts:
        found = (self.parse(i, weights, min_risk) for i in range(len(self.test)))
        return Counts.of_sets(found, [sentence.brackets for sentence in self.test])

    def parse(self, i: int, weights: Floats, min_risk: bool) -> set[tuple[str, int, int]]:
        """The brackets found for a held-out sentence."""
        example, built = self.held_out[i], self.charts[i]
        scores = example.features.scores(weights)
        decode = minrisk.max_expected_counts if min_risk else exact.viterbi
        return self.parser.brackets(built, decode(example.forest, scores).edges)

    def most_ambiguous(self) -> tuple[Sentence, Example, int]:
        """The training sentence with the most analyses, and their number."""
        sizes = [exact.count(example.forest) for example in self.examples]
        i = max(range(len(sizes)), key=sizes.__getitem__)
        return self.train[i], self.examples[i], sizes[i]
