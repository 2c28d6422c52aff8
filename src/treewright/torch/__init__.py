"""Exact objectives as differentiable layers of PyTorch networks (`pip install treewright[torch]`).

`ForestLoss` computes any objective on packed forests: tag chains, constituency and CCG charts,
projective dependency trees. `TreeLoss` does the same for all dependency trees with the matrix-tree
theorem. `RemoteForestLoss` is `ForestLoss` on forests that others hold, such as Ray workers.
"""

from treewright.torch.forests import CorpusForestLoss, ForestLoss, RemoteForestLoss
from treewright.torch.trees import TreeLoss

__all__ = ["CorpusForestLoss", "ForestLoss", "RemoteForestLoss", "TreeLoss"]
