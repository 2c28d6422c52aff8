"""Encoders: loading, pooling, padding, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from tests.neural.tiny import SHAPE, write_encoder
from treewright.errors import ConfigError, StoreError
from treewright.neural.export import exported
from treewright.neural.hashed import HashedEncoder
from treewright.neural.network import Network, new_encoder
from treewright.neural.pieces import PieceEncoder, load_pieces
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.neural.transformer import Transformer, TransformerShape
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.words import shape
from treewright.storage.bundle import read_bundle

SENTENCES = [["She", "reads"], ["A", "b", "cd", "."], ["reads"]]


def settings(place: Path | str, surface: int = 0) -> EncoderSettings:
    return EncoderSettings(name=str(place), dropout=0.0, surface=surface)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> PieceEncoder:
    return load_pieces(settings(write_encoder(tmp_path_factory.mktemp("encoder")))).eval()


def hashed(recurrent: int = 0) -> HashedEncoder:
    torch.manual_seed(0)
    encoder = HashedEncoder(16, 2, 50, 0.1, recurrent=recurrent).eval()
    for norm in encoder.norms:
        nn.init.normal_(norm.bias)  # as after training
    return encoder


def test_words_are_pooled_from_their_pieces(pieces: PieceEncoder) -> None:
    prepared = pieces.prepare(["She", "reads", "\u200b", "xy"])
    assert prepared[:, 1].tolist() == [0, 1, 2, 2, 3, 4, 4, -1]
    assert prepared[[0, 4, -1], 0].tolist() == [2, 1, 3]
    batch = pieces.collate([prepared])
    vectors = pieces.transformer(batch[0], torch.ones_like(batch[0], dtype=torch.bool))[0]
    found = pieces(*batch)[0]
    torch.testing.assert_close(found[2], vectors[2:4].mean(dim=0))
    torch.testing.assert_close(found[0], vectors[0])


@pytest.mark.parametrize("kind", ["pieces", "hashed", "recurrent"])
def test_padding_changes_nothing(kind: str, pieces: PieceEncoder) -> None:
    encoder = pieces if kind == "pieces" else hashed(2 * (kind == "recurrent"))
    prepared = [encoder.prepare(words) for words in SENTENCES]
    together = encoder(*encoder.collate(prepared))
    assert together.shape == (3, 5, 16)
    for row, words in enumerate(SENTENCES):
        alone = encoder(*encoder.collate(prepared[row : row + 1]))[0]
        torch.testing.assert_close(together[row, : len(words) + 1], alone, atol=1e-5, rtol=1e-5)


def test_lstms_see_the_whole_sentence() -> None:
    words = [*"abcdefghijkl"]
    for changed, seen in ((0, 11), (11, 1)):
        others = list(words)
        others[changed] = "zz"
        for recurrent in (0, 1):
            encoder = hashed(recurrent)
            one, other = (
                encoder(*encoder.collate([encoder.prepare(w)]))[0] for w in (words, others)
            )
            assert torch.equal(one[seen], other[seen]) == (not recurrent)


@pytest.mark.parametrize("quantised", [False, True])
def test_lstms_are_exported(quantised: bool) -> None:
    how = NeuralSettings(EncoderSettings(width=16, layers=1, rows=50, recurrent=2))
    network = Network(new_encoder(how.encoder), {}, how)
    trained = TrainedNetwork.from_bundle(exported(network, {}, quantised))
    for words, found in zip(SENTENCES, trained.encoder.vectors(SENTENCES), strict=True):
        wanted = network.vectors([network.encoder.prepare(words)])[0].detach().numpy()
        np.testing.assert_allclose(found, wanted, atol=0.1 if quantised else 1e-5)


def test_words_have_surfaces_beside_their_pieces(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    plain, cased = load_pieces(settings(place)), load_pieces(settings(place, 50))
    assert cased.surface is not None
    lower, upper = (cased.prepare(["reads", word, "."]) for word in ("cd", "CD"))
    assert lower[:, :2].tolist() == plain.prepare(["reads", "cd", "."]).tolist()
    assert lower[0].tolist()[2:] == lower[-1].tolist()[2:] == [0, 0, 0, 0]
    assert (lower[1:3, 2:] > 0).all()
    assert (lower[1, 2:] == lower[2, 2:]).all()  # two pieces of one word
    batch = cased.collate([lower])
    torch.testing.assert_close(cased(*batch), plain(*batch[:3]))  # they start as 0
    nn.init.normal_(cased.surface.mix.weight)
    assert (cased(*batch) != plain(*batch[:3])).any()
    assert (lower[:, 2:] != upper[:, 2:]).any()
    assert cased.prepare([]).shape == (2, 6)


def test_long_sentences_lose_pieces_but_no_words(pieces: PieceEncoder) -> None:
    prepared = pieces.prepare(["abcdefgh"] * 10)
    assert len(prepared) <= SHAPE["max_position_embeddings"]  # type: ignore[operator]
    assert sorted(set(prepared[:, 1].tolist())) == list(range(-1, 11))
    longer = pieces.prepare(["ab"] * 60)
    assert pieces(*pieces.collate([longer])).shape == (1, 61, 16)


def test_the_transformer_is_the_textbook_one() -> None:
    """One layer, against torch's own encoder layer with the same weights."""
    config = json.dumps(SHAPE | {"vocab_size": 9, "num_hidden_layers": 1})
    torch.manual_seed(1)
    ours = Transformer(TransformerShape.parse(config, "test")).eval()
    theirs = nn.TransformerEncoderLayer(16, 4, 24, 0.0, functional.gelu, 1e-12, True).eval()
    mine = ours.encoder["layer"][0].state_dict()
    attention = [mine[f"attention.self.{name}.weight"] for name in ("query", "key", "value")]
    biases = [mine[f"attention.self.{name}.bias"] for name in ("query", "key", "value")]
    rows = {
        "self_attn.in_proj_weight": torch.cat(attention),
        "self_attn.in_proj_bias": torch.cat(biases),
    }
    names = {
        "self_attn.out_proj": "attention.output.dense",
        "linear1": "intermediate.dense",
        "linear2": "output.dense",
        "norm1": "attention.output.LayerNorm",
        "norm2": "output.LayerNorm",
    }
    for their_name, our_name in names.items():
        for kind in ("weight", "bias"):
            rows[f"{their_name}.{kind}"] = mine[f"{our_name}.{kind}"]
    theirs.load_state_dict(rows)
    numbers = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0]])
    present = numbers > 0
    found = ours(numbers, present)
    wanted = theirs(ours.embeddings(numbers), src_key_padding_mask=~present)
    torch.testing.assert_close(found[present], wanted[present], atol=1e-5, rtol=1e-5)


