"""Documents: tokens with places, the parts' answers, plain values, processes."""

import json
import pickle
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from tests.models.test_contract import Model, model_named
from tests.small_tokeniser import small_tokeniser
from treewright import Document, Pipeline
from treewright.data import conllu, ptb
from treewright.data.auto import format_tree
from treewright.errors import ConfigError, TreewrightError
from treewright.models.tokenising import TokeniserModel
from treewright.pipeline.document import SHOWN
from treewright.storage.bundle import write_bundle
from treewright.text.trees import restored

TEXT = " don't  go.\n\nthe dog saw a cat.\r\ndon't go."


@cache
def parts() -> dict[str, Model]:
    names = {"dep": "dep mst", "ccg": "ccg", "const": "const pcfg"}
    return {kind: model_named(name) for kind, name in names.items()}


@pytest.fixture
def nlp() -> Pipeline:
    return Pipeline(tok=TokeniserModel(small_tokeniser()), **parts())


def test_tokens_and_whitespace_are_the_text(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    assert [len(sentence) for sentence in doc.sentences] == [4, 6, 4]
    tokens = list(doc.tokens)
    assert [TEXT[token.start : token.end] for token in tokens] == [t.text for t in tokens]
    assert TEXT[: tokens[0].start] + "".join(t.text + t.whitespace for t in tokens) == TEXT
    assert all(token.upos for token in tokens)
    assert str(doc.sentences[1]) == "the dog saw a cat."
    for sentence in doc:
        assert TEXT[sentence.start : sentence.end].split() == str(sentence).split()


def test_parts_answer(nlp: Pipeline) -> None:
    sentence = nlp(TEXT).sentences[1]
    assert [arc.word for arc in sentence.dependencies] == [1, 2, 3, 4, 5, 6]
    assert sum(arc.head == 0 for arc in sentence.dependencies) == 1
    assert len(sentence.supertags) == 6
    ours, theirs = sentence.derivation, sentence.analysis("ccg").derivation  # type: ignore[attr-defined]
    assert [leaf.word for leaf in ours.leaves] == list(sentence.words)
    assert [leaf.category for leaf in ours.leaves] == [leaf.category for leaf in theirs.leaves]
    assert sentence.constituents[-1][:2] == (0, 6)
    assert sentence.tree is not None
    for kind in nlp.kinds:
        assert sentence.marginals(kind)
        assert sentence.kbest(2, kind)[0].score >= sentence.kbest(2, kind)[-1].score
    assert (ours.parser, ours.rank) == (theirs.parser, theirs.rank)


def test_notebooks_show_styled_drawings(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    shown = doc.sentences[1]._repr_html_()
    assert shown.count("<p ") == shown.count("the dog saw a cat.") == 1
    assert shown.count("<svg") == shown.count("<style>") == len(nlp.kinds)
    assert doc._repr_html_().count("<p ") == 3
    long = nlp(TEXT * 10)._repr_html_()
    assert long.count("<p ") == SHOWN
    assert long.endswith(f"<p>{len(nlp(TEXT * 10)) - SHOWN} more sentences</p>\n")
    plain = Pipeline(tok=TokeniserModel(small_tokeniser()))("a < b")
    assert '<p dir="auto">a &lt;</p>' in plain._repr_html_()


def test_reprs_are_short(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    assert repr(nlp) == "Pipeline(tok, dep, ccg, const)"
    assert repr(doc) == "Document(3 sentences)"
    assert repr(nlp("go.")) == "Document(1 sentence)"
    assert repr(doc.sentences[1]) == "DocumentSentence('the dog saw a cat.')"
    for kind in nlp.kinds:
        analysis = doc.sentences[1].analysis(kind)
        begins = f"{type(analysis).__name__}('the dog saw a cat .', score "
        assert repr(analysis).startswith(begins)
        assert len(repr(analysis)) < len(begins) + 20


def test_what_is_no_text_is_refused(nlp: Pipeline) -> None:
    with pytest.raises(TypeError, match="a text is a str, not NoneType"):
        nlp(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a text is a str, not NoneType"):
        list(nlp.pipe(["don't", None, "go."]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="several texts"):
        nlp.pipe("the dog")  # before the first document is asked for
    with pytest.raises(TypeError, match="several texts"):
        nlp.pipe(b"the dog")  # type: ignore[arg-type]
    for jobs in (0, -1, "2"):
        with pytest.raises(ConfigError, match="jobs is a positive number"):
            nlp.pipe(["the dog"], jobs)  # type: ignore[arg-type]


def test_parts_run_when_they_are_asked_for(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    assert doc.parts._analyses == {}
    _ = doc.sentences[0].supertags
    assert list(doc.parts._analyses) == ["ccg"]


def test_plain_values(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    values = json.loads(doc.to_json(k=2, marginals=True))
    assert values["format"] == 1
    assert values["text"] == TEXT
    assert all(
        sentence.keys() >= {"words", "offsets", *nlp.kinds} for sentence in values["sentences"]
    )
    assert values["sentences"][0]["dep"]["kbest"]
    assert doc.to_dict()["sentences"][0]["ccg"].keys() >= {"score", "parsed", "supertags"}


def test_conllu_has_everything(nlp: Pipeline) -> None:
    doc = nlp(TEXT)
    trees = list(conllu.read(StringIO(doc.to_conllu())))
    assert restored(trees) == TEXT
    assert [tree.heads.tolist() for tree in trees] == [
        [arc.head for arc in sentence.dependencies] for sentence in doc
    ]
    bare = Pipeline(tok=TokeniserModel(small_tokeniser()))(TEXT)
    assert restored(conllu.read(StringIO(bare.to_conllu()), heads="none")) == TEXT


def texts() -> Iterator[str]:
    for i in range(150):
        yield f"don't go. {'the dog ' * (i % 4)}go.\n"


def test_many_texts_by_one_process_and_by_two(nlp: Pipeline) -> None:
    here = list(nlp.pipe(texts()))
    assert [doc.text for doc in here] == list(texts())
    assert here[3].to_dict() == nlp(here[3].text).to_dict()
    there: list[Document] = list(nlp.pipe(texts(), jobs=2))
    assert [doc.to_dict() for doc in there] == [doc.to_dict() for doc in here]
    assert there[0].to_conllu() == here[0].to_conllu()
    assert format_tree(there[0].sentences[0].derivation.root)
    assert there[3].sentences[0].marginals("dep") == here[3].sentences[0].marginals("dep")


def test_documents_go_to_other_processes(tmp_path: Path) -> None:
    """With what was found; the models are loaded there if they are asked for more."""
    write_bundle(parts()["dep"].bundle(), tmp_path / "dep")
    write_bundle(TokeniserModel(small_tokeniser()).bundle(), tmp_path / "tok")
    nlp = Pipeline(tok=tmp_path / "tok", dep=tmp_path / "dep")
    doc = nlp(TEXT)
    sent = pickle.loads(pickle.dumps(doc))
    assert sent.to_dict(marginals=True) == doc.to_dict(marginals=True)
    assert sent.sentences[0].tokens == doc.sentences[0].tokens


def test_rows(nlp: Pipeline) -> None:
    pandas = pytest.importorskip("pandas")
    table = nlp(TEXT).to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert len(table) == 14
    assert {"text", "start", "upos", "head", "label", "supertag"} <= set(table.columns)
    assert list(nlp("").to_pandas().columns) == list(table.columns)


def test_trees_can_be_written(nlp: Pipeline) -> None:
    trees = [sentence.tree for sentence in nlp(TEXT)]
    assert all(ptb.format_tree(tree) for tree in trees if tree is not None)


def test_nothing_and_blanks(nlp: Pipeline) -> None:
    for text in ("", "  \r\n\t \ufeff"):
        doc = nlp(text)
        assert (len(doc), list(doc.tokens), doc.to_conllu()) == (0, [], "")
        assert doc.to_dict()["sentences"] == []


@pytest.mark.parametrize(
    "text",
    ["\ufeffgo.", "a\r\nb\rc\nd go.", "don't\u2028go.", "e\u0301 go. \U0001f600", "x" * 5000],
)
def test_nothing_is_lost(text: str) -> None:
    doc = Pipeline(tok=TokeniserModel(small_tokeniser()))(text)
    tokens = list(doc.tokens)
    assert text[: tokens[0].start] + "".join(t.text + t.whitespace for t in tokens) == text
    assert restored(conllu.read(StringIO(doc.to_conllu()), heads="none")) == text
    assert json.loads(doc.to_json())["text"] == text


@pytest.mark.parametrize(
    ("text", "message"), [("a\0b", "NUL at character 1"), ("go \ud800", "surrogate at character 3")]
)
def test_text_that_no_file_could_hold(text: str, message: str) -> None:
    with pytest.raises(TreewrightError, match=message):
        Pipeline(tok=TokeniserModel(small_tokeniser()))(text)


def test_what_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one part"):
        Pipeline()
    with pytest.raises(ConfigError, match="no tokeniser"):
        Pipeline(dep=parts()["dep"])("a b")
    with pytest.raises(ConfigError, match="kind 'dep', not 'ccg'"):
        _ = Pipeline(tok=TokeniserModel(small_tokeniser()), ccg=parts()["dep"])("go.").to_dict()
    doc = Pipeline(tok=TokeniserModel(small_tokeniser()))("go.")
    with pytest.raises(ConfigError, match="no part 'dep': it has none"):
        _ = doc.sentences[0].dependencies
