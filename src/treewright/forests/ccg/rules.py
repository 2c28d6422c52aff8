"""The rules of CCG charts as labels of spans, for networks that score them.

A binary rule is named after its result, a unary rule after its result and its child. Rare rules
share a label, and so do rare unary rules.
"""

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from treewright.arrays import Indices
from treewright.errors import ForestError
from treewright.forests.ccg.chart import CcgChart, PartKind
from treewright.forests.ccg.grammar import CoreGrammar

BETWEEN = " "  # between the result of a unary rule and its child
RARE, RARE_UNARY = "*", f"*{BETWEEN}*"


def rule_label(result: str, children: Sequence[str]) -> str:
    """The label of a rule."""
    return result if len(children) > 1 else f"{result}{BETWEEN}{children[0]}"


def is_unary(label: str) -> bool:
    """Whether a label is that of a unary rule."""
    return BETWEEN in label


class RuleParts(NamedTuple):
    """The parts of a chart that are rules, with their spans and labels: arrays [rule parts]."""

    part: Indices
    begin: Indices
    end: Indices
    label: Indices


class RuleLabels:
    """Numbers of labels, including those of rare rules."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.numbers = {name: number for number, name in enumerate(names)}
        if lacking := {RARE, RARE_UNARY} - self.numbers.keys():
            raise ForestError(f"labels of rules lack {min(lacking)!r}")
        self._of_grammar: WeakKeyDictionary[CoreGrammar, Indices] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self.names)

    def number(self, label: str) -> int:
        """The number of a label; a rare one has that of all rare ones."""
        rare = RARE_UNARY if is_unary(label) else RARE
        return self.numbers.get(label, self.numbers[rare])

    def parts(self, chart: CcgChart) -> RuleParts:
        """The rules of a chart whose parts know their spans."""
        kind, rule, _, _, begin, _, end = chart.parts.T
        part = np.flatnonzero((kind == PartKind.BINARY) | (kind == PartKind.UNARY))
        if (begin[part] < 0).any():
            raise ForestError("scores of rules need a chart with spans")
        labels = self._of_rules(chart)[rule[part]]
        return RuleParts(part.astype(np.int32), begin[part], end[part], labels)

    def _of_rules(self, chart: CcgChart) -> Indices:
        """The label of each rule of the chart's grammar."""
        if chart.tables not in self._of_grammar:
            names = chart.grammar.tables.names.things
            labels = np.array([self.number(_label(*name)) for name in names], np.int32)
            numbers = np.array([rule.number for rule in chart.tables.rules], np.int64)
            self._of_grammar[chart.tables] = labels[numbers]
        return self._of_grammar[chart.tables]


def _label(left: str, right: str, result: str) -> str:
    """The label of a rule in a grammar's tables; a unary rule has an empty right side."""
    return rule_label(result, (left, right) if right else (left,))
