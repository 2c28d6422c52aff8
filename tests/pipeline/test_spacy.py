"""The components of spaCy pipelines; left out where spaCy is not installed."""

import pickle
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


def found(doc: Any) -> list[Any]:
    sentences = [(sent.text, sent._.ccg, sent._.parse_string) for sent in doc.sents]
    return [sentences, *((token.text, token.dep_, token._.supertag) for token in doc)]


def test_docs_are_joined(nlp: Any) -> None:
    docs = [nlp(TEXT), nlp("a dog saw the cat.")]
    joined = spacy.tokens.Doc.from_docs(docs)
    parses = [sent._.parse_string for doc in docs for sent in doc.sents]
    assert [sent._.parse_string for sent in joined.sents] == parses
    assert None not in parses


def test_documents_of_a_pipe_are_those_of_single_calls(nlp: Any) -> None:
    texts = [TEXT, "", "a dog saw the cat.", " ", "the cat"]
    expected = [found(nlp(text)) for text in texts]
    assert [found(doc) for doc in nlp.pipe(texts, batch_size=3)] == expected


def test_a_document_that_cannot_be_parsed_does_not_end_a_pipe(nlp: Any) -> None:
    texts, failed = ["the dog saw a cat.", "a\0b", "a cat saw the dog."], []
    nlp.set_error_handler(lambda *given: failed.extend(given[2]))
    try:
        assert [doc.text for doc in nlp.pipe(texts)] == [texts[0], texts[2]]
    finally:
        nlp.set_error_handler(spacy.util.raise_error)
    assert [doc.text for doc in failed] == [texts[1]]
    with pytest.raises(TreewrightError, match="has a NUL"):
        list(nlp.pipe(texts))


def test_components_go_to_other_processes(nlp: Any) -> None:
    for name, component in nlp.pipeline:
        again = pickle.loads(pickle.dumps(component))
        assert (type(again), again.name) == (type(component), name)


def test_a_byte_order_mark_belongs_to_the_first_word(nlp: Any) -> None:
    doc = nlp("\ufeffthe dog saw a cat.")
    assert len(list(doc.sents)) == 1
    assert all(token.dep_ for token in doc)


def test_components_say_what_they_assign(nlp: Any) -> None:
    assigned = nlp.analyze_pipes()["summary"]
    assert "token.dep" in assigned["treewright_dep"]["assigns"]
    assert "token._.supertag" in assigned["treewright_ccg"]["assigns"]


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
