"""Settings of the features and the training of taggers."""

from dataclasses import dataclass

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.scores.tagging.sets import (
    FEATS_TEMPLATES,
    LEMMA_TEMPLATES,
    POS_TEMPLATES,
    SUPER_TEMPLATES,
    UPOS_TEMPLATES,
)
from treewright.train.settings import OptimiserSettings

POS_FOLDS = "number of folds for POS tagger jackknifing: train on predicted tags; 0: gold tags"


@dataclass(frozen=True)
class TaggerSettings:
    """Settings of a tagger."""

    templates: list[str] = setting([], "feature templates; see docs/features.md")
    cutoff: int = setting(1, "minimum frequency of features with one attribute")
    pair_cutoff: int = setting(2, "minimum frequency of features with two or more attributes")
    order: int = setting(2, "order of the chain: 0, 1 or 2")
    bigram_cutoff: int = setting(5, "minimum frequency of tag bigrams")
    trigram_cutoff: int = setting(10, "minimum frequency of tag trigrams")
    dictionary_cutoff: int = setting(
        20,
        "tag dictionary: words with this frequency get only the tags seen with them; rarer\n"
        "words get the tags seen with their POS tag",
    )
    training_beta: float = setting(1e-3, "beta for the candidate tags that the chain is trained on")
    min_training_tags: int = setting(2, "minimum number of candidate tags per word in training")
    max_training_tags: int = setting(8, "maximum number of candidate tags per word in training")
    beta: float = setting(
        1e-4, "prune tags whose local probability is below beta times that of the best tag"
    )
    max_tags: int = setting(24, "maximum number of tags per word after pruning")
    local_passes: int = setting(6, "local model: number of AdaGrad epochs")
    local_rate: float = setting(0.2, "local model: learning rate")
    local_prior: float = setting(
        0.5, "local model: standard deviation of the Gaussian prior; inf: no prior"
    )
    dropout: float = setting(0.0, "feature dropout rate")
    chain: OptimiserSettings = setting(
        OptimiserSettings(prior=0.2, iterations=40, score_every=5),
        "optimiser of the chain, which starts from the local model's weights",
    )
    sharpness: float = setting(
        1.0,
        "multiplier of the chain's scores after training; below 1 for a chain that is\n"
        "overconfident on unseen text",
    )
    objective: ObjectiveSettings = setting(
        ObjectiveSettings(loss="hamming"), "training objective of the chain"
    )

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise ValueError(f"order must be 0, 1 or 2, not {self.order}")
        for name in ("beta", "training_beta", "sharpness"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1")
        if not (self.local_rate > 0 and self.local_prior > 0):
            raise ValueError("local_rate and local_prior must be positive")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be from 0 to below 1, not {self.dropout}")
        counts = ("cutoff", "pair_cutoff", "trigram_cutoff", "max_tags", "max_training_tags")
        for name in (*counts, "local_passes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")


@dataclass(frozen=True)
class PosTaggerSettings(TaggerSettings):
    """Defaults for POS taggers."""

    templates: list[str] = setting(POS_TEMPLATES)
    dictionary_cutoff: int = setting(10)
    max_training_tags: int = setting(5)
    beta: float = setting(1e-3)
    max_tags: int = setting(8)


@dataclass(frozen=True)
class UposTaggerSettings(PosTaggerSettings):
    """Defaults for taggers of UPOS and XPOS, in any language."""

    templates: list[str] = setting(UPOS_TEMPLATES)


@dataclass(frozen=True)
class FeatsTaggerSettings(PosTaggerSettings):
    """Defaults for taggers of morphological features, given UPOS and XPOS."""

    templates: list[str] = setting(FEATS_TEMPLATES)
    order: int = setting(1)
    dictionary_cutoff: int = setting(1_000_000_000)


@dataclass(frozen=True)
class LemmaTaggerSettings(PosTaggerSettings):
    """Defaults for lemmatisers, given UPOS and features."""

    templates: list[str] = setting(LEMMA_TEMPLATES)
    pair_cutoff: int = setting(1)
    order: int = setting(0)
    local_passes: int = setting(10)


@dataclass(frozen=True)
class MorphologySettings(UposTaggerSettings):
    """Settings of the tagger of UPOS and XPOS, and of the two that follow it."""

    feats: FeatsTaggerSettings = setting(FeatsTaggerSettings(), "FEATS tagger")
    lemmas: LemmaTaggerSettings = setting(LemmaTaggerSettings(), "lemmatiser")


@dataclass(frozen=True)
class SuperTaggerSettings(TaggerSettings):
    """Defaults for supertaggers."""

    templates: list[str] = setting(SUPER_TEMPLATES)
    dictionary_cutoff: int = setting(100)
    bigram_cutoff: int = setting(3)
    trigram_cutoff: int = setting(5)
    max_training_tags: int = setting(12)
    local_prior: float = setting(0.35)
    chain: OptimiserSettings = setting(OptimiserSettings(prior=0.15, iterations=40, score_every=5))
    objective: ObjectiveSettings = setting(ObjectiveSettings("softmax-margin", "hamming", 0.7))
    sharpness: float = setting(0.9)
    beta: float = setting(3e-4)
    max_tags: int = setting(16)