def test_a_prefix_of_names_is_known(tmp_path: Path) -> None:
    plain = load_pieces(settings(write_encoder(tmp_path / "a")))
    other = load_pieces(settings(write_encoder(tmp_path / "b", prefix="bert.")))
    pairs = zip(plain.parameters(), other.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="neither a directory nor a package"):
        load_pieces(settings("no_such_package"))
    place = write_encoder(tmp_path / "pickled")
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="is a pickle, which is never loaded"):
        load_pieces(settings(place))
    for name in (str(place / "pytorch_model.bin"), str(place / "tokenizer.json")):
        with pytest.raises(ConfigError, match=r"a file, not a directory .* never loaded"):
            load_pieces(settings(name))
    with pytest.raises(StoreError, match=r"a file, not a model directory; .* never loaded"):
        read_bundle(place / "pytorch_model.bin")
    (place / "tokenizer.json").rename(place / "vocab.txt")
    with pytest.raises(ConfigError, match=r"no tokenizer\.json: a vocabulary alone is not read"):
        load_pieces(settings(place))
    other = write_encoder(tmp_path / "other")
    with pytest.raises(ConfigError, match="static vectors need the encoder hashed"):
        load_pieces(replace(settings(other), vectors=tmp_path / "vectors.txt"))
    (other / "config.json").write_text(json.dumps(SHAPE | {"model_type": "t5"}))
    with pytest.raises(ConfigError, match=r"model_type must be one of bert, .*, not 't5'"):
        load_pieces(settings(other))
    wide = json.dumps(SHAPE | {"vocab_size": 82, "num_hidden_layers": 3})
    (other / "config.json").write_text(wide)
    with pytest.raises(ConfigError, match=r"no weights 'encoder\.layer\.2"):
        load_pieces(settings(other))
    (other / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ConfigError, match=r"model\.safetensors"):
        load_pieces(settings(other))


def test_weights_in_several_files(tmp_path: Path, pieces: PieceEncoder) -> None:
    place = write_encoder(tmp_path / "encoder")
    path = place / "model.safetensors"
    weights, index = load_file(path), place / "model.safetensors.index.json"
    path.unlink()
    names = sorted(weights)
    files = {name: f"model-0000{1 + i % 2}-of-00002.safetensors" for i, name in enumerate(names)}
    for file in set(files.values()):
        save_file({n: each for n, each in weights.items() if files[n] == file}, place / file)
    index.write_text(json.dumps({"metadata": {}, "weight_map": files}))
    found = load_pieces(settings(place)).state_dict()
    assert all(torch.equal(found[name], each) for name, each in pieces.state_dict().items())
    index.write_text(json.dumps({"weight_map": dict.fromkeys(names, files[names[0]])}))
    with pytest.raises(ConfigError, match="no weights"):
        load_pieces(settings(place))
    for bad in (
        '{"weight_map": {"a": "../x"}}',
        '{"weight_map": {"a": "no"}}',
        "[]",
        '{"weight_map": 1}',
        '{"weight_map": {"a": 1}}',
        '{"weight_map": {}}',
        "[" * 100_000,
        "",
    ):
        index.write_text(bad)
        with pytest.raises(ConfigError, match=r"index\.json: "):
            load_pieces(settings(place))


def test_shapes_and_hashes() -> None:
    assert [shape(word) for word in ("Abc-12", "USA", "aaaaaa", "")] == ["Xxx-dd", "XXX", "xxx", ""]
    encoder = hashed()
    a, b = encoder.prepare(["house", "House"]), encoder.prepare(["house"])
    assert np.array_equal(a[:2], b)
    assert not np.array_equal(a[1], a[2])
    assert np.array_equal(a[1, 2:10], a[2, 2:10])  # the same lower form and affixes
    assert a.max() <= 50
    assert not a[0].any()
