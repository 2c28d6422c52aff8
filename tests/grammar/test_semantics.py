r"""Meanings of sentences in CCGbank's dialect, and the terms that they are written in."""

import json
from pathlib import Path

import pytest

from tests.grammar.ccgbank_cases import cases
from treewright.data.records import Derivation, Leaf, Node
from treewright.errors import ConfigError, GrammarError
from treewright.formats.ccg.semantics import format_sem, format_sem_json, format_sem_tree
from treewright.grammar.category import parse
from treewright.grammar.default_terms import default_term
from treewright.grammar.reduction import reduced
from treewright.grammar.semantics import fits, meaning, templates
from treewright.grammar.terms import format_term, free_names, parse_term

CASES = {case.name: case.derivation for case in cases()}
LINES = (Path(__file__).parent / "meanings.txt").read_text(encoding="utf-8").splitlines()
OTHER = Path(__file__).parent / "meanings_without_features.txt"
OTHER_LINES = OTHER.read_text(encoding="utf-8").splitlines()
EXPECTED = dict(line.split(": ", 1) for line in LINES)


@pytest.mark.parametrize("name", EXPECTED)
def test_meaning(name: str) -> None:
    assert format_term(meaning(CASES[name]).term) == EXPECTED[name]


def test_there_are_enough_meanings() -> None:
    assert len(EXPECTED) > 60


def test_every_category_of_the_cases_has_a_template() -> None:
    known = [parse(each.category) for each in templates().template]
    found = {leaf.category for derivation in CASES.values() for leaf in derivation.leaves}
    lacking = [c for c in found if not any(fits(pattern, parse(c)) for pattern in known)]
    rest = sorted(c for c in lacking if "S" in c or c.startswith("N"))
    assert rest == ["PP/(S[dcl]/NP)"]


def without_features(line: str) -> Derivation:
    """`[S ... ]` of words as `word|POS|category` and of nodes."""
    open_nodes: list[list[str | Node | Leaf]] = [[]]
    for item in line.split():
        if item == "]":
            category, *children = open_nodes.pop()
            open_nodes[-1].append(Node(str(category), tuple(children)))  # type: ignore[arg-type]
        elif item.startswith("["):
            open_nodes.append([item[1:]])
        else:
            word, pos, category = item.split("|")
            open_nodes[-1].append(Leaf(category, word, pos, pos))
    return Derivation("1", open_nodes[0][0])  # type: ignore[arg-type]


@pytest.mark.parametrize("line", OTHER_LINES)
def test_meanings_in_a_dialect_without_features(line: str) -> None:
    derivation, expected = line.split(": ", 1)
    assert format_term(meaning(without_features(derivation)).term) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"(\x.\y.like(y,x))(tea)(mary)", "like(mary,tea)"),
        (r"(\P.\x.P(x))(\y.f(x,y))", r"\x1.f(x,x1)"),
        (r"(\x.\y.x)(y)", r"\y1.y"),
        (r"exists x.(x = mary & run(x))", "run(mary)"),
        (r"exists x.(run(x) & mary = x)", "run(mary)"),
        (r"all x.(dog(x) & true -> bark(x))", "all x.(dog(x) -> bark(x))"),
        (r"exists e.(true & run(rex))", "run(rex)"),
        (r"--run(rex)", "run(rex)"),
        (r"(a & b) & c", "a & b & c"),
        (r"(a | b) | c", "a | b | c"),
        (r"a & (b | c) -> -(d & e)", "a & (b | c) -> -(d & e)"),
        (r"exists e.(f(e) & exists e.g(e))", "exists e.(f(e) & exists e1.g(e1))"),
    ],
)
def test_terms_are_reduced(text: str, expected: str) -> None:
    term = reduced(parse_term(text))
    assert format_term(term) == expected
    assert format_term(reduced(parse_term(expected))) == expected


@pytest.mark.parametrize("text", ["", r"\x", "f(", "f(a", "(a", "a b", "f(a,)", "a &", "ä;"])
def test_malformed_terms(text: str) -> None:
    with pytest.raises(ValueError, match="term"):
        parse_term(text)


@pytest.mark.parametrize("text", ["(" * 9999, "-" * 9999 + "a", "a&" * 9999 + "a", "\\x." * 9999])
def test_terms_far_too_deep(text: str) -> None:
    with pytest.raises(ValueError, match="a term is more than 60 deep"):
        parse_term(text)


def test_macros_are_checked_when_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('macros.A = "f("\n')
    with pytest.raises(ConfigError, match=r"table\.toml: a term"):
        templates(tmp_path / "table.toml")


def test_terms_that_never_end() -> None:
    with pytest.raises(GrammarError, match=r"steps|deep"):
        reduced(parse_term(r"(\x.x(x))(\x.x(x))"))


DEFAULT_TERMS = {
    r"((S[dcl]\NP)/S[em])/PP": r"\a0.\a1.\a2.\F.a2(ANY)(\x2.a0(ANY)(\x0."
    r"exists e.($w(e,x2,a1(ANY),x0) & F(e))))",
    r"((S\NP)\(S\NP))/PP": r"\a0.\V.\Q.\F.V(Q)(\e.a0(ANY)(\x0.($w(e,x0) & F(e))))",
    r"(NP\NP)/PP": r"\a0.\R.\E.\P.R(\x.(a0(ANY)(\x0.$w(x,x0)) & E(x)))(P)",
    r"(S[q]/(S[q]/NP))/NP": r"\a0.\a1.\F.a0(ANY)(\x0."
    r"exists e.($w(e,\y.a1(ONE(y))(ANY),x0) & F(e)))",
    r"N/S[qem]": r"\a0.\x.$w(x,a0(ANY))",
}


@pytest.mark.parametrize("category", DEFAULT_TERMS)
def test_categories_without_a_template(category: str) -> None:
    assert default_term(parse(category)) == DEFAULT_TERMS[category]
    parse_term(DEFAULT_TERMS[category])


@pytest.mark.parametrize("category", ["NP", "PR", r"(N/N)/(N/N)", r"PP/PP\NP"])
def test_categories_that_stay_constants(category: str) -> None:
    assert default_term(parse(category)) is None


def test_templates_are_closed() -> None:
    table = templates()
    known = {"$w", "ANY", "ONE", "IS", "true", "of", "be", "as", "to", "person", "someone"}
    terms = [each.term for each in table.template] + [each.term for each in table.unary]
    assert set().union(*(free_names(parse_term(text)) for text in terms)) <= known


def test_formats() -> None:
    derivation = CASES["adverb after the verb"]
    assert format_sem(derivation, ()) == "exists e.(sings(e,he) & well(e))\n"
    found = json.loads(format_sem_json(derivation, ()))
    assert found["meaning"] == "exists e.(sings(e,he) & well(e))"
    assert found["nodes"][0] == {"category": "NP", "word": 0, "term": r"\E.\P.P(he)"}
    assert found["nodes"][-1]["children"] == [0, 3]
    lines = format_sem_tree(derivation, ()).splitlines()
    assert lines[1].startswith("<  S[dcl]  ")
    assert lines[2] == r"├─ He  NP  \E.\P.P(he)"


def test_what_has_no_parse_has_no_meaning() -> None:
    words = Leaf("NP", "a", "X", "X"), Leaf("PP", "b", "X", "X")
    broken = Derivation("x", Node("FRAG", words))
    assert format_sem(broken, ()) == "none\n"
    assert json.loads(format_sem_json(broken, ()))["meaning"] is None
