"""An encoder trained from scratch: hashed embeddings, convolutions and LSTMs.

Form, affixes, shape and optionally tags of a word are hashed to rows of small embedding tables (two
rows per attribute, so that collisions rarely agree), as in spaCy. Static vectors can be added.
Gated convolutions over three words and LSTMs in both directions follow, with residual connections.
Only LSTMs see the whole sentence, and how far apart two words are.
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


class Bidirectional(nn.Module):
    """An LSTM in each direction; what lies behind the end of a sentence does not matter."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.ahead, self.back = (nn.LSTM(width, width // 2, batch_first=True) for _ in range(2))

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        """Vectors [sentences, longest + 1, width] of vectors of the same shape."""
        seen = self.norm(x)
        places = torch.arange(x.shape[1], device=x.device)
        last = present.sum(dim=1, keepdim=True) - 1
        turned = torch.where(places <= last, last - places, places)[..., None]
        back = self.back(_taken(seen, turned))[0]
        return torch.cat((self.ahead(seen)[0], _taken(back, turned)), dim=2)


def _taken(x: Tensor, places: Tensor) -> Tensor:
    """The vectors at places [sentences, longest + 1, 1]."""
    found: Tensor = x.gather(1, places.expand(-1, -1, x.shape[2]))
    return found


class HashedEncoder(nn.Module):
    """Encodes words with hashed embeddings, convolutions and LSTMs.

    Sentences are prepared by `treewright.scores.neural.words.HashedWords`.

    Args:
        width: width of the vectors.
        layers: number of convolution layers.
        rows: number of rows per table.
        dropout: dropout rate in training.
        static: words and their static vectors, which are not trained.
        tagged: whether words have tags (`treewright.scores.neural.words.tagged_word`).
        recurrent: number of bidirectional LSTM layers behind the convolutions.
    """

    def __init__(
        self,
        width: int,
        layers: int,
        rows: int,
        dropout: float,
        static: Vectors = NO_VECTORS,
        tagged: bool = False,
        recurrent: int = 0,
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
        self.recurrent = nn.ModuleList(Bidirectional(width) for _ in range(recurrent))

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
        for layer in self.recurrent:
            x = x + layer(functional.dropout(x, self.dropout, self.training), present)
        vectors: Tensor = x * there  # padding is 0
        return vectors

    def layers(self) -> Iterator[nn.Module]:
        yield self

    def texts(self) -> dict[str, str]:
        return {STATIC: "".join(f"{word}\n" for word in self._words)} if self._words else {}
