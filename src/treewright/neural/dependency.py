"""Neural dependency parsing: an encoder and biaffine scores of arcs, exact sums over all trees.

Trained on all dependency trees by the matrix-tree theorem (`treewright.torch.TreeLoss`); the best
tree is a maximum spanning arborescence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Integers
from treewright.inference.trees import Tree, labelled_spanning_trees
from treewright.neural.batches import Batch
from treewright.neural.encoder import Encoder, padded
from treewright.neural.heads import ArcHead
from treewright.neural.network import Network, scored_batches
from treewright.neural.settings import NeuralSettings
from treewright.torch.trees import GoldTrees, TreeLoss
from treewright.train.online import Parse


def arc_network(encoder: Encoder, labels: int, settings: NeuralSettings) -> Network:
    """A network that scores labelled arcs."""
    how = settings
    head = ArcHead(encoder.width, labels, how.hidden, how.label_hidden, how.dropout)
    return Network(encoder, head, settings)


class NeuralTreeParser:
    """Best trees of sentences by a network of arcs.

    Args:
        network: of `arc_network`.
        single_root: whether only one word may hang on the root.
        words: in one batch, padding included.
    """

    def __init__(self, network: Network, single_root: bool = True, words: int = 2000) -> None:
        self.network, self.single_root, self.words = network, single_root, words

    def parse_batch(self, sentences: Sequence[Sequence[str]], k: int = 1) -> list[list[Tree]]:
        """The k best trees of every sentence, the best first."""
        prepared = [self.network.encoder.prepare(words) for words in sentences]
        return self.parse_prepared(prepared, [len(words) for words in sentences], k)

    def parse_prepared(
        self, sentences: Sequence[Integers], lengths: Sequence[int], k: int = 1
    ) -> list[list[Tree]]:
        """The same for sentences that the encoder has prepared."""
        empty = np.zeros(0, np.int32)
        found = [[Tree(empty, empty, 0.0)] for _ in sentences]
        for numbers, scores in scored_batches(self.network, sentences, lengths, self.words):
            tables = scores.cpu().numpy()
            for row, number in enumerate(numbers):
                size = lengths[number] + 1
                found[number] = labelled_spanning_trees(
                    tables[row, :size, :size], k, self.single_root
                )
        return found


@dataclass
class DependencyTask:
    """Trees to learn from and trees to score on, prepared for the encoder of the network."""

    network: Network
    objective: TreeLoss
    sentences: Sequence[Integers]
    gold: Sequence[Parse]
    dev_sentences: Sequence[Integers] = ()
    dev_gold: Sequence[Parse] = ()

    def __post_init__(self) -> None:
        self.lengths: Sequence[int] = [len(each.heads) for each in self.gold]

    @property
    def has_dev(self) -> bool:
        return bool(self.dev_gold)

    def loss(self, batch: Batch) -> Tensor:
        scores = self.network.scores([self.sentences[i] for i in batch])
        gold = gold_batch([self.gold[i] for i in batch])
        values: Tensor = self.objective(
            scores, GoldTrees(*(each.to(scores.device) for each in gold))
        )
        return values.sum() / max(1, int(gold.lengths.sum()))

    def score(self) -> Mapping[str, float]:
        lengths = [len(each.heads) for each in self.dev_gold]
        parser = NeuralTreeParser(self.network, self.objective.single_root)
        found = parser.parse_prepared(self.dev_sentences, lengths)
        uas, las = attachment([each[0] for each in found], self.dev_gold)
        return {"score": las / 100, "dev_uas": uas, "dev_las": las}


def attachment(found: Sequence[Tree], gold: Sequence[Parse]) -> tuple[float, float]:
    """Unlabelled and labelled attachment scores, in per cent."""
    words = sum(len(each.heads) for each in gold) or 1
    right = labelled = 0
    for tree, each in zip(found, gold, strict=True):
        same = tree.heads == each.heads
        right += int(same.sum())
        labelled += int((same & (tree.labels == each.labels)).sum())
    return 100 * right / words, 100 * labelled / words


def gold_batch(trees: Sequence[Parse]) -> GoldTrees:
    """Gold trees as padded tensors."""
    lengths = torch.tensor([len(each.heads) for each in trees])
    heads = padded([each.heads.astype(np.int64) for each in trees])
    return GoldTrees(heads, padded([each.labels.astype(np.int64) for each in trees]), lengths)
