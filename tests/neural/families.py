"""Tiny networks of every family of encoders, with the same weights wherever they are built.

    python -m tests.neural.families

writes the outputs of Hugging Face transformers (`pip install transformers`) for them, which
`tests/golden/encoders.json` keeps.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch

from tests.neural.tiny import SHAPE

GOLDEN = Path(__file__).parents[1] / "golden" / "encoders.json"
PIECES = [[2, *(4 + i * i % 7 for i in range(18)), 3], [2, 6, 10, 3]]
PAD = 1
BERT = SHAPE | {"vocab_size": 82, "type_vocab_size": 2, "pad_token_id": PAD}
DISTILBERT = {
    "dim": 16,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 24,
    "activation": "gelu",
    "max_position_embeddings": 40,
    "vocab_size": 82,
    "pad_token_id": PAD,
}
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "bert": BERT,
    "camembert": BERT | {"layer_norm_eps": 1e-5},
    "distilbert": DISTILBERT,
    "electra": BERT | {"embedding_size": 8},
    "mpnet": BERT | {"relative_attention_num_buckets": 32, "layer_norm_eps": 1e-5},
    "roberta": BERT | {"layer_norm_eps": 1e-5, "type_vocab_size": 1},
    "xlm-roberta": BERT | {"type_vocab_size": 1},
}


def weights(name: str, shape: Sequence[int]) -> torch.Tensor:
    """Random weights that depend on the name that a file has for them."""
    random = np.random.default_rng(crc32(name.encode()))
    return torch.from_numpy(random.normal(0.0, 0.3, tuple(shape)).astype(np.float32))


def padded_pieces() -> tuple[torch.Tensor, torch.Tensor]:
    """The pieces of two sentences, and where there are any."""
    longest = max(map(len, PIECES))
    rows = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in PIECES])
    present = torch.tensor([[i < len(row) for i in range(longest)] for row in PIECES])
    return rows, present


def _theirs(kind: str, config: Mapping[str, Any]) -> list[list[list[float]]]:
    import transformers

    plain = {key: value for key, value in config.items() if key != "model_type"}
    model = transformers.AutoModel.from_config(transformers.AutoConfig.for_model(kind, **plain))
    state = model.state_dict()
    filled = {
        name: weights(name, value.shape) if value.is_floating_point() else value
        for name, value in state.items()
    }
    model.load_state_dict(filled)
    model.eval()
    rows, present = padded_pieces()
    with torch.inference_mode():
        found = model(input_ids=rows, attention_mask=present.long()).last_hidden_state
    return [
        [[round(x, 4) for x in piece] for piece in found[i, : len(row)].tolist()]
        for i, row in enumerate(PIECES)
    ]


def main() -> None:
    """Writes the golden file."""
    import transformers

    outputs = {kind: _theirs(kind, config) for kind, config in CONFIGS.items()}
    made = {"transformers": transformers.__version__, "outputs": outputs}
    GOLDEN.write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
