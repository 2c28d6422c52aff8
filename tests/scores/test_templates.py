"""The template language: its syntax, and the templates that docs/features.md shows."""

import re
from collections.abc import Callable, Sequence

import pytest

from tests.markdown import ROOT
from treewright.errors import ConfigError
from treewright.grammar.words import Vocabulary
from treewright.scores.ccg.templates import CcgEncoder
from treewright.scores.constituency.templates import SpanEncoder
from treewright.scores.dependency import arc_templates, state_templates
from treewright.scores.dependency.encoder import ATTRIBUTES
from treewright.scores.dependency.state_sets import CACHED
from treewright.scores.features.templates import Atom, Group, Language, compile_groups
from treewright.scores.tagging.encoder import TaggerEncoder

LANGUAGE = Language(("a", "b"), ("size",), ("big", "small"))
COMPILERS: dict[str, Callable[[Sequence[str]], object]] = {
    "Taggers": lambda texts: TaggerEncoder(texts, True),
    "CCG": CcgEncoder,
    "Constituency": lambda texts: SpanEncoder(Vocabulary(()), texts),
    "Dependency: arcs": arc_templates.compile_templates,
    "Dependency: transitions": lambda texts: state_templates.compile_templates(
        texts, ATTRIBUTES, CACHED
    ),
}


def shown(heading: str) -> list[str]:
    """The templates under a heading of the page, without what is said of them."""
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1]
    block = section.split("```text\n")[1].split("```")[0]
    return [line.split("  ")[0] for line in block.splitlines()]


@pytest.mark.parametrize("heading", COMPILERS)
def test_the_page_of_features_shows_templates_that_compile(heading: str) -> None:
    texts = shown(heading)
    assert len(texts) > 3
    COMPILERS[heading](texts)
    with pytest.raises(ConfigError):
        COMPILERS[heading]([*texts, "nothing@nowhere"])


def test_templates_of_a_configuration_on_that_page_compile() -> None:
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    texts = re.findall(r'"((?:span|rule): [^"]*)"', page)
    assert len(texts) == 2
    SpanEncoder(Vocabulary(()), texts)


def test_atoms() -> None:
    found = LANGUAGE.parse("big: small: word@a[-2] size size@a:b upos@b?")
    assert found.marks == ("big", "small")
    assert found.atoms == (
        Atom("word", "a", -2),
        Atom("size"),
        Atom("size", "a", other="b"),
        Atom("upos", "b", optional=True),
    )
    assert LANGUAGE.attributes([found]) == ["word", "upos"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("big:", "empty"),
        ("huge: size", "no mark 'huge': big, small"),
        ("size big: size", "no mark|marks come first"),
        ("word@c", "no place 'c': a, b"),
        ("word@a:c", "no place 'c'"),
        ("word", "has no place"),
        ("Word@a", "not like"),
        ("word@a[100]", "not like"),
    ],
)
def test_errors_name_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        LANGUAGE.parse(text)


def test_unknown_attributes_are_refused() -> None:
    group = Group(0, [(0, LANGUAGE.parse("colour@a").atoms)])
    with pytest.raises(ConfigError, match="no attribute 'colour'"):
        compile_groups(LANGUAGE, [group], ["word"], 1)


def test_groups_with_many_atoms_are_cut() -> None:
    names = [f"x{i}" for i in range(300)]
    atoms = [(i, (Atom(name, "a"),)) for i, name in enumerate(names)]
    assert len(compile_groups(LANGUAGE, [Group(0, atoms)], names, 1)) == 300
