"""Graphs and tokenizers from elsewhere: they compute, or are refused, and reach nothing else."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tokenizers import (
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from treewright.errors import StoreError
from treewright.scores.neural.checks import check_graph, checked_shape
from treewright.scores.neural.graphs import Graph, as_bytes
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.words import WordPieces
from treewright.storage.bundle import Bundle

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

make, numbers = onnx.helper, onnx.numpy_helper
FLOAT = onnx.TensorProto.FLOAT
X = np.ones((1, 4), np.float32)


def model(
    nodes: Sequence[Any],
    constants: Sequence[Any] = (),
    inputs: Sequence[str] = "x",
    output: int = FLOAT,
) -> Any:
    """A graph from x [1, n] to y."""
    ins = [make.make_tensor_value_info(name, FLOAT, None) for name in inputs]
    out = make.make_tensor_value_info("y", output, None)
    graph = make.make_graph(nodes, "g", ins, [out], constants)
    return make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)


def constant(name: str, value: object) -> Any:
    return numbers.from_array(np.array(value), name)


def elsewhere() -> Any:
    """A tensor whose numbers are in another file."""
    found = onnx.TensorProto(name="w", data_type=FLOAT, dims=[4], data_location=1)
    for key, value in (("location", "secret.bin"), ("offset", "0"), ("length", "16")):
        found.external_data.add(key=key, value=value)
    return found


def same(name: str) -> Any:
    return make.make_node("Identity", [name], ["y"])


def loop() -> Any:
    """2^62 rounds that do nothing."""
    info = make.make_tensor_value_info
    ins = [info("i", 7, []), info("c", 9, []), info("a", FLOAT, None)]
    nodes = [make.make_node("Identity", [a], [b]) for a, b in (("c", "d"), ("a", "b"))]
    body = make.make_graph(nodes, "body", ins, [info("d", 9, []), info("b", FLOAT, None)])
    rounds = [constant("n", 2**62), constant("go", True)]
    return model([make.make_node("Loop", ["n", "go", "x"], ["y"], body=body)], rounds)


def filled(shape: list[int]) -> Any:
    return model([make.make_node("ConstantOfShape", ["s"], ["y"])], [constant("s", shape)])


ADD = make.make_node("Add", ["x", "w"], ["y"])
NAN = make.make_node("Div", ["w", "w"], ["y"])
HOSTILE = {
    "other files": model([ADD], [elsewhere()]),
    "loops": loop(),
    "operators that are not": model([make.make_node("Add", ["x", "x"], ["y"], domain="mine")]),
    "fails": filled([1 << 40]),
    "32-bit floats": model([same("w")], [constant("w", [["a"]])], output=onnx.TensorProto.STRING),
    "NaN or infinity": model([NAN], [constant("w", np.zeros((1, 4), np.float32))]),
    "2 inputs, not 1": model([ADD], inputs="xw"),
    "for 1 sentences": filled([3]),
}


@pytest.mark.parametrize("why", HOSTILE)
def test_hostile_graphs_are_refused(why: str) -> None:
    graph = as_bytes(HOSTILE[why].SerializeToString())
    with pytest.raises(StoreError, match=why):
        Graph(graph)(X)


def test_memory_of_graphs_has_a_limit() -> None:
    """64 GB, which Linux would promise to whoever asks."""
    with pytest.raises(StoreError, match="fails"):
        Graph(as_bytes(filled([1, 1 << 34]).SerializeToString()))(X)


def test_a_sound_graph_runs() -> None:
    graph = model([ADD], [constant("w", np.arange(4, dtype=np.float32))])
    assert Graph(as_bytes(graph.SerializeToString()))(X).tolist() == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    "damage", [b"", b"\x0b", b"\x3a\xff\xff\xff\xff\x0f", b"\x3a\x01\x0a", b"\xff" * 20]
)
def test_damaged_graphs(damage: bytes) -> None:
    with pytest.raises(StoreError, match="damaged"):
        Graph(as_bytes(damage))(X)


def test_the_check_sees_what_stands_deep_inside() -> None:
    """A constant of a node is a tensor, too."""
    with pytest.raises(StoreError, match="other files"):
        check_graph(
            model([make.make_node("Constant", [], ["y"], value=elsewhere())]).SerializeToString()
        )


CONFIG = json.dumps({"max_position_embeddings": 40, "pad_token_id": 0})
PIECES = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "##a": 5}
SOUND: dict[str, Any] = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                   "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": PIECES},
}  # fmt: skip
SPLIT = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
REPLACE = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 1000}
TEMPLATE = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}],
            "pair": [], "special_tokens": {}}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"pre_tokenizer": SPLIT}, "'Split', which is not run"),
        ({"normalizer": {"type": "Sequence", "normalizers": [REPLACE] * 4}}, "replaces"),
        ({"normalizer": REPLACE | {"pattern": {"Regex": "(a+)+$"}, "content": ""}}, "replaces"),
        ({"normalizer": {"type": "Replace"}}, "damaged"),
        ({"model": SOUND["model"] | {"type": "Unigram"}}, "fails"),
        ({"model": SOUND["model"] | {"type": "Other"}}, "'Other', which is not run"),
        ({"model": SOUND["model"] | {"max_input_chars_per_word": 10**9}}, "1000 letters"),
        ({"model": SOUND["model"] | {"unk_token": "none"}}, "fails"),
        ({"model": None}, "fails"),
        ({"post_processor": TEMPLATE}, "fails"),  # a panic of the library
        ({"post_processor": None}, "fails"),
        ({"normalizer": []}, "damaged"),
    ],
)
def test_hostile_tokenizers_are_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(StoreError, match=why):
        WordPieces(CONFIG, json.dumps(SOUND | change)).prepare(["a" * 5000 + "!", "\u2400"])


def trained_tokenizer(kind: str) -> Tokenizer:
    """A tokenizer as RoBERTa has it, or XLM-RoBERTa."""
    text = ["She reads a long book about the reading of books.", "The cats read long books."] * 3
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        letters = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=330, special_tokens=special, initial_alphabet=letters, show_progress=False
        )
        made.train_from_iterator(text, trainer)
        made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    else:
        made = Tokenizer(models.Unigram())
        spaces = normalizers.Replace(Regex(" {2,}"), " ")
        made.normalizer = normalizers.Sequence([normalizers.NFKC(), spaces])
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        unigrams = trainers.UnigramTrainer(
            vocab_size=60, special_tokens=special, unk_token="<unk>", show_progress=False
        )
        made.train_from_iterator(text, unigrams)
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
        )
    return made


@pytest.mark.parametrize("kind", ["bytes", "unigrams"])
def test_words_have_the_pieces_that_they_have_in_text(kind: str) -> None:
    made = trained_tokenizer(kind)
    config = {"model_type": "roberta", "max_position_embeddings": 40, "pad_token_id": 1}
    pieces = WordPieces(json.dumps(config), made.to_str())
    assert pieces.max_pieces == 38  # positions begin behind padding's number
    words = ["She", "reads", "a", "long", "book", "too"]
    found = pieces.prepare(words)
    assert found[:, 0].tolist() == made.encode((kind == "bytes") * " " + " ".join(words)).ids
    assert sorted({*found[:, 1].tolist()}) == [-1, 0, 1, 2, 3, 4, 5, 6]
    assert pieces.prepare(["", " ", "\u2400", "\ud800"])[-2:, 1].tolist() == [4, -1]


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, "null", '{"a":' * 100_000])
def test_damaged_tokenizers(text: str) -> None:
    with pytest.raises(StoreError, match="tokenizer"):
        WordPieces(CONFIG, text)
    with pytest.raises(StoreError, match=r"config\.json"):
        checked_shape(text)


@pytest.mark.parametrize("pieces", [0, -5, 10**30, float("nan"), "x", None])
def test_damaged_shapes(pieces: object) -> None:
    with pytest.raises(StoreError, match=r"config\.json"):
        checked_shape(json.dumps({"max_position_embeddings": pieces}))


def test_words_of_any_characters() -> None:
    codes = WordPieces(CONFIG, json.dumps(SOUND))
    strange = ["", "\ud800", "a\0b", "\u202e\u200d" * 500, " ", "\n", "[CLS]", "a" * 5000]
    assert codes.prepare(strange)[:, 1].max() == len(strange)


def test_variants_of_signs_have_the_pieces_of_plain_ones() -> None:
    codes = WordPieces(CONFIG, json.dumps(SOUND), surface=50)
    assert np.array_equal(codes.prepare(["a\u2019b", "a\u2011b"]), codes.prepare(["a'b", "a-b"]))


def test_remembered_words_have_the_same_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.scores.neural.words.MOST_KEPT", 3)
    sentences = [
        ["a", "A", "x" * 60, "a"],
        ["a", "!", "\u2400", "aa", "a!"],
        ["a"],
        ["!", "A", "aa"],
    ]
    codes = WordPieces(CONFIG, json.dumps(SOUND), surface=50)
    for words in sentences * 2:
        alone = WordPieces(CONFIG, json.dumps(SOUND), surface=50).prepare(words)
        assert np.array_equal(codes.prepare(words), alone)
        assert len(codes._known) <= 3 + max(map(len, sentences))


def network(head: Any, labels: str) -> TrainedNetwork:
    """Vectors of hashed words, all 1, and a head."""
    shape = make.make_node("Shape", ["x"], ["s"], start=0, end=2)
    one = make.make_node("Concat", ["s", "w"], ["t"], axis=0)
    fill = make.make_node("ConstantOfShape", ["t"], ["y"])
    encoder = model([shape, one, fill], [constant("w", [3])], inputs="xm")
    for each in encoder.graph.input:
        each.type.tensor_type.elem_type = onnx.TensorProto.INT64
    graphs = {"encoder": encoder, "head.tag": head}
    arrays = {name: as_bytes(each.SerializeToString()) for name, each in graphs.items()}
    return TrainedNetwork.from_bundle(
        Bundle("network", {"rows": 5}, arrays, {"tag.labels": labels})
    )


def test_tables_have_the_shape_that_labels_ask_for() -> None:
    head = model([make.make_node("Slice", ["x", "b", "e", "a"], ["y"])],
                 [constant("b", [1]), constant("e", [999]), constant("a", [1])])  # fmt: skip
    (table,) = network(head, "a\nb\nc\n").tables("tag", [["x", "y"]])
    assert table.shape == (2, 3)
    with pytest.raises(StoreError, match="'tag' gives"):
        list(network(head, "a\nb\n").tables("tag", [["x", "y"]]))
    with pytest.raises(StoreError, match="'tag' gives"):
        list(network(head, "a\nb\nc\n").tables("tag", [["x", "y"]], pairs=True))
    with pytest.raises(StoreError, match="a head without labels"):
        network(head, "")
    with pytest.raises(StoreError, match="a head without labels"):
        TrainedNetwork.from_bundle(
            Bundle("network", {"rows": 5}, {"encoder": as_bytes(b"")}, {"tag.labels": "a\n"})
        )


def test_networks_share_an_encoder_only_if_all_of_it_is_the_same() -> None:
    graph = as_bytes(model([same("x")]).SerializeToString())
    rows = [Bundle("network", {"rows": n}, {"encoder": graph}, {}) for n in (5, 5, 7)]
    one, other, third = (TrainedNetwork.from_bundle(each).encoder for each in rows)
    assert one is other
    assert one is not third
    assert third.codes.rows == 7  # type: ignore[attr-defined]


@pytest.mark.parametrize("rows", [0, -1, 1 << 40])
def test_tables_without_rows(rows: int) -> None:
    with pytest.raises(StoreError, match=r"tables of .* rows"):
        TrainedNetwork.from_bundle(
            Bundle("network", {"rows": rows}, {"encoder": as_bytes(b"")}, {})
        )
