"""Pretrained encoders: directories in the Hugging Face layout, word pieces pooled to words.

Weights come from safetensors alone; a pickled checkpoint is refused.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.errors import ConfigError
from treewright.neural.transformer import Transformer, TransformerShape
from treewright.scores.neural.network import CONFIG, TOKENIZER
from treewright.scores.neural.words import WordPieces

WEIGHTS = "model.safetensors"
PICKLES = ("pytorch_model.bin", "model.bin", "model.pt")


class PieceEncoder(nn.Module):
    """A transformer over word pieces; a word's vector is the mean of its pieces' vectors.

    Sentences are prepared by `treewright.scores.neural.words.WordPieces`.
    """

    def __init__(self, config: str, tokenizer: str, dropout: float, where: str = CONFIG) -> None:
        super().__init__()
        self._config, self._tokenizer = config, tokenizer
        shape = TransformerShape.parse(config, where)
        self.width = shape.hidden_size
        self.transformer = Transformer(shape, dropout)
        self.codes = WordPieces(config, tokenizer)

    def prepare(self, words: Sequence[str]) -> Integers:
        """The pieces of a sentence."""
        return self.codes.prepare(words)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """Pieces and the word of each, and the numbers of all words."""
        return tuple(map(torch.from_numpy, self.codes.collate(sentences)))

    def forward(self, pieces: Tensor, place: Tensor, words: Tensor) -> Tensor:
        """Vectors of words [sentences, longest + 1, width]."""
        vectors = self.transformer(pieces, place > -2)
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
