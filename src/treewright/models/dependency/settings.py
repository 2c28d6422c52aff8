"""The settings of a dependency parser."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.models.dependency.graph.parser import GraphSettings
from treewright.models.dependency.transition.algorithm import TransitionSettings
from treewright.models.tagging.settings import PosTaggerSettings
from treewright.text.settings import TokeniserSettings
from treewright.train.supervision import AugmentSettings


@dataclass(frozen=True)
class DependencySettings:
    """All settings of a dependency parser."""

    train: Path = setting(Path("train.conllu"), "trees to learn from")
    dev: Path | None = setting(None, "trees to choose the best pass by")
    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"] = setting(
        "arc-eager", "transition-based or graph-based"
    )
    tags: Literal["gold", "automatic"] = setting(
        "gold",
        "those of the files, or those of the model's own tagger: always in parsing, on dev and in"
        " augment data; in training as folds says",
    )
    tagger: bool = setting(True, "with tags = gold: train one too, for text without tags")
    tokeniser: bool = setting(True, "train one too, for raw text; CoNLL-X files have none to learn")
    folds: int = setting(
        0,
        "with tags = automatic: train on tags of as many taggers, each blind to its part; 0: on"
        " those of the file",
    )
    form_cutoff: int = setting(1, "forms and affixes seen at most so often count as unknown")
    transition: TransitionSettings = setting(TransitionSettings(), "arc-eager and arc-hybrid")
    graph: GraphSettings = setting(GraphSettings(), "mst and eisner")
    augment: list[AugmentSettings] = setting([], "further data sets, each with its loss")
    tagging: PosTaggerSettings = setting(PosTaggerSettings(), "of the tagger")
    tokens: TokeniserSettings = setting(TokeniserSettings(), "of the tokeniser")

    def __post_init__(self) -> None:
        if self.form_cutoff < 0:
            raise ValueError(f"form_cutoff must not be negative, not {self.form_cutoff}")
        if self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds must be 0 or at least 2, not {self.folds}")
        if self.trains_tagger:
            self.tagging.chain.check_dev(self.dev)
        if self.transition.oracle == "dynamic" and self.algorithm != "arc-hybrid":
            raise ValueError("only algorithm = arc-hybrid has a dynamic oracle")
        if self.algorithm == "eisner" and self.graph.second_order and self.graph.label_variants:
            raise ValueError("graph.label_variants goes with no graph.second_order in eisner")
        if self.lifts and self.augment:
            raise ValueError("transition.pseudo_projective goes with no [[augment]]")

    @property
    def trains_tagger(self) -> bool:
        return self.tagger or self.tags == "automatic"

    @property
    def lifts(self) -> bool:
        """Whether trees are pseudo-projective."""
        return self.transition.pseudo_projective and self.algorithm in ("arc-eager", "arc-hybrid")
