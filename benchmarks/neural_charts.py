"""CCG charts for `benchmarks.neural_objectives`: joint training of supertags and dependencies.

Charts come from the supertags of a trained parser, once; what learns scores their entries and
dependencies. Local training ignores the charts and learns every supertag and slot by itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.neural_tables import Contender, Words, tables_of
from treewright.arrays import Floats, Integers
from treewright.data.auto import read_auto
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.features import FeatureMatrix
from treewright.forests.tables import chart_features
from treewright.grammar.lexicon import Lexicon
from treewright.inference.settings import InferenceSettings
from treewright.metrics.counts import Counts
from treewright.models.ccg.decode import choose
from treewright.models.ccg.examples import GoldSentence, gold_sentence
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.charts import ChartMaker
from treewright.models.neural.members import SLOTS, SUPER
from treewright.neural.charts import ChartPart
from treewright.neural.network import Network
from treewright.neural.parts import JointTask, Part
from treewright.neural.slots import SlotPart
from treewright.neural.tags import TagPart
from treewright.neural.training import Task
from treewright.torch.forests import ForestLoss

PENALTY = 0.3  # of the packaged parser's minimum-risk decoder


@dataclass(frozen=True, eq=False)
class DevChart:
    """A sentence to parse: its chart, and where its parts' scores are."""

    chart: CcgChart | None
    features: FeatureMatrix | None
    due: int


@dataclass
class Charts:
    """Derivations with the charts of a trained parser.

    Args:
        model: the parser.
        train: derivations to learn from.
        dev: derivations to score on.
        max_words: longer sentences are left out.
    """

    model: str
    train: Path
    dev: Path
    max_words: int

    def __post_init__(self) -> None:
        parser = load(self.model)
        assert isinstance(parser, NeuralCcgParser)
        labels = parser.supertagger.network.labels
        self.grammar, self.labels = parser.grammar, {name: labels[name] for name in (SUPER, SLOTS)}
        self.maker = ChartMaker(parser, labels[SUPER], len(labels[SLOTS]))
        made = ((each, self.maker.example(each, each.name)) for each in self._read(self.train))
        self.learnt = [(gold, example) for gold, example in made if example is not None]
        self.due = {gold.words: self._dev_chart(gold) for gold in self._read(self.dev)}

    def _read(self, path: Path) -> Iterator[GoldSentence]:
        derivations = [d for d in read_auto(path) if 0 < len(d.leaves) <= self.max_words]
        lexicon = Lexicon().learn(derivations)
        return (gold_sentence(self.grammar, lexicon, each) for each in derivations)

    def _dev_chart(self, gold: GoldSentence) -> DevChart:
        chart = self.maker.chart(gold, "drop")
        if chart is None:
            return DevChart(None, None, gold.gold.size)
        features = chart_features(chart, self.maker.tag_of_entry, *self.maker.sizes)
        return DevChart(chart, features, gold.gold.size)

    def sentences(self) -> Iterable[Words]:
        return [*(gold.words for gold, _ in self.learnt), *self.due]

    def task(self, network: Network, contender: Contender) -> Task:
        golds = [gold for gold, _ in self.learnt]
        lengths = [len(gold.words) for gold in golds]
        codes = [network.encoder.prepare(gold.words) for gold in golds]
        parts: list[Part] = []
        if contender.objective is not None:
            objective = ForestLoss(contender.objective.make(), threads=1)
            examples = [example for _, example in self.learnt]
            charts = dict(enumerate(zip(lengths, examples, strict=True)))
            parts = [ChartPart("charts", (SUPER, SLOTS), objective, charts)]
        else:
            tags = [self.maker.tag_of_entry[gold.gold.entries].astype(np.int64) for gold in golds]
            slots = zip(lengths, map(self._slots, golds), strict=True)
            parts = [TagPart(SUPER, dict(enumerate(tags)))]
            parts += [SlotPart(SLOTS, dict(enumerate(slots)))]
        return JointTask(network, parts, codes, lengths)

    def _slots(self, gold: GoldSentence) -> Integers:
        """Rows of functor, slot and argument."""
        functor, relation, argument = gold.gold.dependencies.reshape(-1, 3).astype(np.int64).T
        relations = self.grammar.tables.relations
        slot = np.array([slot for _, slot in relations], np.int64)[relation] - 1
        slot = np.minimum(slot, len(self.labels[SLOTS]) - 1)
        return np.stack((functor + 1, slot, argument + 1), axis=1)

    def counts(
        self, network: Network, contender: Contender, decoders: Sequence[Any]
    ) -> dict[str, Counts]:
        weight = contender.weights[0] if contender.objective is None else 1.0
        ways = {each: InferenceSettings(each, penalty=PENALTY) for each in decoders}
        rows: dict[str, dict[Words, tuple[int, int, int]]] = {each: {} for each in decoders}
        for words, (supertags, slots) in tables_of(network, list(self.due), [SUPER, SLOTS]):
            worth = weight * (slots - slots[:, :1])
            flat = np.concatenate((supertags.ravel(), worth.ravel())).astype(np.float64)
            for decoder, how in ways.items():
                rows[decoder][words] = _counted(self.due[words], flat, how)
        return {
            decoder: Counts.of_rows(found[words] for words in self.due)
            for decoder, found in rows.items()
        }


def _counted(each: DevChart, table: Floats, how: InferenceSettings) -> tuple[int, int, int]:
    if each.chart is None or each.features is None:
        return 0, 0, each.due
    forest = each.chart.forest
    edges = choose(each.chart, each.features.scores(table), how).best.edges
    assert forest.counts is not None
    right, produced, _ = forest.counts[:, forest.part[edges]].sum(axis=1).tolist()
    return right, produced, each.due
