r"""Default lambda terms for categories that are not in `semantics.toml`.

A word predicates the final result of its category, over its arguments in slot order: a verb an
event, `\F.exists e.($w(e,...) & F(e))`, a modifier the phrase that it modifies. A noun phrase
takes scope over what follows, a clause is a formula, a verb phrase a function of its subject.
"""

from typing import NamedTuple

from treewright.grammar.category import Category
from treewright.grammar.gaps import bottom


class Core(NamedTuple):
    """The term of a category's final result: a variable, its predication, and the text around.

    `{}` is replaced by the predicate; noun phrases take scope over `said`.
    """

    before: str
    said: str
    after: str
    variable: str


ATOMS = {
    "S": Core(r"\F.", "exists e.({} & F(e))", "", "e"),
    "N": Core(r"\x.", "{}", "", "x"),
    "NP": Core(r"\E.\P.", "P({})", "", ""),
    "PP": Core(r"\E.\P.", "P({})", "", ""),
}
MODIFIED = {
    "S": Core(r"\S.\F.S(\e.", "({} & F(e))", ")", "e"),
    r"S\NP": Core(r"\V.\Q.\F.V(Q)(\e.", "({} & F(e))", ")", "e"),
    "NP": Core(r"\R.\E.\P.R(\x.(", "{}", " & E(x)))(P)", "x"),
    "N": Core(r"\N.\x.(N(x) & ", "{}", ")", "x"),
}


def default_term(category: Category) -> str | None:
    """The default template of a category; None if the rules of this module do not apply."""
    arguments = []
    here = category
    while here.is_functor and not here.is_modifier:
        arguments.append(here.argument)
        here = here.result
    core = MODIFIED.get(_shape(here.argument)) if here.is_functor else ATOMS.get(here.base)
    if core is None or not arguments:
        return None
    values = [_value(place, argument) for place, argument in enumerate(arguments)]
    predicate = f"$w({','.join(filter(None, [core.variable, *reversed(values)]))})"
    body = core.before + _scoped(arguments, core.said.format(predicate)) + core.after
    return "".join(rf"\a{place}." for place in range(len(arguments))) + body


def _shape(category: Category) -> str:
    r"""The modified phrase without features: S, `S\NP`, NP or N."""
    if not category.is_functor:
        return category.base
    verb_phrase = category.slash == "\\" and (category.result.base, category.argument.base)
    return r"S\NP" if verb_phrase == ("S", "NP") else ""


def _value(place: int, argument: Category) -> str:
    """An argument as it occurs in the predicate."""
    if argument.base in {"NP", "PP"}:
        return f"x{place}"
    if argument.base == "S":
        return f"a{place}(ANY)"
    gap = argument.is_functor and not argument.result.is_functor and bottom(argument).base == "S"
    if gap and argument.argument.base in {"NP", "PP"}:
        return rf"\y.a{place}(ONE(y))(ANY)"
    return f"a{place}"


def _scoped(arguments: list[Category], said: str) -> str:
    """The predication inside the scopes of noun phrases; the first slot has the widest scope."""
    for place, argument in enumerate(arguments):
        if argument.base in {"NP", "PP"}:
            said = rf"a{place}(ANY)(\x{place}.{said})"
    return said
