"""An encoder to train from scratch: hashed embeddings of forms, affixes and shapes, convolutions.

Every word has a few attributes; each is hashed to rows of a small table of its own (two rows per
attribute, so that collisions rarely agree), as spaCy's embeddings are. Layers of gated convolutions
over three words with residual connections follow.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from treewright.arrays import Integers
from treewright.neural.encoder import padded

ATTRIBUTES = 6
HASHES = 2  # rows per attribute


def attributes(word: str) -> list[str]:
    """Form, lower form, three affixes and the shape, each with its name in front."""
    lower = word.lower()
    return [word, lower, lower[:3], lower[-2:], lower[-3:], shape(word)]


def shape(word: str) -> str:
    """`Xxx-dd` for `Abc-12`, runs of one class cut after three."""
    found = ""
    for char in word:
        kind = "d" if char.isdigit() else "X" if char.isupper() else "x" if char.isalpha() else char
        if not found.endswith(kind * 3):
            found += kind
    return found


class HashedEncoder(nn.Module):
    """Vectors of words by hashed attributes and convolutions.

    A prepared sentence is [words + 1, attributes * HASHES], rows of the tables plus 1; the root's
    are 0.
    """

    def __init__(self, width: int, layers: int, rows: int, dropout: float) -> None:
        super().__init__()
        self.width, self.rows, self.dropout = width, rows, dropout
        self.tables = nn.ModuleList(
            nn.Embedding(rows + 1, width // 2, padding_idx=0) for _ in range(ATTRIBUTES)
        )
        self.root = nn.Parameter(torch.zeros(width))
        self.mix = nn.Linear(ATTRIBUTES * (width // 2), width)
        self.norm = nn.LayerNorm(width)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, 2 * width, 3, padding=1) for _ in range(layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))

    def prepare(self, words: Sequence[str]) -> Integers:
        """Hashed attributes of the words; row 0 is the root."""
        rows = [[0] * (ATTRIBUTES * HASHES)]
        rows += [[1 + key % self.rows for key in _keys(word)] for word in words]
        return np.array(rows, np.int64)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """Rows of the tables, and which places are words: [sentences, longest + 1]."""
        lengths = [np.ones(len(each), np.int64) for each in sentences]
        return padded(sentences), padded(lengths)

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        """Vectors of words [sentences, longest + 1, width]."""
        pairs = rows.reshape(*rows.shape[:2], ATTRIBUTES, HASHES)
        found = [table(pairs[:, :, i]).sum(dim=2) for i, table in enumerate(self.tables)]
        x = self.norm(self.mix(torch.cat(found, dim=2)))
        x = torch.cat(((x[:, :1] * 0 + self.root), x[:, 1:]), dim=1)
        there = present[..., None].to(x.dtype)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = functional.dropout(x, self.dropout, self.training) * there
            x = x + functional.glu(convolution(norm(x).mT), dim=1).mT
        return x

    def layers(self) -> Iterator[nn.Module]:
        yield self

    def texts(self) -> dict[str, str]:
        return {}


def _keys(word: str) -> Iterator[int]:
    for number, text in enumerate(attributes(word)):
        digest = blake2b(f"{number} {text}".encode(errors="surrogatepass"), digest_size=16).digest()
        words: NDArray[np.uint64] = np.frombuffer(digest, "<u8")
        yield from (int(each) for each in words)
