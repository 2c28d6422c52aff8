"""Objectives over all dependency trees, projective or not, from a network's arc scores.

A tree has one arc per word, so d and |y| are the number of words, and every loss is a function of
the number n of correct arcs. Losses that are affine in n (here F1, precision and recall) or sums
over arcs become costs of arcs. Other losses are exact with the distribution of n.
"""

from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from treewright.errors import ConfigError
from treewright.inference.trees import spanning_trees
from treewright.losses.costs import Loss, loss_named
from treewright.torch.matrix_tree import count_law, is_word, log_partition, marginals

TreeObjective = Literal["likelihood", "softmax-margin", "risk", "hinge", "perceptron"]
NAMES = ("likelihood", "softmax-margin", "risk", "hinge", "perceptron")


class GoldTrees(NamedTuple):
    """Gold trees of a padded batch: heads and labels, [sentences, longest], and lengths."""

    heads: Tensor
    labels: Tensor
    lengths: Tensor


class Costs(NamedTuple):
    """A loss as a constant [sentences] and a cost per arc [sentences, heads, words, labels]."""

    constant: Tensor
    arcs: Tensor


class TreeLoss(nn.Module):
    """An objective over the trees of every sentence: `values = loss(scores, gold)`, [sentences].

    Args:
        objective: likelihood, softmax-margin, risk, hinge or perceptron.
        loss: a loss or its name; likelihood and perceptron have none.
        tau: weight of the loss in softmax-margin and hinge.
        labelled: count an arc with a wrong label as an error.
        single_root: allow only one root per tree.
    """

    def __init__(
        self,
        objective: TreeObjective = "likelihood",
        loss: Loss | str = "hamming",
        tau: float = 1.0,
        labelled: bool = True,
        single_root: bool = True,
    ) -> None:
        super().__init__()
        if objective not in NAMES:
            raise ConfigError(f"unknown objective {objective!r}: one of {', '.join(NAMES)}")
        self.objective, self.tau = objective, tau
        self.loss = loss_named(loss) if isinstance(loss, str) else loss
        self.labelled, self.single_root = labelled, single_root

    def forward(self, scores: Tensor, gold: GoldTrees) -> Tensor:
        """One value per sentence.

        Args:
            scores: of labelled arcs, [sentences, longest + 1, longest + 1, labels], head by word;
                position 0 is the root. Padding is ignored.
            gold: the gold trees.
        """
        if self.objective == "likelihood":
            return self._log_z(scores, gold) - gold_scores(scores, gold)
        if self.objective == "perceptron":
            return self._violation(scores, gold, None)
        costs = self._costs(scores, gold)
        if self.objective == "hinge":
            return self._violation(scores, gold, self._needed(costs))
        if costs is None:
            return self._of_law(scores, gold)
        if self.objective == "risk":
            return self._risk(scores, gold, costs)
        augmented = self._log_z(scores + self.tau * costs.arcs, gold)
        return augmented + self.tau * costs.constant - gold_scores(scores, gold)

    def _log_z(self, scores: Tensor, gold: GoldTrees) -> Tensor:
        summed = torch.logsumexp(scores, dim=-1)
        return log_partition(summed, gold.lengths, self.single_root).to(scores.dtype)

    def _risk(self, scores: Tensor, gold: GoldTrees, costs: Costs) -> Tensor:
        share = torch.softmax(scores, dim=-1)
        expected = (share * costs.arcs).sum(dim=-1)
        probabilities = marginals(torch.logsumexp(scores, dim=-1), gold.lengths, self.single_root)
        return costs.constant + (probabilities.to(scores.dtype) * expected).sum(dim=(1, 2))

    def _of_law(self, scores: Tensor, gold: GoldTrees) -> Tensor:
        """Risk or softmax-margin with a loss of n that is not affine, by the law of n."""
        table = count_table(self.loss, gold.lengths, scores.shape[1] - 1).to(scores.device)
        right = (torch.softmax(scores, dim=-1) * right_arcs(scores, gold, self.labelled)).sum(-1)
        summed = torch.logsumexp(scores, dim=-1)
        law = count_law(summed, gold.lengths, right.double(), self.single_root)
        if self.objective == "risk":
            return (law * table).sum(dim=1).to(scores.dtype)
        mean = (law * torch.exp(self.tau * table)).sum(dim=1)
        log_z = log_partition(summed, gold.lengths, self.single_root)
        return (log_z + torch.log(mean)).to(scores.dtype) - gold_scores(scores, gold)

    def _violation(self, scores: Tensor, gold: GoldTrees, costs: Costs | None) -> Tensor:
        """max over trees of score + tau * loss, less gold's score; never below 0."""
        added = scores if costs is None else scores + self.tau * costs.arcs
        best = best_trees(added, gold.lengths, self.single_root)
        constant = 0.0 if costs is None else self.tau * costs.constant
        over = gold_scores(added, best) + constant - gold_scores(scores, gold)
        return over.clamp(min=0.0)

    def _needed(self, costs: Costs | None) -> Costs:
        if costs is None:
            raise ConfigError(
                f"the hinge over all trees does not support {self.loss.name}: it is not affine in "
                "the number of correct arcs. Use ForestLoss over projective trees"
            )
        return costs

    def _costs(self, scores: Tensor, gold: GoldTrees) -> Costs | None:
        right = right_arcs(scores, gold, self.labelled).to(scores.dtype)
        if self.loss.of_parts is not None:
            due = right_arcs(scores, gold, False).expand_as(right)
            n, c = right.long().cpu().numpy(), due.long().cpu().numpy()
            costs = torch.from_numpy(np.asarray(self.loss.of_parts(n, np.ones_like(n), c)))
            return Costs(scores.new_zeros(len(scores)), costs.to(scores))
        table = count_table(self.loss, gold.lengths, scores.shape[1] - 1)
        lengths = gold.lengths.cpu()
        last = table.gather(1, lengths[:, None])[:, 0]
        slope = (last - table[:, 0]) / lengths.clamp(min=1)
        line = table[:, :1] + slope[:, None] * torch.arange(table.shape[1])
        inside = torch.arange(table.shape[1]) <= lengths[:, None]
        if not torch.allclose(line[inside], table[inside], rtol=0.0, atol=1e-13):
            return None
        return Costs(table[:, 0].to(scores), slope.to(scores)[:, None, None, None] * right)


