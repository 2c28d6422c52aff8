"""What a CCG model writes: files that are whole in every format, whatever the lines hold."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.small_ccg import bank, small_parser
from treewright.arrays import Floats
from treewright.data import conllu
from treewright.data.auto import read_auto
from treewright.data.parg import read_parg
from treewright.errors import ConfigError
from treewright.formats.ccg.formats import PROLOG_HEADER
from treewright.grammar.markup import read_entry
from treewright.inference import exact
from treewright.models.ccg.parser import Problem
from treewright.models.parsing import FileParser, ParseOptions


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ccg") / "model"
    small_parser().save(place)
    return place


def written(model: Path, form: str, text: str, place: Path, **options: object) -> Path:
    source, out = place / "in.txt", place / f"out.{form}"
    source.write_text(text)
    parser = FileParser(model, form, ParseOptions(**options))  # type: ignore[arg-type]
    out.write_text("".join(parser.here(source)))
    return out


@pytest.fixture
def text() -> str:
    sentence = " ".join(bank()[0].sentence.words)
    return f"{sentence}\n\nof of of\n{sentence}\n"  # a parse, no words, fragments


def test_files_can_be_read_back(model: Path, text: str, tmp_path: Path) -> None:
    auto = list(read_auto(written(model, "auto", text, tmp_path)))
    assert [each.id for each in auto] == ["1", "3", "4"]
    assert len(list(read_parg(written(model, "parg", text, tmp_path)))) == 2
    lines = written(model, "json", text, tmp_path).read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["id"] for each in found] == ["1", "2", "3", "4"]
    assert found[1].keys() == found[0].keys()
    assert [each["parsed"] for each in found] == [True, False, False, True]
    assert found[1]["words"] == []
    root = ET.parse(written(model, "xml", text, tmp_path)).getroot()
    assert [each.get("id") for each in root] == ["1", "3", "4"]
    words = [len(tree) for tree in conllu.read(written(model, "conllu", text, tmp_path))]
    assert words == [len(bank()[0].sentence.words), 3, len(bank()[0].sentence.words)]
    prolog = written(model, "prolog", text, tmp_path).read_text()
    assert prolog.startswith(PROLOG_HEADER)
    assert prolog.count("ccg(") == 3
    drawing = written(model, "drawing", text, tmp_path).read_text()
    assert drawing.count(bank()[0].sentence.words[0]) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": "foo"}, "must be one of 'viterbi', 'min-risk', 'bp', 'dd'"),
        ({"beam": "0.1", "schedule": "quick"}, "either --beam or --schedule"),
        ({"schedule": ""}, "unknown schedule ''"),
    ],
)
def test_options_that_mean_nothing(
    options: dict[str, object], message: str, model: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        written(model, "auto", "dog\n", tmp_path, **options)


def test_settings_are_checked() -> None:
    model, sentence = small_parser(), bank()[0].sentence
    by_bp = model.with_settings(decoder="bp")
    assert by_bp.inference.algorithm == "bp"
    assert len(list(by_bp.problems([sentence]))) == 1
    with pytest.raises(ConfigError, match="nosuch"):
        model.with_settings(nosuch=1)
    with pytest.raises(ConfigError, match="iterations"):
        model.with_settings(iterations=0)


@pytest.mark.parametrize("algorithm", ["bp", "dd"])
def test_lists_and_marginals_are_those_of_the_joint_model(algorithm: str) -> None:
    sentences = [derivation.sentence for derivation in bank()[:8]]
    joint, alone = (small_parser().with_settings(algorithm=a) for a in (algorithm, "viterbi"))
    differ = []
    for one, two in zip(joint.parse_many(sentences), alone.parse_many(sentences), strict=True):
        listed = one.kbest(3)
        assert one.joint is not None
        scores = [each.score for each in listed]
        assert scores == pytest.approx([one.joint.score(each.best) for each in listed])
        assert scores == sorted(scores, reverse=True)
        assert scores[0] >= one.score - 1e-9
        differ.append(one.marginals.supertags != two.marginals.supertags)
    assert any(differ)


@pytest.mark.parametrize("algorithm", ["bp", "dd"])
def test_lists_and_marginals_against_the_exact_joint_model(algorithm: str) -> None:
    """Lists are exact; beliefs, which are not, come close to the marginals of the intersection."""
    parser = small_parser().with_settings(algorithm=algorithm, iterations=25, schedule="0.001:150")
    sentences = [derivation.sentence for derivation in bank() if len(derivation.leaves) <= 8][:10]
    problems = list(parser.problems(sentences))
    sentences = [each.analysis.sentence for each in problems]  # those with a parse
    errors: list[float] = []
    wrong: list[float] = []
    for problem, one, alone in zip(
        problems,
        parser.parse_many(sentences),
        parser.with_settings(algorithm="viterbi", tagger_weight=0.0).parse_many(sentences),
        strict=True,
    ):
        joint = problem.intersection(10**6)
        listed = exact.kbest(joint.forest, joint.scores, 3)
        assert [each.score for each in one.kbest(3)] == pytest.approx([x.score for x in listed])
        truth = category_marginals(problem, joint.marginals()[1])
        errors += differences(one.marginals.supertags, truth)
        wrong += differences(alone.marginals.supertags, truth)
    assert sum(errors) / len(errors) < 0.005
    assert sum(errors) < sum(wrong) / 4


def category_marginals(problem: Problem, values: Floats) -> list[dict[str, float]]:
    """The probabilities of each word's categories, from those of the variables' values."""
    lattice = problem.lattice
    kept, names = lattice.kept(problem.beam), lattice.supertagger.tags
    found: list[dict[str, float]] = [{} for _ in lattice.words]
    for word, tag, p in zip(kept.positions, kept.tag, values, strict=True):
        category = read_entry(names[tag]).category.text
        found[word][category] = found[word].get(category, 0.0) + float(p)
    return found


def differences(ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> Iterator[float]:
    for one, two in zip(ours, theirs, strict=True):
        yield from (abs(one.get(name, 0.0) - two.get(name, 0.0)) for name in one.keys() | two)
