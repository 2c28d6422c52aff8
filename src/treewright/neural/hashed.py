"""An encoder trained from scratch: hashed embeddings and convolutions.

Form, affixes, shape and optionally tags of a word are hashed to rows of small embedding tables (two
rows per attribute, so that collisions rarely agree), as in spaCy. Static vectors can be added.
Gated convolutions over three words with residual connections follow.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from treewright.arrays import Integers
from treewright.data.vectors import Vectors
from treewright.scores.neural.network import STATIC
from treewright.scores.neural.words import HASHES, HashedWords

NO_VECTORS = Vectors((), np.zeros((0, 0), np.float32))


class HashedEncoder(nn.Module):
    """Encodes words with hashed embeddings and convolutions.

    Sentences are prepared by `treewright.scores.neural.words.HashedWords`.

    Args:
        width: width of the vectors.
        layers: number of convolution layers.
        rows: number of rows per table.
        dropout: dropout rate in training.
        static: words and their static vectors, which are not trained.
        tagged: whether words have tags (`treewright.scores.neural.words.tagged_word`).
    """

    def __init__(
        self,
        width: int,
        layers: int,
        rows: int,
        dropout: float,
        static: Vectors = NO_VECTORS,
        tagged: bool = False,
    ) -> None:
        super().__init__()
        self.width, self.rows, self.dropout = width, rows, dropout
        self.codes, self._words = HashedWords(rows, static.words, tagged), static.words
        attributes = self.codes.attributes
        none = torch.zeros(1, static.table.shape[1])
        self.register_buffer("static", torch.cat((none, torch.tensor(static.table))))
        self.tables = nn.ModuleList(
            nn.Embedding(rows + 1, width // 2, padding_idx=0) for _ in range(attributes)
        )
        self.root = nn.Parameter(torch.zeros(width))
        self.mix = nn.Linear(attributes * (width // 2) + static.table.shape[1], width)
        self.norm = nn.LayerNorm(width)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, 2 * width, 3, padding=1) for _ in range(layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))

    def prepare(self, words: Sequence[str]) -> Integers:
        """Hashed attributes of the words; row 0 is the root."""
        return self.codes.prepare(words)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """Rows of the tables, and a mask of words: [sentences, longest + 1]."""
        return tuple(map(torch.from_numpy, self.codes.collate(sentences)))

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        """Vectors of words [sentences, longest + 1, width]."""
        size = len(self.tables) * HASHES
        pairs = rows[..., :size].reshape(*rows.shape[:2], len(self.tables), HASHES)
        found = [table(pairs[:, :, i]).sum(dim=2) for i, table in enumerate(self.tables)]
        if self._words:
            found.append(functional.embedding(rows[..., size], self.get_buffer("static")))
        x = self.norm(self.mix(torch.cat(found, dim=2)))
        x = torch.cat(((x[:, :1] * 0 + self.root), x[:, 1:]), dim=1)
        there = present[..., None].to(x.dtype)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = functional.dropout(x, self.dropout, self.training) * there
            seen = (norm(x) * there).transpose(1, 2)
            x = x + functional.glu(convolution(seen), dim=1).transpose(1, 2)
        return x * there  # padding is 0

    def layers(self) -> Iterator[nn.Module]:
        yield self

    def texts(self) -> dict[str, str]:
        return {STATIC: "".join(f"{word}\n" for word in self._words)} if self._words else {}
