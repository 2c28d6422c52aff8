"""The toy parser as a kind of model: the smallest complete example of one (kind "toy").

It trains on sentences that it samples itself and parses lines of its few words.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.lines import Text
from treewright.data.records import Sentence as Record
from treewright.errors import ConfigError, ForestError
from treewright.experiments.core.toy import (
    HASH_SPACE,
    LEXICON,
    Sentence,
    ToyParser,
    ToyTree,
    sample,
)
from treewright.forests import Chart
from treewright.forests.features import Example
from treewright.formats.objects import sentence_object
from treewright.inference import exact
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts
from treewright.models.contract import PICTURES, Analysis, Parser
from treewright.models.kinds import Kind
from treewright.storage.bundle import Bundle
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings
from treewright.train.shards import Shard, cut

NAME = "toy"
WORDS = set().union(*LEXICON.values())


@dataclass(frozen=True)
class ToySettings:
    """All settings of a toy parser."""

    sentences: int = setting(200, "how many to train on")
    dev_sentences: int = setting(50, "how many to score on while training")
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "what to minimise")
    optimiser: OptimiserSettings = setting(OptimiserSettings(), "and how")


@dataclass(frozen=True, eq=False)
class ToyAnalysis(Analysis):
    """The tree of a sentence, or None where there is none."""

    kind = NAME
    formats = ("brackets", "spans", "json", *PICTURES)

    sentence: Record
    tree: ToyTree | None
    log_weight: float
    chart: Chart | None
    scores: Floats | None

    @property
    def words(self) -> tuple[str, ...]:
        return self.sentence.words

    @property
    def score(self) -> float:
        return self.log_weight

    @cached_property
    def log_z(self) -> float | None:
        if self.chart is None or self.scores is None:
            return None
        return exact.log_z(self.chart.forest, self.scores)

    @cached_property
    def marginals(self) -> dict[tuple[str, int, int], float]:
        """The probabilities of labelled spans."""
        if self.chart is None or self.scores is None:
            return {}
        nodes = exact.marginals(self.chart.forest, self.scores).nodes.tolist()
        rows = zip(self.chart.nodes.tolist(), nodes, strict=True)
        symbols = ToyParser().symbols
        return {(symbols[symbol], begin, end): p for (begin, end, symbol), p in rows}

    def kbest(self, k: int) -> list["ToyAnalysis"]:
        if self.chart is None or self.scores is None:
            return [self][:k]
        found = exact.kbest(self.chart.forest, self.scores, k)
        trees = (ToyParser().tree(self.chart, each.edges) for each in found)
        pairs = zip(found, trees, strict=True)
        return [replace(self, tree=tree, log_weight=each.score) for each, tree in pairs]

    def __str__(self) -> str:
        return "()" if self.tree is None else self.tree.bracketed(self.words)

    def written(self, name: str, listed: bool) -> str:  # noqa: ARG002
        if name == "brackets" or self.tree is None:
            return f"{self}\n"
        spans = (f"{each.label}:{each.begin}-{each.end}" for each in _walk(self.tree))
        return " ".join(spans) + "\n"

    def sentence_values(self) -> dict[str, object]:
        return sentence_object(self.sentence.id, self.words, self.sentence.surface)

    def choice_values(self) -> dict[str, object]:
        return {"tree": str(self)}

    def marginal_values(self) -> object:
        rows = self.marginals.items()
        names = ("label", "begin", "end", "probability")
        return {"constituents": [dict(zip(names, (*each, p), strict=True)) for each, p in rows]}


class ToyModel(Parser[ToyAnalysis]):
    """Weights for the toy parser's features."""

    kind = NAME
    formats = ToyAnalysis.formats

    def __init__(self, weights: Floats) -> None:
        self.weights, self.parser = weights, ToyParser()

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "ToyModel":
        return cls(bundle.arrays["weights"])

    def bundle(self) -> Bundle:
        return Bundle(NAME, {}, {"weights": self.weights}, {"words": _lines(WORDS)})

    def with_settings(self, **changes: Any) -> "ToyModel":
        if changes:
            raise ConfigError(f"a {NAME} model has no settings")
        return self

    def parse_many(self, sentences: Iterable[Text]) -> Iterator[ToyAnalysis]:
        return (self._analysis(self.as_sentence(sentence)) for sentence in sentences)

    def _analysis(self, sentence: Record) -> ToyAnalysis:
        words = list(sentence.words)
        nothing = ToyAnalysis(sentence, None, -math.inf, None, None)
        if not words or not WORDS.issuperset(words):
            return nothing
        try:
            built = self.parser.chart(words)
        except ForestError:
            return nothing
        scores = self.parser.features_of(built, words).scores(self.weights)
        best = exact.viterbi(built.forest, scores)
        tree = self.parser.tree(built, best.edges)
        return ToyAnalysis(sentence, tree, best.score, built, scores)

    def f1(self, sentences: list[Sentence]) -> float:
        """F1 of the brackets."""
        trees = (self.parse(sentence.words).tree for sentence in sentences)
        pairs = zip(sentences, trees, strict=True)
        found = (Sentence(s.words, tree or s.tree).brackets for s, tree in pairs)
        return Counts.of_sets(found, [sentence.brackets for sentence in sentences]).score().f


def _train(settings: ToySettings, run: Run) -> ToyModel:
    dev = sample(settings.dev_sentences, run.seed + 1)
    ends = cut(range(settings.sentences), run.shards)
    shards = [Shard(_examples, (settings.sentences, run.seed, *each)) for each in ends]
    objective = run.objective(settings.objective, shards, HASH_SPACE)
    weights = run.optimise(
        "weights",
        objective,
        settings.optimiser,
        lambda weights: ToyModel(weights).f1(dev),
    )
    return ToyModel(weights)


def _examples(sentences: int, seed: int, begin: int, end: int) -> Iterator[Example]:
    parser = ToyParser()
    return (parser.example(sentence) for sentence in sample(sentences, seed)[begin:end])


def _lines(words: set[str]) -> str:
    return "".join(f"{word}\n" for word in sorted(words))


def _walk(tree: ToyTree) -> Iterator[ToyTree]:
    yield tree
    for child in tree.children:
        yield from _walk(child)


KIND = Kind(NAME, ToySettings, _train, ToyModel.from_bundle, ray=True)
