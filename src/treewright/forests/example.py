"""A training example: a forest, the gold derivations in it, and the features of its parts."""

from dataclasses import dataclass

from treewright.errors import ForestError
from treewright.forests.features import FeatureMatrix
from treewright.forests.forest import Forest


@dataclass(frozen=True, eq=False)
class Example:
    """What an objective needs of one sentence.

    `gold` is a forest over the same parts (see `Forest.restrict`), or None where the sentence has
    no reachable gold derivation; `name` says which sentence it is.
    """

    forest: Forest
    features: FeatureMatrix
    gold: Forest | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.features.parts != self.forest.parts:
            raise ForestError(
                f"{self.name or 'example'}: features for {self.features.parts} parts, "
                f"but the forest has {self.forest.parts}"
            )
        if self.gold is not None and self.gold.parts != self.forest.parts:
            raise ForestError(f"{self.name or 'example'}: gold has other parts than the forest")
