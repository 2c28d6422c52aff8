"""SuPar's parser of all dependency trees, with scores in the range that its sums can take.

SuPar 1.1.4 exponentiates 32-bit scores, which overflow above 88.7. A single such score makes the
likelihood and then every weight a NaN; no later pass has a score above zero, so that it never
writes a checkpoint and ends when it loads one. Its scores pass that limit within the first steps.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def bounded(parser: Any) -> Any:
    """A parser class of SuPar whose network gives scores `within_range`."""

    class Model(parser.MODEL):  # type: ignore[misc]
        def forward(self, words: Tensor, feats: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
            arcs, labels = super().forward(words, feats)
            return within_range(arcs, words.ne(self.args.pad_index)), labels

    return type(parser.__name__, (parser,), {"MODEL": Model})


def within_range(arcs: Tensor, positions: Tensor) -> Tensor:
    """Scores of arcs, none above 0, that give every dependency tree the same probability.

    A word has one head other than itself, so its scores may be shifted together, and that of the
    arc from itself left out. 64 bits keep scores apart that are up to 700 below the highest.

    Args:
        arcs: [sentences, words + 1, words + 1], word by head.
        positions: [sentences, words + 1], true at the root and at words.
    """
    own = torch.eye(arcs.shape[-1], dtype=torch.bool, device=arcs.device)
    scores = arcs.double().masked_fill(~positions[:, None] | own, -torch.inf)
    return scores - scores.detach().amax(-1, keepdim=True)
