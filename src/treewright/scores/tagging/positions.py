"""A log-linear model that tags encoded positions independently.

It is the core's tagger without words, dictionary and transitions, for callers that encode positions
themselves, such as the characters of a text (`treewright.text`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Floats32, Indices, Keys
from treewright.scores.features.encoder import core_keys
from treewright.scores.tagging.base import Posteriors
from treewright.scores.tagging.encoder import CompiledTemplates, Encoded

ALL = 1 << 20  # more than the number of tags


@dataclass(frozen=True, eq=False)
class PositionModel:
    """The weights of a model, and the sets of tags that positions choose from (CSR).

    keys [rows]: features; row_first [rows + 1], row_tag [entries]: their tags; weight [entries].
    """

    templates: CompiledTemplates
    tags: int
    set_first: Indices
    set_tag: Indices
    keys: Keys
    row_first: Indices
    row_tag: Indices
    weight: Floats32

    def arrays(self) -> dict[str, NDArray[Any]]:
        names = ("set_first", "set_tag", "keys", "row_first", "row_tag", "weight")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def core(self) -> _core.TaggerModel:
        none = np.zeros(0, dtype=np.float32)
        keys, bits = core_keys(self.keys)
        return _core.TaggerModel(
            self.templates.core,
            keys,
            self.row_first,
            self.row_tag,
            local=self.weight,
            chain=self.weight,
            tags=self.tags,
            set_first=self.set_first,
            set_tag=self.set_tag,
            bigram=none,
            trigrams=none.astype(np.uint64),
            trigram=none,
            order=0,
            key_bits=bits,
        )

    def posteriors(self, encoded: Encoded, sets: Indices, beta: float = 1e-9) -> Posteriors:
        """The probabilities of tags with at least beta times the highest one."""
        arrays = encoded.attributes, encoded.classes, encoded.first_position
        out = self.core.tag(*arrays, sets, beta, 1, ALL)
        return Posteriors(out[0], out[1], out[2], encoded.first_position, out[3])

    def entries(self, rows: Indices, first: Indices, tag: Indices) -> tuple[Indices, Indices]:
        """The weight indices of candidates: offsets [candidates + 1], and indices.

        rows [positions, templates]; first [positions + 1], tag [candidates]: the candidates.
        """
        return self.core.entries(rows.ravel(), first, tag)
