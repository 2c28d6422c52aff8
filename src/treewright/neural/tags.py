"""Neural tagging: one distribution over tags per word (POS, supertags with their entries).

A chain of order 0 over all tags: its likelihood is the cross entropy of every word, and its
posteriors are the softmax of the scores. Other chains are forests (`treewright.torch.ForestLoss`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from treewright.arrays import Floats32, Integers
from treewright.neural.batches import Batch
from treewright.neural.encoder import Encoder, padded
from treewright.neural.heads import TagHead
from treewright.neural.network import Network, scored_batches
from treewright.neural.settings import NeuralSettings

NO_TAG = -1


def tag_network(encoder: Encoder, tags: int, settings: NeuralSettings) -> Network:
    """A network that scores the tags of words."""
    head = TagHead(encoder.width, tags, settings.hidden, settings.dropout)
    return Network(encoder, head, settings)


def log_posteriors(
    network: Network, sentences: Sequence[Integers], lengths: Sequence[int]
) -> list[Floats32]:
    """log p(tag | word, sentence) of every sentence: float32 [words, tags]."""
    found = [np.zeros((0, 0), np.float32)] * len(sentences)
    for numbers, scores in scored_batches(network, sentences, lengths):
        table = torch.log_softmax(scores, dim=-1).cpu().numpy()
        for row, number in enumerate(numbers):
            found[number] = table[row, : lengths[number]]
    return found


@dataclass
class TagTask:
    """Tagged sentences to learn from and to score on; NO_TAG counts in scores, not in training."""

    network: Network
    sentences: Sequence[Integers]
    gold: Sequence[Integers]
    dev_sentences: Sequence[Integers] = ()
    dev_gold: Sequence[Integers] = ()

    def __post_init__(self) -> None:
        self.lengths: Sequence[int] = [len(each) for each in self.gold]

    @property
    def has_dev(self) -> bool:
        return bool(self.dev_gold)

    def loss(self, batch: Batch) -> Tensor:
        scores = self.network.scores([self.sentences[i] for i in batch])
        gold = padded([self.gold[i] for i in batch], NO_TAG).to(scores.device)
        return functional.cross_entropy(scores.flatten(0, 1), gold.flatten(), ignore_index=NO_TAG)

    def score(self) -> Mapping[str, float]:
        lengths = [len(each) for each in self.dev_gold]
        right = 0
        for numbers, scores in scored_batches(self.network, self.dev_sentences, lengths):
            best = scores.argmax(dim=-1).cpu().numpy()
            for row, number in enumerate(numbers):
                right += int((best[row, : lengths[number]] == self.dev_gold[number]).sum())
        return {"score": right / max(1, sum(lengths))}
