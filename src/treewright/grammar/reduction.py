"""Reduction of lambda terms: capture-avoiding substitution, and application in normal order.

True conjuncts are dropped, and a variable that equals a name is replaced by the name.
"""

from dataclasses import replace

from treewright.errors import GrammarError
from treewright.grammar.terms import (
    Apply,
    Joined,
    Lambda,
    Name,
    Negated,
    Quantified,
    Term,
    free_names,
    rebuilt,
    variants,
)

MAX_STEPS = 20_000
TRUE = "true"


def substitute(term: Term, variable: str, value: Term) -> Term:
    """The term with a variable replaced by a value; bound variables are renamed if needed."""
    if isinstance(term, Name):
        return value if term.name == variable else term
    if isinstance(term, Lambda | Quantified):
        if term.variable == variable:
            return term
        bound, body = _renamed(term.variable, term.body, value)
        return replace(term, variable=bound, body=substitute(body, variable, value))
    return rebuilt(term, lambda part: substitute(part, variable, value))


def _renamed(bound: str, body: Term, value: Term) -> tuple[str, Term]:
    taken = free_names(value)
    if bound not in taken:
        return bound, body
    new = next(variants(bound, taken | free_names(body)))
    return new, substitute(body, bound, Name(new))


def reduced(term: Term) -> Term:
    """The normal form of a term, simplified."""
    try:
        return _Reduction().normal(term)
    except RecursionError:
        raise GrammarError("a meaning is nested too deep") from None


class _Reduction:
    """Beta reduction in normal order, with a limit on its steps."""

    def __init__(self) -> None:
        self.steps = 0

    def normal(self, term: Term) -> Term:
        head = self.head(term)
        match head:
            case Name():
                return head
            case Lambda(variable, body):
                return Lambda(variable, self.normal(body))
            case Apply(one, two):
                return Apply(self.normal(one), self.normal(two))
            case Negated(body):
                return _negation(self.normal(body))
            case Joined(operator, one, two):
                return _joined(operator, self.normal(one), self.normal(two))
            case Quantified(quantifier, variable, body):
                return _quantified(quantifier, variable, self.normal(body))

    def head(self, term: Term) -> Term:
        """The term with functions at its head applied."""
        while isinstance(term, Apply):
            function = self.head(term.function)
            if not isinstance(function, Lambda):
                return Apply(function, term.argument)
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise GrammarError(f"reducing a meaning takes more than {MAX_STEPS} steps")
            term = substitute(function.body, function.variable, term.argument)
        return term


def _negation(body: Term) -> Term:
    return body.body if isinstance(body, Negated) else Negated(body)


def _joined(operator: str, left: Term, right: Term) -> Term:
    """A formula without redundant `true`."""
    true = Name(TRUE)
    if operator == "&":
        parts = [*_conjuncts(left), *_conjuncts(right)]
        return conjunction([part for part in parts if part != true])
    if operator == "|":
        return _chain(operator, [*_operands(operator, left), *_operands(operator, right)])
    return right if operator == "->" and left == true else Joined(operator, left, right)


def _quantified(quantifier: str, variable: str, body: Term) -> Term:
    """A quantified formula; a variable that equals a name is replaced by it."""
    if quantifier != "exists":
        return Quantified(quantifier, variable, body)
    for part in _conjuncts(body):
        if (value := _equal(part, variable)) is not None:
            kept = [each for each in _conjuncts(body) if each is not part]
            return substitute(conjunction(kept), variable, value)
    return Quantified(quantifier, variable, body) if variable in free_names(body) else body


def _equal(part: Term, variable: str) -> Term | None:
    """The name that a formula equates with a variable, or None."""
    if not isinstance(part, Joined) or part.operator != "=":
        return None
    for one, other in (part.left, part.right), (part.right, part.left):
        if one == Name(variable) and variable not in free_names(other):
            return other
    return None


def _conjuncts(term: Term) -> list[Term]:
    return _operands("&", term)


def _operands(operator: str, term: Term) -> list[Term]:
    if isinstance(term, Joined) and term.operator == operator:
        return _operands(operator, term.left) + _operands(operator, term.right)
    return [term]


def conjunction(parts: list[Term]) -> Term:
    """Formulas joined by `&`; `true` if there are none."""
    return _chain("&", parts) if parts else Name(TRUE)


def _chain(operator: str, parts: list[Term]) -> Term:
    term = parts[-1]
    for part in reversed(parts[:-1]):
        term = Joined(operator, part, term)
    return term
