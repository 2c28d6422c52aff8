"""The components of spaCy pipelines; left out where spaCy is not installed."""

from pathlib import Path
from typing import Any

import pytest

from tests.models.test_contract import model_named
from tests.small_tokeniser import small_tokeniser
from treewright.config.read import parse_toml
from treewright.errors import TreewrightError

spacy = pytest.importorskip("spacy")
TEXT = "the dog saw a cat.\n\nthe cat didn't sleep ."


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from treewright.pipeline import spacy_components  # noqa: F401 - registers the factories

    folder = tmp_path_factory.mktemp("spacy")
    made = spacy.blank("en")
    for kind, name in {"dep": "dep arc-eager", "ccg": "ccg", "const": "const pcfg"}.items():
        model_named(name).with_tokeniser(small_tokeniser()).save(folder / kind)
        made.add_pipe(f"treewright_{kind}", config={"model": str(folder / kind)})
    return made


def test_a_doc_is_annotated(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert doc.text == TEXT
    sentences = list(doc.sents)
    assert [sent.root.dep_ for sent in sentences] == ["ROOT"] * len(sentences)
    assert all(token.head.sent.start == token.sent.start for token in doc)
    words = [token for token in doc if not token.is_space]
    assert all(token.pos_ and token._.supertag for token in words)
    for sent in sentences:
        assert sent._.ccg["words"] == [token.text for token in sent if not token.is_space]
        assert sent._.parse_string.startswith("(")
        assert sent._.constituents[-1]["begin"] == 0


def test_a_doc_can_be_kept(nlp: Any) -> None:
    doc = nlp(TEXT)
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [sent._.parse_string for sent in again.sents] == [
        sent._.parse_string for sent in doc.sents
    ]


def test_nothing(nlp: Any) -> None:
    for text in ("", " ", "\n\n"):
        assert nlp(text).text == text


def test_without_a_model_the_installed_default_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from treewright.pipeline import spacy_components

    monkeypatch.chdir(tmp_path)
    model_named("dep arc-eager").with_tokeniser(small_tokeniser()).save(Path("en-dep"))
    monkeypatch.setattr(spacy_components, "default_model", lambda: "en")
    nlp = spacy.blank("en")
    nlp.add_pipe("treewright_dep")
    assert all(token.dep_ for token in nlp("the dog saw a cat."))
    with pytest.raises(TreewrightError, match="for language 'en', not 'de': choose one"):
        spacy.blank("de").add_pipe("treewright_dep")


def test_entry_points_name_the_factories() -> None:
    from treewright.pipeline import spacy_components

    text = (Path(__file__).parents[2] / "pyproject.toml").read_bytes()
    found: Any = parse_toml(text, "pyproject.toml")
    points = found["project"]["entry-points"]["spacy_factories"]
    assert set(points) == {"treewright_dep", "treewright_ccg", "treewright_const"}
    for target in points.values():
        module, name = target.split(":")
        assert module == spacy_components.__name__
        assert hasattr(spacy_components, name)
