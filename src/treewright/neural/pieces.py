"""Pretrained encoders: directories in the Hugging Face layout, word pieces pooled to words.

Weights come from safetensors alone; a pickled checkpoint is refused.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.errors import ConfigError
from treewright.neural.encoder import padded
from treewright.neural.transformer import Transformer, TransformerShape

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
PICKLES = ("pytorch_model.bin", "model.bin", "model.pt")


class PieceEncoder(nn.Module):
    """A transformer over word pieces; a word's vector is the mean of its pieces' vectors.

    A prepared sentence is [pieces, 2]: numbers of pieces, and the place of the word that each
    belongs to; the root is the first special piece, and other special pieces belong to no word, -1.
    """

    def __init__(self, config: str, tokenizer: str, dropout: float, where: str = CONFIG) -> None:
        super().__init__()
        self._config, self._tokenizer = config, tokenizer
        shape = TransformerShape.parse(config, where)
        self.width = shape.hidden_size
        self.pad, self.most = shape.pad_token_id, shape.max_position_embeddings
        self.transformer = Transformer(shape, dropout)
        self.tokenizer = Tokenizer.from_str(tokenizer)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.first, *_, self.last = self.tokenizer.encode("a").ids
        self.unknown = self.tokenizer.encode("\u2400", add_special_tokens=False).ids[:1] or [0]

    def prepare(self, words: Sequence[str]) -> Integers:
        """The pieces of a sentence; a word that the tokenizer drops is one piece, unknown."""
        found = self.tokenizer.encode_batch(
            [[word] for word in words], is_pretokenized=True, add_special_tokens=False
        )
        rows = [(self.first, 0)]
        budget = max(1, (self.most - 2) // max(1, len(words)))
        lists = [each.ids or self.unknown for each in found]
        if sum(map(len, lists)) > self.most - 2:
            lists = [ids[:budget] for ids in lists]
        rows += [(piece, place) for place, ids in enumerate(lists, 1) for piece in ids]
        return np.array([*rows, (self.last, -1)], np.int64)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """Pieces, and the word of each piece: both [sentences, pieces]; -2 is padding."""
        pieces = padded([each[:, 0] for each in sentences], self.pad)
        return pieces, padded([each[:, 1] for each in sentences], -2)

    def forward(self, pieces: Tensor, place: Tensor) -> Tensor:
        """Vectors of words [sentences, longest + 1, width]."""
        vectors = self.transformer(pieces, place > -2)
        words = torch.arange(int(place.max()) + 1, device=place.device)
        belongs = (place[:, None, :] == words[:, None]).to(vectors.dtype)
        found: Tensor = belongs @ vectors / belongs.sum(dim=2, keepdim=True).clamp(min=1.0)
        return found

    def layers(self) -> Iterator[nn.Module]:
        yield self.transformer.embeddings
        yield from self.transformer.blocks()

    def texts(self) -> dict[str, str]:
        return {CONFIG: self._config, TOKENIZER: self._tokenizer}


def load_pieces(name: str, dropout: float) -> PieceEncoder:
    """The encoder of a directory, or of the directory that an installed package has."""
    directory = _directory(name)
    texts = [(directory / file).read_text(encoding="utf-8") for file in (CONFIG, TOKENIZER)]
    encoder = PieceEncoder(texts[0], texts[1], dropout, str(directory / CONFIG))
    try:
        weights = load_file(directory / WEIGHTS)
    except SafetensorError as error:
        raise ConfigError(f"{directory / WEIGHTS}: {error}") from error
    plain = {key.removeprefix("bert."): value.float() for key, value in weights.items()}
    wanted = encoder.transformer.state_dict()
    lacking = next((key for key in wanted if key not in plain), None)
    if lacking is not None:
        raise ConfigError(f"{directory / WEIGHTS}: no weights {lacking!r}")
    encoder.transformer.load_state_dict({key: plain[key] for key in wanted})
    return encoder


def _directory(name: str) -> Path:
    """The directory of an encoder, with all that it must hold."""
    place = Path(name)
    if not place.is_dir():
        spec = find_spec(name) if name.isidentifier() else None
        roots = list(spec.submodule_search_locations or ()) if spec else []
        found = sorted(path.parent for root in roots for path in Path(root).rglob(TOKENIZER))
        if not found:
            raise ConfigError(
                f"encoder {name!r}: neither a directory nor a package with an encoder"
            )
        place = found[0]
    for file in (CONFIG, TOKENIZER, WEIGHTS):
        if not (place / file).is_file():
            pickle = next((each for each in PICKLES if (place / each).exists()), None)
            why = f": {pickle} is a pickle, which is never loaded; convert it to safetensors"
            raise ConfigError(f"{place}: no {file}{why if pickle and file == WEIGHTS else ''}")
    return place