def count_table(loss: Loss, lengths: Tensor, longest: int) -> Tensor:
    """The loss of n right arcs for n = 0 .. longest: float64 [sentences, longest + 1]."""
    assert loss.of_counts is not None
    n = np.arange(longest + 1)
    rows = [
        loss.of_counts(np.minimum(n, words), np.full_like(n, words), words)
        for words in lengths.tolist()
    ]
    return torch.from_numpy(np.array(rows, dtype=np.float64))


def gold_scores(scores: Tensor, trees: GoldTrees) -> Tensor:
    """The scores of given trees: [sentences]."""
    longest = trees.heads.shape[1]
    sentence = torch.arange(len(scores), device=scores.device)[:, None]
    word = torch.arange(1, longest + 1, device=scores.device)
    chosen = scores[sentence, trees.heads.clamp(min=0), word, trees.labels.clamp(min=0)]
    return torch.where(is_word(trees.lengths, longest)[:, 1:], chosen, 0.0).sum(dim=1)


def right_arcs(scores: Tensor, gold: GoldTrees, labelled: bool) -> Tensor:
    """Which arcs gold has: bool [sentences, heads, words, labels], or 1 in place of labels."""
    positions = torch.arange(scores.shape[1], device=scores.device)
    heads = nn.functional.pad(gold.heads, (1, 0), value=-1)
    right = (heads[:, None, :] == positions[:, None])[..., None]
    if labelled:
        labels = nn.functional.pad(gold.labels, (1, 0), value=-1)
        numbers = torch.arange(scores.shape[3], device=scores.device)
        right = right & (labels[:, None, :, None] == numbers)
    return right & is_word(gold.lengths, scores.shape[1] - 1)[:, None, :, None]


def best_trees(scores: Tensor, lengths: Tensor, single_root: bool = True) -> GoldTrees:
    """The best tree of every sentence, of scores [sentences, heads, words, labels]."""
    best, label = scores.detach().max(dim=-1)
    arcs, labels = best.double().cpu().numpy(), label.cpu().numpy()
    longest = scores.shape[1] - 1
    heads = np.zeros((len(scores), longest), np.int64)
    names = np.zeros_like(heads)
    for row, words in enumerate(lengths.tolist()):
        tree = spanning_trees(arcs[row, : words + 1, : words + 1], 1, single_root)[0][1]
        heads[row, :words] = tree
        names[row, :words] = labels[row, tree, np.arange(1, words + 1)]
    device = scores.device
    found_heads, found_labels = torch.from_numpy(heads), torch.from_numpy(names)
    return GoldTrees(found_heads.to(device), found_labels.to(device), lengths)
