"""A reference for the coarse model of CCG charts, on single derivations."""

from math import log

import numpy as np

from tests.ccg_brute import BINARY_FORMS, Brute, Derived, Key


class CoarseTwin:
    """The coarse model on single derivations."""

    def __init__(self, case: Brute) -> None:
        self.case = case
        self.tables, coarse = case.grammar.tables, case.grammar.coarse
        self.rules = coarse.rule_scores(self.tables)
        self.roots = coarse.root_scores(self.tables)
        self.categories = coarse.categories
        own = coarse.entry_scores(self.tables)[case.cells.entry]
        self.cells = own if case.cells.score is None else own + case.cells.score

    def own(self, step: Derived) -> float:
        if not step.children:
            return float(self.cells[step.rule[0]])
        texts = [c.item.marked.category.text for c in step.children]
        name = (texts[0], "".join(texts[1:]), step.item.marked.category.text)
        return float(self.rules[self.tables.names.get(name)])

    def parse(self, parse: Derived) -> float:
        root = float(self.roots[self.tables.symbols.get(parse.item.marked)])
        return root + sum(map(self.own, parse.below()))

    def survivors(self, margin: float) -> set[Derived]:
        """The derivations whose edges are within the margin of their spans' best ones."""
        kept: set[Derived] = set()
        inside: dict[Key, float] = {}
        for (begin, end), made in self.case.spans.items():
            whole = end - begin == self.case.cells.words
            for each in made:  # those below a unary rule come first
                if kept.issuperset(each.children):
                    kept.add(each)
                    node = self.node(each)
                    inside[node] = max(inside.get(node, -np.inf), self.through(each, inside))
            here = {d: self.merit(d, inside) for d in made if d in kept}
            lowest = -np.inf if whole else max(here.values(), default=0.0) - margin
            gone = {d for d, merit in here.items() if merit < lowest}
            kept -= {d for d in here if gone.intersection(d.below())}
        return kept

    def node(self, step: Derived) -> Key:
        form = BINARY_FORMS.get(step.kind, 0) if step.kind and self.case.normal_form else 0
        return step.begin, step.end, step.item.marked, form, step.level

    def through(self, step: Derived, inside: dict[Key, float]) -> float:
        return self.own(step) + sum(inside[self.node(child)] for child in step.children)

    def merit(self, step: Derived, inside: dict[Key, float]) -> float:
        prior = log(self.categories[step.item.marked.category.text] + 1)
        return self.through(step, inside) + prior
