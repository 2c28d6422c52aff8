"""Tags, features and lemmas of words, and columns that are filled in."""

import warnings
from pathlib import Path

import pytest

from treewright.config import from_dict
from treewright.data.dependency import DependencyTree, Word
from treewright.models.dependency.tags import (
    DependencyTagger,
    hinted,
    train_dependency_tagger,
    with_tags,
)
from treewright.models.tagging.settings import MorphologySettings
from treewright.train.run import Run

NOUNS = [("house", "houses"), ("cat", "cats"), ("dog", "dogs"), ("car", "cars"), ("tree", "trees")]
SETTINGS = {"local_passes": 8, "order": 0, "feats": {"local_passes": 8, "order": 0}}


def word(form: str, lemma: str, upos: str, xpos: str, feats: str) -> Word:
    return Word(form, lemma, upos, xpos, feats, 0, "dep", "_", "_")


def trees() -> list[DependencyTree]:
    found = []
    for one, many in NOUNS:
        found.append(
            [word("The", "the", "DET", "DT", "_"), word(one, one, "NOUN", "NN", "Number=Sing")]
        )
        found.append(
            [word("Two", "two", "NUM", "CD", "_"), word(many, one, "NOUN", "NNS", "Number=Plur")]
        )
    return [DependencyTree(tuple(words)) for words in found * 3]


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> DependencyTagger:
    settings = from_dict(MorphologySettings, SETTINGS, "test")
    run = Run(tmp_path_factory.mktemp("run"), 1, quiet=True)
    made = train_dependency_tagger(trees(), settings, run).bundle()
    return DependencyTagger.from_bundle(made)


def test_unseen_words_get_all_columns(tagger: DependencyTagger) -> None:
    given = DependencyTree((word("Two", *"____"), word("bees", *"____")))
    (found,) = with_tags([given], tagger, always=False)
    assert found.words[1][:5] == ("bees", "bee", "NOUN", "NNS", "Number=Plur")
    assert found.words[0].lemma == "two"


def test_only_missing_columns_are_filled_in(tagger: DependencyTagger) -> None:
    given = DependencyTree((word("Two", "_", "X", "_", "_"), word("cats", "_", "VERB", "_", "F=1")))
    (found,) = with_tags([given], tagger, always=False)
    assert [each.upos for each in found.words] == ["X", "VERB"]
    assert [each.feats for each in found.words] == ["_", "F=1"]
    assert [each.xpos for each in found.words] == ["CD", "NNS"]
    assert [each.lemma for each in found.words] == ["two", "cat"]


def test_columns_are_filled_in_one_by_one(tagger: DependencyTagger) -> None:
    given = DependencyTree((word("Two", "2", "_", "CD", "_"), word("cats", "kitten", *"___")))
    (found,) = with_tags([given], tagger)
    assert [each.upos for each in found.words] == ["NUM", "NOUN"]
    assert [each.xpos for each in found.words] == ["CD", "_"]
    assert [each.feats for each in found.words] == ["_", "Number=Plur"]
    assert [each.lemma for each in found.words] == ["2", "kitten"]
    bare = DependencyTree((word("The", *"____"), word("cat", *"____")))
    found, other, none = with_tags([given, bare, DependencyTree(())], tagger)
    assert found.words[1].feats == "Number=Plur"
    assert other.words[1][1:5] == ("cat", "NOUN", "NN", "Number=Sing")
    assert none.words == ()


def test_a_file_without_some_columns_is_warned_of(tagger: DependencyTagger) -> None:
    given = DependencyTree((word("Two", "_", "NUM", "_", "_"), word("cats", "_", "X", "_", "A=b")))
    with pytest.warns(UserWarning, match="x.conllu: no XPOS, LEMMA: predicted by the model"):
        assert list(hinted([given] * 99, tagger, Path("x.conllu"))) == [given] * 99
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(hinted(trees(), tagger, Path("x.conllu"))) == trees()
        assert list(hinted([], tagger, Path("x.conllu"))) == []
        assert list(hinted([given], None, Path("x.conllu"))) == [given]


def test_a_file_without_columns_that_nobody_predicts_is_warned_of() -> None:
    given = DependencyTree((word("Two", "_", "NUM", "_", "_"),))
    with pytest.warns(UserWarning, match="x.conllu: no XPOS: used by the model, which has no"):
        assert list(hinted([given], None, Path("x.conllu"), ["upos", "xpos"])) == [given]


def test_a_treebank_without_features_or_lemmas_has_no_tagger_for_them(tmp_path: Path) -> None:
    bare = [
        DependencyTree(tuple(each._replace(lemma="_", feats="_") for each in tree.words))
        for tree in trees()
    ]
    settings = from_dict(MorphologySettings, SETTINGS, "test")
    made = train_dependency_tagger(bare, settings, Run(tmp_path, 1, quiet=True))
    assert made.feats is None
    assert made.lemmas is None
    assert made.columns() == ["xpos"]
    assert made.tag([bare[0].words])[0][1].lemma == "_"
