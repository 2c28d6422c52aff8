"""The settings of a tagger's features and training, the same for both kinds."""

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

POS_FOLDS = (
    "0 trains on gold parts of speech; n trains on those of n taggers, each of which\n"
    "has not seen what it tags"
)


@dataclass(frozen=True)
class TaggerSettings:
    """How a tagger is trained."""

    templates: list[str] = setting([], "feature templates; see docs/features.md")
    cutoff: int = setting(1, "a feature of one attribute must occur this often")
    pair_cutoff: int = setting(2, "a feature of two or more attributes must occur this often")
    order: int = setting(2, "order of the chain: number of previous tags, 0, 1 or 2")
    bigram_cutoff: int = setting(5, "a bigram of tags must occur this often to have a weight")
    trigram_cutoff: int = setting(10, "a trigram of tags must occur this often")
    dictionary_cutoff: int = setting(
        20,
        "words seen this often have only the tags that they were seen with, rarer ones those\n"
        "that their part of speech was seen with",
    )
    training_beta: float = setting(1e-3, "beta of the candidates that the chain is trained on")
    min_training_tags: int = setting(2, "smallest number of such candidates per word")
    max_training_tags: int = setting(8, "largest number of such candidates per word")
    beta: float = setting(1e-4, "the local model prunes tags below this share of the best")
    max_tags: int = setting(24, "largest number of tags per word after pruning")
    local_passes: int = setting(6, "passes of AdaGrad over the words for the local model")
    local_rate: float = setting(0.2, "step size of the local model")
    local_prior: float = setting(
        0.5, "standard deviation of the local model's Gaussian prior; inf: none"
    )
    dropout: float = setting(0.0, "share of features that a step drops at random")
    chain: OptimiserSettings = setting(
        OptimiserSettings(prior=0.2, iterations=40, score_every=5),
        "training of the chain, from the local model's weights",
    )
    sharpness: float = setting(
        1.0,
        "factor of the chain's scores after training: below 1 for a chain that is too sure of\n"
        "what it has not seen",
    )
    objective: ObjectiveSettings = setting(
        ObjectiveSettings(loss="hamming"), "objective of the chain"
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
    """The same with the defaults of a part-of-speech tagger."""

    templates: list[str] = setting(POS_TEMPLATES)
    dictionary_cutoff: int = setting(10)
    max_training_tags: int = setting(5)
    beta: float = setting(1e-3)
    max_tags: int = setting(8)


@dataclass(frozen=True)
class UposTaggerSettings(PosTaggerSettings):
    """The same with the defaults of a tagger of UPOS and XPOS, in any language."""

    templates: list[str] = setting(UPOS_TEMPLATES)


@dataclass(frozen=True)
class FeatsTaggerSettings(PosTaggerSettings):
    """The same with the defaults of a tagger of morphological features, given tags."""

    templates: list[str] = setting(FEATS_TEMPLATES)
    order: int = setting(1)
    dictionary_cutoff: int = setting(1_000_000_000)


@dataclass(frozen=True)
class LemmaTaggerSettings(PosTaggerSettings):
    """The same with the defaults of a lemmatiser, given tags and features."""

    templates: list[str] = setting(LEMMA_TEMPLATES)
    pair_cutoff: int = setting(1)
    order: int = setting(0)
    local_passes: int = setting(10)


@dataclass(frozen=True)
class MorphologySettings(UposTaggerSettings):
    """The tagger of UPOS and XPOS, and the two that follow it."""

    feats: FeatsTaggerSettings = setting(FeatsTaggerSettings(), "the tagger of FEATS")
    lemmas: LemmaTaggerSettings = setting(LemmaTaggerSettings(), "the lemmatiser")


@dataclass(frozen=True)
class SuperTaggerSettings(TaggerSettings):
    """The same with the defaults of a supertagger."""

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
