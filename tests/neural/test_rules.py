"""Rules of CCG derivations as labels of spans: their loss beside sums by hand."""

import numpy as np
import torch

from treewright.forests.ccg.rules import RARE, RARE_UNARY
from treewright.neural.heads import RuleHead
from treewright.neural.rules import RulePart

LABELS = RARE, RARE_UNARY, "NP", "S", "NP N", "S/NP NP"
BINARY, UNARY = [0, 2, 3], [1, 4, 5]
GOLD = [
    (3, np.array([[0, 3, 3], [1, 3, 2], [0, 1, 4], [0, 1, 5]])),  # a chain of two unary rules
    (1, np.zeros((0, 3), np.int64)),
]


def test_a_span_has_one_result_and_one_unary_rule_or_none() -> None:
    torch.manual_seed(0)
    scores = torch.randn(2, 4, 4, 6, dtype=torch.float64, requires_grad=True)
    value = RulePart("rules", LABELS, {}).loss(scores, GOLD)
    due = torch.zeros((), dtype=torch.float64)
    for table, (words, rows) in zip(scores, GOLD, strict=True):
        gold = {(begin, end): [] for begin in range(words) for end in range(begin + 1, words + 1)}
        for begin, end, label in rows.tolist():
            gold[begin, end].append(label)
        for (begin, end), labels in gold.items():
            for group in (BINARY, UNARY):
                if group is BINARY and end - begin == 1:
                    continue
                row = [torch.zeros((), dtype=torch.float64), *table[begin, end, group]]
                logs = torch.log_softmax(torch.stack(row), dim=0)
                right = [group.index(label) + 1 for label in labels if label in group] or [0]
                due = due - logs[right].mean()
    torch.testing.assert_close(value, due)
    (found,) = torch.autograd.grad(value, scores, retain_graph=True)
    (wanted,) = torch.autograd.grad(due, scores)
    torch.testing.assert_close(found, wanted)
    assert torch.autograd.gradcheck(lambda x: RulePart("rules", LABELS, {}).loss(x, GOLD), scores)


def test_the_best_labels_are_counted() -> None:
    scores = torch.full((2, 4, 4, 6), -1.0)
    scores[0, 0, 3, 3] = scores[0, 0, 1, 4] = 1.0  # right
    scores[0, 1, 3, 3] = scores[0, 0, 1, 2] = 1.0  # wrong; too short for a binary rule
    scores[1, 0, 2, 3] = 1.0  # behind the end
    part = RulePart("rules", LABELS, {})
    assert part.count(scores, GOLD) == (2, 3, 4)
    assert part.figures(np.array([2.0, 3.0, 4.0])) == {"dev_rules_f1": 400 / 7}


def test_a_new_head_finds_most_spans_unlabelled() -> None:
    torch.manual_seed(0)
    for labels in (6, 200):
        scores = RuleHead(8, labels, 16, 0.0)(torch.randn(2, 9, 8)).detach()
        none = 1 / (1 + scores.exp().sum(dim=3))
        assert 0.8 < none.mean().item() < 0.95


def test_a_head_learns_them() -> None:
    torch.manual_seed(0)
    head, part = RuleHead(8, 6, 16, 0.0), RulePart("rules", LABELS, {})
    vectors = torch.randn(2, 4, 8)
    adam = torch.optim.Adam(head.parameters(), lr=0.01)
    values = []
    for _ in range(150):
        value = part.loss(head(vectors), GOLD)
        adam.zero_grad()
        value.backward()
        adam.step()
        values.append(value.item())
    assert values[-1] < 0.1 * values[0]
    assert part.count(head(vectors).detach(), GOLD)[0] >= 3
