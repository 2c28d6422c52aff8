"""Head variables and slots: notations, default rules, schemas, markedup files."""

from pathlib import Path

import pytest

from treewright.errors import FormatError
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.markedup import read_markedup, write_markedup
from treewright.grammar.markup import mark, read_entry
from treewright.grammar.notation import parse_annotated
from treewright.grammar.rules import Kind, Step
from treewright.grammar.schema import schema, unary_schema

MARKEDUP = r"""# what follows a hash is a comment
S\NP
  1 (S{_}\NP{Y}<1>){_}
  1 relations are passed over

(S\NP)/(S\NP)
  1 ((S{Y}\NP{Z}){Y}/(S{Y}<2>\NP{Z}){Y}){_}

(S\NP)/(S\NP)
  2 ((S{_}\NP{Y}<1>){_}/(S{Z}<2>\NP{Y*}){Z}){_}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NP{3}", "NP{0}"),
        (r"((S{3}\NP{1}){3}/NP{4}){3}", r"((S{0}\NP{1}<1>){0}/NP{2}<2>){0}"),
        ("(NP{7}/NP{7}){5}", "(NP{1}/NP{1}<1>){0}"),
        (
            r"(((S{5}\NP{2}){5}\(S{5}\NP{2}){5}){9}/NP{9}){8}",
            r"(((S{2}\NP{3}){2}\(S{2}\NP{3}){2}<2>){1}/NP{1}<3>){0}",
        ),
        ("N_73/N_73", "(N{1}/N{1}<1>){0}"),
        (
            r"(S[dcl]\NP_10)/(S[b]_11\NP_10:B)_11",
            r"((S[dcl]{0}\NP{1}<1>){0}/(S[b]{2}\NP{1}){2}<2>){0}",
        ),
        (r"(NP_99\NP_99)/NP_100", r"((NP{1}\NP{1}<1>){0}/NP{2}<2>){0}"),
        (r"S[em]/S[dcl]_257", "(S[em]{0}/S[dcl]{1}<1>){0}"),
        (r"((S{Y}\NP{Z}){Y}/(S{Y}<2>\NP{Z}){Y}){_}", r"((S{1}\NP{2}){1}/(S{1}<2>\NP{2}){1}){0}"),
    ],
)
def test_notations(text: str, expected: str) -> None:
    entry = read_entry(text)
    assert str(entry) == expected
    assert read_entry(str(entry)) == entry


@pytest.mark.parametrize(
    "text", ["", "(", "S{1", "{1}S", "(S/NP", "S/{1}", "S{1}}", "/NP", "S NP", "<1>", "(A{1}B)"]
)
def test_malformed_annotation(text: str) -> None:
    with pytest.raises(ValueError, match="not an annotated category"):
        parse_annotated(text)


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("N/N", "(N{1}/N{1}<1>){0}"),
        ("NP[nb]/N", "(NP[nb]{1}/N{1}<1>){0}"),
        (r"(S\NP)/(S\NP)", r"((S{1}\NP{2}){1}/(S{1}\NP{2}){1}<2>){0}"),
        (r"(NP\NP)/NP", r"((NP{1}\NP{1}<1>){0}/NP{2}<2>){0}"),
        (r"(NP\NP)/(S[dcl]/NP)", r"((NP{1}\NP{1}<1>){0}/(S[dcl]{2}/NP{1}){2}<2>){0}"),
        (
            r"((S[dcl]\NP)/(S[to]\NP))/NP",
            r"(((S[dcl]{0}\NP{1}<1>){0}/(S[to]{2}\NP{3}){2}<2>){0}/NP{3}<3>){0}",
        ),
    ],
)
def test_default_entries(category: str, expected: str) -> None:
    assert str(default_entry(parse(category))) == expected


@pytest.mark.parametrize(
    ("child", "result", "expected"),
    [
        ("N", "NP", "(NP{1}/N{1}){0}"),
        (r"S[ng]\NP", r"NP\NP", r"((NP{2}\NP{2}){1}/(S[ng]{1}\NP{2}){1}){0}"),
        ("NP", r"S/(S\NP)", r"((S{2}/(S{2}\NP{1}){2}){1}/NP{1}){0}"),
        (r"S\NP", r"(S\NP)\(S\NP)", r"(((S{2}\NP{3}){2}\(S{2}\NP{3}){2}){1}/(S{1}\NP{3}){1}){0}"),
    ],
)
def test_default_unary_rules(child: str, result: str, expected: str) -> None:
    assert str(default_unary(parse(child), parse(result))) == expected


def test_a_schema_is_made_once_and_says_which_child_is_head() -> None:
    step = Step(Kind.FORWARD_APPLICATION, parse(r"S\NP"))
    has, wants = (
        read_entry(text).marked
        for text in (
            r"((S{1}\NP{2}){1}/(S{1}\NP{2}){1}){0}",
            r"((S{0}\NP{1}){0}/(S{2}\NP{1}){2}){0}",
        )
    )
    verb = read_entry(r"(S{0}\NP{1}){0}").marked
    assert schema(step, has, verb) is schema(step, has, verb)
    assert schema(step, has, verb).head == 1
    assert schema(step, wants, verb).head == 0
    assert str(schema(step, wants, verb).result) == r"(S{0}\NP{1}){0}"
    assert schema(step, wants, verb).maps == ((0, 1, 2), (2, 1))


def test_a_unary_rule_is_an_invisible_functor() -> None:
    rule = default_unary(parse(r"S\NP"), parse(r"NP\NP"))
    made = unary_schema(rule, read_entry(r"(S{0}\NP{1}){0}").marked)
    assert str(made.result) == r"(NP{1}\NP{1}){0}"
    assert made.maps[1] == (0, 1)


def test_marks_must_fit() -> None:
    with pytest.raises(ValueError, match="2 heads for the 3 nodes"):
        mark(parse(r"S\NP"), [1, 2])


def test_markedup_files(tmp_path: Path) -> None:
    path, copy = tmp_path / "markedup", tmp_path / "copy"
    path.write_text(MARKEDUP)
    entries = read_markedup(path)
    assert [len(found) for found in entries.values()] == [1, 2]
    auxiliary, control = entries[parse(r"(S\NP)/(S\NP)")]
    assert [slot.number for slot in auxiliary.slots] == [2]
    assert [slot.number for slot in control.slots] == [1, 2]
    write_markedup(copy, entries)
    assert read_markedup(copy) == entries


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("S\\NP\nNP\n", 2, r"expected the entry of S\\NP"),
        ("S\\NP\n", 1, "ends before the entry"),
        ("S\\NP\n  2 (S{_}\\NP{Y}<1>){_}\n", 2, "2 slots are declared, but 1"),
        ("S\\NP\n  1 (S{_}/NP{Y}<1>){_}\n", 2, "the annotated category is S/NP"),
        ("S\\NP\n  ! (S{_}/NP{Y}<1>){_}\n", 2, "expected the number of slots"),
        ("S\\\n", 1, "categor"),
    ],
)
def test_broken_markedup(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "markedup"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        read_markedup(path)
    assert caught.value.line == line
