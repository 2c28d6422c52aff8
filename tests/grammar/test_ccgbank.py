"""CCGbank's dialect: constructions and rules with the dependencies that they must give."""

from pathlib import Path

import pytest

from tests.grammar.ccgbank_cases import Case, cases
from treewright.data.auto import format_derivation, read_auto, write_auto
from treewright.data.parg import read_parg
from treewright.data.records import Derivation, Leaf, Node
from treewright.forests.ccg.chart import Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.formats.ccg.formats import format_parg
from treewright.grammar.annotate import normalised
from treewright.grammar.category import parse
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.defaults import default_entry, leaf_entry
from treewright.grammar.indices import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.longrange import gap_marks, long_range
from treewright.grammar.markedup import format_entry
from treewright.grammar.rules import Kind, RuleSet, read_rules, recognise, underivable
from treewright.grammar.skipped import Skipped

CASES = cases()
MARKED_UP = [
    r"((S[dcl]{_}\NP{Y}<1>){_}/(S[to]{Z}\NP{Y}){Z}<2>){_}",
    r"(((S[dcl]{_}\NP{Y}<1>){_}/(S[to]{Z}\NP{W}){Z}<2>){_}/NP{W}<3>){_}",
    r"(((S[dcl]{_}\NP{Y}<1>){_}/PP{Z}<2>){_}/(S[adj]{W}\NP{Y}){W}<3>){_}",
    r"(((S[dcl]{_}\NP{Y}<1>){_}/NP{Z}<2>){_}/(S[adj]{W}\NP{Z}){W}<3>){_}",
    r"(((S[dcl]{_}\NP[expl]{Y}<1>){_}/(S[to]{Z}\NP{W}){Z}<2>){_}/(S[adj]{V}\NP{Y}){V}<3>){_}",
    r"((S[dcl]{_}\NP[thr]{Y}<1>){_}/(S[pss]{Z}\NP[thr]{Y}){Z}<2>){_}",
    r"((S[adj]{_}\NP{Y}<1>){_}/((S[to]{Z}\NP{W}){Z}/NP{Y}){Z}<2>){_}",
    r"((S[dcl]{_}\S[dcl]{Y}<1>){_}\NP{Z}<2>){_}",
    r"((NP{Y}\NP{Y}<1>){_}/(S[dcl]{Z}/NP{Y}){Z}<2>){_}",
    r"((NP{Y}\NP{Y}<1>){_}/(S[ng]{Z}\NP{W}){Z}<2>){_}",
    r"(((NP{Y}\NP{Y}<1>){_}/(S[dcl]{Z}\NP{W}){Z}<2>){_}/N{W}<3>){_}",
    r"((S{Y}/S{Y}<1>){_}/(S[ng]{Z}\NP{W}){Z}<2>){_}",
    r"(((S{Y}\NP{Z}){Y}\(S{Y}\NP{Z}){Y}<2>){_}/(S[ng]{W}\NP{Z}){W}<3>){_}",
    r"(S[wq]{_}/(S[q]{Y}/PP{_}){Y}<1>){_}",
    r"(NP{_}/(S[dcl]{Y}/NP{_}){Y}<1>){_}",
    r"(N{_}/(S[to]{Y}\NP{Z}){Y}<1>){_}",
    r"((NP[nb]{Y}/N{Y}<1>){_}\NP{Z}<2>){_}",
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_dependencies_and_marks(case: Case) -> None:
    entries = [leaf_entry(leaf) for leaf in case.derivation.leaves]
    found = dependencies_of(case.derivation)
    marks = long_range(case.derivation, entries, found)
    assert {row: marks.get(row) for row in found} == case.dependencies


def test_there_are_enough_cases_and_names_differ() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 120


def test_auto_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "cases.auto"
    write_auto(path, [case.derivation for case in CASES], end=" ")
    for case, again in zip(CASES, read_auto(path), strict=True):
        assert format_derivation(again) == format_derivation(case.derivation)


def test_parg_round_trip_with_marks(tmp_path: Path) -> None:
    path = tmp_path / "cases.parg"
    path.write_text("".join(format_parg(c.derivation, list(c.dependencies)) for c in CASES))
    for case, again in zip(CASES, read_parg(path), strict=True):
        assert {row: again.marks.get(row) for row in again.rows} == case.dependencies


def _bank() -> tuple[list[Derivation], Lexicon]:
    bank = [Lexicon().indexed(normalised(case.derivation)) for case in CASES]
    return bank, Lexicon().learn(bank)


@pytest.mark.parametrize("only_seen", [True, False])
def test_a_grammar_read_from_the_cases_derives_them(only_seen: bool) -> None:
    bank, lexicon = _bank()
    rules = read_rules(bank, only_seen=only_seen)
    assert rules.crossed == ("S",)
    assert [tree for derivation in bank for tree in underivable(derivation, rules)] == []
    entries = dict.fromkeys(entry for d in bank for entry in lexicon.closest(d.leaves))
    grammar = CompiledGrammar(rules, entries, lexicon.unary)
    assert [d.id for d in bank if not _is_in_chart(d, grammar, lexicon)] == []


def _is_in_chart(derivation: Derivation, grammar: CompiledGrammar, lexicon: Lexicon) -> bool:
    chosen = lexicon.closest(derivation.leaves)
    cells = Cells.of([[grammar.tables.entries.get(entry)] for entry in chosen])
    gold = Gold.of(grammar, derivation, chosen, dependencies_of(derivation))
    settings = ChartSettings(normal_form=False)
    chart = ccg_chart(grammar, cells, settings, gold)
    return chart.outcome is Outcome.PARSED and chart.gold_forest is not None


@pytest.mark.parametrize("text", MARKED_UP)
def test_markup_by_rule(text: str) -> None:
    from treewright.grammar.markup import read_entry

    category = read_entry(text).category
    assert format_entry(default_entry(category)).split()[2] == text


def test_marks_of_gaps_by_rule() -> None:
    def marks(category: str) -> list[str]:
        return list(gap_marks(default_entry(parse(category)).marked).values())

    assert marks(r"(S[dcl]\NP)/(S[to]\NP)") == ["B"]
    assert marks(r"(NP\NP)/(S[dcl]/NP)") == ["U"]
    assert marks(r"(S\NP)\(S\NP)") == []
    assert marks(r"N/(S[to]\NP)") == []


@pytest.mark.parametrize(
    ("left", "right", "result", "kind"),
    [
        (",", "NP", r"(S\NP)\(S\NP)", Kind.TYPE_CHANGE),
        ("NP", ",", "S/S", Kind.TYPE_CHANGE),
        ("conj", "PP", r"S[adj]\NP[conj]", Kind.TYPE_CHANGE),
        ("S[dcl]", r"S\((S\NP)/NP)[conj]", "S[dcl]", Kind.GAPPING),
        (",", "NP", "PP", None),
        ("NP", "NP", "S/S", None),
        ("S[dcl]", "NP[conj]", "S[dcl]", None),
    ],
)
def test_rules_outside(left: str, right: str, result: str, kind: Kind | None) -> None:
    children = tuple(Leaf(category, "x", "X", "X") for category in (left, right))
    step = recognise(Node(result, children))
    assert (step.kind if step else None) is kind


def test_rules_outside_are_checked() -> None:
    assert RuleSet(outside=((",", "NP", "S/S"),)).combine(parse(","), parse("NP"))
    with pytest.raises(ValueError, match="not a rule of punctuation or gapping"):
        RuleSet(outside=(("NP", "NP", "S/S"),))


def test_crossed_composition_is_restricted() -> None:
    free, bound = RuleSet(), RuleSet(crossed=("S",))
    noun = parse("N/N"), parse(r"N\N")
    verb = parse(r"(S[dcl]\NP)/NP"), parse(r"(S\NP)\(S\NP)")
    kinds = [[step.kind.value for step in rules.combine(*noun)] for rules in (free, bound)]
    assert kinds == [[">Bx", "<Bx"], []]
    assert "<Bx" in [step.kind.value for step in bound.combine(*verb)]


def test_what_is_skipped_is_counted_by_cause() -> None:
    leaves = Leaf("NP/N", "the", "DT", "DT"), Leaf("S", "so", "UH", "UH")
    odd = Derivation("odd", Node("NP", leaves, 0))
    skipped = Skipped()
    assert skipped.attempt("file", "odd", lambda: dependencies_of(odd)) is None
    assert skipped.attempt("file", "fine", lambda: 1) == 1
    causes = {"no rule makes NP of NP/N and S": {"count": 1, "ids": ["odd"]}}
    assert skipped.report() == {"sentences": 2, "skipped": 1, "causes": causes}
    assert str(skipped).startswith("1 of 2 sentences skipped")
