"""Settings of the features and the training of a tokeniser."""

from dataclasses import dataclass

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.text.segments import MAX_BIAS
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
    "endings": [
        *("glyph[0] tail3 gap", "glyph[0] tail4 gap", "glyph[0] tail5 gap", "glyph[0] tail2 runp1"),
        *("glyph[0] lengthm1 casep1", "glyph[0] lengthm1 kind[1]"),
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
    """Settings of a tokeniser."""

    templates: list[str] = setting(TEMPLATES, "feature templates; see docs/features.md")
    cutoff: int = setting(1, "minimum frequency of features with one attribute")
    pair_cutoff: int = setting(2, "minimum frequency of features with two or more attributes")
    folds: int = setting(
        8, "number of folds for lexicon features: each fold uses the lexicon of the others"
    )
    passes: int = setting(8, "first stage: number of AdaGrad epochs")
    rate: float = setting(0.2, "first stage: learning rate")
    prior: float = setting(
        0.5, "first stage: standard deviation of the Gaussian prior; inf: no prior"
    )
    dropout: float = setting(0.3, "first stage: feature dropout rate")
    training_beta: float = setting(
        1e-3, "second stage: beta for candidate tags, relative to the best tag"
    )
    sentence_weight: int = setting(1, "weight of a sentence in the loss; a token has weight 1")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("softmax-margin", "f1"),
        "training objective of the second stage; f1 is over tokens and sentences",
    )
    second_stage: bool = setting(
        True, "train a second stage for the objective, after the likelihood of characters"
    )
    sentence_bias: float = setting(0.25, "bias for sentence ends, if there is no dev treebank")
    sentence_biases: list[float] = setting(
        [0.25 * step for step in range(-2, 7)],
        "biases for sentence ends to try on the dev treebank; the one with the best F1 of tokens "
        "and sentences is used",
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(prior=0.2, iterations=30),
        "optimiser of the second stage; the prior is centred on the weights of the first stage",
    )

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, not {self.folds}")
        if not 0 < self.training_beta <= 1:
            raise ValueError("training_beta must be above 0 and at most 1")
        if self.sentence_weight < 0:
            raise ValueError("sentence_weight must not be negative")
        if not abs(self.sentence_bias) <= MAX_BIAS:
            raise ValueError(f"sentence_bias must be from -{MAX_BIAS} to {MAX_BIAS}")
