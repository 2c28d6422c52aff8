"""A coarse model from counts, which says what of a chart is worth a closer look."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

import numpy as np

from treewright.arrays import Floats
from treewright.data.records import Derivation, Node, preorder
from treewright.grammar.tables import Tables

UNSEEN = 0.1  # counts of what a treebank does not show


@dataclass
class Coarse:
    """A coarse model from counts: how often each rule, category and root occurs in a treebank.

    The joint probability of a derivation under the product of p(rule | result) and the tagger's
    p(entry | word), the latter turned round by Bayes's rule: a word's factor is its posterior over
    the number of times that its category occurs at all.
    """

    rules: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    roots: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, derivations: Iterable[Derivation]) -> "Coarse":
        """Count what derivations show."""
        found = cls()
        for derivation in derivations:
            found.roots[derivation.root.category] += 1
            for tree in preorder(derivation.root):
                found.categories[tree.category] += 1
                if isinstance(tree, Node):
                    texts = [child.category for child in tree.children]
                    found.rules[texts[0], "".join(texts[1:]), tree.category] += 1
        return found

    def rule_scores(self, tables: Tables) -> Floats:
        """log p(rule | result) of every rule over categories."""
        logs = [log(self.rules[n] + UNSEEN) - self._log_total(n[2]) for n in tables.names]
        return np.array(logs, dtype=np.float64)

    def root_scores(self, tables: Tables) -> Floats:
        """log p(root) of every symbol."""
        total = log(self.roots.total() + 1)
        logs = [log(self.roots[s.category.text] + UNSEEN) - total for s in tables.symbols]
        return np.array(logs, dtype=np.float64)

    def priors(self, tables: Tables) -> Floats:
        """log of how often the category of every symbol occurs."""
        logs = [self._log_total(symbol.category.text) for symbol in tables.symbols]
        return np.array(logs, dtype=np.float64)

    def entry_scores(self, tables: Tables) -> Floats:
        """What a lexical entry adds to its posterior's logarithm."""
        logs = [-self._log_total(entry.category.text) for entry in tables.entries]
        return np.array(logs, dtype=np.float64)

    def _log_total(self, category: str) -> float:
        return log(self.categories[category] + 1)
