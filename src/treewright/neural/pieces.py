"""Pretrained encoders: directories in the Hugging Face layout, word pieces pooled to words.

Weights are read from safetensors only; pickled checkpoints are refused.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.errors import ConfigError
from treewright.neural.families import FAMILIES, Family
from treewright.neural.settings import EncoderSettings
from treewright.neural.transformer import Transformer, TransformerShape, check_size
from treewright.scores.neural.network import CONFIG, TOKENIZER
from treewright.scores.neural.words import SURFACES, WordPieces

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
SURFACE_WIDTH = 48
MAX_BYTES = 1 << 26  # of config.json and tokenizer.json
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.bin", "model.pt")
VOCABULARIES = ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
NEVER = "a pickle, which is never loaded; convert it to safetensors"


class Surface(nn.Module):
    """Embeddings of case, affixes and shapes of words, which word pieces do not show.

    They are initialised to 0, so that the pretrained network is unchanged at first.
    """

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(
            nn.Embedding(rows + 1, SURFACE_WIDTH, padding_idx=0) for _ in range(SURFACES)
        )
        self.mix = nn.Linear(SURFACES * SURFACE_WIDTH, width, bias=False)
        nn.init.zeros_(self.mix.weight)

    def forward(self, rows: Tensor) -> Tensor:
        """From rows [sentences, pieces, surfaces] to vectors [sentences, pieces, width]."""
        found = [table(rows[:, :, i]) for i, table in enumerate(self.tables)]
        mixed: Tensor = self.mix(torch.cat(found, dim=2))
        return mixed


class PieceEncoder(nn.Module):
    """A transformer over word pieces; a word's vector is the mean of its pieces' vectors.

    Sentences are prepared by `treewright.scores.neural.words.WordPieces`.

    Args:
        config: the text of `config.json`.
        tokenizer: the text of `tokenizer.json`.
        settings: dropout, frozen layers and surfaces, which are added before the first layer that
            is not frozen.
        where: the file name in errors.
    """

    def __init__(
        self, config: str, tokenizer: str, settings: EncoderSettings, where: str = CONFIG
    ) -> None:
        super().__init__()
        self._config, self._tokenizer = config, tokenizer
        shape = TransformerShape.parse(config, where)
        self.width = shape.hidden_size
        self.transformer = Transformer(shape, settings.dropout, max(0, settings.frozen - 1))
        self.surface = Surface(settings.surface, self.width) if settings.surface else None
        self.codes = WordPieces(config, tokenizer, settings.surface)
        if self.codes.largest >= shape.vocab_size:
            raise ConfigError(
                f"{where}: the tokenizer has piece {self.codes.largest}, but vocab_size is"
                f" {shape.vocab_size}"
            )

    def prepare(self, words: Sequence[str]) -> Integers:
        """The pieces of a sentence."""
        return self.codes.prepare(words)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """Pieces and the word of each, the numbers of all words, and surfaces if there are any."""
        return tuple(map(torch.from_numpy, self.codes.collate(sentences)))

    def forward(
        self, pieces: Tensor, place: Tensor, words: Tensor, rows: Tensor | None = None
    ) -> Tensor:
        """Vectors of words [sentences, longest + 1, width]."""
        more = None if self.surface is None else self.surface(rows)
        vectors = self.transformer(pieces, place > -2, more)
        belongs = (place[:, None, :] == words[:, None]).to(vectors.dtype)
        found: Tensor = belongs @ vectors / belongs.sum(dim=2, keepdim=True).clamp(min=1.0)
        return found

    def layers(self) -> Iterator[nn.Module]:
        yield self.transformer.embeddings
        yield from self.transformer.blocks()

    def texts(self) -> dict[str, str]:
        return {CONFIG: self._config, TOKENIZER: self._tokenizer}


def load_pieces(settings: EncoderSettings) -> PieceEncoder:
    """Loads the encoder of a directory, or of an installed package."""
    if settings.vectors is not None:
        raise ConfigError(f"static vectors need the encoder hashed, not {settings.name}")
    directory = _directory(settings.name)
    config, tokenizer = (_text(directory / file) for file in (CONFIG, TOKENIZER))
    where, files = str(directory / CONFIG), _weight_files(directory)
    weights = TransformerShape.parse(config, where).weights()
    check_size(weights, sum(path.stat().st_size for path in files), where, WEIGHTS)
    encoder = PieceEncoder(config, tokenizer, settings, where)
    family = FAMILIES[json.loads(config)["model_type"]]
    found = _weights(files, encoder.transformer.state_dict(), family)
    encoder.transformer.load_state_dict(found)
    return encoder


def _text(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error


def _weight_files(directory: Path) -> list[Path]:
    """The file of the weights, or the files that an index names."""
    index = directory / INDEX
    if (directory / WEIGHTS).is_file():
        return [directory / WEIGHTS]
    try:
        names = sorted(set(json.loads(_text(index))["weight_map"].values()))
        files = [directory / name for name in names if Path(name).name == name]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{index}: damaged: {error!s:.200}") from error
    if len(files) < max(1, len(names)) or not all(path.is_file() for path in files):
        raise ConfigError(f"{index}: files that it names are not in its directory")
    return files


def _weights(
    files: Sequence[Path], wanted: Mapping[str, Tensor], family: Family
) -> dict[str, Tensor]:
    """The weights in files that a network needs, with checked shapes and values."""
    plain: dict[str, Tensor] = {}
    for path in files:
        try:
            read = load_file(path)
        except SafetensorError as error:
            raise ConfigError(f"{path}: {error!s:.200}") from error
        plain |= {key.removeprefix(family.prefix): value for key, value in read.items()}
    path = files[0] if len(files) == 1 else files[0].parent
    names = {key: family.in_file(key) for key in wanted}
    for key, place in wanted.items():
        found = plain.get(name := names[key])
        if found is None:
            raise ConfigError(f"{path}: no weights {name!r}")
        if found.shape != place.shape or not found.is_floating_point():
            raise ConfigError(
                f"{path}: weights {name!r} are {found.dtype} {list(found.shape)}, not"
                f" floating-point {list(place.shape)}"
            )
        if not bool(found.float().isfinite().all()):
            raise ConfigError(f"{path}: weights {name!r} are not finite")
    return {key: plain[name].float() for key, name in names.items()}


def _directory(name: str) -> Path:
    """The directory of an encoder, with all required files."""
    place = Path(name)
    if place.is_file():
        raise ConfigError(
            f"encoder {name!r}: a file, not a directory with {CONFIG}, {TOKENIZER} and {WEIGHTS};"
            f" a PyTorch checkpoint is {NEVER}"
        )
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
        if not (place / file).is_file() and not (file == WEIGHTS and (place / INDEX).is_file()):
            raise ConfigError(f"{place}: no {file}{_instead(place, file)}")
    return place


def _instead(place: Path, file: str) -> str:
    """What is there in place of a missing file, as the end of an error."""
    pickle = next((each for each in PICKLES if (place / each).exists()), None)
    if file == WEIGHTS and pickle:
        return f": {pickle} is {NEVER}"
    if file == TOKENIZER and any((place / each).exists() for each in VOCABULARIES):
        return ": a vocabulary alone is not read; save the tokenizer as a fast one"
    return ""
