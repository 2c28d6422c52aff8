"""The settings of a tokeniser's features and training."""

from dataclasses import dataclass

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.train.settings import OptimiserSettings

GROUPS: dict[str, list[str]] = {
    "characters": [f"glyph[{i}]" for i in range(-3, 4)],
    "n-grams": [
        *("glyph[-1] glyph[0]", "glyph[0] glyph[1]", "glyph[1] glyph[2]", "glyph[-2] glyph[-1]"),
        *("glyph[-2] glyph[-1] glyph[0]", "glyph[-1] glyph[0] glyph[1]"),
        *("glyph[0] glyph[1] glyph[2]", "glyph[1] glyph[2] glyph[3]"),
        *("glyph[-3] glyph[-2] glyph[-1] glyph[0]", "glyph[-1] glyph[0] glyph[1] glyph[2]"),
        "glyph[-2] glyph[-1] glyph[0] glyph[1] glyph[2]",
    ],
    "kinds": [
        *("sort[0] kind[1]", "sort[-1] sort[0] kind[1]", "sort[0] sort[1] kind[2]"),
        *("sort[-2] sort[-1] sort[0] sort[1] kind[2]", "char[0] sort[0] kind[1]"),
        *("glyph[0] sort[1] kind[2]", "sort[-2] sort[-1] glyph[0] kind[1]"),
    ],
    "chunks": [
        *("before after", "before", "after", "shape sort[0] sort[1]", "before gap chunkp1"),
        *("chunkm1 before after", "chunk chunkp1 gap", "shape glyph[0] glyph[1]"),
    ],
    "runs": [
        *("run", "run runp1", "runm1 run", "runm1 run runp1", "runm2 runm1 run", "run runp1 runp2"),
        *("runm2 runm1 run runp1",),
    ],
    "case": [
        *("glyph[0] gap casep1", "run casep1", "runm1 run casep1", "casem1 run casep1"),
        *("case gap casep1", "casem1 case gap casep1 casep2", "gap runp1", "gap casep1 casep2"),
    ],
    "quotes": ["glyph[0] quotes gap", "glyph[0] glyph[1] quotes gap", "glyph[-1] glyph[0] quotes"],
    "words": [
        *("ends gap", "starts gap", "across gap", "ends starts across gap", "across glyph[0]"),
        *("ends kind[0] kind[1]", "starts kind[0] kind[1]"),
    ],
}  # fmt: skip
TEMPLATES = [template for group in GROUPS.values() for template in group]


@dataclass(frozen=True)
class TokeniserSettings:
    """How a tokeniser is trained."""

    templates: list[str] = setting(TEMPLATES, "feature templates over treewright.text.columns")
    cutoff: int = setting(1, "a feature of one attribute must occur this often")
    pair_cutoff: int = setting(2, "and one of two or more attributes this often")
    folds: int = setting(8, "parts of the text, each looked up in the lexicon of the others")
    passes: int = setting(8, "passes of AdaGrad over the characters")
    rate: float = setting(0.2, "their step size")
    prior: float = setting(0.5, "standard deviation of their Gaussian prior; inf is none")
    dropout: float = setting(0.3, "share of features that a step leaves out, at random")
    training_beta: float = setting(
        1e-3, "tags of at least this share of the best are candidates in the second stage"
    )
    sentence_weight: int = setting(1, "what a sentence counts in the loss; a token counts 1")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("softmax-margin", "f1"),
        "what the second stage minimises; f1 is that of tokens and sentences",
    )
    second_stage: bool = setting(True, "train for the objective after the characters' likelihood")
    sentence_bias: float = setting(
        0.25, "added to the score of a sentence's end: F1 wants it at less than even odds"
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(prior=0.2, iterations=30),
        "its optimiser; the prior is around the weights of the first stage",
    )

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, not {self.folds}")
        if not 0 < self.training_beta <= 1:
            raise ValueError("training_beta must be above 0 and at most 1")
        if self.sentence_weight < 0:
            raise ValueError("sentence_weight must not be negative")
