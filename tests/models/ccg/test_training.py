"""Training of CCG parsers with a development set."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.markdown import ROOT
from tests.small_ccg import SETTINGS, bank, small_parser
from treewright.config import dump, from_dict
from treewright.data.auto import write_auto
from treewright.data.records import Derivation, Leaf, Node, Tree, fold
from treewright.errors import ConfigError, FormatError, GrammarError, TreewrightError
from treewright.grammar.category import parse
from treewright.grammar.indices import dependencies_of, is_indexed
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markedup import write_markedup
from treewright.grammar.rules import read_rules
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.settings import CcgSettings, GrammarSettings
from treewright.models.ccg.training import read_treebank, train_ccg, treebank_grammar
from treewright.models.kinds import load
from treewright.models.tagging.supertagger import SuperSettings
from treewright.models.training import read_plan, train
from treewright.train.run import RECORDS, Run


def records(run: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.directory / RECORDS).read_text().splitlines()]


def test_dev_scores_are_recorded_and_end_the_training(tmp_path: Path) -> None:
    write_auto(tmp_path / "train.auto", bank()[:50])
    write_auto(tmp_path / "dev.auto", bank()[50:])
    given = {
        **SETTINGS,
        "train": str(tmp_path / "train.auto"),
        "dev": str(tmp_path / "dev.auto"),
        "optimiser": {
            "name": "adagrad",
            "rate": 1.0,
            "iterations": 30,
            "patience": 2,
            "score_every": 1,
        },
    }
    run = Run(tmp_path / "run", 1, quiet=True)
    train_ccg(from_dict(CcgSettings, given, "tests"), run)
    found = records(run)
    scores = [each["score"] for each in found if each.get("optimise") == "parser"]
    assert len(scores) < 30
    best = scores.index(max(scores))
    assert len(scores) - 1 - best == 2  # two without a better one, and then the best is taken
    assert found[-1]["dev"]["labelled"]["f"] == scores[best]
    chain = [each for each in found if each.get("optimise") == "super-chain"]
    assert [each["iteration"] for each in chain if "score" in each] == [5]
    assert all(0 <= each["score"] <= 1 for each in chain if "score" in each)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (CcgSettings, {"optimiser": {"patience": 1}}),
        (CcgSettings, {"pos": {"chain": {"patience": 1}}}),
        (SuperSettings, {"tagger": {"chain": {"patience": 1}}}),
    ],
)
def test_patience_without_a_dev_file_is_an_error(kind: type, given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="patience needs a dev file"):
        from_dict(kind, given, "tests")


def test_threads_share_a_grammar_that_grows(tmp_path: Path) -> None:
    write_auto(tmp_path / "train.auto", bank()[:40])
    given = {
        **SETTINGS,
        "train": str(tmp_path / "train.auto"),
        "grammar": {"seen_pairs": False},
        "optimiser": {"iterations": 2},
    }
    parser = train_ccg(from_dict(CcgSettings, given, "tests"), Run(tmp_path / "run", 1, quiet=True))
    sentences = [derivation.sentence for derivation in bank()]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(parser.parse, sentences))
    assert [each.sentence for each in found] == sentences
    assert all(each.chart is not None for each in found)


def test_rules_and_heads_may_come_from_files(tmp_path: Path) -> None:
    plain = [_without_heads(derivation) for derivation in bank()[:30]]
    write_auto(tmp_path / "plain.auto", plain)
    lexicon = Lexicon().learn(bank())
    categories = {parse(leaf.category) for d in bank() for leaf in d.leaves}
    entries = {category: lexicon.entries(category)[:1] for category in categories}
    write_markedup(tmp_path / "markedup", entries)
    settings = GrammarSettings(markedup=tmp_path / "markedup", max_order=0)
    run = Run(tmp_path / "run", 1, quiet=True)
    found = read_treebank(tmp_path / "plain.auto", settings, run)
    due = [set(dependencies_of(derivation)) for derivation in bank()[:30]]
    right = [
        set(dependencies_of(derivation)) == gold
        for derivation, gold in zip(found, due, strict=True)
    ]
    assert sum(right) > 20  # the others have words with a rarer entry
    assert treebank_grammar(found, lexicon, settings).rules.max_order == 0
    dump(replace(read_rules(found), kinds=(">",)), tmp_path / "rules.toml")
    only = GrammarSettings(rules=tmp_path / "rules.toml")
    assert treebank_grammar(found, lexicon, only).rules.kinds == (">",)


def test_a_treebank_without_heads_gets_them_by_rule(tmp_path: Path) -> None:
    write_auto(tmp_path / "plain.auto", [_without_heads(each) for each in bank()[:30]])
    run = Run(tmp_path / "run", 1, quiet=True)
    found = read_treebank(tmp_path / "plain.auto", GrammarSettings(), run)
    assert all(is_indexed(each) for each in found)
    due = [set(dependencies_of(derivation)) for derivation in bank()[:30]]
    right = [set(dependencies_of(each)) == gold for each, gold in zip(found, due, strict=True)]
    assert sum(right) > 15  # the others have auxiliaries, say, whose category tells too little


def test_what_no_rule_explains_is_an_error_or_listed(tmp_path: Path) -> None:
    leaves = Leaf("NP/N", "the", "DT", "DT"), Leaf("S", "so", "UH", "UH")
    odd = Derivation("odd", Node("NP", leaves, 0))
    write_auto(tmp_path / "odd.auto", [bank()[0], odd])
    run = Run(tmp_path / "run", 1, quiet=True)
    with pytest.raises(GrammarError, match=r"odd\.auto: sentence odd: no rule makes NP"):
        read_treebank(tmp_path / "odd.auto", GrammarSettings(), run)
    kept = read_treebank(tmp_path / "odd.auto", GrammarSettings(skip_bad=True), run)
    assert [each.id for each in kept] == [bank()[0].id]
    (record,) = map(json.loads, (tmp_path / "run" / RECORDS).read_text().splitlines())
    assert [cause["ids"] for cause in record["causes"].values()] == [["odd"]]


def test_what_cannot_be_read_is_an_error_or_listed(tmp_path: Path) -> None:
    path = tmp_path / "cut.auto"
    write_auto(path, bank()[:2])
    path.write_text(path.read_text()[:-20], encoding="utf-8")
    with pytest.raises(FormatError, match=r"cut\.auto:4: sentence"):
        read_treebank(path, GrammarSettings())
    run = Run(tmp_path / "run", 1, quiet=True)
    kept = read_treebank(path, GrammarSettings(skip_bad=True), run)
    assert [each.id for each in kept] == [bank()[0].id]
    assert [cause["ids"] for cause in records(run)[0]["causes"].values()] == [[bank()[1].id]]


def _without_heads(derivation: Derivation) -> Derivation:
    def bare(_: int, leaf: Leaf) -> Tree:
        return replace(leaf, markup=leaf.category)

    def same(node: Node, children: list[Tree]) -> Tree:
        return replace(node, children=tuple(children))

    return replace(derivation, root=fold(derivation.root, bare, same))


def test_derivations_that_no_chart_has_are_an_error_if_there_are_no_others(tmp_path: Path) -> None:
    """Type raising for composition is not normal form, and the grammar only has seen pairs."""
    raised = Node("S/(S\\NP)", (Leaf("NP", "he", "PRP", "PRP"),), 0)
    verb = Leaf("(S\\NP)/NP", "saw", "VBD", "VBD")
    root = Node("S", (Node("S/NP", (raised, verb), 1), Leaf("NP", "it", "PRP", "PRP")), 0)
    path = tmp_path / "raised.auto"
    write_auto(path, [Derivation(str(i), root) for i in range(3)])
    settings = from_dict(CcgSettings, SETTINGS | {"train": str(path)}, "test")
    with pytest.raises(TreewrightError, match=r"raised\.auto: no sentence .*no chart: 3.*normal_f"):
        train_ccg(settings, Run(tmp_path / "run", 1, quiet=True))
    free = replace(settings, chart=replace(settings.chart, normal_form=False))
    parser = train_ccg(free, Run(tmp_path / "free", 1, quiet=True))
    assert parser.parse(["he", "saw", "it"]).to_json()["parsed"]


def test_the_papers_configuration_trains(tmp_path: Path) -> None:
    """Beams are all that prunes; where a chart is too large, the next beam is tried."""
    write_auto(tmp_path / "train.auto", bank()[:70])
    tagger = tmp_path / "super"
    small_parser().supertagger.save(tagger)
    files = [f"train={tmp_path / 'train.auto'}", f"dev={tmp_path / 'train.auto'}"]
    short = [f"supertagger={tagger}", "optimiser.iterations=2", "chart.max_items=30"]
    plan = read_plan(ROOT / "examples" / "papers.toml", [*files, *short])
    model = load(train(plan, Run(tmp_path / "run", 1, quiet=True)))
    assert isinstance(model, CcgParser)
    assert model.chart.margin == model.chart.cell_margin == float("inf")
    sentences = [each.sentence for each in bank()[:30]]
    tried = [len(each.attempts) for each in model.parse_many(sentences)]
    assert min(tried) == 1 < max(tried)
