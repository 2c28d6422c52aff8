"""The constituency parser as users see it: trained on trees of the minibank, saved, loaded."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treewright.config import from_dict
from treewright.data import ptb
from treewright.data.records import Sentence
from treewright.errors import ConfigError, FormatError
from treewright.grammar.binarise import Binariser
from treewright.grammar.treebank import spans
from treewright.losses.settings import ObjectiveSettings
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.model import KIND
from treewright.models.constituency.parser import ConstParser, PcfgParser
from treewright.models.constituency.settings import BinariseSettings, ConstSettings
from treewright.models.constituency.training import f1, train
from treewright.models.parsing import ParseOptions, parse_file
from treewright.scores.constituency.spans import SpanSettings
from treewright.storage.bundle import read_bundle, write_bundle
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings
from treewright.train.svm import SvmSettings

OPTIONS = ParseOptions()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ConstSettings:
    path = tmp_path_factory.mktemp("minibank") / "train.mrg"
    path.write_text("".join(bracketed(each) + "\n" for each in sample(120, 0)))
    return ConstSettings(
        train=str(path),
        tagger=False,
        folds=2,
        pruning=SpanSettings(bits=10, passes=2, threshold=1e-3),
        optimiser=OptimiserSettings(iterations=15),
    )


@pytest.fixture(scope="module")
def parser(settings: ConstSettings, tmp_path_factory: pytest.TempPathFactory) -> ConstParser:
    run = Run(tmp_path_factory.mktemp("run"), threads=1, quiet=True)
    found = train(replace(settings, objective=ObjectiveSettings("softmax-margin")), run)
    assert isinstance(found, ConstParser)
    return found


def test_it_learns_the_treebank(parser: ConstParser, settings: ConstSettings) -> None:
    items = read_items(settings.train, Binariser(), 40)
    assert f1(parser, items) > 0.97
    for decoder in ("max-constituents", "max-f1"):
        other = parser.with_settings(decoder=decoder)
        found = [each.bracketed() for each in other.parse_many(i.sentence for i in items[:10])]
        assert all(text.startswith("( (") for text in found)


def test_a_saved_model_parses_the_same(
    parser: ConstParser, settings: ConstSettings, tmp_path: Path
) -> None:
    write_bundle(parser.bundle(), tmp_path / "model")
    again = KIND.load(read_bundle(tmp_path / "model"))
    assert isinstance(again, ConstParser)
    for item in read_items(settings.train, Binariser(), 40)[:20]:
        ours, theirs = parser.parse(item.sentence), again.parse(item.sentence)
        assert ours.bracketed() == theirs.bracketed()
        assert ours.score == theirs.score


def test_an_analysis_has_alternatives_and_confidences(
    parser: ConstParser, settings: ConstSettings
) -> None:
    items = read_items(settings.train, Binariser(), 40)
    item = max(items, key=lambda each: len(each.words))
    found = parser.parse(" ".join(map("|".join, zip(item.words, item.tags, strict=True))))
    assert found.tree is not None
    trees = found.kbest(5)
    assert trees[0].score == pytest.approx(found.score)
    assert trees[0].bracketed() == found.bracketed()
    scores = [each.score for each in trees]
    assert scores == sorted(scores, reverse=True)
    assert len({each.bracketed() for each in trees}) == len(trees) == 5
    marginals = found.marginals
    assert all(-1e-9 <= p <= 1 + 1e-9 for p in marginals.values())
    assert set(spans(found.tree)) <= set(marginals)
    assert str(found).count("\n") >= 1
    assert all(word in str(found) for word in item.words)


def test_other_estimators(settings: ConstSettings, tmp_path: Path) -> None:
    items = read_items(settings.train, Binariser(), 40)
    pcfg = train(
        replace(settings, model="pcfg", binarise=BinariseSettings("right", 1, 2)),
        Run(tmp_path / "pcfg", threads=1, quiet=True),
    )
    assert isinstance(pcfg, PcfgParser)
    assert f1(pcfg, items) > 0.8
    check_inputs(pcfg, items[0])
    svm = train(
        replace(
            settings,
            model="rules",
            solver="svm",
            objective=ObjectiveSettings("hinge-slack", "f1"),
            svm=SvmSettings("frank-wolfe", 1000.0, iterations=5),
        ),
        Run(tmp_path / "svm", threads=1, quiet=True),
    )
    assert isinstance(svm, ConstParser)
    assert f1(svm, items) > 0.8


def check_inputs(parser: PcfgParser, item: Item) -> None:
    """Words with tags, tokens in a text, and plain text give the same tree."""
    seen: list[tuple[str, ...]] = []

    def tagger(words: Sequence[str]) -> Sequence[str]:
        seen.append(tuple(words))
        return item.tags

    parser.tagger = tagger
    tagged = " ".join(map("|".join, zip(item.words, item.tags, strict=True)))
    found = parser.parse(item.sentence), parser.parse(tagged)
    assert not seen
    trees = (*found, parser.parse(" ".join(item.words)))
    assert seen == [item.words]
    assert len({each.bracketed() for each in trees}) == 1
    assert trees[0].tree is not None


def test_c_is_chosen_on_dev(settings: ConstSettings, tmp_path: Path) -> None:
    choosing = replace(
        settings,
        sentences=40,
        model="rules",
        solver="svm",
        objective=ObjectiveSettings("hinge", "f1"),
        svm=SvmSettings("frank-wolfe", choose_c=(0.01, 1000.0), iterations=3),
        binarise=BinariseSettings("head", 1, 2),
        dev=settings.train,
    )
    with pytest.raises(ValueError, match="need a dev file"):
        replace(choosing, dev=None)
    run = Run(tmp_path / "run", threads=1, quiet=True)
    chosen = train(choosing, run)
    lines = map(json.loads, (run.directory / "records.jsonl").read_text().splitlines())
    scores = [line["score"] for line in lines if "score" in line]
    assert len(scores) == 2
    assert f1(chosen, read_items(settings.train, Binariser(), 40)) == pytest.approx(max(scores))


def test_training_is_repeatable(settings: ConstSettings, tmp_path: Path) -> None:
    few = replace(settings, sentences=30, optimiser=OptimiserSettings(iterations=3))
    runs = [
        Run(tmp_path / name, threads=threads, quiet=True) for name, threads in (("a", 1), ("b", 2))
    ]
    first, second = (train(few, run).bundle().arrays for run in runs)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_files(parser: ConstParser, settings: ConstSettings, tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    item = read_items(settings.train, Binariser(), 40)[0]
    path.write_text(" ".join(map("|".join, zip(item.words, item.tags, strict=True))) + "\n\n")
    lines = list(parse_file(parser, path, "brackets", OPTIONS))
    assert lines[1] == "()\n"
    from_trees = list(parse_file(parser, Path(settings.train), "brackets", OPTIONS))
    assert from_trees[0] == lines[0]
    kbest = list(parse_file(parser, path, "brackets", replace(OPTIONS, k_best=3)))
    assert kbest[0].split("\t")[1].splitlines()[0] == lines[0].strip()
    path.write_text("a|DT b\n")
    with pytest.raises(FormatError, match=r"expected word\|TAG, not 'b'"):
        list(parse_file(parser, path, "brackets", replace(OPTIONS, tagged=True)))
    with pytest.raises(ConfigError, match="no tagger"):
        list(parse_file(parser, path, "brackets", OPTIONS))
    with pytest.raises(ConfigError, match="beam"):
        list(parse_file(parser, path, "brackets", replace(OPTIONS, beam="1")))


@pytest.mark.parametrize(("model", "words"), [("rules", 2001), ("pcfg", 301)])
def test_a_sentence_that_is_too_long_has_no_parse(
    model: str, words: int, settings: ConstSettings, tmp_path: Path
) -> None:
    how = replace(settings, model=model, sentences=20)
    parser = train(how, Run(tmp_path / "run", threads=1, quiet=True))
    item = read_items(settings.train, Binariser(), 40)[0]
    line = " ".join(map("|".join, zip(item.words, item.tags, strict=True)))
    path = tmp_path / "in.txt"
    path.write_text("\n".join((line, " ".join(["a|NN"] * words), line, "")))
    with pytest.warns(UserWarning, match=rf"^sentence 2 \(a a a \.\.\.\) has {words} words"):
        found = list(parse_file(parser, path, "brackets", OPTIONS))
    assert found[1] == "()\n"
    assert found[0] == found[2] != "()\n"


def test_sentences_that_the_grammar_cannot_derive(parser: ConstParser) -> None:
    tags = ["IN", "IN", "XYZ", "IN", "DT", "IN"]
    with pytest.warns(UserWarning, match="does not know the tags XYZ"):
        found = parser.parse(Sentence.of("abcdef", tags))
    assert list(found.tags) == tags
    assert found.unknown_tags == ("XYZ",)
    assert found.to_json()["unknown_tags"] == ["XYZ"]


def test_a_pcfg_is_scored_on_dev(settings: ConstSettings, tmp_path: Path) -> None:
    run = Run(tmp_path / "run", threads=1, quiet=True)
    found = train(replace(settings, model="pcfg", dev=settings.train), run)
    items = read_items(settings.train, Binariser(), 40)
    last = json.loads((tmp_path / "run" / "records.jsonl").read_text().splitlines()[-1])
    assert last["score"] == f1(found, items)


def test_unknown_tags_of_other_treebanks_become_the_most_frequent_tag(
    settings: ConstSettings, tmp_path: Path
) -> None:
    trees = tmp_path / "train.mrg"
    trees.write_text(Path(settings.train).read_text().replace("(NN ", "(zz "))
    parser = train(replace(settings, train=trees, model="pcfg"), Run(tmp_path / "run", quiet=True))
    with pytest.warns(UserWarning, match="does not know the tags NN: parsed as zz"):
        found = parser.parse(Sentence.of(["the", "dog", "slept"], ["DT", "NN", "VBD"]))
    assert str(found) == str(parser.parse("the|DT dog|zz slept|VBD")).replace("zz", "NN")
    assert found.bracketed().startswith("( (")
    if found.score == -np.inf:
        assert found.marginals == {}
        assert len(found.kbest(3)) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"solver": "svm"}, "needs objective.name = hinge or hinge-slack"),
        ({"optimiser": {"patience": 1}}, "patience needs a dev file"),
        ({"tagger": True, "pos": {"chain": {"patience": 1}}}, "patience needs a dev file"),
        ({"model": "pcfg", "decoder": "max-f1"}, "only supports decoder = viterbi"),
        ({"sentences": -5}, "must not be negative"),
        ({"pruning": {"bits": 25}}, "bits must be from 1 to 24"),
        ({"pruning": {"classes": 3}}, "classes must be at least 4"),
        ({"pruning": {"passes": 0}}, "must be positive"),
        ({"pruning": {"rate": 0.0}}, "must be positive"),
        ({"pruning": {"threshold": 1.0}}, "threshold must be at least 0"),
    ],
)
def test_settings_that_do_not_go_together(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_dict(ConstSettings, given, "tests")


def test_tags_of_some_words_alone(parser: ConstParser) -> None:
    with pytest.raises(ConfigError, match="no tag"):
        parser.parse("a|b c")


@pytest.mark.filterwarnings("ignore:the grammar does not know")
def test_nltk(parser: ConstParser, settings: ConstSettings) -> None:
    pytest.importorskip("nltk")
    item = read_items(settings.train, Binariser(), 40)[0]
    found = parser.parse(Sentence.of(["(", *item.words], ["-LRB-", *item.tags]))
    assert found.tree is not None
    tree = found.to_nltk()
    assert tree.leaves() == ["(", *item.words]
    assert tree.pos()[1:] == list(zip(item.words, item.tags, strict=True))
    text = " ".join(str(tree).split()).replace("(-LRB- ()", "(-LRB- -LRB-)")
    assert text == ptb.format_tree(found.tree)
