"""CCG charts for `benchmarks.neural_objectives`: supertags and dependencies learn together.

Charts come from the supertags of a trained parser, once; what learns scores their entries and
dependencies. Local training ignores the charts and learns every supertag and slot by itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.neural_tables import Contender, Words, tables_of
from treewright.arrays import Floats, Integers
from treewright.data.auto import read_auto
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.example import Example
from treewright.forests.features import FeatureMatrix
from treewright.forests.tables import chart_example, chart_features
from treewright.grammar.lexicon import Lexicon
from treewright.inference.settings import InferenceSettings
from treewright.metrics.counts import Counts
from treewright.models.ccg.decode import choose
from treewright.models.ccg.examples import GoldSentence, gold_sentence, gold_target, training_chart
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.heads import SLOTS, SUPER
from treewright.neural.batches import Batch
from treewright.neural.network import Network
from treewright.neural.parts import JointTask
from treewright.neural.slots import SlotPart
from treewright.neural.tags import TagPart
from treewright.neural.training import Task
from treewright.torch.forests import ForestLoss

PENALTY = 0.3  # of the packaged parser's minimum-risk decoder


@dataclass
class ChartTask:
    """An objective over charts, as a function of the tables of two heads."""

    network: Network
    objective: ForestLoss
    sentences: Sequence[Integers]
    lengths: Sequence[int]
    examples: Sequence[Example]
    has_dev: bool = False

    def loss(self, batch: Batch) -> Tensor:
        vectors = self.network.vectors([self.sentences[i] for i in batch])
        supertags, slots = (self.network.scores(head, vectors) for head in (SUPER, SLOTS))
        sizes = [self.lengths[i] for i in batch]
        tables = [
            torch.cat([supertags[row, :size].flatten(), worth(slots[row, : size + 1, : size + 1])])
            for row, size in enumerate(sizes)
        ]
        values: Tensor = self.objective([self.examples[i] for i in batch], tables)
        return values.sum() / sum(sizes)

    def score(self) -> Mapping[str, float]:
        raise NotImplementedError("there is no dev part")


def worth(slots: Any) -> Any:
    """What it is worth to fill a slot: scores against those of no argument, flat."""
    return (slots - slots[:, :1]).reshape(-1)


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

    model: Path
    train: Path
    dev: Path
    max_words: int
    parser: NeuralCcgParser = field(init=False)

    def __post_init__(self) -> None:
        parser = load(self.model, "ccg")
        assert isinstance(parser, NeuralCcgParser)
        self.parser, network = parser, parser.supertagger.network
        self.labels = {name: network.labels[name] for name in (SUPER, SLOTS)}
        entries = len(parser.grammar.tables.entries)
        self.tag_of_entry = np.full(entries, -1, np.int32)
        for tag, entry in enumerate(parser.entry_of_tag.tolist()):
            if entry >= 0:
                self.tag_of_entry[entry] = tag
        self._sizes = len(self.labels[SUPER]), len(self.labels[SLOTS])
        self.learnt = list(self._learnt())
        self.due = {gold.words: self._dev_chart(gold) for gold in self._read(self.dev)}

    def _read(self, path: Path) -> Iterator[GoldSentence]:
        derivations = [d for d in read_auto(path) if 0 < len(d.leaves) <= self.max_words]
        lexicon = Lexicon().learn(derivations)
        for each in derivations:
            yield gold_sentence(self.parser.grammar, lexicon, each)

    def _learnt(self) -> Iterator[tuple[GoldSentence, Example]]:
        """Sentences whose charts have a derivation to aim at."""
        for gold in self._read(self.train):
            chart = self._chart(gold, "add-tags")
            target = chart and gold_target(chart, "add-tags+oracle")
            if chart and target:
                _, forest = target
                made = chart_example(chart, self.tag_of_entry, *self._sizes, forest, gold.name)
                yield gold, made

    def _chart(self, gold: GoldSentence, unreachable: Any) -> CcgChart | None:
        sentence = self.parser.as_sentence(list(gold.words))
        (lattice,) = self.parser.lattices([sentence])
        cells = map(lattice.cells, self.parser.schedule.beams)
        return training_chart(self.parser.grammar, gold, cells, self.parser.chart, unreachable)

    def _dev_chart(self, gold: GoldSentence) -> DevChart:
        chart = self._chart(gold, "drop")
        features = chart and chart_features(chart, self.tag_of_entry, *self._sizes)
        return DevChart(chart, features, gold.gold.size)

    def sentences(self) -> Iterable[Words]:
        return [*(gold.words for gold, _ in self.learnt), *self.due]

    def task(self, network: Network, contender: Contender) -> Task:
        codes = [network.encoder.prepare(gold.words) for gold, _ in self.learnt]
        lengths = [len(gold.words) for gold, _ in self.learnt]
        if contender.objective is not None:
            objective = ForestLoss(contender.objective.make(), threads=1)
            return ChartTask(network, objective, codes, lengths, [e for _, e in self.learnt])
        golds = [gold for gold, _ in self.learnt]
        tags = {i: self.tag_of_entry[each.gold.entries] for i, each in enumerate(golds)}
        slots = {i: (len(each.words), self._slots(each)) for i, each in enumerate(golds)}
        parts = [TagPart(SUPER, {i: t.astype(np.int64) for i, t in tags.items()})]
        return JointTask(network, [*parts, SlotPart(SLOTS, slots)], codes, lengths)

    def _slots(self, gold: GoldSentence) -> Integers:
        """Rows of functor, slot and argument."""
        functor, relation, argument = gold.gold.dependencies.reshape(-1, 3).astype(np.int64).T
        relations = self.parser.grammar.tables.relations
        slot = np.array([slot for _, slot in relations], np.int64)[relation] - 1
        slot = np.minimum(slot, len(self.labels[SLOTS]) - 1)
        return np.stack((functor + 1, slot, argument + 1), axis=1)

    def counts(self, network: Network, contender: Contender, decoder: Any) -> Counts:
        local = contender.objective is None
        weight = contender.weights[0] if local else 1.0
        how = InferenceSettings(decoder, penalty=PENALTY)
        rows = {}
        for words, (supertags, slots) in tables_of(network, list(self.due), [SUPER, SLOTS]):
            flat = np.concatenate((supertags.ravel(), weight * worth(slots))).astype(np.float64)
            rows[words] = _counted(self.due[words], flat, how)
        return Counts.of_rows(rows[words] for words in self.due)


def _counted(each: DevChart, table: Floats, how: InferenceSettings) -> tuple[int, int, int]:
    if each.chart is None or each.features is None:
        return 0, 0, each.due
    forest = each.chart.forest
    edges = choose(each.chart, each.features.scores(table), how).best.edges
    assert forest.counts is not None
    right, produced, _ = forest.counts[:, forest.part[edges]].sum(axis=1).tolist()
    return right, produced, each.due
