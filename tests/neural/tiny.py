"""A tiny random encoder in the Hugging Face layout, made on the fly."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from treewright.neural.transformer import Transformer, TransformerShape

LETTERS = "abcdefghijklmnopqrstuvwxyz.,0123456789"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SHAPE = {
    "model_type": "bert",
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
    "hidden_act": "gelu",
    "pad_token_id": 0,
}


def tokenizer() -> Tokenizer:
    """Word pieces of one letter each, and a few longer ones."""
    pieces = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), "read", "she"]
    made = Tokenizer(
        models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def write_encoder(directory: Path, seed: int = 0, prefix: str = "", width: int = 16) -> Path:
    """The encoder's directory; weights are random, and the same for the same seed."""
    directory.mkdir(exist_ok=True)
    made = tokenizer()
    config = SHAPE | {"vocab_size": made.get_vocab_size(), "hidden_size": width}
    text = json.dumps(config)
    (directory / "config.json").write_text(text)
    made.save(str(directory / "tokenizer.json"))
    torch.manual_seed(seed)
    weights = Transformer(TransformerShape.parse(text, "test")).state_dict()
    save_file(
        {prefix + name: value for name, value in weights.items()}, directory / "model.safetensors"
    )
    return directory
